import { expect, test } from 'vitest';
import { declaredType } from '../../src/databases/postgres/native-types.ts';
import { specificationText } from '../../src/introspection/document.ts';
import { fieldFor, managedField } from '../../src/introspection/postgres/types.ts';
import { existingPostgres } from '../support/existing.ts';
import { draftFromPostgres } from '../support/introspect.ts';

// What each type of PostgreSQL becomes, for tables of others and for those that migrate takes over. See
// docs/contract/8-existing-databases.md#types.
const enums = new Map([
  ['mood', ['fine', 'bad']],
  ['none', []],
]);
const left = (reason: string): object => ({ left: reason });

/** The type as PostgreSQL writes it, a value, the field, and what is different of a managed one. */
const types: readonly (readonly [type: string, value: string, field: object, managed?: object])[] =
  [
    ['smallint', '1', { type: 'integer' }],
    ['integer', '1', { type: 'integer' }],
    ['bigint', '1', { type: 'integer' }],
    ['real', '1.5', { type: 'number' }, left('it is of type real, whose values')],
    ['double precision', '1.5', { type: 'number' }],
    ['numeric(10,2)', '1.50', { type: 'decimal', precision: 10, scale: 2 }],
    ['numeric(5,0)', '1', { type: 'decimal', precision: 5, scale: 0 }],
    ['numeric(30,2)', '1.50', { type: 'decimal', scale: 'any' }],
    ['numeric(2,-1)', '10', { type: 'decimal', scale: 'any' }],
    ['numeric(2,4)', '0.0012', { type: 'decimal', scale: 'any' }],
    ['numeric', '1.5', { type: 'decimal', scale: 'any' }],
    ['money', '1.50', { type: 'decimal', scale: 2 }, left('the type money')],
    ['boolean', 'true', { type: 'boolean' }],
    ['text', 'x', { type: 'string' }],
    ['character varying(5)', 'x', { type: 'string' }, { type: 'string', maxLength: 5 }],
    ['character(5)', 'x', { type: 'string' }, { type: 'string', maxLength: 5 }],
    ['name', 'x', { type: 'string' }, left('the type name')],
    ['uuid', '0191a2b3-0000-4000-8000-000000000001', { type: 'uuid' }],
    ['date', '2026-03-01', { type: 'date' }],
    ['time without time zone', '10:00:00', { type: 'time' }],
    ['time(0) without time zone', '10:00:00', { type: 'time' }],
    [
      'time with time zone',
      '10:00:00+02',
      { type: 'string', format: 'timetz' },
      left('the type time with time zone'),
    ],
    [
      'timestamp with time zone',
      '2026-03-01T10:00:00Z',
      { type: 'datetime', precision: 6 },
      { type: 'datetime' },
    ],
    ['timestamp(3) without time zone', '2026-03-01T10:00:00Z', { type: 'datetime' }],
    [
      'timestamp(0) without time zone',
      '2026-03-01T10:00:00Z',
      { type: 'datetime', precision: 0 },
      { type: 'datetime' },
    ],
    ['interval', 'P1D', { type: 'string', format: 'interval' }, left('the type interval')],
    ['json', '{"a": 1}', { type: 'json' }],
    ['jsonb', '{"a": 1}', { type: 'json' }],
    ['bytea', '\\x00', { type: 'string', format: 'base64' }, left('it holds binary data')],
    ['inet', '10.0.0.1', { type: 'string', format: 'inet' }, left('the type inet')],
    ['bit(3)', '101', { type: 'string', format: 'bit' }, left('the type bit')],
    ['bit varying(3)', '1', { type: 'string', format: 'varbit' }, left('the type bit varying')],
    ['tsvector', 'a b', { type: 'string', format: 'tsvector' }, left('the type tsvector')],
    ['pair', '(1,x)', { type: 'string', format: 'pair' }, left('the type pair')],
    ['slug', '(x)', { type: 'string', format: '"slug"' }, left('the type slug')],
    ['mood', 'fine', { type: 'enum', values: ['fine', 'bad'] }],
    ['integer[]', '{1,NULL}', { type: 'array', items: { type: 'integer', nullable: true } }],
    [
      'mood[]',
      '{fine}',
      { type: 'array', items: { type: 'enum', values: ['fine', 'bad'], nullable: true } },
    ],
    [
      'inet[]',
      '{10.0.0.1}',
      { type: 'array', items: { type: 'string', format: 'inet', nullable: true } },
      left('arrays of inet are not served'),
    ],
    [
      'numeric(10,2)[]',
      '{1.50}',
      { type: 'array', items: { type: 'decimal', precision: 10, scale: 2, nullable: true } },
      left('arrays of numeric(10,2) are not served'),
    ],
  ];

const cases = types.map(([type, , field, managed = field]) => ({ type, field, managed }));

test.each(cases)('$type', ({ type, field, managed }) => {
  expect(fieldFor(type, enums)).toEqual(field);
  const found = managedField(type, enums);
  if ('left' in managed)
    expect(found).toEqual({ left: expect.stringContaining(String(managed.left)) as string });
  else expect(found).toMatchObject({ attributes: managed });
});

