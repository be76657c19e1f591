import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createDataProvider,
  type RaProviderOptions,
} from '../../packages/ra-data-provider/src/index.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { shelf, shelfRecords } from './shelf.ts';

let both: Both;
beforeAll(async () => {
  both = await serveBoth(shelf, shelfRecords);
});
afterAll(() => both.stop());

const options: Partial<RaProviderOptions> = {
  search: { books: ['title', 'author.name'] },
  suffixes: { _q: '_ilike', _inc: '_containsAll', _inc_any: '_containsAny', _eq_any: '_in' },
};

/** The ids that a filter of react-admin keeps, over both databases. */
async function kept(filter: unknown, own = options): Promise<readonly unknown[]> {
  const [ids = [], other] = await Promise.all(
    both.sides.map(async ({ url }) => {
      const provider = createDataProvider({ ...own, baseUrl: `${url}/v1/` });
      const { data, total } = await provider.getList<{ id: number }>('books', {
        pagination: { page: 1, perPage: 25 },
        sort: { field: 'id', order: 'ASC' },
        filter,
      });
      expect(total).toBe(data.length);
      return data.map(({ id }) => id);
    }),
  );
  expect(other).toEqual(ids);
  return ids;
}

const all = [1, 2, 3, 4, 5];
const beta = 'Beta, "gamma": \\';

test.each<readonly [string, unknown, readonly number[]]>([
  ['nothing', {}, all],
  ['no filter', undefined, all],
  ['null', null, all],
  ['a value', { status: 'draft' }, [1, 4]],
  ['a value that has everything to be quoted', { title: beta }, [3]],
  ['an empty text', { title: '' }, [5]],
  ['several', { status: 'draft', pages_gt: 50 }, [1]],
  ['true', { inStock: true }, [1]],
  ['null is null', { authorId: null }, [5]],
  ['null by eq', { authorId_eq: null }, [5]],
  ['not null', { status_neq: null }, [1, 2, 4]],
  ['undefined asks nothing', { status: undefined }, all],
  ['a list is one of', { id: [1, 3] }, [1, 3]],
  ['a list by eq', { id_eq: [1, 3] }, [1, 3]],
  ['a list with null', { status: ['printed', null] }, [2, 3, 5]],
  ['null alone in a list', { status: [null] }, [3, 5]],
  ['an empty list asks nothing', { id: [], id_in: [] }, all],
  ['in', { title_in: ['Alpha', beta] }, [1, 3]],
  ['in of one', { id_in: 2 }, [2]],
  ['nin', { status_nin: ['draft'] }, [2, 3, 5]],
  ['neq', { status_neq: 'draft' }, [2, 3, 5]],
  ['none of several', { id_neq: [1, 2] }, [3, 4, 5]],
  ['ilike', { title_ilike: 'ALPHA' }, [1, 2]],
  ['like', { title_like: 'Alpha' }, [1]],
  ['startsWith', { title_startsWith: 'Al' }, [1, 4]],
  ['contains none of several', { title_nilike: ['ALPHA', 'beta'] }, [4, 5]],
  ['a range', { pages_gte: 100, pages_lt: 300 }, [1, 2]],
  ['null by its operator', { pages_null: true }, [5]],
  ['exists', { author_exists: false }, [5]],
  ['contains', { tags_contains: 'a' }, [1, 4]],
  ['contains each', { tags_contains: ['a', 'b'] }, [1]],
  ['containsAll', { tags_containsAll: ['b', 'a'] }, [1]],
  ['containsAny', { tags_containsAny: ['c', 'a'] }, [1, 2, 4]],
  ['a path', { 'author.name': 'Ann' }, [1, 2]],
  ['a path as a form nests it', { author: { name_ilike: 'ann' } }, [1, 2, 4]],
  ['about one related record', { genres: { name: 'crime', pivot: { main: true } } }, [2]],
  ['a member of an object', { specs: { weight_gt: 1.5, size: 'm' } }, [2]],
  ['a field named like a parameter', { limit: 6 }, [2]],
  ['a list of a field named like a parameter', { limit: [5, 6] }, [1, 2]],
  ['or', { _or: 'id:1,pages:300' }, [1, 3]],
  ['groups of or', { _or: ['id:1,id:2', 'id:2,id:3'] }, [2]],
  ['q', { q: 'ALPH' }, [1, 2]],
  ['q through a relation', { q: 'bob' }, [3]],
  ['q with what has to be quoted', { q: ', "GAMMA": \\' }, [3]],
  ['q of nothing', { q: '' }, all],
  ['q and more', { q: 'alph', status: 'draft' }, [1]],
  ['a suffix of the user', { title_q: 'ALPH' }, [1, 2]],
  ['the longest suffix of the user', { tags_inc_any: ['c'], tags_inc: ['b'] }, [2]],
  ['a suffix of the user on a list', { id_eq_any: [1, 2] }, [1, 2]],
])('%s', async (_, filter, ids) => {
  expect(await kept(filter)).toEqual(ids);
});

test.each<readonly [string, unknown, string]>([
  ['an object within a list', { id: [{}] }, 'The filter id_in cannot be compared with an object'],
  ['a number that is none', { pages: Number.NaN }, 'cannot be compared with NaN'],
  ['null among what is left out', { id_nin: [1, null] }, 'add id_null'],
  ['a filter that is a list', [], 'A filter is an object'],
])('%s is an error', async (_, filter, message) => {
  await expect(kept(filter, {})).rejects.toThrow(message);
});

test.each<readonly [string, unknown, readonly number[]]>([
  ['a word', { q: 'ALPH' }, [1, 2]],
  ['words', { q: 'bet alph' }, [2]],
  ['a phrase', { q: '"beta, "' }, [3]],
  ['a phrase that is not closed yet', { q: '"beta' }, [3]],
  ['blanks', { q: ' ' }, all],
  ['more', { q: 'alph', status: 'draft' }, [1]],
])('q without fields to look into is a search: %s', async (_, filter, expected) => {
  expect(await kept(filter, {})).toEqual(expected);
});

test('what the API refuses is told as it says it', async () => {
  await expect(kept({ titel: 'x' })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('titel') as string,
    body: { code: 'INVALID_PARAMETER' },
  });
});
