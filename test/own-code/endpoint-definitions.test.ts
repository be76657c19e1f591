import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineCode, endpoint } from '../../src/extensions/code.ts';
import { readEndpoints } from '../../src/extensions/endpoints/endpoint.ts';
import { readPattern, type Pattern } from '../../src/extensions/endpoints/pattern.ts';
import { RouteTable } from '../../src/extensions/endpoints/route-table.ts';
import { readSchema } from '../../src/extensions/endpoints/read-schema.ts';
import { buildValid } from '../support/api.ts';

const api = buildValid(`
resources:
  orders: { fields: { number: { type: string } } }
  tags: { fields: { id: { type: id, format: string } } }
`);

const handler = (): undefined => undefined;

async function problemsOf(endpoints: unknown): Promise<readonly string[]> {
  const problems: string[] = [];
  await readEndpoints(endpoints, api, (path, message, severity = 'error') =>
    problems.push(
      `${severity === 'error' ? '' : `${severity} `}${path.slice(1).join(' > ')}: ${message}`,
    ),
  );
  return problems;
}

test('endpoint gives the handler the types of its schemas', async () => {
  const { endpoints } = defineCode({
    endpoints: {
      'POST /a': endpoint({
        body: z.object({ token: z.string() }),
        query: z.object({ times: z.coerce.number().default(1) }),
        handler({ body, query, db }) {
          expectTypeOf(body).toEqualTypeOf<{ token: string }>();
          expectTypeOf(query).toEqualTypeOf<{ times: number }>();
          expectTypeOf(db.asOwner).not.toBeAny();
          return body.token.repeat(query.times);
        },
      }),
      'POST /bytes': endpoint({
        body: 'bytes',
        handler: ({ body }) => expectTypeOf(body).toEqualTypeOf<Uint8Array<ArrayBuffer>>(),
      }),
      'POST /form': endpoint({
        body: 'multipart',
        handler: ({ body }) => expectTypeOf(body).toEqualTypeOf<FormData>(),
      }),
      'POST /json': endpoint({
        body: { type: 'object', properties: { any: {} } },
        handler: ({ body }) => expectTypeOf(body).toBeAny(),
      }),
    },
  });
  expect(await problemsOf(endpoints)).toEqual([]);
});

