import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ruleTable } from '../../src/problem-rules.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { ask } from '../server/exchanges.ts';

const open = `
access: public
limits: { maxLimit: 50, filters: 3 }
resources:
  items:
    fields:
      name: { type: string, required: true, minLength: 2, maxLength: 5, pattern: "^[a-z]+$" }
      mail: { type: email, nullable: true, unique: true }
      site: { type: string, format: ipv4, nullable: true }
      code: { type: uuid, nullable: true }
      on: { type: date, nullable: true }
      at: { type: datetime, nullable: true }
      time: { type: time, nullable: true }
      flag: { type: boolean, default: false }
      whole: { type: integer, minimum: 1, maximum: 9, nullable: true }
      large: { type: integer, format: bigint, nullable: true }
      price: { type: decimal, precision: 6, scale: 2, exclusiveMinimum: 0, exclusiveMaximum: "50.5", multipleOf: "0.05", nullable: true }
      ratio: { type: number, minimum: 0.5, nullable: true }
      kind: { type: enum, values: [a, b], nullable: true }
      tags: { type: array, items: { type: string, maxLength: 3 }, minItems: 1, maxItems: 2, uniqueItems: true, nullable: true }
      specs: { type: object, properties: { weight: { type: integer, required: true, minimum: 0 } }, nullable: true }
      data: { type: json, nullable: true }
      fixed: { type: string, immutable: true, nullable: true }
      shown: { type: integer, readOnly: true, default: 0 }
      secret: { type: integer, writeOnly: true, nullable: true }
      left: { type: integer, nullable: true }
      right: { type: integer, nullable: true }
      parentId: { type: integer, nullable: true, reference: items.id }
      parent: { type: relation, relation: belongsTo, resource: items }
      children: { type: relation, relation: hasMany, resource: items, foreignKey: parentId }
      groups: { type: relation, relation: belongsToMany, resource: groups, through: memberships, withPivot: [role] }
    unique: [[left, right]]
  groups:
    fields: { slug: { type: string, unique: true } }
  rooms: { fields: { slug: { type: string, unique: true } } }
  seats: { fields: { room: { type: string, reference: rooms.slug } } }
  memberships:
    fields:
      itemId: { type: integer, reference: items.id, onDelete: cascade }
      groupId: { type: integer, reference: groups.id, onDelete: cascade }
      role: { type: string, required: true }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(open, {
    items: [{ name: 'ann', mail: 'a@b.de', left: 1, right: 2, fixed: 'x' }],
    groups: [{ slug: 'g' }],
    rooms: [{ slug: 'a' }],
    seats: [{ room: 'a' }],
  });
});
afterAll(() => both?.stop());

interface Problem {
  readonly field: string;
  readonly rule: string;
  readonly params: object;
}

const seen = new Set<string>();

/** The problems of an answer without their texts, which are there. */
function rulesOf(body: {
  validationErrors?: readonly (Problem & { readonly error: string })[];
  errors?: readonly (Problem & { readonly message: string })[];
}): readonly unknown[] {
  const all: readonly object[] = body.validationErrors ?? body.errors ?? [];
  return all.map((problem) => {
    const text = body.validationErrors === undefined ? 'message' : 'error';
    expect(Object.keys(problem)).toEqual(['field', text, 'rule', 'params']);
    const { field, rule, params } = problem as Problem;
    const declared = (ruleTable as Record<string, { params: object }>)[rule]?.params ?? {};
    for (const name of Object.keys(params)) expect(declared, rule).toHaveProperty(name);
    for (const [name, type] of Object.entries(declared) as [string, string][])
      if (!type.endsWith('?')) expect(params, rule).toHaveProperty(name);
    seen.add(rule);
    return [field, rule, params];
  });
}

type Expected = readonly [field: string, rule: string, params?: object];

const item = (more: object): object => ({ name: 'abc', ...more });

describe('a write', () => {
  const rows: readonly (readonly [string, object, number, ...Expected[]])[] = [
    ['POST /v1/items', {}, 400, ['name', 'required']],
    ['POST /v1/items', { name: null }, 400, ['name', 'notNull']],
    ['POST /v1/items', item({ nmae: 1 }), 400, ['nmae', 'unknown', { nearest: 'name' }]],
    ['POST /v1/items', item({ xyzzy: 1 }), 400, ['xyzzy', 'unknown']],
    ['POST /v1/items', item({ shown: 1 }), 400, ['shown', 'readOnly']],
    ['POST /v1/items', item({ id: 7 }), 400, ['id', 'readOnly']],
    ['POST /v1/items', item({ parent: 1 }), 400, ['parent', 'unknown', { nearest: 'parentId' }]],
    ['POST /v1/items', item({ children: 1 }), 400, ['children', 'type', { expected: 'object' }]],
    [
      'POST /v1/items',
      {
        name: 1,
        mail: 1,
        code: 1,
        on: 1,
        at: 1,
        time: 1,
        flag: 1,
        whole: '1',
        large: true,
        price: true,
        ratio: '1',
        tags: 'a',
        specs: [],
      },
      400,
      ['name', 'type', { expected: 'string' }],
      ['mail', 'type', { expected: 'string' }],
      ['code', 'type', { expected: 'uuid' }],
      ['on', 'type', { expected: 'date' }],
      ['at', 'type', { expected: 'datetime' }],
      ['time', 'type', { expected: 'time' }],
      ['flag', 'type', { expected: 'boolean' }],
      ['whole', 'type', { expected: 'integer' }],
      ['large', 'type', { expected: 'integer' }],
      ['price', 'type', { expected: 'decimal' }],
      ['ratio', 'type', { expected: 'number' }],
      ['tags', 'type', { expected: 'array' }],
      ['specs', 'type', { expected: 'object' }],
    ],
    [
      'POST /v1/items',
      {
        name: 'A',
        mail: 'x',
        site: 'x',
        code: 'x',
        on: 'x',
        at: 'x',
        time: 'x',
        whole: 1.5,
        large: 'x',
        price: 'x',
        kind: 'c',
        tags: [],
        specs: { weight: -1 },
      },
      422,
      ['name', 'minLength', { min: 2 }],
      ['name', 'pattern', { pattern: '^[a-z]+$' }],
      ['mail', 'format', { format: 'email' }],
      ['site', 'format', { format: 'ipv4' }],
      ['code', 'format', { format: 'uuid' }],
      ['on', 'format', { format: 'date' }],
      ['at', 'format', { format: 'datetime' }],
      ['time', 'format', { format: 'time' }],
      ['whole', 'type', { expected: 'integer' }],
      ['large', 'format', { format: 'integer' }],
      ['price', 'format', { format: 'decimal' }],
      ['kind', 'enum', { values: ['a', 'b'] }],
      ['tags', 'minItems', { min: 1 }],
      ['specs.weight', 'minimum', { min: 0 }],
    ],
    [
      'POST /v1/items',
      {
        name: 'abcdef',
        site: '\0',
        whole: 0,
        large: '9223372036854775808',
        price: '0.001',
        ratio: 0.25,
        tags: ['a', 'a', 'abcd'],
      },
      422,
      ['name', 'maxLength', { max: 5 }],
      ['site', 'characters'],
      ['whole', 'minimum', { min: 1 }],
      ['large', 'range', { min: '-9223372036854775808', max: '9223372036854775807' }],
      ['price', 'decimalPlaces', { max: 2 }],
      ['ratio', 'minimum', { min: 0.5 }],
      ['tags', 'maxItems', { max: 2 }],
      ['tags', 'uniqueItems'],
      ['tags[2]', 'maxLength', { max: 3 }],
    ],
    [
      'POST /v1/items',
      { name: 'abc', whole: 10, price: '-0.02', specs: {} },
      400,
      ['whole', 'maximum', { max: 9 }],
      ['price', 'exclusiveMinimum', { min: 0 }],
      ['price', 'multipleOf', { of: '0.05' }],
      ['specs.weight', 'required'],
    ],
    [
      'POST /v1/items',
      item({ price: '50.50' }),
      422,
      ['price', 'exclusiveMaximum', { max: '50.5' }],
    ],
    [
      'POST /v1/items',
      item({ price: '10000' }),
      422,
      ['price', 'range', { min: '-9999.99', max: '9999.99' }],
    ],
    ['POST /v1/items', item({ mail: 'a@b.de' }), 422, ['mail', 'unique']],
    [
      'POST /v1/items',
      item({ left: 1, right: 2 }),
      422,
      ['left', 'unique', { fields: ['left', 'right'] }],
      ['right', 'unique', { fields: ['left', 'right'] }],
    ],
    [
      'POST /v1/items',
      item({ parentId: 99 }),
      422,
      ['parentId', 'reference', { resource: 'items' }],
    ],
    [
      'POST /v1/items',
      item({ groups: [{ id: 9, pivot: { role: 'r' } }] }),
      422,
      ['groups[0]', 'reference', { resource: 'groups' }],
    ],
    [
      'POST /v1/items',
      item({ groups: [{ pivot: { rol: 1 }, x: 1 }] }),
      400,
      ['groups[0].x', 'unknown', { known: ['id', 'pivot'] }],
      ['groups[0].id', 'required'],
    ],
    [
      'PATCH /v1/items/1',
      { groups: { add: [{ id: 1, pivot: { role: 'r' } }], remove: [1] } },
      400,
      ['groups.add[0]', 'conflict'],
    ],
    ['PATCH /v1/items/1', { fixed: 'y' }, 400, ['fixed', 'immutable']],
    ['PATCH /v1/rooms/1', { slug: 'b' }, 422, ['slug', 'referenced']],
    ['PATCH /v1/items/1', { secret: { increment: 1 } }, 400, ['secret', 'forbidden']],
    ['PATCH /v1/items/1', { id: 2 }, 400, ['id', 'conflict']],
    [
      'PATCH /v1/items/1',
      { left: { increment: 'x' } },
      400,
      ['left.increment', 'type', { expected: 'integer' }],
    ],
    ['PATCH /v1/items/1', { whole: { increment: 1 } }, 422, ['whole', 'notNull']],
    [
      'PATCH /v1/items/1',
      { children: { update: [{ id: 77, name: 'abc' }] } },
      422,
      ['children.update[0]', 'reference', { resource: 'items' }],
    ],
    [
      'POST /v1/_batch',
      [
        { method: 'GET', path: 'x' },
        { method: 'DELETE', path: '/items/1', headers: { host: 'a' } },
      ],
      400,
      ['[0].method', 'enum', { values: ['POST', 'PUT', 'PATCH', 'DELETE'] }],
      ['[0].path', 'format', { format: 'path' }],
      [
        '[1].headers.host',
        'unknown',
        { known: ['If-Match', 'If-None-Match', 'Prefer', 'Content-Type'] },
      ],
    ],
  ];
  test.each(
    rows.map(([request, body, status, ...expected]) => ({ request, body, status, expected })),
  )('$request, $expected', async ({ request, body, status, expected }) => {
    const answer = await ask(both, request, body);
    expect([answer.status, ...rulesOf(answer.body)], answer.text).toEqual([
      status,
      ...expected.map(([field, rule, params = {}]) => [field, rule, params]),
    ]);
  });

  test.each<readonly [string, string, string, object]>([
    [
      '{"name":"abc","ratio":1e999}',
      'ratio',
      'range',
      { min: -Number.MAX_VALUE, max: Number.MAX_VALUE },
    ],
    [
      `{"name":"abc","data":1${'0'.repeat(2000)}}`,
      'data',
      'range',
      { min: -Number.MAX_VALUE, max: Number.MAX_VALUE },
    ],
    [`{"name":"abc","data":0.${'1'.repeat(2000)}}`, 'data', 'digits', { max: 400 }],
    [
      '{"name":"abc","whole":9007199254740993}',
      'whole',
      'range',
      { min: -(2 ** 53 - 1), max: 2 ** 53 - 1 },
    ],
  ])('a number that is too large, %#', async (text, field, rule, params) => {
    const answer = await both.send('POST', '/v1/items', Buffer.from(text), {
      'content-type': 'application/json',
    });
    expect(rulesOf(answer.body), answer.text).toEqual([[field, rule, params]]);
  });

  test('nested too deeply', async () => {
    let body = item({});
    for (let level = 0; level < 6; level += 1) body = item({ children: { create: [body] } });
    const answer = await both.send('POST', '/v1/items', body);
    const path = Array.from({ length: 6 }, () => 'children').join('.create[0].');
    expect(rulesOf(answer.body)).toEqual([[path, 'depth', { max: 5 }]]);
  });
});

describe('a query', () => {
  const rows: readonly (readonly [string, ...Expected[]])[] = [
    ['limitt=1', ['limitt', 'parameter']],
    ['page=0', ['page', 'parameter']],
    ['whole=x', ['whole', 'filter']],
    ['whole_gtee=1', ['whole_gtee', 'parameter']],
    ['sort=-nmae,name', ['sort', 'sort']],
    ['cursor=x', ['cursor', 'cursor']],
    ['page=1&offset=1', ['offset', 'conflict']],
    ['fields=name&exclude=mail', ['exclude', 'conflict']],
    ['limit=51', ['limit', 'limit', { max: 50 }]],
    ['whole=1&whole=2&whole=3&whole=4', ['whole', 'limit', { max: 3 }]],
    ['sort=name,mail,site,code,on,at,time,flag,whole', ['sort', 'limit', { max: 8 }]],
    ['expand=parent.parent.parent.parent', ['expand', 'depth', { max: 3 }]],
    ['maxDepth=9&expand=parent', ['maxDepth', 'depth', { max: 5 }]],
    [
      'whole=x&limit=51&nmae=1',
      ['whole', 'filter'],
      ['limit', 'limit', { max: 50 }],
      ['nmae', 'parameter'],
    ],
  ];
  test.each(rows.map(([query, ...expected]) => ({ query, expected })))(
    '$query',
    async ({ query, expected }) => {
      const answer = await both.get(`/v1/items?${query}`);
      expect([answer.status, ...rulesOf(answer.body)], answer.text).toEqual([
        400,
        ...expected.map(([field, rule, params = {}]) => [field, rule, params]),
      ]);
    },
  );
});

test('every rule of the table that no other test shows', () => {
  // A rule of the database, an index that is full, a sandbox and own code need more than these resources.
  const elsewhere = ['custom', 'database', 'maxBytes', 'record'];
  expect([...seen, ...elsewhere].toSorted()).toEqual(Object.keys(ruleTable).toSorted());
});