test('an enum without values, and types that nobody knows', () => {
  expect(fieldFor('none', enums)).toEqual({ type: 'string', format: 'none' });
  expect(managedField('none', enums)).toEqual({ left: 'its type none has no values' });
  for (const [type, format] of [
    ['geometry(Point,4326)', 'geometry'],
    ['sales."Net Weight"', 'sales."Net Weight"'],
    // These would be taken for formats of strings.
    ['url', '"url"'],
    ['urls', '"urls"'],
  ] as const)
    expect(fieldFor(type, enums)).toEqual({ type: 'string', format });
  expect(declaredType('numeric(10,2)')).toEqual({ name: 'numeric', digits: [10, 2] });
});

test('a table with a column of each is served as it is introspected', async () => {
  const columns = types.map(([type], index) => `c${index} ${type}`).join(', ');
  const values = types.map(([, value]) => `'${value}'`).join(', ');
  const sql = `CREATE TYPE mood AS ENUM ('fine', 'bad'); CREATE TYPE pair AS (a integer, b text); CREATE TYPE slug AS (a text); CREATE TABLE things (id integer PRIMARY KEY, ${columns}); INSERT INTO things VALUES (1, ${values});`;
  const draft = await draftFromPostgres(sql);
  const fields = draft.resources[0]?.fields.map(({ attributes }) => attributes);
  expect(fields).toEqual([{ type: 'id', required: true }, ...types.map(([, , field]) => field)]);
  const text = `access: public\n${specificationText(draft, [], undefined)}`;
  const { api, next, stop } = await existingPostgres(text, sql);
  try {
    expect(await next()).toEqual([]);
    const { status, body } = await api.get('/v1/things/1');
    expect([status, Object.values(body as object)]).toEqual([
      200,
      expect.not.arrayContaining([null]),
    ]);
  } finally {
    await stop();
  }
});

/** A value that the usual field of a type lacks: the field that has it too, and the comment that says why. */
const odd: readonly (readonly [type: string, value: string, field: object, comment?: string])[] = [
  ['date', 'infinity', { type: 'string' }, '1 value is outside the years 1 to 9999.'],
  ['timestamptz', '-infinity', { type: 'string' }, '1 value is outside the years 1 to 9999.'],
  ['timestamp', '10000-01-01 00:00:00', { type: 'string' }, '1 value is outside the years 1 to'],
  ['time', '10:00:00.5', { type: 'string' }, '1 value has fractions of a second.'],
  ['bigint', '9007199254740993', { type: 'integer', format: 'bigint' }],
];

test('a column with a value that its usual field lacks has a wider one, and is served', async () => {
  const sql = `CREATE TABLE things (id integer PRIMARY KEY, ${odd.map(([type], at) => `c${at} ${type}`).join(', ')});
    INSERT INTO things VALUES (1, ${odd.map(([, value]) => `'${value}'`).join(', ')});`;
  const draft = await draftFromPostgres(sql);
  const fields = draft.resources[0]?.fields.slice(1) ?? [];
  expect(fields.map(({ attributes }) => attributes)).toEqual(odd.map(([, , field]) => field));
  const text = `access: public\n${specificationText(draft, [], undefined)}`;
  for (const [, , , comment] of odd)
    if (comment !== undefined) expect(text).toContain(`# ${comment}`);
  const { api, next, stop } = await existingPostgres(text, sql);
  try {
    expect(await next()).toEqual([]);
    const values = odd.map(([, value], at) => [`c${at}`, value] as const);
    expect((await api.get('/v1/things/1')).body).toEqual({ id: 1, ...Object.fromEntries(values) });
    for (const [name, value] of values)
      expect((await api.get(`/v1/things?${name}=${value}`)).body).toHaveLength(1);
  } finally {
    await stop();
  }
});

test('domains are their base type, with what their CHECK says', async () => {
  const draft = await draftFromPostgres(`
    CREATE TYPE mood AS ENUM ('fine', 'bad');
    CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
    CREATE DOMAIN half AS percent CHECK (VALUE <= 50);
    CREATE DOMAIN state AS text CHECK (VALUE IN ('open', 'closed'));
    CREATE DOMAIN code AS varchar(9) CHECK (VALUE ~ '^[A-Z]+$' AND length(VALUE) >= 2);
    CREATE DOMAIN price AS numeric(6,2) CHECK (VALUE > 0);
    CREATE DOMAIN temper AS mood;
    CREATE TABLE things (id integer PRIMARY KEY, a percent, b half, c state, d code, e price, f temper, g percent[], h price[]);`);
  const fields = draft.resources[0]?.fields.slice(1) ?? [];
  expect(fields.map(({ attributes }) => attributes)).toEqual([
    { type: 'integer', minimum: 0, maximum: 100 },
    { type: 'integer', minimum: 0, maximum: 50 },
    { type: 'enum', values: ['open', 'closed'] },
    { type: 'string', pattern: '^[A-Z]+$', minLength: 2 },
    { type: 'decimal', precision: 6, scale: 2, exclusiveMinimum: 0 },
    { type: 'enum', values: ['fine', 'bad'] },
    { type: 'array', items: { type: 'integer', nullable: true } },
    { type: 'array', items: { type: 'decimal', precision: 6, scale: 2, nullable: true } },
  ]);
});
