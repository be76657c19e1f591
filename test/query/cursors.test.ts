import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { watchStatements } from '../support/statements.ts';
import { cursorOf, get, idsOf, pageOf, type CursorPage } from './cursors.ts';
import { thingRecords, things } from './things.ts';
import { world, worldRecords } from './world.ts';

let api: TestApi;
let typed: TestApi;
beforeAll(async () => {
  api = await serveBoth(`limits: { sorts: 20 }\n${world}`, worldRecords);
  typed = await serveBoth(things, thingRecords);
});
afterAll(async () => {
  await api.stop();
  await typed.stop();
});

const posts = '/v1/posts';

/** The ids of all pages, from one on; each next one is asked for by `ask` of its cursor. */
async function walk(
  from: TestApi,
  first: CursorPage,
  ask: (cursor: string) => string,
): Promise<number[][]> {
  const pages = [idsOf(first.data)];
  let { next_cursor: cursor } = first;
  while (cursor !== null && pages.length < 50) {
    const page = await pageOf(from, ask(cursor));
    pages.push(idsOf(page.data));
    cursor = page.next_cursor;
  }
  return pages;
}

describe('a page', () => {
  test('takes one statement: nothing is counted', async () => {
    const watched = watchStatements(api);
    const cursor = await cursorOf(api, `${posts}?cursor=&limit=2`);
    for (const query of ['cursor=&limit=2', `cursor=${cursor}&limit=2`, `cursor=${cursor}`]) {
      const sql = await watched.during(() => get(api, `${posts}?${query}`));
      expect(sql, query).toHaveLength(1);
    }
  });

  test('the first has no totals, and says where the next is', async () => {
    const { body, headers } = await get(api, `${posts}?cursor=&limit=2`);
    const page = body as CursorPage;
    expect(idsOf(page.data)).toEqual([1, 2]);
    expect(page.data[0]).toEqual((await api.get(`${posts}/1`)).body);
    expect(headers.get('x-limit')).toBe('2');
    for (const name of ['x-page', 'x-total-count', 'x-total-pages'])
      expect(headers.get(name), name).toBeNull();
    expect(headers.get('link')).toBe(`<${posts}?cursor=${page.next_cursor}&limit=2>; rel="next"`);
    expect(headers.get('x-next-cursor')).toBe(page.next_cursor);
    expect(headers.get('etag')).toMatch(/^"[\w-]+"$/u);
  });

  test('the last is an object too, and has no Link', async () => {
    const first = await cursorOf(api, `${posts}?cursor=&limit=4`);
    const { body, headers } = await get(api, `${posts}?cursor=${first}&limit=4`);
    expect(body).toMatchObject({ data: [{ id: 5 }], next_cursor: null });
    expect([headers.get('link'), headers.get('x-next-cursor'), headers.get('x-limit')]).toEqual([
      null,
      null,
      '4',
    ]);
  });

  test('a full last one knows that it is the last', async () => {
    expect((await pageOf(api, `${posts}?cursor=&limit=5`)).next_cursor).toBeNull();
  });

  test('of nothing', async () => {
    expect(await pageOf(api, `${posts}?cursor=&title=none`)).toEqual({
      data: [],
      next_cursor: null,
    });
  });

  test('limit is the default, and may change from page to page', async () => {
    expect((await get(api, `${posts}?cursor=`)).headers.get('x-limit')).toBe('20');
    const cursor = await cursorOf(api, `${posts}?cursor=&limit=1`);
    expect(idsOf((await pageOf(api, `${posts}?cursor=${cursor}&limit=3`)).data)).toEqual([2, 3, 4]);
  });

  test('its links keep the other parameters', async () => {
    const query = 'views_gte=5&limit=1&fields=title&sort=-author.name&nulls=first';
    const ids: number[] = [];
    let path: string | undefined = `${posts}?${query}&cursor=`;
    while (path !== undefined && ids.length < 10) {
      const { body, headers }: Answer = await get(api, path);
      ids.push(...idsOf((body as CursorPage).data));
      path = /^<(.*)>; rel="next"$/u.exec(headers.get('link') ?? '')?.[1];
      for (const part of path === undefined ? [] : query.split('&')) expect(path).toContain(part);
    }
    expect(ids).toEqual([4, 5, 2, 1]);
  });

  test('selection and expansion are as ever', async () => {
    const page = await pageOf(
      api,
      `${posts}?cursor=&limit=1&sort=-author.name&fields=title,author.age&expand=author`,
    );
    expect(page.data).toEqual([{ id: 5, title: 'Five', author: { id: 3, age: null } }]);
  });

  test('HEAD says the same', async () => {
    const path = `${posts}?cursor=&limit=2`;
    const [whole, head] = [await get(api, path), await api.send('HEAD', path)];
    expect(head.text).toBe('');
    for (const name of ['etag', 'link', 'x-next-cursor', 'x-limit', 'content-length'])
      expect(head.headers.get(name), name).toBe(whole.headers.get(name));
  });

  test('Prefer: count=none has nothing to drop', async () => {
    const { status, body } = await api.get(`${posts}?cursor=&limit=2`, { prefer: 'count=none' });
    expect([status, Object.keys(body as object)]).toEqual([200, ['data', 'next_cursor']]);
  });

  test('its tag changes with the page and makes 304', async () => {
    const { headers } = await get(api, `${posts}?cursor=&limit=2`);
    const tag = headers.get('etag') ?? '';
    expect((await api.get(`${posts}?cursor=&limit=2`, { 'if-none-match': tag })).status).toBe(304);
    expect((await get(api, `${posts}?cursor=&limit=3`)).headers.get('etag')).not.toBe(tag);
  });
});

