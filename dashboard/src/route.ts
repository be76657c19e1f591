import { useEffect, useSyncExternalStore } from 'react';
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
  return { view: view === '' ? 'data' : view, part: decoded(part), search: whole };
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

/** While something is written that leaving would lose: where the page stays, and whom it asks whether it may go. */
let stay: { readonly hash: string; readonly asked: (leave: () => void) => void } | undefined;

function subscribe(changed: () => void): () => void {
  const led = (): void => {
    const { hash } = location;
    if (stay === undefined || hash === stay.hash) {
      changed();
      return;
    }
    history.pushState(null, '', stay.hash);
    stay.asked(() => go(hash));
  };
  addEventListener('hashchange', led);
  return () => removeEventListener('hashchange', led);
}

export function useRoute(): Route {
  return readRoute(useSyncExternalStore(subscribe, () => stay?.hash ?? location.hash));
}

/**
 * While something is written that leaving would lose, the page stays whichever way it is led elsewhere (a link, Back, the
 * palette), and `asked` gets what leads there after all; the browser itself asks before the page is closed or loaded anew.
 * Gives what does its work without a question.
 */
export function useStay(
  isWritten: boolean,
  asked: (leave: () => void) => void,
): (work: () => void) => void {
  useEffect(() => {
    if (!isWritten) return undefined;
    stay = { hash: location.hash, asked };
    const ask = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => {
      stay = undefined;
      removeEventListener('beforeunload', ask);
    };
  }, [isWritten, asked]);
  return (work) => {
    stay = undefined;
    work();
  };
}
