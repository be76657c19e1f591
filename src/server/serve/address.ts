import { serverDefaults } from '../../specification/keys/server.ts';
import type { ServerSpecification } from '../../specification/specification.ts';
import type { Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';

const mostWorkers = 64;

/** The flags that say where to listen. */
export interface ListenFlags {
  readonly port?: string;
  readonly host?: string;
}

/** The port from the flag, or else from the environment. */
export function readPort(
  { environment }: Pick<Context, 'environment'>,
  flags: ListenFlags,
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

/** The number of worker processes; 1 by default. */
export function readWorkers({ workers = '1' }: { readonly workers?: string }): number {
  const count = /^\d{1,2}$/u.test(workers) ? Number(workers) : 0;
  if (count >= 1 && count <= mostWorkers) return count;
  throw new CommandFailure(
    `The number of workers must be a whole number from 1 to ${mostWorkers}, not ${JSON.stringify(workers)}. Change --workers.`,
    { exitCode: 2 },
  );
}

export interface Address {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Where to listen: from the flags, or else the environment, the specification and the defaults. */
export function listenAddress(
  context: Context,
  flags: ListenFlags,
  server: Pick<ServerSpecification, 'host' | 'port'> = {},
): Address {
  const named = [flags.host, context.environment['PLINTH_HOST'], server.host].find(
    (name) => name !== undefined && name !== '',
  );
  return {
    // A URL has an IPv6 address in brackets.
    host: named?.replace(/^\[(.+)\]$/u, '$1') ?? serverDefaults.host,
    port: readPort(context, flags) ?? server.port ?? serverDefaults.port,
  };
}

/** An error of listening as a failure of the command; any other error as it is. */
export function listenFailure(error: unknown, host: string, port: number): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const unknownHost = `The host ${host} is not known. Choose another with --host.`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is in use. Choose another with --port, or stop what uses it.`,
    EACCES: `Port ${port} may not be used by this user. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with --host.`,
    ENOTFOUND: unknownHost,
    EAI_AGAIN: unknownHost,
    EINVAL: unknownHost,
  };
  const isListening = syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo';
  const reason =
    reasons[code ?? ''] ??
    (isListening
      ? `The server cannot listen on ${host}, port ${port}: the system says ${code}. Choose another with --host or --port.`
      : undefined);
  return reason === undefined ? error : new CommandFailure(reason, { cause: error });
}

/** A host as a URL has it. For "every address of this machine" it is one that clients can use. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
