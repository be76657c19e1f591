import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymous } from '../../src/model/access.ts';
import { clientSource } from '../../src/openapi/client/client.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { expectRefusals, expectRows } from '../support/tables.ts';

const specification = `
${withTokens}
access: { read: public, write: public }
limits: { filters: 24, pathDepth: 4 }
api: { versions: { 1: {}, 2: { resources: { dishes: { fields: { parts: { from: ingredients } } } } } } }
resources:
  dishes:
    search: [name, ingredients.name]
    fields:
      name: { type: string }
      ingredients:
        type: array
        items:
          type: object
          nullable: true
          properties:
            name: { type: string }
            unit: { type: enum, values: [g, ml] }
            grams: { type: integer }
            share: { type: number }
            price: { type: decimal }
            fresh: { type: boolean }
            since: { type: date }
            tags: { type: array, items: { type: string } }
            from: { type: object, properties: { town: { type: string } } }
            lots: { type: array, items: { type: object, properties: { code: { type: string }, size: { type: integer } } } }
      extra: { type: object, properties: { steps: { type: array, items: { type: object, properties: { text: { type: text } } } } } }
      open: { type: array, items: { type: json } }
      loose: { type: array, items: { type: object } }
      words: { type: array, items: { type: string } }
      menus: { type: relation, relation: belongsToMany, resource: menus, through: courses, withPivot: [wines] }
  menus:
    fields:
      title: { type: string }
      dishes: { type: relation, relation: belongsToMany, resource: dishes, through: courses }
  courses:
    fields:
      dishId: { type: integer, reference: dishes.id }
      menuId: { type: integer, reference: menus.id }
      wines: { type: array, items: { type: object, properties: { name: { type: string }, year: { type: integer } } } }
  boxes:
    access:
      read: [{ role: public, where: "slots.owner={user.sub}&slots.free=false" }, { role: all, where: "_not=slots.owner:9" }, { role: none }]
    fields:
      slots: { type: array, items: { type: object, properties: { owner: { type: integer }, free: { type: boolean } } } }
`;

let both: Both;
const version = () => {
  const [first] = both.servedApi.api.versions.values();
  if (first === undefined) throw new Error('no version');
  return first;
};
const source = (): Both => both;
beforeAll(async () => {
  both = await serveBoth(specification, {
    dishes: [
      {
        name: 'soup',
        ingredients: [
          {
            name: 'Salt',
            unit: 'g',
            grams: 5,
            share: 0.5,
            price: '1.50',
            fresh: false,
            since: '2026-01-01',
          },
          {
            name: 'water',
            unit: 'ml',
            grams: 500,
            tags: ['clear', 'cold'],
            from: { town: 'Köln' },
          },
        ],
        extra: { steps: [{ text: 'Boil it' }, { text: 'Eat it' }] },
        open: [1, 'a', { name: 'x', n: 1e21 }, [{ name: 'y' }]],
      },
      {
        name: 'salad',
        ingredients: [
          {
            name: 'salt',
            unit: 'ml',
            lots: [
              { code: 'A', size: 1 },
              { code: 'B', size: 2 },
            ],
          },
          { name: 'oil', grams: 5, lots: [{ code: 'A', size: 2 }], fresh: true },
          null,
        ],
        extra: { steps: [] },
        open: [{ name: 7 }, { name: 'ÿ' }],
        loose: [{ deep: { er: 'q' } }],
      },
      { name: 'nothing', ingredients: [], words: ['name'], open: [] },
      { name: 'null' },
      { name: 'blank', ingredients: [{}], extra: {}, open: [{ name: null }, {}] },
    ],
    menus: [{ title: 'A' }, { title: 'B' }],
    courses: [
      {
        dishId: 1,
        menuId: 1,
        wines: [
          { name: 'red', year: 2020 },
          { name: 'white', year: 2021 },
        ],
      },
      { dishId: 2, menuId: 1 },
      { dishId: 2, menuId: 2, wines: [{ name: 'red', year: 2021 }] },
    ],
    boxes: [
      {
        slots: [
          { owner: 1, free: false },
          { owner: 2, free: true },
        ],
      },
      {
        slots: [
          { owner: 1, free: true },
          { owner: 9, free: false },
        ],
      },
      { slots: [] },
    ],
  });
});
afterAll(() => both.stop());

