import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { watchStatements, type Watched } from '../support/statements.ts';
import { library, shelfRecords } from './library.ts';

const limits = (text: string): string => `limits: { maxLimit: 10, ${text} }\n${library}`;

let api: TestApi;
let watched: Watched;
beforeAll(async () => {
  api = await serveBoth(limits('expandedItems: 3, responseItems: 20'), shelfRecords);
  watched = watchStatements(api);
});
afterAll(() => api.stop());

interface Cut {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
}
type Author = { id: number; books: { id: number }[]; _pagination?: Record<string, Cut> };

const page = (limit: number, total: number): Cut => ({
  page: 1,
  limit,
  total,
  totalPages: Math.ceil(total / limit),
});
const shown = (authors: readonly Author[]): unknown =>
  authors.map(({ books, _pagination }) => [books.map(({ id }) => id), _pagination]);

describe('nothing is cut in silence', () => {
  test('expandedItems a parent, the first by id; _pagination where some were left out', async () => {
    const { body } = await api.get('/v1/authors?expand=books&limit=4');
    expect(shown(body as Author[])).toEqual([
      [[1, 2, 4], { books: page(3, 5) }],
      [[3, 5, 8], undefined],
      [[], undefined],
      [[7], undefined],
    ]);
  });

  test('responseItems divided by the limit of the page, whatever it holds', async () => {
    const { body } = await api.get('/v1/authors?expand=books&limit=10');
    expect(shown(body as Author[])).toEqual([
      [[1, 2], { books: page(2, 5) }],
      [[3, 5], { books: page(2, 3) }],
      [[], undefined],
      [[7], undefined],
    ]);
  });

  test('a single read has one parent', async () => {
    const { body } = await api.get('/v1/authors/1?expand=books');
    expect(shown([body as Author])).toEqual([[[1, 2, 4], { books: page(3, 5) }]]);
  });

  test('belongsToMany with pivot, morphMany, both at once', async () => {
    const { body } = await api.get('/v1/books/1?expand=tags,notes&fields=title');
    expect(body).toEqual({
      id: 1,
      title: 'B1',
      tags: [1, 2, 3].map((id) => ({
        id,
        name: 'abcd'[id - 1],
        pivot: { position: 10 - id, label: null },
      })),
      notes: [0, 1, 3].map((index) => ({
        id: index + 1,
        text: `n${index}`,
        ownerType: 'books',
        ownerId: 1,
      })),
      _pagination: { tags: page(3, 4), notes: page(3, 4) },
    });
  });

  test('below another collection, divided by the caps above', async () => {
    // 10 authors of 2 books leave each book 20 / 20 = 1 tag.
    const { body } = await api.get('/v1/authors?expand=books.tags&fields=books.tags.id&limit=10');
    expect(body[0]).toEqual({
      id: 1,
      books: [
        {
          id: 1,
          tags: [{ id: 1, pivot: { position: 9, label: null } }],
          _pagination: { tags: page(1, 4) },
        },
        { id: 2, tags: [{ id: 3, pivot: { position: 1, label: null } }] },
      ],
      _pagination: { books: page(2, 5) },
    });
  });

  test('below a to-one, which divides by nothing', async () => {
    const { body } = await api.get('/v1/books/1?expand=author.books&fields=author.books.id');
    expect(body).toEqual({
      id: 1,
      author: {
        id: 1,
        books: [{ id: 1 }, { id: 2 }, { id: 4 }],
        _pagination: { books: page(3, 5) },
      },
    });
  });

  test('below a morphTo', async () => {
    const { body } = await api.get(
      '/v1/notes/1?expand=owner.tags&fields=owner.tags.id,owner.title',
    );
    expect(body.owner).toMatchObject({ id: 1, title: 'B1', _pagination: { tags: page(3, 4) } });
  });

  test('at least one item a parent', async () => {
    const own = await serveBoth(limits('expandedItems: 3, responseItems: 2'), shelfRecords);
    const { body } = await own.get('/v1/authors?expand=books&limit=10');
    expect(shown(body as Author[])).toEqual([
      [[1], { books: page(1, 5) }],
      [[3], { books: page(1, 3) }],
      [[], undefined],
      [[7], undefined],
    ]);
    await own.stop();
  });

  test.each([
    ['fields does not hide it', 'fields=name', true],
    ['nor does a wildcard of exclude', 'exclude=*', true],
    ['exclude of the relation drops it', 'exclude=books', false],
  ])('%s', async (_, query, isThere) => {
    const { body } = await api.get(`/v1/authors/1?expand=books&${query}`);
    expect('_pagination' in (body as object)).toBe(isThere);
  });
});

