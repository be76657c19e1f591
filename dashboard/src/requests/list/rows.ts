import { mount } from '../../mount.ts';
import type { RequestRow } from '../../../../src/http/dashboard/wire.ts';

/** The path with its query, as it was asked for. Only paths can be below a mount, not the `*` of OPTIONS. */
export function urlOf({ path, query }: Pick<RequestRow, 'path' | 'query'>): string {
  const whole = path.startsWith('/') ? mount + path : path;
  return query === '' ? whole : `${whole}?${query}`;
}

/** The same for people; what was sent is in the details. */
export function shownUrl({ path, query }: Pick<RequestRow, 'path' | 'query'>): string {
  return urlOf({ path: decoded(path, plainInPath), query: decoded(query, plainInQuery) });
}

/** What is seen as itself, and as no part of a URL. */
const plainInPath = /[^\p{C}\p{Z}%/?#\\.;&]| /u;
/** The same in a query, where `+` is a blank. */
const plainInQuery = /[^\p{C}\p{Z}%#\\&=+]| /u;

/** A text with what is percent-encoded in it decoded, where that is UTF-8 and nothing that it could be taken for. */
function decoded(text: string, plain: RegExp): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/giu, (encoded) => {
    try {
      const characters = Array.from(decodeURIComponent(encoded));
      return characters.every((character) => plain.test(character)) ? characters.join('') : encoded;
    } catch {
      return encoded;
    }
  });
}
