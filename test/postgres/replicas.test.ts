import driver from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import {
  readReplicaUrl,
  withReplicas,
} from '../../src/databases/postgres/replication/replicated.ts';
import { postgresForms } from '../../src/databases/postgres/stored-forms.ts';
import type { Database } from '../../src/databases/database.ts';
import type { Api } from '../../src/model/api.ts';
import type { FoundForms } from '../../src/model/field-types/stored-as.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { caller, withTokens } from '../support/callers.ts';
import { bossAndHand } from '../support/keys.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { inForms } from '../support/existing.ts';
import { until } from '../support/command.ts';
import { startPostgres, type OwnServer } from '../support/postgres-server.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';

/** The view says which server has answered: a standby, or the primary. */
const specification = `
access: public
debug: { roles: [admin] }
metrics: true
database: { url: 'postgres://127.0.0.1/x', replicas: ['postgres://127.0.0.1/y'] }
${bossAndHand}
resources:
  notes: { fields: { title: { type: string }, text: { type: string, nullable: true } } }
`;
const view =
  '  servers: { managed: false, fields: { id: { type: id }, standby: { type: boolean } } }';
const model = buildValid(specification + view);
/** Papers that policies show to their owners alone, each with the server that has answered. */
const secured = buildValid(`
access: public
${withTokens}
database:
  url: postgres://127.0.0.1/x
  replicas: [postgres://127.0.0.1/y]
  session: { role: "{user.dbRole}", app.user: "{user.sub}" }
  managed: false
resources:
  folders:
    fields:
      name: { type: string }
      papers: { type: relation, relation: hasMany, resource: papers, foreignKey: folder }
  papers:
    table: seen_papers
    fields:
      owner: { type: string }
      folder: { type: integer, reference: folders.id }
      standby: { type: boolean }
`);
const boss = { 'x-api-key': 'boss-key' };
const hand = { 'x-api-key': 'hand-key' };

let primary: OwnServer;
let standby: OwnServer;
let proxy: Proxy;
let onPrimary: driver.Sql;
let onStandby: driver.Sql;
const lines: string[] = [];
const failures: unknown[] = [];
let api: TestApi;
/** The same on another machine, so to speak. */
let other: TestApi;

/** As a role without any right beside those that a server needs. */
const asApp = (url: string): string => url.replace('plinth:plinth', 'app:app');

const open = async (replicas: readonly string[], mostLag = 600_000): Promise<Database> =>
  withReplicas(
    await openPostgres(asApp(primary.url), { poolSize: 4 }),
    replicas.map((url) => readReplicaUrl(asApp(url), {})),
    { poolSize: 4, mostLag, report: (line) => lines.push(line) },
  );

const serveOn = async (database: Database): Promise<TestApi> =>
  serve(model, database, { now: () => new Date(), uuid: uuidv7 }, failures);

const serversOf = async ({ get }: TestApi): Promise<Record<string, string>> =>
  (await get('/_ready')).body.servers;

const readForms = async (api: Api): Promise<FoundForms> => {
  const asOwner = await openPostgres(primary.url, { poolSize: 1 });
  const forms = await asOwner.inspect((ask) => postgresForms(ask, api));
  await asOwner.close();
  return forms;
};

const isOnStandby = async (headers = {}, asked = api): Promise<boolean> =>
  (await asked.get('/v1/servers', headers)).body[0].standby;

const untilUsed = (asked = api): Promise<void> => until(() => isOnStandby({}, asked));

beforeAll(async () => {
  primary = await startPostgres({ streams: true });
  const setUp = await openPostgres(primary.url, { poolSize: 1 });
  await migrate(setUp, buildValid(specification));
  await setUp.changeSchema(async (ask) => {
    await ask('CREATE VIEW servers AS SELECT 1 AS id, pg_is_in_recovery() AS standby');
    await ask(`CREATE ROLE app LOGIN PASSWORD 'app'`);
    await ask(`CREATE TABLE folders (id integer PRIMARY KEY, name text)`);
    await ask(
      `CREATE TABLE papers (id serial PRIMARY KEY, owner text, folder integer REFERENCES folders)`,
    );
    await ask(`CREATE VIEW seen_papers WITH (security_invoker) AS
      SELECT id, owner, folder, pg_is_in_recovery() AS standby FROM papers`);
    await ask(`INSERT INTO folders VALUES (1, 'one')`);
    await ask(
      `INSERT INTO papers (owner, folder) SELECT owner, 1 FROM unnest(ARRAY['ann', 'bob', 'bob']) AS owner`,
    );
    await ask('ALTER TABLE papers ENABLE ROW LEVEL SECURITY');
    await ask(`CREATE POLICY own ON papers USING (owner = current_setting('app.user', true))`);
    await ask('CREATE ROLE member');
    await ask('CREATE ROLE nobody');
    await ask('GRANT member, nobody TO app');
    await ask('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app, member');
    await ask('GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO member');
  });
  await setUp.close();
  standby = await startPostgres({ original: primary });
  proxy = await startProxy(standby.url);
  [onPrimary, onStandby] = [primary, standby].map(({ url }) =>
    driver(url, { max: 1, onnotice: () => undefined }),
  ) as [driver.Sql, driver.Sql];
  api = await serveOn(await open([proxy.url]));
  other = await serveOn(await open([standby.url]));
  await untilUsed();
  await untilUsed(other);
}, 120_000);

