import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { ServedApi } from '../../src/http/server/served-api.ts';
import { sessionsOf } from '../../src/model/session.ts';
import { build, buildValid, makeSqlite } from '../support/api.ts';
import { caller, withTokens } from '../support/callers.ts';
import { serveSecured, type SecuredApi } from '../support/row-security.ts';
import { person, specification, tables } from './documents.ts';

/** See docs/contract/8-existing-databases.md#sessions. */
const file = (session: string): string =>
  `database: { url: "postgres://localhost/x", session: ${session} }\naccess: public\nresources: { notes: { fields: { text: { type: string } } } }`;

describe('in the file', () => {
  test.each([
    ['{}', 'at least one entry'],
    ['{ "app tenant": x }', "a setting's name"],
    ['{ TimeZone: UTC }', 'the service makes itself'],
    ['{ statement_timeout: "1" }', 'the service makes itself'],
    ['{ app.tenant: "{tenant}" }', '`{tenant}` is no claim'],
    ['{ app.tenant: "{user.}" }', '`{user.}` is no claim'],
    ['{ app.tenant: 1 }', 'put it in quotes'],
  ])('%s is refused', (session, message) => {
    const { problems } = build(file(session));
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
  });

  test('settings are made in order, the role last, from any claim', () => {
    const api = buildValid(
      file(
        `{ Role: "{user.role}", app.all: "{user}", app.one: "a-{user.a.b}-{user.list}", app.no: "{user.none}", app.json: '{"x": 1}' }`,
      ),
    );
    const of = sessionsOf(api);
    expect(of?.({ role: 'me', a: { b: true }, list: [1, 'x'] })).toEqual({
      names: ['app.all', 'app.one', 'app.no', 'app.json', 'Role'],
      values: [
        '{"role":"me","a":{"b":true},"list":[1,"x"]}',
        'a-true-[1,"x"]',
        '',
        '{"x": 1}',
        'me',
      ],
    });
    expect(of?.({}).values).toEqual(['{}', 'a--', '', '{"x": 1}', 'none']);
  });

  test('SQLite has no sessions', async () => {
    const api = buildValid(file('{ app.tenant: x }'));
    const { database, remove } = await makeSqlite(api);
    expect(() => new ServedApi(api, database)).toThrow('database.session needs PostgreSQL');
    await database.close();
    remove();
  });
});

describe('on the server', () => {
  let secured: SecuredApi;
  beforeAll(async () => {
    secured = await serveSecured(
      `audit: { resources: [documents], roles: [auditor] }\ndebug: { roles: [auditor] }\n${specification()}`,
      tables,
    );
  });
  afterAll(() => secured?.stop());

  test('a setting that it does not know ends the start', async () => {
    const opening = openPostgres(secured.url, { session: { 'app.x': '', tenant: '' } });
    await expect(opening).rejects.toThrow('knows no setting tenant (database.session)');
  });

  test('a role that policies do not hold for is pointed out', async () => {
    const { login, member } = secured.roles;
    const warningOf = async (session: Record<string, string>): Promise<string | undefined> => {
      const database = await openPostgres(secured.url, { session });
      await database.close();
      return database.sessionWarning;
    };
    expect(await warningOf({ 'app.tenant': 'x' })).toBeUndefined();
    await secured.ask(`ALTER ROLE ${login} BYPASSRLS`);
    expect(await warningOf({ 'app.tenant': 'x' })).toContain(`served as the role ${login}`);
    expect(await warningOf({ role: '{user.role}' })).toContain('callers without the claims');
    expect(await warningOf({ role: member })).toBeUndefined();
    await secured.ask(`ALTER ROLE ${login} NOBYPASSRLS`);
  });

  test('the audit log is written and read by the service itself', async () => {
    const { api, roles } = secured;
    const ann = person('ann', 't1', roles);
    const { status, body } = await api.send('POST', '/documents', { title: 'logged' }, ann);
    expect(status).toBe(201);
    const path = `/documents/${String(body.id)}`;
    expect((await api.send('PATCH', path, { title: 'changed' }, ann)).status).toBe(200);
    expect((await api.send('PATCH', path, { owner: 'bob' }, ann)).status).toBe(403);
    expect((await api.send('DELETE', path, undefined, ann)).status).toBe(204);
    const log = await api.get('/_audit?sort=at', caller({ sub: 'x', roles: ['auditor'] }));
    const entries = log.body as { operation: string; changed: string[] }[];
    expect(entries.map(({ operation, changed }) => [operation, changed.includes('title')])).toEqual(
      [
        ['create', true],
        ['update', true],
        ['delete', true],
      ],
    );
  });

  test('plans of _debug are those of the caller', async () => {
    const { member } = secured.roles;
    const ann = caller({ sub: 'ann', tenant: 't1', dbRole: member, roles: ['auditor'] });
    const { body } = await secured.api.get('/documents?_debug=plan&limit=1', ann);
    expect(JSON.stringify(body._debug.database.queries)).toContain('request.jwt.claims');
  });
});

