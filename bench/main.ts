/**
 * `npm run bench`: Plinth against the server written by hand in `handwritten.ts`, both on the same
 * data, after a check that they give the same answers. See `--help`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from './child.ts';
import { differences } from './compare.ts';
import { ensureData } from './data.ts';
import { help, readFlags, type Flags } from './flags.ts';
import { measureIdle } from './idle.ts';
import { measure, startLoader, type ShapeResult } from './load.ts';
import { print, record, tables } from './report.ts';
import { makeDatabases, startHandwritten, startPlinth, type Databases } from './servers.ts';

/** Runs the benchmark; a wrong or failed answer throws. */
async function bench(flags: Flags): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
  try {
    print('Data set and databases …');
    const databases = await makeDatabases(folder, await ensureData());
    print('Start-up and memory …');
    const idle = await measureIdle(folder, databases);
    const results = await underLoad(databases, flags);
    const measurements = { flags, databases, results, idle };
    print(`\n${tables(measurements)}`);
    if (flags.record) await record(measurements);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function underLoad(databases: Databases, flags: Flags): Promise<ShapeResult[]> {
  const servers: Server[] = [];
  const loader = startLoader();
  try {
    const handwritten = await startHandwritten(databases.handwritten);
    servers.push(handwritten);
    const plinth = await startPlinth(databases.plinth);
    servers.push(plinth);
    await requireEqual(handwritten, plinth, flags);
    const urls = { handwritten: handwritten.url, plinth: plinth.url };
    const results: ShapeResult[] = [];
    for (const shape of flags.shapes) {
      print(`${shape.name} ${shape.title} …`);
      results.push(await measure(loader, shape, urls, flags));
    }
    return results;
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
