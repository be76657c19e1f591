import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { SignJWT } from 'jose';
import type { Server } from './child.ts';
import { Pool } from './edge-clients.ts';
import { processorTime } from './memory.ts';
import { randomFrom } from './random.ts';
import { print } from './report.ts';
import { startPlinth, writeSpecification } from './servers.ts';

/**
 * The machine changes its speed within seconds, so the servers take turns of some ms: what is slow then is slow for all
 * of them.
 */
const rounds = 600;
const requests = 500;
const warmUp = 100_000;
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
  { name: 'a token that nobody asked for', head: 'access: public', sendsToken: true },
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
  readonly pool: Pool;
  /** What each round took, in ms, and in µs of processor time. */
  readonly times: number[];
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
      const unwatch = isWatched === true ? await watch(server) : undefined;
      const pool = await Pool.open(Number(new URL(server.url).port), connections);
      const stop = (): Promise<void> => {
        unwatch?.();
        pool.close();
        return server.stop();
      };
      const headers = sendsToken === true ? `Authorization: Bearer ${token}\r\n` : '';
      const side: Side = { name, server, headers, pool, times: [], costs: [], stop };
      sides.push(side);
      await ask(side, warmUp);
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const [before, began] = [await processorTime(side.server.pid), performance.now()];
        await ask(side, requests);
        side.times.push(performance.now() - began);
        side.costs.push((await processorTime(side.server.pid)) - before);
      }
    }
  } finally {
    for (const { stop } of sides) await stop();
  }
  const [plain] = sides;
  if (plain === undefined) return;
  for (const { name, times, costs } of sides)
    print(
      `read by id with ${name}: ${((rounds * requests) / (sum(times) / 1_000)).toFixed(0)}/s, ` +
        `ratio ${interval(plain.times, times)}; ${(sum(costs) / rounds / requests).toFixed(2)} µs of ` +
        `processor time, ratio ${interval(plain.costs, costs)}`,
    );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** How much faster the first is in all, and between what that lies in 95 of 100 draws of as many rounds. */
function interval(plain: readonly number[], with_: readonly number[]): string {
  const random = randomFrom(1);
  const draws = Array.from({ length: 1_000 }, () => {
    let [one, other] = [0, 0];
    for (let index = 0; index < plain.length; index += 1) {
      const drawn = random.below(plain.length);
      one += plain[drawn] ?? 0;
      other += with_[drawn] ?? 0;
    }
    return one / other;
  }).toSorted((one, other) => one - other);
  const at = (share: number): string => (draws[Math.floor(draws.length * share)] ?? 0).toFixed(3);
  return `${(sum(plain) / sum(with_)).toFixed(3)} (${at(0.025)} to ${at(0.975)})`;
}

/** Reads what an open page of the dashboard reads; gives what closes it. */
async function watch({ url }: Server): Promise<() => void> {
  const stream = get(`${url}/_dashboard/api/events`);
  const [incoming] = (await once(stream, 'response')) as [IncomingMessage];
  if (incoming.statusCode !== 200) throw new Error(`The dashboard says ${incoming.statusCode}`);
  stream.on('error', () => undefined);
  incoming.resume();
  return () => stream.destroy();
}

async function ask({ pool, headers }: Side, count: number): Promise<void> {
  let left = count;
  const outcomes = await pool.ask(path, () => left-- > 0, headers);
  const good = outcomes.filter(({ status }) => status === 200).length;
  if (good < count) throw new Error(`${path} was answered ${good} times of ${count}`);
}
