import { mount } from '../mount.ts';
import type { RequestRow } from '../../../src/http/dashboard/wire.ts';

/** The status of a filter that leaves all that has failed, whoever was to blame. */
export const errors = 'errors';

export interface RequestFilter {
  readonly text: string;
  readonly method: string;
  /** The first digit, or `errors`. */
  readonly status: string;
  /** The shortest duration, in ms. */
  readonly slow: string;
}

/**
 * The rows that a filter leaves: every word of its text is somewhere in what a row shows, or is the id of its request,
 * which is not shown: part of one would be found by chance.
 */
export function filtered(
  rows: readonly RequestRow[],
  { text, method, status, slow }: RequestFilter,
): readonly RequestRow[] {
  const shortest = Number(slow) || 0;
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return rows.filter((row) => {
    if (method !== '' && row.method !== method) return false;
    if (status === errors ? row.status < 400 : !String(row.status).startsWith(status)) return false;
    if (row.duration < shortest) return false;
    if (words.length === 0) return true;
    const { path, query, route, caller, client, code, id } = row;
    const shown = [urlOf({ path, query }), shownUrl({ path, query })];
    const all = [row.method, ...shown, route, row.status, caller, client, code]
      .join(' ')
      .toLowerCase();
    const ofRequest = id.toLowerCase();
    return words.every((word) => all.includes(word) || word === ofRequest);
  });
}

/** The rows with those first that took longest; of equal ones the newer. */
export function slowestFirst(rows: readonly RequestRow[]): readonly RequestRow[] {
  return rows.toSorted((a, b) => b.duration - a.duration);
}

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
