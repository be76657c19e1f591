import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { getHeapStatistics } from 'node:v8';
import { uuidv7 } from '../lib/uuid.ts';
import type { Problem } from '../specification/problems.ts';
import type { Context } from './context.ts';
import { SpecificationError, type CreateServerOptions, type Logger } from './embedding.ts';
import { CommandFailure, databaseFailure } from './failure.ts';
import {
  formatProblem,
  requireSpecification,
  type SpecificationFile,
} from './files/specification.ts';

/** The context of a server in the process of an application. */
export function embeddedContext({
  folder = '.',
  environment = process.env,
  logger,
  memory,
}: CreateServerOptions): Context {
  const nothing = (): void => undefined;
  const never = new AbortController().signal;
  return {
    folder: resolve(folder),
    environment,
    clockAndIds: { now: () => new Date(), uuid: uuidv7 },
    memory: memory ?? Math.min(process.constrainedMemory() || Infinity, totalmem()),
    heapLimit: getHeapStatistics().heap_size_limit,
    stop: () => never,
    onHangup: nothing,
    // Rejections that nobody handles are those of the whole process.
    onLeak: nothing,
    log: logger === undefined ? 'none' : { write: (line) => logLine(logger, line) },
    output: {
      print: nothing,
      document: nothing,
      serving: nothing,
      note: (line) => {
        const level = /^Warning: | warning /u.test(line) ? 'warn' : 'info';
        logger?.[level]({}, line);
      },
      progress: (_title, work) => work(nothing),
      confirm: () => Promise.resolve(false),
      isInteractive: false,
      isTerminal: false,
    },
  };
}

/** Hands a line of the log on, which is JSON. */
function logLine(logger: Logger, line: string): void {
  const {
    level,
    time: _,
    msg = 'request',
    ...fields
  } = JSON.parse(line) as Record<string, unknown>;
  const method = level === 'error' || level === 'warn' ? level : 'info';
  logger[method](fields, String(msg));
}

/** The specification of a server, in a file or given itself. Its warnings go to the logger. */
export function readGiven(
  context: Context,
  { file, specification, folder = '.' }: CreateServerOptions,
): SpecificationFile {
  if (file !== undefined && specification !== undefined)
    throw new CommandFailure('Both file and specification are given. Give one of them.');
  const given =
    specification === undefined || typeof specification === 'string'
      ? specification
      : JSON.stringify(specification, null, 2);
  const named = given === undefined ? file : join(resolve(folder), 'plinth.yaml');
  const read = requireSpecification(context, { file: named }, { given });
  for (const warning of read.warnings) context.output.note(formatProblem(warning));
  return read;
}

/** Runs work; its errors become those of callers. */
export async function told<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw publicError(error);
  }
}

/** An error as the caller gets it: with all that the command line would print. */
export function publicError(error: unknown): unknown {
  const known = databaseFailure(error, 'file');
  if (!(known instanceof CommandFailure)) return known;
  const { problems } = known.data as { readonly problems?: unknown };
  const message = [...known.details, known.message].join('\n');
  return isProblems(problems)
    ? new SpecificationError(message, problems, known)
    : new Error(message, { cause: known });
}

function isProblems(value: unknown): value is readonly Problem[] {
  return (
    Array.isArray(value) &&
    value.every((one: unknown) => typeof one === 'object' && one !== null && 'severity' in one)
  );
}
