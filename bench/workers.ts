import { startPostgres } from '../test/support/postgres-server.ts';
import { runScript } from './child.ts';
import { Pool } from './edge-clients.ts';
import { median } from './load.ts';
import { processorTime } from './memory.ts';
import { print } from './report.ts';
import { cli, startPlinth } from './servers.ts';

/** What takes the server much time and the client little, which looks for the end of an answer alone. */
const path = '/v1/tracks?limit=100&expand=album,genre,playlists';
const connections = 32;
const warmUp = 1_500;
const seconds = 4;
/** One after the other and back, so that a machine that gets slower or faster does not count for one of them. */
const rounds = [1, 2, 2, 1, 1, 2] as const;

/** What a second worker gains where there are two cores, on a SQLite file and on PostgreSQL with the same records. */
export async function measureWorkers(file: string, specification: string): Promise<void> {
  await compare('SQLite', file, specification);
  const postgres = await startPostgres({ durable: true });
  try {
    const copy = ['--spec', specification, '--from', file, '--to', postgres.url];
    await runScript([cli, 'promote', ...copy]);
    await compare('PostgreSQL', postgres.url, specification);
  } finally {
    await postgres.stop();
  }
}

async function compare(name: string, database: string, specification: string): Promise<void> {
  const rates = new Map<number, number[]>([
    [1, []],
    [2, []],
  ]);
  const client: number[] = [];
  for (const workers of rounds) {
    const measured = await measure(workers, database, specification);
    rates.get(workers)?.push(measured.rate);
    client.push(measured.client);
  }
  const [one = 0, two = 0] = [...rates.values()].map(median);
  print(
    `${name}, a page of 100 with three relations, ${connections} connections: 1 worker ${one.toFixed(0)}/s, 2 workers ` +
      `${two.toFixed(0)}/s, ${(two / one).toFixed(2)} times as many; the client took ${(median(client) * 100).toFixed(0)} % of a core`,
  );
}

async function measure(
  workers: number,
  database: string,
  specification: string,
): Promise<{ readonly rate: number; readonly client: number }> {
  const server = await startPlinth(database, specification, [], ['--workers', String(workers)]);
  const port = Number(new URL(server.url).port);
  const ask = async (pool: Pool, milliseconds: number): Promise<number> => {
    const until = performance.now() + milliseconds;
    const outcomes = await pool.ask(path, () => performance.now() < until);
    const wrong = outcomes.find(({ status }) => status !== 200);
    if (wrong !== undefined) throw new Error(`An answer was ${wrong.status}`);
    return outcomes.length;
  };
  // Connections stay with the worker that has taken them, and the first may be alone for a moment.
  const first = await Pool.open(port, connections);
  await ask(first, warmUp);
  first.close();
  const pool = await Pool.open(port, connections);
  try {
    await ask(pool, warmUp);
    const before = await processorTime(process.pid);
    const answers = await ask(pool, seconds * 1_000);
    const spent = ((await processorTime(process.pid)) - before) / 1_000_000;
    return { rate: answers / seconds, client: spent / seconds };
  } finally {
    pool.close();
    await server.stop();
  }
}
