import { afterEach, describe, expect, test } from 'vitest';
import type { SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import type { Mode } from '../../src/http/edge/edge.ts';
import { build, serveApi, type TestApi } from '../support/api.ts';
import { breakTable } from '../support/broken.ts';
import { serveBoth } from '../support/both.ts';
import { bossAndHand } from '../support/keys.ts';
import { debugParameters, type DebugBody } from './debug.ts';

const things = `
resources:
  things:
    fields:
      name: { type: string, required: true }
      price: { type: decimal, access: { read: [admin], write: [admin] } }
      boxId: { type: integer, reference: boxes.id }
      box: { type: relation, relation: belongsTo, resource: boxes, foreignKey: boxId }
  boxes:
    access: { read: [admin], write: [admin] }
    fields:
      label: { type: string }
      place: { type: string }
`;
const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.stop();
});
async function serving(head: string, mode: Mode): Promise<TestApi> {
  const api = await serveApi(`${head}\n${things}`, {}, undefined, { mode });
  open.push(api);
  return api;
}

test.each([
  ['', { page: 1, limit: 2 }],
  ['&cursor=', { cursor: '', limit: 2 }],
  ['&offset=1', { offset: 1, limit: 2 }],
])('%s has the limit of the API where it names none', async (query, pagination) => {
  const api = await serving('limits: { defaultLimit: 2 }', 'dev');
  const { body } = (await api.get(`/v1/things?_debug=true${query}`)) as { body: DebugBody };
  expect(body._debug.query.pagination).toEqual(pagination);
});

