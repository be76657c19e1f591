import { DatabaseFailure } from '../../databases/database.ts';
import type { Mode } from '../../http/edge/edge.ts';
import type { ServedApi } from '../../http/server/served-api.ts';
import { makeApiServer, type ApiServer, type ListenOptions } from '../../http/server/server.ts';
import type { Workers } from '../../http/server/workers.ts';
import type { DependencyEvent, TraceEvent } from '../../observability/events.ts';
import type { Context } from '../context.ts';
import type { OpenDatabase } from '../database/target.ts';
import { listenFailure } from './address.ts';
import { openLogAndTraces } from './log-and-traces.ts';
import type { Reload } from './versions.ts';

/** What only some servers have. */
export interface ComposeOptions {
  /** Tells the stacks of errors. */
  readonly isVerbose: boolean;
  /** Present if this process is one of several workers. */
  readonly worker?: { readonly isReporter: boolean; readonly workers: Workers } | undefined;
}

/** A server with its log, its traces and what follows its specification. */
export interface ComposedServer {
  readonly api: ApiServer;
  /** Resolves with the port. Fails with one sentence if the system refuses. */
  readonly listen: (options: ListenOptions) => Promise<number>;
  /** Ends the requests in flight, then everything but the database. See `ApiServer`. */
  readonly close: (drainDelay?: number) => Promise<void>;
}

/** Makes a server of an open database and the versions of `live`. */
export async function composeServer(
  context: Context,
  { database }: Pick<OpenDatabase, 'database'>,
  mode: Mode,
  live: Reload,
  { isVerbose, worker }: ComposeOptions,
): Promise<ComposedServer> {
  const { output, clockAndIds, memory, heapLimit } = context;
  const current = (): ServedApi => live.current;
  const note = (event: TraceEvent): void => output.note(noteOf(event, isVerbose));
  // All workers depend on the same things: one of them reports.
  const report = (event: DependencyEvent): void => {
    if (worker?.isReporter !== false) note(event);
  };
  const { readers, isLogged, close } = await openLogAndTraces(
    context,
    () => current().api,
    database,
    mode,
    report,
  );
  const api = makeApiServer(current, {
    clockAndIds,
    memory: Math.min(memory, heapLimit * heapShare),
    mode,
    readers,
    ...(worker === undefined ? {} : { workers: worker.workers }),
    trace: (event) => {
      // The log has failures with their request.
      if (event.kind === 'dependency') report(event);
      else if (!isLogged) note(event);
    },
  });
  return {
    api,
    listen: (options) =>
      api.listen(options).catch((error: unknown) => {
        throw listenFailure(error, options.host, options.port);
      }),
    close: async (drainDelay) => {
      await live.end();
      await api.close(drainDelay);
      await live.close();
      await close();
    },
  };
}

/** The process may take so many bytes for each byte of heap: two thirds of what requests hold are in the heap. */
const heapShare = 1.5;

function noteOf(event: TraceEvent, isVerbose: boolean): string {
  const { error } = event;
  if (event.kind === 'failure') {
    const what = `${event.method} ${event.path} failed (request ${event.requestId})`;
    const stack = error instanceof Error ? error.stack : undefined;
    return `${what}: ${isVerbose && stack !== undefined ? stack : sentence(error)}`;
  }
  if (error === undefined) return `The ${event.name} can be used again.`;
  return `Warning: the ${event.name} cannot be used now: ${reasonOf(error)}. ${meanwhile[event.name]}`;
}

const meanwhile: Readonly<Record<DependencyEvent['name'], string>> = {
  'signing keys': 'Tokens are checked with the keys known before, or else answered 503.',
  'trace collector': 'Traces are lost until it can.',
  'rate limit store': 'This server counts by itself until it can.',
};

/** The message of an error without its full stop. Errors of the network or a database have the reason in their cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const reason = cause instanceof Error ? cause.message || String(cause) : '';
  return (reason === '' ? message : `${message} (${reason})`).replace(/\.+$/u, '');
}

function sentence(error: unknown): string {
  const reason = reasonOf(error);
  return error instanceof DatabaseFailure
    ? `${reason}.`
    : `Unexpected error: ${reason}. Start it with --verbose for more.`;
}
