import { get } from 'node:http';
import { SignJWT } from 'jose';
import type { Server } from './child.ts';
import { closedLoop } from './edge-clients.ts';
import { median } from './load.ts';
import { processorTime } from './memory.ts';
import { print } from './report.ts';
import { startPlinth, writeSpecification } from './servers.ts';

const rounds = 9;
const seconds = 1;
const warmUp = 4;
const connections = 32;
const path = '/v1/tracks/7';
const secret = '0123456789abcdef0123456789abcdef';

/** What a server has that the first one has not: what it puts before the Chinook example, and who uses it. */
const kinds: readonly {
  readonly name: string;
  readonly head: string;
  readonly sendsToken?: true;
  readonly isWatched?: true;
}[] = [
  { name: 'nothing', head: 'access: public' },
  {
    name: 'a token and a rule for rows',
    head: `auth: { jwt: { secret: ${secret} } }
access: { read: [{ role: clerk, where: 'id_gte=1' }], write: admin }`,
    sendsToken: true,
  },
  { name: 'debug parameters that nobody sends', head: 'access: public\ndebug: true' },
  { name: 'a dashboard', head: 'access: public\ndashboard: true' },
  { name: 'a dashboard that is open', head: 'access: public\ndashboard: true', isWatched: true },
];

type Side = {
  readonly name: string;
  readonly server: Server;
  readonly headers: string;
  readonly rates: number[];
  /** Processor time a request, in µs. */
  readonly costs: number[];
  readonly stop: () => Promise<void>;
};

/** What some features cost a read by id, on servers over one database that take turns. */
export async function measureCost(database: string, folder: string): Promise<void> {
  const token = await new SignJWT({ roles: ['clerk'] })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('7')
    .setExpirationTime('1h')
    .sign(Buffer.from(secret));
  const sides: Side[] = [];
  try {
    for (const [index, { name, head, sendsToken, isWatched }] of kinds.entries()) {
      const file = await writeSpecification(`cost-${index}`, head, folder);
      const server = await startPlinth(database, file);
      const unwatch = isWatched === true ? watch(server) : undefined;
      const stop = (): Promise<void> => {
        unwatch?.();
        return server.stop();
      };
      const headers = sendsToken === true ? `Authorization: Bearer ${token}\r\n` : '';
      sides.push({ name, server, headers, rates: [], costs: [], stop });
    }
    for (const side of sides) await load(side, warmUp);
    for (let round = 0; round < rounds; round += 1) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const before = await processorTime(side.server.pid);
        const count = await load(side, seconds);
        side.rates.push(count / seconds);
        side.costs.push(((await processorTime(side.server.pid)) - before) / count);
      }
    }
  } finally {
    for (const { stop } of sides) await stop();
  }
  for (const { name, rates, costs } of sides) {
    const ratio = median(rates.map((rate, index) => rate / (sides[0]?.rates[index] ?? 1)));
    print(
      `read by id with ${name}: ${median(rates).toFixed(0)}/s, ${median(costs).toFixed(1)} µs of processor time; ` +
        `ratio of rates ${ratio.toFixed(3)}`,
    );
  }
}

/** Reads what an open page of the dashboard reads; gives what closes it. */
function watch({ url }: Server): () => void {
  const stream = get(`${url}/_dashboard/api/events`, (incoming) => incoming.resume());
  stream.on('error', () => undefined);
  return () => stream.destroy();
}

/** Gives how many were answered. */
async function load(side: Side, duration: number): Promise<number> {
  const port = Number(new URL(side.server.url).port);
  const outcomes = await closedLoop(port, path, connections, duration, side.headers);
  const failed = outcomes.find(({ status }) => status !== 200);
  if (failed !== undefined) throw new Error(`${path} was answered ${failed.status}`);
  return outcomes.length;
}
