/**
 * `node bench/edge.ts [overload] [slow] [idle] [cost] [shares] [workers] [attack] [memory]`: how Plinth holds up at three
 * times the rate that it can answer, beside clients that never finish a request, and with 10,000 connections that do nothing;
 * what credentials and the dashboard cost, and what a second worker gains; what honest clients get beside those who attack its
 * memory; and whether it lives through them where it may have so much memory and no more.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureAttack } from './attack.ts';
import { measureCost } from './cost.ts';
import { ensureData } from './data.ts';
import { features } from './features.ts';
import { measureShares } from './shares.ts';
import type { Server } from './child.ts';
import {
  Client,
  closedLoop,
  isGood,
  ms,
  percentile,
  tookOf,
  type Outcome,
} from './edge-clients.ts';
import { residentMemory } from './memory.ts';
import { measureMemoryLimits } from './memory-limits.ts';
import { measureOverload } from './overload.ts';
import { makePostgres } from './postgres.ts';
import { print } from './report.ts';
import { makeSqlite } from './sqlite.ts';
import { measureWorkers } from './workers.ts';
import {
  specifications,
  startDev,
  startPlinth,
  writeSpecification,
  type Databases,
} from './servers.ts';

const path = '/v1/tracks?limit=20';
const seconds = 4;
const mebibyte = 1024 * 1024;

const portOf = ({ url }: Server): number => Number(new URL(url).port);

async function slow(server: Server): Promise<void> {
  const port = portOf(server);
  await closedLoop(port, path, 8, 1);
  const before = await closedLoop(port, path, 8, seconds);
  const head = 'GET /v1/tracks HTTP/1.1\r\nHost: localhost\r\n';
  const body =
    'POST /v1/tracks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
  const sockets = Array.from({ length: 200 }, (_, index) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(index % 2 === 0 ? head : body);
    const drip = setInterval(() => socket.write(index % 2 === 0 ? 'X: y\r\n' : ' '), 200);
    socket.once('close', () => clearInterval(drip));
    return socket;
  });
  const beside = await closedLoop(port, path, 8, seconds);
  for (const socket of sockets) socket.destroy();
  const figures = (outcomes: readonly Outcome[]): string =>
    `${(outcomes.filter(isGood).length / seconds).toFixed(0)}/s, p99 ${ms(percentile(tookOf(outcomes), 0.99))}, ${outcomes.filter((one) => !isGood(one)).length} failed`;
  print(`alone: ${figures(before)}; beside 200 slow heads and bodies: ${figures(beside)}`);
}

async function idle(server: Server): Promise<void> {
  const port = portOf(server);
  const open: Client[] = [];
  for (let index = 0; index < 10_000; index += 1) {
    await new Promise<void>((resolve) => {
      open.push(
        new Client(
          port,
          () => resolve(),
          () => resolve(),
        ),
      );
    });
  }
  const atRest = await residentMemory(server.pid);
  const outcomes = await closedLoop(port, path, 1_000, seconds);
  const busy = await residentMemory(server.pid);
  const lost = open.filter(({ isClosed }) => isClosed).length;
  print(
    `10,000 idle connections: ${((atRest ?? 0) / mebibyte).toFixed(0)} MiB; with 1,000 active: ` +
      `${((busy ?? 0) / mebibyte).toFixed(0)} MiB, ${(outcomes.filter(isGood).length / seconds).toFixed(0)}/s, ` +
      `p99 ${ms(percentile(tookOf(outcomes.filter(isGood)), 0.99))}, ` +
      `${outcomes.filter((one) => !isGood(one)).length} not 2xx; ${lost} idle ones lost`,
  );
  for (const { socket } of open) socket.destroy();
}

let made: Promise<Databases> | undefined;
/** The blog on SQLite, made for the first who asks. */
const blog = (): Promise<Databases> =>
  (made ??= ensureData().then((data) => makeSqlite(folder, data)));

async function overload(): Promise<void> {
  await measureOverload(await blog());
}

async function cost(): Promise<void> {
  await measureCost(await blog(), folder);
  const postgres = await makePostgres(await ensureData());
  try {
    print('over PostgreSQL:');
    const { nothing, tokenAlone, rule, handwritten, handwrittenRule } = features;
    await measureCost(postgres, folder, [nothing, tokenAlone, rule, handwritten, handwrittenRule]);
  } finally {
    await postgres.stop();
  }
}

async function shares(): Promise<void> {
  await measureShares(await blog(), folder);
}

function workers(): Promise<void> {
  return measureWorkers(`sqlite:${database}`, specification);
}

function attack(): Promise<void> {
  return measureAttack(folder);
}

function memory(): Promise<void> {
  return measureMemoryLimits(folder);
}

const measures = { overload, slow, idle, cost, shares, workers, attack, memory };
const asked = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
const database = join(folder, 'chinook.db');
const specification = await writeSpecification('plain', 'access: public', folder);
try {
  // Makes and fills the database.
  await (await startDev(specifications.chinook, database)).stop();
  for (const [name, measure] of Object.entries(measures)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const server = await startPlinth(`sqlite:${database}`, specification);
    try {
      await measure(server);
    } finally {
      await server.stop();
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
