import { withLifecycleCallbacks, type RaRecord } from 'ra-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDataProvider } from '../../packages/ra-data-provider/src/index.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { watchedFetch, type Sent } from './requests.ts';
import { shelf, shelfRecords } from './shelf.ts';

interface Genre {
  readonly id: number;
  readonly name?: string;
  readonly pivot?: { readonly main: boolean | null };
}
type Book = RaRecord & { readonly genres: readonly Genre[] };

let api: TestApi;
let sent: Sent[];
beforeAll(async () => {
  api = await serveApi(shelf, shelfRecords);
});
afterAll(() => api.stop());

const meta = { expand: ['genres', 'author'] };
const provider = () => createDataProvider({ baseUrl: `${api.url}/v1`, fetch: watchedFetch(sent) });
const linksOf = async (): Promise<unknown> => {
  const { body } = await api.get('/v1/books/1?expand=genres&fields=genres');
  return (body as Book).genres.map(({ id, pivot }) => [id, pivot?.main]);
};

beforeEach(async () => {
  sent = [];
  const genres = [
    { id: 1, pivot: { main: true } },
    { id: 2, pivot: { main: null } },
  ];
  await api.send('PATCH', '/v1/books/1', { genres, authorId: 1 });
});

const [novel, crime, poem] = [
  { id: 1, name: 'novel', pivot: { main: true } },
  { id: 2, name: 'crime', pivot: { main: null } },
  { id: 3, name: 'poem' },
] as const;

test.each<readonly [string, (book: Book) => object, object | undefined, unknown]>([
  [
    'one more',
    ({ genres }) => ({ genres: [...genres, poem] }),
    { genres: { add: [3], remove: [] } },
    [
      [1, true],
      [2, null],
      [3, null],
    ],
  ],
  ['one less', () => ({ genres: [crime] }), { genres: { add: [], remove: [1] } }, [[2, null]]],
  ['none', () => ({ genres: [] }), { genres: { add: [], remove: [1, 2] } }, []],
  [
    'other pivot',
    () => ({ genres: [{ ...novel, pivot: { main: false } }, crime] }),
    { genres: { add: [{ id: 1, pivot: { main: false } }], remove: [] } },
    [
      [1, false],
      [2, null],
    ],
  ],
  [
    'ids',
    () => ({ genres: [1, 3] }),
    { genres: { add: [1, 3], remove: [2] } },
    [
      [1, true],
      [3, null],
    ],
  ],
  [
    'the same',
    ({ genres }) => ({ genres: structuredClone(genres) }),
    undefined,
    [
      [1, true],
      [2, null],
    ],
  ],
  [
    'a change in part',
    () => ({ genres: { add: [3] } }),
    { genres: { add: [3] } },
    [
      [1, true],
      [2, null],
      [3, null],
    ],
  ],
  [
    'an expanded record, which cannot be written',
    () => ({ author: { id: 2 }, pages: 8 }),
    { pages: 8 },
    [
      [1, true],
      [2, null],
    ],
  ],
])('%s', async (_, change, body, links) => {
  const { data: previousData } = await provider().getOne<Book>('books', { id: 1, meta });
  const data = { ...previousData, ...change(previousData) };
  const { data: changed } = await provider().update('books', { id: 1, data, previousData, meta });
  expect(sent.find(({ method }) => method === 'PATCH')?.body).toEqual(body);
  expect(await linksOf()).toEqual(links);
  expect(changed).toMatchObject({ id: 1, author: { id: 1 } });
});

