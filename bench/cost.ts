import { features, startFeatured, type Featured } from './features.ts';
import { processorTime } from './memory.ts';
import { randomFrom } from './random.ts';
import { print } from './report.ts';

/**
 * The machine changes its speed within seconds, so the servers take turns of some ms: what is slow then is slow for all
 * of them.
 */
const rounds = 600;
const requests = 500;
const warmUp = 100_000;
const path = '/v1/tracks/7';

type Side = Featured & {
  readonly name: string;
  /** What each round took, in ms, and in µs of processor time. */
  readonly times: number[];
  readonly costs: number[];
};

/** What some features cost a read by id, on servers over one database that take turns. */
export async function measureCost(database: string, folder: string): Promise<void> {
  const sides: Side[] = [];
  try {
    for (const feature of Object.values(features)) {
      const featured = await startFeatured(feature, database, folder);
      sides.push({ ...featured, name: feature.name, times: [], costs: [] });
      await featured.ask(path, warmUp);
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { server, ask, times, costs } of round % 2 === 0 ? sides : sides.toReversed()) {
        const [before, began] = [await processorTime(server.pid), performance.now()];
        await ask(path, requests);
        times.push(performance.now() - began);
        costs.push((await processorTime(server.pid)) - before);
      }
    }
  } finally {
    for (const { stop } of sides) await stop();
  }
  const [plain] = sides;
  if (plain === undefined) return;
  for (const { name, times, costs } of sides)
    print(
      `read by id with ${name}: ${((rounds * requests) / (sum(times) / 1_000)).toFixed(0)}/s, ` +
        `ratio ${interval(plain.times, times)}; ${(sum(costs) / rounds / requests).toFixed(2)} µs of ` +
        `processor time, ratio ${interval(plain.costs, costs)}`,
    );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** How much faster the first is in all, and between what that lies in 95 of 100 draws of as many rounds. */
function interval(plain: readonly number[], others: readonly number[]): string {
  const random = randomFrom(1);
  const draws = Array.from({ length: 1_000 }, () => {
    let [one, other] = [0, 0];
    for (let index = 0; index < plain.length; index += 1) {
      const drawn = random.below(plain.length);
      one += plain[drawn] ?? 0;
      other += others[drawn] ?? 0;
    }
    return one / other;
  }).toSorted((one, other) => one - other);
  const at = (share: number): string => (draws[Math.floor(draws.length * share)] ?? 0).toFixed(3);
  return `${(sum(plain) / sum(others)).toFixed(3)} (${at(0.025)} to ${at(0.975)})`;
}