afterAll(async () => {
  await api?.stop();
  await other?.stop();
  await onPrimary?.end();
  await onStandby?.end();
  await proxy?.stop();
  await standby?.stop();
  await primary?.stop();
});

/** Pauses the replica's replay while work is done. */
const paused = async (work: () => Promise<unknown>): Promise<void> => {
  await onStandby`SELECT pg_wal_replay_pause()`;
  await until(
    async () =>
      (await onStandby`SELECT pg_get_wal_replay_pause_state() = 'paused' AS is`)[0]?.['is'],
  );
  try {
    await work();
  } finally {
    await onStandby`SELECT pg_wal_replay_resume()`;
  }
};

/** The statuses of reads while something happens. */
const underLoad = async (work: () => Promise<unknown>): Promise<ReadonlySet<number>> => {
  const statuses = new Set<number>();
  const load = { isOver: false };
  const clients = ['/v1/notes', '/v1/notes?title=a', '/v1/servers/1', '/v1/notes?group=title'].map(
    async (path, index) => {
      while (!load.isOver)
        statuses.add((await api.get(path, index === 0 ? { accept: 'text/csv' } : {})).status);
    },
  );
  await work();
  load.isOver = true;
  await Promise.all(clients);
  return statuses;
};

const readsOf = async (server: string): Promise<number> => {
  const { text } = await api.get('/_metrics');
  return Number(
    text.split(`plinth_database_server_reads_total{server="${server}"} `)[1]?.split('\n')[0],
  );
};

test.each([
  ['a list', '/v1/notes', {}],
  ['a filtered list', '/v1/notes?title=a', {}],
  ['a list behind a cursor', '/v1/notes?cursor=', {}],
  ['groups', '/v1/notes?group=title', {}],
  ['an export', '/v1/notes', { accept: 'application/x-ndjson' }],
  ['a record', '/v1/servers/1', {}],
])('%s comes from the replica', async (_, path, headers) => {
  const before = await readsOf('replica 1');
  expect((await api.get(path, headers)).status).toBe(200);
  expect(await readsOf('replica 1')).toBe(before + 1);
});

test('a caller reads its own writes, and others read on from the replica', () =>
  paused(async () => {
    const created = await api.send('POST', '/v1/notes', { title: 'a' }, boss);
    expect(created.status).toBe(201);
    const path = `/v1/notes/${created.body.id}`;
    expect((await api.get(path, boss)).status).toBe(200);
    expect(await isOnStandby(boss)).toBe(false);
    expect((await api.get(path, hand)).status).toBe(404);
    expect(await isOnStandby(hand)).toBe(true);
    // Nobody knows who has not said who it is, but where it is.
    expect(await isOnStandby()).toBe(true);
    await api.send('PATCH', path, { title: 'b' });
    expect(await isOnStandby()).toBe(false);
    const batch = [{ method: 'POST', path: '/notes', body: { title: 'c' } }];
    const { headers } = await api.send('POST', '/v1/_batch', batch, hand);
    expect(headers.get('plinth-position')).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/u);
    expect(await isOnStandby(hand)).toBe(false);
  }));

test('once the replica has what the callers have written, they read from it again', async () => {
  await until(() => isOnStandby(boss));
  await until(() => isOnStandby(hand));
});

test('the position of a write can be shown to another server', () =>
  paused(async () => {
    const { headers } = await api.send('POST', '/v1/notes', { title: 'a' }, boss);
    const position = String(headers.get('plinth-position'));
    expect(await isOnStandby(boss, other)).toBe(true);
    expect(await isOnStandby({ ...boss, 'plinth-position': position }, other)).toBe(false);
  }));

test.each([
  ['of long ago', '0/1', true],
  ['of long ago, in small letters', '0/a', true],
  ['that is still to come', 'FFFF0000/0', false],
  ['that no log reaches', 'FFFFFFFF/FFFFFFFF', false],
  ['of no form', 'x', false],
  ['of two responses, which a proxy has joined', '0/1, 0/2', false],
  ['that is empty', '', false],
])('a position %s', async (_, position, isAnsweredByReplica) => {
  await untilUsed();
  expect(await isOnStandby({ ...hand, 'plinth-position': position })).toBe(isAnsweredByReplica);
});

