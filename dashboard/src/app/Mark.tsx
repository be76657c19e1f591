import type { JSX } from 'react';

/** The mark of the product: a plinth, and what stands on it. */
export function Mark({ size = 20 }: { readonly size?: number }): JSX.Element {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" className="mark">
      <rect x="7" y="1.5" width="6" height="7" rx="1.2" className="mark-top" />
      <rect x="4" y="10" width="12" height="3.4" rx="1" />
      <rect x="1.5" y="15" width="17" height="3.5" rx="1" />
    </svg>
  );
}