describe('a filter into an array of objects', () => {
  expectRows(source, '/v1/dishes', [
    ['a string', 'ingredients.name=salt', [2]],
    ['in any case', 'ingredients.name_ilike=SALT', [1, 2]],
    ['a part', 'ingredients.name_like=at', [1]],
    ['the start', 'ingredients.name_startsWith=wa', [1]],
    ['a list', 'ingredients.name_in=oil,Salt', [1, 2]],
    ['an enum', 'ingredients.unit=ml', [1, 2]],
    ['an integer', 'ingredients.grams_gte=5&ingredients.grams_lt=500', [1, 2]],
    ['a number', 'ingredients.share=0.5', [1]],
    ['a decimal', 'ingredients.price=1.50', [1]],
    ['a boolean', 'ingredients.fresh=true', [2]],
    ['a date', 'ingredients.since_lte=2026-01-01', [1]],
    ['an array in it', 'ingredients.tags_contains=cold', [1]],
    ['several of an array in it', 'ingredients.tags_containsAll=cold,clear', [1]],
    ['an object in it', 'ingredients.from.town=Köln', [1]],
    ['in an object', 'extra.steps.text_ilike=eat', [1]],
    ['another value: one that is null counts', 'ingredients.name_neq=salt', [1, 2, 5]],
    ['none of some', 'ingredients.name_nin=salt,oil,Salt,water', [5]],
    ['a value that is there', 'ingredients.name_exists=true', [1, 2]],
    ['an item without it; null is no item', 'ingredients.name_exists=false', [5]],
    ['null', 'ingredients.grams_null=true', [2, 5]],
    ['the array itself', 'ingredients_exists=false', [4]],
    ['of any JSON', 'open.name=x', [1]],
    ['a number or a text', 'open.name=7', [2]],
    ['a large number', 'open.n=1e21', [1]],
    ['another number', 'open.n=1000000000000000000001', []],
    ['of any JSON, null', 'open.name_null=true', [5]],
    ['of open objects', 'loose.deep.er=q', [2]],
    ['with a sort', 'ingredients.grams=5&sort=-name', [1, 2]],
    ['with pages', 'ingredients.name_ilike=salt&limit=1&page=2', [2]],
  ]);
  expectRows(source, '/v2/dishes', [['under another name', 'parts.name=oil', [2]]]);
});

describe('filters of the same path are about the same item', () => {
  expectRows(source, '/v1/dishes', [
    ['plain', 'ingredients.name_ilike=salt&ingredients.unit=ml', [2]],
    ['no item has both', 'ingredients.name=oil&ingredients.unit=ml', []],
    ['in one and(…)', '_and=ingredients.name:Salt,ingredients.unit:g', [1]],
    ['no item has both, in and(…)', '_and=ingredients.name:Salt,ingredients.unit:ml', []],
    ['two groups are about two', '_and=ingredients.name:Salt&_and=ingredients.unit:ml', [1]],
    ['nested', '_or=name:null,and(ingredients.name:oil,ingredients.grams:5)', [2, 4]],
    ['pairs of or(…) stand alone', '_or=ingredients.name:oil,ingredients.unit:g', [1, 2]],
    ['none', '_not=ingredients.name:oil,ingredients.unit:g', [3, 4, 5]],
    ['none that is both', '_not=and(ingredients.name:oil,ingredients.unit:g)', [1, 2, 3, 4, 5]],
    ['twice asks for two', 'ingredients.name=salt&ingredients.name=oil', [2]],
    ['and no record has both', 'ingredients.name=salt&ingredients.name=water', []],
    ['an array in an array', 'ingredients.lots.code=B&ingredients.lots.size=2', [2]],
    ['of one lot', 'ingredients.lots.code=B&ingredients.lots.size=1', []],
    ['of one ingredient', 'ingredients.name=salt&ingredients.lots.size=2', [2]],
    ['of another ingredient', 'ingredients.name=oil&ingredients.lots.code=B', []],
    ['two lots of one', 'ingredients.lots.code=A&ingredients.lots.code=B', [2]],
    ['two arrays', 'ingredients.name=salt&extra.steps.text=x', []],
  ]);
});

