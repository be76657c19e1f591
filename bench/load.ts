import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Flags } from './flags.ts';
import type { LoadJob, LoadResult } from './load-worker.ts';
import type { Shape } from './shapes.ts';

/** One shape's figures: requests a second of each server, and Plinth's share of the other's. */
export type ShapeResult = {
  readonly shape: Shape;
  readonly handwritten: number;
  readonly plinth: number;
  readonly ratio: number;
  readonly p99: { readonly handwritten: number; readonly plinth: number };
};

/** The load generator's process: runs one round at a time. */
export type Loader = {
  readonly run: (job: LoadJob) => Promise<LoadResult>;
  readonly stop: () => void;
};

const connections = 32;
const warmUpSeed = 999;

/** Starts the load generator. */
export function startLoader(): Loader {
  const child = fork(new URL('load-worker.ts', import.meta.url));
  const run = async (job: LoadJob): Promise<LoadResult> => {
    child.send(job);
    const ended = new AbortController();
    const died = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('the load generator ended');
    });
    try {
      const [result] = await Promise.race([once(child, 'message'), died]);
      return result as LoadResult;
    } finally {
      died.catch(() => {});
      ended.abort();
    }
  };
  return { run, stop: () => child.kill() };
}

/** Measures a shape: a warm-up each, then rounds in which the two take turns in
 * going first. Any answer that is not 2xx throws. */
export async function measure(
  loader: Loader,
  shape: Shape,
  urls: { readonly handwritten: string; readonly plinth: string },
  { rounds, seconds }: Flags,
): Promise<ShapeResult> {
  const round = async (name: keyof typeof urls, seed: number): Promise<LoadResult> => {
    const job = { url: urls[name], shape: shape.name, seed, seconds, connections };
    const result = await loader.run(job);
    if (result.failures === 0) return result;
    throw new Error(`${shape.name}: ${result.failures} requests to ${name} failed`);
  };
  const results = { handwritten: [] as LoadResult[], plinth: [] as LoadResult[] };
  await round('handwritten', warmUpSeed);
  await round('plinth', warmUpSeed);
  for (let index = 0; index < rounds; index++) {
    const turn = index % 2 === 0;
    const order = turn
      ? (['handwritten', 'plinth'] as const)
      : (['plinth', 'handwritten'] as const);
    for (const name of order) {
      results[name].push(await round(name, index + 1));
    }
  }
  const handwritten = results.handwritten.map(({ perSecond }) => perSecond);
  const plinth = results.plinth.map(({ perSecond }) => perSecond);
  return {
    shape,
    handwritten: median(handwritten),
    plinth: median(plinth),
    ratio: median(plinth.map((rate, index) => rate / (handwritten[index] ?? Number.NaN))),
    p99: {
      handwritten: median(results.handwritten.map(({ p99 }) => p99)),
      plinth: median(results.plinth.map(({ p99 }) => p99)),
    },
  };
}

/** The middle of some numbers; of an even number of them the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (low + (sorted[Math.floor(middle)] ?? low)) / 2;
}
