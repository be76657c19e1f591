import { errorTable, type ErrorCode } from '../../errors.ts';
import type { Api, Version } from '../../model/api.ts';
import { nodeHttp } from '../../lib/node-http.ts';
import type { RequestKind } from '../../query/request/parameters.ts';
import { debugMembers } from './debug.ts';
import { ref, type JsonSchema } from './schema.ts';

const codes = Object.keys(errorTable) as readonly ErrorCode[];

/**
 * The statuses of the errors that each kind of request may end with. See
 * docs/contract/4-errors-and-limits.md#order-of-checks.
 */
const always = [400, 401, 403, 406, 408, 414, 429, 431, 500, 503, 504] as const;
const writing = [409, 413, 415, 422] as const;
const statusesOf: Readonly<Record<RequestKind, readonly number[]>> = {
  list: always,
  read: [...always, 404],
  create: [...always, ...writing],
  replace: [...always, ...writing, 404, 412],
  update: [...always, ...writing, 404, 412],
  delete: [...always, 404, 409, 412],
  updateMany: [...always, ...writing],
  deleteMany: [...always, 409],
};

/** `404` → `NotFound`: the reason phrase as the name of a component. */
function componentOf(status: number): string {
  const words = (nodeHttp.STATUS_CODES[status] ?? 'Error').match(/[a-z]+/giu) ?? [];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/**
 * The errors of an operation, by status. `asksWho`: it may be refused for want of credentials; `hasSunset`: the version ends at a
 * day that is known; `isSimulated`: requests may be answered with errors of any status, as with `isRaised`, where the database
 * raises them, and for writes with `hasCode`, where hooks do; `mayLackKeys`: there may be no table for Idempotency-Keys.
 */
export function errorsOf(
  kind: RequestKind,
  {
    asksWho,
    hasSunset,
    isSimulated,
    isRaised,
    hasCode,
    mayLackKeys = false,
  }: {
    readonly asksWho: boolean;
    readonly hasSunset: boolean;
    readonly isSimulated: boolean;
    readonly isRaised: boolean;
    readonly hasCode: boolean;
    readonly mayLackKeys?: boolean;
  },
): Readonly<Record<string, JsonSchema>> {
  const statuses = [
    ...statusesOf[kind].filter((status) => asksWho || status !== 401),
    ...(hasSunset ? [410] : []),
    ...(mayLackKeys ? [501] : []),
  ].sort((a, b) => a - b);
  const isOfHooks = hasCode && kind !== 'list' && kind !== 'read';
  const other = isOfHooks
    ? 'CodeError'
    : isSimulated
      ? 'SimulatedError'
      : isRaised
        ? 'DatabaseError'
        : undefined;
  return {
    ...Object.fromEntries(
      statuses.map((status) => [String(status), ref(`responses/${componentOf(status)}`)]),
    ),
    ...(other === undefined ? {} : { default: ref(`responses/${other}`) }),
  };
}

/**
 * The error answers that operations share, by the names that `errorsOf` refers to; `common` are headers of all. A
 * simulated error, and one that the database raises, may have any of their statuses.
 */
export function errorResponses(
  common: JsonSchema,
  isSimulated: boolean,
  isRaised: boolean,
  hasCode: boolean,
): Readonly<Record<string, JsonSchema>> {
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))].sort((a, b) => a - b);
  return {
    ...Object.fromEntries(
      statuses.map((status) => [
        componentOf(status),
        errorResponse(status, common, isSimulated, isRaised, hasCode),
      ]),
    ),
    SimulatedError: {
      description: 'An error of the network simulation.',
      headers: common,
      content: { 'application/json': { schema: ref('schemas/Error') } },
    },
    CodeError: {
      description: 'An error that own code answers with.',
      headers: common,
      content: { 'application/json': { schema: ref('schemas/Error') } },
    },
    DatabaseError: {
      description: 'An error that the database raises, with a status of its own.',
      headers: common,
      content: { 'application/json': { schema: ref('schemas/Error') } },
    },
  };
}

function errorResponse(
  status: number,
  common: JsonSchema,
  isSimulated: boolean,
  isRaised: boolean,
  hasCode: boolean,
): JsonSchema {
  const own = codes.filter(
    (code) =>
      errorTable[code].status === status &&
      (isSimulated || code !== 'SIMULATED_ERROR') &&
      (isRaised || code !== 'DATABASE_REFUSED'),
  );
  const all = [
    ...new Set<ErrorCode>([
      ...own,
      ...(isSimulated ? (['SIMULATED_ERROR'] as const) : []),
      ...(isRaised ? (['DATABASE_REFUSED'] as const) : []),
    ]),
  ];
  const [first] = own;
  const lines = own.map((code) => `- \`${code}\`: ${errorTable[code].about}`);
  return {
    description: lines.join('\n'),
    headers: {
      ...common,
      ...(status === 401
        ? {
            'WWW-Authenticate': {
              description: 'How to say who one is.',
              schema: { type: 'string' },
            },
          }
        : {}),
      ...(status === 429 || status >= 503 || (hasCode && status === 409)
        ? headerRef('Retry-After', 'RetryAfter')
        : {}),
      ...(status === 429 ? quota : {}),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [
            ref('schemas/Error'),
            {
              type: 'object',
              properties: {
                status: { const: status },
                // Own code refuses requests with codes of its own.
                ...(hasCode && status < 500 ? {} : { code: { enum: all } }),
              },
            },
          ],
        },
        ...(first === undefined
          ? {}
          : {
              example: {
                status,
                error: nodeHttp.STATUS_CODES[status],
                message: errorTable[first].about,
                path: '/',
                code: first,
                requestId: '00000000-0000-4000-8000-000000000000',
              },
            }),
      },
    },
  };
}

