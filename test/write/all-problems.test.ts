import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { ask, problemsOf } from '../server/exchanges.ts';

const specification = `
${withTokens}
access: public
resources:
  items:
    access:
      create: public
      read: [{ role: public, where: "isOpen=true" }, admin]
      update: [{ role: public, where: "isOpen=true" }, admin]
      delete: public
    fields:
      name: { type: string, required: true, minLength: 2 }
      code: { type: string, nullable: true, unique: true }
      slot: { type: string, default: s, unique: true }
      left: { type: integer, nullable: true, minimum: 0 }
      right: { type: integer, nullable: true, minimum: 0 }
      isOpen: { type: boolean, default: true }
      fixed: { type: string, nullable: true, immutable: true }
      shape: { type: object, nullable: true, properties: { size: { type: integer, required: true } } }
      parentId: { type: integer, nullable: true, reference: items.id }
      parent: { type: relation, relation: belongsTo, resource: items }
      children: { type: relation, relation: hasMany, resource: items, foreignKey: parentId }
      aboutType: { type: string, nullable: true }
      aboutId: { type: integer, nullable: true }
      about: { type: relation, relation: morphTo, resources: [groups, items], typeField: aboutType, idField: aboutId }
      groups: { type: relation, relation: belongsToMany, resource: groups, through: memberships }
      tasks: { type: relation, relation: hasMany, resource: tasks }
    unique: [[left, right]]
  groups:
    fields: { name: { type: string } }
  tasks:
    fields:
      text: { type: string, minLength: 2 }
      itemId: { type: integer, default: 98, reference: items.id }
      item: { type: relation, relation: belongsTo, resource: items }
  memberships:
    fields:
      itemId: { type: integer, reference: items.id, onDelete: cascade }
      groupId: { type: integer, reference: groups.id, onDelete: cascade }
`;

const admin = caller({ roles: ['admin'] });

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {
    groups: [{ name: 'g' }],
    items: [
      { name: 'one', code: 'a', slot: 's1', left: 1, right: 2, fixed: 'f', shape: { size: 1 } },
      { name: 'two', code: 'b', slot: 's2', left: 3, right: 4 },
      { name: 'hidden', code: 'c', slot: 's3', isOpen: false },
    ],
  });
});
afterAll(() => both?.stop());

const short = 'name: must have at least 2 characters';
const taken = 'is taken: it must be unique';
const immutable = 'fixed: is immutable: it is set on create only';
const half = 'aboutId: must be given as well, or aboutType be null';
const wrongFilter = [
  'nmae: there is no field or parameter nmae; did you mean name?',
  'code: must be a string',
];
const together = 'is taken: left, right must be unique together';
const none = (resource: string, id: number): string =>
  `there is no record in ${resource} with id ${id}`;

