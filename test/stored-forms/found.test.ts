import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Existing } from '../support/existing.ts';
import { databases, fileOf, idOf, tableOf, type Name } from './columns.ts';

const moments = [
  '2026-03-01T14:05:00.000Z',
  '1969-12-31T23:59:59.000Z',
  null,
  '2026-03-01T14:05:01.000Z',
  '2040-01-01T00:00:00.000Z',
];
const prices = ['0.10', '-0.01', null, '19.90', '100.00'];
const flags = [true, false, null, true, false];

const seconds = (at: string): string => String(Date.parse(at) / 1000);
const text = (value: string): string => `'${value}'`;
const sqlText = (at: string): string => text(at.slice(0, 19).replace('T', ' '));
const sqlMicroseconds = (at: string): string => text(`${at.slice(0, 23).replace('T', ' ')}000`);
const sqlMixed = (at: string): string =>
  at.startsWith('2040') || at.startsWith('2027') ? sqlText(at) : sqlMicroseconds(at);
const sqlOffset = (at: string): string => text(`${at.slice(0, 23).replace('T', ' ')} +00:00`);
const sqlUtc = (at: string): string => text(at.replace('T', ' '));
const isoOffset = (at: string): string => text(at.replace('Z', '+00:00'));
const isoSeconds = (at: string): string => text(`${at.slice(0, 19)}Z`);
const word =
  (yes: string, no: string) =>
  (value: string): string =>
    value === 'true' ? yes : no;
/** As people write them, not as the service would. */
const shortest = (price: string): string => text(String(Number(price)));
const scaled = (price: string): string => price.replace('.', '').replace(/^(-?)0+(?=\d)/u, '$1');

type Row = readonly [
  name: Name,
  type: string,
  field: 'datetime' | 'decimal' | 'boolean',
  form: string | undefined,
  literal: (value: string) => string,
];

/** A type of column, the type of the field, and the form that has to be found; undefined: the usual one. */
const columns: readonly Row[] = [
  ['SQLite', 'TEXT', 'datetime', undefined, text],
  ['SQLite', 'TEXT', 'datetime', 'isoSeconds', isoSeconds],
  ['SQLite', 'VARCHAR(30) COLLATE NOCASE', 'datetime', 'sqlText', sqlText],
  ['SQLite', 'DATETIME', 'datetime', 'sqlText', sqlText],
  ['SQLite', 'TIMESTAMP', 'datetime', undefined, text],
  ['SQLite', 'datetime(6)', 'datetime', 'sqlMicroseconds', sqlMicroseconds],
  ['SQLite', 'datetime', 'datetime', 'sqlMixed', sqlMixed],
  ['SQLite', 'VARCHAR(40) COLLATE NOCASE', 'datetime', 'sqlMixed', sqlMixed],
  ['SQLite', 'DATETIME', 'datetime', 'sqlOffset', sqlOffset],
  ['SQLite', 'TEXT', 'datetime', 'sqlUtc', sqlUtc],
  ['SQLite', 'DATETIME', 'datetime', 'isoOffset', isoOffset],
  ['SQLite', 'DATETIME', 'datetime', 'unixSeconds', seconds],
  ['SQLite', 'INTEGER', 'datetime', 'unixSeconds', seconds],
  ['SQLite', 'BIGINT', 'datetime', 'unixMilliseconds', (at) => `${seconds(at)}000`],
  ['SQLite', 'REAL', 'decimal', 'real', String],
  ['SQLite', 'DECIMAL(10,2)', 'decimal', 'real', String],
  ['SQLite', 'INTEGER', 'decimal', undefined, scaled],
  ['SQLite', 'INTEGER', 'decimal', 'real', String],
  ['SQLite', 'TEXT', 'decimal', 'text', text],
  ['SQLite', 'VARCHAR(20)', 'decimal', 'text', shortest],
  ['SQLite', 'INTEGER', 'boolean', undefined, word('1', '0')],
  ['SQLite', 'BOOLEAN', 'boolean', undefined, word('1', '0')],
  ['SQLite', 'CHAR(1)', 'boolean', 'Y/N', word(`'Y'`, `'N'`)],
  ['SQLite', 'BOOLEAN', 'boolean', 'true/false', word(`'true'`, `'false'`)],
  ['PostgreSQL', 'timestamptz(3)', 'datetime', undefined, text],
  ['PostgreSQL', 'text', 'datetime', 'isoText', text],
  ['PostgreSQL', 'varchar(40)', 'datetime', 'isoSeconds', isoSeconds],
  ['PostgreSQL', 'text', 'datetime', 'sqlText', sqlText],
  ['PostgreSQL', 'varchar(26)', 'datetime', 'sqlMicroseconds', sqlMicroseconds],
  ['PostgreSQL', 'text', 'datetime', 'sqlMixed', sqlMixed],
  ['PostgreSQL', 'varchar(30)', 'datetime', 'sqlOffset', sqlOffset],
  ['PostgreSQL', 'varchar(24)', 'datetime', 'sqlUtc', sqlUtc],
  ['PostgreSQL', 'text', 'datetime', 'isoOffset', isoOffset],
  ['PostgreSQL', 'bigint', 'datetime', 'unixSeconds', seconds],
  ['PostgreSQL', 'bigint', 'datetime', 'unixMilliseconds', (at) => `${seconds(at)}000`],
  ['PostgreSQL', 'numeric(18,2)', 'decimal', undefined, String],
  ['PostgreSQL', 'double precision', 'decimal', 'real', String],
  ['PostgreSQL', 'bigint', 'decimal', 'scaled', scaled],
  ['PostgreSQL', 'text', 'decimal', 'text', text],
  ['PostgreSQL', 'varchar(20)', 'decimal', 'text', shortest],
  ['PostgreSQL', 'boolean', 'boolean', undefined, String],
  ['PostgreSQL', 'smallint', 'boolean', '1/0', word('1', '0')],
  ['PostgreSQL', 'char(1)', 'boolean', 'y/n', word(`'y'`, `'n'`)],
  ['PostgreSQL', 'varchar(5)', 'boolean', 'yes/no', word(`'yes'`, `'no'`)],
];

