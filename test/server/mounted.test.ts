import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';

const specification = `
access: public
resources:
  notes: { fields: { text: { type: string, required: true } } }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveApi(specification, {
    notes: [{ text: 'a' }, { text: 'b' }],
  });
});
afterAll(() => api.stop());

type Next = (error?: unknown) => void;

/** Serves the API as Express does: with the path of the mount cut off, and the whole one in `originalUrl`. */
async function mounted(
  mount: string,
  work: (url: string) => Promise<void>,
  before: (request: IncomingMessage) => Promise<void> = async () => undefined,
  next: ((response: ServerResponse) => Next) | null = (response) => () => void response.end('next'),
): Promise<void> {
  const server = createServer((request: IncomingMessage & { originalUrl?: string }, response) => {
    const answer = async (): Promise<void> => {
      await before(request);
      const { url = '' } = request;
      request.originalUrl = url;
      const rest = url.slice(mount.length);
      request.url = rest.startsWith('/') ? rest : `/${rest}`;
      const goOn = next?.(response);
      api.handler(request, response, goOn);
    };
    void answer();
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('links, Location, documents and pages follow the path of the mount', async () => {
  await mounted('/deep/api', async (url) => {
    const list = await fetch(`${url}/deep/api/v1/notes?limit=1`);
    expect(list.headers.get('link')).toContain('</deep/api/v1/notes?limit=1&page=2>; rel="next"');
    const created = await fetch(`${url}/deep/api/v1/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"c"}',
    });
    expect(created.headers.get('location')).toBe('/deep/api/v1/notes/3');
    expect((await fetch(`${url}${created.headers.get('location')}`)).status).toBe(200);
    const { servers } = (await (await fetch(`${url}/deep/api/_openapi.json`)).json()) as {
      servers: unknown;
    };
    expect(servers).toEqual([{ url: '/deep/api' }]);
    const entry = await fetch(`${url}/deep/api`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    expect([entry.status, entry.headers.get('location')]).toEqual([302, '/deep/api/_docs']);
    const page = await (await fetch(`${url}/deep/api/_docs`)).text();
    const scripts = [...page.matchAll(/ src="([^"]+)"/gu)].map(([, src = '']) => src);
    for (const src of scripts)
      expect((await fetch(new URL(src, `${url}/deep/api/_docs`))).status).toBe(200);
    expect(scripts).toHaveLength(1);
    const missing = await fetch(`${url}/deep/api/v1/notes/99`);
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { path: '/deep/api/v1/notes/99' },
    ]);
  });
});

test('the dashboard follows the path of the mount', async () => {
  const dev = await serveApi(specification, {}, undefined, { mode: 'dev' });
  const ask = (url: string | URL): Promise<Response> =>
    dev.fetch(new Request(url), { mountedAt: '/deep/api', ip: '127.0.0.1' });
  const page = 'http://127.0.0.1/deep/api/_dashboard/';
  const text = await (await ask(page)).text();
  const sources = [...text.matchAll(/<script[^>]* src="([^"]+)"/gu)].map(([, src = '']) => src);
  expect(sources).not.toHaveLength(0);
  for (const source of sources) {
    const url = new URL(source, page);
    expect(url.pathname).toMatch(/^\/deep\/api\/_dashboard\/assets\//u);
    expect((await ask(url)).status).toBe(200);
  }
  expect((await ask(new URL('api/model', page))).status).toBe(200);
  await dev.stop();
});

test.each([
  ['', '/v1/notes', 'api'],
  ['', '/notes', 'api'],
  ['', '/notes/1', 'api'],
  ['', '/nothing/1', 'next'],
  ['', '/v1/none', 'api'],
  ['', '/v9/notes', 'api'],
  ['', '/v1x/notes', 'next'],
  ['', '/_health', 'api'],
  ['', '/_docs/assets/a.js', 'api'],
  ['', '/_next/static/a.js', 'next'],
  ['', '/_healthy', 'next'],
  ['', '/', 'next'],
  ['', '/about', 'next'],
  ['/api', '/api', 'api'],
  ['/api', '/api/', 'api'],
  ['/api', '/api/about', 'next'],
])('mounted at "%s", %s is for %s', async (mount, path, whom) => {
  await mounted(mount, async (url) => {
    const answer = await fetch(`${url}${path}`, { redirect: 'manual' });
    expect((await answer.text()) === 'next').toBe(whom === 'next');
  });
});

test('without next, other paths are 404', async () => {
  await mounted(
    '/api',
    async (url) => expect((await fetch(`${url}/api/about`)).status).toBe(404),
    undefined,
    null,
  );
});

test('a body that was read before is 500, which says what to do', async () => {
  const parse = async (request: IncomingMessage): Promise<void> => {
    for await (const _ of request);
  };
  await mounted(
    '/api',
    async (url) => {
      const answer = await fetch(`${url}/api/v1/notes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"text":"c"}',
      });
      expect([answer.status, await answer.json()]).toMatchObject([
        500,
        { message: expect.stringContaining('before what parses bodies') as string },
      ]);
      expect((await fetch(`${url}/api/v1/notes`)).status).toBe(200);
    },
    parse,
  );
});

test('a path of the mount cannot lead links to another host', async () => {
  await mounted('//evil.example', async (url) => {
    const answer = await fetch(`${url}//evil.example/v1/notes?limit=1`);
    expect(answer.headers.get('link')).toContain('</evil.example/v1/notes');
  });
});

test('the notice of a deprecated version follows the path of the mount', async () => {
  const versions = `access: public
api: { defaultVersion: 2, versions: { 1: { deprecated: 2026-01-01 }, 2: {} } }
resources: { notes: { fields: { text: { type: string } } } }
`;
  const one = await serveApi(versions);
  const answer = await one.fetch(new Request('http://api.example/v1/notes'), { mountedAt: '/api' });
  expect(answer.headers.get('link')).toContain('</api/v2/notes>; rel="successor-version"');
  await one.stop();
});

test('closing waits for requests that came from another server', async () => {
  const one = await serveApi(specification);
  const asked = one.fetch(new Request('http://api.example/v1/notes'));
  await new Promise((turn) => {
    setImmediate(turn);
  });
  await one.stop();
  expect((await asked).status).toBe(200);
});
