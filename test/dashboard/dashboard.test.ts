import { describe, expect, test } from 'vitest';
import type { RequestDetail } from '../../src/http/dashboard/wire.ts';
import type { Mode } from '../../src/http/edge/edge.ts';
import { requestLog } from '../../src/http/debug/logging.ts';
import { build, buildValid, serveApi, type Answer, type TestApi } from '../support/api.ts';
import { breakTable } from '../support/broken.ts';
import {
  ask,
  boss,
  hand,
  keys,
  look,
  open,
  openToBoth,
  rowsOf,
  serving,
  things,
  watching,
  stopAfterEach,
} from './dashboard.ts';

stopAfterEach();

describe('who may use it', () => {
  const roles = 'dashboard: { roles: [admin] }';
  const debugRoles = 'debug: { roles: [admin] }';
  const cases: readonly [Mode, string, Record<string, string>, page: boolean, status: number][] = [
    ['dev', '', {}, true, 200],
    ['dev', 'dashboard: true', {}, true, 200],
    ['dev', 'dashboard: false', {}, false, 404],
    ['dev', roles, {}, true, 200],
    ['dev', keys, {}, true, 403],
    ['dev', keys, boss, true, 403],
    ['dev', `${keys}\n${debugRoles}`, {}, true, 401],
    ['dev', `${keys}\n${debugRoles}`, hand, true, 403],
    ['dev', `${keys}\n${debugRoles}`, boss, true, 200],
    ['dev', `${keys}\n${debugRoles}\ndashboard: { roles: [user] }`, boss, true, 403],
    ['dev', `${keys}\n${debugRoles}\ndashboard: { roles: [user] }`, hand, true, 200],
    ['dev', `${keys}\n${roles}`, {}, true, 401],
    ['dev', `${keys}\n${roles}`, hand, true, 403],
    ['dev', `${keys}\n${roles}`, boss, true, 200],
    ['dev', keys, { authorization: 'Bearer wrong' }, true, 401],
    ['start', '', {}, false, 404],
    ['start', 'dashboard: false', {}, false, 404],
    ['start', 'dashboard: true', {}, true, 200],
    ['start', roles, {}, true, 403],
    ['start', keys, boss, false, 404],
    ['start', `${keys}\n${roles}`, {}, true, 401],
    ['start', `${keys}\n${roles}`, hand, true, 403],
    ['start', `${keys}\n${roles}`, boss, true, 200],
  ];
  test.each(cases)('%s, %s, %o', async (mode, head, headers, hasPage, status) => {
    const api = await serving(head, mode);
    const page = await api.get('/_dashboard');
    expect(page.status).toBe(hasPage ? 200 : 404);
    expect((await watching(api, headers)).status).toBe(status);
    for (const path of ['model', 'rows', 'network']) {
      const answer = await ask(api, path, headers);
      expect(answer.status, path).toBe(status);
      if (status !== 200) expect(answer.text).not.toContain('token"');
    }
    expect((await ask(api, 'nothing', headers)).status).toBe(status === 200 ? 404 : status);
    const nothing = await ask(api, 'requests/nothing', headers);
    expect(nothing.status).toBe(status === 200 ? 404 : status);
  });

  test('with auth and no roles, who has the link of the server opens it once, on its machine', async () => {
    const api = await serving(keys);
    const code = (): string => api.dashboardLink?.hash.replace('#link=', '') ?? '';
    const next: string[] = [];
    if (api.dashboardLink !== undefined) api.dashboardLink.renewed = (hash) => next.push(hash);
    const open = (headers: Record<string, string>): Promise<Answer> =>
      api.send('POST', '/_dashboard/api/session', undefined, headers);
    const first = code();
    expect(first.length).toBeGreaterThan(24);
    // Not for pages elsewhere, nor behind a proxy that the file does not name, nor for another code.
    for (const headers of [
      { 'x-dashboard-link': first, 'sec-fetch-site': 'cross-site' },
      { 'x-dashboard-link': first, 'x-forwarded-for': '203.0.113.9' },
      { 'x-dashboard-link': `${first}x` },
      {},
    ] as readonly Record<string, string>[])
      expect((await open(headers)).status).toBe(403);
    const { status, body } = await open({ 'x-dashboard-link': first });
    expect(status).toBe(200);
    const { session } = body as { session: string };
    // The next link is another one, and this one opens nothing any more.
    expect(next).toEqual([api.dashboardLink?.hash]);
    expect(code()).not.toBe(first);
    expect((await open({ 'x-dashboard-link': first })).status).toBe(403);
    const linked = { 'x-dashboard-session': session };
    await api.get('/v1/things', hand);
    expect((await rowsOf(api, linked)).map(({ caller }) => caller)).toEqual(['hand']);
    expect((await look(api, linked)).isLinked).toBe(true);
    // It opens the dashboard, and nothing of the API.
    expect((await api.get('/v1/papers', linked)).status).toBe(401);
    expect((await ask(api, 'model', { ...linked, 'x-forwarded-for': '203.0.113.9' })).status).toBe(
      403,
    );
    expect((await ask(api, 'model', { 'x-dashboard-session': `${session}x` })).status).toBe(403);
    expect((await ask(api, 'model', linked)).text).toContain('"things"');
  });

  test.each([
    ['dev', ''],
    ['dev', `${keys}\ndebug: { roles: [admin] }`],
    ['dev', `${keys}\ndashboard: { roles: [admin] }`],
    ['start', `${keys}\ndashboard: { roles: [admin] }`],
  ] as const)('the link opens nothing in %s with %j', async (mode, head) => {
    const api = await serving(head, mode);
    const code = api.dashboardLink?.hash.replace('#link=', '') ?? '';
    const sent = { 'x-dashboard-link': code };
    const { status } = await api.send('POST', '/_dashboard/api/session', undefined, sent);
    expect(status).toBe(403);
  });

  test('`dashboard: true` with `auth` is refused, as it would show callers what is not theirs', () => {
    const { api, problems } = build(`${keys}\ndashboard: true\n${things}`);
    expect(api).toBeUndefined();
    expect(problems.map(({ message }) => message).join()).toContain('dashboard: { roles');
  });

  test.each([
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'http://localhost:5173' }, 403],
    [{ origin: 'null' }, 403],
  ])('a page elsewhere gets nothing, whatever CORS says: %o %i', async (headers, status) => {
    const api = await serving('server: { cors: true }');
    expect((await watching(api, headers as Record<string, string>)).status).toBe(status);
    for (const path of ['rows', 'network', 'model'])
      expect((await ask(api, path, headers as Record<string, string>)).status).toBe(status);
  });
});

