import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Flags } from './flags.ts';
import type { IdleResult } from './idle.ts';
import type { ShapeResult } from './load.ts';
import type { Databases } from './servers.ts';

/** Everything that a run has measured. */
export type Measurements = {
  readonly flags: Flags;
  readonly databases: Databases;
  readonly results: readonly ShapeResult[];
  readonly idle: readonly IdleResult[];
};

const records = new URL('RESULTS.md', import.meta.url);

/** Writes a line to the terminal. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The tables of a run as Markdown, which is also what the terminal shows. */
export function tables({ databases, results, idle }: Measurements): string {
  const rates = results.map(({ shape, handwritten, plinth, ratio, p99 }) => [
    shape.name,
    shape.title,
    whole(handwritten),
    whole(plinth),
    ratio.toFixed(2),
    `${whole(p99.handwritten)} / ${whole(p99.plinth)}`,
  ]);
  const rest = idle.map(({ what, readyAfter, memory }) => [
    what,
    whole(readyAfter),
    memory === undefined ? '?' : whole(memory / 1_048_576),
  ]);
  const rateHead = ['shape', 'request', 'hand-written/s', 'Plinth/s', 'ratio', 'p99 ms'];
  return [
    ...table(rateHead, rates),
    '',
    ...table(['at rest', 'ready after ms', 'memory MiB'], rest),
    '',
    `Import: ${whole(databases.importedPerSecond)} records/s.`,
  ].join('\n');
}

/** Adds a run to `RESULTS.md`, with the date and the versions. */
export async function record(measurements: Measurements): Promise<void> {
  const { flags, databases } = measurements;
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const [cpu] = cpus();
  const lines = [
    '',
    `## ${date} UTC`,
    '',
    `Plinth ${version('../package.json')}${commit()}, Node ${process.versions.node}, SQLite ${databases.sqlite}, ` +
      `Fastify ${packageVersion('fastify')}, better-sqlite3 ${packageVersion('better-sqlite3')}; ` +
      `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}; ` +
      `${flags.rounds} rounds of ${flags.seconds} s, 32 connections.`,
    '',
    tables(measurements),
    '',
  ];
  await appendFile(records, lines.join('\n'));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((text, index) =>
    Math.max(text.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const isNumber = (text: string): boolean => /^[\d,.? /]+$/.test(text);
  const right = head.map((_, index) => rows.every((row) => isNumber(row[index] ?? '')));
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, index) => {
      const width = widths[index] ?? 0;
      return right[index] ? cell.padStart(width) : cell.padEnd(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, index) =>
    right[index] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [line(head), line(rule), ...rows.map(line)];
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en');
}

function packageVersion(name: string): string {
  return version(`../node_modules/${name}/package.json`);
}

function version(path: string): string {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function commit(): string {
  const root = new URL('..', import.meta.url);
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root });
  const text = String(stdout ?? '').trim();
  return text === '' || text === 'HEAD' ? '' : ` (${text})`;
}