describe('pages one after the other give the whole list once, in its order', () => {
  const sorts = [
    '',
    'sort=id',
    'sort=-id',
    'sort=views',
    'sort=-views',
    'sort=views,-title',
    'sort=-views,meta.weight',
    'sort=words',
    'sort=-meta.codes',
    'sort=meta.size.width,-views',
    'sort=author.name',
    'sort=-author.passport.number,views',
    'sort=comments.rating',
    'sort=-comments.approved',
    'sort=-comments.cost',
    'sort=tags.name,-comments.rating',
    'sort=editor.name,-author.name,views',
    'author.age_gte=30&sort=-comments.rating',
    'expand=comments&sort=-views,comments.rating',
    '_or=views:20,title:Four&sort=title',
  ];
  const cases = sorts.flatMap((sort) =>
    ['', 'nulls=first', 'nulls=last'].flatMap((nulls) => {
      if (nulls !== '' && !sort.includes('sort=')) return [];
      return [[sort, nulls].filter((part) => part !== '').join('&')];
    }),
  );
  test.each(cases)('%s', async (query) => {
    const path = `${posts}?${query}${query === '' ? '' : '&'}`;
    const all = idsOf((await get(api, path.slice(0, -1))).body as { id: number }[]);
    const filters = query.split('&').filter((part) => !/^(?:sort|nulls)=/u.test(part));
    for (const limit of [1, 2]) {
      const first = await pageOf(api, `${path}cursor=&limit=${limit}`);
      const same = await walk(api, first, (cursor) => `${path}cursor=${cursor}&limit=${limit}`);
      expect(same.flat()).toEqual(all);
      for (const page of same.slice(0, -1)) expect(page.length).toBe(limit);
      // The cursor carries the sort.
      const rest = [...filters, `limit=${limit}`].filter((part) => part !== '').join('&');
      const bare = await walk(api, first, (cursor) => `${posts}?${rest}&cursor=${cursor}`);
      expect(bare).toEqual(same);
    }
  });

  const fields = [
    'title body mail site count ratio price price_gt big active day at moment code kind size',
    'level logged_in limit tags scores prices flags moments kinds specs.weight specs.size',
  ].flatMap((names) => names.split(' '));
  test.each(fields)('by %s', async (field) => {
    for (const sort of [field, `-${field}`]) {
      for (const nulls of ['', '&nulls=first', '&nulls=last']) {
        const path = `/v1/things?sort=${sort}${nulls}`;
        const all = idsOf((await get(typed, path)).body as { id: number }[]);
        const first = await pageOf(typed, `${path}&limit=2&cursor=`);
        const pages = await walk(typed, first, (cursor) => `${path}&limit=2&cursor=${cursor}`);
        expect(pages.flat(), path).toEqual(all);
      }
    }
  });
});

