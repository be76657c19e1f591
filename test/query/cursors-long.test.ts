import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCursor, type Cursor } from '../../src/query/read/cursor.ts';
import { digestOf, textAfterPrefix } from '../../src/query/read/cursor-values.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { cursorOf, get, idsOf, pageOf, type CursorPage } from './cursors.ts';

const specification = `
limits: { sorts: 20 }
resources:
  leaves:
    fields:
      body: { type: text }
      other: { type: string }
      link: { type: url }
      words: { type: array, items: { type: string } }
      part: { type: object, properties: { text: { type: string }, n: { type: integer } } }
      stemId: { type: integer, nullable: true }
      stem: { type: relation, relation: belongsTo, resource: stems, foreignKey: stemId }
      n: { type: integer }
  stems:
    fields:
      name: { type: string }
      leaves: { type: relation, relation: hasMany, resource: leaves, foreignKey: stemId }
`;

const alike = 'é"\\\n😀'.repeat(1_500);

/** Texts of up to 17,000 characters: some begin alike for long, some are short, some null, some the same. */
const bodies = [
  `${alike}c`,
  null,
  `${alike}a`,
  'short',
  `${alike}b`,
  '',
  `${alike}b`,
  `z${alike}`,
  alike,
  null,
  `${alike}${alike}`,
];

function leaf(body: string | null, index: number): object {
  return {
    body,
    other: body === null ? 'x'.repeat(9_000) : body.slice(-9_000),
    link: body === null ? null : `https://example.org/${'p'.repeat(7_000)}/${index % 3}`,
    words: body === null ? [] : [body, 'b'],
    part: { text: body, n: index },
    stemId: (index % 4) + 1,
    n: index % 2,
  };
}

const records = {
  stems: [1, 2, 3, 4].map((at) => ({ name: at === 3 ? null : `${alike}${at % 2}` })),
  leaves: bodies.map(leaf),
};

let api: Both;
beforeAll(async () => {
  api = await serveBoth(specification, records);
});
afterAll(() => api.stop());

const leaves = '/v1/leaves';
const length = 2_048;

async function pagesOf(from: Both, path: string): Promise<number[][]> {
  const pages: number[][] = [];
  let cursor: string | null = '';
  while (cursor !== null && pages.length < 30) {
    const { body, headers } = await get(from, `${path}&cursor=${cursor}`);
    const page = body as CursorPage;
    pages.push(idsOf(page.data));
    cursor = page.next_cursor;
    expect(headers.get('x-next-cursor')).toBe(cursor);
    expect(headers.get('link') === null).toBe(cursor === null);
    expect(cursor?.length ?? 0).toBeLessThan(length);
  }
  return pages;
}

describe('pages over texts that no URL has room for', () => {
  const keys = ['body', 'other', 'link', 'words', 'part.text', 'stem.name', 'stem.leaves.body'];
  const sorts = [...keys, 'n,body', 'body,-other', 'stem.name,-body,link', keys.join(',')];
  const cases = sorts.flatMap((sort) =>
    [sort, `-${sort}`].flatMap((own) => ['', '&nulls=first', '&nulls=last'].map((n) => own + n)),
  );
  test.each(cases)('sort=%s', async (sort) => {
    const path = `${leaves}?fields=id&sort=${sort}`;
    const all = idsOf((await get(api, path)).body as { id: number }[]);
    expect(all).toHaveLength(bodies.length);
    for (const limit of [1, 4])
      expect((await pagesOf(api, `${path}&limit=${limit}`)).flat()).toEqual(all);
  });

  test('of pages without a cursor', async () => {
    const path = `${leaves}?fields=id&sort=-body&limit=3`;
    const { body, headers } = await get(api, `${path}&page=2`);
    const rest = await pageOf(api, `${leaves}?fields=id&cursor=${headers.get('x-next-cursor')}`);
    const all = idsOf((await get(api, `${leaves}?fields=id&sort=-body`)).body as { id: number }[]);
    expect([...idsOf(body as { id: number }[]), ...idsOf(rest.data)]).toEqual(all.slice(3));
  });

  test('what fits is carried whole: no record has to be there', async () => {
    const own = await serveBoth(specification, { leaves: [500, 700, 600].map(ofLength) });
    const first = await cursorOf(own, `${leaves}?sort=body&limit=1&cursor=`);
    for (const id of [1, 2]) await own.send('DELETE', `${leaves}/${id}`);
    expect(idsOf((await pageOf(own, `${leaves}?cursor=${first}`)).data)).toEqual([3]);
    await own.stop();
  });
});

