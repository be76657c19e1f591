import { specificationJsonSchema } from '../../src/model/load-specification.ts';
import { rateLimitDefaults } from '../../src/specification/keys/operation.ts';
import { databaseDefaults, serverDefaults } from '../../src/specification/keys/server.ts';
import { limitDefaults } from '../../src/specification/keys/limits.ts';
import { code, table } from './markdown.ts';

const limitAnswers: Readonly<Record<keyof typeof limitDefaults, string>> = {
  defaultLimit: '',
  maxLimit: '400 `LIMIT_EXCEEDED`',
  defaultDepth: '400 `DEPTH_EXCEEDED`',
  maxDepth: '400 `DEPTH_EXCEEDED`',
  expandedItems: 'the collection is cut, and `_pagination` says so',
  responseItems: '400 `LIMIT_EXCEEDED`, or collections are cut',
  exportItems: '400 `LIMIT_EXCEEDED`',
  inItems: '400 `LIMIT_EXCEEDED`',
  filters: '400 `LIMIT_EXCEEDED`',
  searchWords: '400 `LIMIT_EXCEEDED`',
  sorts: '400 `LIMIT_EXCEEDED`',
  groups: '400 `LIMIT_EXCEEDED`',
  pathDepth: '400 `LIMIT_EXCEEDED`',
  urlLength: '414 `URI_TOO_LONG`',
  batchItems: '400 `LIMIT_EXCEEDED`',
  bulkItems: '409 `TOO_MANY_AFFECTED`',
};

/** What no request and no server exceeds, as Markdown. */
export function limitReference(): string {
  const { properties = {} } = specificationJsonSchema() as {
    properties?: Record<string, { properties?: Record<string, { description?: string }> }>;
  };
  const about = (name: string): string =>
    properties['limits']?.properties?.[name]?.description ?? '';
  return [
    '# Limits',
    '',
    '<!-- Made from src/specification/keys by `npm run documents`. -->',
    '',
    'No request can exceed a limit. The error names the limit and its maximum.',
    '',
    '## Limits of a request',
    '',
    'Set them under `limits:` in the file.',
    '',
    ...table(
      ['`limits.`', 'default', 'what it bounds', 'beyond it'],
      Object.entries(limitDefaults).map(([name, value]) => [
        code(name),
        name === 'urlLength' ? sizeOf(value) : numberOf(value),
        about(name),
        limitAnswers[name as keyof typeof limitDefaults],
      ]),
    ),
    'In `filters` and `sorts`, each step of a path to many records counts for five more. Access rules are not bound by',
    '`limits`.',
    '',
    '## Bounds of the server',
    '',
    'Set them under `server:` and `database:`. With `--workers` each process has them.',
    '',
    ...table(
      ['key', 'default', 'what it bounds', 'beyond it'],
      [
        [
          '`server.bodyLimit`',
          sizeOf(serverDefaults.bodyLimit),
          'one body',
          '413 `BODY_TOO_LARGE`',
        ],
        [
          '`server.requestTimeout`',
          secondsOf(serverDefaults.requestTimeout),
          'the time in which a request must arrive; its head has 10 s',
          '408 `REQUEST_TIMEOUT`',
        ],
        [
          '`server.maxInFlight`',
          numberOf(serverDefaults.maxInFlight),
          'requests in progress',
          '503 `OVERLOADED`',
        ],
        [
          '`server.maxConnections`',
          numberOf(serverDefaults.maxConnections),
          'open connections',
          'closed at once',
        ],
        [
          '`server.memory`',
          '3/8 of the memory beyond 160 MiB, 16 MiB to 1 GiB',
          'bodies, rows and responses together',
          '503 `OVERLOADED`',
        ],
        [
          '`database.statementTimeout`',
          secondsOf(databaseDefaults.statementTimeout),
          'a read; on PostgreSQL also the transaction of a write',
          '504 `QUERY_TIMEOUT`',
        ],
        [
          '`database.poolSize`',
          numberOf(databaseDefaults.poolSize),
          'connections to PostgreSQL',
          'requests wait, then 503 `DATABASE_BUSY`',
        ],
        [
          '`rateLimit`',
          `${rateLimitDefaults.max} in ${secondsOf(rateLimitDefaults.window)} in \`start\`, none in \`dev\``,
          'requests of one caller',
          '429 `RATE_LIMITED`',
        ],
        [
          '`rateLimit.failures`',
          `${rateLimitDefaults.failures.max} in ${secondsOf(rateLimitDefaults.failures.window)}`,
          'failed logins of one address',
          '429 `RATE_LIMITED` for further failures',
        ],
      ],
    ),
    '## Fixed bounds',
    '',
    'These cannot be set.',
    '',
    ...table(
      ['what', 'bound', 'beyond it'],
      [
        ['levels of a body', '32', '400 `INVALID_BODY`'],
        ['links that a request names', '10,000', '400 `LIMIT_EXCEEDED`'],
        ['records that one delete reaches', '10,000, and 900 levels', '409 `DELETE_TOO_LARGE`'],
        [
          'text of `_like`, `_ilike`, `_nlike`, `_nilike`, `_startsWith`, `_endsWith`, `_ieq`',
          '1,000 characters',
          '400 `LIMIT_EXCEEDED`',
        ],
        ['records of one response together', 'about 128 MB', '400 `LIMIT_EXCEEDED`'],
        ['headers beside the URL', '16 KiB', '431 `HEADERS_TOO_LARGE`'],
        ['problems that one error lists', '10,000', 'the rest is left out'],
        ['an indexed value on PostgreSQL', 'about 2,600 bytes', '422 `INVALID_VALUE`'],
        ['one record of a file for `import`', '16 MiB', 'the import fails'],
        ['sandboxes at once', '50', '503 `SANDBOXES_FULL`'],
        ['an unused connection', '72 s', 'closed'],
        ['a client that reads nothing of a response', '60 s', 'disconnected'],
      ],
    ),
    'The exact rules are in [limits](../contract/4-errors-and-limits.md#limits), [overload](../contract/6-operation.md#overload)',
    'and [memory](../contract/6-operation.md#memory).',
    '',
  ].join('\n');
}

function numberOf(value: number): string {
  return value.toLocaleString('en');
}

function secondsOf(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / (1024 * 1024)} MiB`;
}
