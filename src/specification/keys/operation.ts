import { list, map, object, required, scalarOrMap } from '../parsers/collections.ts';
import {
  consistent,
  exactly,
  mapped,
  named,
  refined,
  type Definition,
} from '../parsers/definition.ts';
import { locale } from './common.ts';
import { routeNames } from '../parsers/names.ts';
import { boolean, choice, duration, integer, no, number, size, text } from '../parsers/scalars.ts';
import type {
  LoggingSpecification,
  NetworkSpecification,
  QuotaSpecification,
  RateLimitSpecification,
  Specification,
} from '../specification.ts';

/** The default rate limits, windows in ms. See docs/contract/5-access.md#rate-limits. */
export const rateLimitDefaults = {
  max: 300,
  window: 60_000,
  failures: { max: 10, window: 60_000 },
} as const;

const max = (fallback?: number) =>
  integer({
    description: 'Requests within the window.',
    minimum: 1,
    ...(fallback === undefined ? {} : { default: fallback }),
  });
const window = (fallback?: number) =>
  duration({
    description: 'How long the window is, such as `60s`.',
    minimum: 1,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

/** Omitted members are as in `defaults`, or as for all requests. */
function quota(description: string, defaults?: { readonly max: number; readonly window: number }) {
  return exactly<QuotaSpecification>()(
    object({ max: max(defaults?.max), window: window(defaults?.window) }, { description }),
  );
}

/** The store of counts. Messages do not show a URL, since it may contain a password. */
const store = refined(
  text({
    description: 'Where the counts are kept: `memory`, or a Redis that servers share.',
    expects: 'memory or a URL such as redis://host:6379',
    pattern: /^(memory|rediss?:\/\/.+)$/,
    default: 'memory',
  }),
  (written, report) => {
    if (written !== 'memory' && !isRedisAddress(written))
      report(
        [],
        '`store` is not a URL such as redis://:password@host:6379/0 that can be read; in the password, @ / # % are written %40 %2F %23 %25',
      );
  },
);

/** Whether the driver accepts a URL's password encoding and database number. */
function isRedisAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, username, password, pathname } = new URL(address);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return hostname !== '' && /^(?:\/\d*)?$/u.test(pathname);
}

/** `rateLimit`. See docs/contract/5-access.md#rate-limits. */
export const rateLimit = exactly<false | RateLimitSpecification>()(
  scalarOrMap(
    no(),
    object({
      max: max(rateLimitDefaults.max),
      window: window(rateLimitDefaults.window),
      store,
      perKey: quota('The quota of each subject or API key.'),
      perIp: quota('The quota of each client address.'),
      failures: quota('Failed logins of each client address.', rateLimitDefaults.failures),
      routes: map(
        routeNames,
        quota('The quota of each caller on this route, beside that of all its requests.'),
        {
          description:
            'Quotas by method and path below the version, such as `POST /orders`; `*` and `:id` stand for one segment.',
        },
      ),
    }),
    { description: 'How many requests a caller may make; `false` for no limit.' },
  ),
);

/** `logging`. See docs/contract/6-operation.md#logging. */
export const logging = exactly<LoggingSpecification>()(
  object(
    {
      enabled: boolean({ description: 'Whether anything is logged.', default: true }),
      level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        description: 'The least level that is logged.',
        default: 'info',
      }),
      format: choice(['json', 'pretty'], {
        description: '`json` for programs, `pretty` for people; by default `pretty` on a terminal.',
      }),
      includeHeaders: boolean({ description: 'Log the headers of requests.', default: false }),
      includeBodies: boolean({
        description: 'Log bodies and the values of parameters.',
        default: false,
      }),
      excludePatterns: list(text({ expects: 'a path or glob such as /_health' }), {
        description: 'Paths (globs) whose requests are not logged.',
        default: ['/_health', '/_ready', '/_metrics'],
      }),
      excludeHeaders: list(text({ expects: "a header's name" }), {
        description:
          'Headers that are not logged, in place of these; headers that carry credentials never are.',
        default: ['authorization', 'cookie', 'set-cookie', 'x-api-key'],
      }),
    },
    { description: 'What is logged, and how.' },
  ),
);

const latencyRange = consistent(
  object(
    {
      min: duration({ description: 'The shortest wait.' }),
      max: duration({ description: 'The longest wait.' }),
    },
    { description: 'A wait before each answer; a bare number is ms.' },
  ),
  ['min', 'max'],
  ({ min, max }, report) => {
    if (min !== undefined && max !== undefined && min > max) {
      report(['min'], `\`min\` (${min} ms) is over \`max\` (${max} ms)`);
    }
  },
);

/** `latency: 500` is short for `{ min: 500, max: 500 }`. */
const latency: Definition<NonNullable<NetworkSpecification['latency']>> = scalarOrMap(
  mapped(duration({ description: 'The wait before each answer.' }), (ms) => ({ min: ms, max: ms })),
  latencyRange,
  {
    description: 'A wait before each answer; a bare number is ms.',
    expects: 'a duration such as 500ms, or a map such as { min: 50, max: 200 }',
  },
);

/** `network` of the API and of a resource. See docs/contract/7-data-debug-dashboard.md#network-simulation. */
export const network = named(
  'network',
  exactly<NetworkSpecification>()(
    object(
      {
        latency,
        errorRate: number({
          description: 'The part of the requests that fail, from 0 to 1.',
          minimum: 0,
          maximum: 1,
        }),
        throttling: object(
          { rate: required(size({ description: 'Bytes a second.', minimum: 1 })) },
          { description: 'A slow line for the answers.' },
        ),
        seed: integer({
          description: 'The same seed gives the same waits and errors.',
          default: 1,
        }),
        errors: list(
          object({
            status: required(
              integer({ description: 'The status of the answer.', minimum: 400, maximum: 599 }),
            ),
            weight: number({ description: 'How often among the others.', over: 0, default: 1 }),
          }),
          { description: 'The errors to answer with; 500 if left out.', minimum: 1 },
        ),
      },
      {
        description: 'A simulated network: waits, errors and a slow line.',
        expects: 'a map such as { latency: 500 }',
      },
    ),
  ),
);

const until = refined(
  text({
    description:
      'The moment before which what is generated has happened: `now`, or a date; more of it lies shortly before. If left out, 2026-01-01, with the same dates whenever it is generated.',
    expects: 'now, or a date such as 2026-06-30',
    pattern: /^(now|\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?)$/,
  }),
  (written, report) => {
    if (written !== 'now' && Number.isNaN(Date.parse(written)))
      report([], `\`until\` is not a date: ${written}`);
  },
);

/** `generate` of the API. See docs/contract/7-data-debug-dashboard.md#generated-data. */
const generateMap = exactly<NonNullable<Specification['generate']>>()(
  object(
    {
      seed: integer({ description: 'The same seed gives the same data.', default: 1 }),
      locale: locale('The language of generated names and texts.', { default: 'en' }),
      until,
      count: integer({ description: 'Records of each resource.', minimum: 0, default: 25 }),
    },
    { description: 'How data is generated.' },
  ),
);

/** `generate: 50` is short for `generate: { count: 50 }`. */
export const generate: Definition<NonNullable<Specification['generate']>> = scalarOrMap(
  mapped(integer({ description: 'Records of each resource.', minimum: 0 }), (count) => ({ count })),
  generateMap,
  {
    description: 'How data is generated.',
    expects: 'a number of records such as 50, or a map such as { seed: 2, locale: de }',
  },
);
