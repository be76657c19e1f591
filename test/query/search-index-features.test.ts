import Driver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { barePostgres } from '../support/bare-postgres.ts';
import { serveBoth } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { makeFolder } from '../support/command.ts';
import { linesOf, postgresSide, sqliteSide } from '../support/migrations.ts';
import { serveSecured } from '../support/row-security.ts';
import { runIn } from '../command-line/commands.ts';
import { serveSandboxes } from '../sandboxes/sandboxes.ts';

// A search index with the features that write in other ways than a plain request.
const { url, empty } = await barePostgres();
const file = (head: string): string => `
access: public
resources:
  notes:
    ${head}
    generate: { count: 12 }
    fields: { title: { type: string }, body: { type: text } }
`;
const [indexed, plain] = [file('searchIndex: true'), file('description: No index.')];

async function titles({ get }: Pick<TestApi, 'get'>, word: string, headers = {}): Promise<unknown> {
  const { status, text, body } = await get(`/v1/notes?search=${word}&sort=id`, headers);
  expect(status, text).toBe(200);
  return (body as { title: unknown }[]).map(({ title }) => title);
}

test('sandboxes have an index of their own', async () => {
  const api = await serveSandboxes(indexed);
  try {
    const [inside, other] = [{ 'x-sandbox': 'a' }, { 'x-sandbox': 'b' }];
    const note = { title: 'Straße', body: 'x' };
    expect((await api.send('POST', '/v1/notes', note, inside)).status).toBe(201);
    expect(await titles(api, 'strasse', inside)).toEqual(['Straße']);
    expect(await titles(api, 'strasse', other)).toEqual([]);
    expect(await titles(api, 'strasse')).toEqual([]);
    // What is generated is found, in the sandbox and outside of it.
    const { body } = await api.get('/v1/notes/1');
    const word = encodeURIComponent(`"${String(body.title)}"`);
    for (const headers of [{}, inside])
      expect(await titles(api, word, headers)).toContain(body.title);
    const id = (await api.get('/v1/notes?search=strasse', inside)).body[0].id as number;
    await api.send('PATCH', `/v1/notes/${id}`, { title: 'Weg' }, inside);
    expect(await titles(api, 'strasse', inside)).toEqual([]);
    await api.send('DELETE', `/v1/notes/${id}`, undefined, inside);
    expect(await titles(api, 'weg', inside)).toEqual([]);
  } finally {
    await api.stop();
  }
});

test('imported, exported and promoted records are found', async () => {
  await empty();
  const folder = makeFolder({
    'plinth.yaml': indexed,
    'notes.ndjson': `${JSON.stringify({ id: 5, title: 'Crème', body: 'brûlée' })}\n`,
  });
  const path = folder.at('a.db');
  for (const args of [
    ['migrate', '--apply', '--database', 'sqlite:a.db'],
    ['import', 'notes.ndjson', '--database', 'sqlite:a.db'],
    ['migrate', '--apply', '--database', url],
    ['promote', '--from', 'sqlite:a.db', '--to', url],
  ]) {
    const told = await runIn(folder, {}, ...args);
    expect(told.code, told.err).toBe(0);
  }
  for (const side of [sqliteSide(path), postgresSide(url)])
    await side.served(indexed, async (api) => {
      expect(await titles(api, 'creme%20brulee')).toEqual(['Crème']);
      await api.send('POST', '/v1/notes', { title: 'next', body: '' });
      expect(await titles(api, 'creme%20brulee')).toEqual(['Crème']);
      expect(await titles(api, 'next')).toEqual(['next']);
    });
  const driver = new Driver(path);
  const tables = driver.prepare(`SELECT name FROM sqlite_schema WHERE name LIKE '%_stale'`).pluck();
  expect(
    driver
      .prepare(`SELECT count(*) FROM "${String(tables.get())}"`)
      .pluck()
      .get(),
  ).toBe(0);
  driver.close();
});

test('a server whose file has no index writes what one with it finds', async () => {
  const path = makeFolder().at('two.db');
  await sqliteSide(path).apply(indexed);
  const served = (text: string): Promise<TestApi> =>
    serve(
      buildValid(text),
      openSqlite(path, 'temporary'),
      { now: () => new Date(), uuid: uuidv7 },
      [],
    );
  const [first, second] = [await served(indexed), await served(plain)];
  try {
    for (const title of ['Straße', 'Weiß'])
      expect((await second.send('POST', '/v1/notes', { title, body: '' })).status).toBe(201);
    expect(await titles(first, 'strasse')).toEqual(['Straße']);
    await second.send('PATCH', '/v1/notes/1', { title: 'Gasse' });
    await second.send('DELETE', '/v1/notes/2');
    expect(await titles(first, 'strasse')).toEqual([]);
    expect(await titles(first, 'gasse')).toEqual(['Gasse']);
    expect(await titles(first, 'weiss')).toEqual([]);
    await first.send('POST', '/v1/notes', { title: 'Gasse 2', body: '' });
    expect(await titles(first, 'gasse')).toEqual(['Gasse', 'Gasse 2']);
    expect(await titles(second, 'gasse')).toEqual(['Gasse', 'Gasse 2']);
  } finally {
    await second.stop();
    await first.stop();
  }
});

