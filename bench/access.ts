import { SignJWT } from 'jose';
import type { Server } from './child.ts';
import { closedLoop, type Outcome } from './edge-clients.ts';
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

/** What is put before the Chinook example: all is open, or a token is checked and a rule for rows decides. */
const heads = {
  open: 'access: public',
  guarded: `auth: { jwt: { secret: ${secret} } }
access: { read: [{ role: clerk, where: 'id_gte=1' }], write: admin }`,
};

type Side = {
  readonly server: Server;
  readonly headers: string;
  readonly rates: number[];
  /** Processor time a request, in µs. */
  readonly costs: number[];
};

/** What credentials and rules cost a read by id, on two servers over one database that take turns. */
export async function measureAccess(database: string, folder: string): Promise<void> {
  const token = await new SignJWT({ roles: ['clerk'] })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('7')
    .setExpirationTime('1h')
    .sign(Buffer.from(secret));
  const sides: Side[] = [];
  try {
    for (const [name, head] of Object.entries(heads)) {
      const server = await startPlinth(database, await writeSpecification(name, head, folder));
      const headers = name === 'open' ? '' : `Authorization: Bearer ${token}\r\n`;
      sides.push({ server, headers, rates: [], costs: [] });
    }
    for (const side of sides) await load(side, warmUp);
    for (let round = 0; round < rounds; round += 1) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const before = await processorTime(side.server.pid);
        const { length } = await load(side, seconds);
        side.rates.push(length / seconds);
        side.costs.push(((await processorTime(side.server.pid)) - before) / length);
      }
    }
  } finally {
    for (const { server } of sides) await server.stop();
  }
  const [open, guarded] = sides;
  if (open === undefined || guarded === undefined) return;
  const ratio = median(guarded.rates.map((rate, index) => rate / (open.rates[index] ?? 1)));
  const [cost, dearer] = [median(open.costs), median(guarded.costs)];
  print(
    `read by id: open ${median(open.rates).toFixed(0)}/s and ${cost.toFixed(1)} µs of processor time, with a token and a ` +
      `rule for rows ${median(guarded.rates).toFixed(0)}/s and ${dearer.toFixed(1)} µs; ratio of rates ${ratio.toFixed(3)}`,
  );
}

async function load(side: Side, duration: number): Promise<readonly Outcome[]> {
  const port = Number(new URL(side.server.url).port);
  const outcomes = await closedLoop(port, path, connections, duration, side.headers);
  const failed = outcomes.find(({ status }) => status !== 200);
  if (failed !== undefined) throw new Error(`${path} was answered ${failed.status}`);
  return outcomes;
}
