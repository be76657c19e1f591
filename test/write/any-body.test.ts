import Driver from 'better-sqlite3';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { seed } from '../support/seed.ts';
import { ask } from '../server/exchanges.ts';

const specification = `
resources:
  groups: { fields: { name: { type: string } } }
  things:
    timestamps: true
    unique: [[string, integer]]
    fields:
      string: { type: string, required: true, minLength: 1 }
      integer: { type: integer, minimum: -10 }
      number: { type: number }
      decimal: { type: decimal }
      boolean: { type: boolean, default: true }
      datetime: { type: datetime, default: now }
      uuid: { type: uuid, unique: true }
      enum: { type: enum, values: [a, b] }
      object: { type: object, properties: { a: { type: integer }, b: { type: array, items: { type: string } } } }
      array: { type: array, items: { type: json } }
      json: { type: json }
      fixed: { type: json, immutable: true }
      shown: { type: integer, readOnly: true }
      secret: { type: text, writeOnly: true }
      groupId: { type: integer, reference: groups.id }
      group: { type: relation, relation: belongsTo, resource: groups }
      parentId: { type: integer, reference: things.id }
      owned: { type: relation, relation: morphTo, resources: [groups, things] }
`;

let api: TestApi;
let rows: Driver.Statement<[], string>;
beforeAll(async () => {
  const thing = { string: 'a', integer: 1, fixed: [1] };
  api = await serveBoth(specification, {
    groups: [{}, {}],
    things: [thing, { ...thing, integer: 2 }],
  });
  const { name } = (api.servedApi.database as SqliteDatabase).schemaConnection;
  const columns = [
    'id',
    'string',
    'integer',
    'object',
    'json',
    'fixed',
    'groupId',
    'parentId',
    'updatedAt',
  ];
  rows = new Driver(name, { readonly: true })
    .prepare<[], string>(`SELECT json_group_array(json_array(${columns.join(', ')})) FROM things`)
    .pluck();
});
afterAll(() => api.stop());

/** JSON as text, since not every number that can be written survives being a value here. */
const numbers = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom(
    '0',
    '1',
    '2',
    '3',
    '-0',
    '1.0',
    '1e2',
    '1E+2',
    '1e999',
    '-1e999',
    '1e-999',
    '9007199254740991',
    '9007199254740993',
    '0.10',
    '1.005',
    '123456789012345678.99',
    '4.9e-324',
    '1e21',
    '01',
    '.5',
    'NaN',
  ),
  fc.integer({ min: 1, max: 800 }).map((length) => '7'.repeat(length)),
);
const strings = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '',
      'a',
      'b',
      '\0',
      '\ud800',
      '\udfff\ud83d',
      'é\u0301',
      '😀',
      '2026-03-01',
      '2026-03-01T00:00:00+01:00',
      '0b5e7c2a-0000-4000-8000-00000000000a',
      '19.90',
      'groups',
      'things',
      "'; DROP TABLE things; --",
    ),
  )
  .map((text) => JSON.stringify(text));
const fields = [
  'id',
  'string',
  'integer',
  'number',
  'decimal',
  'boolean',
  'datetime',
  'uuid',
  'enum',
  'object',
  'array',
  'json',
  'fixed',
  'shown',
  'secret',
  'groupId',
  'group',
  'parentId',
  'ownedType',
  'ownedId',
  'createdAt',
  'a',
  'b',
];
const names = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...fields).map((name) => JSON.stringify(name)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"__proto__"', '"constructor"', '"toString"', '"then"', '"toJSON"'),
  },
  { weight: 1, arbitrary: strings },
);
const deep = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(['[', ']'], ['{"a":', '}']))
  .map(([depth, [open, close]]) => `${open?.repeat(depth)}1${close?.repeat(depth)}`);
const { object, value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    numbers,
    strings,
    tie('array'),
    tie('object'),
    deep,
  ),
  array: fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .array(fc.tuple(names, tie('value')), { maxLength: 6 })
    .map((members) => `{${members.map(([name, inner]) => `${name}:${inner}`).join(',')}}`),
}));

/** Bodies that have a chance: right types in most members, one that may be wrong. */
const likely = fc
  .tuple(
    fc.record(
      {
        string: fc.oneof(
          fc.constant('"a"'),
          fc.uuid().map((text) => JSON.stringify(text)),
        ),
        integer: fc.constantFrom('1', '2', '3', 'null'),
        decimal: fc.constantFrom('"1.5"', '2'),
        object: fc.constantFrom('{}', '{"a":1}', 'null'),
        groupId: fc.constantFrom('1', '1', '2', '2', '99', 'null'),
        parentId: fc.constantFrom('1', '1', '2', '2', '99', 'null'),
      },
      { requiredKeys: ['string'] },
    ),
    fc.option(fc.tuple(names, value), { freq: 1 }),
  )
  .map(([members, more]) => {
    const texts = Object.entries(members).map(([name, text]) => `"${name}":${text}`);
    return `{${[...texts, ...(more === null ? [] : [more.join(':')])].join(',')}}`;
  });

const bodies: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 12, arbitrary: likely },
  { weight: 4, arbitrary: object },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(likely, value), { maxLength: 4 })
      .map((items) => `[${items.join(',')}]`),
  },
  { weight: 1, arbitrary: value },
  {
    weight: 1,
    arbitrary: fc.tuple(object, fc.nat(200)).map(([text, length]) => text.slice(0, length)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
);

const requests = fc
  .tuple(
    fc.constantFrom(
      'POST /v1/things',
      'POST /v1/things',
      'POST /v1/things',
      'PUT /v1/things/1',
      'PATCH /v1/things/1',
      'PATCH /v1/things/2',
      'PUT /v1/things/99999',
      'PATCH /v1/things/x',
    ),
    fc.constantFrom(
      '',
      '',
      '',
      '',
      '?fields=string',
      '?expand=group,owned',
      '?nope=1',
      '?exclude=%00',
    ),
  )
  .map((parts) => parts.join(''));

test('any body is answered 2xx or 4xx, and 4xx leaves every row as it was', async () => {
  const counted = { good: 0, bad: 0 };
  await fc.assert(
    fc.asyncProperty(requests, bodies, async (request, body) => {
      const before = rows.get();
      const answer = await ask(api, request, body, { 'content-type': 'application/json' });
      expect(api.failures).toEqual([]);
      if (answer.status >= 200 && answer.status < 300) {
        counted.good += 1;
        const [first] = Array.isArray(answer.body) ? answer.body : [answer.body];
        if (first !== undefined && !request.includes('?')) {
          const read = await api.get(`/v1/things/${first.id}`);
          expect(read.body).toEqual(first);
        }
      } else {
        counted.bad += 1;
        expect([400, 404, 422]).toContain(answer.status);
        expect(answer.body).toMatchObject({ status: answer.status, code: expect.any(String) });
        expect(rows.get()).toBe(before);
      }
    }),
    { numRuns: 1_000, seed },
  );
  // The bodies are worth something only where some of each are among them.
  expect(counted.good).toBeGreaterThan(50);
  expect(counted.bad).toBeGreaterThan(50);
  expect((await api.get('/v1/things/1')).status).toBe(200);
});