const values = { datetime: moments, decimal: prices, boolean: flags } as const;

/** What to ask with, and what to write. */
const operands = {
  datetime: ['2026-03-01T14:05:00Z', '2026-03-01T14:05:00.500Z', '2026-03-01'],
  decimal: ['0.1', '0.10', '19.9', '-0.005'],
  boolean: ['true', 'false'],
} as const;
const written = {
  datetime: '2027-05-06T07:08:09.000Z',
  decimal: '7.05',
  boolean: true,
} as const;

/** `usual` has the same values as the service itself would store them. */
const usualTypes = {
  SQLite: { datetime: 'TEXT', decimal: 'INTEGER', boolean: 'INTEGER' },
  PostgreSQL: { datetime: 'timestamptz(3)', decimal: 'numeric(18,2)', boolean: 'boolean' },
} as const;
const usualLiteral = (name: Name, type: Row[2], value: string): string => {
  if (type === 'datetime') return text(value);
  if (name === 'PostgreSQL') return value;
  return type === 'decimal' ? scaled(value) : word('1', '0')(value);
};

describe.each(columns)('%s: %s as a %s in %s', (name, column, type, form, literal) => {
  let existing: Existing;
  beforeAll(async () => {
    const rows = values[type].map((value) =>
      value === null
        ? '(NULL, NULL)'
        : `(${literal(String(value))}, ${usualLiteral(name, type, String(value))})`,
    );
    existing = await databases[name](
      `resources: { things: { table: old_things, fields: { value: { type: ${type}, column: the_value }, usual: { type: ${type} } } } }`,
      `CREATE TABLE old_things (id ${idOf(name)}, the_value ${column}, usual ${usualTypes[name][type]});
       INSERT INTO old_things (the_value, usual) VALUES ${rows.join(', ')};`,
    );
  });
  afterAll(() => existing.stop());

  const list = async (query: string): Promise<readonly Record<string, unknown>[]> => {
    const { status, body, text: all } = await existing.api.get(`/v1/things?limit=100&${query}`);
    expect([status, status === 200 ? '' : all]).toEqual([200, '']);
    return body as Record<string, unknown>[];
  };
  const ids = async (query: string): Promise<unknown> => (await list(query)).map(({ id }) => id);

  /** On the wire moments have as many digits as the form. */
  const shown = (value: string | boolean | null): string | boolean | null =>
    (form === 'sqlMicroseconds' || form === 'sqlMixed') && typeof value === 'string'
      ? value.replace('Z', '000Z')
      : value;

  test('the form is found, and nothing of the table has to change', () => {
    const found = existing.forms.get('things')?.fields;
    expect(found?.get('value')?.storedAs).toBe(form);
    expect(found?.get('usual')).toBeUndefined();
    expect(existing.steps.filter(({ summary }) => summary.includes('old_things'))).toEqual([]);
  });

  test('the next migration finds nothing to do either', async () => {
    expect(await existing.next()).toEqual([]);
  });

  test('it is read', async () => {
    expect((await list('')).map(({ value }) => value)).toEqual(values[type].map(shown));
  });

  const operators =
    type === 'boolean'
      ? ['', '_neq', '_in', '_nin']
      : ['', '_neq', '_gt', '_gte', '_lt', '_lte', '_in', '_nin'];
  test.each(operators)('it is filtered by value%s as the usual one', async (operator) => {
    for (const operand of operands[type])
      expect([operand, await ids(`value${operator}=${operand}`)]).toEqual([
        operand,
        await ids(`usual${operator}=${operand}`),
      ]);
    const both = operands[type].slice(0, 2).join(',');
    expect(await ids(`value_in=${both}`)).toEqual(await ids(`usual_in=${both}`));
    const or = (field: string): string =>
      `_or=${field}:${String(operands[type].at(-1))},${field}_null:true`;
    expect(await ids(or('value'))).toEqual(await ids(or('usual')));
  });

  test('it is sorted, and walked with a cursor', async () => {
    for (const sign of ['', '-']) {
      expect(await ids(`sort=${sign}value`)).toEqual(await ids(`sort=${sign}usual`));
      const walked: unknown[] = [];
      for (let cursor = ''; walked.length < 20;) {
        const { headers, body } = await existing.api.get(
          `/v1/things?limit=2&sort=${sign}value&cursor=${encodeURIComponent(cursor)}`,
        );
        walked.push(...(body as { data: { id: number }[] }).data.map(({ id }) => id));
        cursor = headers.get('x-next-cursor') ?? '';
        if (cursor === '') break;
      }
      expect(walked).toEqual(await ids(`sort=${sign}usual`));
    }
  });

  test('it is written in the form, under an entity tag', async () => {
    const value = written[type];
    const made = await existing.api.send('POST', '/v1/things', { value });
    expect([made.status, (made.body as { value: unknown }).value]).toEqual([201, shown(value)]);
    const { id } = made.body as { id: number };
    const stored = async (): Promise<unknown> =>
      (
        await existing.ask(
          `SELECT the_value = ${literalOf(value)} FROM old_things WHERE id = ${id}`,
        )
      )[0]?.[0];
    const literalOf = (one: unknown): string =>
      form === 'text' ? text(String(one)) : literal(String(one));
    expect([1, true]).toContain(await stored());
    const path = `/v1/things/${id}`;
    const first = await existing.api.get(path);
    const tag = first.headers.get('etag') ?? '';
    const again = await existing.api.send('PATCH', path, { value: null }, { 'if-match': tag });
    expect([again.status, again.body]).toEqual([200, { id, value: null, usual: null }]);
    const stale = await existing.api.send('PATCH', path, { value }, { 'if-match': tag });
    expect(stale.status).toBe(412);
    const back = await existing.api.send('PATCH', path, { value });
    expect([back.status, back.headers.get('etag')]).toEqual([200, tag]);
    expect((await existing.api.send('DELETE', path)).status).toBe(204);
  });
});

