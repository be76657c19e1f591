/**
 * A server in its own process, for `bench/code.ts`: `node bench/embedded.ts SPECIFICATION DATABASE`. It says by message how
 * long `createServer` of `npm run build` took and where it listens, and asks itself by `fetch` for as long as a message says.
 */
import { availableParallelism } from 'node:os';
import type * as Plinth from '../src/index.ts';
import { randomFrom } from './random.ts';
import { counts } from './records.ts';

/** What the process says once it listens: the time of `createServer` in ms, and the URL. */
export interface Ready {
  readonly took: number;
  readonly url: string;
}

/** Asks it to read single records by `fetch` for `time` ms, `atOnce` of them at a time. */
export interface FetchJob {
  readonly time: number;
  readonly atOnce: number;
}

/** Requests that were answered a second. */
export interface FetchResult {
  readonly perSecond: number;
}

// As users have it: the sources would be compiled first.
const built = new URL('../dist/index.js', import.meta.url).href;
const { createServer } = (await import(built)) as typeof Plinth;

const [, , file = '', database = ''] = process.argv;
const begin = performance.now();
const server = await createServer({ file, database });
const took = performance.now() - begin;
await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ took, url: server.url ?? '' } satisfies Ready);

async function readByFetch({ time, atOnce }: FetchJob): Promise<FetchResult> {
  const random = randomFrom(availableParallelism());
  const end = performance.now() + time;
  const started = performance.now();
  let done = 0;
  const readOn = async (): Promise<void> => {
    while (performance.now() < end) {
      const id = 1 + random.below(counts.posts);
      const response = await server.fetch(new Request(`http://localhost/v1/posts/${id}`));
      if (response.status !== 200) throw new Error(`fetch was answered ${response.status}`);
      await response.text();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, readOn));
  return { perSecond: (done * 1_000) / (performance.now() - started) };
}

process.on('message', (job: FetchJob) => {
  void readByFetch(job).then((result) => process.send?.(result));
});
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
