import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { library, until } from '../support/command.ts';
import { childrenOf } from '../support/processes.ts';
import { ask, migrated, serveWorkers, settings } from './workers.ts';

test('a worker that stands still is ended and replaced: who has called it is told, and nobody else', async () => {
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
  expect(server.err()).toContain('Warning: a worker has stood still for 30 s, and is ended.\n');
  expect((await server.stop('SIGTERM')).code).toBe(0);
  for (const agent of agents) agent.destroy();
}, 120_000);
