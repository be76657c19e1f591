import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { LoadedCode } from '../../src/extensions/load.ts';
import type { Api } from '../../src/model/api.ts';
import { clientSource } from '../../src/openapi/client/client.ts';
import { openApiDocument } from '../../src/openapi/document/document.ts';
import { buildValid, codeFor } from '../support/api.ts';
import { launch } from '../support/command.ts';
import { compiled, node } from '../support/compiled.ts';
import { fullView } from '../support/openapi.ts';

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}

const tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(tree) }));

const handler = (): undefined => undefined;

/** A Standard Schema of a library that gives no JSON Schema. */
const untold = { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } };

let api: Api;
let code: LoadedCode;
beforeAll(async () => {
  api = buildValid(
    `code: ./api.ts
auth: { apiKeys: [{ name: a, hash: "sha256:${'0'.repeat(64)}", roles: [clerk] }] }
access: public
resources: { orders: { fields: { name: { type: string } } } }`,
  );
  code = await codeFor(
    {
      endpoints: {
        'POST /orders/:id/pay': {
          summary: 'Pay an order',
          description: 'Takes the money.',
          access: 'clerk',
          body: z.object({ token: z.string(), kind: z.enum(['card', 'bill']).optional() }),
          response: z.object({ paid: z.boolean() }),
          handler,
        },
        'GET /reports/:year': {
          query: {
            type: 'object',
            properties: { all: { type: 'boolean' }, top: { type: 'integer', minimum: 1 } },
            required: ['top'],
          },
          handler,
        },
        'POST /trees': { body: tree, handler },
        'PUT /files/:name': { body: 'bytes', handler },
        'POST /forms': { body: 'multipart', handler },
        'GET /ping': handler,
        'POST /untold': { body: untold, response: untold, handler },
      },
    },
    api,
  );
});

function viewOf() {
  const version = api.versions.get(api.defaultVersion);
  if (version === undefined) throw new TypeError('There is no version');
  return fullView(api, version);
}

test('OpenAPI has the endpoints', () => {
  const { paths, tags, components } = openApiDocument(viewOf(), { endpoints: code.endpoints });
  expect(paths['/v1/orders/{id}/pay']?.['post']).toMatchObject({
    operationId: 'postOrdersIdPay',
    summary: 'Pay an order',
    description: 'Takes the money.',
    tags: ['orders'],
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    requestBody: {
      content: { 'application/json': { schema: { type: 'object', required: ['token'] } } },
    },
    responses: {
      200: { content: { 'application/json': { schema: { required: ['paid'] } } } },
      default: { $ref: '#/components/responses/CodeError' },
    },
  });
  expect(paths['/v1/reports/{year}']?.['get']).toMatchObject({
    tags: ['_endpoints'],
    security: [{}, { bearer: [] }, { apiKey: [] }],
    parameters: [
      { name: 'year', in: 'path' },
      { name: 'all', in: 'query', required: false, schema: { type: 'boolean' } },
      { name: 'top', in: 'query', required: true, schema: { type: 'integer' } },
    ],
  });
  expect(paths['/v1/files/{name}']?.['put']?.['requestBody']).toEqual({
    required: true,
    content: { '*/*': { schema: {} } },
  });
  expect(paths['/v1/untold']?.['post']).toMatchObject({
    requestBody: { content: { 'application/json': { schema: {} } } },
    responses: { 200: { content: { 'application/json': { schema: {} } } } },
  });
  expect(tags).toContainEqual({ name: '_endpoints', description: 'Endpoints of own code.' });
  expect(components['responses']).toHaveProperty('CodeError');
});

test('a schema that refers to itself is a component', () => {
  const { paths, components } = openApiDocument(viewOf(), { endpoints: code.endpoints });
  expect(paths['/v1/trees']?.['post']?.['requestBody']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/_PostTreesBody' } } },
  });
  expect(JSON.stringify(components['schemas']?.['_PostTreesBody'])).toContain(
    '"#/components/schemas/_PostTreesBody',
  );
});

const program = `
import { createClient, type Api } from './client.ts';

const sent: unknown[] = [];
const api = createClient({
  baseUrl: 'http://localhost',
  fetch: async (url, init) => {
    const { method, headers, body } = init ?? {};
    sent.push([method, String(url), new Headers(headers).get('content-type'), body instanceof FormData ? 'form' : body]);
    if (String(url).endsWith('/ping'))
      return new Response('{"n":1}\\n', { headers: { 'content-type': 'application/x-ndjson' } });
    return new Response('{"paid":true}', { headers: { 'content-type': 'application/json' } });
  },
});

const { paid } = await api.call('POST /orders/:id/pay', { params: { id: '1/2' }, body: { token: 'a', kind: 'card' } });
const isPaid: boolean = paid;
await api.call('GET /reports/:year', { params: { year: 2026 }, query: { top: 3, all: true } });
await api.call('POST /trees', { body: { name: 'a', children: [] } });
await api.call('POST /forms', { body: new FormData() });
await api.call('PUT /files/:name', { params: { name: 'a' }, body: new Uint8Array([1]), headers: { 'x-a': 'b' } });
const answer = await api.call('GET /ping');
export const untold = (): Promise<unknown> => api.call('POST /untold', { body: new Date() });
// @ts-expect-error -- Nothing is known of it.
export const told = async (): Promise<string> => api.call('POST /untold', { body: 1 });
const lines = await (answer as Response).text();
console.log(JSON.stringify([isPaid, lines, sent]));

type Called = Api['client'];
export const check = (client: Called): void => {
  // @ts-expect-error -- There is no such endpoint.
  void client.call('GET /pong');
  // @ts-expect-error -- The body is missing.
  void client.call('POST /orders/:id/pay', { params: { id: 1 } });
  // @ts-expect-error -- The kind is none of these.
  void client.call('POST /orders/:id/pay', { params: { id: 1 }, body: { token: 'a', kind: 'cash' } });
  // @ts-expect-error -- The parameter of the path is missing.
  void client.call('GET /reports/:year', { query: { top: 1 } });
  // @ts-expect-error -- A parameter that is needed is missing.
  void client.call('GET /reports/:year', { params: { year: 1 } });
};
`;

test('the typed client calls endpoints', async () => {
  const client = clientSource(viewOf(), code.endpoints);
  const { path, problems } = await compiled({ 'client.ts': client, 'program.ts': program });
  expect(problems).toBe('');
  const { out, err } = await launch(node, [join(path, 'program.ts')], { cwd: path }).ended;
  expect(err).toBe('');
  expect(JSON.parse(out)).toEqual([
    true,
    '{"n":1}\n',
    [
      [
        'POST',
        'http://localhost/v1/orders/1%2F2/pay',
        'application/json',
        '{"token":"a","kind":"card"}',
      ],
      ['GET', 'http://localhost/v1/reports/2026?top=3&all=true', null, null],
      ['POST', 'http://localhost/v1/trees', 'application/json', '{"name":"a","children":[]}'],
      ['POST', 'http://localhost/v1/forms', null, 'form'],
      ['PUT', 'http://localhost/v1/files/a', null, { 0: 1 }],
      ['GET', 'http://localhost/v1/ping', null, null],
    ],
  ]);
  expect(client).toContain('/** Takes the money. */');
});
