/**
 * `npm run bench:nested`: a POST of an order with 100 lines nested in it, beside a server written by hand that inserts them
 * one by one in a transaction, on both databases.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Server } from './child.ts';
import { send } from './http.ts';
import { median } from './load.ts';
import { processorTime } from './memory.ts';
import { load } from './rate.ts';
import { migrate, startPlinth } from './servers.ts';
import { startPostgres } from '../test/support/postgres-server.ts';

const lines = 100;
const connections = 8;
const rounds = 5;
const roundTime = 1_500;

const specification = `rateLimit: false
logging: { enabled: false }
access: public
resources:
  orders:
    fields:
      customer: { type: string, required: true, maxLength: 100 }
      lines: { type: relation, relation: hasMany, resource: lines, foreignKey: orderId }
  lines:
    fields:
      orderId: { type: integer, required: true, reference: orders.id }
      product: { type: string, required: true, maxLength: 100 }
      quantity: { type: integer, required: true, minimum: 1 }
      cents: { type: integer, required: true, minimum: 0 }
      note: { type: string, nullable: true, maxLength: 100 }
`;

const body = JSON.stringify({
  customer: 'A customer with a name',
  lines: {
    create: Array.from({ length: lines }, (_, index) => ({
      product: `Product ${index} of the list`,
      quantity: (index % 9) + 1,
      cents: index * 150 + 99,
      note: index % 3 === 0 ? null : 'as it was ordered',
    })),
  },
});
const request = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** A round: the requests a second, and the processor time of one in the server's process. */
interface Round {
  readonly perSecond: number;
  readonly cost: number;
}

/** Posts on each connection until the time is over. */
async function post({ url, pid }: Server, time: number): Promise<Round> {
  const before = await processorTime(pid);
  const { answered, took } = await load(url, [request], connections, time);
  const cost = ((await processorTime(pid)) - before) / answered;
  return { perSecond: (answered * 1_000) / took, cost };
}

/** Both servers have to store what they are sent. */
async function check(servers: readonly Server[], stored: () => Promise<string>): Promise<void> {
  for (const { url, name } of servers) {
    const { status } = await send(url, { method: 'POST', path: '/v1/orders', body });
    if (status !== 201) throw new Error(`${name} answered ${status}`);
  }
  const total = await stored();
  if (total !== String(lines * servers.length)) throw new Error(`${total} lines are stored`);
}

async function measure(name: string, database: string, folder: string): Promise<string> {
  const file = join(folder, 'plinth.yaml');
  await writeFile(file, specification);
  await migrate(file, database);
  const plinth = await startPlinth(database, file);
  const byHand = await startServer('hand-written', (port) => [
    join(import.meta.dirname, 'handwritten-nested.ts'),
    database.replace(/^sqlite:/u, ''),
    String(port),
  ]);
  try {
    await check([byHand, plinth], async () => {
      const path = '/v1/lines?limit=1';
      const { headers } = await send(plinth.url, { method: 'GET', path });
      return headers.get('x-total-count') ?? '';
    });
    for (const server of [byHand, plinth]) await post(server, roundTime * 2);
    const ratios: number[] = [];
    const costs: number[] = [];
    const [hand, own]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? [byHand, plinth] : [plinth, byHand];
      const found = new Map<Server, Round>();
      for (const server of order) found.set(server, await post(server, roundTime));
      const [one, other] = [found.get(byHand), found.get(plinth)];
      if (one === undefined || other === undefined) continue;
      hand.push(one.perSecond);
      own.push(other.perSecond);
      ratios.push(other.perSecond / one.perSecond);
      costs.push(one.cost / other.cost);
    }
    const cells = [median(hand).toFixed(0), median(own).toFixed(0), median(ratios).toFixed(2)];
    return `| ${[name, ...cells, median(costs).toFixed(2)].join(' | ')} |`;
  } finally {
    await byHand.stop();
    await plinth.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
const only = process.argv[2];
const results: string[] = [];
try {
  if (only !== 'postgres')
    results.push(await measure('SQLite', `sqlite:${join(folder, 'nested.db')}`, folder));
  if (only !== 'sqlite') {
    const postgres = await startPostgres({ durable: true });
    try {
      results.push(await measure('PostgreSQL', postgres.url, folder));
    } finally {
      await postgres.stop();
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(
  `| database | hand-written/s | Plinth/s | ratio | by processor |\n| --- | --: | --: | --: | --: |\n${results.join('\n')}\n`,
);
