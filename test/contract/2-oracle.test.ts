import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import type { Both } from '../support/both.ts';
import type { World } from '../support/oracle-model.ts';
import { collectionOf } from '../support/oracle-paths.ts';
import type { Query } from '../support/oracle-query.ts';
import { answerOf, type Expected } from '../support/oracle.ts';
import { randomQuery } from './2-oracle-requests.ts';
import { seed } from '../support/seed.ts';
import { assertOften, patience, read, requests, serveWorld } from './2-oracle-world.ts';
import { writeQuery } from './2-oracle-writing.ts';

let world: World;
let both: Both;
beforeAll(async () => {
  ({ both, world } = await serveWorld());
});
afterAll(() => both?.stop());

/** Both databases say the same, to the byte. */
async function ask(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const answer = await read(both, path, headers);
  expect(answer.status, `${path}\n${answer.text}`).toBe(200);
  return answer;
}

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
function seenOf(answer: Answer, { id, paging: { mode } }: Query, target: string): Expected {
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
function nextOf(answer: Answer, target: string, query: Query): string {
  const isOwnOrder = query.sort.every(
    ({ steps }) => collectionOf(world, query.resource, query.expand, steps) === 0,
  );
  const rest = without(target, 'page', 'offset', 'cursor', ...(isOwnOrder ? ['sort'] : []));
  const cursor = answer.headers.get('x-next-cursor') ?? '';
  expect(cursor).toMatch(/^[\w-]+$/u);
  return `${rest}${rest.includes('?') ? '&' : '?'}cursor=${cursor}`;
}

function placeAfter({ paging: { mode, start, limit } }: Query): number {
  const size = limit ?? world.limit('defaultLimit');
  return size + (mode === 'page' ? (start - 1) * size : start);
}

test(
  `${requests} random reads are what the oracle says, on both databases (seed ${seed})`,
  async () => {
    await assertOften(requests, async (draw) => {
      const { query, target, headers } = writeQuery(draw, randomQuery(draw, world));
      const answer = await ask(target, headers);
      expect(seenOf(answer, query, target), target).toEqual(answerOf(world, query));
      if (!answer.headers.has('x-next-cursor') || !draw.chance(30)) return;
      const next = nextOf(answer, target, query);
      const onwards: Query = { ...query, paging: { ...query.paging, mode: 'cursor', start: 0 } };
      expect(seenOf(await ask(next, headers), onwards, next), `${target}\n${next}`).toEqual(
        answerOf(world, onwards, placeAfter(query)),
      );
    });
    expect(both.failures).toEqual([]);
  },
  patience,
);
