import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Wire } from '../support/wire.ts';
import { serveFile, serveSides, sideNames, type Sides } from './content.ts';

const posts = `
resources:
  posts:
    fields:
      title: { type: string, required: true }
`;

let sides: Sides;
beforeAll(async () => {
  sides = await serveSides(posts);
  for (const name of sideNames)
    for (const title of ['one', 'two'])
      await sides[name].ask('/v1/posts', { method: 'POST', body: { title } });
});
afterAll(() => sides.stop());

const json = 'application/json; charset=utf-8';
const csv = 'text/csv; charset=utf-8; header=present';
const ndjson = 'application/x-ndjson; charset=utf-8';

describe.each(sideNames)('Accept of a list, %s', (name) => {
  test.each([
    ['', json],
    ['*/*', json],
    ['application/*', json],
    ['application/json', json],
    ['text/csv', csv],
    ['TEXT/CSV', csv],
    ['text/csv; charset=utf-8', csv],
    ['text/csv;header=present;q=0.3', csv],
    ['application/x-ndjson', ndjson],
    // The weight decides first, then how precisely it is named, then JSON comes before others.
    ['text/csv;q=0.9, application/json;q=0.1', csv],
    ['text/csv;q=0.1, application/json;q=0.9', json],
    ['text/csv, application/json', json],
    ['application/json, text/csv', json],
    ['text/csv, */*', csv],
    ['*/*, text/csv', csv],
    ['text/csv;q=0.5, */*', json],
    ['text/csv;q=0.5, */*;q=0.1', csv],
    ['application/*, text/csv', csv],
    ['application/x-ndjson, application/*', ndjson],
    ['application/x-ndjson;q=0.2, text/csv;q=0.3', csv],
    ['application/x-ndjson, text/csv', csv],
    ['text/html, application/x-ndjson;q=0.5, text/plain', ndjson],
    ['application/json;q=0, text/csv;q=0.001', csv],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
    // What is not JSON has to be asked for by its name.
    ['application/json;q=0, */*', undefined],
    ['application/json;q=0, application/*', undefined],
    ['application/*;q=0, */*', undefined],
    ['text/*', undefined],
    ['text/*, */*', json],
    ['text/*;q=0.9, */*;q=0.8', json],
    ['text/csv;q=0, text/*', undefined],
    ['application/json;q=0, text/csv;q=0, */*', undefined],
    ['application/json;q=0', undefined],
    // Parameters mean nothing, nor do empty items.
    ['application/json; charset=utf-16', json],
    ['Application/JSON ; Q=0.5', json],
    ['application/json;profile=other;q=0, application/json', json],
    ['application/json, application/json;profile=other;q=0', json],
    ['application/json;q=0.9, application/json;profile=other;q=0.1, text/csv;q=0.5', json],
    ['application/json;q=0.9;ext=1, text/csv;q=0.5', json],
    [', application/json,, ', json],
    [' , ', json],
    ['text/csv;q=2, application/json', json],
    // What is no media type of ours.
    ['application/vnd.api+json', undefined],
    ['application/*+json', undefined],
    ['application/vnd.api+json, */*;q=0.1', json],
    ['text/csv;q=-1', undefined],
    ['text/csv;q=', undefined],
    ['text/csv;q=0', undefined],
    ['text/csv;q=0, application/x-ndjson;q=0, text/html', undefined],
    ['text/csv;q=none', undefined],
    ['application/csv', undefined],
    ['application/ndjson', undefined],
    ['csv', undefined],
  ])('%s: %s', async (accept, type) => {
    const { status, headers, text } = await sides[name].ask('/v1/posts', { headers: { accept } });
    expect([status, headers['content-type']]).toEqual(
      type === undefined ? [406, json] : [200, type],
    );
    if (type === undefined) expect(JSON.parse(text)).toMatchObject({ code: 'NOT_ACCEPTABLE' });
  });

  test.each([
    ['GET', '/v1/posts/1'],
    ['POST', '/v1/posts'],
    ['PUT', '/v1/posts/1'],
    ['PATCH', '/v1/posts/1'],
    ['DELETE', '/v1/posts/1'],
  ])('%s %s is JSON alone', async (method, path) => {
    for (const accept of [
      'text/csv',
      'application/x-ndjson',
      'text/csv, application/x-ndjson',
      'text/*',
      'application/json;q=0, */*',
    ]) {
      const { status, headers } = await sides[name].ask(path, { method, headers: { accept } });
      expect([status, headers['content-type']]).toEqual([406, json]);
    }
    const accept = 'text/csv, application/json;q=0.1';
    const body = method === 'GET' || method === 'DELETE' ? undefined : { title: 'new' };
    const asking = { method, headers: { accept }, ...(body && { body }) };
    expect((await sides[name].ask(path, asking)).status).toBeLessThan(300);
  });

  test.each([
    ['/v1/posts?nope=1', 'application/x-ndjson', 400],
    ['/v1/posts?nope=1', 'text/html', 406],
    ['/v1/nope', 'text/csv', 404],
    ['/v1/posts?limit=5&sort=nope', 'text/csv', 400],
  ])('the error of %s as %s is JSON: %i', async (path, accept, expected) => {
    const { status, headers } = await sides[name].ask(path, { headers: { accept } });
    expect([status, headers['content-type']]).toEqual([expected, json]);
  });

  test.each([
    ['/v1/posts', '*/*', 'identity'],
    ['/v1/posts/2', '*/*', 'identity'],
    ['/v1/posts', 'text/csv', 'identity'],
    ['/v1/posts', 'application/x-ndjson', 'gzip'],
    ['/v1/posts?nope=1', 'text/csv', 'identity'],
    ['/v1/posts', 'text/html', 'br'],
  ])('HEAD %s as %s has the headers of GET', async (path, accept, coding) => {
    const headers = { accept, 'accept-encoding': coding };
    const [got, head] = [
      await sides[name].ask(path, { headers }),
      await sides[name].ask(path, { method: 'HEAD', headers }),
    ];
    const fleeting = new Set(['date', 'x-request-id', 'transfer-encoding']);
    const lasting = (all: object): object =>
      Object.fromEntries(Object.entries(all).filter(([header]) => !fleeting.has(header)));
    expect([head.status, lasting(head.headers)]).toEqual([got.status, lasting(got.headers)]);
    expect(head.bytes.length).toBe(0);
  });
});

