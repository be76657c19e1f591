import { isIP } from 'node:net';
import { list, map, object, required, scalarOrMap } from '../parsers/collections.ts';
import { consistent, exactly, mapped, refined, type Definition } from '../parsers/definition.ts';
import { settingNames } from '../parsers/names.ts';
import { boolean, choice, duration, integer, size, text } from '../parsers/scalars.ts';
import type { DatabaseSpecification, ServerSpecification } from '../specification.ts';
import { collation, webBase } from './common.ts';

/** The defaults, in ms and bytes. See docs/contract/6-operation.md#overload. */
export const serverDefaults = {
  host: '127.0.0.1',
  port: 4000,
  bodyLimit: 1024 * 1024,
  requestTimeout: 30_000,
  maxInFlight: 1_000,
  maxConnections: 20_000,
} as const;

export const databaseDefaults = {
  poolSize: 10,
  statementTimeout: 10_000,
  replicaLag: 10_000,
} as const;

/** For so long the positions of the primary are kept, in ms. */
const longestLag = 3_600_000;

const isPostgres = (url: string): boolean => /^postgres(ql)?:/u.test(url);

/** `replicas`. See docs/contract/6-operation.md#replicas. */
const replicas = list(
  text({
    expects: 'a URL such as postgres://host/name',
    pattern: /^postgres(ql)?:\/\/.+$/,
    examples: ['postgres://replica.example.com/shop'],
  }),
  {
    description:
      'Standbys of PostgreSQL that answer reads. A caller sees its own writes; what a replica cannot answer, the primary does.',
    minimum: 1,
  },
);

function databaseUrl(description?: string): Definition<string> {
  return text({
    ...(description === undefined ? {} : { description }),
    expects: 'a URL such as sqlite:data.db, sqlite::memory: or postgres://host/name',
    pattern: /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
    examples: ['sqlite:data.db', 'sqlite::memory:', 'postgres://localhost/shop'],
  });
}

/** Settings on which the service itself depends. */
const ownSettings: ReadonlySet<string> = new Set([
  'array_nulls',
  'bytea_output',
  'client_encoding',
  'datestyle',
  'default_transaction_isolation',
  'extra_float_digits',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'intervalstyle',
  'lc_monetary',
  'session_authorization',
  'standard_conforming_strings',
  'statement_timeout',
  'timezone',
  'transaction_deferrable',
  'transaction_isolation',
  'transaction_read_only',
  'transaction_timeout',
]);

/** A word in braces beside `{user}` and `{user.<claim>}`. */
const noClaim = /\{(?!user\}|user\.[\w./:@-]+\})[\w./:@-]*\}/u;

/** `session`. See docs/contract/8-existing-databases.md#sessions. */
const session = refined(
  map(settingNames, text({ allowEmpty: true }), {
    description:
      'Settings of PostgreSQL for the transactions of each caller, such as `role`: texts in which `{user}` is all claims as JSON and `{user.sub}` one claim. For row level security.',
    minimum: 1,
  }),
  (settings, report) => {
    for (const [name, value] of Object.entries(settings)) {
      if (ownSettings.has(name.toLowerCase()))
        report([name], `\`${name}\` is a setting that the service makes itself`);
      const [wrong] = noClaim.exec(value) ?? [];
      if (wrong !== undefined)
        report(
          [name],
          `\`${wrong}\` is no claim: {user} is all claims as JSON, and {user.sub} one claim, whose name has letters, digits and _ - . : / @`,
        );
    }
  },
);

/** `database`: an object, or just its URL. */
export const database = exactly<DatabaseSpecification>()(
  mapped(
    scalarOrMap(
      databaseUrl(),
      consistent(
        object({
          url: databaseUrl('Where the database is.'),
          poolSize: integer({
            description: 'Connections to PostgreSQL at most.',
            minimum: 1,
            maximum: 10_000,
            default: databaseDefaults.poolSize,
          }),
          statementTimeout: duration({
            description: 'The longest that a read may take, such as `10s`.',
            minimum: 1,
            default: databaseDefaults.statementTimeout,
          }),
          pooler: choice(['transaction'], {
            description:
              'For a pooler such as pgbouncer that gives a connection for one transaction only.',
          }),
          managed: boolean({
            description:
              'Whether Plinth creates and changes the tables; `false` serves existing ones as they are.',
            default: true,
          }),
          collation: collation(
            'How texts compare: by code point, or in the collation of each column; by default by code point where Plinth manages the table.',
          ),
          session,
          replicas,
          replicaLag: duration({
            description: 'By how much time a replica may be behind and still answer reads.',
            minimum: 1_000,
            default: databaseDefaults.replicaLag,
          }),
          messages: boolean({
            description:
              'Whether callers get the messages of errors that functions and triggers raise on purpose.',
            default: false,
          }),
          serviceSchema: text({
            description:
              'The schema of PostgreSQL with the tables of the service itself (`_plinth_…`); by default the first of the search path.',
            expects:
              'the name of a schema: at most 40 letters, digits and _, not beginning with pg_',
            pattern: /^(?!pg_)[A-Za-z_][A-Za-z0-9_]{0,39}$/,
          }),
        }),
        ['url', 'replicas', 'replicaLag'],
        ({ url, replicas: others = [], replicaLag }, report) => {
          if (others.length > 0 && url !== undefined && !isPostgres(url))
            report(['replicas'], 'only PostgreSQL has replicas, and `url` names SQLite');
          for (const [index, other] of others.entries())
            if (other === url) report(['replicas', index], 'this is `url`, the primary');
          if (replicaLag !== undefined && replicaLag > longestLag)
            report(['replicaLag'], 'it is an hour (`1h`) at most');
          if (others.length === 0 && replicaLag !== undefined)
            report(['replicaLag'], 'there are no `replicas` that could be behind');
        },
      ),
      {
        description: 'The database: a URL, or a map with `url` and how to use it.',
        expects: 'a URL such as sqlite:data.db or postgres://host/name, or a map with `url`',
      },
    ),
    (value) => (typeof value === 'string' ? { url: value } : value),
  ),
);

