import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { neededSteps } from '../../src/migrations/steps.ts';
import { existingPostgres, type Existing } from '../support/existing.ts';
import type { JsonValue } from '../../src/specification/specification.ts';

/**
 * A column of each type as PostgreSQL has it, without a migration. See
 * docs/contract/8-existing-databases.md#types. `values` are those of the records 1 and 2, in SQL and on the wire, in
 * ascending order; record 3 has none. `written` is a third value, which a create sends.
 */
interface Column {
  readonly type: string;
  readonly field: string;
  readonly sql: readonly [string, string];
  readonly wire: readonly [JsonValue, JsonValue];
  readonly written: JsonValue;
  /** Whether it has an order. */
  readonly isSorted?: false;
  /** Filters of one value that keep record 1 alone; by default by the value itself. */
  readonly finds?: readonly string[];
  /** Values that are refused, with the status. */
  readonly refused?: readonly JsonValue[];
}

const same = (value: JsonValue, other: JsonValue): Pick<Column, 'wire'> => ({
  wire: [value, other],
});

const columns: Readonly<Record<string, Column>> = {
  small: {
    type: 'smallint',
    field: '{ type: integer }',
    sql: ['1', '2'],
    ...same(1, 2),
    written: -32_768,
    refused: [32_768, -32_769, 1.5],
  },
  whole: {
    type: 'integer',
    field: '{ type: integer }',
    sql: ['-5', '70000'],
    ...same(-5, 70_000),
    written: 2_147_483_647,
    refused: [2_147_483_648],
  },
  big: {
    type: 'bigint',
    field: '{ type: integer }',
    sql: ['-9007199254740991', '9007199254740991'],
    ...same(-9_007_199_254_740_991, 9_007_199_254_740_991),
    written: 0,
  },
  positive: {
    type: 'positive',
    field: '{ type: integer }',
    sql: ['1', '2'],
    ...same(1, 2),
    written: 3,
    refused: [2_147_483_648],
  },
  single: {
    type: 'real',
    field: '{ type: number }',
    sql: ['0.1', '2.5'],
    ...same(0.1, 2.5),
    written: -0.3,
    refused: [1e39],
  },
  double: {
    type: 'double precision',
    field: '{ type: number }',
    sql: ['0.1', '1e300'],
    ...same(0.1, 1e300),
    written: 1e-300,
  },
  price: {
    type: 'numeric(8,2)',
    field: '{ type: decimal, precision: 8, scale: 2 }',
    sql: ['-19.9', '5'],
    ...same('-19.90', '5.00'),
    written: '7.05',
    refused: ['1.234', '1000000.00'],
  },
  cash: {
    type: 'money',
    field: '{ type: decimal, scale: 2 }',
    sql: ['-1234.5::numeric', '7'],
    ...same('-1234.50', '7.00'),
    written: '0.01',
  },
  flag: {
    type: 'boolean',
    field: '{ type: boolean }',
    sql: ['false', 'true'],
    ...same(false, true),
    written: true,
  },
  long: {
    type: 'text',
    field: '{ type: text }',
    sql: ["'a'", "'b'"],
    ...same('a', 'b'),
    written: 'ä "quoted" \\ {x}',
  },
  short: {
    type: 'varchar(5)',
    field: '{ type: string }',
    sql: ["'abc'", "'b'"],
    ...same('abc', 'b'),
    written: '12345',
    refused: ['123456'],
  },
  fixed: {
    type: 'char(4)',
    field: '{ type: string }',
    sql: ["'ab'", "'zz'"],
    ...same('ab', 'zz'),
    written: 'q',
    refused: ['12345'],
  },
  named: {
    type: 'name',
    field: '{ type: string }',
    sql: ["'ab'", "'zz'"],
    ...same('ab', 'zz'),
    written: 'q',
  },
  caseless: {
    type: 'citext',
    field: '{ type: string }',
    sql: ["'alice'", "'Bob'"],
    ...same('alice', 'Bob'),
    written: 'Zoe',
    finds: ['=ALICE', '_in=ALICE,x', '_lt=BOB', '_ilike=LIC'],
  },
  mood: {
    type: 'mood',
    field: '{ type: enum, values: [sad, happy, "so so"] }',
    sql: ["'sad'", "'happy'"],
    ...same('sad', 'happy'),
    written: 'so so',
    refused: ['angry'],
  },
  code: {
    type: 'uuid',
    field: '{ type: uuid }',
    sql: ["'00000000-0000-7000-8000-000000000001'", "'00000000-0000-7000-8000-000000000002'"],
    ...same('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'),
    written: '00000000-0000-7000-8000-000000000009',
  },
  day: {
    type: 'date',
    field: '{ type: date }',
    sql: ["'2026-02-28'", "'2026-03-01'"],
    ...same('2026-02-28', '2026-03-01'),
    written: '0001-01-01',
  },
  clock: {
    type: 'time',
    field: '{ type: time }',
    sql: ["'08:00'", "'14:05:09'"],
    ...same('08:00:00', '14:05:09'),
    written: '23:59:59',
  },
  at: {
    type: 'timestamptz(3)',
    field: '{ type: datetime }',
    sql: ["'2026-03-01 14:05:00.123+00'", "'2026-03-01 14:05:00.2+00'"],
    ...same('2026-03-01T14:05:00.123Z', '2026-03-01T14:05:00.200Z'),
    written: '2026-03-01T14:05:00.000Z',
  },
  local: {
    type: 'timestamp(3)',
    field: '{ type: datetime }',
    sql: ["'2026-03-01 14:05:00.123'", "'2026-03-01 14:05:00.2'"],
    ...same('2026-03-01T14:05:00.123Z', '2026-03-01T14:05:00.200Z'),
    written: '9999-12-31T23:59:59.999Z',
  },
  span: {
    type: 'interval',
    field: '{ type: string, format: interval }',
    sql: ["'2 hours'", "'1 day 02:00'"],
    ...same('PT2H', 'P1DT2H'),
    written: 'P1M',
    finds: ['=PT2H', '=PT120M'],
    refused: ['soon'],
  },
  address: {
    type: 'inet',
    field: '{ type: string, format: inet }',
    sql: ["'10.0.0.1/8'", "'192.168.1.1'"],
    ...same('10.0.0.1/8', '192.168.1.1'),
    written: '::1',
    refused: ['10.0.0.256'],
  },
  place: {
    type: 'point',
    field: '{ type: string, format: point }',
    sql: ["'(1,2)'", "'(3,4)'"],
    ...same('(1,2)', '(3,4)'),
    written: '(5,6)',
    isSorted: false,
    refused: ['here'],
  },
  spec: {
    type: 'json',
    field: '{ type: object, properties: { a: { type: integer }, b: { type: string } } }',
    sql: [`'{"b":"x","a":1}'`, `'{"a":2}'`],
    ...same({ a: 1, b: 'x' }, { a: 2 }),
    written: { a: 3, b: 'ä' },
    isSorted: false,
    finds: ['.a=1', '.a_lt=2', '.b_ilike=X', '.b_exists=true'],
  },
  extra: {
    type: 'jsonb',
    field: '{ type: json }',
    sql: [`'{"b":"x","a":1}'`, `'[1]'`],
    ...same({ a: 1, b: 'x' }, [1]),
    written: 'text',
    isSorted: false,
    finds: ['.a=1', '.b=x'],
  },
  pairs: {
    type: 'hstore',
    field: '{ type: object }',
    sql: ["'k=>v'", "''"],
    ...same({ k: 'v' }, {}),
    written: { a: 'b', c: null },
    isSorted: false,
    finds: ['.k=v'],
  },
  texts: {
    type: 'text[]',
    field: '{ type: array, items: { type: string, nullable: true } }',
    sql: [`'{a,"b c"}'`, "'{d,NULL}'"],
    ...same(['a', 'b c'], ['d', null]),
    written: ['x"y', '\\', '', 'NULL', '{}'],
    finds: ['_contains=b c', '_containsAll=a,b c', '_containsAny=a,z'],
  },
  numbers: {
    type: 'integer[]',
    field: '{ type: array, items: { type: integer } }',
    sql: ["'{1,2}'", "'{3}'"],
    ...same([1, 2], [3]),
    written: [],
    finds: ['_contains=2', '_containsAll=1,2', '_containsAny=2,9'],
  },
  flags: {
    type: 'boolean[]',
    field: '{ type: array, items: { type: boolean } }',
    sql: ["'{f}'", "'{t}'"],
    ...same([false], [true]),
    written: [true, false],
    finds: ['_contains=false'],
    isSorted: false,
  },
  moods: {
    type: 'mood[]',
    field: '{ type: array, items: { type: enum, values: [sad, happy, "so so"] } }',
    sql: ["'{happy}'", `'{sad,"so so"}'`],
    ...same(['happy'], ['sad', 'so so']),
    written: ['so so'],
    finds: ['_contains=happy'],
    refused: [['angry']],
  },
  moments: {
    type: 'timestamptz(3)[]',
    field: '{ type: array, items: { type: datetime } }',
    sql: [`'{"2026-03-01 14:05:00+00"}'`, `'{"2026-03-02 14:05:00+00"}'`],
    ...same(['2026-03-01T14:05:00.000Z'], ['2026-03-02T14:05:00.000Z']),
    written: ['2026-03-01T15:05:00.000Z'],
    finds: ['_contains=2026-03-01T15:05:00%2B01:00'],
  },
  prices: {
    type: 'numeric(8,2)[]',
    field: '{ type: array, items: { type: decimal, precision: 8, scale: 2 } }',
    sql: ["'{1.5,2.25}'", "'{3}'"],
    ...same(['1.50', '2.25'], ['3.00']),
    written: ['0.10'],
    finds: ['_contains=2.25', '_contains=2.250'],
  },
  exact: {
    type: 'numeric',
    field: '{ type: decimal, scale: any }',
    sql: ['-0.1', '12345678901234567890.123456789'],
    ...same('-0.1', '12345678901234567890.123456789'),
    written: '3.5',
  },
  rate: {
    type: 'numeric(19,4)',
    field: '{ type: decimal, scale: any }',
    sql: ['1.5', '100000000000000.0001'],
    ...same('1.5000', '100000000000000.0001'),
    written: '0.2500',
    finds: ['=1.5', '_in=1.50,9', '_lte=1.5'],
  },
  snowflake: {
    type: 'bigint',
    field: '{ type: integer, format: bigint }',
    sql: ['-9223372036854775808', '9223372036854775807'],
    ...same('-9223372036854775808', '9223372036854775807'),
    written: '9007199254740993',
    refused: ['9223372036854775808'],
  },
  blob: {
    type: 'bytea',
    field: '{ type: string, format: base64 }',
    sql: [String.raw`'\x00ff'`, String.raw`'\x01'`],
    ...same('AP8=', 'AQ=='),
    written: 'aGk=',
    isSorted: false,
    refused: ['%'],
  },
  network: {
    type: 'cidr',
    field: '{ type: string, format: cidr }',
    sql: ["'10.0.0.0/8'", "'192.168.0.0/16'"],
    ...same('10.0.0.0/8', '192.168.0.0/16'),
    written: '10.1.0.0/16',
    refused: ['10.0.0.1/8'],
  },
  card: {
    type: 'macaddr',
    field: '{ type: string, format: macaddr }',
    sql: ["'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'"],
    ...same('08:00:2b:01:02:03', '08:00:2b:01:02:04'),
    written: '08:00:2b:01:02:05',
    refused: ['x'],
  },
  zoned: {
    type: 'timetz',
    field: '{ type: string, format: timetz }',
    sql: ["'08:00+00'", "'14:05:09+00'"],
    ...same('08:00:00+00', '14:05:09+00'),
    written: '23:59:59+00',
    refused: ['noon'],
  },
  markup: {
    type: 'xml',
    field: '{ type: string, format: xml }',
    sql: ["'<a/>'", "'<b/>'"],
    ...same('<a/>', '<b/>'),
    written: '<c>1</c>',
    isSorted: false,
    refused: ['<a'],
  },
  path: {
    type: 'ltree',
    field: '{ type: string, format: ltree }',
    sql: ["'a.b'", "'a.c'"],
    ...same('a.b', 'a.c'),
    written: 'a.b.c',
    isSorted: false,
    refused: ['a..b'],
  },
  span4: {
    type: 'int4range',
    field: '{ type: string, format: int4range }',
    sql: ["'[1,5)'", "'[7,9)'"],
    ...same('[1,5)', '[7,9)'),
    written: '[2,3)',
    isSorted: false,
    refused: ['[2'],
  },
  bits: {
    type: 'bit(3)',
    field: '{ type: string, format: bit }',
    sql: ["B'101'", "B'110'"],
    ...same('101', '110'),
    written: '011',
    isSorted: false,
    refused: ['2'],
  },
  lexemes: {
    type: 'tsvector',
    field: '{ type: string, format: tsvector }',
    sql: ["'a b'::tsvector", "'c'::tsvector"],
    ...same("'a' 'b'", "'c'"),
    written: "'d'",
    isSorted: false,
  },
  pair: {
    type: 'pair',
    field: '{ type: string }',
    sql: ["ROW(1, 'x')::pair", "ROW(2, 'y')::pair"],
    ...same('(1,x)', '(2,y)'),
    written: '(3,z)',
    isSorted: false,
    refused: ['3'],
  },
  days: {
    type: 'date[]',
    field: '{ type: array, items: { type: date } }',
    sql: ["'{2026-02-28}'", "'{2026-03-01}'"],
    ...same(['2026-02-28'], ['2026-03-01']),
    written: ['0001-01-01'],
    finds: ['_contains=2026-02-28'],
  },
  codes: {
    type: 'uuid[]',
    field: '{ type: array, items: { type: uuid } }',
    sql: ["'{00000000-0000-7000-8000-000000000001}'", "'{00000000-0000-7000-8000-000000000002}'"],
    ...same(['00000000-0000-7000-8000-000000000001'], ['00000000-0000-7000-8000-000000000002']),
    written: ['00000000-0000-7000-8000-000000000009'],
    finds: ['_contains=00000000-0000-7000-8000-000000000001'],
  },
  doubles: {
    type: 'double precision[]',
    field: '{ type: array, items: { type: number } }',
    sql: ["'{0.1,2}'", "'{3}'"],
    ...same([0.1, 2], [3]),
    written: [1e-300],
    finds: ['_contains=0.1'],
  },
};

