import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { library, shelfRecords } from './library.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(`limits: { expandedItems: 3, defaultLimit: 4 }\n${library}`, shelfRecords);
});
afterAll(() => api.stop());

const [authors, books] = ['/v1/authors', '/v1/books'];

type Numbers = readonly [page: number, limit: number, total: number, totalPages: number];
type Parent = Readonly<Record<string, readonly { readonly id: number }[]>> & {
  readonly _pagination?: Readonly<Record<string, object>>;
};

/** The ids of each parent's collection, with what `_pagination` says of it. */
async function pagesOf(path: string, name: string): Promise<unknown> {
  const { status, body, text } = await api.get(path);
  expect(status, text).toBe(200);
  return [body as Parent | Parent[]]
    .flat()
    .map((parent) => [
      parent[name]?.map(({ id }) => id),
      Object.values(parent._pagination?.[name] ?? {}),
    ]);
}

/** One test a row: the items of each parent's page, and its numbers. */
function expectPages(
  path: string,
  name: string,
  rows: readonly (readonly [
    name: string,
    query: string,
    parents: readonly (readonly [ids: readonly number[], numbers: Numbers | readonly []])[],
  ])[],
): void {
  test.each(rows.map(([title, query, parents]) => ({ title, query, parents })))(
    '$title: $query',
    async ({ query, parents }) => {
      expect(await pagesOf(`${path}?expand=${name}&${query}`, name)).toEqual(parents);
    },
  );
}

