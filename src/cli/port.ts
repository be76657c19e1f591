import type { Context } from './context.ts';
import { CommandFailure } from './failure.ts';

/** Flags that `dev` and `start` share. */
export interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
  /** Shows it in a browser. */
  readonly open?: true;
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
