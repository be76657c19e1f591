import { fork } from 'node:child_process';
import { deepPage } from './cursors.ts';
import type { Flags } from './flags.ts';
import { knownFor } from './known.ts';
import type { LoadJob, LoadResult } from './load-worker.ts';
import { processorTime } from './memory.ts';
import { nextMessage, type Server } from './child.ts';
import type { Shape } from './shapes.ts';

/** One shape's figures: requests a second of each server, and Plinth's share of the other's. */
export type ShapeResult = {
  readonly shape: Shape;
  readonly handwritten: number;
  readonly plinth: number;
  readonly ratio: number;
  /** The same ratio by the processor time that a request takes in the server's process. */
  readonly ratioByProcessor: number;
  readonly p99: { readonly handwritten: number; readonly plinth: number };
};

/** The load generator's process: runs one round at a time. */
export type Loader = {
  readonly run: (job: LoadJob) => Promise<LoadResult>;
  readonly stop: () => void;
};

export const connections = 32;
const warmUpSeed = 999;

/** Starts the load generator. */
export function startLoader(): Loader {
  const child = fork(new URL('load-worker.ts', import.meta.url));
  const run = async (job: LoadJob): Promise<LoadResult> => {
    child.send(job);
    return nextMessage<LoadResult>(child);
  };
  return { run, stop: () => child.kill() };
}

/** Measures a shape on both servers; one that reads by cursor reads the deep page. */
export async function measureShape(
  loader: Loader,
  shape: Shape,
  servers: { readonly handwritten: Server; readonly plinth: Server },
  flags: Flags,
): Promise<ShapeResult> {
  const side = async (name: keyof typeof servers): Promise<Side> => {
    const { url, pid } = servers[name];
    return { name, url, pid, known: await knownFor(shape, url, deepPage) };
  };
  const sides = [await side('handwritten'), await side('plinth')] as const;
  const { rates, ratio, ratioByProcessor, p99 } = await compareSides(loader, shape, sides, flags);
  return {
    shape,
    handwritten: rates[0],
    plinth: rates[1],
    ratio,
    ratioByProcessor,
    p99: { handwritten: p99[0], plinth: p99[1] },
  };
}

/** How many times the deep page of a shape that reads by cursor costs what its second page costs. */
export async function measureDepth(
  loader: Loader,
  shape: Shape,
  { url, pid }: Server,
  flags: Flags,
): Promise<number> {
  const side = async (page: number): Promise<Side> => ({
    name: `page ${page}`,
    url,
    pid,
    known: await knownFor(shape, url, page),
  });
  const sides = [await side(deepPage), await side(2)] as const;
  return (await compareSides(loader, shape, sides, flags)).ratio;
}

/** What is measured against something else: a server, and what the requests name of its own. */
type Side = {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly known: string;
};

/** The medians of two sides, and of the second one's share of the first one's rate. */
type Comparison = {
  readonly rates: readonly [number, number];
  readonly p99: readonly [number, number];
  readonly ratio: number;
  readonly ratioByProcessor: number;
};

/** A round, with the processor time that a request took in the server's process, in µs. */
type Round = LoadResult & { readonly cost: number };

/** A warm-up each, then rounds in which the two take turns in going first. Any answer that is not 2xx throws. */
async function compareSides(
  loader: Loader,
  shape: Shape,
  [first, second]: readonly [Side, Side],
  { rounds, seconds, warmUp }: Flags,
): Promise<Comparison> {
  const load = async (
    { name, url, pid, known }: Side,
    seed: number,
    duration: number,
  ): Promise<Round> => {
    const job = { url, shape: shape.name, known, seed, seconds: duration, connections };
    const before = await processorTime(pid);
    const result = await loader.run(job);
    const cost = ((await processorTime(pid)) - before) / result.answered;
    if (result.failures > 0)
      throw new Error(`${shape.name}: ${result.failures} requests to ${name} failed`);
    if (result.perSecond === 0)
      throw new Error(`${shape.name}: ${name} gave no answer in ${duration} s; see --seconds`);
    return { ...result, cost };
  };
  const results = new Map<Side, Round[]>([
    [first, []],
    [second, []],
  ]);
  await load(first, warmUpSeed, warmUp);
  await load(second, warmUpSeed, warmUp);
  for (let index = 0; index < rounds; index++) {
    const order = index % 2 === 0 ? [first, second] : [second, first];
    for (const side of order) results.get(side)?.push(await load(side, index + 1, seconds));
  }
  const seen = (side: Side, what: 'perSecond' | 'p99' | 'cost'): number[] =>
    (results.get(side) ?? []).map((result) => result[what]);
  const [one, other] = [seen(first, 'perSecond'), seen(second, 'perSecond')];
  const costs = seen(second, 'cost');
  return {
    rates: [median(one), median(other)],
    p99: [median(seen(first, 'p99')), median(seen(second, 'p99'))],
    ratio: median(other.map((rate, index) => rate / (one[index] ?? Number.NaN))),
    ratioByProcessor: median(
      seen(first, 'cost').map((cost, index) => cost / (costs[index] ?? Number.NaN)),
    ),
  };
}

/** The middle of some numbers; of an even number of them the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (low + (sorted[Math.floor(middle)] ?? low)) / 2;
}
