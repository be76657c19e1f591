import { expect, test } from 'vitest';
import type { Mode } from '../../src/http/edge/edge.ts';
import { specificationJsonSchema } from '../../src/model/load-specification.ts';
import { serveApi } from '../support/api.ts';

const resources = 'resources: { notes: { fields: { title: { type: string } } } }';
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const rows: readonly (readonly [
  name: string,
  text: string,
  mode: Mode,
  method: string,
  accept: string,
  to: string | number,
])[] = [
  ['a browser in dev', '', 'dev', 'GET', browser, '/_dashboard'],
  ['a browser that asks first', '', 'dev', 'HEAD', browser, '/_dashboard'],
  ['a browser without a dashboard', 'dashboard: false', 'dev', 'GET', browser, '/_docs'],
  ['a browser in start', 'access: public', 'start', 'GET', browser, '/_docs'],
  [
    'a browser in start, whose dashboard is not for everyone',
    'dashboard: { roles: [boss] }\nauth: { jwt: { secret: 0123456789abcdef0123456789abcdef } }',
    'start',
    'GET',
    browser,
    '/_docs',
  ],
  ['a browser under a base path', 'api: { basePath: /api }', 'dev', 'GET', browser, '/_dashboard'],
  ['a program', '', 'dev', 'GET', '*/*', 404],
  ['one that wants JSON first', '', 'dev', 'GET', 'text/html;q=0.5, application/json', 404],
  ['one that wants no page', '', 'dev', 'GET', 'text/html;q=0', 404],
  ['one that writes', '', 'dev', 'POST', browser, 404],
  ['one with a weight that is none', '', 'dev', 'GET', 'text/html;q=x', 404],
];

test.each(rows)('at /: %s', async (...row) => {
  const [, text, mode, method, accept, to] = row;
  const api = await serveApi(`${text}\n${resources}`, {}, undefined, { mode });
  try {
    const answer = await fetch(`${api.url}/`, { method, headers: { accept }, redirect: 'manual' });
    if (typeof to === 'number') {
      expect(answer.status).toBe(to);
      const { code, message } = (await answer.json()) as Record<string, unknown>;
      expect({ code, message }).toEqual({
        code: 'UNKNOWN_RESOURCE',
        message: 'There is nothing at /; see /_openapi.json, or /_docs to read',
      });
      return;
    }
    expect(answer.status).toBe(302);
    const target = new URL(answer.headers.get('location') ?? '', `${api.url}/`);
    expect(target.pathname).toBe(to);
    const page = await fetch(target, { headers: { accept } });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
  } finally {
    await api.stop();
  }
});

test('a simulated network leaves / alone', async () => {
  const api = await serveApi(`network: { errorRate: 1 }\n${resources}`, {}, undefined, {
    mode: 'dev',
  });
  const answer = await fetch(`${api.url}/`, { headers: { accept: browser }, redirect: 'manual' });
  expect(answer.status).toBe(302);
  await api.stop();
});

test('what there is beside the resources', async () => {
  const api = await serveApi(`access: public\n${resources}`);
  const told: readonly (readonly [string, unknown])[] = [
    ['/_health', { status: 'ok' }],
    ['/_ready', { status: 'ready' }],
    ['/_schema.json', specificationJsonSchema()],
    ['/_permissions', expect.objectContaining({ authenticated: false })],
    [
      '/_openapi.json',
      expect.objectContaining({ openapi: expect.stringMatching(/^3\.1\./u) as string }),
    ],
  ];
  for (const [path, body] of told) {
    const answer = await api.get(path);
    expect([path, answer.status, answer.body]).toEqual([path, 200, body]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
  await api.stop();
});
