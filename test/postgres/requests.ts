import type { Api } from '../../src/model/api.ts';
import type { TestApi } from '../support/api.ts';

/** One request of the tables below; a GET unless it says otherwise. */
export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const post = (resource: string, ...bodies: unknown[]): Request[] =>
  bodies.map((body) => ({ method: 'POST', path: `/v1/${resource}`, body }));

/** Texts that collations, patterns and JSON treat in a way of their own. */
export const texts = [
  'apple',
  'Apple',
  'äpfel',
  'Zebra',
  'zebra',
  'straße',
  'STRASSE',
  'ΣΊΣΥΦΟΣ',
  'σίσυφος',
  'K (kelvin K)',
  'ſ long s',
  'İstanbul',
  'ıi Iİ',
  'Ǆ ǅ ǆ',
  '𐐀 deseret 𐐨',
  '😀 astral',
  'ﬀ high',
  '\u{e000} private',
  'a b',
  ' a',
  'a-b',
  'a_b',
  'a%b',
  'a*b',
  'a?b',
  'a[b]c',
  'a{1,2}(x|y)',
  String.raw`back\slash \d \m`,
  `quote ' " end`,
  '^start$ .+',
  '***=literal',
  '(?i)flag',
  'tab\there',
  'line\nbreak',
  '',
];

const books = [
  {
    title: 'Full',
    isbn: '1',
    price: '19.90',
    exact: '123456789012.345678',
    weight: 0.1,
    pages: 9007199254740991,
    published: true,
    releasedOn: '2024-02-29',
    opensAt: '14:05:00',
    soldAt: '2026-03-01T14:05:00.120+02:00',
    code: 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
    site: 'https://example.com/ä?x=1',
    genre: 'novel',
    words: ['b', 'ä', 'with "quotes", {braces} \\'],
    scores: [3, null, 1],
    rates: [1e300, 5e-324, 0.1],
    amounts: ['1.50', '20.00'],
    flags: [true, false],
    things: [1, '1', true, 'true', null, { x: 1 }, [2]],
    size: { inner: { b: [2, 1], zeta: 'z' }, cost: '1.10', a: 2, width: 1e21 },
    free: { zz: 1, a: { '10': 1, '9': 2, bb: 3, c: 4 }, é: 'x', '7': null },
    extra: [{ b: 1, aa: 2, a: 3 }, 1.5, 'x', false, null, 1e-7],
    secret: 'hidden',
    fixed: 'first',
    authorId: 1,
  },
  { title: 'Empty', words: [], scores: [], size: {}, free: {}, extra: {}, things: [], authorId: 1 },
  { title: 'Null' },
  {
    title: 'Low',
    isbn: '',
    price: '-0.01',
    exact: '-0.000001',
    weight: -1.7976931348623157e308,
    pages: -9007199254740991,
    releasedOn: '0001-01-01',
    opensAt: '00:00:00',
    soldAt: '0001-01-01T00:00:00Z',
    code: '00000000-0000-0000-0000-000000000000',
    genre: 'poem',
    words: ['B', ''],
    scores: [2],
    rates: [-1],
    amounts: ['9.00'],
    flags: [false],
    things: ['19.9', 19.9, 'x'],
    extra: 'just text',
    authorId: 2,
  },
  {
    title: 'High',
    isbn: '2',
    price: '99999999.99',
    exact: '999999999999.999999',
    weight: 5e-324,
    pages: 0,
    published: true,
    releasedOn: '9999-12-31',
    opensAt: '23:59:59',
    soldAt: '9999-12-31T23:59:59.999Z',
    code: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    genre: 'essay',
    words: ['a'],
    scores: [10],
    amounts: ['10.00'],
    extra: 5,
    authorId: 2,
  },
];

