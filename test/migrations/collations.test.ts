import { expect, test } from 'vitest';
import { existingSqlite, type Existing } from '../support/existing.ts';

// Texts are compared by code point whatever the collation of an existing column, and what a migration makes has to
// serve that order. See docs/contract/1-specification-file.md#existing-tables, rule 3.
const people = `CREATE TABLE people (id TEXT PRIMARY KEY COLLATE NOCASE, name TEXT COLLATE NOCASE, code TEXT COLLATE RTRIM,
  boss TEXT COLLATE NOCASE REFERENCES people (id) ON DELETE SET NULL, plain TEXT, "log COLLATE" TEXT)`;
const specification = (fields: string): string => `
resources:
  people: { fields: { id: { type: id, format: string }, ${fields} } }
`;
const name = 'name: { type: string, index: true }';

async function indexesOf({ ask }: Existing): Promise<readonly string[]> {
  const rows = await ask(
    `SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'people' AND sql IS NOT NULL ORDER BY sql`,
  );
  return rows.map(([sql]) => String(sql));
}

const made = (column: string, key: string): string =>
  `CREATE INDEX "people_${column}_index" ON "people" (${key}, "id" COLLATE BINARY)`;
const unique = 'CREATE UNIQUE INDEX "people_code_unique" ON "people" ("code" COLLATE BINARY)';
const theirs = 'CREATE INDEX names ON people (name)';
const binary = 'CREATE INDEX names ON people (name COLLATE BINARY, id COLLATE BINARY)';

test.each<readonly [title: string, sql: string, fields: string, expected: readonly string[]]>([
  ['an index', people, name, [made('name', '"name" COLLATE BINARY')]],
  ['a unique one', people, 'code: { type: string, unique: true }', [unique]],
  [
    'that of a foreign key',
    people,
    'boss: { type: string, reference: people.id }',
    [made('boss', '"boss" COLLATE BINARY')],
  ],
  [
    'none that needs no word for it',
    people,
    'plain: { type: string, index: true }',
    [made('plain', '"plain"')],
  ],
  [
    'beside one in another order',
    `${people}; ${theirs}`,
    name,
    [made('name', '"name" COLLATE BINARY'), theirs],
  ],
  ['not beside one in ours', `${people}; ${binary}`, name, [binary]],
  [
    'not beside one whose values are distinct in a wider sense',
    `${people}; CREATE UNIQUE INDEX codes ON people (code)`,
    'code: { type: string, unique: true }',
    ['CREATE UNIQUE INDEX codes ON people (code)'],
  ],
  [
    'instead of one that Plinth has made in another order',
    `${people}; CREATE INDEX "people_name_index" ON "people" ("name", "id")`,
    name,
    [made('name', '"name" COLLATE BINARY')],
  ],
])('on columns that compare otherwise a migration makes %s', async (_, sql, fields, expected) => {
  const existing = await existingSqlite(specification(fields), sql);
  expect(existing.steps.flatMap(({ obstacle }) => obstacle ?? [])).toEqual([]);
  expect(await indexesOf(existing)).toEqual(expected);
  await existing.stop();
});

test('such an index serves filters and sorts', async () => {
  const existing = await existingSqlite(specification(name), people);
  // The connection that asks learns of the indexes by reading; a plan alone does not tell it.
  expect(await indexesOf(existing)).toHaveLength(1);
  for (const query of [
    'WHERE name COLLATE BINARY = ?',
    'ORDER BY name COLLATE BINARY, id COLLATE BINARY',
  ]) {
    const [[, , , detail] = []] = await existing.ask(
      `EXPLAIN QUERY PLAN SELECT id FROM people ${query.replace('?', "'a'")}`,
    );
    expect(detail).toContain('USING COVERING INDEX people_name_index');
  }
  await existing.stop();
});
