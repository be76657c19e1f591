import { resolve } from 'node:path';
import type { Encryption } from './encryption.ts';

/** The address of a PostgreSQL database, read from its URL. */
export interface PostgresAddress {
  /** `database on host:port`, for messages; parts that neither the URL nor the environment gives are left out. */
  readonly name: string;
  /** Options for the driver. Its defaults are this machine, the user of the process, and a database of that name. */
  readonly target: {
    readonly host?: readonly string[];
    readonly port?: readonly number[];
    /** The socket, if the host is its folder. */
    readonly path?: string;
    readonly user?: string;
    readonly pass?: string;
    readonly database?: string;
  };
  /** The value of `target_session_attrs`. */
  readonly sessions: SessionKind;
  readonly encryption: Encryption;
  /** Server settings of each session. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A URL that cannot be read, or asks for something unsupported. Its message is a sentence without the password. */
export class UnclearUrl extends Error {}

/** Defaults for parts that the URL leaves out: the environment variables of `psql`. */
export interface Surroundings {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The base of relative certificate paths. */
  readonly folder?: string;
}

/** Replaces the host in a URL with a user and no host, which only libpq accepts. */
const noHost = 'no-host.invalid';
/** The default port of PostgreSQL. */
export const defaultPort = 5432;

/** Server settings that have an environment variable. */
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
 * Reads a URL as libpq does. An invalid URL is rejected without showing any of it: if a password contains an
 * unescaped `@`, `/` or `#`, parts of it look like the host or the database.
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
  /** The value of a parameter, else the part before the `?`, else an environment variable. */
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
  // The service uses UTF-8; another encoding would garble texts.
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

/** The name of the database in messages. */
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
  // The spelling of other drivers.
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
    // With a root certificate, libpq treats `require` as `verify-ca`.
    mode: mode === 'require' && root !== undefined ? 'verify-ca' : mode,
    authority: root === undefined || root === 'system' ? undefined : resolve(folder, root),
    certificate,
    key,
    passphrase: wish('sslpassword'),
  };
}

/** The values of `target_session_attrs`. A URL names one server, so `prefer-standby` accepts any. */
export const sessionKinds = [
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const;

/** The servers that a session may be with. */
export type SessionKind = (typeof sessionKinds)[number];

/** What a server reports at the start of a session: `on` or `off`. A pooler may report neither. */
export interface ReportedSession {
  in_hot_standby?: string;
  default_transaction_read_only?: string;
}

/** Whether a server matches `target_session_attrs` by what it reported, as in libpq. */
const isOfKind: Readonly<Record<SessionKind, (standby?: string, readOnly?: string) => boolean>> = {
  any: () => true,
  'prefer-standby': () => true,
  primary: (standby) => standby !== 'on',
  standby: (standby) => standby !== 'off',
  'read-write': (standby, readOnly) => standby !== 'on' && readOnly !== 'on',
  'read-only': (standby, readOnly) => standby !== 'off' || readOnly !== 'off',
};

/** Why a server does not match `target_session_attrs`, by what it reported; undefined if it may match. */
export function sessionMismatch(kind: SessionKind, reported: ReportedSession): string | undefined {
  if (isOfKind[kind](reported.in_hot_standby, reported.default_transaction_read_only))
    return undefined;
  const writes = kind === 'standby' || kind === 'read-only' ? 'writes' : 'no writes';
  return `target_session_attrs is ${kind}, and it takes ${writes}`;
}

/**
 * The driver's own check, for poolers that report nothing. The driver accepts a standby for `read-write`, and rejects
 * a single primary for `prefer-standby`.
 */
export const driverCheck: Readonly<Partial<Record<SessionKind, string>>> = {
  primary: 'primary',
  'read-write': 'primary',
  standby: 'standby',
};