test('another service over the same tables leaves the index alone', async () => {
  await empty();
  const foreign = `
database: { managed: false }
access: public
resources: { notes: { fields: { title: { type: string } } } }
`;
  for (const side of [sqliteSide(makeFolder().at('x.db')), postgresSide(url)]) {
    await side.apply(indexed);
    await side.apply(foreign);
    expect(linesOf(await side.plan(indexed))).toEqual([]);
    await side.write(foreign, { notes: [{ title: 'Straße' }] });
    expect(await side.served(indexed, (api) => titles(api, 'strasse'))).toEqual(['Straße']);
  }
});

test('back and forth between files with and without an index', async () => {
  await empty();
  for (const side of [sqliteSide(makeFolder().at('x.db')), postgresSide(url)]) {
    for (const [round, text] of [indexed, plain, indexed, plain, indexed].entries()) {
      await side.apply(text);
      expect(await side.plan(text)).toEqual([]);
      await side.write(text, { notes: [{ title: `Straße ${round}`, body: '' }] });
      const found = await side.served(text, (api) => titles(api, 'strasse'));
      expect(found).toHaveLength(round + 1);
    }
  }
});

describe('names with quotes, blanks and points', () => {
  const odd = (table: string, column: string): string => `
access: public
resources:
  notes:
    table: ${JSON.stringify(table)}
    searchIndex: true
    fields: { title: { type: string, column: ${JSON.stringify(column)} } }
`;
  test.each([
    [`it's "odd"`, `a "b'c`],
    ['two words; --', 'c0'],
    ['x'.repeat(63), 'rowid'],
    ['Ünï', 'rank'],
    ["%w'%s", '$body$'],
  ])('%s, %s', async (table, column) => {
    const both = await serveBoth(odd(table, column));
    try {
      for (const title of ['Straße', 'Weiß']) {
        const { status, text } = await both.send('POST', '/v1/notes', { title });
        expect(status, text).toBe(201);
      }
      expect(await titles(both, 'strasse')).toEqual(['Straße']);
      await both.send('PATCH', '/v1/notes/1', { title: 'Weg' });
      await both.send('DELETE', '/v1/notes/2');
      expect(await titles(both, 'strasse')).toEqual([]);
      expect(await titles(both, 'weg')).toEqual(['Weg']);
      expect(await titles(both, 'weiss')).toEqual([]);
    } finally {
      await both.stop();
    }
  });
});

test('a repeated request writes and indexes once, and a refused one nothing', async () => {
  const both = await serveBoth(indexed);
  try {
    const keyed = { 'idempotency-key': 'once' };
    for (const _ of [0, 1]) {
      const { status } = await both.send('POST', '/v1/notes', { title: 'Straße', body: '' }, keyed);
      expect(status).toBe(201);
    }
    expect(await titles(both, 'strasse')).toEqual(['Straße']);
    const operations = [
      { method: 'POST', path: '/notes', body: { title: 'Weiß' } },
      { method: 'PATCH', path: '/notes/99', body: { title: 'Weiß' } },
    ];
    expect((await both.send('POST', '/v1/_batch', operations)).status).toBeGreaterThanOrEqual(400);
    expect(await titles(both, 'weiss')).toEqual([]);
  } finally {
    await both.stop();
  }
});

test('odd characters in words fail on neither database', async () => {
  const both = await serveBoth(indexed);
  try {
    await both.send('POST', '/v1/notes', { title: 'abc\u0001def', body: 'A\ufffdBC' });
    for (const word of ['abc%00def', '%EF%BF%BDbc', 'abc%01', '%ED%A0%80abc', 'aAd']) {
      const { status } = await both.get(`/v1/notes?search=${word}`);
      expect([200, 400], word).toContain(status);
    }
  } finally {
    await both.stop();
  }
});

test('a role of a session finds what policies show it, also if functions are revoked by default', async () => {
  const secured = await serveSecured(
    `database: { session: { role: "{user.dbRole}" } }
${withTokens}
access: public
resources:
  notes: { searchIndex: true, fields: { title: { type: string }, owner: { type: string } } }`,
    ({ member, login }) => `
      ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${member}, ${login};
      ALTER DEFAULT PRIVILEGES GRANT USAGE ON SEQUENCES TO ${member}, ${login};
      ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;`,
  );
  try {
    await secured.ask('ALTER TABLE notes ENABLE ROW LEVEL SECURITY');
    await secured.ask(
      `CREATE POLICY own ON notes TO ${secured.roles.member} USING (owner = 'anna')`,
    );
    const member = caller({ sub: 'anna', dbRole: secured.roles.member });
    const note = { title: 'Straße', owner: 'anna' };
    expect((await secured.api.send('POST', '/v1/notes', note, member)).status).toBe(201);
    await secured.ask(`INSERT INTO notes (title, owner) VALUES ('Straße 2', 'boris')`);
    expect(await titles(secured.api, 'strasse', member)).toEqual(['Straße']);
    expect(await titles(secured.api, 'strasse%202', member)).toEqual([]);
  } finally {
    await secured.stop();
  }
});
