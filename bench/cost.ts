import { features, startFeatured, type Feature, type Featured } from './features.ts';
import { processorTime } from './memory.ts';
import { print } from './report.ts';
import type { Databases } from './servers.ts';

/**
 * Two servers of one version differ by up to 9 %, however long they are asked: so several of each are started. And the
 * machine changes its speed within seconds, so those of a batch take turns of a tenth of one: what is slow then is slow for
 * all of them. In shorter turns each begins with caches that hold another one, which costs most who has most to do.
 */
const batches = 8;
const rounds = 20;
const requests = 5_000;
const warmUp = 100_000;
const path = '/v1/posts/7';

type Side = Featured & {
  readonly feature: Feature;
  /** µs of processor time, for all of its turns. */
  cost: number;
};

/**
 * What features cost a read by id, in processor time of servers over one database that take turns: of Plinth, and what the
 * hand-written server pays for the same.
 */
export async function measureCost(
  databases: Databases,
  folder: string,
  all: readonly Feature[] = Object.values(features),
): Promise<void> {
  const found = new Map<string, number[]>();
  for (let batch = 0; batch < batches; batch += 1) {
    const sides = await measureBatch(batch, databases, folder, all);
    const ratioOf = (wanted: Feature): number => {
      // A server is compared with one of its own kind.
      const plain = 'head' in wanted ? features.nothing : features.handwritten;
      const [without, own] = [plain, wanted].map(
        (one) => sides.find(({ feature }) => feature === one)?.cost ?? 0,
      );
      return (without ?? 0) / (own ?? 0);
    };
    const note = (name: string, ratio: number): void =>
      void found.set(name, [...(found.get(name) ?? []), ratio]);
    for (const { feature } of sides) note(feature.name, ratioOf(feature));
    const { rule, handwrittenRule } = features;
    note(
      `${rule.name}, as a part of the same, hand-written`,
      ratioOf(rule) / ratioOf(handwrittenRule),
    );
    print(sides.map(({ feature, cost }) => `${feature.name} ${perRequest(cost)} µs`).join(', '));
  }
  for (const [name, ratios] of found) print(`read by id with ${name}: ${interval(ratios)}`);
}

/** One server of each feature, started in another order each time. */
async function measureBatch(
  batch: number,
  databases: Databases,
  folder: string,
  all: readonly Feature[],
): Promise<Side[]> {
  const sides: Side[] = [];
  const first = batch % all.length;
  try {
    for (const feature of [...all.slice(first), ...all.slice(0, first)]) {
      const featured = await startFeatured(feature, databases, folder);
      sides.push({ ...featured, feature, cost: 0 });
      await featured.ask(path, warmUp);
    }
    for (let round = 0; round < rounds; round += 1)
      // Always in this order: who has two turns on end finds what it needs in the processor's caches.
      for (const side of sides) {
        const before = await processorTime(side.server.pid);
        await side.ask(path, requests);
        side.cost += (await processorTime(side.server.pid)) - before;
      }
  } finally {
    for (const { stop } of sides) await stop();
  }
  return sides;
}

function perRequest(cost: number): string {
  return (cost / rounds / requests).toFixed(1);
}

/** The mean, and how far two standard errors of it reach. */
function interval(ratios: readonly number[]): string {
  const mean = sum(ratios) / ratios.length;
  const spread = sum(ratios.map((ratio) => (ratio - mean) ** 2)) / (ratios.length - 1);
  return `${mean.toFixed(3)} ± ${(2 * Math.sqrt(spread / ratios.length)).toFixed(3)} of the rate of one without, by processor time`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
