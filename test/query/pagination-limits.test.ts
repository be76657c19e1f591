import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRefusals, type RefusalCase } from '../support/tables.ts';

const specification = 'resources: { items: { fields: { n: { type: integer } } } }';
const path = '/v1/items';

let api: TestApi;
let small: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification);
  small = await serveBoth(`limits: { maxLimit: 10 }\n${specification}`);
  await small.send(
    'POST',
    path,
    Array.from({ length: 12 }, (_, n) => ({ n })),
  );
});
afterAll(async () => {
  await api.stop();
  await small.stop();
});

describe('refused', () => {
  const bad = (field: string, least: number): string =>
    `${field}: must be a whole number from ${least} to ${field === 'limit' ? 1000 : 9007199254740991}`;
  const numbers = ['', '-1', '1.5', '1.0', 'x', '1e2', '+1', ' 1', '0x1', 'NaN', 'null', '1\n'];
  for (const value of numbers.map(encodeURIComponent))
    expectRefusals(() => api, path, [
      ['no page', `page=${value}`, 'INVALID_PARAMETER', bad('page', 1)],
      ['no limit', `limit=${value}`, 'INVALID_PARAMETER', bad('limit', 0)],
      ['no offset', `offset=${value}`, 'INVALID_PARAMETER', bad('offset', 0)],
    ]);
  const conflict = (name: string, query: string, ...problems: string[]): RefusalCase => [
    name,
    query,
    'PAGINATION_CONFLICT',
    ...problems,
  ];
  const overMaximum = 'limit: must be at most 1000';
  expectRefusals(() => api, path, [
    ['page 0', 'page=0', 'INVALID_PARAMETER', bad('page', 1)],
    ['limit -1', 'limit=-1', 'INVALID_PARAMETER', bad('limit', 0)],
    ['a page beyond 2^53', 'page=9007199254740992', 'INVALID_PARAMETER', bad('page', 1)],
    ['an offset beyond 2^53', 'offset=9007199254740992', 'INVALID_PARAMETER', bad('offset', 0)],
    ['over the maximum', 'limit=1001', 'LIMIT_EXCEEDED', overMaximum],
    ['far over the maximum', `limit=${'9'.repeat(400)}`, 'LIMIT_EXCEEDED', overMaximum],
    ['in offset mode', 'offset=0&limit=1001', 'LIMIT_EXCEEDED', overMaximum],
    ['both wrong', 'page=0&limit=x', 'INVALID_PARAMETER', bad('page', 1), bad('limit', 0)],
    conflict('page and offset', 'page=1&offset=0', 'offset: cannot be combined with page'),
    conflict('page and cursor', 'page=1&cursor=', 'cursor: cannot be combined with page'),
    conflict('offset and cursor', 'offset=1&cursor=', 'cursor: cannot be combined with offset'),
  ]);
  expectRefusals(() => small, path, [
    ['over a maximum that is set', 'limit=11', 'LIMIT_EXCEEDED', 'limit: must be at most 10'],
  ]);
});

test('a lower maximum lowers the default', async () => {
  const { headers, body } = await small.get(path);
  expect([headers.get('x-limit'), (body as unknown[]).length]).toEqual(['10', 10]);
});

test('a default that is set', async () => {
  const own = await serveBoth(`limits: { defaultLimit: 2 }\n${specification}`);
  await own.send('POST', path, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  const { headers, body } = await own.get(path);
  expect([headers.get('x-limit'), (body as unknown[]).length]).toEqual(['2', 2]);
  await own.stop();
});

test('the farthest page of the largest limit', async () => {
  const own = await serveBoth(`limits: { maxLimit: 100000 }\n${specification}`);
  await own.send('POST', path, { n: 1 });
  const { status, body, headers } = await own.get(`${path}?limit=100000&page=9007199254740991`);
  expect([status, body, headers.get('x-page')]).toEqual([200, [], '9007199254740991']);
  await own.stop();
});

test('totals follow writes', async () => {
  const own = await serveBoth(specification);
  const totals = (): Promise<unknown> =>
    Promise.all(
      ['limit=1', 'limit=1&n_gt=1', 'page=9'].map(async (query) =>
        (await own.get(`${path}?${query}`)).headers.get('x-total-count'),
      ),
    );
  await own.send('POST', path, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(await totals()).toEqual(['3', '2', '3']);
  await own.send('POST', path, { n: 4 });
  expect(await totals()).toEqual(['4', '3', '4']);
  await own.send('PATCH', `${path}/2`, { n: 0 });
  expect(await totals()).toEqual(['4', '2', '4']);
  await own.send('DELETE', `${path}/3`);
  expect(await totals()).toEqual(['3', '1', '3']);
  await own.stop();
});
