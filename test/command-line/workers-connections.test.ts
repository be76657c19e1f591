import { execFileSync } from 'node:child_process';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { library, until } from '../support/command.ts';
import { childrenOf } from '../support/processes.ts';
import { ask, migrated, serveWorkers, settings } from './workers.ts';

test('a worker that is killed under load takes down its own requests, and no more', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library });
  const server = await serveWorkers(folder, 'sqlite:a.db', 3);
  const allServe = (): Promise<void> =>
    until(async () => (await ask(server.url, '/_metrics')).text.includes('\nplinth_processes 3\n'));
  await allServe();
  const [callers, seen]: [number, string[]] = [8, []];
  const over = new AbortController();
  const calling = Array.from({ length: callers }, async () => {
    while (!over.signal.aborted)
      seen.push(
        await ask(server.url, '/v1/authors').then(
          ({ status }) => String(status),
          () => 'lost',
        ),
      );
  });
  const lost = (): number => seen.filter((one) => one === 'lost').length;
  for (let round = 0; round < 2; round += 1) {
    const before = lost();
    const [first = 0] = childrenOf(server.child.pid);
    process.kill(first, 'SIGKILL');
    await until(() => !childrenOf(server.child.pid).includes(first));
    const answered = seen.length;
    await until(() => seen.length > answered + 100);
    // At most what each caller had sent.
    expect(lost() - before).toBeLessThanOrEqual(callers);
    await allServe();
  }
  const atRest = lost();
  const answered = seen.length;
  await until(() => seen.length > answered + 100);
  over.abort();
  await Promise.all(calling);
  expect(lost()).toBe(atRest);
  expect(new Set(seen)).toEqual(new Set(atRest === 0 ? ['200'] : ['200', 'lost']));
  expect((await server.stop('SIGTERM')).code).toBe(0);
});

test('workers that a signal ends, one or all of them, are replaced; the port stays open, and nobody is cut off', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library });
  const server = await serveWorkers(folder, 'sqlite:a.db', 2);
  const over = new AbortController();
  const seen: string[] = [];
  const calling = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      const answer = ask(server.url, '/v1/authors').then(({ status }) => String(status), String);
      seen.push(await answer);
    }
  });
  for (const count of [1, 2]) {
    await until(async () =>
      (await ask(server.url, '/_metrics')).text.includes('\nplinth_processes 2\n'),
    );
    const ended = childrenOf(server.child.pid).slice(0, count);
    for (const pid of ended) process.kill(pid, 'SIGTERM');
    await until(() => childrenOf(server.child.pid).every((pid) => !ended.includes(pid)));
    const answered = seen.length;
    await until(() => seen.length > answered + 50);
  }
  over.abort();
  await Promise.all(calling);
  expect(new Set(seen)).toEqual(new Set(['200']));
  const { code, err } = await server.stop('SIGTERM');
  const told = err.match(/a worker has ended \(exit code 0\)\. Another one takes its place\./gu);
  expect(told).toHaveLength(3);
  expect(code).toBe(0);
});

/** The samples of counters and histograms: name and labels → value. */
function countsOf(text: string): ReadonlyMap<string, number> {
  const types = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gmu)].map(([, name, type]) => [name, type]),
  );
  const counts = new Map<string, number>();
  for (const [, sample = '', name = '', value] of text.matchAll(/^((\w+)(?:\{.*\})?) (.+)$/gmu)) {
    const family = types.get(name) ?? types.get(name.replace(/_(?:bucket|sum|count)$/u, ''));
    if (family === 'counter' || family === 'histogram') counts.set(sample, Number(value));
  }
  return counts;
}

// These wait most of the time: they do it together.
test.concurrent('a worker that stands still is ended and replaced: who has called it is told, and nobody else', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library });
  const server = await serveWorkers(folder, 'sqlite:a.db');
  await until(async () =>
    (await ask(server.url, '/_metrics')).text.includes('\nplinth_processes 2\n'),
  );
  const agents = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  // Each goes to the worker that has the fewest, and stays there.
  for (const agent of agents)
    expect((await ask(server.url, '/_ready', undefined, agent)).status).toBe(200);
  const before = childrenOf(server.child.pid);
  const [still = 0] = before;
  process.kill(still, 'SIGSTOP');
  const answers = agents.map((agent) =>
    ask(server.url, '/_ready', undefined, agent).then(
      ({ status }) => String(status),
      () => 'lost',
    ),
  );
  await until(() => !childrenOf(server.child.pid).includes(still));
  expect((await Promise.all(answers)).toSorted()).toEqual(['200', 'lost']);
  await until(() => childrenOf(server.child.pid).length === 2);
  await until(async () => (await ask(server.url, '/_ready')).status === 200);
  expect(server.err()).toContain('Warning: a worker has not responded for 30 s, and is killed.\n');
  expect((await server.stop('SIGTERM')).code).toBe(0);
  for (const agent of agents) agent.destroy();
}, 120_000);

