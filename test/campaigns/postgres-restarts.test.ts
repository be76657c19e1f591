import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import driver from 'postgres';
import { expect, test } from 'vitest';
import { postgres as postgresDialect } from '../../src/databases/postgres/dialect.ts';
import { library, makeFolder, plinth, servePlinth, until } from '../support/command.ts';
import { startPostgres } from '../support/postgres-server.ts';

/** How often the database is taken down; `PLINTH_TEST_RESTARTS` may say more. */
const restarts = Number(process.env['PLINTH_TEST_RESTARTS'] ?? 4);

test(
  'a database that goes and comes back under load: nothing but 2xx and 503, and nothing is lost',
  async () => {
    const postgres = await startPostgres();
    const folder = makeFolder({
      'plinth.yaml': `database: { url: "${postgres.url}", poolSize: 4 }\nrateLimit: false\nserver: { drainDelay: 0 }\n${library}`,
    });
    const here = { cwd: folder.path };
    await plinth(['migrate', '--apply'], here);
    const server = await servePlinth(['start'], here);
    const met = new Map<string, number>();
    const retryAfter = new Set<string | null>();
    const over = new AbortController();
    const note = (what: string): void => void met.set(what, (met.get(what) ?? 0) + 1);
    const caller = async (index: number): Promise<void> => {
      while (!over.signal.aborted) {
        const isWrite = index % 2 === 0;
        const answer = await fetch(
          `${server.url}/v1/authors?limit=3`.replace(isWrite ? /\?.*/u : / /u, ''),
          {
            method: isWrite ? 'POST' : 'GET',
            ...(isWrite
              ? { headers: { 'content-type': 'application/json' }, body: '{"name":"U"}' }
              : {}),
          },
        );
        const body = (await answer.json()) as { code?: string };
        note(body.code ?? String(answer.status));
        if (answer.status === 503 && body.code !== 'OUTCOME_UNKNOWN')
          retryAfter.add(answer.headers.get('retry-after'));
        if (answer.status === 503) await delay(5);
      }
    };
    const callers = Array.from({ length: 8 }, (_, index) => caller(index));
    const ready = async (): Promise<number> => (await fetch(`${server.url}/_ready`)).status;
    const backAfter: number[] = [];
    for (let round = 0; round < restarts; round += 1) {
      const before = met.get('201') ?? 0;
      await until(() => (met.get('201') ?? 0) > before + 20);
      await postgres.down();
      await until(async () => (await ready()) === 503);
      expect((await fetch(`${server.url}/_health`)).status).toBe(200);
      await postgres.up();
      const since = performance.now();
      await until(async () => (await ready()) === 200);
      backAfter.push(Math.round(performance.now() - since));
    }
    over.abort();
    await Promise.all(callers);
    // For those who measure; a test asserts no durations.
    if (restarts > 4) process.stderr.write(`${JSON.stringify({ met: [...met], backAfter })}\n`);

    const known = ['200', '201', 'DATABASE_UNAVAILABLE', 'DATABASE_BUSY', 'OUTCOME_UNKNOWN'];
    expect(known).toEqual(expect.arrayContaining([...met.keys()]));
    expect(met.get('DATABASE_UNAVAILABLE')).toBeGreaterThan(0);
    expect([...retryAfter]).toEqual(['1']);

    const sql = driver(postgres.url, { max: 1, onnotice: () => undefined });
    const [{ authors } = { authors: 0 }] = await sql<
      { authors: number }[]
    >`SELECT count(*)::int AS authors FROM authors`;
    const written = met.get('201') ?? 0;
    expect(authors).toBeGreaterThanOrEqual(written);
    expect(authors).toBeLessThanOrEqual(written + (met.get('OUTCOME_UNKNOWN') ?? 0));
    const sessions = async (): Promise<number> => {
      const rows = await sql`SELECT FROM pg_stat_activity WHERE application_name = 'plinth'`;
      return rows.length;
    };
    expect(await sessions()).toBeLessThanOrEqual(4);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
    await until(async () => (await sessions()) === 0);
    await sql.end();
    await postgres.stop();
  },
  60_000 + restarts * 60_000,
);

test('start without its database says so and ends', async () => {
  const folder = makeFolder({
    'plinth.yaml': `database: "postgres://plinth:secret@127.0.0.1:1/shop"\n${library}`,
  });
  const ended = await plinth(['start', '--port', '0'], { cwd: folder.path });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toContain('shop on 127.0.0.1:1');
  expect(ended.err).not.toContain('secret');
  expect(ended.err.trim().split('\n')).toHaveLength(1);
});

test('start with a pooler that takes it in and has no server for it says so and ends', async () => {
  const open = new Set<Socket>();
  // It says that whoever comes is let in, and that it is ready.
  const pooler = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once('data', () => socket.write('R\0\0\0\u0008\0\0\0\0Z\0\0\0\u0005I'));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((done) => pooler.listen(0, '127.0.0.1', done));
  const { port } = pooler.address() as AddressInfo;
  const folder = makeFolder({
    'plinth.yaml': `database: "postgres://plinth:secret@127.0.0.1:${port}/shop"\n${library}`,
  });
  expect(await plinth(['start', '--port', '0'], { cwd: folder.path })).toMatchObject({
    code: 1,
    out: '',
    err: `The database shop on 127.0.0.1:${port} cannot be reached: it does not answer. Check the host, the port and what stands in between.\n`,
  });
  for (const socket of open) socket.destroy();
  pooler.close();
});

test('after a crash the state in which totals are remembered is another one', async () => {
  const postgres = await startPostgres();
  const state = postgresDialect.state ?? '';
  const ask = async <Row extends object>(text: string): Promise<Row | undefined> => {
    const sql = driver(postgres.url, { max: 1, onnotice: () => undefined });
    try {
      const [row] = await sql.unsafe<Row[]>(text);
      return row;
    } finally {
      await sql.end();
    }
  };
  // Without the snapshot, which is what it was before.
  const read = async (): Promise<string | undefined> =>
    (await ask<{ state: string }>(`SELECT (${state}) AS state`))?.state.replace(
      / \d+:\d+:[\d,]*$/u,
      '',
    );
  try {
    const before = await read();
    expect(before).toMatch(/^\d{4}-/u);
    const victim = driver(postgres.url, { max: 1, onnotice: () => undefined });
    const [{ pid } = { pid: 0 }] = await victim<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    process.kill(pid, 'SIGKILL');
    await victim.end({ timeout: 0 });
    // It recovers by itself, in the same process.
    let after = before;
    for (let attempt = 0; attempt < 200 && after === before; attempt += 1) {
      await delay(50);
      after = (await read().catch(() => before)) ?? before;
    }
    expect(after).not.toBe(before);
  } finally {
    await postgres.stop();
  }
});