/** Empty columns: the form in which they are written. */
test.each([
  ['SQLite', 'INTEGER', 'datetime', 'unixSeconds'],
  ['SQLite', 'TEXT', 'datetime', undefined],
  ['SQLite', 'DATETIME', 'datetime', undefined],
  ['SQLite', 'REAL', 'decimal', 'real'],
  ['SQLite', 'DECIMAL(10,2)', 'decimal', 'real'],
  ['SQLite', 'INTEGER', 'decimal', undefined],
  ['SQLite', 'TEXT', 'decimal', 'text'],
  ['SQLite', 'BOOLEAN', 'boolean', undefined],
  ['SQLite', 'TEXT', 'boolean', 'true/false'],
  ['PostgreSQL', 'bigint', 'datetime', 'unixSeconds'],
  ['PostgreSQL', 'text', 'datetime', 'isoText'],
  ['PostgreSQL', 'bigint', 'decimal', 'scaled'],
  ['PostgreSQL', 'text', 'decimal', 'text'],
  ['PostgreSQL', 'smallint', 'boolean', '1/0'],
  ['PostgreSQL', 'text', 'boolean', 'true/false'],
] as const)('%s: an empty %s as a %s is in %s', async (name, column, type, form) => {
  const existing = await databases[name](fileOf(`type: ${type}`), tableOf(name, column, ''));
  const value = written[type];
  const made = await existing.api.send('POST', '/v1/things', { value });
  const { forms, steps } = existing;
  await existing.stop();
  expect(forms.get('things')?.fields.get('value')?.storedAs).toBe(form);
  expect(steps.filter(({ summary }) => summary.includes('things.'))).toEqual([]);
  expect([made.status, made.body]).toEqual([201, { id: 1, value }]);
});

