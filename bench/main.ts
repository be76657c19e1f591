/**
 * `npm run bench`: Plinth against the server written by hand in `handwritten.ts`, on SQLite and on PostgreSQL, both
 * on the same data, after a check that they give the same answers. See `--help`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from './child.ts';
import { differences } from './compare.ts';
import { ensureData } from './data.ts';
import { help, readFlags, type Flags } from './flags.ts';
import { measureIdle } from './idle.ts';
import { measureDepth, measureShape, startLoader, type ShapeResult } from './load.ts';
import { makePostgres } from './postgres.ts';
import { print, record, tables, type Run } from './report.ts';
import {
  specifications,
  startHandwritten,
  startPlinth,
  writeSpecification,
  type Databases,
} from './servers.ts';
import type { DatabaseName } from './shapes.ts';
import { makeSqlite } from './sqlite.ts';
import { measureStream } from './stream.ts';

/** Runs the benchmark; a wrong or failed answer throws. */
async function bench(flags: Flags): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
  try {
    const runs: Run[] = [];
    for (const name of flags.databases) {
      const run = await measureDatabase(name, folder, flags);
      runs.push(run);
      print(`\n${tables(run)}\n`);
    }
    if (flags.record) await record(flags, runs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureDatabase(name: DatabaseName, folder: string, flags: Flags): Promise<Run> {
  print(`Data set and databases, ${name} …`);
  const data = await ensureData();
  const databases = await (name === 'sqlite' ? makeSqlite(folder, data) : makePostgres(data));
  try {
    print('Start-up and memory …');
    const idle = await measureIdle(folder, databases);
    if (flags.stream) print('R9 stream to a slow reader …');
    const stream = flags.stream ? await measureStream(databases) : undefined;
    return { databases, idle, stream, ...(await underLoad(folder, databases, flags)) };
  } finally {
    await databases.stop();
  }
}

async function underLoad(
  folder: string,
  databases: Databases,
  flags: Flags,
): Promise<{ results: readonly ShapeResult[]; depth: number | undefined }> {
  if (flags.shapes.length === 0) return { results: [], depth: undefined };
  const servers: Server[] = [];
  const loader = startLoader();
  try {
    const pool = String(flags.pool);
    const handwritten = await startHandwritten(databases.handwritten, [], ['', pool]);
    servers.push(handwritten);
    const pooled = `access: public\ndatabase: { poolSize: ${pool} }`;
    const specification = await writeSpecification('blog', pooled, folder, specifications.blog);
    const plinth = await startPlinth(databases.plinth, specification);
    servers.push(plinth);
    await requireEqual(handwritten, plinth, flags);
    const results: ShapeResult[] = [];
    let depth: number | undefined;
    for (const shape of flags.shapes) {
      print(`${shape.name} ${shape.title} …`);
      await databases.tidy();
      results.push(await measureShape(loader, shape, { handwritten, plinth }, flags));
      if (shape.cursorList !== undefined) depth = await measureDepth(loader, shape, plinth, flags);
    }
    return { results, depth };
  } finally {
    loader.stop();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function requireEqual(handwritten: Server, plinth: Server, flags: Flags): Promise<void> {
  print('Comparing answers …');
  const found = await differences(handwritten.url, plinth.url, flags.shapes);
  if (found.length === 0) return;
  print('Differences (hand-written / Plinth):');
  for (const line of found) print(`  ${line}`);
  if (!flags.allowDifferences) throw new Error('the servers do not give the same answers');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  const flags = readFlags(process.argv.slice(2));
  if (flags === undefined) print(help);
  else await bench(flags);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
