import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectRows, expectTrees } from '../support/tables.ts';
import { idsOf } from './cursors.ts';

/** Fields that are never null at the end of paths that may lead nowhere, types in types, and names like operators. */
const specification = `
resources:
  lists:
    fields:
      name: { type: string, required: true }
      rank: { type: integer, required: true }
      items: { type: relation, relation: hasMany, resource: items }
  items:
    fields:
      title: { type: string, required: true }
      was_null: { type: boolean }
      n_exists: { type: integer }
      flags: { type: array, items: { type: boolean } }
      amounts: { type: array, items: { type: decimal } }
      moments: { type: array, items: { type: datetime } }
      kinds: { type: array, items: { type: enum, values: [b, a] } }
      exact: { type: decimal, precision: 18, scale: 4 }
      o:
        type: object
        properties:
          must: { type: string, required: true }
          flag: { type: boolean }
          day: { type: date }
          clock: { type: time }
          code: { type: uuid }
          flags: { type: array, items: { type: boolean } }
          amounts: { type: array, items: { type: decimal } }
          moments: { type: array, items: { type: datetime } }
          anys: { type: array }
      listId: { type: integer, reference: lists.id, nullable: true }
      list: { type: relation, relation: belongsTo, resource: lists }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: item-tags, withPivot: [o, extra, marks] }
  tags: { fields: { name: { type: string, required: true } } }
  item-tags:
    fields:
      itemId: { type: integer, reference: items.id, required: true }
      tagId: { type: integer, reference: tags.id, required: true }
      o: { type: object, properties: { n: { type: integer }, s: { type: string } } }
      extra: { type: json }
      marks: { type: array, items: { type: integer } }
`;

const uuid = '0198c0de-0000-7000-8000-0000000000ab';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {
    lists: [
      { name: 'b', rank: 1 },
      { name: 'a', rank: 2 },
      { name: 'c', rank: 3 },
    ],
    items: [
      {
        title: 'one',
        was_null: true,
        n_exists: 5,
        flags: [true],
        amounts: ['9.90', '1.00'],
        moments: ['2026-03-01T02:00:00+02:00'],
        kinds: ['b'],
        exact: '12345678901234.5678',
        o: {
          must: 'm',
          flag: true,
          day: '2026-03-01',
          clock: '09:00:00',
          code: uuid.toUpperCase(),
          flags: [false, true],
          amounts: ['9.90'],
          moments: ['2026-03-01T02:00:00+02:00'],
          anys: [1, 'x', true, null],
        },
        listId: 1,
      },
      {
        title: 'two',
        was_null: false,
        flags: [false],
        amounts: ['10.00'],
        moments: ['2026-03-02T00:00:00Z'],
        kinds: ['a'],
        exact: '12345678901234.5679',
        o: { must: 'l', flag: false, day: '2026-02-01', clock: '10:00:00', flags: [], anys: ['1'] },
        listId: 1,
      },
      { title: 'three', exact: '-0.0001', listId: 2 },
      { title: 'four', flags: [], o: { must: 'k' } },
    ],
    tags: [{ name: 'x' }, { name: 'y' }],
    'item-tags': [
      { itemId: 1, tagId: 1, o: { n: 2, s: 'q' }, extra: { k: 1 }, marks: [2] },
      { itemId: 1, tagId: 2, o: { n: 1 }, extra: 'text', marks: [] },
      { itemId: 2, tagId: 1, marks: [1, 5] },
    ],
  });
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const [lists, items] = ['/v1/lists', '/v1/items'];

describe('what is never null, at the end of a path that leads nowhere', () => {
  expectRows(source, items, [
    ['is null in a sort', 'sort=list.name', [4, 3, 1, 2]],
    ['last', 'sort=list.name&nulls=last', [3, 1, 2, 4]],
    ['first', 'sort=-list.rank&nulls=first', [4, 3, 2, 1]],
    ['of a collection', 'sort=tags.name&nulls=last', [1, 2, 3, 4]],
    ['in an object', 'sort=o.must', [3, 4, 2, 1]],
    ['in an object, last', 'sort=o.must&nulls=last', [4, 2, 1, 3]],
    ['is not different', 'list.name_neq=b', [3]],
    ['is not null where nothing is', 'list.name_null=true', []],
    ['nor in no list', 'list.rank_nin=1', [3]],
    ['in an object it is', 'o.must_null=true', [3]],
    ['and different', 'o.must_neq=m', [2, 3, 4]],
  ]);
  expectRows(source, lists, [
    ['of no items', 'sort=items.title', [3, 1, 2]],
    ['of no items, last', 'sort=items.title&nulls=last', [1, 2, 3]],
    ['ids of no items', 'sort=-items.id', [2, 1, 3]],
    ['ids of no items, first', 'sort=-items.id&nulls=first', [3, 2, 1]],
  ]);
  test.each([
    `${items}?sort=list.name`,
    `${items}?sort=list.name&nulls=last`,
    `${items}?sort=-list.rank,tags.name`,
    `${items}?sort=-o.must`,
    `${items}?sort=list.id&nulls=last`,
    `${items}?sort=list.items.id,-title`,
    `${lists}?sort=items.title`,
    `${lists}?sort=-items.id&nulls=first`,
    `${items}?sort=flags`,
    `${items}?sort=-exact`,
    `${lists}?sort=-items.exact`,
    `${lists}?sort=items.o.flag`,
  ])('pages by cursor hold all: %s', async (path) => {
    const all = idsOf((await api.get(path)).body as { id: number }[]);
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null && seen.length < 10) {
      const { body } = await api.get(`${path}&limit=1&cursor=${cursor}`);
      seen.push(...idsOf(body.data as { id: number }[]));
      cursor = body.next_cursor as string | null;
    }
    expect(seen).toEqual(all);
  });
});

