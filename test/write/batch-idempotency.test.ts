import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';

const specification = `
access: public
api: { basePath: /api }
resources:
  codes: { fields: { id: { type: id, format: string }, name: { type: string, nullable: true } } }
  notes:
    fields:
      name: { type: string, nullable: true, unique: true }
      text: { type: string, nullable: true }
`;

let both: Both;
let key = 0;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date('2026-03-01T12:00:00Z'));
});
afterAll(() => both?.stop());

/** The answers of a batch, and those of its repetition after `between`. */
const twice = async (
  operations: readonly object[],
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly [first: Answer, second: Answer]> => {
  key += 1;
  const send = (): Promise<Answer> =>
    both.send('POST', '/api/_batch', operations, { 'idempotency-key': `key-${key}` });
  const first = await send();
  expect(first.status, first.text).toBe(200);
  await between();
  return [first, await send()];
};

const post = (path: string, body: unknown, prefer?: string): object => ({
  method: 'POST',
  path,
  body,
  ...(prefer === undefined ? {} : { headers: { Prefer: prefer } }),
});

test.each<readonly [string, readonly object[]]>([
  ['an array', [post('/codes', [{ id: 'a1' }, { id: 'a/2' }])]],
  ['an array that shows some fields', [post('/codes?fields=name', [{ id: 'b1', name: 'b' }])]],
  ['an empty array', [post('/codes', [])]],
  ['an upsert that creates', [post('/notes?onConflict=name', { name: 'new' })]],
  ['an upsert that changes', [post('/notes?onConflict=name', { name: 'old', text: 'x' })]],
  ['an upsert that shows some', [post('/notes?fields=text&onConflict=name', { name: 'old' })]],
  [
    'an upsert that leaves it',
    [post('/notes?on%43onflict=name', { name: 'old' }, 'resolution=ignore-duplicates')],
  ],
  ['an array of upserts', [post('/notes?onConflict=name', [{ name: 'old' }, { name: 'one' }])]],
  [
    'a PUT that creates',
    [{ method: 'PUT', path: '/codes/%25', body: {}, headers: { 'If-None-Match': '*' } }],
  ],
  ['return=minimal', [post('/codes', { id: 'c' }, 'return=minimal')]],
])('%s is answered again as it was', async (_, operations) => {
  await both.send('POST', '/api/notes?onConflict=name', { name: 'old' });
  // A list would show these too.
  await both.send('POST', '/api/codes', {});
  const [first, second] = await twice(operations);
  expect(second.body).toEqual(
    first.body.map((one: { headers: { etag?: string } }) => {
      const isWhole = !JSON.stringify(operations).includes('fields=');
      return isWhole ? one : { ...one, headers: { ...one.headers, etag: undefined } };
    }),
  );
});

test('what has been deleted since is shown as its id', async () => {
  const [first, second] = await twice(
    [post('/notes', { name: 'gone' }), post('/notes', [{ name: 'gone too' }, { name: 'stays' }])],
    () => both.send('DELETE', '/api/notes?name_in=gone,gone too'),
  );
  const [{ body: one }, { body: two }] = first.body;
  expect(second.body[0].body).toEqual({ id: one.id });
  expect(second.body[1].body).toEqual([{ id: two[0].id }, two[1]]);
});
