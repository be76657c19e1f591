import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/support/postgres-server.ts';
import { runScript, type Server } from './child.ts';
import { closedLoop, isGood, ms, openLoop, percentile, tookOf } from './edge-clients.ts';
import { mostMemory } from './memory.ts';
import { print } from './report.ts';
import { cli, migrate, startPlinth } from './servers.ts';

const records = 1_200;
const paths = { 'one record': '/small/7', 'a page of 20': '/small?limit=20' };
/** Rounds without and with the attack take turns. */
const rounds = Number(process.env['ROUNDS'] ?? 15);
const calm = 10;
const attacked = 10;
const connections = 192;
const flags = ['--max-old-space-size=512'];

const specification = `access: public
rateLimit: false
logging: { enabled: false }
resources:
  docs:
    fields:
      title: { type: string }
      body: { type: text }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: doc-tags }
  tags:
    fields:
      name: { type: string }
      docs: { type: relation, relation: belongsToMany, resource: docs, through: doc-tags }
  doc-tags:
    fields:
      docId: { type: integer, required: true, reference: docs.id }
      tagId: { type: integer, required: true, reference: tags.id }
  small:
    fields:
      name: { type: string }
`;

/** Makes databases that are worth an attack; gives the file, and the URL of each. */
export async function withTargets(
  folder: string,
  use: (file: string, databases: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const file = join(folder, 'attack.yaml');
  await writeFile(file, specification);
  const data = await writeData(folder);
  const postgres = await startPostgres({ durable: true });
  try {
    const databases = {
      SQLite: `sqlite:${join(folder, 'attack.db')}`,
      PostgreSQL: postgres.url,
    };
    for (const database of Object.values(databases)) {
      await migrate(file, database);
      await runScript([cli, 'import', data, '--spec', file, '--database', database]);
    }
    await use(file, databases);
  } finally {
    await postgres.stop();
  }
}

/** Begins an attack. Gives what ends it, and tells how often each status code came. */
export function startAttack(
  port: number,
  attackers = 60,
): () => Promise<Readonly<Record<string, number>>> {
  const worker = fileURLToPath(new URL('attack-worker.ts', import.meta.url));
  const attack = spawn(process.execPath, [worker, String(port), String(attackers)]);
  const answer = text(attack.stdout);
  return async () => {
    attack.stdin.end();
    await once(attack, 'close');
    return JSON.parse(await answer) as Record<string, number>;
  };
}

/**
 * Whether honest clients are served while others ask for as much memory as they can: at three times the peak rate of
 * small reads, with and without an attack of 60 connections on a server with 512 MiB of heap.
 */
export function measureAttack(folder: string): Promise<void> {
  return withTargets(folder, async (file, databases) => {
    for (const [name, database] of Object.entries(databases)) {
      for (const [what, path] of Object.entries(paths)) {
        const server = await startPlinth(database, file, flags);
        try {
          print(`${name}, ${what}: ${await measure(server, path)}`);
        } finally {
          await server.stop();
        }
      }
    }
  });
}

async function writeData(folder: string): Promise<string> {
  const data = join(folder, 'attack-data');
  const numbers = Array.from({ length: records }, (_, index) => index + 1);
  const files = {
    docs: numbers.map((id) => ({ id, title: `doc ${id}`, body: `${id} `.repeat(4_000) })),
    tags: [1, 2, 3].map((id) => ({ id, name: `tag ${id}` })),
    'doc-tags': numbers.map((id) => ({ id, docId: id, tagId: 1 + (id % 3) })),
    small: numbers.map((id) => ({ id, name: `name ${id}` })),
  };
  await mkdir(data);
  for (const [name, rows] of Object.entries(files))
    await writeFile(join(data, `${name}.json`), JSON.stringify(rows));
  return data;
}

async function measure(server: Server, path: string): Promise<string> {
  const port = Number(new URL(server.url).port);
  await closedLoop(port, path, 64, 3);
  const peak = (await closedLoop(port, path, 64, 3)).filter(isGood).length / 3;
  const good = { calm: 0, attacked: 0 };
  const took: number[] = [];
  const statuses = new Map<string, number>();
  const games = async (): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const before = await openLoop(port, path, peak * 3, calm, connections);
      good.calm += before.outcomes.slice(0, before.inTime).filter(isGood).length / calm;
      const endAttack = startAttack(port);
      await wait(500);
      const beside = await openLoop(port, path, peak * 3, attacked, connections);
      good.attacked += beside.outcomes.slice(0, beside.inTime).filter(isGood).length / attacked;
      took.push(...tookOf(beside.outcomes.filter(isGood)));
      for (const [status, count] of Object.entries(await endAttack()))
        statuses.set(status, (statuses.get(status) ?? 0) + count);
      await wait(500);
    }
  };
  const playing = games();
  const most = (await mostMemory(server.pid, playing)) / 1024 ** 2;
  await playing;
  const told = [...statuses].map(([status, count]) => `${count} times ${status}`).join(', ');
  return (
    `peak ${peak.toFixed(0)}/s; at three times of it ${(good.calm / rounds).toFixed(0)}/s are 2xx, ` +
    `beside the attack ${(good.attacked / rounds).toFixed(0)}/s (${((good.attacked / good.calm) * 100).toFixed(0)} %), ` +
    `p99 ${ms(percentile(took, 0.99))}; the attackers got ${told}; memory at most ${most.toFixed(0)} MiB`
  );
}
