import Driver from 'better-sqlite3';
import postgresClient from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { readUnproven } from '../../src/migrations/postgres/schema.ts';
import { storedProblems } from '../../src/transfer/stored-problems.ts';
import { existingPostgres } from '../support/existing.ts';
import { makeFolder, plinth, type Ended } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

// Stored values and rules that the file has made tighter: see docs/contract/6-operation.md#stored-values-and-rules.
const file = (fields: readonly string[]): string => `access: public
resources:
  notes:
    fields:
${fields.map((field) => `      ${field}`).join('\n')}
`;
const before = [
  'level: { type: enum, values: [low, mid, high] }',
  'size: { type: integer, nullable: true }',
  'code: { type: string }',
  'part: { type: object, properties: { a: { type: integer } } }',
  'fine: { type: string, maxLength: 10 }',
];
const after = [
  'level: { type: enum, values: [low, high] }',
  'size: { type: integer, nullable: true, maximum: 5 }',
  "code: { type: string, pattern: '^[a-z]+$' }",
  'part: { type: object, properties: { a: { type: integer, minimum: 1 } } }',
  'fine: { type: string, maxLength: 9 }',
];
const rows = [
  `('low', 1, 'a', '{"a":1}', 'x')`,
  `('mid', 9, 'A', '{"a":0}', 'x')`,
  `('mid', NULL, 'b', '{"a":2}', 'x')`,
  `('mid', 6, 'c', '{"a":2}', 'x')`,
  `('mid', 6, 'd', '{"a":2}', '0123456789')`,
];
const sql = `INSERT INTO notes (level, size, code, part, fine) VALUES ${rows.join(', ')}`;
const shown = `- apply the rules of notes.level (4 stored values break its rules (id 2, 3, 4, …): must be one of low, high)
- apply the rules of notes.size (3 stored values break its rules (id 2, 4, 5): must be at most 5)
- apply the rules of notes.code (1 stored value breaks its rules (id 2): must match the pattern ^[a-z]+$)
- apply the rules of notes.part (1 stored value breaks its rules (id 2): must be at least 1)
- apply the rules of notes.fine (1 stored value breaks its rules (id 5): must have at most 9 characters)
`;

describe.each(['sqlite', 'postgres'] as const)('%s', (kind) => {
  const folder = makeFolder({ 'plinth.yaml': file(before) });
  let url = 'sqlite:notes.db';
  let drop: (() => Promise<void>) | undefined;
  const migrate = (...flags: string[]): Promise<Ended> =>
    plinth(['migrate', '--database', url, ...flags], { cwd: folder.path });
  const run = async (text: string): Promise<void> => {
    if (kind === 'sqlite') {
      const driver = new Driver(folder.at('notes.db'));
      driver.exec(text);
      driver.close();
      return;
    }
    const client = postgresClient(url, { max: 1, onnotice: () => undefined });
    await client.unsafe(text);
    await client.end();
  };
  beforeAll(async () => {
    if (kind === 'postgres') ({ url, drop } = await createDatabase());
    expect((await migrate('--apply')).code).toBe(0);
    await run(sql);
  });
  afterAll(() => drop?.());

  test('values that break new rules are shown, and refused unless they are allowed', async () => {
    expect((await migrate()).out).toMatch(/ is up to date\.\n$/u);
    folder.write('plinth.yaml', file(after));
    const found = await migrate();
    expect(found).toMatchObject({ code: 0, out: expect.stringContaining(shown) });
    expect(found.out).toMatch(
      /run "plinth migrate .* --apply --allow-invalid" to keep the values/u,
    );
    const refused = await migrate('--apply', '--json');
    expect(refused.code).toBe(1);
    const data = JSON.parse(refused.out) as { applied: boolean; invalid: { field: string }[] };
    expect([data.applied, data.invalid.map(({ field }) => field)]).toEqual([
      false,
      ['notes.level', 'notes.size', 'notes.code', 'notes.part', 'notes.fine'],
    ]);
    expect((await migrate()).out).toContain(shown);
    const kept = await migrate('--apply', '--allow-invalid');
    expect(kept).toMatchObject({ code: 0, out: expect.stringContaining(shown) });
    expect((await migrate('--apply')).out).toMatch(/^[^\n]* is up to date\.\n$/u);
  });

  test('a record of an earlier version knows no rules, and learns them', async () => {
    await run('ALTER TABLE _plinth_schema DROP COLUMN rules');
    folder.write('plinth.yaml', file(before));
    expect((await migrate('--apply')).out).toMatch(/^[^\n]* is up to date\.\n$/u);
    folder.write('plinth.yaml', file(after));
    expect((await migrate()).out).toContain(shown);
  });

  test('beside other steps', async () => {
    folder.write('plinth.yaml', file([...after, 'more: { type: string, nullable: true }']));
    const { out } = await migrate();
    expect(out).toContain(`- add column notes.more\n${shown}`);
    expect((await migrate('--apply')).code).toBe(1);
    expect((await migrate('--apply', '--allow-invalid')).code).toBe(0);
    expect((await migrate()).out).toMatch(/^[^\n]* is up to date\.\n$/u);
  });
});