describe('the page', () => {
  test('has a policy that lets only its own scripts run, and sets no cookie', async () => {
    const api = await serving();
    for (const path of ['/_dashboard', '/_dashboard/']) {
      const { headers, text } = await api.get(path);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self';.* connect-src 'self';.* frame-ancestors 'none'$/u,
      );
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      const scripts = [...text.matchAll(/<script[^>]*/gu)];
      expect(scripts).not.toHaveLength(0);
      for (const [script] of scripts) {
        const [, source = 'none'] = / src="([^"]+)"/u.exec(script) ?? [];
        expect(new URL(source, `http://here${path}`).pathname).toMatch(/^\/_dashboard\/assets\//u);
      }
      expect(text).not.toMatch(/https?:\/\//u);
    }
  });

  test('has files that may be kept for ever, also compressed, and no others', async () => {
    const api = await serving();
    const { text } = await api.get('/_dashboard');
    const [, source = ''] = /src="([^"]+)"/u.exec(text) ?? [];
    const script = `/${source}`;
    for (const coding of ['identity', 'gzip', 'br']) {
      const { status, headers } = await api.get(script, { 'accept-encoding': coding });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toContain('immutable');
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
    }
    const none = [
      '/_dashboard/../package.json',
      '/_dashboard/%2e%2e/x',
      '/_dashboard/assets/',
      '/_dashboards',
    ];
    for (const path of none) expect((await api.raw(path)).status, path).toBe(404);
    expect((await api.send('POST', '/_dashboard')).status).toBe(405);
    expect((await api.send('DELETE', '/_dashboard/api/requests')).status).toBe(405);
  });
});

