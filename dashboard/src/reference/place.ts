import { useSyncExternalStore } from 'react';
import { decoded } from '../words.ts';

/** What the hash of the page names, as in `#v1/posts/listPosts`. For an empty part, the page shows the first one. */
export interface Place {
  readonly version: string;
  readonly tag: string;
  readonly operation: string;
}

export function hashOf({ version, tag, operation }: Place): string {
  return `#${[version, tag, operation].map(encodeURIComponent).join('/')}`;
}

function subscribe(told: () => void): () => void {
  addEventListener('hashchange', told);
  return () => removeEventListener('hashchange', told);
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [version = '', tag = '', operation = ''] = hash.slice(1).split('/').map(decoded);
  return { version, tag, operation };
}
