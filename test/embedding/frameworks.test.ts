import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import middie from '@fastify/middie';
import connect from 'connect';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, type PlinthServer } from '../../src/index.ts';

const specification = `access: public
resources:
  notes: { fields: { text: { type: string, required: true } } }
`;

let api: PlinthServer;
beforeAll(async () => {
  api = await createServer({ mode: 'dev', generate: false, specification, environment: {} });
});
afterAll(() => api.close());

/** An application that has mounted the API below `/api`, and answers `/about` itself. */
interface Application {
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  readonly close: () => Promise<unknown>;
}

async function overHttp(listener: RequestListener | Server): Promise<Application> {
  const server = typeof listener === 'function' ? createHttpServer(listener) : listener;
  if (!server.listening)
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
  const { port } = server.address() as AddressInfo;
  return {
    ask: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => {
        server.close(done);
      });
    },
  };
}

const applications: Readonly<Record<string, () => Promise<Application>>> = {
  express: async () => {
    const app = express();
    app.use('/api', api.handler);
    app.use(express.json());
    app.get('/about', (_request, response) => void response.send('own'));
    app.get('/api/about', (_request, response) => void response.send('own'));
    return overHttp(app);
  },
  connect: async () => {
    const app = connect();
    app.use('/api', api.handler);
    app.use((_request, response) => void response.end('own'));
    return overHttp(app);
  },
  fastify: async () => {
    const app = fastify();
    await app.register(middie);
    app.use('/api', api.handler);
    app.get('/about', () => 'own');
    app.get('/api/about', () => 'own');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { ...(await overHttp(app.server)), close: () => app.close() };
  },
  hono: async () => {
    const app = new Hono();
    app.get('/about', (context) => context.text('own'));
    app.get('/api/about', (context) => context.text('own'));
    app.all('/api/*', ({ req }) => api.fetch(req.raw, { mountedAt: '/api' }));
    return inProcess((request) => Promise.resolve(app.fetch(request)));
  },
  'hono, mounted': async () => {
    const app = new Hono();
    app.get('/about', (context) => context.text('own'));
    app.get('/api/about', (context) => context.text('own'));
    app.mount('/api', (request) => api.fetch(request, { mountedAt: '/api' }));
    return inProcess((request) => Promise.resolve(app.fetch(request)));
  },
  // app/api/[...path]/route.ts: `export { answer as GET, answer as POST, … }`.
  'a Next route handler': async () => {
    const answer = (request: Request): Promise<Response> =>
      api.fetch(request, { mountedAt: '/api' });
    return inProcess((request) =>
      new URL(request.url).pathname.endsWith('/about')
        ? Promise.resolve(new Response('own'))
        : answer(request),
    );
  },
};

function inProcess(answer: (request: Request) => Promise<Response>): Application {
  return {
    ask: (path, init) => answer(new Request(`http://app.example${path}`, init)),
    close: () => Promise.resolve(),
  };
}

test.each(Object.entries(applications))('%s serves the API below its path', async (name, start) => {
  const { ask, close } = await start();
  try {
    const created = await ask('/api/v1/notes', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: name }),
    });
    expect(created.status).toBe(201);
    const location = created.headers.get('location') ?? '';
    expect(location).toMatch(/^\/api\/v1\/notes\/\d+$/u);
    expect(await (await ask(location)).json()).toMatchObject({ text: name });
    const list = await ask('/api/v1/notes?limit=1&page=1');
    expect(list.headers.get('link')).toContain('</api/v1/notes?limit=1&page=1>; rel="first"');
    const { servers } = (await (await ask('/api/_openapi.json')).json()) as { servers: unknown };
    expect(servers).toEqual([{ url: '/api' }]);
    expect((await ask('/api/v1/nothing')).status).toBe(404);
    expect(await (await ask('/about')).text()).toBe('own');
    expect(await (await ask('/api/about')).text()).toBe('own');
    const deleted = await ask(location, { method: 'DELETE' });
    expect(deleted.status).toBe(204);
  } finally {
    await close();
  }
});

test('express with its parser before the API says what to do', async () => {
  const app = express();
  app.use(express.json());
  app.use('/api', api.handler);
  const { ask, close } = await overHttp(app);
  const answer = await ask('/api/v1/notes', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"text":"a"}',
  });
  expect([answer.status, await answer.text()]).toEqual([
    500,
    expect.stringContaining('before what parses bodies, such as express.json()'),
  ]);
  await close();
});
