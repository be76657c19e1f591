import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from './child.ts';
import {
  closedLoop,
  isGood,
  ms,
  openLoop,
  percentile,
  tookOf,
  type Outcome,
} from './edge-clients.ts';
import { processorTime } from './memory.ts';
import { print } from './report.ts';
import { specifications, startHandwritten, startPlinth, type Databases } from './servers.ts';

const paths = {
  'one record': '/v1/posts/7',
  'a page of 20': '/v1/posts?limit=20',
  'a page of 100 with what it belongs to': '/v1/posts?limit=100&expand=author',
};
/** The machine changes its speed within seconds: so peak and overload take turns, which are as short as they can be. */
const rounds = 4;
const calm = 1;
const crowded = 2;
/** What a server tells who came before it knew of the crowd comes late, once; in ms. */
const settling = 1_000;

const isShed = ({ status }: Outcome): boolean => status === 503;

/**
 * What Plinth and the hand-written server answer at three times the rate that each answers to 64 connections: the share
 * of that rate, the same by processor time, and how long answers take.
 */
export async function measureOverload(databases: Databases): Promise<void> {
  const starts = {
    'hand-written': () => startHandwritten(databases.handwritten),
    Plinth: () => startPlinth(databases.plinth, specifications.blog),
  };
  for (const connections of [192, 1_000, 2_000])
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
  const outcomes: Outcome[] = [];
  const lateShed: Outcome[] = [];
  let [peak, inTime, calmCost, crowdedCost, unsent] = [0, 0, 0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const before = await processorTime(server.pid);
    const answered = (await closedLoop(port, path, 64, calm)).filter(isGood).length;
    const between = await processorTime(server.pid);
    const asked = await openLoop(port, path, (answered / calm) * 3, crowded, connections);
    crowdedCost += (await processorTime(server.pid)) - between;
    calmCost += between - before;
    peak += answered;
    inTime += asked.outcomes.slice(0, asked.inTime).filter(isGood).length;
    unsent += asked.unsent;
    outcomes.push(...asked.outcomes);
    lateShed.push(
      ...asked.outcomes.filter((one) => isShed(one) && one.at - asked.begin > settling),
    );
  }
  const [good, shed] = [outcomes.filter(isGood), outcomes.filter(isShed)];
  const others = outcomes.length - good.length - shed.length;
  const perSecond = (count: number, seconds: number): string =>
    (count / rounds / seconds).toFixed(0);
  const goodput = inTime / crowded / (peak / calm);
  const byCost = good.length / crowdedCost / (peak / calmCost);
  return (
    `peak ${perSecond(peak, calm)}/s; at three times of it (sent ${perSecond(outcomes.length, crowded)}/s, ` +
    `${perSecond(unsent, crowded)}/s not sent): 2xx ${percent(goodput)} of peak, ${percent(byCost)} by processor time, ` +
    `p99 ${ms(percentile(tookOf(good), 0.99))}; ` +
    `${shed.length} times 503, p99 ${ms(percentile(tookOf(shed), 0.99))}, ` +
    `after a second ${ms(percentile(tookOf(lateShed), 0.99))}; ${others} others`
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
