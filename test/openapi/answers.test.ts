import { describe, expect, test } from 'vitest';
import { errorTable } from '../../src/errors.ts';
import { at, documentOf, servedDocumentOf } from './documents.ts';
import { everything, guarded, versioned } from './specifications.ts';

const things = 'paths /api/v1/things';
const document = documentOf(everything);

function namesAt(all: typeof document, pointer: string): readonly string[] {
  return Object.keys((at(all, pointer) as object | undefined) ?? {}).toSorted();
}

const paging = ['Link', 'X-Limit', 'X-Next-Cursor', 'X-Page', 'X-Total-Count', 'X-Total-Pages'];
const always = [400, 403, 406, 408, 414, 429, 431, 500, 503, 504];
const writing = [409, 413, 415, 422];

/** Of each operation the statuses of its answers, of those that succeed with their headers besides X-Request-Id. */
const operations: readonly (readonly [
  string,
  Readonly<Record<number, readonly string[]>>,
  readonly number[],
])[] = [
  [
    ' get',
    {
      200: [...paging, 'ETag', 'Preference-Applied'],
      304: [...paging, 'ETag', 'Preference-Applied'],
    },
    always,
  ],
  [
    ' post',
    {
      200: ['ETag', 'Preference-Applied'],
      201: ['Location', 'ETag', 'Preference-Applied'],
    },
    [...always, ...writing],
  ],
  ['/{id} get', { 200: ['ETag'], 304: ['ETag'] }, [...always, 404]],
  ...['put', 'patch'].map(
    (method) =>
      [
        `/{id} ${method}`,
        { 200: ['ETag', 'Preference-Applied'], 204: ['ETag', 'Preference-Applied'] },
        [...always, ...writing, 404, 412],
      ] as const,
  ),
  ['/{id} delete', { 204: [] }, [...always, 404, 409, 412]],
];

describe('the answers of an operation', () => {
  const own = (
    all: typeof document,
    pointer: string,
    successes: (typeof operations)[number][1],
    more: readonly string[],
  ): void => {
    for (const [status, headers] of Object.entries(successes))
      expect(namesAt(all, `${pointer} responses ${status} headers`)).toEqual(
        [...new Set(['X-Request-Id', ...headers, ...more])].toSorted(),
      );
  };
  const statuses = (successes: object, errors: readonly number[]): readonly string[] =>
    [...Object.keys(successes), ...errors.map(String)].toSorted();

  test.each(operations)('%s', (name, successes, errors) => {
    const pointer = `${things}${name}`;
    expect(namesAt(document, `${pointer} responses`)).toEqual(statuses(successes, errors));
    own(document, pointer, successes, ['X-Debug']);
  });

  test.each(operations)('%s, for those who may debug', async (name, successes, errors) => {
    const debugged = await servedDocumentOf(everything, undefined, { isDebugOn: true });
    const pointer = `${things}${name}`;
    expect(namesAt(debugged, `${pointer} responses`)).toEqual(
      [...statuses(successes, errors), 'default'].toSorted(),
    );
    own(debugged, pointer, successes, []);
  });

  test.each(operations)('%s, of a version that ends', (name, successes, errors) => {
    const old = documentOf(versioned, 1);
    const pointer = `paths /v1/posts${name}`;
    expect(namesAt(old, `${pointer} responses`)).toEqual(
      [...statuses(successes, [...errors, 410]), 'default'].toSorted(),
    );
    own(old, pointer, successes, [
      'X-Debug',
      'RateLimit',
      'RateLimit-Policy',
      'Deprecation',
      'Sunset',
      'Link',
    ]);
  });

  test.each(operations)('%s, where there is auth', (name, successes, errors) => {
    expect(namesAt(documentOf(guarded), `paths /v1/drafts${name} responses`)).toEqual(
      statuses(successes, [...errors, 401]),
    );
  });
});

describe('an error', () => {
  const guardedOne = documentOf(guarded);
  const of = 'paths /v1/posts/{id} patch responses';
  // Messages of a database and simulated errors are in the documents of those that have them.
  const codes = Object.entries(errorTable).filter(
    ([code]) => code !== 'SIMULATED_ERROR' && code !== 'DATABASE_REFUSED',
  );
  const statuses = [...always, ...writing, 401, 404, 412];

  test.each(statuses)('%i has its codes, told in words, and an example', (status) => {
    const fit = codes.filter(([, error]) => error.status === status);
    const content = `${of} ${status} content application/json`;
    expect(at(guardedOne, `${content} schema allOf`)).toEqual([
      { $ref: '#/components/schemas/Error' },
      {
        type: 'object',
        properties: { status: { const: status }, code: { enum: fit.map(([code]) => code) } },
      },
    ]);
    expect(at(guardedOne, `${of} ${status} description`)).toBe(
      fit.map(([code, { about }]) => `- \`${code}\`: ${about}`).join('\n'),
    );
    expect(at(guardedOne, `${content} example`)).toMatchObject({ status, code: fit[0]?.[0] });
  });

  test.each([
    [401, ['WWW-Authenticate']],
    [429, ['Retry-After']],
    [503, ['Retry-After']],
    [504, ['Retry-After']],
    [404, []],
  ])('%i has the headers %j', (status, headers) => {
    expect(namesAt(guardedOne, `${of} ${status} headers`)).toEqual(
      ['RateLimit', 'RateLimit-Policy', 'X-Debug', 'X-Request-Id', ...headers].toSorted(),
    );
  });

  test('says what the contract names, and nothing else', () => {
    const error = 'components schemas Error';
    const needed = ['status', 'error', 'message', 'path', 'code', 'requestId'];
    expect(at(document, `${error} required`)).toEqual(needed);
    expect(at(document, `${error} additionalProperties`)).toBe(false);
    expect(namesAt(document, `${error} properties`)).toEqual(
      [
        ...needed,
        'validationErrors',
        'errors',
        'dependents',
        'count',
        'maxAffected',
        'operation',
      ].toSorted(),
    );
    expect(at(document, `${error} properties code enum`)).toEqual(Object.keys(errorTable));
  });
});