describe('where debug parameters are honoured', () => {
  const cases: readonly [mode: Mode, head: string, isOn: boolean][] = [
    ['dev', '', true],
    ['dev', 'debug: true', true],
    ['dev', 'debug: false', false],
    ['dev', `access: public\n${bossAndHand}`, true],
    ['dev', `access: public\ndebug: { roles: [admin] }\n${bossAndHand}`, true],
    ['start', 'access: public', false],
    ['start', 'access: public\ndebug: true', true],
    ['start', 'access: public\ndebug: false', false],
    ['start', `access: public\ndebug: { roles: [admin] }\n${bossAndHand}`, false],
  ];
  test.each(cases)('%s, %s: %s', async (mode, head, isOn) => {
    const api = await serving(head, mode);
    for (const path of ['/v1/things', '/v1/things/9', '/v1/nope', '/_nope']) {
      const { body, headers } = await api.get(`${path}?_trace=true&_verbose=true`);
      expect(headers.get('x-debug'), path).toBe(isOn ? null : 'disabled');
      expect(JSON.stringify(body).includes('_trace":['), path).toBe(isOn);
      expect(JSON.stringify(body).includes('stack'), path).toBe(isOn && path !== '/v1/things');
    }
  });

  test('where they are off, the request is as it is without: tag, 304, and counts that are remembered', async () => {
    const api = await serving(`access: public\ndebug: { roles: [admin] }\n${bossAndHand}`, 'start');
    for (const name of ['a', 'b']) await api.send('POST', '/v1/things', { name });
    const { database } = api.servedApi;
    const remembered = database.count.bind(database);
    let counts = 0;
    Object.assign(database, {
      count: (...asked: Parameters<typeof remembered>) => {
        counts += 1;
        return remembered(...asked);
      },
    });
    const asked = '/v1/things?limit=1&_debug=true&_inspect=data';
    const tag = (await api.get('/v1/things?limit=1')).headers.get('etag') ?? '';
    const hand = { 'x-api-key': 'hand-key', 'if-none-match': tag };
    expect(counts).toBe(1);
    const { status, headers } = await api.get(asked, hand);
    expect([status, headers.get('etag'), headers.get('x-debug')]).toEqual([304, tag, 'disabled']);
    expect(counts).toBe(2);
    const boss = await api.get(asked, { 'x-api-key': 'boss-key', 'if-none-match': tag });
    expect([boss.status, boss.headers.get('etag')]).toEqual([200, null]);
    expect(counts).toBe(2);
  });

  test('where they are off, each is ignored, on reads and writes', async () => {
    const api = await serving('access: public', 'start');
    for (const parameter of debugParameters) {
      const made = await api.send('POST', `/v1/things?${parameter}`, { name: 'a' });
      const { id } = made.body;
      const record = { id, name: 'a', boxId: null };
      const one = await api.get(`/v1/things/${id}?${parameter}`);
      const list = await api.get(`/v1/things?id=${id}&${parameter}`);
      const wrong = await api.send('POST', `/v1/things?${parameter}`, {});
      expect([made.body, one.body, list.body]).toEqual([record, record, [record]]);
      expect(wrong.status).toBe(400);
      expect(wrong.text).not.toMatch(/"_/u);
      for (const { headers } of [made, one, list, wrong])
        expect([parameter, headers.get('x-debug')]).toEqual([parameter, 'disabled']);
    }
    expect((await api.get('/v1/things')).headers.get('x-debug')).toBeNull();
  });

  test('where they are off, a stream takes them', async () => {
    const api = await serving('access: public', 'start');
    const { status, headers } = await api.get('/v1/things?_debug=true', { accept: 'text/csv' });
    expect([status, headers.get('x-debug')]).toEqual([200, 'disabled']);
  });

  test('`debug: true` is refused together with `auth`', () => {
    const { problems } = build(`debug: true\n${bossAndHand}\n${things}`);
    expect(problems).toMatchObject([{ severity: 'error', line: 1 }]);
    expect(problems[0]?.message).toContain('debug');
    expect(build(`debug: { roles: [admin] }\n${bossAndHand}\n${things}`).problems).toEqual([]);
  });
});

describe('roles', () => {
  const asked = '/v1/things?_debug=true&_trace=true';
  const boss = { 'x-api-key': 'boss-key' };
  const hand = { 'x-api-key': 'hand-key' };

  test('turn them on in `start` for callers that have one', async () => {
    const api = await serving(`access: public\ndebug: { roles: [admin] }\n${bossAndHand}`, 'start');
    const on = await api.get(asked, boss);
    expect(on.headers.get('x-debug')).toBeNull();
    expect(on.body._trace[1].details).toEqual({
      authenticated: true,
      name: 'boss',
      roles: ['admin'],
    });
    expect(on.body._debug.database.queries[0].sql).toContain('"price"');
    for (const headers of [hand, {}])
      expect((await api.get(asked, headers)).headers.get('x-debug')).toBe('disabled');
    const wrong = await api.get(asked, { 'x-api-key': 'nobody' });
    expect([wrong.status, wrong.headers.get('x-debug')]).toEqual([401, 'disabled']);
    expect(wrong.text).not.toContain('_trace');
  });

  test('show in `dev` what is hidden from others', async () => {
    const api = await serving(`access: public\ndebug: { roles: [admin] }\n${bossAndHand}`, 'dev');
    const made = '/v1/things?_debug=plan';
    const full = await api.send('POST', made, { name: 'a' }, boss);
    expect(full.body._debug.database.queries[0].sql).toContain('"price"');
    const others = await api.send('POST', made, { name: 'a' }, hand);
    expect(others.body._debug.database.queries[0]).toEqual({
      sql: null,
      duration: expect.any(String),
    });
  });

  test('without `debug.roles` nobody sees it', async () => {
    const api = await serving(`access: public\n${bossAndHand}`, 'dev');
    const { body } = await api.send('POST', '/v1/things?_debug=true', { name: 'a' }, boss);
    expect(body._debug.database.queries).toHaveLength(1);
    // This caller may read and write all that the statement names.
    expect(body._debug.database.queries[0].sql).toContain('"price"');
    const { text } = await api.get('/_openapi.json', boss);
    expect(text).toContain('"_debug"');
  });

  test('a bad credential in `dev` shows the steps up to it', async () => {
    const api = await serving(`access: public\n${bossAndHand}`, 'dev');
    const { status, body } = await api.get(`${asked}&_verbose=true`, { 'x-api-key': 'nobody' });
    expect(status).toBe(401);
    expect(body._trace.map(({ stage }: { stage: string }) => stage)).toEqual([
      'init',
      'authentication',
      'finalize',
    ]);
    expect(body._verbose.error.code).toBe('INVALID_CREDENTIALS');
    expect(JSON.stringify(body)).not.toContain('nobody');
  });

  test('the document speaks of debug parameters to those who have them', async () => {
    const api = await serving(`access: public\ndebug: { roles: [admin] }\n${bossAndHand}`, 'start');
    expect((await api.get('/_openapi.json', boss)).text).toContain('"_debug"');
    expect((await api.get('/_openapi.json', hand)).text).not.toContain('"_debug"');
  });
});

describe('where there is `auth`, a caller without a role of `debug.roles`', () => {
  const sqlOf = (body: unknown): readonly (string | null)[] =>
    (body as DebugBody)._debug.database.queries.map(({ sql }) => sql);

  test('sees the SQL of statements that name nothing hidden from it', async () => {
    const api = await serving(`access: public\n${bossAndHand}`, 'dev');
    const made = await api.send('POST', '/v1/things?_debug=plan', { name: 'a' });
    expect(made.status).toBe(201);
    // It writes null into what the caller does not know of.
    expect(sqlOf(made.body)).toEqual([null]);
    const changed = await api.send('PATCH', '/v1/things/1?_debug=plan', { name: 'b' });
    expect(sqlOf(changed.body)[0]).toContain('"name"');
    const { body } = await api.get('/v1/things?_debug=plan&sort=name');
    expect(sqlOf(body)).toEqual([expect.stringContaining('ORDER BY t."name"')]);
    expect(body._debug.database.queries[0]).not.toHaveProperty('plan');
  });

  test('on both databases, however a statement is written', async () => {
    const both = await serveBoth(`access: public\n${bossAndHand}\n${things}`, {}, undefined, {
      mode: 'dev',
    });
    for (const side of both.sides) {
      await side.send('POST', '/v1/things', { name: "it's" });
      for (const query of ['sort=-name', 'name_ilike=x', 'name_in=a,b&_or=name:c,boxId:1'])
        for (const sql of sqlOf((await side.get(`/v1/things?_debug=true&${query}`)).body))
          expect(sql, query).toContain('"things"');
    }
    await both.stop();
  });

  test('and of others neither SQL nor plan nor index', async () => {
    const api = await serving(`access: public\n${bossAndHand}`, 'dev');
    await api.send('POST', '/v1/things', { name: 'a' });
    // What a delete looks through names what the caller may not see.
    (api.servedApi.database as SqliteDatabase).schemaConnection.exec(
      `INSERT INTO boxes (label) VALUES ('x')`,
    );
    const { body } = await api.send('PATCH', '/v1/things/1?_debug=plan', { boxId: 99 });
    expect(body).toMatchObject({ status: 422 });
    const { queries, queryCount } = (body as DebugBody)._debug.database;
    expect(queryCount).toBe(queries.length);
    expect(queries.map(({ sql }) => sql === null)).toContain(true);
    for (const query of queries)
      if (query.sql === null) expect(Object.keys(query)).toEqual(['sql', 'duration']);
    expect(JSON.stringify(body)).not.toContain('boxes');
    expect(JSON.stringify(body)).not.toContain('price');
  });

  test('sees neither a row rule nor the SQL that it is in', async () => {
    const head = `access: { read: [{ role: public, where: "price_gte=2" }] }
debug: { roles: [admin] }
${bossAndHand}`;
    const api = await serving(head, 'dev');
    const asked = '/v1/things?_debug=plan&_trace=true';
    const { body } = await api.get(asked);
    expect(sqlOf(body)).toEqual([null]);
    expect(body._trace[2].details).toEqual({ operation: 'read', rules: [{ role: 'public' }] });
    expect(JSON.stringify(body)).not.toContain('price');
    const full = (await api.get(asked, { 'x-api-key': 'boss-key' })).body;
    expect(sqlOf(full)[0]).toContain('"price"');
    expect(full._trace[2].details).toEqual({
      operation: 'read',
      rules: [{ role: 'public', where: 'price_gte=2' }],
    });
  });

  test('a rule for all rows decides alone, else those that match', async () => {
    const rules = '[{ role: public, where: "name=a" }, admin, { role: user, where: "name=b" }]';
    const api = await serving(`access: { read: ${rules} }\n${bossAndHand}`, 'dev');
    for (const [key, wanted] of [
      ['boss-key', [{ role: 'admin' }]],
      ['hand-key', [{ role: 'public' }, { role: 'user' }]],
    ] as const) {
      const { body } = await api.get('/v1/things?_trace=true', { 'x-api-key': key });
      expect(body._trace[2].details, key).toEqual({ operation: 'read', rules: wanted });
    }
  });

  test('sees no column that it may read in another table of the statement alone', async () => {
    const both = await serveBoth(
      `access: public
${bossAndHand}
resources:
  things:
    access: { read: [{ role: public, where: "box.name=red" }] }
    fields:
      name: { type: string }
      box: { type: relation, relation: belongsTo, resource: boxes }
  boxes:
    fields:
      name: { type: string, access: { read: admin, write: public } }
      size: { type: integer }
`,
      {},
      undefined,
      { mode: 'dev' },
    );
    for (const { get } of both.sides) {
      const asked = '/v1/things?_debug=true&sort=name';
      expect(sqlOf((await get(asked)).body)).toEqual([null]);
      const { body } = await get(asked, { 'x-api-key': 'boss-key' });
      expect(sqlOf(body)[0]).toContain('"boxes"');
    }
    await both.stop();
  });

  test('sees no row rule about what it may write alone', async () => {
    const head = `access: { read: [{ role: public, where: "secret=a" }], write: public }\n${bossAndHand}`;
    for (const secret of ['access: { read: none, write: public }', 'writeOnly: true']) {
      const api = await serveApi(
        `${head}\nresources: { notes: { fields: { secret: { type: string, ${secret} } } } }`,
        {},
        undefined,
        { mode: 'dev' },
      );
      open.push(api);
      const made = await api.send('POST', '/v1/notes?_debug=true', { secret: 'a' });
      expect(sqlOf(made.body)[0], secret).toContain('"secret"');
      expect(sqlOf((await api.get('/v1/notes?_debug=true')).body), secret).toEqual([null]);
    }
  });

  test('sees frames of an unforeseen error, not what it says', async () => {
    for (const [head, isTold] of [
      [`access: public\n${bossAndHand}`, false],
      ['', true],
    ] as const) {
      const api = await serving(head, 'dev');
      breakTable(api, 'things');
      const { status, body } = await api.get('/v1/things?_verbose=true&_trace=true&_debug=true');
      expect(status).toBe(500);
      expect(body._verbose.error).toMatchObject({ code: 'INTERNAL_ERROR' });
      expect(body._verbose.error.stack).toContain('\n    at ');
      expect(body._verbose.error.stack.includes('integer overflow')).toBe(isTold);
      expect(body._trace.at(-2).stage).toBe('fetch_things');
      expect(body._debug.database.queryCount).toBe(1);
      const plain = await api.get('/v1/things?_trace=true');
      expect(plain.text).not.toContain('integer overflow');
      expect(api.failures.splice(0)).toHaveLength(2);
    }
  });
});

describe('_verbose', () => {
  test('says what was asked and where the error was found out', async () => {
    const api = await serving('', 'dev');
    const { body } = await api.get('/v1/things/7?_verbose=true&fields=name&fields=id&x=a+b');
    expect(body._verbose).toEqual({
      request: {
        method: 'GET',
        path: '/v1/things/7',
        params: { resource: 'things', id: '7' },
        query: { _verbose: 'true', fields: ['name', 'id'], x: 'a b' },
      },
      error: {
        code: 'INVALID_PARAMETER',
        details: expect.stringContaining('fields: is given more than once'),
        stack: expect.stringMatching(/^INVALID_PARAMETER: .*\n {4}at /su),
      },
    });
  });

  test('of a record that is not there', async () => {
    const api = await serving('', 'dev');
    const { body } = await api.get('/v1/things/7?_verbose=true');
    expect(body._verbose.error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      details: 'There is no record in things with id 7',
    });
  });

  test('of a write', async () => {
    const api = await serving('', 'dev');
    const { body, status } = await api.send('POST', '/v1/things?_verbose=true', { nme: 1 });
    expect(status).toBe(400);
    expect(body._verbose.request).toMatchObject({ method: 'POST', params: { resource: 'things' } });
    expect(body._verbose.error.details).toMatch(/^Validation failed; .*name/su);
  });

  test.each(['__proto__=1', '%zz=1', 'a%=b', '%ff=1', '=', 'constructor=x&constructor=y'])(
    'takes %s',
    async (query) => {
      const api = await serving('', 'dev');
      const { status, body } = await api.get(`/v1/things?_verbose=true&_debug=true&${query}`);
      expect(status).toBe(400);
      expect(body._verbose.request.path).toBe('/v1/things');
      expect(body._debug.query.pagination).toEqual({ page: 1, limit: 20 });
    },
  );
});
