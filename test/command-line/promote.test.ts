import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import Driver from 'better-sqlite3';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { answersOf, changes, writes } from '../postgres/requests.ts';
import { specification } from '../postgres/specification.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { launchPlinth, makeFolder, plinth, servePlinth } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';

const folder = makeFolder({ 'plinth.yaml': `name: All\n${specification}` });
const model = buildValid(specification);
const draw = { now: () => new Date(), uuid: uuidv7 };
const servers: TestDatabase[] = [];

const database = async (): Promise<TestDatabase> => {
  const made = await createDatabase();
  servers.push(made);
  return made;
};
const sqliteAt = (name: string): Promise<TestApi> =>
  serve(model, openSqlite(folder.at(name), 'durable'), draw, []);
const postgresAt = async (url: string): Promise<TestApi> =>
  serve(model, await openPostgres(url, { poolSize: 4 }), draw, []);
const promote = (from: string, to: string, ...flags: string[]): ReturnType<typeof plinth> =>
  plinth(['promote', '--from', `sqlite:${from}`, '--to', to, ...flags], { cwd: folder.path });

beforeAll(async () => {
  await plinth(['migrate', '--apply', '--database', 'sqlite:first.db'], { cwd: folder.path });
  const api = await sqliteAt('first.db');
  for (const { method = 'GET', path, body, headers } of [...writes, ...changes])
    await api.send(method, path, body, headers);
  // Two that point to each other.
  const left = (await api.send('POST', '/v1/left', { name: 'l' })).body as { id: number };
  const { body } = await api.send('POST', '/v1/right', { leftId: left.id });
  await api.send('PATCH', `/v1/left/${left.id}`, { rightId: (body as { id: number }).id });
  await api.stop();
});

afterAll(async () => {
  for (const server of servers) await server.drop();
});

/** Makes one more record of each resource that needs nothing else; what ids they get. */
async function nextIds(api: TestApi): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  for (const { name, id, fields } of model.resources.values()) {
    if (id.attributes.format !== undefined) continue;
    if ([...fields.values()].some(({ required }) => required)) continue;
    const { status, body } = await api.send('POST', `/v1/${name}`, {});
    if (status === 201) ids.push([name, (body as { id: number }).id]);
  }
  return ids;
}

test('what was promoted answers the same to the byte, and goes on with the same ids', async () => {
  const target = await database();
  // An id that was given out is never given out again.
  const before = await sqliteAt('first.db');
  const { body } = await before.send('POST', '/v1/left', { name: 'gone' });
  await before.send('DELETE', `/v1/left/${(body as { id: number }).id}`);
  await before.stop();
  const { code, out, err } = await promote('first.db', target.url);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('Nothing is switched over yet.');
  expect(out).not.toContain('differs');
  const [first, second] = [await sqliteAt('first.db'), await postgresAt(target.url)];
  const answers = await answersOf(first, model);
  expect(answers.length).toBeGreaterThan(300);
  expect(await answersOf(second, model)).toEqual(answers);
  const ids = await nextIds(first);
  expect(ids.length).toBeGreaterThan(0);
  expect(await nextIds(second)).toEqual(ids);
  await first.stop();
  await second.stop();
  expect([...first.failures, ...second.failures]).toEqual([]);
});

test('a second run copies nothing; a target with other data is refused and left alone', async () => {
  const target = await database();
  await promote('first.db', target.url);
  const again = JSON.parse((await promote('first.db', target.url, '--json')).out) as {
    ok: boolean;
    tables: { copied: number; from: unknown; to: unknown }[];
  };
  expect(again.ok).toBe(true);
  for (const { copied, from, to } of again.tables)
    expect({ copied, to }).toEqual({ copied: 0, to: from });
  const api = await postgresAt(target.url);
  const [left] = (await api.get('/v1/left?limit=1')).body as { id: number }[];
  await api.send('PATCH', `/v1/left/${left?.id}`, { name: 'other' });
  const changed = await promote('first.db', target.url);
  expect(changed.code).toBe(1);
  expect(changed.err).toMatch(
    /^\S+ on 127\.0\.0\.1:\d+ has data of its own: the record \d+ of left differs/u,
  );
  expect((await api.get(`/v1/left/${left?.id}`)).body).toMatchObject({ name: 'other' });
  for (let extra = 0; extra < 5; extra += 1) await api.send('POST', '/v1/left', { name: 'more' });
  const more = await promote('first.db', target.url);
  expect(more.err).toMatch(/has data of its own: \d+ records of left, where first\.db has \d+\./u);
  await api.stop();
});