test('only writes that have happened have a position', async () => {
  const refused = await api.send('POST', '/v1/notes', { title: 1 }, boss);
  expect(refused.status).toBe(400);
  expect(refused.headers.get('plinth-position')).toBeNull();
  expect((await api.get('/v1/notes', boss)).headers.get('plinth-position')).toBeNull();
});

test('a total on the replica is counted each time', async () => {
  const total = async (): Promise<number> =>
    Number((await api.get('/v1/notes?limit=1')).headers.get('x-total-count'));
  const before = await total();
  expect(await total()).toBe(before);
  await onPrimary`INSERT INTO notes (title) VALUES ('of somebody else')`;
  await until(async () => (await total()) === before + 1);
  expect(await isOnStandby()).toBe(true);
});

test('the settings of a session hold on the replica', async () => {
  const { database } = api.servedApi;
  const settings = { names: ['app.user'], values: ['boss'] };
  const reader = database.inSession?.(settings).replication?.reader(0);
  expect(reader?.server).toBe('replica 1');
  const sql = `SELECT current_setting('app.user'), pg_is_in_recovery()`;
  expect(await reader?.all({ sql, parameters: [] }, { bound: [] })).toEqual([['boss', true]]);
});

test('policies hold on the replica as on the primary, and no caller gets what was read for another', async () => {
  const members = {
    ann: caller({ sub: 'ann', dbRole: 'member' }),
    bob: caller({ sub: 'bob', dbRole: 'member' }),
  };
  const database = withReplicas(
    await openPostgres(asApp(primary.url), {
      poolSize: 2,
      session: secured.settings.database?.session,
    }),
    [readReplicaUrl(asApp(standby.url), {})],
    { poolSize: 2, mostLag: 600_000, report: (line) => lines.push(line) },
  );
  const forms = await readForms(secured);
  const own = await serve(
    inForms(secured, forms),
    database,
    { now: () => new Date(), uuid: uuidv7 },
    failures,
  );
  try {
    await until(async () => (await own.get('/papers', members.ann)).body[0]?.standby === true);
    const papers = { ann: [1], bob: [2, 3] };
    const list = (owner: 'ann' | 'bob'): object[] =>
      papers[owner].map((id) => ({ id, owner, folder: 1, standby: true }));
    const tags = new Set<string | null>();
    // In turns, so that whatever is kept of one caller's read would be another's next.
    for (const owner of ['ann', 'bob', 'ann', 'bob'] as const) {
      const ask = async (path: string, headers = {}): Promise<unknown> => {
        const { status, text } = await own.get(path, { ...members[owner], ...headers });
        return [status, status === 200 ? JSON.parse(text) : undefined];
      };
      const { body, headers } = await own.get('/papers?limit=5', members[owner]);
      expect([body, headers.get('x-total-count')]).toEqual([
        list(owner),
        String(papers[owner].length),
      ]);
      tags.add(headers.get('etag'));
      expect(await ask('/papers?cursor=')).toEqual([
        200,
        expect.objectContaining({ data: list(owner) }),
      ]);
      expect(await ask('/folders?expand=papers')).toEqual([
        200,
        [{ id: 1, name: 'one', papers: list(owner) }],
      ]);
      expect(await ask('/papers?group=owner,standby')).toEqual([
        200,
        [{ group: { owner, standby: true }, count: papers[owner].length }],
      ]);
      expect(await ask('/papers/1')).toEqual(
        owner === 'ann' ? [200, list('ann')[0]] : [404, undefined],
      );
      const lines = (
        await own.get('/papers', { ...members[owner], accept: 'application/x-ndjson' })
      ).text;
      expect(
        lines
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(list(owner));
    }
    expect(tags.size).toBe(2);
    expect((await own.get('/papers', caller({ sub: 'ann', dbRole: 'nobody' }))).status).toBe(403);
    expect((await own.get('/papers')).body).toEqual([]);
    // A caller that has just written reads from the primary, where the same policies hold.
    await paused(async () => {
      expect(
        (await own.send('POST', '/papers', { owner: 'ann', folder: 1 }, members.ann)).status,
      ).toBe(201);
      const { body } = await own.get('/papers', members.ann);
      expect(
        body.map(({ owner, standby: isReplica }: { owner: string; standby: boolean }) => [
          owner,
          isReplica,
        ]),
      ).toEqual([
        ['ann', false],
        ['ann', false],
      ]);
      expect((await own.get('/papers', members.bob)).body).toEqual(list('bob'));
    });
  } finally {
    await own.stop();
  }
});

test('debug output, trace and metrics tell the server', async () => {
  await untilUsed();
  const { body } = await api.get('/v1/notes?_debug=true&_trace=true', hand);
  expect(body._debug).toBeUndefined();
  const shown = (await api.get('/v1/notes?_debug=true&_trace=true', boss)).body;
  expect(shown._debug.database).toMatchObject({
    server: 'replica 1',
    lag: expect.stringMatching(/^\d+\.\d\dms$/u),
  });
  const fetched = shown._trace.find(({ stage }: { stage: string }) => stage === 'fetch_notes');
  expect(fetched.details).toMatchObject({ server: 'replica 1' });
  const { text } = await api.get('/_metrics');
  expect(text).toContain('plinth_database_server_used{server="replica 1"} 1');
  expect(text).toContain('plinth_database_server_lag_seconds{server="replica 1"} ');
  expect(await serversOf(api)).toEqual({ primary: 'used', 'replica 1': 'used' });
});

test('a replica that lags more than allowed is left, and taken again', async () => {
  const strict = await serveOn(await open([standby.url], 1_000));
  try {
    await untilUsed(strict);
    await paused(async () => {
      await onPrimary`INSERT INTO notes (title) VALUES ('late')`;
      await until(async () => (await serversOf(strict))['replica 1'] === 'behind');
      expect(await isOnStandby({}, strict)).toBe(false);
      expect(lines.at(-1)).toMatch(/^No reads go to replica 1: the database .* is behind/u);
    });
    await untilUsed(strict);
    expect(lines.at(-1)).toBe('Reads go to replica 1 again.');
  } finally {
    await strict.stop();
  }
});

test('what is no replica of the database is not used', async () => {
  const elsewhere = new URL(standby.url);
  elsewhere.pathname = '/template1';
  const wrong = await serveOn(
    await open([primary.url, elsewhere.href, 'postgres://127.0.0.1:1/x']),
  );
  try {
    const reasons = [
      '1: the database .* takes writes',
      '2: .* is no replica of',
      '3: .* nothing listens',
    ];
    await until(() =>
      reasons.every((reason) =>
        lines.some((line) => new RegExp(`replica ${reason}`, 'u').test(line)),
      ),
    );
    expect(await isOnStandby({}, wrong)).toBe(false);
    expect(new Set(Object.values(await serversOf(wrong)))).toEqual(new Set(['used', 'lost']));
  } finally {
    await wrong.stop();
  }
});

test('a replica that does not answer any more fails no request', async () => {
  await untilUsed();
  const statuses = await underLoad(async () => {
    proxy.stand(true);
    await until(async () => (await serversOf(api))['replica 1'] === 'lost');
    expect(await isOnStandby()).toBe(false);
    proxy.stand(false);
    await untilUsed();
  });
  expect(statuses).toEqual(new Set([200]));
}, 60_000);

test('a replica that crashes under load fails no request, and is used again', async () => {
  await untilUsed();
  const statuses = await underLoad(async () => {
    await standby.crash();
    await until(async () => (await serversOf(api))['replica 1'] === 'lost');
    await standby.up();
    await untilUsed();
  });
  expect(statuses).toEqual(new Set([200]));
}, 60_000);

test('while the primary is lost, reads go on from the replica, and writes are 503', async () => {
  await untilUsed();
  await primary.down();
  try {
    await until(async () => (await serversOf(api))['primary'] === 'lost');
    expect((await api.get('/_ready')).status).toBe(200);
    expect(await isOnStandby()).toBe(true);
    const late = await api.get('/v1/notes', { 'plinth-position': 'FFFF0000/0' });
    expect([late.status, late.body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    const written = await api.send('POST', '/v1/notes', { title: 'a' });
    expect([written.status, written.body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
  } finally {
    await primary.up();
  }
  await until(async () => (await api.send('POST', '/v1/notes', { title: 'a' })).status === 201);
  await untilUsed();
}, 60_000);

test('a replica that is promoted is left', async () => {
  await untilUsed();
  const statuses = await underLoad(async () => {
    await onStandby`SELECT pg_promote()`;
    await onStandby`INSERT INTO notes (title) VALUES ('of another past')`;
    await until(async () => (await serversOf(api))['replica 1'] === 'lost');
  });
  expect(statuses).toEqual(new Set([200]));
  expect((await api.get('/v1/notes?title=of%20another%20past')).body).toEqual([]);
  expect(lines.at(-1)).toMatch(/^No reads go to replica 1: the database .* takes writes/u);
}, 60_000);