const rows: readonly (readonly [string, object, number, ...string[]])[] = [
  // Valid values are looked up beside those that are not.
  ['POST /v1/items', { name: 'x', code: 'a', slot: 'n' }, 422, short, `code: ${taken}`],
  ['POST /v1/items', { code: 'a', slot: 'n' }, 400, 'name: is required', `code: ${taken}`],
  [
    'POST /v1/items',
    { name: 'x', slot: 's1', parentId: 99, code: 'b' },
    422,
    short,
    `parentId: ${none('items', 99)}`,
    `code: ${taken}`,
    `slot: ${taken}`,
  ],
  // A hidden record is as one that does not exist.
  [
    'POST /v1/items',
    { name: 'x', slot: 'n', parentId: 3 },
    422,
    short,
    `parentId: ${none('items', 3)}`,
  ],
  // Values that are refused, keys with such a part, and defaults in their place are not.
  ['POST /v1/items', { name: 'x', slot: 1 }, 400, short, 'slot: must be a string'],
  [
    'POST /v1/items',
    { name: 'abc', slot: 'n', left: 1, right: -2 },
    422,
    'right: must be at least 0',
  ],
  [
    'POST /v1/items',
    { name: 'x', slot: 'n', left: 1, right: 2 },
    422,
    short,
    `left: ${together}`,
    `right: ${together}`,
  ],
  [
    'POST /v1/items',
    { name: 'x', slot: 'n', aboutType: 'groups', aboutId: 7 },
    422,
    short,
    `aboutId: ${none('groups', 7)}`,
  ],
  [
    'POST /v1/items',
    { name: 'abc', slot: 'n', aboutType: 'groups', aboutId: 'x' },
    400,
    'aboutId: must be a number',
  ],
  // Links, arrays and nested records.
  [
    'POST /v1/items',
    { name: 'x', slot: 'n', groups: [1, 8, 'x'] },
    400,
    short,
    'groups[2]: must be a number',
    `groups[1]: ${none('groups', 8)}`,
  ],
  [
    'POST /v1/items',
    [
      { name: 'abc', slot: 'n', code: 'a' },
      { name: 'x', slot: 'm', code: 'b' },
    ],
    422,
    `[1].${short}`,
    `[0].code: ${taken}`,
    `[1].code: ${taken}`,
  ],
  [
    'POST /v1/items',
    {
      name: 'x',
      slot: 'n',
      parent: { create: { name: 'abc', slot: 'm', code: 'a' } },
      children: { create: [{ name: 'x', slot: 'o', code: 'b' }] },
    },
    422,
    'children.create[0].name: must have at least 2 characters',
    short,
    'parent.create.code: is taken: it must be unique',
    'children.create[0].code: is taken: it must be unique',
  ],
  // The default of a key is looked up only if the key does not follow from where the record is nested.
  [
    'POST /v1/tasks',
    { text: 'x' },
    422,
    'text: must have at least 2 characters',
    `itemId: ${none('items', 98)}`,
  ],
  [
    'POST /v1/tasks',
    { text: 'x', item: { create: { name: 'abc', slot: 'n' } } },
    422,
    'text: must have at least 2 characters',
  ],
  [
    'POST /v1/items',
    { name: 'abc', slot: 'n', tasks: { create: [{ text: 'x' }] } },
    422,
    'tasks.create[0].text: must have at least 2 characters',
  ],
  // A change keeps what its record has.
  ['PATCH /v1/items/1', { name: 'x', code: 'a' }, 422, short],
  ['PATCH /v1/items/1', { name: 'x', code: 'b' }, 422, short, `code: ${taken}`],
  ['PATCH /v1/items/1', { name: 'x', left: 3 }, 422, short],
  [
    'PATCH /v1/items/1',
    { name: 'x', left: 3, right: 4 },
    422,
    short,
    `left: ${together}`,
    `right: ${together}`,
  ],
  ['PATCH /v1/items/1', { left: 3, right: -4 }, 422, 'right: must be at least 0'],
  ['PATCH /v1/items/1', { name: 'x', parentId: 99 }, 422, short, `parentId: ${none('items', 99)}`],
  ['PUT /v1/items/1', { name: 'x', slot: 's2' }, 422, short, `slot: ${taken}`],
  // What a change would make of its record is told beside the rest, whichever of them refuses it.
  ['PATCH /v1/items/1', { name: 'x', fixed: 'g' }, 400, short, immutable],
  ['PATCH /v1/items/1', { name: 'x', fixed: 'f' }, 422, short],
  ['PUT /v1/items/1', { name: 'x', slot: 'n', fixed: 'g' }, 400, short, immutable],
  ['PATCH /v1/items/1', { name: 'x', aboutType: 'groups' }, 400, short, half],
  ['PATCH /v1/items/1', { aboutType: 'groups', aboutId: 'x' }, 400, 'aboutId: must be a number'],
  [
    'PATCH /v1/items/1',
    { fixed: 'g', code: 'b', parentId: 99, groups: [1, 8] },
    400,
    immutable,
    `parentId: ${none('items', 99)}`,
    `code: ${taken}`,
    `groups[1]: ${none('groups', 8)}`,
  ],
  ['PATCH /v1/items/1', { aboutType: 'groups', code: 'b' }, 400, half, `code: ${taken}`],
  ['PATCH /v1/items/3', { name: 'x', fixed: 'g' }, 422, short],
  // All of it comes before what the record would result in.
  ['PATCH /v1/items/1', { isOpen: false, fixed: 'g' }, 400, immutable],
  ['PATCH /v1/items/1', { isOpen: false, code: 'b' }, 422, `code: ${taken}`],
  ['PATCH /v1/items/1', { isOpen: false, groups: [8] }, 422, `groups[0]: ${none('groups', 8)}`],
  ['PATCH /v1/items/1', { isOpen: false }, 401],
  // Nothing is told of a record that the caller does not see, or that is not there.
  ['PATCH /v1/items/3', { name: 'x', code: 'a' }, 422, short],
  ['PATCH /v1/items/99', { name: 'x', code: 'a' }, 422, short],
  ['PATCH /v1/items/nobody', { name: 'x', code: 'a' }, 422, short],
  // So are the records in it.
  [
    'PATCH /v1/items/1',
    {
      name: 'x',
      parent: { create: { name: 'abc', slot: 'm', code: 'a' } },
      children: {
        update: [{ id: 2, fixed: 'g', code: 'a' }],
        create: [{ name: 'abc', slot: 'o', code: 'b' }],
      },
    },
    400,
    short,
    `parent.create.code: ${taken}`,
    'children.update[0].fixed: is immutable: it is set on create only',
    `children.update[0].code: ${taken}`,
    `children.create[0].code: ${taken}`,
  ],
  [
    'PATCH /v1/items/1',
    { fixed: 'g', children: { create: [{ name: 'abc', slot: 'o', code: 'b' }] } },
    400,
    immutable,
    `children.create[0].code: ${taken}`,
  ],
  [
    'PATCH /v1/items/1',
    { code: 'b', fixed: 'g', parent: { create: { name: 'abc', slot: 's1' } } },
    400,
    immutable,
    `code: ${taken}`,
    `parent.create.slot: ${taken}`,
  ],
  [
    'PATCH /v1/items/1',
    { children: { update: [{ id: 3, fixed: 'g', code: 'a' }] }, name: 'x' },
    422,
    short,
  ],
  // Of a change of many each problem is told once.
  [
    'PATCH /v1/items?name_in=one,two',
    { name: 'x', fixed: 'g', code: 'c', parentId: 99 },
    400,
    short,
    immutable,
    `parentId: ${none('items', 99)}`,
    `code: ${taken}`,
  ],
  [
    'PATCH /v1/items?name_in=one,two',
    { fixed: 'g', parentId: 99 },
    400,
    immutable,
    `parentId: ${none('items', 99)}`,
  ],
  ['PATCH /v1/items?name=two', { name: 'x', code: 'b' }, 422, short],
  ['PATCH /v1/items?name=nobody', { name: 'x', code: 'a' }, 422, short],
  ['PATCH /v1/items?name=hidden', { name: 'x', code: 'a' }, 422, short],
  ['PATCH /v1/items?nmae=two', { code: 5 }, 400, ...wrongFilter],
  // An upsert is looked up as what it is: the change of the record that has its values, or a new one.
  ['POST /v1/items?onConflict=code', { name: 'x', code: 'a' }, 422, short],
  [
    'POST /v1/items?onConflict=code',
    { name: 'x', code: 'a', slot: 's2', fixed: 'g' },
    400,
    short,
    immutable,
    `slot: ${taken}`,
  ],
  [
    'POST /v1/items?onConflict=code',
    [
      { name: 'x', code: 'a', parentId: 99 },
      { name: 'abc', code: 'new', slot: 's2' },
      { name: 'abc', code: 'c', slot: 's2' },
      { name: 'abc', code: 'new', slot: 'm' },
    ],
    422,
    `[0].${short}`,
    '[3].code: is the same as that of [1]',
    `[0].parentId: ${none('items', 99)}`,
    `[1].slot: ${taken}`,
    `[2].code: ${taken}`,
    `[2].slot: ${taken}`,
  ],
  [
    'POST /v1/items?onConflict=code',
    { name: 'abc', code: 5, slot: 's2' },
    400,
    'code: must be a string',
  ],
];

