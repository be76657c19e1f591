import { useEffect, useState } from 'react';

/** Of what covers the page while it is there: whatever had the focus before has it again afterwards. */
export function useReturnedFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    },
    [before],
  );
}
