import type { CrudFilter, CrudOperators } from '@refinedev/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDataProvider } from '../../packages/refine-data-provider/src/index.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { shelf, shelfRecords } from './shelf.ts';

let both: Both;
beforeAll(async () => {
  both = await serveBoth(shelf, shelfRecords);
});
afterAll(() => both.stop());

/** The ids that filters of refine keep, over both databases. */
async function kept(filters: readonly CrudFilter[]): Promise<readonly unknown[]> {
  const [ids = [], other] = await Promise.all(
    both.sides.map(async ({ url }) => {
      const { getList } = createDataProvider({ baseUrl: `${url}/v1` });
      const { data, total } = await getList({ resource: 'books', filters: [...filters] });
      expect(total).toBe(data.length);
      return data.map(({ id }) => id);
    }),
  );
  expect(other).toEqual(ids);
  return ids;
}

const on = (field: string, operator: Exclude<CrudOperators, 'or' | 'and'>, value: unknown) => ({
  field,
  operator,
  value,
});
const or = (...value: CrudFilter[]): CrudFilter => ({ operator: 'or', value });
const and = (...value: CrudFilter[]): CrudFilter => ({ operator: 'and', value });

const beta = 'Beta, "gamma": \\';

test.each<readonly [string, readonly CrudFilter[], readonly number[]]>([
  ['nothing', [], [1, 2, 3, 4, 5]],
  ['eq', [on('title', 'eq', 'Alpha')], [1]],
  ['eq of a text that has everything to be quoted', [on('title', 'eq', beta)], [3]],
  ['eq of an empty text', [on('title', 'eq', '')], [5]],
  ['eq of null', [on('authorId', 'eq', null)], [5]],
  ['eq of a list is one of them', [on('id', 'eq', [1, 3])], [1, 3]],
  ['eq of nothing known yet', [on('authorId', 'eq', undefined)], [1, 2, 3, 4, 5]],
  ['eq of true', [on('inStock', 'eq', true)], [1]],
  ['eq of a field named like a parameter', [on('limit', 'eq', 6)], [2]],
  ['eqs', [on('title', 'eqs', 'alphabet')], [2]],
  ['ne keeps null', [on('status', 'ne', 'draft')], [2, 3, 5]],
  ['ne of null', [on('status', 'ne', null)], [1, 2, 4]],
  ['ne of a list is none of them', [on('id', 'ne', [1, 3])], [2, 4, 5]],
  ['nes', [on('status', 'nes', 'printed')], [1, 3, 4, 5]],
  ['lt', [on('pages', 'lt', 100)], [4]],
  ['lte', [on('pages', 'lte', 100)], [1, 4]],
  ['gt', [on('price', 'gt', 9.9)], [2]],
  ['gt of a number with an exponent', [on('price', 'gt', 1e-7)], [1, 2]],
  ['lt of a number with an exponent', [on('price', 'lt', 1.5e21)], [1, 2]],
  ['gte', [on('published', 'gte', '2021-06-30')], [2]],
  ['in', [on('title', 'in', ['Alpha', beta])], [1, 3]],
  ['in of one value', [on('id', 'in', 2)], [2]],
  ['in of nothing keeps nothing', [on('id', 'in', [])], []],
  ['in with null', [on('status', 'in', ['printed', null])], [2, 3, 5]],
  ['in of null alone', [on('status', 'in', [null])], [3, 5]],
  ['nin keeps null', [on('status', 'nin', ['draft'])], [2, 3, 5]],
  ['nin with null', [on('status', 'nin', ['draft', null])], [2]],
  ['nin of nothing keeps all', [on('id', 'nin', [])], [1, 2, 3, 4, 5]],
  ['ina', [on('tags', 'ina', ['a', 'b'])], [1]],
  ['ina of nothing keeps all', [on('tags', 'ina', [])], [1, 2, 3, 4, 5]],
  ['contains', [on('title', 'contains', 'ALPHA')], [1, 2]],
  ['contains what everything contains', [on('title', 'contains', '')], [1, 2, 3, 4, 5]],
  ['containss', [on('title', 'containss', 'lpha')], [1, 2]],
  ['containss minds case', [on('title', 'containss', 'Alpha')], [1]],
  ['containss takes % as it is', [on('title', 'containss', '%')], []],
  ['ncontains keeps null', [on('specs.size', 'ncontains', 'S')], [2, 3, 4, 5]],
  ['ncontainss', [on('title', 'ncontainss', 'lpha')], [3, 4, 5]],
  [
    'ncontainss of what everything contains',
    [on('pages', 'null', true), on('title', 'ncontainss', '')],
    [],
  ],
  ['endswiths', [on('title', 'endswiths', 'bet')], [2]],
  ['between', [on('pages', 'between', [100, 200])], [1, 2]],
  ['nbetween keeps null', [on('pages', 'nbetween', [100, 200])], [3, 4, 5]],
  ['null', [on('pages', 'null', true)], [5]],
  ['null without a value', [on('pages', 'null', undefined)], [5]],
  ['nnull', [on('pages', 'nnull', true)], [1, 2, 3, 4]],
  ['startswiths', [on('title', 'startswiths', 'Alp')], [1, 4]],
  ['startswiths up to the last character', [on('title', 'startswiths', 'Alp\u{10FFFF}')], [4]],
  ['startswiths before the surrogates', [on('title', 'startswiths', 'Alp\uD7FF')], []],
  ['startswiths of the last character alone', [on('title', 'startswiths', '\u{10FFFF}')], []],
  ['startswiths of nothing', [on('title', 'startswiths', '')], [1, 2, 3, 4, 5]],
  ['nstartswiths keeps null', [on('specs.size', 'nstartswiths', 's')], [2, 3, 4, 5]],
  ['nstartswiths', [on('title', 'nstartswiths', 'Alp')], [2, 3, 5]],
  ['nstartswiths up to the last', [on('title', 'nstartswiths', 'Alp\u{10FFFF}')], [1, 2, 3, 5]],
  ['a path into an object', [on('specs.weight', 'gt', 1.5)], [2]],
  ['a path through a relation', [on('author.name', 'contains', 'ann')], [1, 2, 4]],
  [
    'filters about one related record',
    [on('genres.name', 'eq', 'crime'), on('genres.pivot.main', 'eq', true)],
    [2],
  ],
  ['all of several', [on('pages', 'gt', 50), on('status', 'eq', 'draft')], [1]],
  ['or', [or(on('pages', 'eq', 50), on('pages', 'eq', 300))], [3, 4]],
  [
    'or with what has to be quoted',
    [or(on('title', 'eq', beta), on('title', 'eq', 'Alpha'))],
    [1, 3],
  ],
  ['or with a list', [or(on('title', 'in', ['Alpha', beta]), on('id', 'eq', 5))], [1, 3, 5]],
  ['or with an empty text', [or(on('title', 'eq', ''), on('id', 'eq', 1))], [1, 5]],
  ['or with null', [or(on('pages', 'null', true), on('id', 'eq', 1))], [1, 5]],
  [
    'or of ranges',
    [or(on('pages', 'between', [40, 60]), on('pages', 'between', [150, 250]))],
    [2, 4],
  ],
  ['or of one', [or(on('id', 'eq', 2))], [2]],
  ['or of none asks nothing', [or()], [1, 2, 3, 4, 5]],
  ['or with what nothing satisfies', [or(on('id', 'in', []), on('id', 'eq', 2))], [2]],
  [
    'or with what everything satisfies',
    [or(on('id', 'nin', []), on('id', 'eq', 2))],
    [1, 2, 3, 4, 5],
  ],
  ['or of what nothing satisfies', [or(on('id', 'in', []))], []],
  [
    'two groups',
    [or(on('id', 'eq', 1), on('id', 'eq', 2)), or(on('id', 'eq', 2), on('id', 'eq', 3))],
    [2],
  ],
  ['and', [and(on('pages', 'gt', 50), on('status', 'eq', 'draft'))], [1]],
  [
    'and within or',
    [
      or(
        and(on('status', 'eq', 'draft'), on('pages', 'lt', 80)),
        and(on('status', 'null', true), on('pages', 'gt', 1)),
      ),
    ],
    [3, 4],
  ],
  [
    'or within and within or',
    [or(on('id', 'eq', 5), and(or(on('id', 'eq', 1), on('id', 'eq', 2)), on('pages', 'eq', 200)))],
    [2, 5],
  ],
  ['a date of JavaScript', [on('id', 'in', [1]), on('title', 'ne', new Date(0))], [1]],
])('%s', async (_, filters, ids) => {
  expect(await kept(filters)).toEqual(ids);
});

