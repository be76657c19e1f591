import Driver from 'better-sqlite3';
import postgresClient from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