test.each([
  [
    '--from of another kind',
    ['--from', 'postgres://a/b', '--to', 'postgres://a/b'],
    /--from \S+ cannot be used. Write --from sqlite:PATH/u,
  ],
  [
    '--to of another kind',
    ['--from', 'sqlite:first.db', '--to', 'sqlite:b.db'],
    /--to \S+ cannot be used/u,
  ],
  ['no --to', ['--from', 'sqlite:first.db'], /--to/u],
  ['memory', ['--from', 'sqlite::memory:', '--to', 'postgres://a/b'], /cannot be used/u],
])('a wrong call: %s', async (_name, args, message) => {
  const { code, err } = await plinth(['promote', ...args], { cwd: folder.path });
  expect(code).toBe(2);
  expect(err).toMatch(message);
});

test('a file that is not there is told, and nothing is made of it', async () => {
  const { url } = await database();
  const { code, err } = await promote('missing.db', url);
  expect({ code, err: err.includes('There is no database missing.db') }).toEqual({
    code: 1,
    err: true,
  });
});

test('what the target makes of the rows is told: other values, and rows that are not there', async () => {
  const target = await database();
  folder.write(
    'odd/plinth.yaml',
    'name: Odd\nresources:\n' +
      ['kept', 'changed', 'lost']
        .map((one) => `  ${one}: { fields: { a: { type: text } } }\n`)
        .join(''),
  );
  const surroundings = { cwd: folder.at('odd') };
  for (const url of ['sqlite:odd.db', target.url])
    await plinth(['migrate', '--apply', '--database', url], surroundings);
  const driver = new Driver(folder.at('odd', 'odd.db'));
  for (const table of ['kept', 'changed', 'lost'])
    driver.exec(`INSERT INTO "${table}" (a) VALUES ('x'), ('y')`);
  driver.close();
  // Triggers of others, as databases have them.
  const sql = postgres(target.url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`
    CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_TABLE_NAME = 'lost' THEN RETURN CASE WHEN NEW.a = 'x' THEN NEW END; END IF;
      NEW.a := upper(NEW.a);
      RETURN NEW;
    END $$;
    CREATE TRIGGER meddle BEFORE INSERT ON changed FOR EACH ROW EXECUTE FUNCTION meddle();
    CREATE TRIGGER meddle BEFORE INSERT ON lost FOR EACH ROW EXECUTE FUNCTION meddle()`);
  await sql.end();
  const args = ['promote', '--from', 'sqlite:odd.db', '--to', target.url];
  const { code, out, err } = await plinth(args, surroundings);
  expect(code).toBe(1);
  expect(out).toMatch(/kept +2 {2}equal {2}[0-9a-f]{16}\n/u);
  expect(out).toMatch(/changed +2 {2}differs: 2 there, [0-9a-f]{16} and [0-9a-f]{16}\n/u);
  expect(out).toMatch(/lost +2 {2}differs: 1 there, /u);
  expect(out).not.toContain('Nothing is switched over yet.');
  expect(err).toMatch(
    /^changed, lost are not equal in odd\.db and \S+ on \S+\. Stop what writes to either, empty \S+ on \S+, then run it again\.\n$/u,
  );
});

test.each([
  ['ABCDEF00-0000-4000-8000-000000000000', '2026-03-01', 1, 'in id, which must be "abcdef00-'],
  ['abcdef00-0000-4000-8000-000000000000', 'n/a', 1, '"n/a" in day, which must be a date such as'],
  ['abcdef00-0000-4000-8000-000000000000', null, 'many', 'for type bigint: "many"'],
])('a value that PostgreSQL cannot have is told: %s, %s, %s', async (id, day, count, said) => {
  const { url } = await database();
  folder.write(
    'unfit/plinth.yaml',
    'resources: { days: { fields: { id: { type: id, format: uuid }, day: { type: date }, count: { type: integer } } } }',
  );
  const surroundings = { cwd: folder.at('unfit') };
  const driver = new Driver(folder.at('unfit', 'unfit.db'));
  driver.exec(
    'DROP TABLE IF EXISTS days; CREATE TABLE days (id TEXT NOT NULL PRIMARY KEY, day TEXT, count INTEGER)',
  );
  driver.prepare('INSERT INTO days VALUES (?, ?, ?)').run(id, day, count);
  driver.close();
  const args = ['promote', '--from', 'sqlite:unfit.db', '--to', url];
  await plinth(['migrate', '--apply', '--database', 'sqlite:unfit.db'], surroundings);
  const { code, err } = await plinth(args, surroundings);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(said) });
  expect(err).toContain('cannot have what unfit.db has in days: ');
});