describe('the order of expanded collections is carried as well', () => {
  const own = 'comments.sort=rating';
  test.each([
    ['by sort', 'sort=-id,comments.rating,comments.text', ''],
    ['with nulls', 'sort=comments.rating,-id&nulls=last', ''],
    ['nulls alone', 'sort=-id,comments.rating&nulls=last', 'sort=-id,comments.rating'],
    ['nulls for a sort of their own', `sort=-id&${own}&nulls=last`, own],
    ['deeper', 'sort=author.name,-author.posts.title', ''],
  ])('%s', async (_, order, kept) => {
    const path = `${posts}?expand=comments,author.posts&limit=1&cursor=`;
    const first = await pageOf(api, `${path}&${order}`);
    const said = [...first.data];
    const carried = [...first.data];
    let { next_cursor: cursor } = first;
    while (cursor !== null) {
      const page = await pageOf(api, `${path}${cursor}&${order}`);
      said.push(...page.data);
      const bare = await pageOf(api, `${path}${cursor}&${kept}`.replace(/&$/u, ''));
      carried.push(...bare.data);
      expect(bare.next_cursor).toBe(page.next_cursor);
      cursor = page.next_cursor;
    }
    expect(said).toHaveLength(5);
    expect(carried).toEqual(said);
  });

  test('a sort that the request has itself goes before it', async () => {
    const path = `${posts}?expand=comments&limit=3`;
    const cursor = await cursorOf(api, `${path}&cursor=&sort=-id,comments.rating`);
    for (const other of ['comments.sort=-rating', 'sort=-id,-comments.rating', 'sort=-id']) {
      const { data } = await pageOf(api, `${path}&${other}&cursor=${cursor}`);
      const sort = other.startsWith('sort') ? '' : 'sort=-id&';
      const all = await get(api, `${path}&${sort}${other}&offset=3`);
      expect(data).toEqual(all.body);
    }
  });

  test('what is expanded no more has none', async () => {
    const cursor = await cursorOf(
      api,
      `${posts}?expand=comments,tags&limit=3&cursor=&sort=-comments.rating,tags.pivot.position`,
    );
    const { data } = await pageOf(api, `${posts}?cursor=${cursor}`);
    expect(idsOf(data)).toEqual([4, 5]);
  });
});

describe('a cursor from any list', () => {
  test.each([
    ['a first page', 'limit=2', [3, 4, 5]],
    ['a page', 'page=2&limit=2', [5]],
    ['an offset', 'offset=1&limit=2', [4, 5]],
    ['sorted', 'sort=-views&limit=2', [1, 4, 3]],
    ['sorted by a path, nulls first', 'sort=-author.name&nulls=first&limit=2', [3, 2, 1]],
  ])('%s goes on', async (_, query, rest) => {
    const { body, headers } = await get(api, `${posts}?${query}`);
    expect(Array.isArray(body)).toBe(true);
    const cursor = headers.get('x-next-cursor');
    expect(cursor).toMatch(/^[\w-]+$/u);
    expect(idsOf((await pageOf(api, `${posts}?cursor=${cursor}`)).data)).toEqual(rest);
  });

  test.each([
    ['a whole list', ''],
    ['a last page', 'page=3&limit=2'],
    ['a full last page', 'limit=5'],
    ['past the end', 'page=9&limit=2'],
    ['the last items by offset', 'offset=3&limit=2'],
    ['nothing', 'title=none'],
  ])('%s has none', async (_, query) => {
    expect((await get(api, `${posts}?${query}`)).headers.get('x-next-cursor')).toBeNull();
  });

  test('with count=none too', async () => {
    const { headers } = await api.get(`${posts}?limit=2`, { prefer: 'count=none' });
    expect(headers.get('x-next-cursor')).toMatch(/^[\w-]+$/u);
  });

  test('in cursor mode it is the one of the body', async () => {
    const { body, headers } = await get(api, `${posts}?cursor=&limit=2&sort=-views`);
    expect(headers.get('x-next-cursor')).toBe((body as CursorPage).next_cursor);
  });
});

