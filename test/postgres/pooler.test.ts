import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate, planMigration } from '../../src/migrations/postgres/schema.ts';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { until } from '../support/command.ts';
import { noPooler, startPooler } from '../support/pgbouncer.ts';
import type { TestService } from '../support/service.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { changes, reads, writes } from './requests.ts';
import { specification } from './specification.ts';

const none = { bound: [] };
const asking = (sql: string): { sql: string; parameters: readonly number[] } => ({
  sql,
  parameters: [],
});

describe.skipIf(noPooler !== undefined)(
  `behind pgbouncer in transaction mode${noPooler === undefined ? '' : ` (skipped: ${noPooler})`}`,
  () => {
    describe('answers are those of SQLite', () => {
      let both: Both;
      let pooler: TestService;

      beforeAll(async () => {
        both = await serveBoth(specification, {}, undefined, {}, async (url) => {
          // What is set for each session elsewhere is not set there: the server has it as it likes.
          const direct = driver(url, { max: 1 });
          const name = new URL(url).pathname.slice(1);
          await direct.unsafe(`ALTER DATABASE ${name} SET TimeZone = 'Asia/Kolkata'`);
          await direct.end();
          pooler = await startPooler(url);
          return openPostgres(pooler.url, { poolSize: 8, pooler: 'transaction' });
        });
      });

      afterAll(async () => {
        await both?.stop();
        await pooler?.stop();
      });

      test('on several sessions in turn', async () => {
        // It makes all of them soon after the first is asked for.
        const seen = new Set<unknown>();
        await until(async () => {
          const [row] = await both.postgres.all(asking('SELECT pg_backend_pid()'), none);
          return seen.add(row?.[0]).size > 1;
        });
      });

      test.each([
        ['records', writes],
        ['reads', reads],
        ['changes', changes],
      ])('%s', async (_, requests) => {
        for (const { method = 'GET', path, body, headers } of requests)
          await both.send(method, path, body, headers);
        expect(both.failures).toEqual([]);
      });

      test('nothing is left behind in a session', async () => {
        const left = await Promise.all(
          Array.from({ length: 9 }, () =>
            both.postgres.all(
              asking(
                `SELECT (SELECT count(*) FROM pg_prepared_statements) + (SELECT count(*) FROM pg_cursors)` +
                  ` + (SELECT count(*) FROM pg_listening_channels())` +
                  ` + (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), current_setting('statement_timeout'),` +
                  ` current_setting('lock_timeout'), current_setting('transaction_isolation')`,
              ),
              none,
            ),
          ),
        );
        // The one that is counted is the statement that counts.
        for (const [row] of left) expect(row?.slice(1)).toEqual(['0', '0', 'read committed']);
        for (const [row] of left) expect(Number(row?.[0])).toBeLessThanOrEqual(1);
      });

      test('the schema is the one that is wanted', async () => {
        expect(await planMigration(both.postgres, both.servedApi.api)).toEqual([]);
      });
    });

    describe('a service', () => {
      let server: TestDatabase;
      let pooler: TestService;
      let database: PostgresDatabase;
      let api: TestApi;
      const model = buildValid(`access: public
resources:
  notes:
    fields:
      text: { type: string, unique: true }
`);

      beforeAll(async () => {
        server = await createDatabase();
        pooler = await startPooler(server.url);
        database = await openPostgres(pooler.url, {
          poolSize: 20,
          pooler: 'transaction',
        });
        await migrate(database, model);
        api = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, []);
      });

      afterAll(async () => {
        await api?.stop();
        await pooler?.stop();
        await server?.drop();
      });

      test('with more connections than sessions: each write lands once, each key counts once', async () => {
        const answers = await Promise.all(
          Array.from({ length: 120 }, (_, index) =>
            api.send(
              'POST',
              '/v1/notes',
              { text: `note ${index % 60}` },
              { 'idempotency-key': `key-${index % 60}` },
            ),
          ),
        );
        expect(answers.map(({ status }) => status).filter((status) => status !== 201)).toEqual([]);
        const { headers } = await api.get('/v1/notes?limit=1');
        expect(headers.get('x-total-count')).toBe('60');
        const taken = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            api.send('POST', '/v1/notes', { text: `note ${index}` }),
          ),
        );
        expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([422]));
        expect(api.failures).toEqual([]);
      });

      test('a list is streamed while others work', async () => {
        const [csv, ...others] = await Promise.all([
          api.get('/v1/notes?limit=100', { accept: 'text/csv' }),
          ...Array.from({ length: 20 }, () => api.get('/v1/notes?limit=1')),
        ]);
        expect(csv.text.trim().split('\n')).toHaveLength(61);
        expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
      });

      test('a statement ends at its deadline, and with it the session is free again', async () => {
        const hasty = await openPostgres(pooler.url, {
          poolSize: 1,
          statementTimeout: 1_500,
          pooler: 'transaction',
        });
        for (let round = 0; round < 4; round += 1) {
          const slow = hasty.all(asking('SELECT pg_sleep(60)'), none);
          await expect(slow).rejects.toMatchObject({ kind: 'timeout' });
        }
        await hasty.close();
        expect((await api.get('/v1/notes?limit=1')).status).toBe(200);
      });

      test('nothing is asked on a connection before what was asked there is answered: the pooler may have another session for it', async () => {
        const one = await openPostgres(pooler.url, { poolSize: 1, pooler: 'transaction' });
        const plain = asking('SELECT 7');
        const bound = { sql: 'SELECT $1::integer', parameters: [0] };
        const askAll = () =>
          Promise.all([
            one.all(plain, none),
            ...[1, 2, 3].map((value) => one.all(bound, { bound: [value] })),
          ]);
        // By now both are known to be brief.
        expect(await askAll()).toEqual([[[7]], [[1]], [[2]], [[3]]]);
        const asked = askAll();
        expect(one.connections()).toEqual({ busy: 1, idle: 0, waiting: 3 });
        expect(await asked).toEqual([[[7]], [[1]], [[2]], [[3]]]);
        await one.close();
      });

      test('several migrations at once: one does it', async () => {
        const more = buildValid(
          'resources: { notes: { fields: { text: { type: string, unique: true }, more: { type: integer } } } }',
        );
        const steps = await Promise.all([1, 2, 3].map(() => migrate(database, more)));
        expect(steps.map((one) => one.length).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
      });

      test('who does not say that it is there is told so', async () => {
        await expect(openPostgres(pooler.url)).rejects.toThrow(
          /refuses how a session begins \(unsupported startup parameter: \w+\)\. Behind pgbouncer or the like, set database\.pooler to transaction\.$/u,
        );
      });

      test('that takes fewer clients than connections are wanted: those wait that find none, and nobody is refused', async () => {
        const small = await startPooler(server.url, undefined, 3);
        const options = { poolSize: 10, pooler: 'transaction' } as const;
        const crowded = await openPostgres(small.url, options);
        try {
          const insert = asking(`INSERT INTO notes (text) VALUES (gen_random_uuid())`);
          const all = Array.from({ length: 30 }, (_, index) => {
            if (index % 3 === 0) return crowded.writeOne(insert, none);
            return index % 3 === 1
              ? crowded.write(({ run }) => run(insert, none))
              : crowded.all(asking('SELECT pg_sleep(0.05)'), none);
          });
          await Promise.all(all);
          expect(crowded.connections().waiting).toBe(0);
          const other = await openPostgres(small.url, options).catch(String);
          expect(other).toMatch(/has no connection left\. .* max_client_conn of a pooler/u);
        } finally {
          await crowded.close();
          await small.stop();
        }
      });

      test('killed and started again: 503 meanwhile, then as before', async () => {
        const { port } = new URL(pooler.url);
        await pooler.stop();
        const during = await api.get('/v1/notes?limit=1');
        expect([during.status, during.body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
        expect((await api.get('/_ready')).status).toBe(503);
        pooler = await startPooler(server.url, Number(port));
        await until(async () => (await api.get('/v1/notes?limit=1')).status === 200);
        expect((await api.get('/_ready')).status).toBe(200);
        api.failures.splice(0);
      });
    });
  },
);
