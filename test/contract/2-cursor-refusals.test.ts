import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame } from '../support/tables.ts';
import { cursorOf, idsOf, pageOf } from './2-cursors.ts';
import { world, worldRecords } from './2-world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(`api: { versions: { 1: {}, 2: {} } }\n${world}`, worldRecords);
});
afterAll(() => api.stop());

const posts = '/v1/posts';

describe('refused', () => {
  const invalid = (name: string, query: string) =>
    [name, query, 'INVALID_CURSOR', 'cursor'] as const;
  const nested = `${'['.repeat(500)}${']'.repeat(500)}`;
  const encoded = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  expectBlame(() => api, posts, [
    invalid('no base64url', 'cursor=!'),
    invalid('a blank', 'cursor=+'),
    invalid('letters', 'cursor=abc'),
    invalid('base64 of text', `cursor=${Buffer.from('hello').toString('base64url')}`),
    invalid('JSON of nothing', `cursor=${encoded({})}`),
    invalid('JSON null', `cursor=${encoded(null)}`),
    invalid('a list', `cursor=${encoded([1])}`),
    invalid('nested JSON', `cursor=${Buffer.from(nested).toString('base64url')}`),
    invalid('NUL', `cursor=${Buffer.from([0, 0, 0]).toString('base64url')}`),
    invalid('no UTF-8', `cursor=${Buffer.from([255, 254]).toString('base64url')}`),
    invalid('a number', 'cursor=1'),
    invalid('very long', `cursor=${'A'.repeat(5_000)}`),
    ['with page', 'cursor=&page=1', 'PAGINATION_CONFLICT', 'cursor'],
    ['with offset', 'offset=0&cursor=', 'PAGINATION_CONFLICT', 'cursor'],
    ['twice', 'cursor=&cursor=', 'INVALID_PARAMETER', 'cursor'],
    ['with a limit of nothing', 'cursor=&limit=0', 'INVALID_PARAMETER', 'limit'],
    ['with a limit over the maximum', 'cursor=&limit=1001', 'LIMIT_EXCEEDED', 'limit', '1000'],
  ]);

  test('page, offset and cursor together', async () => {
    const { status, body } = await api.get(`${posts}?page=1&offset=0&cursor=`);
    expect([status, body.code]).toEqual([400, 'PAGINATION_CONFLICT']);
  });

  async function refused(path: string): Promise<void> {
    const { status, body } = await api.get(path);
    expect([status, body.code], path).toEqual([400, 'INVALID_CURSOR']);
    expect((body.validationErrors as { field: string }[]).map(({ field }) => field)).toEqual([
      'cursor',
    ]);
  }

  test('any one character changed', async () => {
    const cursor = await cursorOf(api, `${posts}?cursor=&limit=2&sort=title,-views`);
    for (let place = 0; place < cursor.length - 1; place += 1) {
      const other = cursor[place] === 'A' ? 'B' : 'A';
      await refused(
        `${posts}?limit=2&cursor=${cursor.slice(0, place)}${other}${cursor.slice(place + 1)}`,
      );
    }
  });

  test('cut off, longer or doubled', async () => {
    const cursor = await cursorOf(api, `${posts}?cursor=&limit=2&sort=title`);
    for (const wrong of [cursor.slice(0, -3), cursor.slice(1), `${cursor}AAAA`, cursor + cursor])
      await refused(`${posts}?cursor=${wrong}`);
  });

  test.each([
    ['another field', 'sort=views', 'sort=title'],
    ['another direction', 'sort=views', 'sort=-views'],
    ['a key more', 'sort=views', 'sort=views,title'],
    ['a key less', 'sort=views,title', 'sort=views'],
    ['another order of keys', 'sort=views,title', 'sort=title,views'],
    ['a sort where it had none', '', 'sort=views'],
    ['another path', 'sort=author.name', 'sort=editor.name'],
    ['nulls elsewhere', 'sort=views&nulls=last', 'sort=views&nulls=first'],
  ])('%s than its own', async (_, own, other) => {
    const cursor = await cursorOf(api, `${posts}?${own}&cursor=&limit=2`);
    await refused(`${posts}?${other}&limit=2&cursor=${cursor}`);
  });

  test('the sort written out that it has', async () => {
    const cursor = await cursorOf(api, `${posts}?sort=views,-title&cursor=&limit=2`);
    expect((await api.get(`${posts}?sort=views,-title&cursor=${cursor}`)).status).toBe(200);
    expect((await api.get(`${posts}?sort=+views+,+-title&cursor=${cursor}`)).status).toBe(200);
  });

  test('of another resource, even one with such fields', async () => {
    const cursor = await cursorOf(api, `${posts}?cursor=&limit=2`);
    await refused(`/v1/comments?cursor=${cursor}`);
    await refused(
      `/v1/people?cursor=${await cursorOf(api, '/v1/notes?cursor=&limit=1&sort=text')}`,
    );
  });

  test('of another version', async () => {
    const cursor = await cursorOf(api, `${posts}?cursor=&limit=2`);
    await refused(`/v2/posts?cursor=${cursor}`);
    const newer = await cursorOf(api, '/v2/posts?cursor=&limit=2');
    await refused(`${posts}?cursor=${newer}`);
    // The path without a version is the second one.
    expect(idsOf((await pageOf(api, `/posts?cursor=${newer}`)).data)).toEqual([3, 4, 5]);
  });

  test('on a single read and on writes', async () => {
    for (const [method, path] of [
      ['GET', `${posts}/1?cursor=`],
      ['POST', `${posts}?cursor=`],
      ['DELETE', `${posts}/1?cursor=`],
    ] as const) {
      const { status, body } = await api.send(method, path, method === 'POST' ? {} : undefined);
      expect([status, body.code], method).toEqual([400, 'INVALID_PARAMETER']);
    }
  });
});
