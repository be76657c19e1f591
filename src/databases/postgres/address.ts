import { resolve } from 'node:path';
import type { Encryption } from './encryption.ts';
import { sessionKinds, type SessionKind } from './sessions.ts';

/** Where a PostgreSQL database is, as its URL says. */
export interface PostgresAddress {
  /** `database on host:port`, for messages; what neither the URL nor the environment says is left out. */
  readonly name: string;
  /** What the driver is told; what is left out it fills in: this machine, who runs the program, and a database of that name. */
  readonly target: {
    readonly host?: readonly string[];
    readonly port?: readonly number[];
    /** The socket, where the host is the folder that it is in. */
    readonly path?: string;
    readonly user?: string;
    readonly pass?: string;
    readonly database?: string;
  };
  /** Which server a session may be with. */
  readonly sessions: SessionKind;
  readonly encryption: Encryption;
  /** Settings of the server that a session begins with. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A URL that cannot be read, or asks for what there is not. Its message is a sentence that shows no password. */
export class UnclearUrl extends Error {}

/** What the URL leaves out is taken from here: the variables of `psql`. */
export interface Surroundings {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Relative paths of certificates start here. */
  readonly folder?: string;
}

/** What stands in for the host where a URL has a user and no host, which is a URL to libpq alone. */
const noHost = 'no-host.invalid';
/** Where PostgreSQL listens if nobody says otherwise. */
export const defaultPort = 5432;

/** Settings of the server that have a variable. */
const settingVariables = [
  ['application_name', 'PGAPPNAME'],
  ['options', 'PGOPTIONS'],
] as const;

const modes: Readonly<Record<string, Encryption['mode']>> = {
  disable: 'disable',
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
};

/**
 * Reads a URL as libpq does. One that is written badly is refused without any of it being shown: with `@`, `/` or `#` left
 * as they are in a password, parts of it would be taken for the host or the name of the database.
 */
export function readPostgresUrl(url: string, surroundings: Surroundings = {}): PostgresAddress {
  try {
    return read(url, surroundings);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new UnclearUrl(
      'The URL of the PostgreSQL database cannot be read. Write postgres://user:password@host:port/name; in the password, write characters such as @ / # % as %40 %2F %23 %25.',
      { cause: error },
    );
  }
}

function read(url: string, surroundings: Surroundings): PostgresAddress {
  const parsed = URL.parse(url.replace(/^(\w+:\/\/[^/?#@]*@)(?=[:/?]|$)/u, `$1${noHost}`));
  const path = parsed?.pathname.slice(1) ?? '';
  if (parsed === null || parsed.hash !== '' || /[@/]/u.test(path))
    throw new URIError('The URL is not clear');
  const said = new Map(parsed.searchParams);
  const { environment = {} } = surroundings;
  /** What a parameter says, else what stands before the `?`, else a variable. */
  const take = (parameter: string, before: string, variable: string): string => {
    const value = said.get(parameter) ?? decodeURIComponent(before);
    said.delete(parameter);
    return value || (environment[variable] ?? '');
  };
  const hostname = parsed.hostname === noHost ? '' : parsed.hostname;
  const host = take('host', hostname.replace(/^\[(.+)\]$/u, '$1'), 'PGHOST');
  const port = readPort(take('port', parsed.port, 'PGPORT'));
  const user = take('user', parsed.username, 'PGUSER');
  const pass = take('password', parsed.password, 'PGPASSWORD');
  const database = take('dbname', path, 'PGDATABASE');
  const asked = take('target_session_attrs', '', 'PGTARGETSESSIONATTRS') || 'any';
  const sessions = sessionKinds.find((kind) => kind === asked);
  if (sessions === undefined)
    throw new UnclearUrl(
      `There is no target_session_attrs ${JSON.stringify(asked)}. Write ${sessionKinds.join(', ')}.`,
    );
  for (const [setting, variable] of settingVariables) {
    const value = take(setting, '', variable);
    if (value !== '') said.set(setting, value);
  }
  // Both sides of the connection speak UTF-8; in another one each text would be written as others do not read it.
  said.delete('client_encoding');
  const encryption = readEncryption(take, surroundings.folder);
  const socket = host.startsWith('/') ? `${host}/.s.PGSQL.${port ?? defaultPort}` : undefined;
  return {
    name: nameOf(host, port, database || user),
    target: {
      ...(host === '' ? {} : { host: [host] }),
      port: [port ?? defaultPort],
      ...(socket === undefined ? {} : { path: socket }),
      ...(user === '' ? {} : { user }),
      ...(pass === '' ? {} : { pass }),
      ...(database === '' ? {} : { database }),
    },
    sessions,
    encryption,
    settings: Object.fromEntries(said),
  };
}

/** What messages call the database, so that it is told which one was meant. */
function nameOf(host: string, port = defaultPort, database = ''): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${database || 'PostgreSQL'}${host === '' ? '' : ` on ${shown}:${port}`}`;
}

function readPort(text: string): number | undefined {
  if (text === '') return undefined;
  const port = Number(text);
  if (!/^\d+$/u.test(text) || port < 1 || port > 65_535)
    throw new UnclearUrl(
      'There is no such port of PostgreSQL. In its URL, or in PGPORT, write a number from 1 to 65535.',
    );
  return port;
}

function readEncryption(
  take: (parameter: string, before: string, variable: string) => string,
  folder = '',
): Encryption {
  const wish = (parameter: string): string | undefined =>
    take(parameter, '', `PG${parameter.toUpperCase()}`) || undefined;
  const file = (parameter: string): string | undefined => {
    const path = wish(parameter);
    return path === undefined ? undefined : resolve(folder, path);
  };
  // So other drivers write it.
  const short = take('ssl', '', '') === 'true' ? 'require' : 'disable';
  const root = wish('sslrootcert');
  const said = wish('sslmode') ?? (root === 'system' ? 'verify-full' : short);
  const mode = Object.hasOwn(modes, said) ? modes[said] : undefined;
  if (mode === undefined)
    throw new UnclearUrl(
      `There is no sslmode ${JSON.stringify(said)}. Write disable, prefer, require, verify-ca or verify-full.`,
    );
  const [certificate, key] = [file('sslcert'), file('sslkey')];
  if ((certificate === undefined) !== (key === undefined))
    throw new UnclearUrl(
      'Of sslcert and sslkey, the URL of the PostgreSQL database names one alone. Name both.',
    );
  return {
    // With an authority, libpq takes "require" for more than it says.
    mode: mode === 'require' && root !== undefined ? 'verify-ca' : mode,
    authority: root === undefined || root === 'system' ? undefined : resolve(folder, root),
    certificate,
    key,
    passphrase: wish('sslpassword'),
  };
}
