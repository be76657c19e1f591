import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Flags } from './flags.ts';
import type { IdleResult } from './idle.ts';
import type { ShapeResult } from './load.ts';
import type { Databases } from './servers.ts';
import { streamName } from './shapes.ts';
import { streamedRecords, wantedGrowth, type StreamResult } from './stream.ts';

/** Everything that was measured on one database. */
export type Run = {
  readonly databases: Databases;
  readonly results: readonly ShapeResult[];
  /** How many times the deep page by cursor costs what the second one costs, where that was measured. */
  readonly depth: number | undefined;
  readonly stream: StreamResult | undefined;
  readonly idle: readonly IdleResult[];
};

const records = new URL('RESULTS.md', import.meta.url);

/** Writes a line to the terminal. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The tables of a database as Markdown, which is also what the terminal shows. */
export function tables({ databases, results, depth, stream, idle }: Run): string {
  const rates = results.map(({ shape, handwritten, plinth, ratio, ratioByProcessor, p99 }) => [
    shape.name,
    shape.title,
    whole(handwritten),
    whole(plinth),
    ratio.toFixed(2),
    shape.wanted[databases.name]?.toFixed(2) ?? '–',
    Number.isNaN(ratioByProcessor) ? '?' : ratioByProcessor.toFixed(2),
    `${whole(p99.handwritten)} / ${whole(p99.plinth)}`,
  ]);
  const rest = idle.map(({ what, readyAfter, memory }) => [
    what,
    whole(readyAfter),
    memory === undefined ? '?' : mebibytes(memory),
  ]);
  const rateHead = [
    'shape',
    'request',
    'hand-written/s',
    'Plinth/s',
    'ratio',
    'wanted',
    'by processor',
    'p99 ms',
  ];
  return [
    `### ${databases.title}`,
    '',
    ...(rates.length === 0 ? [] : [...table(rateHead, rates), '']),
    ...table(['at rest', 'ready after ms', 'memory MiB'], rest),
    '',
    ...(depth === undefined ? [] : [depthLine(depth), '']),
    ...(stream === undefined ? [] : [streamLine(stream), '']),
    `Import: ${whole(databases.importedPerSecond)} records/s.`,
  ].join('\n');
}

function depthLine(depth: number): string {
  return `R8: page 2,000 costs Plinth ${depth.toFixed(2)} × what page 2 costs (wanted: at most 1.50).`;
}

function streamLine({ growth, seconds }: StreamResult): string {
  const grown = growth === undefined ? '?' : mebibytes(growth);
  return (
    `${streamName}: ${whole(streamedRecords)} records as NDJSON to a slow reader in ${whole(seconds)} s: Plinth's memory ` +
    `grew by ${grown} MiB (wanted: at most ${mebibytes(wantedGrowth)}).`
  );
}

/** Adds runs to `RESULTS.md`, with the date and the versions. */
export async function record(flags: Flags, runs: readonly Run[]): Promise<void> {
  const lines = [
    `${plinthVersion()}, Node ${process.versions.node}, Fastify ${packageVersion('fastify')}, ` +
      `better-sqlite3 ${packageVersion('better-sqlite3')}, postgres ${packageVersion('postgres')}; ` +
      `${processorText()}; ` +
      `${flags.rounds} rounds of ${flags.seconds} s after ${flags.warmUp} s each to warm up, 32 connections.`,
    ...runs.flatMap((run) => ['', tables(run)]),
  ];
  await recordText(lines.join('\n'));
}

/** Adds a text to `RESULTS.md` below the time, with what it is about. */
export async function recordText(text: string, subject?: string): Promise<void> {
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const about = subject === undefined ? '' : `, ${subject}`;
  await appendFile(records, `\n## ${date} UTC${about}\n\n${text}\n`);
}

/** What is measured, and on what, in a line. */
export function machine(): string {
  return `${plinthVersion()}, Node ${process.versions.node}; ${processorText()}`;
}

function plinthVersion(): string {
  return `Plinth ${version('../package.json')}${commit()}`;
}

function processorText(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((text, index) =>
    Math.max(text.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const isNumber = (text: string): boolean => /^[\d,.? /–]+$/.test(text);
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

export function mebibytes(bytes: number): string {
  return whole(bytes / 1_048_576);
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