function ofLength(count: number): object {
  return { body: 'x'.repeat(count) };
}

describe('between two pages', () => {
  const own = { leaves: ['a', 'b', 'c', 'd', 'e', 'f'].map((end) => ({ body: `${alike}${end}` })) };
  const at = (sort: string): string => `${leaves}?fields=id&sort=${sort}&limit=3&cursor=`;
  type Change = (api: Both) => Promise<unknown>;
  const remove =
    (...ids: number[]): Change =>
    async (served) => {
      for (const id of ids) await served.send('DELETE', `${leaves}/${id}`);
    };
  const rewrite =
    (body: string | null, ...ids: number[]): Change =>
    async (served) => {
      for (const id of ids) await served.send('PATCH', `${leaves}/${id}`, { body });
    };
  const create: Change = (served) =>
    served.send('POST', leaves, [{ body: `${alike}aa` }, { body: `${alike}da` }]);

  test.each<readonly [string, string, Change, readonly number[]]>([
    ['the last is deleted', 'body', remove(3), [4, 5, 6]],
    ['the last is deleted, descending', '-body', remove(4), [3, 2, 1]],
    ['the last two are deleted', 'body', remove(2, 3), [4, 5, 6]],
    ['what follows is deleted too', 'body', remove(3, 4), [5, 6]],
    ['the last goes elsewhere', 'body', rewrite('ü', 3), [4, 5, 6, 3]],
    ['the last loses its value', 'body', rewrite(null, 3), [4, 5, 6]],
    [
      'another field is written',
      'body',
      (api) => api.send('PATCH', `${leaves}/3`, { n: 7 }),
      [4, 5, 6],
    ],
    ['others come', 'body', create, [4, 8, 5, 6]],
    // Nothing is missed; what begins as they do comes again.
    ['all of the page are deleted', 'body', remove(1, 2, 3), [4, 5, 6]],
    ['all of the page are deleted, descending', '-body', remove(4, 5, 6), [3, 2, 1]],
    ['all of the page change', 'body', rewrite(`${alike}bb`, 1, 2, 3), [1, 2, 3, 4, 5, 6]],
    ['all of the page go', 'body', rewrite('0', 1, 2, 3), [4, 5, 6]],
  ])('%s', async (_, sort, change, after) => {
    const served = await serveBoth(specification, own);
    const cursor = await cursorOf(served, at(sort));
    await change(served);
    const rest = await pageOf(served, `${leaves}?fields=id&cursor=${cursor}`);
    expect(idsOf(rest.data)).toEqual(after);
    await served.stop();
  });
});

test('a record of the page without a value is none to go on behind', async () => {
  const texts = [null, `${alike}a`, `${alike}b`, `${alike}c`];
  const served = await serveBoth(specification, { leaves: texts.map((body) => ({ body })) });
  const cursor = await cursorOf(served, `${leaves}?fields=id&sort=body&limit=3&cursor=`);
  for (const id of [2, 3]) await served.send('DELETE', `${leaves}/${id}`);
  const rest = await pageOf(served, `${leaves}?fields=id&cursor=${cursor}`);
  expect(idsOf(rest.data)).toEqual([4]);
  await served.stop();
});