/** What is too small for all values is made larger, and they stay what they are. */
test.each([
  ['integer', '(1772373900)', 'datetime', 'unixSeconds', 'bigint', '2026-03-01T14:05:00.000Z'],
  ['smallint', '(1999)', 'decimal', 'scaled', 'bigint', '19.99'],
  ['varchar(5)', `('19.99')`, 'decimal', 'text', 'text', '19.99'],
  ['varchar(1)', `('Y')`, 'boolean', 'Y/N', undefined, true],
  [
    'char(19)',
    `('2026-03-01 14:05:00')`,
    'datetime',
    'sqlText',
    'text',
    '2026-03-01T14:05:00.000Z',
  ],
  ['char(8)', `('19.99')`, 'decimal', 'text', 'text', '19.99'],
  ['char(3)', `('no')`, 'boolean', 'yes/no', 'text', false],
] as const)(
  'PostgreSQL: %s with %s as a %s in %s becomes %s',
  async (column, rows, type, form, wanted, value) => {
    const existing = await databases.PostgreSQL(
      fileOf(`type: ${type}`),
      tableOf('PostgreSQL', column, rows),
    );
    const { body } = await existing.api.get('/v1/things/1');
    const { forms, steps } = existing;
    await existing.stop();
    expect(forms.get('things')?.fields.get('value')?.storedAs).toBe(form);
    const usual = column.replace('varchar', 'character varying').replace(/^char\(/u, 'character(');
    expect(steps.filter(({ summary }) => summary.includes('things.value'))).toEqual(
      wanted === undefined
        ? []
        : [
            expect.objectContaining({
              summary: `change things.value from ${usual} to ${wanted}`,
              loses: undefined,
            }),
          ],
    );
    expect(body).toEqual({ id: 1, value });
  },
);

describe.each(['SQLite', 'PostgreSQL'] as const)('%s', (name) => {
  test('what the file says wins over what is found', async () => {
    const existing = await databases[name](
      fileOf('type: datetime, storedAs: unixMilliseconds'),
      tableOf(name, 'BIGINT', '(1700000000)'),
    );
    const { body } = await existing.api.get('/v1/things/1');
    await existing.stop();
    expect(existing.forms.size).toBe(0);
    expect(body).toEqual({ id: 1, value: '1970-01-20T16:13:20.000Z' });
  });

  test('timestamps that the file does not declare, and fields that a relation adds, are found', async () => {
    const existing = await databases[name](
      `resources: { things: { timestamps: true, fields: { owner: { type: relation, relation: belongsTo, resource: people, foreignKey: ownerId } } }, people: { fields: { name: { type: string } } } }`,
      `CREATE TABLE people (id ${idOf(name)}, name TEXT);
       CREATE TABLE things (id ${idOf(name)}, "ownerId" BIGINT REFERENCES people (id), "createdAt" BIGINT NOT NULL, "updatedAt" ${name === 'SQLite' ? 'TEXT' : 'text'} NOT NULL);
       INSERT INTO people (name) VALUES ('Ada');
       INSERT INTO things ("ownerId", "createdAt", "updatedAt") VALUES (1, 1772373900, '2026-03-01 14:05:00');`,
    );
    const { body } = await existing.api.get('/v1/things/1');
    const made = await existing.api.send('POST', '/v1/things', { ownerId: 1 });
    const { forms } = existing;
    await existing.stop();
    expect(forms.get('things')?.fields).toEqual(
      new Map([
        ['createdAt', { storedAs: 'unixSeconds' }],
        ['updatedAt', { storedAs: 'sqlText' }],
      ]),
    );
    const at = '2026-03-01T14:05:00.000Z';
    expect(body).toEqual({ id: 1, ownerId: 1, createdAt: at, updatedAt: at });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: 2,
        ownerId: 1,
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T10:00:00.789Z',
      },
    ]);
  });
});
