import type { Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Named } from '../files/specification.ts';

const mostWorkers = 64;

/** Flags that `dev` and `start` share. */
export interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
  /** Shows it in a browser. */
  readonly open?: true;
  /** Shows the stacks of errors. */
  readonly verbose?: true;
}

/** Flags of `plinth dev`; `start` has more. */
export interface DevFlags extends ServeFlags, Named {
  readonly database?: string;
  /** False for `--no-generate`. */
  readonly generate?: boolean;
}

/** The port of the flag, else of the environment. */
export function readPort(
  { environment }: Pick<Context, 'environment'>,
  flags: ServeFlags,
): number | undefined {
  const text = flags.port ?? environment['PLINTH_PORT'];
  if (text === undefined || (text === '' && flags.port === undefined)) return undefined;
  const port = /^\d{1,5}$/u.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  const source = flags.port === undefined ? 'PLINTH_PORT' : '--port';
  throw new CommandFailure(
    `The port must be a whole number from 0 to 65535, not ${JSON.stringify(text)}. Change ${source}.`,
    { exitCode: 2 },
  );
}

/** The number of processes that are to serve; one where nothing is said. */
export function readWorkers({ workers = '1' }: { readonly workers?: string }): number {
  const count = /^\d{1,2}$/u.test(workers) ? Number(workers) : 0;
  if (count >= 1 && count <= mostWorkers) return count;
  throw new CommandFailure(
    `The number of workers must be a whole number from 1 to ${mostWorkers}, not ${JSON.stringify(workers)}. Change --workers.`,
    { exitCode: 2 },
  );
}