describe('requests', () => {
  test('are told in their order, without those of the dashboard and the reference page', async () => {
    const api = await serving();
    await api.get('/v1/things');
    await look(api);
    for (const path of ['/_docs', '/_docs/assets/nothing.js']) await api.get(path);
    await api.send('POST', '/v1/things', { name: 'one' });
    await api.get('/v1/nothing?name=%3Cscript%3E');
    const rows = await rowsOf(api);
    expect(rows.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      'GET /v1/things 200',
      'POST /v1/things 201',
      'GET /v1/nothing 404',
    ]);
    expect(rows[2]?.query).toBe('name=%3Cscript%3E');
  });

  test.each([
    ['dev', '', true],
    ['start', 'dashboard: true\nlogging: { includeBodies: true }', false],
  ] as const)('are recorded in %s before a page looks on: %s', async (mode, head, isRecorded) => {
    const api = await serving(head, mode);
    await api.send('POST', '/v1/things', { nme: 'unseen' });
    const [row] = await rowsOf(api);
    const { body } = await ask(api, `requests/${row?.id}`);
    expect(body).toMatchObject({ status: 400, isRecorded });
    expect(body.requestBody !== null && body.responseBody !== null).toBe(isRecorded);
    expect(row?.size === null).toBe(!isRecorded);
  });

  test('are recorded with steps, SQL and bodies while a page looks on', async () => {
    const api = await serving('dashboard: true\nlogging: { includeBodies: true }', 'start');
    await api.send('POST', '/v1/things', { name: 'unseen' });
    await look(api);
    await api.send('POST', '/v1/things', { name: 'seen' });
    await api.get('/v1/things?name=seen&expand=box');
    const rows = await rowsOf(api);
    const [before, write, read] = await Promise.all(
      rows.map(async ({ id }) => (await ask(api, `requests/${id}`)).body),
    );
    expect(before).toMatchObject({ isRecorded: false, requestBody: null, responseBody: null });
    expect(write).toMatchObject({
      isRecorded: true,
      requestBody: { text: '{"name":"seen"}' },
      responseBody: { text: expect.stringContaining('"name":"seen"') },
    });
    expect(read.parameters).toEqual({ name: 'seen', expand: 'box' });
    expect(read.statementList[0].sql).toMatch(/^SELECT .* WHERE t\."name"/u);
    expect(read.statementList[0]).toMatchObject({ stage: 'fetch_things', rows: 1 });
    // Each step begins where the one before ends, and its statements are within it.
    const end = (part: { begin: number; duration: number }): number =>
      Math.round((part.begin + part.duration) * 100);
    for (const [index, step] of read.steps.entries())
      expect(Math.round(step.begin * 100)).toBe(index === 0 ? 0 : end(read.steps[index - 1]));
    for (const statement of read.statementList) {
      const step = read.steps.find(({ stage }: { stage: string }) => stage === statement.stage);
      expect(statement.begin).toBeGreaterThanOrEqual(step.begin);
      expect(end(statement)).toBeLessThanOrEqual(end(step));
    }
  });

  test('tell no credentials and no writeOnly values, and in start no values at all', async () => {
    const api = await serving(`${keys}\ndebug: { roles: [admin] }`);
    await look(api, boss);
    await api.send('POST', '/v1/things', { name: 'a', secret: 'hush-1' }, boss);
    await api.get('/v1/things?secret=hush-2&name=a', { ...hand, cookie: 'hush-3' });
    await api.send('PATCH', '/v1/things/1', [{ path: '/secret', value: 'hush-4' }], boss);
    const rows = await rowsOf(api, boss);
    expect(rows.map(({ caller }) => caller)).toEqual(['boss', 'hand', 'boss']);
    for (const { id } of rows) {
      const { text } = await ask(api, `requests/${id}`, boss);
      expect(text).not.toMatch(/hush|boss-key|hand-key/u);
      expect(text).toMatch(/\[redacted\]|bytes, which are withheld/u);
    }
    const live = await serving(`${keys}\ndashboard: { roles: [admin] }`, 'start');
    await look(live, boss);
    await live.send('POST', '/v1/things', { name: 'wert-1' });
    await live.get('/v1/things?name=wert-2', { referer: 'http://127.0.0.1/?wert-3' });
    await live.send('POST', '/v1/things', { name: 'wert-1' });
    const { headers } = await live.get('/v1/things?name=wert-1&limit=1');
    expect(headers.get('link')).toContain('wert-1');
    for (const { id, query } of await rowsOf(live, boss)) {
      expect(query).not.toContain('wert');
      const { text, body } = await ask(live, `requests/${id}`, boss);
      expect(text).not.toContain('wert');
      expect(body.statementList.length).toBeGreaterThan(0);
    }
  });

  test.each([
    [
      'dev',
      '',
      [
        {
          source: 'server',
          place: null,
          text: expect.stringMatching(/integer overflow[^]*\n {4}at /u),
        },
      ],
    ],
    ['start', 'dashboard: true', []],
  ] as const)('in %s tell of a failure what the mode allows', async (mode, head, causes) => {
    const api = await serving(head, mode);
    await look(api);
    breakTable(api, 'things');
    expect((await api.get('/v1/things')).status).toBe(500);
    const [row] = await rowsOf(api);
    expect((await ask(api, `requests/${row?.id}`)).body.causes).toEqual(causes);
    api.failures.splice(0);
  });

  test('are marked if simulated, in a sandbox or sent by the dashboard', async () => {
    const api = await serving();
    await api.get('/v1/things');
    await api.get('/v1/things', { 'x-simulate': 'latency=1' });
    await api.get('/v1/things', { 'x-simulate': 'error=503' });
    await api.get('/v1/things', { 'x-dashboard': 'page' });
    const marks = (await rowsOf(api)).map(({ status, isSimulated, sandbox, isOwn }) => [
      status,
      isSimulated,
      sandbox,
      isOwn,
    ]);
    expect(marks).toEqual([
      [200, false, null, false],
      [200, true, null, false],
      [503, true, null, false],
      [200, false, null, true],
    ]);
  });

  test.each([
    ['GET', '/v1/things?name=a', {}, ['plan']],
    ['GET', '/v1/things/7', {}, ['plan']],
    ['GET', '/v1/things?_trace=true', {}, ['plan']],
    ['GET', '/v1/things', { 'x-simulate': 'latency=3' }, ['plan']],
    ['POST', '/v1/things', {}, ['plan']],
    ['DELETE', '/v1/things', {}, []],
    ['OPTIONS', '/v1/things', {}, []],
  ] as const)(
    'account for all of their time: %s %s %o',
    async (method, path, headers: Record<string, string>, kinds) => {
      const api = await serving();
      if (method === 'POST') await api.send(method, path, { name: 'a', boxId: 7 });
      else await api.send(method, path, undefined, headers);
      const [row] = await rowsOf(api);
      const { steps, parts, duration } = (await ask(api, `requests/${row?.id}`))
        .body as RequestDetail;
      const last = steps?.at(-1);
      expect(last?.stage).toBe('send');
      const end = (last?.begin ?? 0) + (last?.duration ?? 0);
      // Each is rounded to hundredths.
      expect(Math.abs(end - duration)).toBeLessThan(0.03);
      expect(parts?.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...kinds]));
      for (const part of parts ?? []) {
        const step = steps?.find(({ stage }) => stage === part.stage);
        expect(part.begin).toBeGreaterThanOrEqual(step?.begin ?? NaN);
      }
    },
  );

  test('are told several at once, those that are kept', async () => {
    const api = await serving();
    await api.get('/v1/things');
    await api.get('/v1/boxes');
    const ids = (await rowsOf(api)).map(({ id }) => id);
    const { body } = await ask(api, `requests/${[...ids, 'gone'].join(',')}`);
    expect(body.requests.map(({ path }: RequestDetail) => path)).toEqual([
      '/v1/things',
      '/v1/boxes',
    ]);
  });

  test('are kept up to 1,000', async () => {
    const api = await serving();
    await look(api);
    for (let sent = 0; sent < 1_050; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/boxes?limit=1')));
    const rows = await rowsOf(api);
    expect(rows.map(({ number }) => number)).toEqual(
      Array.from({ length: 1_000 }, (_, i) => i + 51),
    );
  });
});

