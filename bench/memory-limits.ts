import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ms } from './edge-clients.ts';
import { startAttack, withTargets } from './attack.ts';
import { statusOf } from './http.ts';
import { print } from './report.ts';
import { startPlinth } from './servers.ts';

const mebibyte = 1024 * 1024;
const limits = [256, 512, 2048];
const attackers = [1, 100, 1_000];
const seconds = Number(process.env['SECONDS'] ?? 10);

/** Where control groups of memory are, and what the files of a group are called: of version 1, or of version 2. */
const version =
  existsSync('/sys/fs/cgroup/memory') || !existsSync('/sys/fs/cgroup/cgroup.controllers')
    ? {
        root: '/sys/fs/cgroup/memory',
        limit: 'memory.limit_in_bytes',
        most: 'memory.max_usage_in_bytes',
      }
    : { root: '/sys/fs/cgroup', limit: 'memory.max', most: 'memory.peak' };

/**
 * Whether a server that may have so much memory and no more, as in a container, lives through clients that ask for as much
 * as they can. Wants Linux, and the right to make control groups.
 */
export function measureMemoryLimits(folder: string): Promise<void> {
  return withTargets(folder, async (file, databases) => {
    for (const [name, database] of Object.entries(databases))
      for (const limit of limits)
        for (const count of attackers) {
          const group = join(version.root, `plinth-bench-${process.pid}`);
          await mkdir(group);
          try {
            await writeFile(join(group, version.limit), String(limit * mebibyte));
            const told = await attacked(group, file, database, count);
            print(`${name}, ${limit} MiB, ${count} connections: ${told}`);
          } finally {
            await rmdir(group);
          }
        }
  });
}

async function attacked(
  group: string,
  file: string,
  database: string,
  count: number,
): Promise<string> {
  const server = await startPlinth(database, file, [], [], group);
  try {
    const endAttack = startAttack(Number(new URL(server.url).port), count);
    let [good, refused] = [0, 0];
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) {
      const status = await statusOf(`${server.url}/small/7`);
      if (status === 200) good += 1;
      else refused += 1;
      await wait(20);
    }
    const statuses = Object.entries(await endAttack()).map(
      ([status, many]) => `${many} × ${status}`,
    );
    const since = performance.now();
    const isOver = (): boolean => performance.now() - since > 30_000;
    while ((await statusOf(`${server.url}/small/7`)) !== 200 && !isOver()) await wait(50);
    const fate = isOver() ? 'DEAD' : `serves again ${ms(performance.now() - since)} later`;
    const most = Number(await readFile(join(group, version.most), 'utf8')) / mebibyte;
    return (
      `${fate}; ${good} small reads were 200 and ${refused} not; ` +
      `the attackers got ${statuses.join(', ')}; at most ${most.toFixed(0)} MiB`
    );
  } finally {
    await server.stop();
  }
}
