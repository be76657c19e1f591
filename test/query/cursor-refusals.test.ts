import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCursor, type Cursor } from '../../src/query/read/cursor.ts';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame } from '../support/tables.ts';
import { cursorOf, idsOf, pageOf } from './cursors.ts';
import { world, worldRecords } from './world.ts';

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
    ['damaged, with page', 'cursor=abc&page=1', 'PAGINATION_CONFLICT', 'cursor'],
    ['damaged, with offset', 'offset=0&cursor=abc', 'PAGINATION_CONFLICT', 'cursor'],
    ['twice', 'cursor=&cursor=', 'INVALID_PARAMETER', 'cursor'],
    ['with a limit below nothing', 'cursor=&limit=-1', 'INVALID_PARAMETER', 'limit'],
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
    for (let place = 0; place < cursor.length; place += 1) {
      const other = cursor[place] === 'A' ? 'B' : 'A';
      await refused(
        `${posts}?limit=2&cursor=${cursor.slice(0, place)}${other}${cursor.slice(place + 1)}`,
      );
    }
  });

  test('with what is not of base64url, over which decoders pass', async () => {
    const cursor = await cursorOf(api, `${posts}?cursor=&limit=2&sort=title`);
    const [before, behind] = [cursor.slice(0, 9), cursor.slice(9)];
    for (const stray of ['=', '.', '!', '%20', '%0A', '+'])
      for (const wrong of [cursor + stray, stray + cursor, before + stray + behind])
        await refused(`${posts}?cursor=${wrong}`);
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

  test('what else is wrong is said beside it', async () => {
    const { status, body } = await api.get(`${posts}?cursor=abc&limit=x&nope=1&author.nmae=x`);
    expect(status).toBe(400);
    const fields = (body.validationErrors as { field: string }[]).map(({ field }) => field);
    expect(fields.toSorted()).toEqual(['author.nmae', 'cursor', 'limit', 'nope']);
  });

  const forged = (more: Partial<Cursor>): string =>
    encodeCursor({ version: 1, resource: 'posts', sort: '', nulls: '', values: [1], ...more });

  test('one that is rightly made is taken, whoever made it', async () => {
    const { status, body } = await api.get(`${posts}?limit=1&cursor=${forged({})}`);
    expect([status, body.data]).toMatchObject([200, [{ id: 2 }]]);
  });

  test.each<readonly [string, Partial<Cursor>]>([
    ['no values', { values: [] }],
    ['a value more', { values: [1, 1] }],
    ['a null id', { values: [null] }],
    ['a text for an id', { values: ['1'] }],
    ['a fraction for an id', { values: [1.5] }],
    ['an id beyond 2^53', { values: [2 ** 60] }],
    ['an object', { values: [{}] }],
    ['a list', { values: [[1]] }],
    ['a boolean', { values: [true] }],
    ['a text with NUL', { sort: 'title', values: ['a\0', 1] }],
    ['half a character', { sort: 'title', values: ['\ud800', 1] }],
    ['a number for a text', { sort: 'title', values: [1, 1] }],
    ['no moment', { sort: 'meta.at', values: ['yesterday', 1] }],
    ['no value of the enum by its type', { sort: 'meta.size.unit', values: [7, 1] }],
    ['a text for a number', { sort: 'meta.weight', values: ['1', 1] }],
    ['a sort that is none', { sort: 'nope', values: [1, 1] }],
    ['a sort that is unreadable', { sort: ',', values: [1, 1] }],
    ['__proto__', { sort: '__proto__', values: [1, 1] }],
    ['a sort that is refused', { sort: 'comments', values: [1, 1] }],
    ['a sort by far too many keys', { sort: 'id,'.repeat(500), values: [1] }],
    [
      'a sort of collections by far too many keys',
      { collectionSort: `id${',author.id'.repeat(8)}` },
    ],
    [
      'more keys of both sorts than a request may have',
      {
        sort: 'title',
        collectionSort: 'id,views,words,slug,meta.at,meta.weight,editorId,authorId',
        values: ['a', 1],
      },
    ],
    ['nulls that are none', { nulls: 'up', values: [1] }],
    ['another resource', { resource: '__proto__' }],
    ['another version', { version: 99 }],
    ['a fraction of a version', { version: 1.5 }],
  ])('one that is made wrong: %s', async (_, more) => {
    const path = `${posts}?limit=2&cursor=${forged(more)}`;
    await refused(path);
    await refused(path);
    expect(api.failures).toEqual([]);
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
