import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import type { AnyApi, Code, Db } from '../../src/extensions/code.ts';
import { PlinthError } from '../../src/index.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { migrate as migratePostgres } from '../../src/migrations/postgres/schema.ts';
import { migrate as migrateSqlite } from '../../src/migrations/sqlite/schema.ts';
import { buildValid, fill, serve, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/postgres.ts';

const specification = `
code: ./api.ts
access: public
resources:
  tags:
    fields: { name: { type: string, unique: true } }
  lines:
    fields: { tagId: { type: integer, reference: tags.id, onDelete: restrict } }
  gone:
    fields: { name: { type: string } }
  busy:
    fields: { name: { type: string } }
  lost:
    fields: { name: { type: string } }
  late:
    fields: { name: { type: string } }
  orders:
    fields:
      what: { type: string }
      seen: { type: json, nullable: true }
      value: { type: string, computed: true }
  logs:
    fields: { what: { type: string } }
`;

interface Case {
  /** The request of a client that fails so; undefined if no request can. */
  readonly request?: readonly [method: string, path: string, body?: object];
  readonly ask: (db: Db<AnyApi>['asOwner'] | AnyApi['client']) => Promise<unknown>;
  /** Present if one database alone fails so. */
  readonly only?: string;
  /** What the client gets, and own code catches. */
  readonly failure: {
    readonly status: number;
    readonly code: string;
    readonly problems?: object[];
  };
}

const unavailable = { status: 503, code: 'DATABASE_UNAVAILABLE', problems: [] };

const cases: Readonly<Record<string, Case>> = {
  'a value that is taken': {
    request: ['POST', '/v1/tags', { name: 'first' }],
    ask: async (db) => db['tags']?.create({ name: 'first' }),
    failure: { status: 422, code: 'INVALID_VALUE', problems: [{ field: 'name', rule: 'unique' }] },
  },
  'a reference to nothing': {
    request: ['POST', '/v1/lines', { tagId: 999 }],
    ask: async (db) => db['lines']?.create({ tagId: 999 }),
    failure: { status: 422, code: 'INVALID_VALUE', problems: [{ field: 'tagId' }] },
  },
  'a record that others refer to': {
    request: ['DELETE', '/v1/tags/1'],
    ask: async (db) => db['tags']?.delete(1),
    failure: { status: 409, code: 'HAS_DEPENDENTS' },
  },
  'a read of a table that is gone': {
    request: ['GET', '/v1/gone'],
    ask: async (db) => db['gone']?.list(),
    failure: unavailable,
  },
  'a write to a table that is gone': {
    request: ['POST', '/v1/gone', { name: 'a' }],
    ask: async (db) => db['gone']?.create({ name: 'a' }),
    failure: unavailable,
  },
  'a read that the database cancels, as at its deadline': {
    request: ['GET', '/v1/late'],
    ask: async (db) => db['late']?.list(),
    only: 'PostgreSQL',
    failure: { status: 504, code: 'QUERY_TIMEOUT' },
  },
  'a write that others keep waiting': {
    request: ['POST', '/v1/busy', { name: 'a' }],
    ask: async (db) => db['busy']?.create({ name: 'a' }),
    only: 'PostgreSQL',
    failure: { status: 503, code: 'DATABASE_BUSY' },
  },
  'a write whose connection is lost': {
    request: ['POST', '/v1/lost', { name: 'a' }],
    ask: async (db) => db['lost']?.create({ name: 'a' }),
    only: 'PostgreSQL',
    failure: { status: 503, code: 'OUTCOME_UNKNOWN' },
  },
};

/** Makes the tables fail as the cases say. */
const breaking = ['ALTER TABLE gone RENAME TO elsewhere'];
const breakingPostgres = [
  'ALTER TABLE late RENAME TO kept',
  `CREATE VIEW late AS SELECT 0 AS id, '' AS name FROM pg_sleep(CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN 600 ELSE 0 END)`,
  `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'locked' USING ERRCODE = '55P03'; END $$`,
  'CREATE TRIGGER waits BEFORE INSERT ON busy FOR EACH ROW EXECUTE FUNCTION wait()',
  'CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$',
  'CREATE TRIGGER loses BEFORE INSERT ON lost FOR EACH ROW EXECUTE FUNCTION lose()',
];

/** For what no request of the cases does. */
const others: Readonly<Record<string, Case['ask']>> = {
  'a write to a table that is free': async (db) => db['logs']?.create({ what: 'after' }),
};

const nameOf = (what: unknown): string => String(what).replace(/^.*?: /u, '');

async function asked(what: unknown, db: Db<AnyApi>): Promise<void> {
  const isOwner = String(what).includes('owner');
  const name = nameOf(what);
  await (cases[name]?.ask ?? others[name])?.(isOwner ? db.asOwner : db);
}

/** What own code caught: all that it may rely on. */
async function caught(work: () => Promise<unknown>): Promise<object> {
  try {
    await work();
    return { caught: 'nothing' };
  } catch (error) {
    if (!(error instanceof PlinthError)) return { caught: String(error) };
    const { body, problems, retryAfter } = error;
    return { status: body.status, code: body.code, problems, retryAfter };
  }
}

const code: Code = {
  resources: {
    orders: {
      async beforeCreate(order, { db, also }) {
        const { what } = order;
        if (String(what).startsWith('caught')) order['seen'] = await caught(() => asked(what, db));
        if (String(what).startsWith('thrown')) await asked(what, db);
        if (String(what).startsWith('added'))
          also(() => ({ method: 'POST', path: '/logs', body: { what } }));
      },
      computed: {
        value: {
          needs: ['what'],
          async value({ what }, { db }) {
            if (String(what).startsWith('value caught'))
              return JSON.stringify(await caught(() => asked(what, db)));
            if (String(what).startsWith('value thrown')) await asked(what, db);
            return 'done';
          },
        },
      },
    },
    logs: {
      async beforeCreate({ what }, { db }) {
        if (String(what).includes('thrown')) await asked(what, db);
        else await caught(() => asked(what, db));
      },
    },
  },
  endpoints: {
    'POST /caught/:who/:what': async ({ params, db }) => {
      const seen = await caught(() => asked(`${params['who']}: ${params['what']}`, db));
      // What the failure has left behind would fail it.
      await db['logs']?.create({ what: 'after' });
      return seen;
    },
    'POST /thrown/:who/:what': async ({ params, db }) => {
      await asked(`${params['who']}: ${params['what']}`, db);
    },
  },
};

interface Side extends TestApi {
  readonly name: string;
  readonly run: (sql: string) => Promise<unknown>;
}

const sides: Side[] = [];
const ends: (() => Promise<void> | void)[] = [];
let file = '';

beforeAll(async () => {
  const model = buildValid(specification);
  const draw = { now: () => new Date(), uuid: uuidv7 };
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  file = join(folder, 'test.db');
  const sqlite = openSqlite(file, 'temporary');
  await migrateSqlite(sqlite.schemaConnection, model);
  const made = await createDatabase();
  const postgres = await openPostgres(made.url, { poolSize: 2 });
  await migratePostgres(postgres, model);
  sides.push(
    {
      ...(await serve(model, sqlite, draw, [], { code })),
      name: 'SQLite',
      run: async (sql) => sqlite.schemaConnection.exec(sql),
    },
    {
      ...(await serve(model, postgres, draw, [], { code })),
      name: 'PostgreSQL',
      run: (sql) => postgres.changeSchema((ask) => ask(sql)),
    },
  );
  ends.push(made.drop, () => rmSync(folder, { recursive: true, force: true }));
  for (const side of sides) {
    await fill(side, { tags: [{ name: 'first' }], lines: [{ tagId: 1 }] });
    const all = side.name === 'SQLite' ? breaking : [...breaking, ...breakingPostgres];
    for (const sql of all) await side.run(sql);
  }
});
afterAll(async () => {
  for (const side of sides) await side.stop();
  for (const end of ends) await end();
});
beforeEach(() => {
  for (const { failures } of sides) failures.length = 0;
});

const failed = async (side: TestApi, path: string, body?: object): Promise<object> => {
  const answer = await side.send('POST', path, body);
  const { status, code: of, errors, validationErrors } = answer.body;
  const after = answer.headers.get('retry-after');
  return {
    status,
    code: of,
    problems: errors ?? validationErrors ?? [],
    retryAfter: after === null ? undefined : Number(after),
  };
};

describe.each(Object.entries(cases))('%s', (what, { request, only, failure }) => {
  const path = encodeURIComponent(what);
  const failing = (): readonly Side[] => sides.filter(({ name }) => (only ?? name) === name);

  test('reaches own code as the error that the API answers', async () => {
    for (const side of failing()) {
      if (request !== undefined) {
        const [method, to, body] = request;
        const answer = await side.send(method, to, body);
        expect([side.name, answer.status]).toEqual([side.name, failure.status]);
      }
      for (const who of ['caller', 'owner']) {
        const { body } = await side.send('POST', `/v1/caught/${who}/${path}`);
        expect(body, `${side.name}, ${who}`).toMatchObject(failure);
        const order = await side.send('POST', '/v1/orders', { what: `caught by ${who}: ${what}` });
        expect(order.body, `${side.name}, ${who}`).toMatchObject({ seen: failure });
        const valued = await side.send('POST', '/v1/orders', {
          what: `value caught by ${who}: ${what}`,
        });
        expect(JSON.parse(valued.body.value as string), `${side.name}, ${who}`).toMatchObject(
          failure,
        );
      }
    }
  });

  test('keeps its status if nobody catches it, and is 500 of the owner', async () => {
    for (const side of failing()) {
      const internal = { status: 500, code: 'INTERNAL_ERROR' };
      expect(await failed(side, `/v1/thrown/caller/${path}`)).toMatchObject(failure);
      expect(await failed(side, '/v1/orders', { what: `thrown by caller: ${what}` })).toMatchObject(
        failure,
      );
      side.failures.length = 0;
      expect(await failed(side, `/v1/thrown/owner/${path}`)).toMatchObject(internal);
      expect(await failed(side, '/v1/orders', { what: `thrown by owner: ${what}` })).toMatchObject(
        internal,
      );
      expect(side.failures).toHaveLength(2);
      const valued = await side.send('POST', '/v1/orders', {
        what: `value thrown by caller: ${what}`,
      });
      expect([valued.status, valued.body.value]).toEqual([201, null]);
    }
  });

  test('undoes the transaction in which own code has caught it', async () => {
    const failures = new Map<string, number>();
    for (const side of failing()) {
      const logs = async (): Promise<unknown> => (await side.get('/v1/logs')).body;
      await side.send('DELETE', '/v1/logs?what=after');
      expect(await logs()).toEqual([]);
      for (const who of ['caller', 'owner', 'caller, thrown', 'owner, thrown']) {
        side.failures.length = 0;
        expect(
          await failed(side, '/v1/orders', { what: `added by ${who}: ${what}` }),
        ).toMatchObject({ status: failure.status > 500 ? failure.status : 500 });
        expect(await logs()).toEqual([]);
        // What a transaction meets that runs again is no failure.
        expect(side.failures, `${side.name}, ${who}`).toHaveLength(
          failures.get(who) ?? side.failures.length,
        );
        failures.set(who, side.failures.length);
        // Nothing of the transaction is left in its connection.
        expect((await side.send('POST', '/v1/logs', { what: 'after' })).status).toBe(201);
        await side.send('DELETE', '/v1/logs?what=after');
      }
    }
  });
});

test('a file that another process keeps locked is busy for own code, too', async () => {
  const [sqlite] = sides;
  const other = new Driver(file);
  other.exec('BEGIN IMMEDIATE');
  try {
    const path = encodeURIComponent('a write to a table that is free');
    const answers = await Promise.all(
      ['caller', 'owner'].map((who) => failed(sqlite as Side, `/v1/thrown/${who}/${path}`)),
    );
    expect(answers).toMatchObject([
      { status: 503, code: 'DATABASE_BUSY', retryAfter: 1 },
      { status: 500, code: 'INTERNAL_ERROR' },
    ]);
  } finally {
    other.exec('ROLLBACK');
    other.close();
  }
});
