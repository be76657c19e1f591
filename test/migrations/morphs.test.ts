import { describe, expect, test } from 'vitest';
import { indexNames } from '../../src/sql/schema/schema.ts';
import { existingPostgres, existingSqlite } from '../support/existing.ts';

// Expansions and deletes of a morphMany read by the pair, so that it has an index as a foreign key has.
const specification = `
resources:
  posts: { fields: { notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade } } }
  photos: { fields: { notes: { type: relation, relation: morphMany, resource: notes } } }
  notes: { fields: { on: { type: relation, relation: morphTo, typeField: kind, idField: key }, text: { type: string } } }
`;
const [name] = indexNames('notes', ['kind', 'key'], false);
const step = 'create index on notes (kind, key)';
const posts =
  'CREATE TABLE posts (id bigint PRIMARY KEY); CREATE TABLE photos (id bigint PRIMARY KEY);';
const notes = `CREATE TABLE notes (id bigint PRIMARY KEY, kind text, key bigint, text text)`;
const rows = `INSERT INTO posts (id) VALUES (1), (2); INSERT INTO notes (id, kind, key, text) VALUES (1, 'posts', 1, 'a'), (2, 'photos', 1, 'b'), (3, 'posts', 2, 'c')`;

describe.each([
  [
    'SQLite',
    (sql: string) => existingSqlite(specification, sql.replaceAll('id bigint', 'id integer')),
  ],
  ['PostgreSQL', (sql: string) => existingPostgres(specification, sql)],
] as const)('a morph pair on %s', (_, open) => {
  test.each<readonly [title: string, sql: string, steps: readonly string[]]>([
    ['of an empty database has an index with its table', '', [step]],
    ['of tables that are there gets one', `${posts} ${notes}; ${rows}`, [step]],
    [
      'with one that others have made keeps that',
      `${posts} ${notes}; CREATE INDEX mine ON notes (kind, key); ${rows}`,
      [],
    ],
  ])('%s', async (_title, sql, steps) => {
    const existing = await open(sql);
    const made = existing.steps.filter(({ summary }) =>
      summary.startsWith('create index on notes'),
    );
    expect(made).toEqual(
      steps.map((summary) => ({
        summary,
        loses: undefined,
        obstacle: undefined,
        isOptional: false,
      })),
    );
    const { send } = existing.api;
    if (sql !== '') {
      const { body } = await send('GET', '/v1/posts/1?expand=notes');
      expect(body.notes).toMatchObject([{ id: 1, text: 'a' }]);
      expect((await send('DELETE', '/v1/posts/1')).status).toBe(204);
      expect(
        (await existing.ask('SELECT id FROM notes ORDER BY id')).map(([id]) => Number(id)),
      ).toEqual([2, 3]);
    }
    await existing.stop();
  });
});

test('its name follows from the index alone', async () => {
  const existing = await existingSqlite(specification, '');
  const rows = await existing.ask(
    `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'notes'`,
  );
  expect(rows).toEqual([[name]]);
  const plan = await existing.ask(
    `EXPLAIN QUERY PLAN SELECT id FROM notes WHERE kind = 'posts' AND key IN (SELECT value FROM json_each('[1]'))`,
  );
  expect(plan.map(([, , , detail]) => detail).join()).toContain(`INDEX ${name} (kind=? AND key=?)`);
  await existing.stop();
});
