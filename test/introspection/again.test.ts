import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { good, makeFolder } from '../support/command.ts';
import { fromSql } from '../support/introspect.ts';
import { createDatabase } from '../support/postgres.ts';

/** Existing tables that a migration has taken as they are, read again. See docs/contract/6-operation.md#introspect. */
describe('lists and objects of tables of others are known as such when they are read again', () => {
  const stored = (json: string): string =>
    `CREATE TABLE items (id integer PRIMARY KEY, tags ${json}, more ${json});`;
  const asFile = (type: string): string =>
    `resources: { items: { fields: { tags: { type: ${type}, default: [] }, more: { type: object } } } }\n`;

  async function knowsThem(database: string, path: string): Promise<void> {
    writeFileSync(join(path, 'first.yaml'), asFile('array'));
    await good(['migrate', 'first.yaml', '--database', database, '--apply'], path);
    const read = await good(
      ['introspect', database, '--managed', '--json', '--out', 'again.yaml'],
      path,
    );
    const { specification } = JSON.parse(read.out) as {
      specification: { resources: { items: { fields: object } } };
    };
    expect(specification.resources.items.fields).toMatchObject({
      tags: { type: 'array' },
      more: { type: 'object' },
    });
    const again = await good(['migrate', 'again.yaml', '--database', database], path);
    expect(again.out).toContain('is up to date');
    // As another kind of JSON they are the same values, and the default of the column is as good.
    writeFileSync(join(path, 'json.yaml'), asFile('json'));
    const other = await good(['migrate', 'json.yaml', '--database', database], path);
    expect(other.out).toMatch(/^- change items.tags from array to json\n/u);
  }

  test('on SQLite', async () => {
    const { cwd } = await fromSql(
      `${stored(`text DEFAULT '[]'`)} INSERT INTO items VALUES (1, '["a"]', '{"a": 1}')`,
    );
    await knowsThem('sqlite:old.db', cwd);
  });

  test('on PostgreSQL', async () => {
    const { url, drop } = await createDatabase();
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    await client.unsafe(`${stored('jsonb').replace('tags jsonb', `tags text[] DEFAULT '{}'`)}
      INSERT INTO items VALUES (1, '{a}', '{"a": 1}')`);
    await knowsThem(url, makeFolder().path);
    await client.end();
    await drop();
  });
});