describe('an endpoint is refused', () => {
  test.each([
    ['HEAD /a', handler, /HEAD is answered by the endpoint of GET/u],
    ['OPTIONS /a', handler, /OPTIONS is answered by itself/u],
    ['get /a', handler, /write a method and a path/u],
    ['GET a', handler, /write a method and a path/u],
    ['GET  /a', handler, /write a method and a path/u],
    ['GET /a b', handler, /write a method and a path/u],
    ['GET /', handler, /no empty segment/u],
    ['GET /a/', handler, /no empty segment/u],
    ['GET /a//b', handler, /no empty segment/u],
    ['GET /a/../b', handler, /the segment \.\./u],
    ['GET /a?b', handler, /the segment a\?b/u],
    ['GET /a/:', handler, /needs a name/u],
    ['GET /:x-y/a', handler, /needs a name/u],
    ['GET /v1/a', handler, /below the version; write `GET \/a`/u],
    ['GET /_batch', handler, /the service's own/u],
    ['GET /a/:x/:x', handler, /:x stands in it twice/u],
    ['GET /orders', handler, /the resource orders answers \/orders;/u],
    ['POST /orders/:id', handler, /the resource orders answers \/orders\/:id;/u],
    ['POST /orders/7', handler, /the resource orders answers \/orders\/:id;/u],
    ['GET /tags/stats', handler, /the resource tags answers \/tags\/:id;/u],
    ['GET /:anything', handler, /the resource orders answers \/orders;/u],
    ['GET /a', undefined, /takes a function, or an object with `handler`/u],
    ['GET /a', {}, /handler: it is missing/u],
    ['GET /a', { handler, acess: 'public' }, /acess: unknown key; did you mean access\?/u],
    ['GET /a', { handler, access: [] }, /access: it takes/u],
    ['GET /a', { handler, access: { role: 'x', where: 'a=b' } }, /access: it takes/u],
    ['GET /a', { handler, timeout: 'soon' }, /timeout: it takes a duration such as 20s/u],
    ['GET /a', { handler, timeout: 0 }, /timeout: it takes a duration/u],
    ['POST /a', { handler, bodyLimit: '5 apples' }, /bodyLimit: it takes a size/u],
    ['GET /a', { handler, body: {} }, /body: GET has no body/u],
    ['DELETE /a', { handler, body: 'text' }, /body: DELETE has no body/u],
    ['POST /a', { handler, body: 'json' }, /body: it takes a schema or one of 'bytes'/u],
    ['POST /a', { handler, body: 7 }, /body: it takes a JSON Schema/u],
    ['POST /a', { handler, body: { type: 'objekt' } }, /body: it is no JSON Schema: /u],
    ['POST /a', { handler, body: { typo: 'object' } }, /body: it is no JSON Schema: .*typo/u],
    ['GET /a', { handler, summary: 7 }, /summary: it takes a text/u],
  ])('%s %j', async (name, definition, message) => {
    const problems = await problemsOf({ [name]: definition });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  test('of the shape of another', async () => {
    expect(await problemsOf({ 'GET /a/:x': handler, 'GET /a/:y': handler })).toEqual([
      'GET /a/:y: it is the same as `GET /a/:x`',
    ]);
    expect(await problemsOf({ 'GET /a/:x': handler, 'POST /a/:y': handler })).toEqual([
      'POST /a/:y: its parameters are named otherwise in `GET /a/:x`; name them alike',
    ]);
  });

  test('all at once', async () => {
    const problems = await problemsOf({ 'GET /orders': {}, 'POST /a': { timeout: '' } });
    expect(problems).toHaveLength(3);
  });
});

test.each([
  'GET /orders/stats',
  'POST /orders/:id/pay',
  'GET /reports/:year',
  'DELETE /a/b.c~d-e',
  'PUT /a/:b/:c',
])('%s is taken', async (name) => {
  expect(await problemsOf({ [name]: handler })).toEqual([]);
});

test('a schema whose library gives no JSON Schema is a warning', async () => {
  const body = { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } };
  expect(await problemsOf({ 'POST /a': { handler, body } })).toEqual([
    expect.stringMatching(/^warning POST \/a > body: its library gives no JSON Schema/u),
  ]);
  const both = { schema: body, jsonSchema: { type: 'integer' } };
  expect(await problemsOf({ 'POST /a': { handler, body: both } })).toEqual([]);
});

function tableOf(...names: readonly string[]): RouteTable<Pattern> {
  return new RouteTable(names.map((name) => readPattern(name) as Pattern));
}

test.each([
  ['/reports/latest', 'GET', 'GET /reports/latest', {}],
  ['/reports/2026', 'GET', 'GET /reports/:year', { year: '2026' }],
  ['/reports/2026', 'HEAD', 'GET /reports/:year', { year: '2026' }],
  ['/reports/latest', 'POST', 'POST /reports/:year', { year: 'latest' }],
  ['/reports/latest/pdf', 'GET', 'GET /reports/latest/:form', { form: 'pdf' }],
  ['/reports/2026/all', 'GET', 'GET /reports/:year/all', { year: '2026' }],
  ['/reports/latest/all', 'GET', 'GET /reports/latest/:form', { form: 'all' }],
  ['/reports', 'GET', undefined, {}],
  ['/reports/', 'GET', undefined, {}],
  ['/reports/2026/other', 'GET', undefined, {}],
  ['/reports/2026', 'DELETE', undefined, {}],
])('%s %s is answered by %s', (path, method, name, params) => {
  const table = tableOf(
    'GET /reports/:year',
    'POST /reports/:year',
    'GET /reports/:year/all',
    'GET /reports/latest/:form',
    'GET /reports/latest',
  );
  const matched = table.find(path.slice(1).split('/'))?.byMethod.get(method);
  expect(matched?.endpoint.name).toBe(name);
  expect(matched?.params ?? {}).toEqual(params);
});

describe('a schema', () => {
  const json = {
    type: 'object',
    properties: {
      token: { type: 'string', minLength: 3 },
      email: { type: 'string', format: 'email' },
      kind: { enum: ['card', 'bill'] },
      lines: { type: 'array', items: { type: 'object', required: ['sku'] } },
    },
    required: ['token'],
    additionalProperties: false,
  };

  test.each([
    [{ token: 'abc' }, []],
    [{}, [{ field: 'token', message: 'is required' }]],
    [
      { token: 'a', x: 1 },
      [
        { field: 'x', message: 'is unknown' },
        { field: 'token', message: 'must NOT have fewer than 3 characters' },
      ],
    ],
    [{ token: 'abc', lines: [{}] }, [{ field: 'lines.0.sku', message: 'is required' }]],
    [{ token: 'abc', kind: 'cash' }, [{ field: 'kind', message: 'must be one of "card", "bill"' }]],
    [{ token: 'abc', email: 'x' }, [{ field: 'email', message: 'must match format "email"' }]],
    [7, [{ field: '', message: 'must be object' }]],
  ])('of JSON Schema judges %j', async (value, problems) => {
    const checked = await (await readSchema(json, 'input', false)).check(value);
    expect(checked.ok ? [] : checked.problems).toEqual(
      problems.map((problem) => expect.objectContaining(problem) as unknown),
    );
  });

  test('of a query makes of texts what it asks for', async () => {
    const schema = await readSchema(
      {
        type: 'object',
        properties: {
          year: { type: 'integer' },
          all: { type: 'boolean', default: false },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      'input',
      true,
    );
    expect(await schema.check({ year: '2026', tags: 'a' })).toEqual({
      ok: true,
      value: { year: 2026, all: false, tags: ['a'] },
    });
    expect(await schema.check({ year: 'x' })).toMatchObject({ ok: false });
  });

  test.each([
    ['an object', (standard: object) => ({ '~standard': standard })],
    ['a function', (standard: object) => Object.assign(() => 1, { '~standard': standard })],
  ])('of any library of Standard Schema checks: %s', async (_name, make) => {
    const own = make({
      version: 1,
      vendor: 'own',
      validate: async (value: unknown) =>
        value === 1
          ? { value: 'one' }
          : { issues: [{ message: 'no', path: ['a', { key: 0 }] }, { message: 'nor this' }] },
      jsonSchema: { input: () => ({ $schema: 'x', const: 1 }), output: () => ({ const: 'one' }) },
    });
    const schema = await readSchema(own, 'input', false);
    expect(schema.json).toEqual({ const: 1 });
    expect((await readSchema(own, 'output', false)).json).toEqual({ const: 'one' });
    expect(await schema.check(1)).toEqual({ ok: true, value: 'one' });
    expect(await schema.check(2)).toMatchObject({
      ok: false,
      problems: [
        { field: 'a.0', message: 'no', rule: 'custom' },
        { field: '', message: 'nor this' },
      ],
    });
  });

  test('of zod checks, changes the value, and says its JSON Schema', async () => {
    const schema = await readSchema(z.object({ token: z.string().trim() }), 'input', false);
    expect(await schema.check({ token: ' a ' })).toEqual({ ok: true, value: { token: 'a' } });
    expect(await schema.check({ token: 7 })).toMatchObject({
      ok: false,
      problems: [{ field: 'token' }],
    });
    expect(schema.json).toMatchObject({ type: 'object', required: ['token'] });
  });
});