const tree = `name: Tree
resources:
  nodes:
    timestamps: true
    fields:
      name: { type: string, required: true }
      price: { type: decimal }
      parentId: { type: integer, nullable: true, reference: nodes.id }
`;

test('a run that is killed can be run again, and goes on', async () => {
  const { url } = await database();
  folder.write('tree/plinth.yaml', tree);
  const surroundings = { cwd: folder.at('tree') };
  await plinth(['migrate', '--apply', '--database', 'sqlite:tree.db'], surroundings);
  const driver = new Driver(folder.at('tree', 'tree.db'));
  const count = 60_000;
  // Every second one has a parent that comes later.
  driver.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})` +
      ` INSERT INTO nodes (id, name, price, parentId, createdAt, updatedAt)` +
      ` SELECT i, 'n' || i, i * 7, CASE WHEN i % 2 = 0 THEN ${count} + 1 - i END, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM n`,
  );
  driver.close();
  const args = ['promote', '--from', 'sqlite:tree.db', '--to', url, '--json'];
  const running = launchPlinth(args, surroundings);
  const looking = await openPostgres(url, { poolSize: 1 });
  const rows = async (): Promise<number> => {
    const [row] = await looking.all(
      { sql: `SELECT count(*) FROM nodes`, parameters: [] },
      { bound: [] },
    );
    return Number(row?.[0]);
  };
  for (let there = 0; there === 0; await delay(20)) there = await rows().catch(() => 0);
  running.child.kill('SIGKILL');
  await running.ended;
  const before = await rows();
  expect(before).toBeGreaterThan(0);
  // Keys that had to wait are set when it is all there: once more, after some of them were.
  const rest = launchPlinth(args, surroundings);
  const connected = async (): Promise<number> => {
    const [row] = await looking.all(
      { sql: 'SELECT count(*) FROM nodes WHERE "parentId" > id + 5000', parameters: [] },
      { bound: [] },
    );
    return Number(row?.[0]);
  };
  while ((await connected()) === 0) await delay(5);
  rest.child.kill('SIGKILL');
  await rest.ended;
  await looking.close();
  const { code, out, err } = await plinth(args, surroundings);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [table] = (JSON.parse(out) as { tables: { copied: number; from: object; to: object }[] })
    .tables;
  expect(table?.to).toEqual(table?.from);
  expect(table?.from).toMatchObject({ rows: count });
  expect(table?.copied).toBe(0);
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

test.runIf(hasIpv6)('a server by its IPv6 address is migrated, filled and served', async () => {
  const proxy = await startProxy((await database()).url, '::1');
  const named = `${/[^/]*$/u.exec(proxy.url)?.[0]} on [::1]:${new URL(proxy.url).port}`;
  const surroundings = { cwd: folder.at('ipv6') };
  folder.write('ipv6/plinth.yaml', `access: public\n${tree}`);
  await plinth(['migrate', '--apply', '--database', 'sqlite:tree.db'], surroundings);
  await plinth(['generate', '--count', '9', '--database', 'sqlite:tree.db'], surroundings);
  const migrated = await plinth(['migrate', '--apply', '--database', proxy.url], surroundings);
  expect([migrated.code, migrated.out]).toEqual([0, expect.stringContaining(named)]);
  const args = ['promote', '--from', 'sqlite:tree.db', '--to', proxy.url];
  const { code, out, err } = await plinth(args, surroundings);
  expect({ code, err, isNamed: out.includes(named) }).toEqual({ code: 0, err: '', isNamed: true });
  const { url, stop } = await servePlinth(['start', '--database', proxy.url], surroundings);
  expect(await (await fetch(`${url}/v1/nodes?limit=100`)).json()).toHaveLength(9);
  await stop('SIGTERM');
  await proxy.stop();
});

test('texts that mean something to PostgreSQL, and long ones, arrive as they are', async () => {
  const { url } = await database();
  folder.write(
    'texts/plinth.yaml',
    `name: Texts