describe('pagination: cursor', () => {
  const data = { items: [{ n: 1 }, { n: 2 }, { n: 3 }], others: [{ n: 4 }, { n: 5 }] };
  const fields = 'fields: { n: { type: integer } }';

  test.each([
    [
      'of the API',
      `api: { pagination: cursor }\nresources: { items: { ${fields} }, others: { ${fields}, pagination: page } }`,
    ],
    [
      'of the resource',
      `resources: { items: { ${fields}, pagination: cursor }, others: { ${fields} } }`,
    ],
  ])('%s', async (_, specification) => {
    const own = await serveBoth(specification, data);
    const first = await pageOf(own, '/v1/items');
    expect(idsOf(first.data)).toEqual([1, 2, 3]);
    const pages = await walk(
      own,
      await pageOf(own, '/v1/items?limit=2&sort=-n'),
      (cursor) => `/v1/items?limit=2&cursor=${cursor}`,
    );
    expect(pages).toEqual([[3, 2], [1]]);
    const { headers } = await own.get('/v1/items?limit=2');
    expect(headers.get('x-total-count')).toBeNull();
    expect(headers.get('link')).toMatch(/^<\/v1\/items\?limit=2&cursor=[\w-]+>; rel="next"$/u);
    for (const query of ['page=1', 'offset=0']) {
      const other = await own.get(`/v1/items?${query}`);
      expect(idsOf(other.body as { id: number }[])).toEqual([1, 2, 3]);
      expect(other.headers.get('x-total-count')).toBe('3');
    }
    const page = await own.get('/v1/others?limit=1');
    expect([page.body, page.headers.get('x-total-count')]).toEqual([[{ id: 1, n: 4 }], '2']);
    await own.stop();
  });
});

test('links are absolute where the public URL is known', async () => {
  const own = await serveBoth(
    `api: { basePath: /api, pagination: cursor }
server: { publicUrl: https://example.org/root }
resources: { items: { fields: { n: { type: integer } } } }`,
  );
  await own.send('POST', '/api/v1/items', [{ n: 1 }, { n: 2 }]);
  const { body, headers } = await own.get('/api/v1/items?limit=1&n_gte=0');
  expect(headers.get('link')).toBe(
    `<https://example.org/root/api/v1/items?limit=1&n_gte=0&cursor=${body.next_cursor}>; rel="next"`,
  );
  await own.stop();
});

describe('between two pages', () => {
  const specification = 'resources: { items: { fields: { n: { type: integer } } } }';
  const records = { items: [10, 20, null, 20, 30, null].map((n) => ({ n })) };

  test.each([
    ['sort=n', [3, 6, 1], [4, 7, 5]],
    ['sort=-n', [5, 4, 2], [1, 6]],
    ['sort=n&nulls=last', [1, 2, 4], [7, 5, 6]],
  ])('inserts and deletes move nothing: %s', async (sort, before, after) => {
    const own = await serveBoth(specification, records);
    const first = await pageOf(own, `/v1/items?${sort}&limit=3&cursor=`);
    expect(idsOf(first.data)).toEqual(before);
    // The last one that was seen goes; one that lies before in some orders and behind in others comes.
    await own.send('DELETE', `/v1/items/${before[2]}`);
    await own.send('DELETE', '/v1/items/2');
    await own.send('DELETE', '/v1/items/3');
    await own.send('POST', '/v1/items', { n: 25 });
    const rest = await pageOf(own, `/v1/items?limit=9&cursor=${first.next_cursor}`);
    expect(idsOf(rest.data)).toEqual(after);
    await own.stop();
  });
});
