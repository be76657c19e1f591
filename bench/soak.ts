/**
 * `npm run bench:soak`: the memory of a server under mixed load (R14) for an hour, and of the server by hand for three minutes.
 * `--database`, `--minutes` and `--pool` say on which database, for how long and with how many connections. Adds the result
 * to RESULTS.md, unless it is run with `--no-record`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Server } from './child.ts';
import { ensureData } from './data.ts';
import { connections, startLoader, type Loader } from './load.ts';
import { residentMemory } from './memory.ts';
import { makePostgres } from './postgres.ts';
import { machine, mebibytes, print, recordText, table } from './report.ts';
import {
  specifications,
  startHandwritten,
  startPlinth,
  writeSpecification,
  type Databases,
} from './servers.ts';
import { makeSqlite } from './sqlite.ts';

/** How long one load lasts, in seconds; memory is read after each. */
const portion = 10;
const handwrittenMinutes = 3;

/** Minutes since the beginning, and bytes. */
type Sample = readonly [minute: number, memory: number];

interface Soak {
  readonly samples: readonly Sample[];
  readonly answered: number;
  /** Refused or not answered in time, as happens beside other work. */
  readonly failed: number;
}

async function soak(loader: Loader, { url, pid }: Server, minutes: number): Promise<Soak> {
  const samples: Sample[] = [];
  let [answered, failed] = [0, 0];
  const begin = performance.now();
  for (let seed = 1; ; seed += 1) {
    const job = { url, shape: 'R14', known: '', seed, seconds: portion, connections } as const;
    const result = await loader.run(job);
    answered += result.answered;
    failed += result.failures;
    const minute = (performance.now() - begin) / 60_000;
    samples.push([minute, (await residentMemory(pid)) ?? Number.NaN]);
    if (minute >= minutes) return { samples, answered, failed };
  }
}

/** By how many bytes an hour memory grows: the line of least squares through the samples. */
function slope(samples: readonly Sample[]): number {
  const mean = (index: 0 | 1): number =>
    samples.reduce((sum, sample) => sum + sample[index], 0) / samples.length;
  const [time, memory] = [mean(0), mean(1)];
  const above = samples.reduce((sum, [at, bytes]) => sum + (at - time) * (bytes - memory), 0);
  return (above / samples.reduce((sum, [at]) => sum + (at - time) ** 2, 0)) * 60;
}

const sign = (bytes: number): string => `${bytes < 0 ? '−' : '+'}${mebibytes(Math.abs(bytes))}`;

function row(name: string, { samples, answered, failed }: Soak): string[] {
  const memories = samples.map(([, bytes]) => bytes);
  const second = samples.slice(Math.floor(samples.length / 2));
  return [
    name,
    (samples.at(-1)?.[0] ?? 0).toFixed(0),
    answered.toLocaleString('en-US'),
    String(failed),
    mebibytes(memories[0] ?? Number.NaN),
    mebibytes(Math.max(...memories)),
    mebibytes(memories.at(-1) ?? Number.NaN),
    samples.length < 60 ? '–' : sign(slope(second)),
  ];
}

async function measure(
  databases: Databases,
  folder: string,
  minutes: number,
  pool: string,
): Promise<string[][]> {
  const loader = startLoader();
  const servers: Server[] = [];
  try {
    const handwritten = await startHandwritten(databases.handwritten, [], ['', pool]);
    servers.push(handwritten);
    const byHand = await soak(loader, handwritten, Math.min(minutes, handwrittenMinutes));
    const head = `access: public\ndatabase: { poolSize: ${pool} }`;
    const file = await writeSpecification('blog', head, folder, specifications.blog);
    const plinth = await startPlinth(databases.plinth, file);
    servers.push(plinth);
    const own = await soak(loader, plinth, minutes);
    return [row('hand-written', byHand), row('Plinth', own)];
  } finally {
    loader.stop();
    for (const server of servers) await server.stop();
  }
}

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres' },
    minutes: { type: 'string', default: '60' },
    pool: { type: 'string', default: '10' },
    'no-record': { type: 'boolean', default: false },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'plinth-soak-'));
try {
  const data = await ensureData();
  const databases = await (values.database === 'sqlite'
    ? makeSqlite(folder, data)
    : makePostgres(data));
  try {
    const rows = await measure(databases, folder, Number(values.minutes), values.pool);
    const head = [
      'server',
      'minutes',
      'answered',
      'failed',
      'MiB at first',
      'most',
      'last',
      'MiB/h',
    ];
    const text = [
      `\`npm run bench:soak -- --database ${databases.name} --minutes ${values.minutes} --pool ${values.pool}\`: ${machine()}; ${databases.title}; ${connections} connections. MiB/h: the slope of the second half.`,
      table(head, rows).join('\n'),
    ].join('\n\n');
    print(text);
    if (!values['no-record']) await recordText(text, 'memory under mixed load');
  } finally {
    await databases.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
