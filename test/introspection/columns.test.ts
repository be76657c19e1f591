import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { good, plinth, servePlinth } from '../support/command.ts';
import { fromSql } from '../support/introspect.ts';

const momentText = { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}.*)?$` };

const columns: readonly (readonly [
  name: string,
  sql: string,
  rows: string,
  expected: object | undefined,
])[] = [
  ['a text with a length', 'c VARCHAR(10)', `('x')`, { type: 'string', maxLength: 10 }],
  ['a length that values do not keep', 'c VARCHAR(2)', `('long')`, { type: 'string' }],
  ['long prose', 'c TEXT', `('${'x'.repeat(300)}')`, { type: 'text' }],
  ['what may not be null', `c TEXT NOT NULL`, `('x')`, { type: 'string', required: true }],
  [
    'a default',
    `c TEXT NOT NULL DEFAULT 'a''b'`,
    `('x')`,
    { type: 'string', nullable: false, default: "a'b" },
  ],
  [
    'a number as default',
    `c INTEGER NOT NULL DEFAULT 3`,
    '(1)',
    { type: 'integer', nullable: false, default: 3 },
  ],
  [
    'a default that only the database knows',
    `c INTEGER NOT NULL DEFAULT (abs(-1))`,
    '(1)',
    { type: 'integer', required: true },
  ],
  ['unique', `c TEXT UNIQUE`, `('x')`, { type: 'string', unique: true }],
  [
    'a CHECK with a list',
    `c TEXT CHECK (c IN ('a', 'b''c'))`,
    `('a')`,
    { type: 'enum', values: ['a', "b'c"] },
  ],
  [
    'a CHECK with a list of numbers, of which other bounds leave some, and not the default',
    `c INTEGER DEFAULT 9 CHECK (c IN (3, -1, 4, 3) AND c > 0)`,
    '(3)',
    { type: 'integer', exclusiveMinimum: 0, enum: [3, 4] },
  ],
  ['a CHECK with a list of both', `c TEXT CHECK (c IN (1, 'a'))`, `('a')`, { type: 'string' }],
  [
    'a CHECK with bounds',
    `c INTEGER CHECK (c >= 0 AND c < 10)`,
    '(1)',
    { type: 'integer', minimum: 0, exclusiveMaximum: 10 },
  ],
  [
    'a CHECK with bounds of which one is narrower',
    `c INTEGER CHECK (c >= 0 AND c < 10) CHECK (c < 99 AND c >= -5)`,
    '(1)',
    { type: 'integer', minimum: 0, exclusiveMaximum: 10 },
  ],
  [
    'a CHECK with BETWEEN',
    `c INTEGER CHECK (c BETWEEN 1 AND 5)`,
    '(1)',
    { type: 'integer', minimum: 1, maximum: 5 },
  ],
  [
    'a CHECK of a length',
    `c TEXT NOT NULL DEFAULT '' CHECK (length(c) > 2 AND (length(c)) <= 20)`,
    `('abc')`,
    { type: 'string', minLength: 3, maxLength: 20, required: true },
  ],
  [
    'a CHECK of a length with BETWEEN, and a shorter column',
    `c VARCHAR(8) CHECK (Length("c") BETWEEN 1 AND 10 AND c <> 'x')`,
    `('abc')`,
    { type: 'string', minLength: 1, maxLength: 8 },
  ],
  [
    'a CHECK of just one length',
    `c TEXT CHECK (length(c) = 3)`,
    `('abc')`,
    { type: 'string', minLength: 3, maxLength: 3 },
  ],
  [
    'a CHECK that no value of the column meets',
    `c DECIMAL(3, 1) CHECK (c > 100)`,
    `(NULL)`,
    { type: 'decimal', precision: 3, scale: 1, storedAs: 'real' },
  ],
  ['a CHECK of another length', `c TEXT CHECK (length(trim(c)) > 0)`, `('a')`, { type: 'string' }],
  [
    'lengths that leave none',
    `c TEXT CHECK (length(c) > 9 AND length(c) < 5)`,
    '',
    { type: 'string' },
  ],
  [
    'a CHECK with OR beside what holds',
    `c INTEGER CHECK (c > 0 AND (c > 5 OR c = 2))`,
    '(2)',
    { type: 'integer', exclusiveMinimum: 0 },
  ],
  [
    'a CHECK that holds at times',
    `c INTEGER CHECK (CASE WHEN c > 7 THEN c > 9 AND c > 8 AND c < 30 ELSE 1 END)`,
    '(1)',
    { type: 'integer' },
  ],
  [
    'a CHECK that compares conditions',
    `c INTEGER CHECK ((c > 9 AND c < 30) = 0)`,
    '(1)',
    { type: 'integer' },
  ],
  [
    'a CHECK against a condition',
    `c INTEGER CHECK (c > 0 AND NOT (c = 5 AND c < 30))`,
    '(41)',
    { type: 'integer', exclusiveMinimum: 0 },
  ],
  [
    'a CHECK with bounds for what is not null',
    `c INTEGER CHECK (c IS NULL OR (c > 0 AND c BETWEEN -1 AND 9))`,
    '(1), (NULL)',
    { type: 'integer', minimum: -1, maximum: 9, exclusiveMinimum: 0 },
  ],
  [
    'a CHECK that another column may lift',
    `c INTEGER CHECK (d IS NULL OR c > 0), d TEXT`,
    '(1)',
    { type: 'integer' },
  ],
  [
    'a CHECK that null lifts, with what more is wanted of another',
    `c INTEGER CHECK (c < 10 OR c IS NULL AND d > 0), d INTEGER`,
    '(1)',
    { type: 'integer' },
  ],
  [
    'a text that has to be JSON',
    `c TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(c))`,
    `('{"a":1}'), ('[2]')`,
    { type: 'json', nullable: false, default: {} },
  ],
  [
    'a text that has to be JSON or null',
    `c VARCHAR(99) CHECK (c IS NULL OR json_valid("c") = 1)`,
    `('1')`,
    { type: 'json' },
  ],
  [
    'a number that has to be JSON',
    `c INTEGER CHECK (json_valid(c) AND c > 0)`,
    '(1)',
    { type: 'integer', exclusiveMinimum: 0 },
  ],
  ['a CHECK with OR says nothing', `c INTEGER CHECK (c > 0 OR c = -5)`, '(1)', { type: 'integer' }],
  ['booleans', 'c BOOLEAN', '(1), (0)', { type: 'boolean' }],
  ['booleans that are more', 'c BOOLEAN', '(1), (7)', { type: 'integer' }],
  [
    'a decimal stored as a fraction',
    'c DECIMAL(8,2)',
    '(1.25), (3), (-999999.99), (0.1)',
    { type: 'decimal', precision: 8, scale: 2, storedAs: 'real' },
  ],
  ['a fraction with more digits', 'c DECIMAL(8,2)', '(1.255)', { type: 'number' }],
  ['a fraction that is too large', 'c DECIMAL(8,2)', '(1000000.5)', { type: 'number' }],
  ['digits that a double has not', 'c DECIMAL(18,2)', '(1.25)', { type: 'number' }],
  ['whole numbers of a NUMERIC', 'c NUMERIC(10,0)', '(5)', { type: 'number' }],
  [
    'SQL moments',
    'c DATETIME',
    `('2026-03-01 10:00:00'), ('2024-02-29 23:59:59.120')`,
    { type: 'datetime', storedAs: 'sqlText' },
  ],
  [
    'SQL moments as text, the time by default',
    `c TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP`,
    `('2026-03-01 10:00:00')`,
    { type: 'datetime', nullable: false, default: 'now', storedAs: 'sqlText' },
  ],
  [
    'SQL moments that are finer',
    'c TIMESTAMP',
    `('2026-03-01 10:00:00.123456')`,
    { type: 'datetime', storedAs: 'sqlMicroseconds' },
  ],
  [
    'SQL moments that are finer, or whole seconds',
    'c datetime NOT NULL',
    `('2026-03-01 10:00:00.123456'), ('2024-02-29 23:59:59')`,
    { type: 'datetime', required: true, storedAs: 'sqlMixed' },
  ],
  [
    'SQL moments with an offset',
    'c DATETIME',
    `('2026-03-01 10:00:00.123 +00:00')`,
    { type: 'datetime', storedAs: 'sqlOffset' },
  ],
  [
    'moments in whole seconds, as Go has them',
    'c DATETIME',
    `('2026-03-01T10:00:00Z')`,
    { type: 'datetime', storedAs: 'isoSeconds' },
  ],
  [
    'moments of Prisma',
    'c DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP',
    `('2026-03-01T10:00:00.123+00:00')`,
    { type: 'datetime', nullable: false, default: 'now', storedAs: 'isoOffset' },
  ],
  [
    'moments of PocketBase',
    'c TEXT',
    `('2026-03-01 10:00:00.123Z')`,
    { type: 'datetime', storedAs: 'sqlUtc' },
  ],
  ['SQL moments of another offset', 'c DATETIME', `('2026-03-01 10:00:00 +02:00')`, momentText],
  [
    'no days, beside one and a moment in our form',
    'c DATE',
    `('2026-02-30 10:00'), ('2026-03-01'), ('2026-03-01T10:00:00.000Z')`,
    momentText,
  ],
  ['SQL moments as text on no day', 'c TEXT', `('2026-02-30 10:00:00')`, { type: 'string' }],
  [
    'unix milliseconds',
    'c DATETIME',
    '(1700000000123)',
    { type: 'datetime', storedAs: 'unixMilliseconds' },
  ],
  [
    'times with fractions of a second',
    'c TIME',
    `('10:00:00.500000'), ('10:00:00')`,
    { type: 'string', pattern: String.raw`^\d{2}:\d{2}.*$` },
  ],
  ['days since something', 'c DATETIME', '(19700)', { type: 'integer' }],
  ['unix seconds with fractions', 'c DATETIME', '(1700000000.5)', { type: 'number' }],
  ['booleans as Y and N', 'c BOOLEAN', `('Y'), ('N')`, { type: 'boolean', storedAs: 'Y/N' }],
  [
    'booleans as t and f, with a default',
    `c boolean NOT NULL DEFAULT 't'`,
    `('f'), ('t')`,
    { type: 'boolean', nullable: false, default: true, storedAs: 't/f' },
  ],
  [
    'a CHECK with two words',
    `c CHAR(1) CHECK (c IN ('N', 'Y'))`,
    `('Y')`,
    { type: 'boolean', storedAs: 'Y/N' },
  ],
  ['two words without a hint', 'c CHAR(1)', `('Y'), ('N')`, { type: 'string', maxLength: 1 }],
  ['booleans of other databases', 'c TINYINT(1)', '(0), (1)', { type: 'boolean' }],
  ['a small number', 'c TINYINT', '(0), (1)', { type: 'integer' }],
  ['days', 'c DATE', `('2026-03-01')`, { type: 'date' }],
  ['moments in our form', 'c DATETIME', `('2026-03-01T10:00:00.000Z')`, { type: 'datetime' }],
  ['moments as text in our form', 'c TEXT', `('2026-03-01T10:00:00.000Z')`, { type: 'datetime' }],
  ['unix seconds', 'c TIMESTAMP', '(1700000000)', { type: 'datetime', storedAs: 'unixSeconds' }],
  ['an empty table', 'c DATETIME', '', { type: 'datetime' }],
  ['JSON', 'c JSON', `('{"a":1}')`, { type: 'json' }],
  ['binary data', 'c BLOB', `(x'00')`, undefined],
  ['binary data in a text', 'c TEXT', `(x'00')`, undefined],
  ['numbers in a column of text', 'c BLOB', '(1)', undefined],
  ['texts in a column of numbers', 'c INTEGER', `('x')`, undefined],
  ['too large numbers', 'c INTEGER', '(9223372036854775807)', undefined],
  ['no type', 'c', `('x')`, undefined],
  ['what is computed', 'c INTEGER GENERATED ALWAYS AS (id + 1) STORED', '', undefined],
  ['a name that is none', `"2nd Größe!" TEXT`, `('x')`, { type: 'string', column: '2nd Größe!' }],
];

test('each column of SQLite gets the type whose form it is stored in', async () => {
  const sql = columns
    .map(([, definition, rows], index) => {
      const table = `CREATE TABLE t${index}s (id INTEGER PRIMARY KEY, ${definition});`;
      const names = definition.startsWith('"') ? `"2nd Größe!"` : 'c';
      return rows === '' ? table : `${table} INSERT INTO t${index}s (${names}) VALUES ${rows};`;
    })
    .join('\n');
  const { specification, left, cwd } = await fromSql(sql);
  const found = columns.map(([name], index) => {
    const [[, field] = []] = Object.entries(specification.resources[`t${index}s`]?.fields ?? {});
    return [name, field];
  });
  expect(found).toEqual(columns.map(([name, , , expected]) => [name, expected]));
  for (const [index, [, , , expected]] of columns.entries())
    if (expected === undefined)
      expect(left.join('\n')).toContain(`Column t${index}s.c is left out: `);
  const { out } = await good(['migrate', '--database', 'sqlite:old.db'], cwd);
  expect(out.split('\n').filter((line) => /^- (?!create )/u.test(line))).toEqual([]);
});

test('names tell numbers and words apart that look alike, and values are served as they were', async () => {
  const { specification, cwd } = await fromSql(`
    CREATE TABLE logs (id INTEGER PRIMARY KEY, created_at INTEGER NOT NULL, seenOn INTEGER, format INTEGER,
      is_admin INTEGER, hasPhoto VARCHAR(5), amount INTEGER, sent_at INTEGER, note_flag TEXT, dates DECIMAL(6,3));
    INSERT INTO logs VALUES (1, 1700000000, 1700000000123, 1700000000, 1, 'true', 1700000000, 5, 'N', 1.5),
      (2, 1600000000, NULL, 1600000000, 0, 'false', 3, NULL, NULL, 2.125);`);
  const { fields = {} } = specification.resources['logs'] ?? {};
  expect(fields).toEqual({
    createdAt: { type: 'datetime', required: true, column: 'created_at', storedAs: 'unixSeconds' },
    seenOn: { type: 'datetime', storedAs: 'unixMilliseconds' },
    format: { type: 'integer' },
    isAdmin: { type: 'boolean', column: 'is_admin' },
    hasPhoto: { type: 'boolean', storedAs: 'true/false' },
    amount: { type: 'integer' },
    sentAt: { type: 'integer', column: 'sent_at' },
    noteFlag: { type: 'boolean', column: 'note_flag', storedAs: 'Y/N' },
    dates: { type: 'decimal', precision: 6, scale: 3, storedAs: 'real' },
  });
  const at = ['--database', 'sqlite:old.db'];
  const { out } = await good(['migrate', ...at], cwd);
  expect(out.split('\n').filter((line) => /^- (?!create )/u.test(line))).toEqual([]);
  await good(['migrate', ...at, '--apply'], cwd);
  const { url, stop } = await servePlinth(['dev', '--no-generate', ...at], { cwd });
  const get = async (query: string): Promise<unknown> =>
    (await fetch(`${url}/v1/logs${query}`)).json();
  expect(await get('/1')).toEqual({
    id: 1,
    createdAt: '2023-11-14T22:13:20.000Z',
    seenOn: '2023-11-14T22:13:20.123Z',
    format: 1_700_000_000,
    isAdmin: true,
    hasPhoto: true,
    amount: 1_700_000_000,
    sentAt: 5,
    noteFlag: false,
    dates: '1.500',
  });
  expect(await get('?createdAt_lt=2023-01-01&hasPhoto=false&fields=id')).toEqual([{ id: 2 }]);
  const { status } = await fetch(`${url}/v1/logs/2`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hasPhoto: true, createdAt: '2026-01-01T00:00:00Z', dates: '0.125' }),
  });
  expect(status).toBe(200);
  await stop('SIGTERM');
  // What others read is what they wrote before.
  const driver = new Driver(`${cwd}/old.db`);
  expect(
    driver.prepare('SELECT hasPhoto, created_at, dates FROM logs ORDER BY id').raw().all(),
  ).toEqual([
    ['true', 1_700_000_000, 1.5],
    ['true', 1_767_225_600, 0.125],
  ]);
  // Others write on, and not always in the same form.
  driver.exec(`UPDATE logs SET created_at = 'soon' WHERE id = 2`);
  driver.close();
  const refused = await plinth(['migrate', ...at, '--apply'], { cwd });
  expect(refused.code).toBe(1);
  expect(refused.out).toContain('1 value is not stored so');
});

test('a text that has to be JSON stays the text that a migration knows it as', async () => {
  const { cwd } = await fromSql(
    `CREATE TABLE notes (id INTEGER PRIMARY KEY, c TEXT CHECK (json_valid(c))); INSERT INTO notes (c) VALUES ('[1]');`,
  );
  writeFileSync(join(cwd, 'own.yaml'), 'resources: { notes: { fields: { c: { type: string } } } }');
  await good(['migrate', 'own.yaml', '--database', 'sqlite:old.db', '--apply'], cwd);
  expect((await good(['introspect', 'sqlite:old.db', '--managed'], cwd)).out).toContain(
    'c: { type: string }',
  );
});

test('moments that a migration has stored as numbers are moments, though no value tells', async () => {
  const { cwd } = await fromSql('CREATE TABLE others (id INTEGER PRIMARY KEY)');
  const field = 'c: { type: datetime, storedAs: unixSeconds }';
  writeFileSync(join(cwd, 'own.yaml'), `resources: { notes: { fields: { ${field} } } }`);
  await good(['migrate', 'own.yaml', '--database', 'sqlite:old.db', '--apply'], cwd);
  expect((await good(['introspect', 'sqlite:old.db', '--managed'], cwd)).out).toContain(field);
});

test('moments without a value are in the form in which others will write them', async () => {
  const { specification } = await fromSql(`
    CREATE TABLE posts (id INTEGER PRIMARY KEY, written DATETIME, deleted DATETIME, sent TIMESTAMP, made TEXT DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE jobs (id INTEGER PRIMARY KEY, started DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, failed TIMESTAMP DEFAULT (datetime('now')), ended TIMESTAMP, day DATE);
    CREATE TABLE mixes (id INTEGER PRIMARY KEY, a DATETIME(3), b DATETIME(3), c DATETIME(3), d "TIMESTAMP(6)", e "TIMESTAMP(6)");
    INSERT INTO posts (written, made) VALUES ('2026-03-01 10:00:00', 'x');
    INSERT INTO mixes (a, b, d) VALUES ('2026-03-01 10:00:00', '2026-03-01T10:00:00.000Z', 1700000000123);`);
  const { posts, jobs, mixes } = specification.resources;
  const sql = { type: 'datetime', storedAs: 'sqlText' };
  expect(posts?.fields).toMatchObject({ deleted: sql, sent: { type: 'datetime' } });
  expect(posts?.fields['sent']).toEqual({ type: 'datetime' });
  expect(jobs?.fields).toEqual({
    started: { ...sql, nullable: false, default: 'now' },
    failed: { ...sql, default: 'now' },
    ended: { type: 'datetime' },
    day: { type: 'date' },
  });
  const django = await fromSql(`
    CREATE TABLE users (id INTEGER PRIMARY KEY, joined datetime NOT NULL, login datetime, seen datetime);
    INSERT INTO users VALUES (1, '2026-03-01 10:00:00', '2026-03-01 10:00:00.123456', NULL);`);
  const mixed = { type: 'datetime', storedAs: 'sqlMixed' };
  expect(django.specification.resources['users']?.fields).toEqual({
    joined: { ...mixed, required: true },
    login: mixed,
    seen: mixed,
  });
  expect(mixes?.fields).toMatchObject({ e: { type: 'datetime', storedAs: 'unixMilliseconds' } });
  expect(mixes?.fields['c']).toEqual({ type: 'datetime' });
});
