import { useSyncExternalStore } from 'react';
import { decoded } from './words.ts';

/** Where the page is: the hash `#/view/part?parameters`. */
export interface Route {
  readonly view: string;
  readonly part: string;
  /** As it stands in the hash, without `?`. */
  readonly search: string;
}

export function readRoute(hash: string): Route {
  const [, view = '', part = '', search = ''] =
    /^#\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/u.exec(hash) ?? [];
  // A mark within is no end: what is asked of the server is what stands there.
  const whole = search.replaceAll('#', '%23');
  return { view: view === '' ? 'overview' : view, part: decoded(part), search: whole };
}

/** The hash of a place. */
export function hashOf(view: string, part = '', search = ''): string {
  const path = part === '' ? view : `${view}/${encodeURIComponent(part)}`;
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

/** Goes there at once: whoever shows the route has it before the next key or click is taken. */
export function go(hash: string, replaces = false): void {
  if (new URL(hash, location.href).href === location.href) return;
  if (replaces) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

export function useRoute(): Route {
  return readRoute(useSyncExternalStore(subscribe, () => location.hash));
}