resources:
  texts: { fields: { text: { type: text }, list: { type: array, items: { type: string } }, any: { type: json } } }
`,
  );
  const surroundings = { cwd: folder.at('texts') };
  await plinth(['migrate', '--apply', '--database', 'sqlite:texts.db'], surroundings);
  const texts = [
    '',
    'NULL',
    'null',
    '{}',
    '{a,b}',
    '"',
    '\\',
    '\\N',
    '\\"',
    ',',
    '\n\r\t',
    "'",
    '$1',
    '🐘',
    ...Array.from({ length: 80 }, (_, index) => `${'x'.repeat(300_000)}${index}`),
  ];
  const driver = new Driver(folder.at('texts', 'texts.db'));
  const insert = driver.prepare('INSERT INTO texts (text, list, "any") VALUES (?, ?, ?)');
  for (const text of texts)
    insert.run(text, JSON.stringify([text, null]), JSON.stringify({ text }));
  insert.run(null, null, 'null');
  driver.close();
  const { code, err } = await plinth(
    ['promote', '--from', 'sqlite:texts.db', '--to', url],
    surroundings,
  );
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const there = await openPostgres(url, { poolSize: 1 });
  const rows = await there.all(
    { sql: `SELECT text, list ->> 0, "any" ->> 'text' FROM texts ORDER BY id`, parameters: [] },
    { bound: [] },
  );
  await there.close();
  expect(rows).toEqual([...texts.map((text) => [text, text, text]), [null, null, null]]);
});

test('SQLite has no schemas, and its records move to a database where the service has one', async () => {
  const { url } = await database();
  const moved = makeFolder({
    'plinth.yaml':
      'name: Moved\naccess: public\naudit: true\ndatabase: { serviceSchema: plinth }\nresources: { notes: { fields: { text: { type: string } } } }',
    'notes.ndjson': '{"id":1,"text":"a"}\n',
  });
  const run = async (...args: string[]): Promise<unknown> => {
    const { code, err } = await plinth(args, { cwd: moved.path });
    return [code, err];
  };
  expect(await run('migrate', '--apply', '--database', 'sqlite:a.db')).toEqual([0, '']);
  expect(await run('import', 'notes.ndjson', '--database', 'sqlite:a.db')).toEqual([0, '']);
  expect(await run('promote', '--from', 'sqlite:a.db', '--to', url)).toEqual([0, '']);
  const sql = postgres(url, { max: 1 });
  expect([...(await sql`SELECT text FROM notes`)]).toEqual([{ text: 'a' }]);
  expect([...(await sql`SELECT count(*)::int AS rows FROM plinth._plinth_audit`)]).toEqual([
    { rows: 0 },
  ]);
  await sql.end();
});

test('moments with microseconds are carried whole, or the run says what the file lacks', async () => {
  const { url } = await database();
  const file = (attributes: string): string =>
    `access: public\nresources: { things: { fields: { at: { type: datetime${attributes} } } } }`;
  const moments = makeFolder({ 'plinth.yaml': file('') });
  const driver = new Driver(moments.at('a.db'));
  driver.exec(`CREATE TABLE things (id INTEGER PRIMARY KEY, at DATETIME);
    INSERT INTO things (at) VALUES ('2026-03-01 10:00:00.123456'), ('2026-03-01 10:00:01'), (NULL)`);
  driver.close();
  const run = (...args: string[]): ReturnType<typeof plinth> => plinth(args, { cwd: moments.path });
  await run('migrate', '--apply', '--database', 'sqlite:a.db');
  const refused = await run('promote', '--from', 'sqlite:a.db', '--to', url);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining(
      'at has 6 digits behind the second; write `precision: 6` for it in the file',
    ),
  ]);
  moments.write('plinth.yaml', file(', precision: 6'));
  const done = await run('promote', '--from', 'sqlite:a.db', '--to', url);
  expect([done.code, done.err]).toEqual([0, '']);
  const sql = postgres(url, { max: 1 });
  const rows =
    await sql`SELECT to_char(at AT TIME ZONE 'UTC', 'HH24:MI:SS.US') FROM things`.values();
  expect([...rows]).toEqual([['10:00:00.123456'], ['10:00:01.000000'], [null]]);
  await sql.end();
});
