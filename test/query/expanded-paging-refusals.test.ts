import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, invalid } from '../support/tables.ts';
import { library, shelfRecords } from './library.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(library, shelfRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const authors = '/v1/authors';

describe('refused', () => {
  const bad = (name: string, query: string, parameter: string) =>
    invalid(name, `expand=books&${query}`, parameter);
  expectBlame(source, authors, [
    bad('a negative limit', 'books.limit=-1', 'books.limit'),
    bad('no limit', 'books.limit=', 'books.limit'),
    bad('a word', 'books.limit=all', 'books.limit'),
    bad('a fraction', 'books.limit=1.5', 'books.limit'),
    bad('page 0', 'books.page=0', 'books.page'),
    bad('a page beyond 2^53', 'books.page=9007199254740992', 'books.page'),
    bad('a negative offset', 'books.offset=-1', 'books.offset'),
    bad('twice', 'books.limit=1&books.limit=2', 'books.limit'),
    bad('sort twice', 'books.sort=id&books.sort=title', 'books.sort'),
    bad('an unknown name', 'books.pages=2', 'books.pages'),
    bad('a cursor', 'books.cursor=', 'books.cursor'),
    bad('nulls', 'books.nulls=last', 'books.nulls'),
    bad('a relation that is not expanded', 'books.tags.limit=1', 'books.tags.limit'),
    bad('a to-one', 'books.author.limit=1', 'books.author.limit'),
    invalid('a to-one that is expanded', 'expand=profile&profile.limit=1', 'profile.limit'),
    invalid('without expand', 'books.limit=1', 'books.limit'),
    invalid('sort without expand', 'books.sort=title', 'books.sort'),
    invalid('in _or', 'expand=books&_or=books.limit:1', 'books.limit'),
    [
      'over the maximum',
      'expand=books&limit=1&books.limit=1001',
      'LIMIT_EXCEEDED',
      'books.limit',
      '1000',
    ],
    [
      'page and offset',
      'expand=books&books.page=1&books.offset=0',
      'PAGINATION_CONFLICT',
      'books.offset',
    ],
    ['an unknown key', 'expand=books&books.sort=titel', 'INVALID_SORT', 'books.sort', 'title'],
    ['an empty key', 'expand=books&books.sort=', 'INVALID_SORT', 'books.sort'],
    ['a key twice', 'expand=books&books.sort=id,-id', 'INVALID_SORT', 'books.sort'],
    ['an object', 'expand=books&books.sort=specs', 'INVALID_SORT', 'books.sort'],
    [
      'a pivot where there is none',
      'expand=books&books.sort=pivot.x',
      'INVALID_SORT',
      'books.sort',
    ],
    [
      'two sorts of one collection',
      'expand=books&sort=books.id&books.sort=title',
      'INVALID_SORT',
      'books.sort',
    ],
    [
      'more records than a response has',
      'expand=books&limit=21&books.limit=1000',
      'LIMIT_EXCEEDED',
      'books.limit',
      '20000',
    ],
    [
      'one record more',
      'expand=books&limit=59&books.limit=339',
      'LIMIT_EXCEEDED',
      'books.limit',
      '20000',
    ],
    [
      'more, level by level',
      'expand=books.tags&limit=10&books.limit=50&books.tags.limit=50',
      'LIMIT_EXCEEDED',
      'books.tags.limit',
      '20000',
    ],
  ]);
  expectBlame(source, `${authors}/1`, [
    [
      'more, on a single read',
      'expand=books.tags&books.limit=1000&books.tags.limit=21',
      'LIMIT_EXCEEDED',
      'books.tags.limit',
      '20000',
    ],
    invalid('without expand, on a single read', 'books.limit=1', 'books.limit'),
  ]);

  test('the sorts of a request have a limit together', async () => {
    const sorts = (more: string): string =>
      `expand=books.tags&sort=name,born&books.sort=title,price,sold_total,-returned_total&books.tags.sort=name${more}`;
    expect((await api.get(`${authors}?${sorts(',-id')}`)).status).toBe(200);
    const { status, body } = await api.get(`${authors}?${sorts(',-id,pivot.position')}`);
    expect([status, body.code]).toEqual([400, 'LIMIT_EXCEEDED']);
    expect(body.message).toContain('at most 8 keys together (limits.sorts)');
  });

  test('exactly as many as a response has', async () => {
    for (const path of [
      `${authors}?expand=books&limit=20&books.limit=1000`,
      `${authors}?expand=books.tags&limit=10&books.limit=50&books.tags.limit=40`,
      `${authors}/1?expand=books.tags&books.limit=1000&books.tags.limit=20`,
    ])
      expect((await api.get(path)).status, path).toBe(200);
  });
});