/** The quota that is left, on every answer where there is a rate limit. */
const quota: JsonSchema = {
  RateLimit: ref('headers/RateLimit'),
  'RateLimit-Policy': ref('headers/RateLimitPolicy'),
};

/** What every answer of a version has. `X-Debug` is there where debug parameters are off. */
export function commonHeaders({
  api,
  version: { deprecated, sunset },
  isDebugOn,
}: {
  readonly api: Api;
  readonly version: Version;
  readonly isDebugOn: boolean;
}): JsonSchema {
  const isGoing = deprecated !== undefined || sunset !== undefined;
  return {
    ...headerRef('X-Request-Id', 'RequestId'),
    ...(api.settings.rateLimit === false ? {} : quota),
    ...(deprecated === undefined ? {} : headerRef('Deprecation', 'Deprecation')),
    ...(sunset === undefined ? {} : headerRef('Sunset', 'Sunset')),
    ...(isGoing ? headerRef('Link', 'Link') : {}),
    ...(isDebugOn ? {} : headerRef('X-Debug', 'Debug')),
    ...(api.settings.database?.replicas === undefined ? {} : { 'Plinth-Position': position }),
  };
}

/** Only where there are replicas: no other document has it. */
const position: JsonSchema = {
  description: 'On the answer to a write: its position, which a later request may send.',
  schema: { type: 'string' },
};

export function headerRef(name: string, component: string): JsonSchema {
  return { [name]: ref(`headers/${component}`) };
}

/** The body of every error. */
export function errorSchema(isDebugOn: boolean, hasCode: boolean): JsonSchema {
  const text = { type: 'string' };
  const list = (second: string): JsonSchema => ({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        field: text,
        [second]: text,
        rule: ref('schemas/ProblemRule'),
        params: ref('schemas/ProblemParams'),
      },
      required: ['field', second, 'rule', 'params'],
      additionalProperties: false,
    },
  });
  return {
    type: 'object',
    description: 'What every error says.',
    properties: {
      status: { type: 'integer' },
      error: { ...text, description: 'The reason phrase of the status.' },
      message: { ...text, description: 'What is wrong, for people.' },
      path: text,
      code: hasCode
        ? { ...text, description: 'What is wrong, for programs; own code of the API adds others.' }
        : { ...text, enum: codes, description: 'What is wrong, for programs.' },
      requestId: { ...text, description: 'The id under which the log has it, as in X-Request-Id.' },
      validationErrors: {
        ...list('error'),
        description: 'With 400: the parameters or fields to blame.',
      },
      errors: { ...list('message'), description: 'With 422: the fields to blame.' },
      dependents: {
        type: 'array',
        description: 'With HAS_DEPENDENTS: the records that need this one.',
        items: {
          type: 'object',
          properties: { resource: text, count: { type: 'integer' } },
          required: ['resource', 'count'],
          additionalProperties: false,
        },
      },
      count: {
        type: 'integer',
        description: 'With TOO_MANY_AFFECTED: how many records match.',
      },
      operation: {
        type: 'integer',
        description: 'In a batch: the number of the operation that failed, from 0.',
      },
      maxAffected: {
        type: 'integer',
        description: 'With TOO_MANY_AFFECTED: how many may match.',
      },
      ...(isDebugOn ? debugMembers : {}),
    },
    required: ['status', 'error', 'message', 'path', 'code', 'requestId'],
    additionalProperties: false,
  };
}

const text = { type: 'string' };
const integer = { type: 'integer', minimum: 0 };

/** The headers of answers, by the name of their component. */
export const responseHeaders: Readonly<Record<string, JsonSchema>> = {
  RequestId: {
    description: 'The id under which the log has the request.',
    required: true,
    schema: text,
  },
  ETag: {
    description: 'The entity tag of what is shown, for If-None-Match and If-Match.',
    schema: text,
  },
  Location: { description: 'The path of the new record.', schema: text },
  Link: {
    description:
      'The pages around this one: first, prev, next, last. Of a deprecated version also what takes its place.',
    schema: text,
  },
  TotalCount: {
    description: 'How many records there are; not with Prefer: count=none.',
    schema: integer,
  },
  TotalPages: {
    description: 'How many pages there are; not with Prefer: count=none.',
    schema: integer,
  },
  PageNumber: { description: 'The number of this page; not behind a cursor.', schema: integer },
  PageLimit: { description: 'How many records a page has.', required: true, schema: integer },
  NextCursor: { description: 'The cursor of what follows, where more follows.', schema: text },
  PreferenceApplied: { description: 'Which preference was followed.', schema: text },
  Debug: {
    description: '`disabled` where debug parameters were sent, and ignored.',
    schema: { ...text, const: 'disabled' },
  },
  RetryAfter: { description: 'After how many seconds to try again.', schema: integer },
  RateLimit: { description: 'What is left of the quota.', schema: text },
  RateLimitPolicy: { description: 'The quota.', schema: text },
  Deprecation: { description: 'Since when the version is deprecated (RFC 9745).', schema: text },
  Sunset: { description: 'When the version ends (RFC 8594).', schema: text },
};