describe('types in types', () => {
  expectRows(source, items, [
    ['booleans in an object', 'o.flags_contains=false', [1]],
    ['decimals in an object', 'o.amounts_contains=9.90', [1]],
    ['decimals of another scale', 'o.amounts_contains=9.9', [1]],
    ['moments in an object', 'o.moments_contains=2026-03-01', [1]],
    ['anything in an object: a number and its text', 'o.anys_contains=1', [1, 2]],
    ['anything in an object: true', 'o.anys_containsAny=true,z', [1]],
    ['all of anything', 'o.anys_containsAll=1,x', [1]],
    ['a date', 'o.day_gt=2026-02-01', [1]],
    ['a time', 'o.clock_gte=10:00:00', [2]],
    ['a uuid in any case', `o.code=${uuid.toUpperCase()}`, [1]],
    ['no uuid', `o.code_neq=${uuid}`, [2, 3, 4]],
    ['a boolean member sorts', 'sort=-o.flag', [1, 2, 4, 3]],
    ['a uuid member sorts', 'sort=-o.code', [1, 4, 3, 2]],
    ['booleans in an object sort by the first', 'sort=-o.flags', [1, 4, 3, 2]],
    ['a decimal of 18 digits', 'exact_gt=12345678901234.56785', [2]],
  ]);
  expectRows(source, lists, [
    ['booleans there', 'items.flags_contains=true', [1]],
    ['decimals there', 'items.amounts_containsAll=1,9.9', [1]],
    ['a decimal of 18 digits there', 'items.exact=12345678901234.5679', [1]],
    ['a decimal of 18 digits, sorted', 'sort=items.exact', [3, 2, 1]],
    ['the first of booleans', 'sort=-items.flags', [1, 3, 2]],
    ['the first of decimals, by number', 'sort=-items.amounts', [1, 3, 2]],
    ['the first of moments', 'sort=-items.moments', [1, 3, 2]],
    ['the first of enums', 'sort=items.kinds', [2, 3, 1]],
    ['a boolean member', 'sort=-items.o.flag', [1, 3, 2]],
    ['a uuid member', 'sort=-items.o.code', [1, 3, 2]],
    ['the first of decimals in an object', 'sort=-items.o.moments', [1, 3, 2]],
  ]);
});

describe('pivots', () => {
  expectRows(source, items, [
    ['into an object', 'tags.pivot.o.n_gte=2', [1]],
    ['null in an object', 'tags.pivot.o.s_null=true', [1, 2]],
    ['JSON by key', 'tags.pivot.extra.k=1', [1]],
    ['an array', 'tags.pivot.marks_contains=5', [2]],
    ['an object that is there', 'tags.pivot.o_exists=false', [2]],
  ]);
  expectTrees(source, items, [
    ['sorted by an object', 'expand=tags&sort=tags.pivot.o.n&id=1', 'tags', [[1, [2, 1]]]],
    ['sorted by an array', 'expand=tags&tags.sort=-pivot.marks&id=1', 'tags', [[1, [1, 2]]]],
    ['filtered by JSON', 'expand=tags&tags.pivot.extra.k_exists=true&id=1', 'tags', [[1, [1]]]],
  ]);
  expectBlame(source, items, [
    ['JSON has no order', 'expand=tags&tags.sort=pivot.extra', 'INVALID_SORT', 'tags.sort'],
    ['a member', 'tags.pivot.o.m=1', 'INVALID_PARAMETER', 'tags.pivot.o.m'],
    ['past a field', 'tags.pivot.marks.x=1', 'INVALID_PARAMETER', 'tags.pivot.marks.x'],
  ]);
});

describe('names that end like operators', () => {
  expectRows(source, items, [
    ['the field', 'was_null=true', [1]],
    ['the operator on it', 'was_null_null=true', [3, 4]],
    ['a number', 'n_exists=5', [1]],
    ['the operator on that', 'n_exists_exists=true', [1]],
  ]);
  expectRows(source, lists, [
    ['the field', 'items.was_null=false', [1]],
    ['the operator on it', 'items.was_null_null=true', [2]],
    ['a number', 'items.n_exists=5', [1]],
    ['a number that is none', 'items.n_exists_gt=5', []],
    ['in _or', '_or=items.n_exists:5,items.was_null_exists:false', [1, 2]],
  ]);
});