describe('made by hand', () => {
  const digest = 'A'.repeat(22);
  const forged = (more: Partial<Cursor>): string =>
    encodeCursor({
      version: 1,
      resource: 'leaves',
      sort: 'body',
      nulls: '',
      values: ['é', 1],
      long: { cut: [0], ends: [{ id: 1, digest }] },
      ...more,
    });
  const long = (cut: unknown, ...ends: unknown[]): Partial<Cursor> => ({
    long: { cut, ends } as NonNullable<Cursor['long']>,
  });

  test('one that names nothing with such values goes on from the beginnings', async () => {
    const { status, body } = await api.get(`${leaves}?fields=id&limit=1&cursor=${forged({})}`);
    expect([status, body.data]).toEqual([200, [{ id: 9 }]]);
  });

  test('one that names a record without a value goes on from the beginnings, too', async () => {
    const ends = [{ id: 2, digest: digestOf([null, 2]) }];
    const cursor = forged({ long: { cut: [0], ends } });
    const { status, body } = await api.get(`${leaves}?fields=id&limit=1&cursor=${cursor}`);
    expect([status, body.data]).toEqual([200, [{ id: 9 }]]);
  });

  test.each<readonly [string, Partial<Cursor>]>([
    ['no list of keys', long(1, { id: 1, digest })],
    ['no key', long([], { id: 1, digest })],
    ['a key that is not there', long([2], { id: 1, digest })],
    ['a fraction of a key', long([0.5], { id: 1, digest })],
    ['the id cut', long([1], { id: 1, digest })],
    ['no record', long([0])],
    ['too many records', long([0], ...[1, 2, 3, 4, 5].map((id) => ({ id, digest })))],
    ['a record without a digest', long([0], { id: 1, digest: null })],
    ['a record without an id', long([0], { id: null, digest })],
    ['an id of another type', long([0], { id: '1', digest })],
    ['an id beyond 2^53', long([0], { id: 2 ** 60, digest })],
    ['a number as a beginning', { values: [1, 1] }],
    ['null as a beginning', { values: [null, 1], ...long([0], { id: 1, digest }), nulls: 'x' }],
    ['NUL in a beginning', { values: ['\0', 1] }],
    ['the beginning of a number', { sort: 'n', values: [1, 1] }],
    ['no text is behind it', { sort: '-body', values: ['\u{10ffff}', 1] }],
  ])('%s', async (_, more) => {
    const { status, body } = await api.get(`${leaves}?cursor=${forged(more)}`);
    expect([status, body.code]).toEqual([400, 'INVALID_CURSOR']);
    expect(api.failures).toEqual([]);
  });
});

test.each([
  ['a', 'b'],
  ['a\u{10ffff}\u{10ffff}', 'b'],
  ['\ud7ff', '\ue000'],
  ['x\uffff', 'x\u{10000}'],
  ['\u{10ffff}', undefined],
  ['', undefined],
])('the text behind all that begin with %j', (beginning, behind) => {
  expect(textAfterPrefix(beginning)).toBe(behind);
});

test('what a caller may not see decides nothing, though a cursor names it', async () => {
  const own = await serveBoth(
    `${withTokens}
resources:
  leaves:
    access: { read: [{ role: public, where: "n=1" }, all], create: public, update: public }
    fields: { body: { type: text }, n: { type: integer } }
`,
    {
      leaves: [
        ['a', 1],
        ['b', 0],
        ['c', 1],
      ].map(([end, n]) => ({ body: `${alike}${end}`, n })),
    },
  );
  const sees = caller({ sub: 'a', roles: ['all'] });
  const path = `${leaves}?fields=id&sort=body`;
  const ids = async (query: string, headers?: Record<string, string>): Promise<number[]> =>
    idsOf((await own.get(`${path}&${query}`, headers)).body.data as { id: number }[]);
  const { body: all } = await own.get(`${path}&limit=2&cursor=`, sees);
  await own.send('POST', leaves, { body: `${alike}ab`, n: 1 });
  expect(await ids(`cursor=${all.next_cursor}`, sees)).toEqual([3]);
  // The second of the two is not there for this caller: it goes on behind the first one.
  expect(await ids(`cursor=${all.next_cursor}`)).toEqual([4, 3]);
  const { body: hidden } = await own.get(`${path}&limit=1&cursor=`, sees);
  expect((await own.send('PATCH', `${leaves}/1`, { n: 0 }, {})).status).toBe(204);
  expect(await ids(`cursor=${hidden.next_cursor}`)).toEqual([4, 3]);
  expect(await ids(`cursor=${hidden.next_cursor}`, sees)).toEqual([4, 2, 3]);
  await own.stop();
});