test('the log tells of what the page changes and is refused, not of what it reads every second', async () => {
  const lines: string[] = [];
  const log = requestLog(() => buildValid(things), 'dev', {
    write: (line) => void lines.push(line),
  });
  const api = await serveApi(things, {}, undefined, { mode: 'dev', readers: [log] });
  open.push(api);
  const { token } = await look(api);
  const body = { resource: null, settings: null };
  await ask(api, 'rows');
  await ask(api, 'nothing');
  await api.send('PUT', '/_dashboard/api/network', body, { 'x-dashboard-token': token });
  await api.get('/v1/things');
  await expect
    .poll(() => lines.map((line) => (JSON.parse(line) as { msg: string }).msg))
    .toEqual([
      'GET /_dashboard/api/nothing 404',
      'PUT /_dashboard/api/network 200',
      'GET /v1/things 200',
    ]);
});

test('the overview counts requests, errors and the records that the caller may read', async () => {
  const api = await serving(openToBoth);
  await api.send('POST', '/v1/things', { name: 'one' });
  await api.get('/v1/things?nothing=1');
  await api.get('/v1/things');
  await api.get('/_docs/assets/nothing.js');
  const { rows } = (await ask(api, 'rows', boss)).body;
  const points = await (await watching(api, boss)).next('activity');
  expect(points).toHaveLength(60);
  const sum = (name: string): number =>
    points.reduce((total: number, point: Record<string, number>) => total + (point[name] ?? 0), 0);
  expect(sum('requests')).toBe(3);
  expect(sum('clientErrors')).toBe(1);
  expect(sum('serverErrors')).toBe(0);
  expect(sum('databaseTime')).toBeGreaterThan(0);
  for (const { p50, p95 } of points) if (p50 !== undefined) expect(p95).toBeGreaterThanOrEqual(p50);
  expect(rows).toEqual({ things: 1, boxes: 0, papers: 0 });
  expect((await ask(api, 'rows', hand)).body.rows).toEqual({ things: 1, boxes: 0 });
});