describe('has no counterpart', () => {
  test.each<CrudOperators>([
    'nina',
    'startswith',
    'nstartswith',
    'endswith',
    'nendswith',
    'nendswiths',
  ])('%s', async (operator) => {
    const filter = { field: 'title', operator, value: 'x' } as CrudFilter;
    await expect(kept([filter])).rejects.toThrow(
      `The filter ${operator} of title has no counterpart`,
    );
    await expect(kept([or(filter)])).rejects.toThrow(TypeError);
  });

  test.each<readonly [CrudFilter, string]>([
    [on('pages', 'between', [1]), 'The filter between of pages takes [low, high]'],
    [on('pages', 'between', [1, 2, 3]), 'takes [low, high]'],
    [on('pages', 'eq', { a: 1 }), 'The filter eq of pages cannot be compared with an object'],
    [on('pages', 'gt', Number.NaN), 'cannot be compared with NaN'],
    [on('pages', 'gt', null), 'cannot be compared with null'],
    [
      { field: 'pages', operator: 'toString', value: 1 } as unknown as CrudFilter,
      'has no meaning here',
    ],
    [{ operator: 'eq', value: 1 } as unknown as CrudFilter, 'A filter names a field'],
    [
      or(
        ...Array.from({ length: 9 }, () =>
          and(on('id', 'eq', 1), on('id', 'eq', 2), on('id', 'eq', 3)),
        ),
      ),
      'cannot be asked for at once',
    ],
  ])('%j', async (filter, message) => {
    await expect(kept([filter])).rejects.toThrow(message);
  });

  test('what the API refuses is told as it says it', async () => {
    await expect(kept([on('titel', 'eq', 'x')])).rejects.toMatchObject({
      statusCode: 400,
      code: 'INVALID_PARAMETER',
      errors: { titel: expect.stringContaining('title') as string },
    });
  });
});
