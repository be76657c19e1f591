import { expect } from 'vitest';
import type { Answer } from '../support/api.ts';
import type { World } from '../support/oracle-model.ts';
import { collectionOf } from '../support/oracle-paths.ts';
import type { Query } from '../support/oracle-query.ts';
import type { Expected } from '../support/oracle.ts';

/** Answers in the terms of the oracle, and the requests that follow them. */

/** The query string without some parameters. */
function without(target: string, ...names: readonly string[]): string {
  const [path = '', text = ''] = target.split('?');
  const pieces = text
    .split('&')
    .filter((piece) => piece !== '' && !names.includes(piece.split('=')[0] ?? ''));
  return pieces.length === 0 ? path : `${path}?${pieces.join('&')}`;
}

/** The links of a list; each has to lead to the same request but for its own place. */
function linksOf({ headers }: Answer, target: string, mode: string): Record<string, number> {
  const links = (headers.get('link') ?? '').split(', ').filter((link) => link !== '');
  return Object.fromEntries(
    links.map((link) => {
      const [, to = '', relation = ''] = /^<([^>]*)>; rel="(\w+)"$/u.exec(link) ?? [];
      const place = new URLSearchParams(to.split('?')[1]).get(mode);
      expect(without(to, mode), target).toBe(without(target, mode));
      return [relation, mode === 'cursor' ? 0 : Number(place)];
    }),
  );
}

/** What an answer says in the terms of the oracle. */
export function seenOf(answer: Answer, { id, paging: { mode } }: Query, target: string): Expected {
  const body = answer.body as Expected['body'] & { data: Expected['body'] };
  if (id !== undefined) return { body, headers: {}, links: {}, hasMore: false };
  const names = ['x-limit', 'x-page', 'x-total-count', 'x-total-pages'];
  return {
    body: mode === 'cursor' ? body.data : body,
    headers: Object.fromEntries(names.map((name) => [name, answer.headers.get(name)])),
    links: linksOf(answer, target, mode),
    hasMore: answer.headers.has('x-next-cursor'),
  };
}

/** The page after an answer by its cursor; the cursor knows the order, so the request need not say it. */
export function nextOf(world: World, answer: Answer, target: string, query: Query): string {
  const isOwnOrder = query.sort.every(
    ({ steps }) => collectionOf(world, query.resource, query.expand, steps) === 0,
  );
  const rest = without(target, 'page', 'offset', 'cursor', ...(isOwnOrder ? ['sort'] : []));
  const cursor = answer.headers.get('x-next-cursor') ?? '';
  expect(cursor).toMatch(/^[\w-]+$/u);
  return `${rest}${rest.includes('?') ? '&' : '?'}cursor=${cursor}`;
}

/** How many records are passed at the end of a page. */
export function placeAfter(world: World, { paging: { mode, start, limit } }: Query): number {
  const size = limit ?? world.limit('defaultLimit');
  return size + (mode === 'page' ? (start - 1) * size : start);
}