test('a request that takes too long ends at its deadline, and the next caller gets its own rows', async () => {
  const slow = await serveSecured(
    `database: { session: { app.user: "{user.sub}" } }
${withTokens}
access: public
resources:
  notes: { managed: false, fields: { owner: { type: string } } }`,
    ({ login }) => `
      CREATE TABLE notes (id serial PRIMARY KEY, owner text);
      INSERT INTO notes (owner) VALUES ('ann'), ('bob');
      ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
      CREATE FUNCTION is_own(owner text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF current_setting('app.user') = 'slow' THEN PERFORM pg_sleep(600); END IF;
        RETURN owner = current_setting('app.user'); END $$;
      CREATE POLICY own ON notes USING (is_own(owner));
      GRANT ALL ON notes TO ${login};`,
    { poolSize: 1, statementTimeout: 2_000 },
  );
  try {
    const late = caller({ sub: 'slow' });
    for (const [owner, method, path, body] of [
      ['ann', 'GET', '/notes', undefined],
      ['bob', 'PATCH', '/notes/1', { owner: 'x' }],
    ] as const) {
      const ended = await slow.api.send(method, path, body, late);
      expect([ended.status, ended.body.code]).toEqual([504, 'QUERY_TIMEOUT']);
      const own = await slow.api.get('/notes', caller({ sub: owner }));
      expect([own.headers.get('x-total-count'), own.body]).toEqual([
        '1',
        [expect.objectContaining({ owner })],
      ]);
    }
  } finally {
    await slow.stop();
  }
});

test('settings without a role serve a role that owns nothing', async () => {
  const secured = await serveSecured(
    `database: { session: { app.tenant: "{user.tenant}" } }
${withTokens}
access: public
resources:
  notes: { managed: false, fields: { text: { type: string }, tenant: { type: integer } } }`,
    ({ login }) => `
      CREATE TABLE notes (id serial PRIMARY KEY, text text, tenant integer DEFAULT current_setting('app.tenant')::integer);
      INSERT INTO notes (text, tenant) SELECT 'of ' || number, number FROM generate_series(1, 3) AS number;
      ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON notes USING (tenant = current_setting('app.tenant')::integer);
      GRANT ALL ON notes TO ${login};
      GRANT USAGE ON SEQUENCE notes_id_seq TO ${login}`,
  );
  const { api } = secured;
  const one = caller({ tenant: 1 });
  expect((await api.get('/notes', one)).body).toMatchObject([{ text: 'of 1' }]);
  expect((await api.send('POST', '/notes', { text: 'x' }, one)).body).toMatchObject({ tenant: 1 });
  expect((await api.send('POST', '/notes', { text: 'x', tenant: 2 }, one)).status).toBe(403);
  expect((await api.get('/notes')).status).toBe(401);
  expect((await api.get('/notes', caller({ tenant: 'x' }))).status).toBe(403);
  expect((await api.send('PATCH', '/notes/1', { text: 'x' }, caller({}))).status).toBe(403);
  expect((await api.get('/_ready')).status).toBe(200);
  await secured.stop();
});
