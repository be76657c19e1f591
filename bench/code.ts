/**
 * `npm run bench:code`: what own code costs, and a server in one's own process, on SQLite: creates with an empty hook beside
 * creates without code, `server.fetch` beside the same server over a socket, how soon `createServer` is ready, and a file of
 * 20 sandboxed tests. Adds the result to RESULTS.md, unless it is run with `--no-record`.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testServer } from '../src/test.ts';
import { nextMessage } from './child.ts';
import { ensureData } from './data.ts';
import type { FetchJob, FetchResult, Ready } from './embedded.ts';
import { readFlags } from './flags.ts';
import { measureShape, median, startLoader, type Loader, type ShapeResult } from './load.ts';
import { machine, print, recordText, table } from './report.ts';
import { specifications, startPlinth, writeSpecification } from './servers.ts';
import { shapeNamed } from './shapes.ts';
import { makeSqlite } from './sqlite.ts';

const rounds = 5;
const seconds = 2;
const atOnce = 32;
const sandboxed = 20;

/** The blog as it is in production, with the own code of `text` if there is one. */
async function specificationWith(
  name: string,
  folder: string,
  text: string | undefined,
): Promise<string> {
  if (text !== undefined) await writeFile(join(folder, `${name}.mjs`), text);
  const code = text === undefined ? '' : `\ncode: ./${name}.mjs`;
  return writeSpecification(name, `access: public${code}`, folder, specifications.blog);
}

/** Creates: of a server with an empty hook, as a share of the same server's without own code. */
async function measureHook(loader: Loader, folder: string, database: string): Promise<ShapeResult> {
  const copy = join(folder, 'hooked.db');
  await copyFile(database.replace(/^sqlite:/u, ''), copy);
  const hook = 'export default { resources: { comments: { beforeCreate() {} } } };\n';
  const plain = await startPlinth(database, await specificationWith('plain', folder, undefined));
  const hooked = await startPlinth(
    `sqlite:${copy}`,
    await specificationWith('hooked', folder, hook),
  );
  try {
    const flags = readFlags(['--rounds', String(rounds), '--seconds', String(seconds)]);
    if (flags === undefined) throw new Error('no flags');
    const servers = { handwritten: plain, plinth: hooked };
    return await measureShape(loader, shapeNamed('R6'), servers, flags);
  } finally {
    await plain.stop();
    await hooked.stop();
  }
}

interface Embedded {
  /** Of each start, in ms. */
  readonly ready: readonly number[];
  readonly bySocket: number;
  readonly byFetch: number;
  readonly ratio: number;
}

/** Reads of one record by `fetch` and over a socket of the same process, in turns; and some starts. */
async function measureEmbedded(
  loader: Loader,
  specification: string,
  database: string,
): Promise<Embedded> {
  const program = new URL('embedded.ts', import.meta.url);
  const start = async (): Promise<{ child: ChildProcess; first: Ready }> => {
    const child = fork(program, [specification, database]);
    return { child, first: await nextMessage<Ready>(child) };
  };
  const stop = async (child: ChildProcess): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
  const ready: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    const { child, first } = await start();
    ready.push(first.took);
    await stop(child);
  }
  const { child, first } = await start();
  try {
    const overSocket = async (seed: number, time: number): Promise<number> => {
      const job = { url: first.url, shape: 'R1', known: '', seed, seconds: time } as const;
      const result = await loader.run({ ...job, connections: atOnce });
      if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
      return result.perSecond;
    };
    const byFetch = async (time: number): Promise<number> => {
      child.send({ time: time * 1_000, atOnce } satisfies FetchJob);
      return (await nextMessage<FetchResult>(child)).perSecond;
    };
    await overSocket(0, 6);
    await byFetch(6);
    const [sockets, fetches]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const turns = [
        async () => sockets.push(await overSocket(round + 1, seconds)),
        async () => fetches.push(await byFetch(seconds)),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
    return {
      ready,
      bySocket: median(sockets),
      byFetch: median(fetches),
      ratio: median(fetches.map((rate, index) => rate / (sockets[index] ?? Number.NaN))),
    };
  } finally {
    await stop(child);
  }
}

/** What a file of sandboxed tests takes in a process that has loaded the modules: the server, and each test; in ms. */
async function measureTests(): Promise<{ server: number; tests: number }> {
  const begin = performance.now();
  await using api = await testServer({ file: specifications.shop });
  const started = performance.now();
  for (let turn = 0; turn < sandboxed; turn += 1) {
    await using box = api.sandbox();
    const { status } = await box.fetch('/v1/products?limit=5');
    if (status !== 200) throw new Error(`a sandbox was answered ${status}`);
  }
  return { server: started - begin, tests: performance.now() - started };
}

const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
const loader = startLoader();
try {
  const { server, tests } = await measureTests();
  const databases = await makeSqlite(folder, await ensureData());
  const own = await specificationWith('embedded', folder, undefined);
  const embedded = await measureEmbedded(loader, own, databases.plinth);
  const hook = await measureHook(loader, folder, databases.plinth);
  const rate = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 0 });
  const text = [
    `\`npm run bench:code\`: ${machine()}; ${databases.title}; ${rounds} rounds of ${seconds} s in turns, ${atOnce} at once.`,
    '',
    ...table(
      ['what', 'without', 'with', 'ratio', 'wanted'],
      [
        [
          'creates a second, with an empty `beforeCreate`',
          rate(hook.handwritten),
          rate(hook.plinth),
          hook.ratio.toFixed(2),
          '0.80',
        ],
        [
          'reads of one record a second, with `fetch` in place of a socket',
          rate(embedded.bySocket),
          rate(embedded.byFetch),
          embedded.ratio.toFixed(2),
          '1.20',
        ],
      ],
    ),
    '',
    ...table(
      ['what, in ms', 'took', 'wanted'],
      [
        ['`createServer` is ready', median(embedded.ready).toFixed(0), '300'],
        [
          `\`testServer\` is ready, its ${sandboxed} tests are run`,
          `${server.toFixed(0)}, ${tests.toFixed(0)}`,
          '1,000',
        ],
      ],
    ),
  ].join('\n');
  print(text);
  if (!process.argv.includes('--no-record')) await recordText(text, 'own code and embedding');
} finally {
  loader.stop();
  await rm(folder, { recursive: true, force: true });
}