describe('Vary', () => {
  const auth = `
auth:
  jwt: { algorithms: [HS256], secret: "0123456789abcdef0123456789abcdef" }
access: public
`;
  const plain = 'Accept, Accept-Encoding, Prefer';
  test.each([
    ['plain', posts, 'start', plain],
    ['with auth', `${auth}${posts}`, 'start', `${plain}, Authorization, X-API-Key`],
    ['in dev', posts, 'dev', `${plain}, X-Sandbox, Origin`],
    ['both', `${auth}${posts}`, 'dev', `${plain}, Authorization, X-API-Key, X-Sandbox, Origin`],
  ] as const)('%s', async (_, specification, mode, vary) => {
    const { side, stop } = await serveFile(specification, { mode });
    const expected = {
      vary,
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    };
    for (const [method, path, accept] of [
      ['GET', '/v1/posts', '*/*'],
      ['GET', '/v1/posts', 'text/csv'],
      ['HEAD', '/v1/posts', '*/*'],
      ['GET', '/v1/posts/1', '*/*'],
      ['GET', '/nope', '*/*'],
      ['OPTIONS', '/v1/posts', '*/*'],
      ['GET', '/_health', '*/*'],
    ] as const)
      expect((await side.ask(path, { method, headers: { accept } })).headers).toMatchObject(
        expected,
      );
    const wire = await Wire.open(side.url);
    await wire.send('no HTTP\r\n\r\n');
    const refused = await wire.answer();
    expect(Object.fromEntries(refused?.headers ?? [])).toMatchObject(expected);
    wire.close();
    await stop();
  });
});