/** What is there before the reads; each answer has to agree too. */
export const writes: readonly Request[] = [
  ...post(
    'authors',
    { name: 'Ann', email: 'ann@example.com' },
    { name: 'Bob', bio: 'Writes 😀' },
    { name: 'Cy' },
  ),
  ...post('books', ...books, {
    title: 'Soon',
    price: '5',
    exact: 7,
    weight: 100,
    soldAt: '1900-01-01T00:00:00.001Z',
  }),
  ...post(
    'tags',
    { id: 'root', label: 'Root' },
    { id: 'Äst', label: 'Branch', parentId: 'root' },
    { id: 'leaf "{,}\\', label: 'Leaf', parentId: 'Äst' },
    { label: 'Drawn' },
  ),
  ...post(
    'book-tags',
    { bookId: 1, tagId: 'root', position: 2 },
    { bookId: 1, tagId: 'Äst', position: 1 },
    { bookId: 2, tagId: 'leaf "{,}\\' },
  ),
  ...post(
    'remarks',
    ...[1, 2, 3, 4, 5].map((n) => ({
      text: `About book 1: ${n}`,
      remarkableType: 'books',
      remarkableId: 1,
    })),
    { text: 'About Ann', remarkableType: 'authors', remarkableId: 1 },
    { text: 'About nobody', remarkableType: 'authors', remarkableId: 77 },
  ),
  ...post('devices', { name: 'Lamp' }, { id: '0199AAAA-0000-7000-8000-00000000000A', name: 'Fan' }),
  ...post('places', { name: 'Hall' }),
  ...post(
    'notes',
    { text: 'on a place', notedType: 'places', notedId: '1' },
    {
      text: 'on a device',
      notedType: 'devices',
      notedId: '0199aaaa-0000-7000-8000-00000000000a',
    },
    { text: 'on nothing' },
  ),
  ...post('left', { name: 'l' }),
  ...post('right', { name: 'r', leftId: 1 }),
  { method: 'PATCH', path: '/v1/left/1', body: { rightId: 1 } },
  { method: 'POST', path: '/v1/authors', body: texts.map((text) => ({ name: `-${text}` })) },
];

const get = (...paths: string[]): Request[] => paths.map((path) => ({ path }));

const comparisons = ['', '_eq', '_neq', '_gt', '_gte', '_lt', '_lte'];
const withEach = (operators: readonly string[], field: string, ...values: string[]): Request[] =>
  operators.flatMap((operator) =>
    values.map((value) => ({
      path: `/v1/books?fields=title&${field}${operator}=${encodeURIComponent(value)}`,
    })),
  );

const nullable = (
  'title isbn price exact weight pages published releasedOn opensAt soldAt code site genre ' +
  'words scores rates amounts flags authorId'
).split(' ');

