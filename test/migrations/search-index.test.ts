import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { build } from '../support/api.ts';
import { barePostgres } from '../support/bare-postgres.ts';
import { linesOf, postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import { makeFolder } from '../support/command.ts';

const { url, other, empty } = await barePostgres();
const folder = makeFolder();
let files = 0;
const nextFile = (): string => folder.at(`${(files += 1)}.db`);

const file = (head: string, fields = 'title: { type: string }, body: { type: text }'): string =>
  `resources:\n  notes: { ${head}fields: { ${fields}, n: { type: integer } } }\n`;
const plain = file('');
const indexed = file('searchIndex: true, ');

/** Runs a case on both databases. */
async function onBoth(work: (side: Side) => Promise<void>): Promise<void> {
  await work(sqliteSide(nextFile()));
  await empty();
  await work(postgresSide(url));
}

async function idsOf(side: Side, text: string, word: string): Promise<readonly number[]> {
  return side.served(text, async ({ get }) => {
    const { status, text: answer, body } = await get(`/v1/notes?search=${word}`);
    expect(status, answer).toBe(200);
    return (body as { id: number }[]).map(({ id }) => id);
  });
}

const records = {
  notes: [
    { title: 'Straße', body: 'eins' },
    { title: 'zwei', body: 'Crème' },
  ],
};

test('an index is added to records that are there, and taken away', () =>
  onBoth(async (side) => {
    await side.apply(plain);
    await side.write(plain, records);
    expect(linesOf(await side.plan(indexed))).toEqual([
      'create search index on notes (title, body)',
    ]);
    await side.apply(indexed);
    expect(await side.plan(indexed)).toEqual([]);
    expect(await idsOf(side, indexed, 'strasse')).toEqual([1]);
    expect(await idsOf(side, indexed, 'creme')).toEqual([2]);
    await side.write(indexed, { notes: [{ title: 'drei', body: 'Weiß' }] });
    expect(await idsOf(side, indexed, 'weiss')).toEqual([3]);
    expect(linesOf(await side.apply(plain))).toEqual(['drop search index on notes']);
    expect(await side.plan(plain)).toEqual([]);
    expect(await idsOf(side, plain, 'weiss')).toEqual([3]);
  }));

test('an index of other fields is another one', () =>
  onBoth(async (side) => {
    await side.apply(indexed);
    await side.write(indexed, records);
    const narrower = file('search: [title], searchIndex: true, ');
    expect(linesOf(await side.apply(narrower))).toEqual([
      'drop search index on notes',
      'create search index on notes (title)',
    ]);
    expect(await side.plan(narrower)).toEqual([]);
    expect(await idsOf(side, narrower, 'creme')).toEqual([]);
    expect(await idsOf(side, narrower, 'strasse')).toEqual([1]);
  }));

test('texts that are converted, and other columns that are, are found as they are then', () =>
  onBoth(async (side) => {
    const numbers = file('searchIndex: true, ', 'title: { type: string }, body: { type: integer }');
    await side.apply(numbers);
    await side.write(numbers, { notes: [{ title: 'Straße', body: 12_345 }] });
    await side.apply(indexed);
    expect(await side.plan(indexed)).toEqual([]);
    expect(await idsOf(side, indexed, '2345')).toEqual([1]);
    // SQLite makes the table anew for it.
    const other = indexed.replace(
      'n: { type: integer }',
      'n: { type: integer, required: true, default: 1 }',
    );
    await side.apply(other);
    expect(await idsOf(side, other, 'strasse')).toEqual([1]);
    await side.write(other, { notes: [{ title: 'Weiß', body: 'x' }] });
    expect(await idsOf(side, other, 'weiss')).toEqual([2]);
    await side.apply(numbers, { allowDataLoss: true });
    expect(await side.plan(numbers)).toEqual([]);
    expect(await idsOf(side, numbers, 'strasse')).toEqual([1]);
  }));

test('an index of which a part is missing is made anew', async () => {
  const path = nextFile();
  const side = sqliteSide(path);
  await side.apply(indexed);
  await side.write(indexed, records);
  const driver = new Driver(path);
  const [trigger] = driver
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%insert'`)
    .pluck()
    .all();
  driver.exec(`DROP TRIGGER "${String(trigger)}"; INSERT INTO notes (title) VALUES ('Weiß')`);
  driver.close();
  expect(linesOf(await side.apply(indexed))).toEqual([
    'create search index on notes (title, body)',
  ]);
  expect(await idsOf(side, indexed, 'weiss')).toEqual([3]);
});

test('a role that may not make the extension gets the function alone, and the same records', async () => {
  await empty();
  const role = `searcher_${process.pid}`;
  const [{ name } = {}] = await other`SELECT quote_ident(current_database()) AS name`;
  await other.unsafe(
    `CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT ALL ON SCHEMA public TO ${role}; REVOKE CREATE ON DATABASE ${String(name)} FROM PUBLIC`,
  );
  const own = new URL(url);
  own.username = role;
  own.password = 'x';
  const side = postgresSide(own.href);
  const step = (await side.plan(indexed)).find(({ hint }) => hint !== undefined);
  expect(step?.summary).toBe('create the function that folds texts for search');
  expect(step?.hint).toContain('let one that may do it: CREATE EXTENSION pg_trgm');
  await side.apply(indexed);
  expect(await side.plan(indexed)).toEqual([]);
  await side.write(indexed, records);
  expect(await idsOf(side, indexed, 'strasse')).toEqual([1]);
  await other.unsafe('CREATE EXTENSION pg_trgm');
  expect(linesOf(await side.apply(indexed))).toEqual([
    'create search index on notes (title, body)',
  ]);
  expect(await idsOf(side, indexed, 'strasse')).toEqual([1]);
});

test.each([
  [
    file('searchIndex: true, managed: false, '),
    'notes is not managed: Plinth makes no index of notes; leave out searchIndex',
  ],
  [
    `resources:\n  notes: { searchIndex: true, fields: { n: { type: integer } } }\n`,
    'notes has no texts of its own that search looks into; leave out searchIndex',
  ],
  [
    `resources:
  users: { fields: { name: { type: string } } }
  notes:
    search: [title, user.name]
    searchIndex: true
    fields:
      title: { type: string }
      userId: { type: integer, reference: users.id }
      user: { type: relation, relation: belongsTo, resource: users }
`,
    'search of notes looks into user.name too, which no index keeps: it reads every record; name fields with a column in search',
  ],
])('what an index cannot do is said: %#', (text, message) => {
  expect(build(text).problems.map((problem) => problem.message)).toContain(message);
});