describe('the number of statements', () => {
  const requests = [
    ['/v1/books?expand=author', 2],
    ['/v1/books?expand=author,parent', 3],
    ['/v1/authors?expand=profile', 2],
    ['/v1/authors?expand=books.tags', 3],
    ['/v1/books?expand=author.books.tags,notes', 5],
    ['/v1/notes?expand=owner', 3],
    ['/v1/tags?expand=books.author.profile', 4],
    ['/v1/books?tags.name=x&author.name=a&sort=author.name,-tags.name', 1],
    ['/v1/books?_or=tags.name:x,author.name:a,notes_exists:true', 1],
    ['/v1/authors?expand=books.tags&books.tags.name=x&sort=books.tags.name', 3],
    ['/v1/authors?expand=books&books.limit=2', 3],
    ['/v1/authors?expand=books.tags&books.limit=2&books.tags.page=1', 5],
    ['/v1/books?expand=author,tags&sort=-title&cursor=', 3],
  ] as const;

  test.each(requests)('%s: %i, however many records there are', async (path, most) => {
    const own = await serveApi(library);
    const counts: number[] = [];
    const statements = watchStatements(own);
    for (let copies = 0; copies < 4; copies += 1) {
      const authors = await own.send('POST', '/v1/authors', [{ name: 'a' }, { name: 'b' }]);
      for (const { id } of authors.body as { id: number }[]) {
        await own.send('POST', '/v1/profiles', { authorId: id });
        const books = await own.send(
          'POST',
          '/v1/books',
          [1, 2, 3].map(() => ({ title: 't', authorId: id, parentId: null })),
        );
        const [{ id: bookId }] = books.body as [{ id: number }];
        await own.send('POST', '/v1/books', { title: 'child', parentId: bookId });
        const tags = await own.send('POST', '/v1/tags', [{ name: 'x' }, { name: 'y' }]);
        for (const tag of tags.body as { id: number }[])
          await own.send('POST', '/v1/book-tags', { bookId, tagId: tag.id });
        await own.send('POST', '/v1/notes', [
          { ownerType: 'books', ownerId: bookId },
          { ownerType: 'authors', ownerId: id },
        ]);
      }
      const ran = await statements.during(() => own.get(`${path}&limit=40`));
      counts.push(ran.length);
    }
    expect(counts).toEqual([most, most, most, most]);
    await own.stop();
  });

  test('when every collection is cut: two more each', async () => {
    const ran = await watched.during(() => api.get('/v1/authors?expand=books.tags&limit=10'));
    expect(ran.length).toBe(1 + 3 + 3);
  });

  test('nothing is read below nothing', async () => {
    const none = await watched.during(() => api.get('/v1/authors/3?expand=books.tags.books'));
    expect(none.length).toBe(2);
    const empty = await watched.during(() => api.get('/v1/authors?expand=books&name=none'));
    expect(empty.length).toBe(1);
  });

  test.each([
    ['a page that is not full tells the total', '/v1/authors?limit=10', {}, 1],
    ['a full one does not', '/v1/authors?limit=4', {}, 2],
    ['nor does one past the end', '/v1/authors?limit=4&page=3', {}, 2],
    ['unless nobody asks', '/v1/authors?limit=4', { prefer: 'count=none' }, 1],
    ['a single read', '/v1/authors/1', {}, 1],
    ['a query that is refused', '/v1/authors?nme=x', {}, 0],
    ['a value that is refused', '/v1/authors?id=x', {}, 0],
  ] as const)('%s', async (_, path, headers, most) => {
    const ran = await watched.during(() => api.get(path, headers));
    expect(ran.length).toBe(most);
  });
});

describe('only the columns that are needed are read', () => {
  test.each([
    ['all fields', '/v1/authors', [['id', 'name', 'born']]],
    ['fields', '/v1/books?fields=title', [['id', 'title']]],
    ['exclude', '/v1/authors?exclude=born', [['id', 'name']]],
    ['a path into an object', '/v1/books?fields=specs.weight', [['id', 'specs']]],
    ['a wildcard', '/v1/books?fields=*_total', [['id', 'sold_total', 'returned_total']]],
    [
      'what a filter needs is not selected, but the key of a sort, for the next cursor',
      '/v1/books?fields=title&authorId=1&sort=price',
      [['id', 'title', 'price']],
    ],
    [
      'the key of an expansion',
      '/v1/books/1?fields=title,author.name&expand=author',
      [
        ['id', 'title', 'authorId'],
        ['id', 'name'],
      ],
    ],
    [
      'the key of a collection',
      '/v1/authors/2?fields=books.title&expand=books',
      [['id'], ['authorId', 'id', 'title']],
    ],
    [
      'pivot fields',
      '/v1/books/2?fields=tags.name&expand=tags',
      [['id'], ['bookId', 'id', 'name', 'position', 'label']],
    ],
    ['no pivot', '/v1/books/2?exclude=*,tags.*,tags.pivot&expand=tags', [['id'], ['bookId', 'id']]],
    [
      'both fields of a morphTo',
      '/v1/notes/1?fields=owner.name&expand=owner',
      [['id', 'ownerId', 'ownerType'], ['id']],
    ],
  ] as const)('%s: %s', async (_, path, expected) => {
    const ran = await watched.during(() => api.get(path));
    const columns = ran.map((sql) => {
      const [, list = ''] = /^SELECT (.*?) FROM /u.exec(sql) ?? [];
      return [...list.matchAll(/"(\w+)"/gu)].map(([, name]) => name);
    });
    expect(columns.filter((names) => names.length > 0)).toEqual(expected);
  });
});
