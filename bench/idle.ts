import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from './child.ts';
import { median } from './load.ts';
import { residentMemory } from './memory.ts';
import {
  specifications,
  startDev,
  startHandwritten,
  startPlinth,
  type Databases,
} from './servers.ts';

/** A server at rest: ms from start to ready, and bytes of memory (undefined where it is unknown). */
export type IdleResult = {
  readonly what: string;
  readonly readyAfter: number;
  readonly memory: number | undefined;
};

const starts = 5;
const settleTime = 1_500;

/** Starts each server some times, for the median, and reads the memory of the first; the Chinook example, on SQLite alone, also once from nothing. */
export async function measureIdle(folder: string, databases: Databases): Promise<IdleResult[]> {
  const { name, handwritten, plinth } = databases;
  const blog = [
    await atRest('hand-written, blog', starts, () => startHandwritten(handwritten)),
    await atRest('Plinth start, blog', starts, () => startPlinth(plinth, specifications.blog)),
  ];
  if (name !== 'sqlite') return blog;
  const chinook = join(folder, 'chinook.db');
  return [
    ...blog,
    await atRest('Plinth dev, Chinook, first start with import', 1, () =>
      startDev(specifications.chinook, chinook),
    ),
    await atRest('Plinth dev, Chinook', starts, () => startDev(specifications.chinook, chinook)),
  ];
}

async function atRest(
  what: string,
  times: number,
  start: () => Promise<Server>,
): Promise<IdleResult> {
  const ready: number[] = [];
  let memory: number | undefined;
  for (let index = 0; index < times; index++) {
    const server = await start();
    try {
      ready.push(server.readyAfter);
      if (index > 0) continue;
      await wait(settleTime);
      memory = await residentMemory(server.pid);
    } finally {
      await server.stop();
    }
  }
  return { what, readyAfter: median(ready), memory };
}