const proxy = refined(
  text({
    expects: 'an address or CIDR such as 10.0.0.0/8',
    pattern: /^[0-9A-Fa-f.:]+(\/\d{1,3})?$/,
  }),
  (value, report) => {
    const [address = '', bits] = value.split('/');
    const version = isIP(address);
    const fits = bits === undefined || Number(bits) <= (version === 4 ? 32 : 128);
    if (version === 0 || !fits)
      report([], `\`${value}\` is not an address or CIDR such as 10.0.0.0/8`);
  },
);

const host = text({
  expects: 'a host name such as example.com',
  pattern: /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?)(:\d{1,5})?$/,
});

const cors = consistent(
  object({
    origins: required(
      list(
        text({
          expects: 'an origin such as https://example.com, or *',
          pattern: /^(\*|https?:\/\/[^\s/?#*@]+)$/,
        }),
        { description: 'The origins that browsers may call from.', minimum: 1 },
      ),
    ),
    credentials: boolean({ description: 'Whether browsers may send credentials.', default: false }),
  }),
  ['origins', 'credentials'],
  ({ origins, credentials }, report) => {
    if (credentials === true && origins.includes('*')) {
      report(
        ['credentials'],
        'browsers send no credentials to an API that allows every origin (`*`)',
      );
    }
  },
);

/** `server`. See docs/contract/1-specification-file.md#top-level-keys and docs/contract/6-operation.md#https. */
export const server = exactly<ServerSpecification>()(
  object(
    {
      host: text({
        description: 'The address to listen on.',
        examples: ['127.0.0.1', '0.0.0.0'],
        default: serverDefaults.host,
      }),
      port: integer({
        description: 'The port; 0 takes a free one.',
        minimum: 0,
        maximum: 65_535,
        default: serverDefaults.port,
      }),
      tls: scalarOrMap(
        choice(['self-signed']),
        object({
          cert: required(text({ description: 'File with the certificate and its chain (PEM).' })),
          key: required(text({ description: 'File with the private key (PEM).' })),
        }),
        { description: 'HTTPS: files with certificate and key, or a certificate for development.' },
      ),
      trustProxy: list(proxy, {
        description: 'Addresses and CIDRs of the proxies whose `X-Forwarded-*` headers count.',
      }),
      plainHttp: list(proxy, {
        description:
          'Addresses and CIDRs of the clients that plain HTTP is served to, beside this machine.',
      }),
      publicUrl: webBase('The address under which clients reach the server; makes links absolute.'),
      allowedHosts: list(host, {
        description:
          'Host names that the server answers for, beside those of this machine; `start` answers for all if it is left out.',
      }),
      cors: scalarOrMap(boolean(), cors, {
        description:
          'Calls from web pages of other origins: `true` allows all, without credentials. If left out, `dev` allows pages of this machine, `start` none.',
      }),
      bodyLimit: size({
        description: 'The largest body.',
        minimum: 1,
        default: serverDefaults.bodyLimit,
      }),
      memory: size({
        description:
          'The memory that requests may hold together: bodies, rows, responses. By default 3/8 of what the process may use beyond 160 MiB.',
        minimum: 16 * 1024 * 1024,
      }),
      requestTimeout: duration({
        description: 'The longest that a request may take to arrive.',
        minimum: 1,
        default: serverDefaults.requestTimeout,
      }),
      maxInFlight: integer({
        description: 'Requests at once; more are answered 503.',
        minimum: 1,
        default: serverDefaults.maxInFlight,
      }),
      maxConnections: integer({
        description: 'Connections at once; more are closed as they come.',
        minimum: 1,
        default: serverDefaults.maxConnections,
      }),
      drainDelay: duration({
        description:
          'How long to stay reachable, but not ready, before stopping: 1s in `start`, 0 in `dev`.',
      }),
    },
    { description: 'How the server listens and what it takes.' },
  ),
);