const names = Object.keys(columns);
const sql = `
CREATE EXTENSION citext;
CREATE EXTENSION hstore;
CREATE EXTENSION ltree;
CREATE TYPE pair AS (a integer, b text);
CREATE TYPE mood AS ENUM ('sad', 'happy', 'so so');
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
CREATE TABLE things (id serial PRIMARY KEY, ${names.map((name) => `${name} ${columns[name]?.type}`).join(', ')});
${[0, 1].map((row) => `INSERT INTO things (${names.join(', ')}) VALUES (${names.map((name) => columns[name]?.sql[row]).join(', ')});`).join('\n')}
INSERT INTO things (id) VALUES (DEFAULT);
`;
const specification = `
access: public
database: { managed: false, collation: database }
resources:
  things:
    fields:
${names.map((name) => `      ${name}: ${columns[name]?.field}`).join('\n')}
`;

let existing: Existing;
beforeAll(async () => {
  existing = await existingPostgres(specification, sql);
});
afterAll(() => existing?.stop());

async function idsOf(query: string): Promise<readonly unknown[]> {
  const { status, body } = await existing.api.get(`/things?${query}&id_lte=3&fields=id`);
  expect([query, status, status === 200 ? '' : body]).toEqual([query, 200, '']);
  return (body as { id: number }[]).map(({ id }) => id);
}

