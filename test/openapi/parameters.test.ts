import { describe, expect, test } from 'vitest';
import { at, documentOf, sentParameters, servedDocumentOf, type Parameter } from './documents.ts';
import { everything, guarded } from './specifications.ts';

const options = { isDebugOn: true, hasSandboxes: true };
const document = documentOf(everything);
const debugged = await servedDocumentOf(everything, undefined, options);
const things = 'paths /api/v1/things';
const badges = 'paths /api/v1/errors';

/** The parameters of an operation that are the same for every resource. */
function shared(all: typeof document, pointer: string): readonly Parameter[] {
  const listed = at(all, `${pointer} parameters`) as readonly { readonly $ref?: string }[];
  return listed.flatMap(({ $ref }) =>
    $ref === undefined ? [] : [at(all, $ref.slice(2).replaceAll('/', ' ')) as Parameter],
  );
}

const selections = ['nulls', 'fields', 'exclude', 'expand', 'maxDepth'];
const groups = ['_and', '_or', '_not', 'group', 'aggregate', 'having'];
const debugs = ['_debug', '_trace', '_verbose', '_inspect', '_inspectNetwork'];

/** Of each operation the headers that it reads, and the reserved parameters. */
const operations: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    `${things} get`,
    ['If-None-Match', 'Prefer'],
    ['page', 'limit', 'offset', 'cursor', 'search', 'sort', ...selections, ...groups],
  ],
  [`${things} post`, ['Prefer', 'Idempotency-Key'], [...selections, 'onConflict']],
  [`${things}/{id} get`, ['If-None-Match'], ['sort', ...selections]],
  [`${things}/{id} put`, ['If-Match', 'If-None-Match', 'Prefer'], selections],
  [`${things}/{id} patch`, ['If-Match', 'If-None-Match', 'Prefer'], selections],
  [`${things}/{id} delete`, ['If-Match', 'If-None-Match'], []],
  // What has no relations has none to embed, nor a collection in it to sort.
  [`${badges}/{id} get`, ['If-None-Match'], ['fields', 'exclude']],
  [
    `${badges} get`,
    ['If-None-Match', 'Prefer'],
    [
      'page',
      'limit',
      'offset',
      'cursor',
      'search',
      'sort',
      'nulls',
      'fields',
      'exclude',
      ...groups,
    ],
  ],
];

describe('the headers and reserved parameters of an operation', () => {
  const named = (all: typeof document, pointer: string, place: string): readonly string[] =>
    shared(all, pointer).flatMap((one) => (one.in === place ? [one.name] : []));

  test.each(operations)('%s', (pointer, headers, parameters) => {
    expect(named(document, pointer, 'header').toSorted()).toEqual(headers.toSorted());
    expect(named(document, pointer, 'query').toSorted()).toEqual(parameters.toSorted());
  });

  test.each(operations)('%s, for those who may debug', (pointer, headers, parameters) => {
    const more = [...headers, 'X-Simulate', 'X-Sandbox'];
    expect(named(debugged, pointer, 'header').toSorted()).toEqual(more.toSorted());
    expect(named(debugged, pointer, 'query').toSorted()).toEqual(
      [...parameters, ...debugs].toSorted(),
    );
  });
});

const names = { style: 'form', explode: false, schema: { type: 'array' } };
const flag = { schema: { type: 'boolean' } };

