import { Agent } from 'node:http';
import type { Socket } from 'node:net';
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

test('a connection that a dead worker has not taken is answered by another one, or by the next one', async () => {
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
