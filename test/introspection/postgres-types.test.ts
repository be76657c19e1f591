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

test('an enum without values, and a type that nobody knows', () => {
  expect(fieldFor('none', enums)).toEqual({ type: 'string' });
  expect(managedField('none', enums)).toEqual({ left: 'its type none has no values' });
  expect(fieldFor('geometry(Point,4326)', enums)).toEqual({ type: 'string' });
  expect(declaredType('numeric(10,2)')).toEqual({ name: 'numeric', digits: [10, 2] });
});

test('a table with a column of each is served as it is introspected', async () => {
  const columns = types.map(([type], index) => `c${index} ${type}`).join(', ');
  const values = types.map(([, value]) => `'${value}'`).join(', ');
  const sql = `CREATE TYPE mood AS ENUM ('fine', 'bad'); CREATE TABLE things (id integer PRIMARY KEY, ${columns}); INSERT INTO things VALUES (1, ${values});`;
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