describe('what a parameter takes', () => {
  const limited = documentOf(
    `limits: { maxLimit: 70, defaultLimit: 7, exportItems: 90, sorts: 3, maxDepth: 5, defaultDepth: 2, pathDepth: 6, batchItems: 11 }\n${everything}`,
  );
  test.each<[string, object]>([
    ['page', { schema: { type: 'integer', minimum: 1 } }],
    ['limit', { schema: { type: 'integer', minimum: 0, maximum: 90, default: 7 } }],
    ['limit', { description: expect.stringContaining('at most 70, as CSV and NDJSON at most 90') }],
    ['offset', { schema: { type: 'integer', minimum: 0 } }],
    ['cursor', { allowEmptyValue: true, schema: { type: 'string' } }],
    ['sort', { style: 'form', explode: false, schema: { type: 'array', maxItems: 3 } }],
    ['nulls', { schema: { type: 'string', enum: ['first', 'last'] } }],
    ['fields', names],
    ['exclude', names],
    ['expand', names],
    ['maxDepth', { schema: { type: 'integer', minimum: 1, maximum: 5, default: 2 } }],
    // Given again it is another group.
    ['_and', { style: 'form', explode: true, schema: { type: 'array' } }],
    ['_or', { style: 'form', explode: true, schema: { type: 'array' } }],
    ['_not', { style: 'form', explode: true, schema: { type: 'array' } }],
  ])('%s', (name, expected) => {
    const parameter = shared(limited, `${things} get`).find((one) => one.name === name);
    expect(parameter).toMatchObject(expected);
  });

  test.each<[string, object]>([
    ['_debug', { schema: { enum: ['false', 'true', 'plan'] } }],
    ['_trace', flag],
    ['_verbose', flag],
    ['_inspect', { schema: { pattern: '^data$' } }],
    ['_inspectNetwork', flag],
    ['X-Sandbox', { in: 'header', schema: { pattern: '^[A-Za-z0-9_-]{1,64}$' } }],
  ])('%s', (name, expected) => {
    const parameter = shared(debugged, `${things} get`).find((one) => one.name === name);
    expect(parameter).toMatchObject(expected);
  });

  test.each([
    ['latency=200,error=503', true],
    [' error=503 , latency=60000', true],
    ['latency=', false],
    ['speed=1', false],
    ['latency=1;error=2', false],
  ])('X-Simulate: %s', (value, isTaken) => {
    const parameter = shared(debugged, `${things} get`).find((one) => one.name === 'X-Simulate');
    expect(new RegExp(String(parameter?.schema['pattern']), 'u').test(value)).toBe(isTaken);
  });

  const own = sentParameters(limited, `${things} get`);
  test.each<[string, object]>([
    ['children.page', { schema: { type: 'integer', minimum: 1 } }],
    ['children.limit', { schema: { type: 'integer', minimum: 0, maximum: 70 } }],
    ['children.offset', { schema: { type: 'integer', minimum: 0 } }],
    ['children.sort', names],
    ['id', { style: 'form', explode: true, schema: { type: 'array', items: { type: 'integer' } } }],
    ['count', { schema: { type: 'integer' } }],
    ['count_in', { schema: { type: 'string' } }],
    ['count_gte', { schema: { type: 'integer' } }],
    ['count_exists', flag],
    ['count_null', flag],
    ['name_ilike', { schema: { type: 'string' } }],
    ['level', { schema: { type: 'string', enum: ['low', 'high'] } }],
    ['owner.name', { schema: { type: 'string' } }],
    ['specs.weight', { schema: { type: 'number' } }],
  ])('%s', (name, expected) => {
    expect(own.find((one) => one.name === name)).toMatchObject({ in: 'query', ...expected });
  });

  test('a pattern is looked for in values that are listed', () => {
    const kinds = documentOf(
      'resources: { a: { fields: { kind: { type: string, enum: [low, high] } } } }',
    );
    const listed = sentParameters(kinds, 'paths /v1/a get');
    const schemaOf = (name: string) => listed.find((one) => one.name === name)?.schema;
    expect(schemaOf('kind')).toEqual({ type: 'string', enum: ['low', 'high'] });
    expect(schemaOf('kind_like')).toEqual({ type: 'string' });
  });

  test('how many records a body may have', () => {
    const content = `${things} post requestBody content application/json schema anyOf 1`;
    expect(at(limited, content)).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/ThingCreate' },
      maxItems: 11,
    });
    for (const method of [' post', '/{id} put', '/{id} patch'])
      expect(at(limited, `${things}${method} requestBody required`)).toBe(true);
  });

  test.each([
    'Can be sorted by id, name,',
    'one with a comma or a double quote is written in double quotes',
    'owner.name',
    'Relations to expand: owner, parent, children, tags, labels, notes.',
    'at most 6 dots deep',
    'Members of free, extra are filtered by their path',
    'Groups for fields: @short.',
  ])('the description says of paths and names: %s', (part) => {
    expect(at(limited, `${things} get description`)).toContain(part);
  });
});

describe('the ways to say who one is', () => {
  const schemes = 'components securitySchemes';
  const keyed = guarded.replace(/ {2}jwt: .*\n/u, '');
  const tokened = guarded.replace(/ {2}apiKeys: .*\n/u, '');
  test.each<[string, string, unknown]>([
    ['tokens and keys', guarded, { bearerFormat: 'JWT', apiKey: 'header' }],
    ['keys alone', keyed, { bearerFormat: undefined, apiKey: 'header' }],
    ['tokens alone', tokened, { bearerFormat: 'JWT', apiKey: undefined }],
  ])('%s', (_, text, expected) => {
    const told = documentOf(text);
    const key = at(told, `${schemes} apiKey`) && at(told, `${schemes} apiKey in`);
    expect(at(told, `${schemes} bearer`)).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect({ bearerFormat: at(told, `${schemes} bearer bearerFormat`), apiKey: key }).toEqual(
      expected,
    );
  });
});

describe('where a document begins', () => {
  test.each<[string, string, unknown]>([
    ['what the file says of itself', 'info description', 'All that a file can say.'],
    ['the groups of operations', 'tags 0', { name: 'things', description: 'Of every type.' }],
    ['the group of an operation', `${things} get tags`, ['things']],
  ])('%s', (_, pointer, expected) => expect(at(document, pointer)).toEqual(expected));
});