/** Reads of every operator, order and expansion. */
export const reads: readonly Request[] = [
  ...get('/v1/books', '/v1/authors?limit=100', '/v1/tags', '/v1/remarks', '/v1/notes'),
  ...get('/v1/books/1', '/v1/books/99', '/v1/books/x', '/v1/tags/root', '/v1/tags/%C3%84st'),
  ...get('/v1/devices/0199AAAA-0000-7000-8000-00000000000a', '/v1/devices/1'),
  ...withEach(comparisons, 'title', 'Full', 'Low', 'm', '', 'ÿ', '😀'),
  ...withEach(comparisons, 'price', '19.90', '19.9', '19.905', '-0.01', '0', '1'.repeat(60)),
  ...withEach(comparisons, 'exact', '123456789012.345678', '7', '-0.0000015'),
  ...withEach(comparisons, 'weight', '0.1', '100', '-1', `0.${'0'.repeat(323)}5`),
  ...withEach(comparisons, 'pages', '0', '9007199254740991', '-9007199254740991', '1.5'),
  ...withEach(comparisons, 'releasedOn', '2024-02-29', '0001-01-01', '2023-02-29'),
  ...withEach(comparisons, 'opensAt', '14:05:00', '23:59:59', '14:05'),
  ...withEach(comparisons, 'soldAt', '2026-03-01T12:05:00.120Z', '2026-03-01', '1900-01-01'),
  ...withEach(comparisons, 'code', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'x'),
  ...withEach(comparisons, 'id', '2', '0', '9007199254740991'),
  ...withEach(['', '_eq', '_neq'], 'published', 'true', 'false', 'yes'),
  ...withEach(['', '_eq', '_neq'], 'genre', 'novel', 'drama'),
  ...withEach(['_in', '_nin'], 'title', 'Full,Low', '"Full","a,b"', '""', '"\\"{},\\\\"'),
  ...withEach(['_in', '_nin'], 'price', '19.9,5', '19.905', '0'),
  ...withEach(['_in', '_nin'], 'pages', '0,1,2', '9007199254740991'),
  ...withEach(['_in', '_nin'], 'weight', '0.1,100'),
  ...withEach(['_in', '_nin'], 'published', 'true', 'true,false'),
  ...withEach(['_in', '_nin'], 'soldAt', '2026-03-01T12:05:00.12Z,1900-01-01T00:00:00.001Z'),
  ...withEach(['_in', '_nin'], 'releasedOn', '2024-02-29,9999-12-31'),
  ...withEach(['_in', '_nin'], 'opensAt', '00:00:00'),
  ...withEach(['_in', '_nin'], 'code', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'),
  ...withEach(['_in', '_nin'], 'id', '1,3'),
  ...['words', 'size', 'extra', 'price', 'isbn', 'free'].flatMap((field) =>
    withEach(['_null', '_exists'], field, 'true', 'false'),
  ),
  ...withEach(['_contains'], 'words', 'b', 'B', '', 'ä', 'with "quotes", {braces} \\'),
  ...withEach(['_containsAny', '_containsAll'], 'words', 'b,ä', 'b', 'a,""', 'x,b'),
  ...withEach(['_contains', '_containsAny', '_containsAll'], 'scores', '3', '3,1', '2,10', '0'),
  ...withEach(['_contains', '_containsAny', '_containsAll'], 'rates', '0.1', '-1,0.1'),
  ...withEach(['_contains', '_containsAny', '_containsAll'], 'amounts', '1.50', '1.5,20', '1'),
  ...withEach(['_contains', '_containsAny', '_containsAll'], 'flags', 'true', 'true,false'),
  ...withEach(['_contains', '_containsAny', '_containsAll'], 'things', '1', 'true', 'x,19.9'),
  ...withEach(['_contains', '_containsAny', '_containsAll'], 'things', 'null', '2', '1.0'),
  ...texts.flatMap((text) =>
    ['_like', '_ilike', '_gt'].map((operator) => ({
      path: `/v1/authors?limit=100&fields=id&name${operator}=${encodeURIComponent(text)}`,
    })),
  ),
  ...['ss', 'ß', 'k', 'S', 'ς', 'i', 'ı', 'İ', 'ǆ', '𐐨', 'FF', '\\', '%', '_', '*', '?', '[', ']']
    .concat(['^', '$', '.', '-', '(', ')', '{', '|', '+', 'E\u0301', 'A'.repeat(1_000)])
    .flatMap((text) =>
      ['_like', '_ilike'].map((operator) => ({
        path: `/v1/authors?limit=100&fields=id&name${operator}=${encodeURIComponent(text)}`,
      })),
    ),
  ...get('/v1/books?_or=price_gt:10,title:Null&fields=title', '/v1/books?price_gt=1&pages_lt=5'),
  ...get('/v1/books?id=1&id=3&fields=title', '/v1/books?extra=1', '/v1/books?price_gt=abc'),
  ...['', '-'].flatMap((direction) =>
    ['', '&nulls=first', '&nulls=last'].flatMap((nulls) =>
      nullable.map((field) => ({
        path: `/v1/books?fields=title&sort=${direction}${field}${nulls}`,
      })),
    ),
  ),
  ...get('/v1/authors?limit=100&fields=name&sort=name', '/v1/authors?limit=100&sort=-name'),
  ...get('/v1/books?sort=genre,-price&fields=title,price', '/v1/books?sort=-published,title,-id'),
  ...get('/v1/books?sort=things', '/v1/books?sort=size'),
  ...get('/v1/books?limit=2', '/v1/books?limit=2&page=2', '/v1/books?limit=4&offset=3'),
  ...get('/v1/books?page=9007199254740991', '/v1/books?limit=2&page=9', '/v1/books?limit=0'),
  { path: '/v1/books?limit=2', headers: { prefer: 'count=none' } },
  ...get('/v1/books?expand=author', '/v1/authors?expand=books&limit=3', '/v1/books?expand=tags'),
  ...get('/v1/books?expand=tags.parent', '/v1/tags?expand=children.children,parent'),
  ...get('/v1/books/1?expand=remarks', '/v1/authors/1?expand=remarks,books.remarks'),
  ...get('/v1/remarks?expand=remarkable', '/v1/notes?expand=noted', '/v1/places?expand=notes'),
  ...get('/v1/devices?expand=notes', '/v1/left?expand=nothing', '/v1/books?expand=author.books'),
  ...get('/v1/books/1?fields=size.inner,free', '/v1/books/1?exclude=size.cost,extra'),
];

/**
 * Changes and refusals, in this order; the state after them is read at the end. What is created comes first: an id
 * that was drawn for a refused record is gone on PostgreSQL.
 */
export const changes: readonly Request[] = [
  ...post('books', { title: 'Full', authorId: 1, soldAt: '2026-03-01T12:05:00.12Z' }),
  ...post('books', [
    { title: 'a', isbn: 'n2' },
    { title: 'b', isbn: 'n3' },
  ]),
  ...post('authors', { name: 'ann' }),
  ...post('books', { title: 'Twice', isbn: '1' }, { title: 'Twice', isbn: '1', authorId: 77 }),
  ...post('books', {}, { title: 1 }, { title: 'x', price: '1.001' }, { title: 'x', pages: 1.5 }),
  ...post('books', { title: 'x', soldAt: '2026-03-01' }, { title: 'Nul\0' }, { title: '\ud800' }),
  ...post('books', { title: 'Full', authorId: 1, soldAt: '2026-03-01T12:05:00.12Z' }),
  ...post('books', [
    { title: 'a', isbn: 'n1' },
    { title: 'b', isbn: 'n1' },
  ]),
  ...post('books', [
    { title: 'a', isbn: 'n1' },
    { title: 'b', authorId: 78 },
  ]),
  ...post('authors', { name: 'Ann' }, { name: 'ann' }, [{ name: 'New' }, { name: 'New' }]),
  ...post('tags', { id: 'root', label: 'again' }, { label: 'lost', parentId: 'nowhere' }),
  ...post('devices', { id: '0199aaaa-0000-7000-8000-00000000000a', name: 'again' }),
  ...post('book-tags', { bookId: 1, tagId: 'root' }, { bookId: 99, tagId: 'none' }),
  { method: 'PATCH', path: '/v1/books/1', body: { price: '20', size: { a: 1 } } },
  { method: 'PATCH', path: '/v1/books/1', body: { isbn: '2' } },
  { method: 'PATCH', path: '/v1/books/1', body: { fixed: 'second' } },
  { method: 'PATCH', path: '/v1/books/1', body: { fixed: 'first', title: 'Fuller' } },
  { method: 'PATCH', path: '/v1/books/4', body: { title: 'Fuller', authorId: 1, soldAt: null } },
  {
    method: 'PATCH',
    path: '/v1/books/5',
    body: { title: 'Fuller', authorId: 1, soldAt: '2026-03-01T12:05:00.12Z' },
  },
  { method: 'PATCH', path: '/v1/books/5', body: { authorId: 1 } },
  { method: 'PATCH', path: '/v1/books/99', body: { title: 'x' } },
  { method: 'PATCH', path: '/v1/books/1', body: { authorId: 99 } },
  { method: 'PATCH', path: '/v1/books/1', body: {} },
  { method: 'PUT', path: '/v1/books/2', body: { title: 'Put', published: true, words: ['x'] } },
  { method: 'PUT', path: '/v1/books/2', body: { price: '1' } },
  { method: 'PUT', path: '/v1/books/2?expand=author,tags', body: { title: 'Put', authorId: 2 } },
  { method: 'PATCH', path: '/v1/tags/root', body: { label: 'Ground' } },
  { method: 'DELETE', path: '/v1/authors/1' },
  { method: 'DELETE', path: '/v1/books/1' },
  { method: 'DELETE', path: '/v1/books/3' },
  { method: 'DELETE', path: '/v1/books/3' },
  { method: 'DELETE', path: '/v1/tags/root' },
  { method: 'DELETE', path: '/v1/places/1' },
  { method: 'DELETE', path: '/v1/devices/0199aaaa-0000-7000-8000-00000000000a' },
  { method: 'DELETE', path: '/v1/left/1' },
  ...post('places', { name: 'After' }),
  ...get('/v1/books', '/v1/authors?limit=5', '/v1/tags', '/v1/book-tags', '/v1/remarks'),
  ...get('/v1/notes', '/v1/places', '/v1/devices', '/v1/left', '/v1/right'),
];

/** What is answered to reads: all records of every resource, each alone and in lists, and the reads of the tables. */
export async function answersOf(api: TestApi, model: Api): Promise<readonly string[]> {
  const texts: string[] = [];
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
    const { status, text, headers: given } = await api.get(path, headers);
    texts.push(
      `${path} ${status} ${given.get('etag')} ${text.replace(/"requestId":"[^"]*"/u, '')}`,
    );
    return text;
  };
  for (const { name } of model.resources.values()) {
    const all = JSON.parse(await ask(`/v1/${name}?limit=100`)) as { id: string | number }[];
    for (const { id } of all) await ask(`/v1/${name}/${encodeURIComponent(id)}`);
    await ask(`/v1/${name}?limit=1000`, { accept: 'text/csv' });
  }
  for (const { path, headers } of reads) await ask(path, headers);
  return texts;
}