test('nothing has to be changed', () => {
  const needed = neededSteps(existing.steps);
  expect(needed.map(({ summary, obstacle }) => `${summary}: ${obstacle}`)).toEqual([]);
});

describe.each(Object.entries(columns))('%s', (name, column) => {
  const { wire, written, isSorted = true, refused = [] } = column;

  test('is read', async () => {
    const { body } = await existing.api.get(`/things?fields=${name}&id_lte=3&sort=id`);
    const values = (body as Record<string, unknown>[]).map((record) => record[name]);
    expect(values).toEqual([...wire, null]);
  });

  const value = encodeURIComponent(String(wire[0]));
  const { finds = isSorted ? [`=${value}`, `_in=${value}`, `_lte=${value}`] : [`=${value}`] } =
    column;
  test.each(
    name === 'mood' || name === 'flag' || name === 'code'
      ? [`=${value}`]
      : column.field.includes('format')
        ? finds.filter((one) => !one.startsWith('_l'))
        : finds,
  )('is found by %s', async (filter) => {
    expect(await idsOf(`${name}${filter.startsWith('.') ? filter : filter}`)).toEqual([1]);
  });

  test('is null', async () => {
    expect(await idsOf(`${name}_null=true`)).toEqual([3]);
  });

  if (isSorted) {
    test('is sorted', async () => {
      expect(await idsOf(`sort=${name}`)).toEqual([3, 1, 2]);
      expect(await idsOf(`sort=-${name}`)).toEqual([2, 1, 3]);
    });
    test('is walked by cursor', async () => {
      const seen: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null && seen.length < 4;) {
        const query = `sort=${name}&id_lte=3&limit=1&fields=id&cursor=${cursor}`;
        const { status, body } = await existing.api.get(`/things?${query}`);
        expect(status).toBe(200);
        seen.push(body.data[0]?.id);
        cursor = body.next_cursor as string | null;
      }
      expect(seen).toEqual([3, 1, 2]);
    });
  }

  test('is written', async () => {
    const created = await existing.api.send('POST', '/things', { [name]: written });
    expect([created.status, (created.body as Record<string, unknown>)[name]]).toEqual([
      201,
      written,
    ]);
    const { id } = created.body as { id: number };
    const changed = await existing.api.send('PATCH', `/things/${id}`, { [name]: wire[0] });
    expect([changed.status, (changed.body as Record<string, unknown>)[name]]).toEqual([
      200,
      wire[0],
    ]);
    const emptied = await existing.api.send('PATCH', `/things/${id}`, { [name]: null });
    expect([emptied.status, (emptied.body as Record<string, unknown>)[name]]).toEqual([200, null]);
    expect((await existing.api.send('DELETE', `/things/${id}`)).status).toBe(204);
  });

  test.each(refused)('refuses %j', async (bad) => {
    const { status } = await existing.api.send('POST', '/things', { [name]: bad });
    expect([400, 422]).toContain(status);
  });
});

test.each([
  'whole=99999999999',
  'small_in=70000',
  'id=99999999999',
  'single=1e39',
  'address=x',
  'span=x',
  'place=x',
])('a filter beyond what the column holds finds nothing: %s', async (filter) => {
  const { status } = await existing.api.get(`/things?${filter}`);
  expect([200, 400]).toContain(status);
});

test('an id beyond the column is not found', async () => {
  for (const id of ['2147483648', '9007199254740991'])
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        (
          await existing.api.send(
            method,
            `/things/${id}`,
            method === 'PATCH' ? { small: 1 } : undefined,
          )
        ).status,
      ).toBe(404);
});