test('a merge whose result is not valid beside the rest', async () => {
  const patch = { 'content-type': 'application/merge-patch+json' };
  for (const name of ['x', 'one']) {
    const body = { name, shape: { size: null }, code: 'b' };
    const answer = await both.send('PATCH', '/v1/items/1', body, patch);
    expect([answer.status, ...problemsOf(answer)], answer.text).toEqual([
      400,
      ...(name === 'x' ? [short] : []),
      'shape.size: is required',
      `code: ${taken}`,
    ]);
  }
});

test.each(
  rows.map(([request, body, status, ...problems]) => ({ request, body, status, problems })),
)('$request $body', async ({ request, body, status, problems }) => {
  const before = (await both.get('/v1/items?limit=100', admin)).text;
  const answer = await ask(both, request, body);
  expect([answer.status, ...problemsOf(answer)], answer.text).toEqual([status, ...problems]);
  expect((await both.get('/v1/items?limit=100', admin)).text).toBe(before);
});

describe('how much is looked up', () => {
  test('is bounded by 100 records', async () => {
    const body = Array.from({ length: 200 }, () => ({ name: 'x', slot: 's1' }));
    const answer = await both.send('POST', '/v1/items', body);
    const problems = problemsOf(answer);
    expect(problems.filter((one) => one.endsWith(taken))).toHaveLength(100);
    expect(problems).toHaveLength(300);
  });

  test('is nothing where the query is wrong and the body is not', async () => {
    const answer = await both.send('POST', '/v1/items?nope=1', { name: 'abc', slot: 's1' });
    expect(problemsOf(answer)).toHaveLength(1);
  });
});