describe('a page of each parent, with its numbers whether it is cut or not', () => {
  expectPages(authors, 'books', [
    [
      'limit',
      'books.limit=2',
      [
        [
          [1, 2],
          [1, 2, 5, 3],
        ],
        [
          [3, 5],
          [1, 2, 3, 2],
        ],
        [[], [1, 2, 0, 0]],
        [[7], [1, 2, 1, 1]],
      ],
    ],
    [
      'a page',
      'books.page=2&books.limit=2',
      [
        [
          [4, 6],
          [2, 2, 5, 3],
        ],
        [[8], [2, 2, 3, 2]],
        [[], [2, 2, 0, 0]],
        [[], [2, 2, 1, 1]],
      ],
    ],
    ['a page that only some have', 'books.page=3&books.limit=2&id=1', [[[9], [3, 2, 5, 3]]]],
    ['a page past the end', 'books.page=9&books.limit=2&id=1', [[[], [9, 2, 5, 3]]]],
    [
      'the farthest page',
      'books.page=9007199254740991&books.limit=1000&id=1',
      [[[], [9007199254740991, 1000, 5, 1]]],
    ],
    [
      'offset',
      'books.offset=1&books.limit=2',
      [
        [
          [2, 4],
          [1, 2, 5, 3],
        ],
        [
          [5, 8],
          [1, 2, 3, 2],
        ],
        [[], [1, 2, 0, 0]],
        [[], [1, 2, 1, 1]],
      ],
    ],
    [
      'offset: floor(offset / limit) + 1',
      'books.offset=3&books.limit=2&id=1',
      [
        [
          [6, 9],
          [2, 2, 5, 3],
        ],
      ],
    ],
    [
      'offset 0',
      'books.offset=0&books.limit=5&id=1',
      [
        [
          [1, 2, 4, 6, 9],
          [1, 5, 5, 1],
        ],
      ],
    ],
    [
      'a limit above the cap of what is not written',
      'books.limit=5&id=1',
      [
        [
          [1, 2, 4, 6, 9],
          [1, 5, 5, 1],
        ],
      ],
    ],
    [
      'the largest limit',
      'books.limit=1000&id=2',
      [
        [
          [3, 5, 8],
          [1, 1000, 3, 1],
        ],
      ],
    ],
    ['a page of the default limit', 'books.page=2&id=1', [[[9], [2, 4, 5, 2]]]],
    ['with a filter on the items', 'books.limit=1&books.title_gt=B4&id=1', [[[6], [1, 1, 2, 2]]]],
    ['with a filter that leaves none', 'books.limit=1&books.title=none&id=1', [[[], [1, 1, 0, 0]]]],
    [
      'sorted',
      'books.limit=2&sort=-books.title&id=1',
      [
        [
          [9, 6],
          [1, 2, 5, 3],
        ],
      ],
    ],
    [
      'sorted by its own sort',
      'books.limit=2&books.sort=-title&id=1',
      [
        [
          [9, 6],
          [1, 2, 5, 3],
        ],
      ],
    ],
    [
      'sorted, page 2',
      'books.page=2&books.limit=2&books.sort=-title&id=1',
      [
        [
          [4, 2],
          [2, 2, 5, 3],
        ],
      ],
    ],
    ['beside a page of the parents', 'books.limit=1&page=2&limit=1', [[[3], [1, 1, 3, 3]]]],
    [
      'an unwritten one is cut as ever',
      'id_lte=2',
      [
        [
          [1, 2, 4],
          [1, 3, 5, 2],
        ],
        [[3, 5, 8], []],
      ],
    ],
    ['and with a filter, by what it leaves', 'books.title_lte=B4&id=1', [[[1, 2, 4], []]]],
    [
      'and cut by what it leaves',
      'books.title_gte=B2&id=1',
      [
        [
          [2, 4, 6],
          [1, 3, 4, 2],
        ],
      ],
    ],
    ['its own sort makes no page', 'books.sort=-id&id=2', [[[8, 5, 3], []]]],
    [
      'but a cut is told',
      'books.sort=-id&id=1',
      [
        [
          [9, 6, 4],
          [1, 3, 5, 2],
        ],
      ],
    ],
  ]);
  expectPages(books, 'tags', [
    [
      'belongsToMany',
      'tags.limit=3&id=1',
      [
        [
          [1, 2, 3],
          [1, 3, 4, 2],
        ],
      ],
    ],
    [
      'by a pivot field',
      'tags.limit=3&tags.sort=pivot.position&id=1',
      [
        [
          [4, 3, 2],
          [1, 3, 4, 2],
        ],
      ],
    ],
    [
      'by a pivot field of sort',
      'tags.limit=1&sort=-tags.pivot.position&id=1',
      [[[1], [1, 1, 4, 4]]],
    ],
    [
      'with a filter on a pivot',
      'tags.limit=1&tags.page=2&tags.pivot.position_gt=7&id=1',
      [[[2], [2, 1, 2, 2]]],
    ],
  ]);
  expectPages(books, 'notes', [
    [
      'morphMany',
      'notes.limit=2&notes.page=2&id_lte=2',
      [
        [
          [4, 5],
          [2, 2, 4, 2],
        ],
        [[], [2, 2, 1, 1]],
      ],
    ],
    [
      'morphMany, sorted',
      'notes.limit=2&notes.sort=-text&id=1',
      [
        [
          [5, 4],
          [1, 2, 4, 2],
        ],
      ],
    ],
  ]);
  expectPages(`${authors}/1`, 'books', [
    [
      'a single read',
      'books.page=2&books.limit=2',
      [
        [
          [4, 6],
          [2, 2, 5, 3],
        ],
      ],
    ],
    [
      'a single read, the largest limit',
      'books.limit=1000',
      [
        [
          [1, 2, 4, 6, 9],
          [1, 1000, 5, 1],
        ],
      ],
    ],
    ['a single read, sorted', 'books.sort=-title&books.offset=4', [[[1], [2, 4, 5, 2]]]],
  ]);
});

test('exclude of the relation drops its numbers, fields and wildcards do not', async () => {
  const members = async (query: string): Promise<readonly string[]> =>
    Object.keys((await api.get(`${authors}/1?expand=books&books.limit=1&${query}`)).body as object);
  expect(await members('exclude=books')).toEqual(['id', 'name', 'born']);
  expect(await members('fields=name')).toEqual(['id', 'name', 'books', '_pagination']);
  expect(await members('exclude=*')).toEqual(['id', 'books', '_pagination']);
});

test('HEAD says the same as GET', async () => {
  const path = `${authors}?expand=books&books.limit=1`;
  const [whole, head] = [await api.get(path), await api.send('HEAD', path)];
  for (const name of ['etag', 'content-length', 'x-total-count', 'link'])
    expect(head.headers.get(name), name).toBe(whole.headers.get(name));
});

test('links keep the parameters of collections', async () => {
  const { headers } = await api.get(`${authors}?expand=books&books.page=2&books.limit=1&limit=2`);
  expect(headers.get('link')).toContain(
    `<${authors}?expand=books&books.page=2&books.limit=1&limit=2&page=2>; rel="next"`,
  );
});