describe('through relations', () => {
  expectRows(source, '/v1/menus', [
    ['of related records', 'dishes.ingredients.name=Salt', [1]],
    ['one related record, one item', 'dishes.name=salad&dishes.ingredients.grams=5', [1, 2]],
    ['another one has it', 'dishes.name=salad&dishes.ingredients.name=Salt', []],
    ['items of two', 'dishes.ingredients.name=Salt&dishes.ingredients.name=oil', []],
  ]);
  expectRows(source, '/v1/dishes', [
    ['of links', 'menus.pivot.wines.name=red', [1, 2]],
    ['of one wine', 'menus.pivot.wines.name=red&menus.pivot.wines.year=2021', [2]],
    ['of one link', 'menus.title=A&menus.pivot.wines.year=2021', [1]],
  ]);

  test('of an expanded collection it chooses items', async () => {
    const path = '/v1/menus?expand=dishes&dishes.ingredients.name=Salt&fields=dishes.name';
    const { body } = await both.get(path);
    expect(body).toEqual([
      { id: 1, dishes: [{ id: 1, name: 'soup' }] },
      { id: 2, dishes: [] },
    ]);
  });
});

describe('in other parts of the language', () => {
  expectRows(source, '/v1/dishes', [
    ['search', 'search=salt', [1, 2]],
    ['search without accents', 'search=oil+salad', [2]],
  ]);

  test('row rules', async () => {
    const ids = async (claims: object): Promise<unknown> => {
      const { body } = await both.get('/v1/boxes', caller({ ...claims }));
      return (body as { id: number }[]).map(({ id }) => id);
    };
    expect(await ids({ sub: '1' })).toEqual([1]);
    expect(await ids({ sub: '9' })).toEqual([2]);
    expect(await ids({ sub: '2' })).toEqual([]);
    expect(await ids({ sub: '7', roles: ['all'] })).toEqual([1, 3]);
  });

  test('changes of many, groups and CSV', async () => {
    const { body } = await both.get('/v1/dishes?group=name&ingredients.name=oil');
    expect(body).toEqual([{ group: { name: 'salad' }, count: 1 }]);
    const { text } = await both.get('/v1/dishes?fields=name&ingredients.name=oil', {
      accept: 'text/csv',
    });
    expect(text).toBe('id,name\r\n2,salad\r\n');
    const path = '/v1/dishes?ingredients.lots.code=nothing';
    const { body: changed } = await both.send('PATCH', path, { name: 'x' });
    expect(changed).toEqual({ count: 0 });
  });

  expectRefusals(source, '/v1/dishes', [
    [
      'a sort',
      'sort=ingredients.name',
      'INVALID_SORT',
      'sort: ingredients.name cannot be sorted by: its path goes through the items of an array',
    ],
    [
      'a key of groups',
      'group=ingredients.name',
      'INVALID_PARAMETER',
      'group: ingredients.name goes through the items of an array, which would count a record more than once',
    ],
    [
      'an unknown member',
      'ingredients.nam=x',
      'INVALID_PARAMETER',
      'ingredients.nam: there is no field ingredients.nam; did you mean ingredients.name?',
    ],
    [
      'an operator',
      'ingredients.fresh_gt=true',
      'INVALID_FILTER',
      'ingredients.fresh_gt: ingredients.fresh is of type boolean, which takes _eq, _neq, _in, _nin, _exists, _null, not _gt',
    ],
    [
      'a value',
      'ingredients.grams=x',
      'INVALID_FILTER',
      'ingredients.grams: "x" does not fit: it takes a whole number',
    ],
    [
      'an array of texts',
      'words.name=x',
      'INVALID_PARAMETER',
      'words.name: words is of type array and has no members',
    ],
    [
      'too much',
      'ingredients.name=a&ingredients.unit=g&ingredients.grams=1&ingredients.share=1&ingredients.fresh=true',
      'LIMIT_EXCEEDED',
      'ingredients.name: a request takes at most 24 filters (limits.filters); this one has 5; each step to many records counts as 5 more, which makes 30',
    ],
  ]);
});

test('clients know the type of a value, which may be asked for twice', () => {
  const client = clientSource(both.servedApi.view(version(), anonymous));
  expect(client).toContain('"ingredients.grams": [number, ');
  expect(client).toMatch(/"ingredients\.lots\.code": \[string, [^;]* "many"\];/u);
});

test('documents tell of it', async () => {
  const { body } = await both.get('/v1/_openapi.json');
  const { get } = body.paths['/v1/dishes'] as {
    get: { description: string };
  };
  const { properties } = body.components.schemas['DishFilters'] as { properties: object };
  const names = Object.keys(properties);
  for (const name of [
    'ingredients.name',
    'ingredients.lots.code',
    'extra.steps.text',
    'ingredients.from.town',
  ])
    expect(names).toContain(name);
  expect(names).not.toContain('ingredients.name_like');
  expect(get.description).not.toContain('ingredients.name,');
});