test('values of a column that becomes another kind are told by its step alone', async () => {
  const folder = makeFolder({ 'plinth.yaml': file(['at: { type: string }']) });
  const database = ['--database', 'sqlite:notes.db'];
  await plinth(['migrate', '--apply', ...database], { cwd: folder.path });
  const driver = new Driver(folder.at('notes.db'));
  driver.exec("INSERT INTO notes (at) VALUES ('no date')");
  driver.close();
  folder.write('plinth.yaml', file(['at: { type: date }']));
  const { out } = await plinth(['migrate', ...database], { cwd: folder.path });
  expect(out).toContain('- change notes.at from string to date (loses 1 value)');
  expect(out).not.toContain('apply the rules');
  const applied = await plinth(['migrate', '--apply', '--allow-data-loss', ...database], {
    cwd: folder.path,
  });
  expect(applied.code).toBe(0);
});

/** Rules over tables of others, which keep some of them themselves. */
const ofOthers = `access: public
database: { managed: false }
resources:
  owners: { fields: { name: { type: string, maxLength: 20 } } }
  notes:
    fields:
      level: { type: enum, values: [low, high] }
      size: { type: integer, maximum: 5 }
      code: { type: string, pattern: '^[a-z]+$' }
      title: { type: string, required: true }
      mail: { type: email }
      ownerId: { type: integer, column: owner_id, reference: owners.id, nullable: true }
      keeperId: { type: integer, column: keeper_id, reference: owners.id, nullable: true }
`;
const tables = (id: string): string => `
CREATE TABLE owners (id ${id}, name varchar(20) NOT NULL);
CREATE TABLE notes (id ${id}, level text NOT NULL, size integer NOT NULL, code text NOT NULL, title text, mail text NOT NULL,
  owner_id integer, keeper_id integer REFERENCES owners (id));
INSERT INTO owners (name) VALUES ('Ann');
INSERT INTO notes (level, size, code, title, mail, owner_id, keeper_id) VALUES ('low', 1, 'a', 'x', 'a@b.de', 1, 1),
  ('mid', 9, 'A', NULL, 'none', 7, NULL), ('mid', 5, 'b', 'x', 'a@b.de', NULL, NULL);`;
const broken = `- notes.level: 2 stored values break its rules (id 2, 3): must be one of low, high
- notes.size: 1 stored value breaks its rules (id 2): must be at most 5
- notes.code: 1 stored value breaks its rules (id 2): must match the pattern ^[a-z]+$
- notes.title: 1 stored value breaks its rules (id 2): must not be null
- notes.mail: 1 stored value breaks its rules (id 2): must be an e-mail address
- notes.ownerId: 1 stored key refers to no record of owners (id 2)
`;

