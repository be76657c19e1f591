import Driver from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { openSqlite, type SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { migrate } from '../../src/migrations/sqlite/schema.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';

// How SQLite keeps a search index, whatever the service and other programs do to the file.
const model = buildValid(`
access: public
resources:
  notes: { searchIndex: true, fields: { title: { type: string }, n: { type: integer } } }
  tags: { searchIndex: true, fields: { id: { type: id, format: string }, title: { type: string } } }
`);

const folder = makeFolder();
const close: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of close.splice(0).toReversed()) await one();
});

interface Served {
  readonly api: TestApi;
  readonly database: SqliteDatabase;
  readonly other: Driver.Database;
  /** The lines of the log. */
  readonly lines: readonly string[];
  /** The rows that an index of a table has of it, and those that are stale. */
  readonly rows: (table: string) => { readonly indexed: unknown; readonly stale: unknown };
  readonly ids: (table: string, word: string) => Promise<readonly unknown[]>;
}

/** Serves a file that another program has open as well. */
async function served(): Promise<Served> {
  const path = folder.at(`${uuidv7()}.db`);
  const lines: string[] = [];
  const database = openSqlite(path, 'temporary', { report: (line) => lines.push(line) });
  await migrate(database.schemaConnection, model);
  const api = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, []);
  close.push(() => api.stop());
  const other = new Driver(path);
  close.push(() => other.close());
  return {
    api,
    database,
    other,
    lines,
    rows: (table) => {
      const count = (part: string): unknown =>
        other
          .prepare(`SELECT count(*) FROM "${nameOf(other, table)}_${part}"`)
          .pluck()
          .get();
      return { indexed: count('docsize'), stale: count('stale') };
    },
    ids: async (table, word) => {
      const { status, text, body } = await api.get(`/v1/${table}?search=${word}&fields=id`);
      expect(status, text).toBe(200);
      return (body as { id: unknown }[]).map(({ id }) => id);
    },
  };
}

function nameOf(driver: Driver.Database, table: string): string {
  const names = driver
    .prepare(`SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%' AND name LIKE ?`)
    .pluck()
    .all(`\\_plinth\\_search\\_${table}\\_%`.replaceAll('\\', ''));
  return String(names[0]);
}

test.each([
  ['notes', {}],
  ['tags', { id: 'a' }],
])('the index keeps nothing of deleted %s', async (table, key) => {
  const { api, rows, ids } = await served();
  const { body } = await api.send('POST', `/v1/${table}`, { ...key, title: 'secret' });
  await api.send('POST', `/v1/${table}`, { ...(table === 'tags' && { id: 'b' }), title: 'open' });
  expect(rows(table)).toEqual({ indexed: 2, stale: 0 });
  expect((await api.send('DELETE', `/v1/${table}/${body.id}`)).status).toBe(204);
  expect(rows(table)).toEqual({ indexed: 1, stale: 0 });
  expect(await ids(table, 'secret')).toEqual([]);
});

test.each(['id', 'rowid', '_rowid_', 'oid', 'RowId'])(
  'a row whose id another program changes as %s is found',
  async (name) => {
    const { api, other, rows, ids } = await served();
    await api.send('POST', '/v1/notes', { title: 'moved' });
    other.exec(`UPDATE notes SET ${name} = 7 WHERE id = 1`);
    expect(await ids('notes', 'moved')).toEqual([7]);
    await api.send('POST', '/v1/notes', { title: 'next' });
    expect(await ids('notes', 'moved')).toEqual([7]);
    expect(rows('notes')).toEqual({ indexed: 2, stale: 0 });
  },
);

test('rows that another program replaces or inserts over others are found as they are', async () => {
  const { api, other, rows, ids } = await served();
  await api.send('POST', '/v1/notes', [{ title: 'first' }, { title: 'second' }]);
  other.exec(`INSERT OR REPLACE INTO notes (id, title) VALUES (1, 'replaced');
    INSERT INTO notes (id, title) VALUES (2, 'x') ON CONFLICT DO UPDATE SET title = 'upserted';
    UPDATE OR REPLACE notes SET id = 2 WHERE id = 1`);
  for (const _ of [0, 1]) {
    expect(await ids('notes', 'replaced')).toEqual([2]);
    for (const word of ['first', 'second', 'upserted'])
      expect(await ids('notes', word)).toEqual([]);
    await api.send('POST', '/v1/notes', { title: 'other' });
  }
  expect(rows('notes')).toMatchObject({ stale: 0 });
});

test('ids that no text of JavaScript holds are indexed once', async () => {
  const { api, other, rows, ids, lines } = await served();
  other.exec(
    `INSERT INTO tags (id, title) VALUES (CAST(x'FF61' AS TEXT), 'bytes'),
    ('a' || char(0) || 'b', 'nul'), ('"[]\\''', 'quoted')`.replaceAll('\\', ''),
  );
  expect(await ids('tags', 'quoted')).toHaveLength(1);
  expect((await api.send('POST', '/v1/tags', { id: 'c', title: 'good' })).status).toBe(201);
  expect(rows('tags')).toEqual({ indexed: 4, stale: 0 });
  expect(lines).toEqual([]);
  other.exec(`DELETE FROM tags WHERE title <> 'good'`);
  await api.send('PATCH', '/v1/tags/c', { title: 'better' });
  expect(rows('tags')).toEqual({ indexed: 1, stale: 0 });
});

/** Ways in which an index cannot be kept: a full disk, a damaged file, a part that is gone. */
const failures: readonly (readonly [string, (served: Served) => unknown, RegExp])[] = [
  [
    'full',
    ({ other, database }) => {
      const insert = other.prepare('INSERT INTO notes (title) VALUES (?)');
      for (let n = 0; n < 200; n += 1) insert.run(Array.from({ length: 40 }, uuidv7).join(' '));
      const { schemaConnection: writer } = database;
      writer.pragma(`max_page_count = ${String(writer.pragma('page_count', { simple: true }))}`);
    },
    /of notes .*full/u,
  ],
  [
    'damaged',
    ({ other }) => other.unsafeMode().exec(`DELETE FROM "${nameOf(other, 'notes')}_data"`),
    /of notes .*(malformed|corrupt)/u,
  ],
  [
    'dropped',
    ({ other }) => other.exec(`DROP TABLE "${nameOf(other, 'notes')}"`),
    /of notes .*no such table.* Run migrate/u,
  ],
];
test.each(failures)(
  'writes go on while an index cannot be kept, and the log says so: %s',
  async (_, spoil, line) => {
    const all = await served();
    const { api, rows, ids, lines } = all;
    await api.send('POST', '/v1/notes', { title: 'first' });
    spoil(all);
    const { status, text } = await api.send('PATCH', '/v1/notes/1', { title: 'other' });
    expect(status, text).toBe(200);
    expect((await api.send('PATCH', '/v1/notes/1', { title: 'third' })).status).toBe(200);
    expect(lines).toEqual([expect.stringMatching(line)]);
    // The other index is kept.
    await api.send('POST', '/v1/tags', { id: 'a', title: 'tagged' });
    expect(rows('tags')).toEqual({ indexed: 1, stale: 0 });
    expect(await ids('tags', 'tagged')).toEqual(['a']);
  },
);
