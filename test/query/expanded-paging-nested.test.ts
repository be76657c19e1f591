import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectTrees } from '../support/tables.ts';
import { library, shelfRecords } from './library.ts';
import { world, worldRecords } from './world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(`limits: { expandedItems: 3 }\n${library}`, shelfRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const [authors, books] = ['/v1/authors', '/v1/books'];

describe('collections in collections', () => {
  expectTrees(source, authors, [
    [
      'each level its own',
      'expand=books.tags&books.limit=2&books.tags.limit=1&books.tags.page=2&id=1',
      'books.tags',
      [
        [
          1,
          [
            [1, [2]],
            [2, []],
          ],
        ],
      ],
    ],
    [
      'only the lower',
      'expand=books.tags&books.tags.limit=2&books.title_lt=B2&id=1',
      'books.tags',
      [[1, [[1, [1, 2]]]]],
    ],
    [
      'only the upper',
      'expand=books.tags&books.limit=1&id=1',
      'books.tags',
      [[1, [[1, [1, 2, 3]]]]],
    ],
    [
      'the lower sorted by its own sort',
      'expand=books.tags&books.tags.sort=-name&books.tags.limit=2&id=1&books.limit=1',
      'books.tags',
      [[1, [[1, [4, 3]]]]],
    ],
  ]);
  expectTrees(source, books, [
    [
      'below a to-one',
      'expand=author.books&author.books.limit=2&author.books.page=2&id=4',
      'author.books',
      [[4, [[1, [4, 6]]]]],
    ],
  ]);
  expectTrees(source, '/v1/notes', [
    [
      'below a morphTo',
      'expand=owner.tags&owner.tags.limit=1&owner.tags.page=2&id_lte=3',
      'owner.tags',
      [
        [1, [[1, [2]]]],
        [2, [[1, [2]]]],
        [3, [[2, []]]],
      ],
    ],
    [
      'below a morphTo, sorted in each resource that it leads to',
      'expand=owner.notes&sort=-owner.notes.text&id=1',
      'owner.notes',
      [[1, [[1, [5, 4, 2]]]]],
    ],
  ]);

  test('each parent has the numbers of its own', async () => {
    const { body } = await api.get(
      `${authors}/1?expand=books.tags&books.limit=2&books.tags.limit=3&fields=books.tags.id`,
    );
    expect(body).toEqual({
      id: 1,
      books: [
        {
          id: 1,
          tags: [1, 2, 3].map((id) => ({ id, pivot: { position: 10 - id, label: null } })),
          _pagination: { tags: { page: 1, limit: 3, total: 4, totalPages: 2 } },
        },
        {
          id: 2,
          tags: [{ id: 3, pivot: { position: 1, label: null } }],
          _pagination: { tags: { page: 1, limit: 3, total: 1, totalPages: 1 } },
        },
      ],
      _pagination: { books: { page: 1, limit: 2, total: 5, totalPages: 3 } },
    });
  });
});

test('what is not selected sorts and pages all the same', async () => {
  const shown = async (path: string): Promise<unknown> => (await api.get(path)).body;
  expect(
    await shown(`${authors}/1?expand=books&books.sort=-title&books.limit=1&fields=books.price`),
  ).toEqual({
    id: 1,
    books: [{ id: 9, price: null }],
    _pagination: { books: { page: 1, limit: 1, total: 5, totalPages: 5 } },
  });
  expect(
    await shown(
      `${books}/1?expand=tags&tags.sort=pivot.position&tags.limit=1&exclude=*,tags.*,tags.pivot`,
    ),
  ).toEqual({
    id: 1,
    tags: [{ id: 4 }],
    _pagination: { tags: { page: 1, limit: 1, total: 4, totalPages: 4 } },
  });
  expect(
    await shown(
      `${authors}?expand=books&sort=-name,-books.title&limit=1&fields=books.id&books.limit=1`,
    ),
  ).toMatchObject([{ id: 4, books: [{ id: 7 }] }]);
});

test('where it is not expanded, limit is a field of that name', async () => {
  const own = await serveBoth(world, worldRecords);
  const found = async (query: string): Promise<unknown> =>
    ((await own.get(`/v1/posts?${query}`)).body as { id: number }[]).map(({ id }) => id);
  expect(await found('comments.limit=2')).toEqual([1]);
  expect(await found('expand=tags&comments.limit=2')).toEqual([1]);
  const { body } = await own.get('/v1/posts/1?expand=comments&comments.limit=1');
  expect(body).toMatchObject({
    comments: [{ id: 1 }],
    _pagination: { comments: { page: 1, limit: 1, total: 2, totalPages: 2 } },
  });
  const filtered = await own.get('/v1/posts/1?expand=comments&comments.limit_eq=2');
  expect(filtered.body).toMatchObject({ comments: [{ id: 2 }] });
  await own.stop();
});
