import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from './child.ts';
import { ensureData } from './data.ts';
import {
  closedLoop,
  isGood,
  ms,
  openLoop,
  percentile,
  tookOf,
  type Outcome,
} from './edge-clients.ts';
import { print } from './report.ts';
import { specifications, startHandwritten, startPlinth } from './servers.ts';
import { makeSqlite } from './sqlite.ts';

const paths = {
  'one record': '/v1/posts/7',
  'a page of 20': '/v1/posts?limit=20',
  'a page of 100 with what it belongs to': '/v1/posts?limit=100&expand=author',
};
const seconds = 4;

const isShed = ({ status }: Outcome): boolean => status === 503;

/**
 * What Plinth and the hand-written server answer at three times the rate that each answers to 64 connections: the share
 * of that rate, and how long answers take.
 */
export async function measureOverload(folder: string): Promise<void> {
  const databases = await makeSqlite(folder, await ensureData());
  const starts = {
    'hand-written': () => startHandwritten(databases.handwritten),
    Plinth: () => startPlinth(databases.plinth, specifications.blog),
  };
  for (const connections of [1_000, 2_000])
    for (const [name, path] of Object.entries(paths))
      for (const [who, start] of Object.entries(starts)) {
        const server = await start();
        try {
          print(
            `${name}, ${connections} connections, ${who}: ${await measure(server, path, connections)}`,
          );
        } finally {
          await server.stop();
        }
        await wait(500);
      }
}

async function measure(server: Server, path: string, connections: number): Promise<string> {
  const port = Number(new URL(server.url).port);
  await closedLoop(port, path, 64, 2);
  const peak = (await closedLoop(port, path, 64, seconds)).filter(isGood).length / seconds;
  const { outcomes, unsent } = await openLoop(port, path, peak * 3, seconds, connections);
  const [good, shed] = [outcomes.filter(isGood), outcomes.filter(isShed)];
  const goodput = good.length / seconds / peak;
  const others = outcomes.length - good.length - shed.length;
  return (
    `peak ${peak.toFixed(0)}/s; at ${(peak * 3).toFixed(0)}/s (sent ${(outcomes.length / seconds).toFixed(0)}/s, ` +
    `${unsent} not sent): 2xx ${(goodput * 100).toFixed(0)} % of peak, p99 ${ms(percentile(tookOf(good), 0.99))}; ` +
    `${shed.length} times 503, p99 ${ms(percentile(tookOf(shed), 0.99))}; ${others} others`
  );
}
