import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  launchPlinth,
  makeFolder,
  until,
  untilServing,
  type Folder,
  type Serving,
} from '../support/command.ts';
import { noBalancer, startBalancer } from '../support/haproxy.ts';
import { noPooler, startPooler } from '../support/pgbouncer.ts';
import { freePort } from '../support/ports.ts';
import { startPostgres, type OwnServer } from '../support/postgres-server.ts';
import type { TestService } from '../support/service.ts';
import { good } from '../support/command.ts';

const missing = noBalancer ?? noPooler;

/** Two servers on ports of their own, each with the primary and a replica behind pgbouncer. */
describe.skipIf(missing !== undefined)(
  `two servers behind HAProxy${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    let primary: OwnServer;
    let standby: OwnServer;
    let poolers: TestService[];
    let folder: Folder;
    let balancer: TestService;
    const ports: number[] = [];
    const servers: Serving[] = [];

    const start = (port: number): Promise<Serving> =>
      untilServing(launchPlinth(['start', '--port', String(port)], { cwd: folder.path }));

    beforeAll(async () => {
      primary = await startPostgres({ streams: true });
      standby = await startPostgres({ original: primary });
      poolers = await Promise.all([startPooler(primary.url), startPooler(standby.url)]);
      const [main, replica] = poolers.map(({ url }) => url);
      folder = makeFolder({
        'plinth.yaml': `
database: { url: '${main}', replicas: ['${replica}'], pooler: transaction, poolSize: 4 }
access: { read: public, create: public, update: public, delete: public }
rateLimit: false
logging: { enabled: false }
resources:
  orders: { fields: { title: { type: string } } }
`,
      });
      await good(['migrate', '--apply', '--database', primary.url], folder.path);
      ports.push(await freePort(), await freePort());
      for (const port of ports) servers.push(await start(port));
      balancer = await startBalancer(ports);
      await until(async () => (await fetch(`${balancer.url}/v1/orders`)).status === 200);
    });

    afterAll(async () => {
      await balancer?.stop();
      for (const server of servers) await server.stop('SIGTERM');
      for (const pooler of poolers ?? []) await pooler.stop();
      await standby?.stop();
      await primary?.stop();
    });

    /** Reads and writes while something happens: the statuses, and the titles of the orders that were made. */
    const underLoad = async (
      work: () => Promise<unknown>,
    ): Promise<{ readonly statuses: ReadonlySet<number>; readonly made: readonly string[] }> => {
      const statuses = new Set<number>();
      const load = { isOver: false };
      const made: string[] = [];
      const read = async (): Promise<void> => {
        while (!load.isOver)
          statuses.add((await fetch(`${balancer.url}/v1/orders?limit=5`)).status);
      };
      /** What was made is read at once, from whichever server. */
      const write = async (): Promise<void> => {
        while (!load.isOver) {
          const title = crypto.randomUUID();
          const created = await fetch(`${balancer.url}/v1/orders`, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'idempotency-key': `"${crypto.randomUUID()}"`,
            },
            body: JSON.stringify({ title }),
          });
          statuses.add(created.status);
          if (created.status !== 201) continue;
          made.push(title);
          const position = created.headers.get('plinth-position') ?? '';
          const location = created.headers.get('location') ?? '/none';
          const found = await fetch(`${balancer.url}${location}`, {
            headers: { 'plinth-position': position },
          });
          statuses.add(found.status);
        }
      };
      const clients = [read(), read(), read(), write(), write()];
      await work();
      load.isOver = true;
      await Promise.all(clients);
      return { statuses, made };
    };

    /** The titles of all orders that the primary has. */
    const titles = async (): Promise<readonly string[]> => {
      const client = driver(poolers[0]?.url ?? '', { max: 1, prepare: false });
      try {
        const rows = await client<{ title: string }[]>`SELECT title FROM orders`;
        return rows.map(({ title }) => title);
      } finally {
        await client.end();
      }
    };

    const good2xx = new Set([200, 201]);
    const acknowledged: string[] = [];

    test('are restarted one after the other under load without a failed request', async () => {
      const { statuses, made } = await underLoad(async () => {
        for (const [index, port] of ports.entries()) {
          await servers[index]?.stop('SIGTERM');
          servers[index] = await start(port);
          await until(async () => (await fetch(`http://127.0.0.1:${port}/_ready`)).status === 200);
          // HAProxy asks every 250 ms.
          await new Promise((done) => setTimeout(done, 500));
        }
      });
      expect(statuses).toEqual(good2xx);
      expect((await titles()).toSorted()).toEqual([...made].toSorted());
      acknowledged.push(...made);
    });

    test('one is killed under load without a failed request', async () => {
      const [first] = ports;
      const { statuses, made } = await underLoad(async () => {
        await servers[0]?.stop('SIGKILL');
        await new Promise((done) => setTimeout(done, 1_000));
        servers[0] = await start(first ?? 0);
      });
      expect(statuses).toEqual(good2xx);
      acknowledged.push(...made);
      expect((await titles()).toSorted()).toEqual(acknowledged.toSorted());
    });

    test('the database is failed over under load: nothing but 503 meanwhile, and no write is lost', async () => {
      const onPrimary = driver(primary.url, { max: 1 });
      await onPrimary`ALTER SYSTEM SET synchronous_standby_names = '*'`;
      await onPrimary`SELECT pg_reload_conf()`;
      await until(
        async () =>
          (await onPrimary`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`).length ===
          1,
      );
      await onPrimary.end();
      const port = Number(new URL(poolers[0]?.url ?? '').port);
      const { statuses, made } = await underLoad(async () => {
        await primary.crash();
        const onStandby = driver(standby.url, { max: 1 });
        await onStandby`SELECT pg_promote()`;
        await onStandby.end();
        // As a tool for failovers does it: what led to the old primary leads to the new one.
        await poolers[0]?.stop();
        poolers[0] = await startPooler(standby.url, port);
        await until(async () => {
          const { status } = await fetch(`${balancer.url}/v1/orders`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ title: crypto.randomUUID() }),
          });
          return status === 201;
        });
        const afterwards = (await titles()).length;
        await until(async () => (await titles()).length > afterwards + 10);
      });
      expect(statuses.difference(new Set([503]))).toEqual(good2xx);
      acknowledged.push(...made);
      const found = await titles();
      // A write whose answer was 503 may have been done, but only once.
      expect(acknowledged.filter((title) => !found.includes(title))).toEqual([]);
      expect(new Set(found).size).toBe(found.length);
    });
  },
);