test('a form that goes by ids writes what has come and gone', async () => {
  const withIds = async (book: RaRecord): Promise<RaRecord> => ({
    ...book,
    genres: (book as Book).genres?.map((genre) => genre.id ?? genre),
  });
  const ofForms = withLifecycleCallbacks(provider(), [
    { resource: 'books', afterRead: withIds, afterSave: withIds },
  ]);
  const { data: previousData } = await ofForms.getOne<RaRecord>('books', { id: 1, meta });
  expect(previousData['genres']).toEqual([1, 2]);
  const data = { ...previousData, genres: [1, 3] };
  const { data: saved } = await ofForms.update('books', { id: 1, data, previousData, meta });
  expect(saved).toMatchObject({ id: 1, genres: [1, 3] });
  expect(sent.at(-1)?.body).toEqual({ genres: { add: [3], remove: [2] } });
  expect(await linksOf()).toEqual([
    [1, true],
    [3, null],
  ]);
  // Read without them, it has none to write.
  const plain = await ofForms.getOne<RaRecord>('books', { id: 1 });
  const renamed = { ...plain.data, pages: 9 };
  await ofForms.update('books', { id: 1, data: renamed, previousData: plain.data });
  expect(sent.at(-1)?.body).toEqual({ pages: 9 });
});

test('where nothing is known of before, all links are written', async () => {
  await provider().updateMany('books', { ids: [1], data: { genres: [poem, crime] }, meta });
  expect(await linksOf()).toEqual([
    [2, null],
    [3, null],
  ]);
});

test('what was read in part is not written as all', async () => {
  const part = { expand: ['genres'], query: { 'genres.limit': 1 } };
  const { data } = await provider().getOne<Book>('books', { id: 1, meta: part });
  expect(data.genres.length).toBe(1);
  const written = provider().updateMany('books', { ids: [1], data, meta: part });
  await expect(written).rejects.toThrow('Only a part of genres was read');
  const changed = { id: 1, data: { ...data, genres: [...data.genres, poem] }, previousData: data };
  await provider().update('books', { ...changed, meta: part });
  expect(await linksOf()).toEqual([
    [1, true],
    [2, null],
    [3, null],
  ]);
});

test('a copy of a record is created with its links', async () => {
  const { data } = await provider().getOne<Book>('books', { id: 1, meta });
  const { data: copy } = await provider().create('books', {
    data: { ...data, id: undefined },
    meta,
  });
  expect(copy).toEqual({ ...data, id: 6 });
});

test('new records are created with the record that nests them', async () => {
  const { data } = await provider().create('books', {
    data: {
      title: 'Nested',
      author: { name: 'Nell' },
      genres: [{ name: 'saga', pivot: { main: true } }, 3],
    },
    meta,
  });
  expect(sent.at(-1)?.body).toEqual({
    title: 'Nested',
    author: { create: { name: 'Nell' } },
    genres: { create: [{ name: 'saga', pivot: { main: true } }], add: [3] },
  });
  expect(data).toMatchObject({ author: { name: 'Nell' } });
  expect(data.genres.map(({ name, pivot }: Genre) => [name, pivot?.main]).toSorted()).toEqual([
    ['poem', null],
    ['saga', true],
  ]);
});

test('records without an id among those that were read are created, the others stay', async () => {
  const { data: previousData } = await provider().getOne<Book>('books', { id: 1, meta });
  const data = { ...previousData, genres: [...previousData.genres, { name: 'essay' }] };
  await provider().update('books', { id: 1, data, previousData, meta });
  expect(sent.find(({ method }) => method === 'PATCH')?.body).toEqual({
    genres: { create: [{ name: 'essay' }], add: [], remove: [] },
  });
  expect(((await linksOf()) as unknown[]).length).toBe(3);
});

test('what says itself how records are written is sent as it is', async () => {
  const authors = { expand: ['books'] };
  const { data } = await provider().create('authors', {
    data: { name: 'Olga', books: { create: [{ title: 'One' }, { title: 'Two' }] } },
    meta: authors,
  });
  expect(data.books.map(({ title }: { title: string }) => title)).toEqual(['One', 'Two']);
  const [{ id }] = data.books as [{ id: number }];
  const change = { books: { update: [{ id, title: 'First' }], remove: [] } };
  const updated = await provider().updateMany('authors', {
    ids: [data.id],
    data: change,
    meta: authors,
  });
  expect(updated.data).toEqual([data.id]);
  expect((await api.get(`/v1/books/${id}`)).body).toMatchObject({ title: 'First' });
});