test.concurrent('what is counted never falls, whichever worker dies, stands still or is asked', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library });
  const server = await serveWorkers(folder, 'sqlite:a.db', 3);
  /** Who stands still has taken one connection, whose request is answered when it goes on. */
  const metrics = async (): Promise<string> => {
    const answered = ask(server.url, '/_metrics').then((answer) => answer.text);
    return (await Promise.race([answered, delay(3_000)])) ?? metrics();
  };
  const serve = (count: number): Promise<void> =>
    until(async () => (await metrics()).includes(`\nplinth_processes ${count}\n`));
  await serve(3);
  let before = countsOf(await metrics());
  const look = async (): Promise<void> => {
    const now = countsOf(await metrics());
    for (const [name, value] of before) expect(now.get(name), name).toBeGreaterThanOrEqual(value);
    before = now;
  };
  const listed = 'plinth_requests_total{route="authors.list",status="200"}';
  const total = (): number => before.get(listed) ?? 0;
  for (let index = 0; index < 30; index += 1) await ask(server.url, '/v1/authors');
  for (let index = 0; index < 3; index += 1) await look();
  expect(total()).toBe(30);
  for (const pid of childrenOf(server.child.pid)) {
    process.kill(pid, 'SIGKILL');
    await until(() => !childrenOf(server.child.pid).includes(pid));
    await look();
    await serve(3);
    await look();
  }
  expect(total()).toBe(30);
  for (let index = 0; index < 30; index += 1) await ask(server.url, '/v1/authors');
  await look();
  const [still = 0] = childrenOf(server.child.pid);
  process.kill(still, 'SIGSTOP');
  await serve(2);
  await look();
  expect(total()).toBe(60);
  process.kill(still, 'SIGCONT');
  await serve(3);
  await look();
  expect(total()).toBe(60);
  expect((await server.stop('SIGTERM')).code).toBe(0);
});

test.concurrent('a connection that a dead worker has not taken is answered by another one, or by the next one', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library });
  const server = await serveWorkers(folder, 'sqlite:a.db');
  const [first = 0] = childrenOf(server.child.pid);
  process.kill(first, 'SIGKILL');
  for (let index = 0; index < 20; index += 1)
    expect((await ask(server.url, '/v1/authors')).status).toBe(200);
  await until(() => childrenOf(server.child.pid).length === 2);
  for (const pid of childrenOf(server.child.pid)) process.kill(pid, 'SIGKILL');
  const waiting = Array.from({ length: 20 }, () => ask(server.url, '/v1/authors'));
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  expect((await server.stop('SIGTERM')).code).toBe(0);
});

test.runIf(process.platform === 'linux')(
  'workers that may open no further file close what comes, take connections once they may again, and end',
  async () => {
    const folder = await migrated({ 'plinth.yaml': settings + library });
    const server = await serveWorkers(folder, 'sqlite:a.db');
    const allow = (files: number): void => {
      for (const pid of childrenOf(server.child.pid))
        execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${files}:4096`]);
    };
    await until(async () =>
      (await ask(server.url, '/_metrics')).text.includes('\nplinth_processes 2\n'),
    );
    allow(3);
    for (let index = 0; index < 6; index += 1)
      await expect(ask(server.url, '/v1/authors')).rejects.toThrow(/ECONNRESET|hang up/u);
    allow(1024);
    for (let index = 0; index < 6; index += 1)
      expect((await ask(server.url, '/v1/authors')).status).toBe(200);
    allow(3);
    await expect(ask(server.url, '/v1/authors')).rejects.toThrow(/ECONNRESET|hang up/u);
    expect((await server.stop('SIGTERM')).code).toBe(0);
  },
);

test('a new connection goes to the worker that has the fewest, and stays with it', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library });
  const server = await serveWorkers(folder, 'sqlite:a.db');
  const bothServe = (): Promise<void> =>
    until(async () => (await ask(server.url, '/_metrics')).text.includes('\nplinth_processes 2\n'));
  const open = new Set<Agent>();
  const isAnswered = (agent: Agent): Promise<boolean> =>
    ask(server.url, '/v1/authors', undefined, agent).then(
      ({ status }) => status === 200,
      () => false,
    );
  const openMore = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      agent.once('free', (socket: Socket) => socket.once('close', () => open.delete(agent)));
      open.add(agent);
      expect(await isAnswered(agent)).toBe(true);
    }
  };
  /** Kills a worker; resolves with how many connections went with it. */
  const kill = async (pid: number): Promise<number> => {
    const before = open.size;
    process.kill(pid, 'SIGKILL');
    await until(() => !childrenOf(server.child.pid).includes(pid));
    await bothServe();
    return before - open.size;
  };
  await bothServe();
  const [first = 0, second = 0] = childrenOf(server.child.pid);
  await openMore(40);
  expect(await kill(first)).toBeCloseTo(20, -1);
  // The new one has none as yet: it gets nearly all, until both have as many.
  await openMore(30);
  expect(await kill(second)).toBeCloseTo(25, -1);
  for (const agent of open) {
    expect(await isAnswered(agent)).toBe(true);
    agent.destroy();
  }
  expect((await server.stop('SIGTERM')).code).toBe(0);
});