test('records are counted anew after a while, and not for who may not see them all', async () => {
  let now = new Date();
  const access = '{ read: [{ role: admin }, { role: user, where: "name=mine" }], write: public }';
  const fields = '{ name: { type: string } }';
  const api = await serveApi(
    `${openToBoth}\nresources: { notes: { access: ${access}, fields: ${fields} } }`,
    { notes: [{ name: 'mine' }, { name: 'theirs' }] },
    () => now,
    { mode: 'dev' },
  );
  open.push(api);
  const countOf = async (headers: Record<string, string>): Promise<unknown> =>
    (await ask(api, 'rows', headers)).body.rows.notes;
  expect([await countOf(boss), await countOf(hand)]).toEqual([2, null]);
  await api.send('POST', '/v1/notes', { name: 'theirs' }, boss);
  expect(await countOf(boss)).toBe(2);
  now = new Date(now.getTime() + 10_001);
  expect(await countOf(boss)).toBe(3);
});

describe('the network', () => {
  const change = (api: TestApi, body: unknown, headers: Record<string, string>): Promise<Answer> =>
    api.send('PUT', '/_dashboard/api/network', body, headers);
  const tokenOf = async (api: TestApi, headers = {}): Promise<Record<string, string>> => ({
    'x-dashboard-token': (await look(api, headers)).token,
    ...headers,
  });

  test('changes at once, of all or of one resource, and back', async () => {
    const api = await serving('network: { errorRate: 1 }');
    const token = await tokenOf(api);
    const statuses = async (): Promise<readonly number[]> => [
      (await api.get('/v1/things')).status,
      (await api.get('/v1/boxes')).status,
    ];
    expect(await statuses()).toEqual([500, 500]);
    const steps: readonly [object, readonly number[]][] = [
      [{ resource: 'boxes', settings: {} }, [500, 200]],
      [{ resource: null, settings: {} }, [200, 200]],
      [{ resource: 'things', settings: { errorRate: 1 } }, [500, 200]],
      [{ resource: 'things', settings: null }, [200, 200]],
      [{ resource: null, settings: null }, [500, 200]],
      [{ resource: 'boxes', settings: null }, [500, 500]],
    ];
    for (const [body, expected] of steps) {
      expect((await change(api, body, token)).status).toBe(200);
      expect(await statuses(), JSON.stringify(body)).toEqual(expected);
    }
  });

  test('keeps what the sliders do not say', async () => {
    const api = await serving('network: { errorRate: 1, seed: 7, errors: [{ status: 503 }] }');
    const answer = await change(
      api,
      { resource: 'boxes', settings: { errorRate: 0.5 } },
      await tokenOf(api),
    );
    const boxes = answer.body.resources.find(({ name }: { name: string }) => name === 'boxes');
    expect(boxes).toMatchObject({ source: 'changed', settings: { errorRate: 0.5, seed: 7 } });
    expect(boxes.settings.errors).toEqual(answer.body.overall.settings.errors);
  });

  test('changes only with the token, and only for who may change', async () => {
    const body = { resource: null, settings: { errorRate: 1 } };
    const api = await serving();
    const token = await tokenOf(api);
    for (const headers of [
      {},
      { 'x-dashboard-token': '' },
      { 'x-dashboard-token': 'f'.repeat(64) },
    ])
      expect((await change(api, body, headers as Record<string, string>)).status).toBe(403);
    const elsewhere = { ...token, 'sec-fetch-site': 'cross-site' };
    expect((await change(api, body, elsewhere)).status).toBe(403);
    expect((await api.get('/v1/things')).status).toBe(200);

    const head = `${keys}\ndashboard: { roles: [admin, user] }\ndebug: { roles: [admin] }`;
    const live = await serving(head, 'start');
    expect((await change(live, body, await tokenOf(live, hand))).status).toBe(403);
    expect((await live.get('/v1/things')).status).toBe(200);
    expect((await change(live, body, await tokenOf(live, boss))).status).toBe(200);
    expect((await live.get('/v1/things')).status).toBe(500);
  });

  test.each([
    ['{', 400],
    ['[]', 400],
    ['', 400],
    [{ resource: 'nothing', settings: {} }, 400],
    [{ resource: '__proto__', settings: {} }, 400],
    [{ resource: 1, settings: {} }, 400],
    [{ resource: null }, 400],
    [{ resource: null, settings: { errorRate: 2 } }, 400],
    [{ resource: null, settings: { errorRate: '1' } }, 400],
    [{ resource: null, settings: { latency: 5 } }, 400],
    [{ resource: null, settings: { latency: { min: 9, max: 1 } } }, 400],
    [{ resource: null, settings: { latency: { min: 0, max: 60_001 } } }, 400],
    [{ resource: null, settings: { throttling: { rate: 0 } } }, 400],
    [{ resource: null, settings: { throttling: { rate: 1.5 } } }, 400],
    [{ resource: null, settings: { seed: 1 } }, 400],
    [{ resource: null, settings: {}, more: 1 }, 400],
  ])('refuses %j', async (body, status) => {
    const api = await serving();
    const answer = await change(api, body, await tokenOf(api));
    expect(answer.status).toBe(status);
    expect((await ask(api, 'network')).body.overall).toEqual({ source: 'none', settings: {} });
  });

  test('takes a number that no double holds for no object', async () => {
    const api = await serving();
    const token = await tokenOf(api);
    const long = '12345678901234567890';
    expect((await change(api, long, token)).body.code).toBe('INVALID_BODY');
    const settings = await change(api, `{"settings":${long}}`, token);
    expect(settings.body.validationErrors).toEqual([
      {
        field: 'settings',
        error: 'is an object or null',
        rule: 'type',
        params: { expected: 'object' },
      },
    ]);
  });
});