describe.each(['SQLite', 'PostgreSQL'])('tables of others on %s', (kind) => {
  test('values that break rules are shown, and keep nothing from being served', async () => {
    const folder = makeFolder({ 'plinth.yaml': ofOthers });
    const made = kind === 'SQLite' ? undefined : await createDatabase();
    if (made === undefined) {
      const driver = new Driver(folder.at('notes.db'));
      driver.exec(tables('INTEGER PRIMARY KEY'));
      driver.close();
    } else {
      const client = postgresClient(made.url, { max: 1, onnotice: () => undefined });
      await client.unsafe(tables('serial PRIMARY KEY'));
      await client.end();
    }
    const database = ['--database', made?.url ?? 'sqlite:notes.db'];
    try {
      const found = await plinth(['migrate', ...database], { cwd: folder.path });
      expect([found.code, found.out]).toEqual([0, expect.stringContaining(broken)]);
      expect(found.out).toMatch(/ is up to date\.\n$/u);
      const json = await plinth(['migrate', '--json', ...database], { cwd: folder.path });
      expect(JSON.parse(json.out)).toMatchObject({
        ok: true,
        invalid: [
          { field: 'notes.level' },
          { field: 'notes.size' },
          { field: 'notes.code' },
          { field: 'notes.title' },
          { field: 'notes.mail' },
          { field: 'notes.ownerId' },
        ],
      });
      const applied = await plinth(['migrate', '--apply', ...database], { cwd: folder.path });
      expect([applied.code, applied.out]).toEqual([0, expect.stringContaining(broken)]);
    } finally {
      await made?.drop();
    }
  });
});

test('of tables of others, only rules are counted that the database does not keep', async () => {
  const existing = await existingPostgres(
    `
access: public
database: { managed: false }
resources:
  owners: { fields: { name: { type: string, maxLength: 20 }, mood: { type: enum, values: [sad, glad] } } }
  notes:
    fields:
      size: { type: integer }
      price: { type: decimal }
      short: { type: string, maxLength: 3 }
      owner: { type: relation, relation: belongsTo, resource: owners, required: true }
`,
    `CREATE TYPE mood AS ENUM ('sad', 'glad');
     CREATE TABLE owners (id serial PRIMARY KEY, name varchar(20) NOT NULL, mood mood);
     CREATE TABLE notes (id serial PRIMARY KEY, size smallint, price numeric(6,2), short varchar(5), "ownerId" integer NOT NULL REFERENCES owners (id));`,
  );
  const database = await openPostgres(existing.url, { poolSize: 1 });
  try {
    const { fields, keys } = await readUnproven(database, existing.api.servedApi.api);
    expect([[...fields].map(({ name }) => name), [...keys]]).toEqual([['short'], []]);
  } finally {
    await database.close();
    await existing.stop();
  }
});

test('a table of others that takes too long is not counted, and named', async () => {
  const { api, ask, stop } = await existingPostgres(
    `
access: public
database: { managed: false }
resources:
  notes: { fields: { code: { type: string, maxLength: 1 } } }
  parts: { fields: { code: { type: string, maxLength: 1 } } }
`,
    `CREATE TABLE notes (id serial PRIMARY KEY, code text); INSERT INTO notes (code) VALUES ('ab');
     CREATE TABLE parts (id serial PRIMARY KEY, code text); INSERT INTO parts (code) VALUES ('ab');`,
  );
  try {
    const { servedApi } = api;
    await ask('BEGIN');
    await ask('LOCK TABLE notes');
    const locked = await storedProblems(servedApi.api, servedApi.database, { longest: 1_000 });
    expect(locked[0]).toMatchObject({ isUnknown: true, field: { resource: { name: 'notes' } } });
    await ask('ROLLBACK');
    const found = await storedProblems(servedApi.api, servedApi.database, { longest: 600_000 });
    expect(found.map(({ field }) => field.resource.name)).toEqual(['notes', 'parts']);
  } finally {
    await stop();
  }
});
