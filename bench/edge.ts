/**
 * `node bench/edge.ts [overload] [slow] [idle] [cost] [shares] [workers]`: how the Chinook example holds up at three times the rate that
 * it can answer, beside clients that never finish a request, and with 10,000 connections that do nothing; and what
 * credentials and the dashboard cost, and what a second worker gains.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { measureCost } from './cost.ts';
import { measureShares } from './shares.ts';
import type { Server } from './child.ts';
import { Client, closedLoop, openLoop, percentile, type Outcome } from './edge-clients.ts';
import { residentMemory } from './memory.ts';
import { print } from './report.ts';
import { measureWorkers } from './workers.ts';
import { specifications, startDev, startPlinth, writeSpecification } from './servers.ts';

const paths = {
  'one record': '/v1/tracks/7',
  'a page of 20': '/v1/tracks?limit=20',
  'a page of 100 with what it belongs to': '/v1/tracks?limit=100&expand=album',
};
const seconds = 4;
const mebibyte = 1024 * 1024;

const isGood = ({ status }: Outcome): boolean => status >= 200 && status < 300;
const isShed = ({ status }: Outcome): boolean => status === 503;
const tookOf = (outcomes: readonly Outcome[]): readonly number[] =>
  outcomes.map(({ took }) => took);
const ms = (value: number): string => `${value.toFixed(0)} ms`;
const portOf = ({ url }: Server): number => Number(new URL(url).port);

async function overload(server: Server): Promise<void> {
  for (const connections of [1_000, 2_000]) await overloadWith(connections, server);
}

async function overloadWith(connections: number, server: Server): Promise<void> {
  const port = portOf(server);
  for (const [name, path] of Object.entries(paths)) {
    await closedLoop(port, path, 64, 2);
    const peak = (await closedLoop(port, path, 64, seconds)).filter(isGood).length / seconds;
    const { outcomes, unsent } = await openLoop(port, path, peak * 3, seconds, connections);
    const [good, shed] = [outcomes.filter(isGood), outcomes.filter(isShed)];
    const goodput = good.length / seconds / peak;
    const others = outcomes.length - good.length - shed.length;
    print(
      `${name}, ${connections} connections: peak ${peak.toFixed(0)}/s; at ${(peak * 3).toFixed(0)}/s (sent ${(outcomes.length / seconds).toFixed(0)}/s, ` +
        `${unsent} not sent): 2xx ${(goodput * 100).toFixed(0)} % of peak, p99 ${ms(percentile(tookOf(good), 0.99))}; ` +
        `${shed.length} times 503, p99 ${ms(percentile(tookOf(shed), 0.99))}; ${others} others`,
    );
    await wait(1_000);
  }
}

async function slow(server: Server): Promise<void> {
  const port = portOf(server);
  const path = paths['a page of 20'];
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
  const outcomes = await closedLoop(port, paths['a page of 20'], 1_000, seconds);
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

function cost(): Promise<void> {
  return measureCost(`sqlite:${database}`, folder);
}

function shares(): Promise<void> {
  return measureShares(`sqlite:${database}`, folder);
}

function workers(): Promise<void> {
  return measureWorkers(`sqlite:${database}`, specification);
}

const measures = { overload, slow, idle, cost, shares, workers };
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
