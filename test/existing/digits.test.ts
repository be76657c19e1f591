import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existingPostgres, type Existing } from '../support/existing.ts';
import type { JsonValue } from '../../src/specification/specification.ts';

// The digits of a column are those of its field, whatever the file says of them: what is shown is found and can be sent
// again, and what the column would round is refused. See docs/contract/8-existing-databases.md#types, rule 3.
interface Column {
  readonly type: string;
  readonly field: string;
  readonly sql: string;
  readonly wire: JsonValue;
  /** Whether the file allows fewer digits than are stored, so that the value cannot be sent. */
  readonly isFiner?: true;
  readonly refused: JsonValue;
}

const finest = '2026-03-01T14:05:00.123456Z';
const sql = `'${finest}'`;

const columns: Readonly<Record<string, Column>> = {
  moment: { type: 'timestamptz', field: 'datetime', sql, wire: finest, refused: 'soon' },
  local: { type: 'timestamp', field: 'datetime', sql, wire: finest, refused: 'soon' },
  second: {
    type: 'timestamptz(0)',
    field: 'datetime',
    sql,
    wire: '2026-03-01T14:05:00Z',
    refused: '2026-03-01T14:05:00.5Z',
  },
  coarser: {
    type: 'timestamp(3)',
    field: 'datetime, precision: 6',
    sql,
    wire: '2026-03-01T14:05:00.123Z',
    refused: finest,
  },
  finer: {
    type: 'timestamptz',
    field: 'datetime, precision: 3',
    sql,
    wire: finest,
    isFiner: true,
    refused: finest,
  },
  moments: {
    type: 'timestamptz(2)[]',
    field: 'array, items: { type: datetime }',
    sql: `ARRAY[${sql}]::timestamptz[]`,
    wire: ['2026-03-01T14:05:00.12Z'],
    refused: ['2026-03-01T14:05:00.123Z'],
  },
  price: {
    type: 'numeric(10,4)',
    field: 'decimal',
    sql: '1.2345',
    wire: '1.2345',
    refused: '1.23456',
  },
  rounded: {
    type: 'numeric(8,2)',
    field: 'decimal, scale: 4',
    sql: '1.2345',
    wire: '1.23',
    refused: '1.234',
  },
  shorter: {
    type: 'numeric(10,4)',
    field: 'decimal, precision: 6, scale: 2',
    sql: '1.2345',
    wire: '1.2345',
    isFiner: true,
    refused: '10000.00',
  },
  wide: {
    type: 'numeric(30,5)',
    field: 'decimal',
    sql: '1234567890123456789.12345',
    wire: '1234567890123456789.12345',
    refused: '1.000001',
  },
  exact: {
    type: 'numeric(19,4)',
    field: 'decimal, scale: any',
    sql: '1.5',
    wire: '1.5000',
    refused: '1.00001',
  },
  tens: { type: 'numeric(3,-1)', field: 'decimal', sql: '120', wire: '120', refused: '125' },
  fraction: {
    type: 'numeric(2,4)',
    field: 'decimal, scale: 4',
    sql: '0.0012',
    wire: '0.0012',
    refused: '0.0123',
  },
  cash: { type: 'money', field: 'decimal, scale: 4', sql: '5', wire: '5.00', refused: '5.001' },
  prices: {
    type: 'numeric(10,4)[]',
    field: 'array, items: { type: decimal }',
    sql: "'{1.2345}'",
    wire: ['1.2345'],
    refused: ['1.23456'],
  },
  words: {
    type: 'varchar(3)[]',
    field: 'array, items: { type: string }',
    sql: "'{abc}'",
    wire: ['abc'],
    refused: ['abcd'],
  },
  small: {
    type: 'smallint[]',
    field: 'array, items: { type: integer }',
    sql: "'{1}'",
    wire: [1],
    refused: [32_768],
  },
};
const names = Object.keys(columns);
const specification = `
access: public
database: { managed: false }
resources:
  things:
    fields:
${names.map((name) => `      ${name}: { type: ${columns[name]?.field} }`).join('\n')}
`;

let existing: Existing;
beforeAll(async () => {
  existing = await existingPostgres(
    specification,
    `CREATE TABLE things (id serial PRIMARY KEY, ${names.map((name) => `${name} ${columns[name]?.type}`).join(', ')});
     INSERT INTO things (${names.join(', ')}) VALUES (${names.map((name) => columns[name]?.sql).join(', ')});
     INSERT INTO things DEFAULT VALUES;`,
  );
});
afterAll(() => existing?.stop());

describe.each(Object.entries(columns))('%s', (name, { wire, refused, isFiner = false }) => {
  test('is shown, and found by what is shown', async () => {
    const { api } = existing;
    expect((await api.get('/things/1')).body).toMatchObject({ [name]: wire });
    const filter = Array.isArray(wire) ? `${name}_containsAll` : name;
    const found = await api.get(`/things?${filter}=${String(wire)}&fields=id`);
    expect([found.status, found.body]).toEqual([200, [{ id: 1 }]]);
  });

  test('takes what it keeps', async () => {
    const { api } = existing;
    const answer = await api.send('PATCH', '/things/2', { [name]: wire });
    if (isFiner) expect(answer.status).toBe(422);
    else
      expect([answer.status, (answer.body as Record<string, unknown>)[name]]).toEqual([200, wire]);
  });

  test('refuses what it would round, or not take', async () => {
    const answer = await existing.api.send('PATCH', '/things/2', { [name]: refused });
    expect([answer.status, answer.body.code]).toEqual([422, 'INVALID_VALUE']);
  });
});
