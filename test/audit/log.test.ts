import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, buildValid, type Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import type { Database } from '../../src/databases/database.ts';
import { serveSandboxes } from '../sandboxes/sandboxes.ts';
import { schemaOf } from '../../src/sql/schema/schema.ts';
import { sqlite } from '../../src/databases/sqlite/dialect.ts';

const resources = `
resources:
  posts:
    fields:
      title: { type: string, required: true, unique: true }
      views: { type: integer, default: 0 }
`;

const specification = `
${withTokens}
api: { basePath: /api, versions: { 1: {}, 2: { resources: { posts: { fields: { headline: { from: title } } } } } } }
audit: { roles: [auditor, boss], keep: 90d }
${resources}`;

const ann = caller({ sub: 'ann', roles: [] });
const auditor = caller({ sub: 'eve', roles: ['auditor'] });
const boss = caller({ sub: 'kim', roles: ['boss', 'other'] });

const day = 86_400_000;
const moment = new Date('2026-03-01T12:00:00Z');
let both: Both;

beforeAll(async () => {
  both = await serveBoth(specification, {}, () => moment);
  for (const title of ['a', 'b', 'c']) await both.send('POST', '/api/v1/posts', { title }, ann);
  const bob = caller({ sub: 'bob' });
  await both.send('PATCH', '/api/v2/posts/2', { headline: 'B', views: 5 }, bob);
  await both.send('DELETE', '/api/v1/posts/1', undefined, caller({}));
  // Every server draws ids of its own for its requests.
  for (const { servedApi } of both.sides) {
    await change(servedApi.database, `UPDATE _plinth_audit SET "requestId" = 'request-1'`);
    const later = `UPDATE _plinth_audit SET at = '2026-03-02T12:00:00.000Z'`;
    await change(servedApi.database, `${later} WHERE operation <> 'create'`);
  }
});
afterAll(async () => {
  await both?.stop();
});

async function change(database: Database, sql: string): Promise<void> {
  await database.write(({ run }) => run({ sql, parameters: [] }, { bound: [] }));
}

const read = (query = '', headers = auditor): Promise<Answer> =>
  both.get(`/_audit${query}`, headers);
const recordIds = ({ body }: Answer): readonly string[] =>
  (body as { recordId: string }[]).map(({ recordId }) => recordId);

test('a change says when, who, in which request, and what', async () => {
  const { body } = await read('?operation=update');
  expect(body).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      at: '2026-03-02T12:00:00.000Z',
      caller: 'sub:bob',
      requestId: 'request-1',
      resource: 'posts',
      recordId: '2',
      operation: 'update',
      changed: ['title', 'views'],
      before: { title: 'b', views: 0 },
      after: { title: 'B', views: 5 },
    },
  ]);
  const callers = (await read('?fields=caller')).body as { caller: unknown }[];
  expect(callers.map((one) => one.caller)).toEqual([
    'sub:ann',
    'sub:ann',
    'sub:ann',
    'sub:bob',
    null,
  ]);
});

test('a change has the id that the response to its request has', async () => {
  for (const side of both.sides) {
    const { headers } = await side.send('PATCH', '/api/v1/posts/3', { views: 1 }, ann);
    const { body } = await side.get('/_audit?recordId=3&operation=update', auditor);
    expect(body).toMatchObject([{ requestId: headers.get('x-request-id') }]);
    await change(
      side.servedApi.database,
      `DELETE FROM _plinth_audit WHERE "recordId" = '3' AND operation = 'update'`,
    );
  }
});

describe('who may read it', () => {
  test.each<readonly [string, Record<string, string>, number]>([
    ['nobody', {}, 401],
    ['a caller without the role', ann, 403],
    ['a role', auditor, 200],
    ['another role', boss, 200],
    ['a bad token', { authorization: 'Bearer x' }, 401],
  ])('%s', async (_, headers, status) => {
    expect((await read('', headers)).status).toBe(status);
    expect((await read('/00000000-0000-7000-8000-000000000000', headers)).status).toBe(
      status === 200 ? 404 : status,
    );
  });

  test('it is no resource: no other path leads to it, and nothing else names it', async () => {
    for (const path of [
      '/api/v1/_audit',
      '/api/_audit',
      '/api/v1/%5Faudit',
      '/_audit/',
      '/_audit/a/b',
    ])
      expect((await both.get(path, auditor)).status, path).toBe(404);
    const one = ((await read('?limit=1')).body as { id: string }[])[0]?.id ?? '';
    for (const path of [`/api/v1/_audit/${one}`, `/api/v1/%5Faudit/${one}`])
      expect((await both.get(path, auditor)).status, path).toBe(404);
    expect((await both.get('/_permissions', auditor)).text).not.toContain('_audit');
  });

  test.each([
    ['an auditor', auditor, ['/_audit', '/_audit/{id}']],
    ['another caller', ann, []],
  ])('%s finds it in the OpenAPI document of each version', async (_, headers, expected) => {
    for (const version of ['', '/v1', '/v2']) {
      const { body } = await both.get(`${version}/_openapi.json`, headers);
      const paths = Object.entries(body.paths as Record<string, Record<string, object>>);
      const log = paths.filter(([path]) => path.startsWith('/_audit'));
      expect(log.map(([path]) => path)).toEqual(expected);
      for (const [, { get, parameters: _, ...others }] of log)
        expect([get, others]).toEqual([
          expect.objectContaining({ tags: ['_audit'], security: [{ bearer: [] }] }),
          {},
        ]);
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('nobody writes it: %s', async (method) => {
    for (const path of ['/_audit', '/_audit/1']) {
      const answer = await both.send(method, path, {}, auditor);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });
});

describe('it is read with the query language', () => {
  test.each<readonly [string, readonly string[]]>([
    ['', ['1', '2', '3', '2', '1']],
    ['?sort=-id', ['1', '2', '3', '2', '1']],
    ['?sort=-recordId,at', ['3', '2', '2', '1', '1']],
    ['?resource=posts&recordId=2', ['2', '2']],
    ['?caller=sub:ann&operation_in=update,create', ['1', '2', '3']],
    ['?caller_null=true', ['1']],
    ['?at_gte=2026-03-02', ['2', '1']],
    ['?changed_contains=views&operation=update', ['2']],
    ['?after.title=c', ['3']],
    ['?before.views_gte=0', ['2', '1']],
    ['?_or=after.title:c,before.title:a', ['3', '1']],
    ['?limit=2&page=2', ['3', '2']],
    ['?_verbose=true', ['1', '2', '3', '2', '1']],
    ['?offset=4', ['1']],
  ])('%s', async (query, expected) => {
    const answer = await read(query);
    expect(answer.status, answer.text).toBe(200);
    const found = recordIds(answer);
    expect(query === '?sort=-id' ? found.toReversed() : found).toEqual(expected);
  });

  test('with pages, totals and links of its own path', async () => {
    const { headers } = await read('?limit=2');
    expect(headers.get('x-total-count')).toBe('5');
    expect(headers.get('link')).toContain('</_audit?limit=2&page=2>; rel="next"');
  });

  test('behind cursors', async () => {
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page += 1) {
      const { body } = await read(`?cursor=${cursor}&limit=2`);
      const { data, next_cursor: next } = body as {
        data: { recordId: string }[];
        next_cursor: string | null;
      };
      seen.push(...data.map(({ recordId }) => recordId));
      cursor = next ?? '';
    }
    expect([seen, cursor]).toEqual([['1', '2', '3', '2', '1'], '']);
  });

  test('with HEAD and OPTIONS', async () => {
    const head = await both.send('HEAD', '/_audit?limit=2', undefined, auditor);
    expect([head.status, head.text, head.headers.get('x-total-count')]).toEqual([200, '', '5']);
    const options = await both.send('OPTIONS', '/_audit');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  test('one change, with fields and an entity tag', async () => {
    const [first] = (await read('?limit=1')).body as { id: string }[];
    const { status, body, headers } = await read(`/${first?.id}?fields=operation,after.title`);
    expect([status, body]).toEqual([
      200,
      { id: first?.id, operation: 'create', after: { title: 'a' } },
    ]);
    const known = { ...auditor, 'if-none-match': headers.get('etag') ?? '' };
    expect((await read(`/${first?.id}?fields=operation,after.title`, known)).status).toBe(304);
  });

  test.each([
    ['text/csv', 'id,recordId,operation\r\n', ',1,create\r\n'],
    ['application/x-ndjson', '{"id":"', '","recordId":"1","operation":"create"}\n'],
  ])('as %s', async (accept, start, end) => {
    const { text } = await read('?limit=1&fields=operation,recordId', { ...auditor, accept });
    expect(text.startsWith(start) && text.endsWith(end), text).toBe(true);
  });

  test.each([
    ['?nothing=1', 'INVALID_PARAMETER'],
    ['?sort=before', undefined],
    ['?expand=posts', undefined],
    ['?at=x', undefined],
  ])('and its problems: %s', async (query, code) => {
    const { status, body } = await read(query);
    expect(status).toBe(400);
    if (code !== undefined) expect((body as { code: string }).code).toBe(code);
  });
});

test('changes that are older than keep are removed, some at a time', async () => {
  const old = await serveBoth(specification, {}, () => moment);
  try {
    for (const { servedApi } of old.sides) {
      const ages = [90 * day - 1, ...Array.from({ length: 1_500 }, () => 90 * day + 1)];
      const rows = ages.map((age, index) => {
        const id = `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
        const at = new Date(moment.getTime() - age).toISOString();
        return `('${id}', '${at}', 'r', 'posts', '${index}', 'delete', '[]')`;
      });
      const columns = 'id, at, "requestId", resource, "recordId", operation, changed';
      await change(
        servedApi.database,
        `INSERT INTO _plinth_audit (${columns}) VALUES ${rows.join(', ')}`,
      );
    }
    const counts = [];
    for (let round = 0; round < 3; round += 1)
      counts.push((await old.get('/_audit?limit=1', auditor)).headers.get('x-total-count'));
    expect(counts).toEqual(['501', '1', '1']);
    expect(recordIds(await old.get('/_audit', auditor))).toEqual(['0']);
  } finally {
    await old.stop();
  }
});

test('writes that share a transaction record what each of them has done', async () => {
  const titles = Array.from({ length: 40 }, (_, index) => `shared ${index % 20}`);
  for (const side of both.sides) {
    const before = Number(
      (await side.get('/_audit?limit=1', auditor)).headers.get('x-total-count'),
    );
    const statuses = await Promise.all(
      titles.map(
        async (title) => (await side.send('POST', '/api/v1/posts', { title }, ann)).status,
      ),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 20 }, () => 201),
      ...Array.from({ length: 20 }, () => 422),
    ]);
    const { body } = await side.get('/_audit?limit=1000&after.title_like=shared', auditor);
    const found = (body as { after: { title: string } }[]).map(({ after }) => after.title);
    expect(found.toSorted()).toEqual([...new Set(titles)].toSorted());
    const now = Number((await side.get('/_audit?limit=1', auditor)).headers.get('x-total-count'));
    expect(now - before).toBe(20);
  }
});

test.each<readonly [string, string, string, readonly string[]]>([
  ['whoever may read it', '', '{}', ['id', 'title', 'views']],
  ['a role of the rules', '[author, auditor]', '{}', ['id', 'title', 'views']],
  ['other roles alone', 'author', '{}', []],
  ['some records', '[{ role: authenticated, where: "title={user.sub}" }]', '{}', []],
  [
    'some records, and all with the role',
    '[{ role: authenticated, where: "title={user.sub}" }, auditor]',
    '{}',
    ['id', 'title', 'views'],
  ],
  ['one of two roles', 'auditor', '{ roles: [auditor, boss] }', []],
  ['two of two roles', '[auditor, boss]', '{ roles: [auditor, boss] }', ['id', 'title', 'views']],
])('which values are stored: read by %s', (_, rule, key, names) => {
  const access = rule === '' ? '' : `access: { read: ${rule} }`;
  const { audit } = buildValid(`${withTokens}\naudit: ${key}\n${access}\n${resources}`);
  const [fields] = [...(audit?.recorded.values() ?? [])];
  expect([...(fields ?? [])].map(({ name }) => name)).toEqual(names);
});

test('without audit there is neither path nor table', async () => {
  const plain = await serveBoth(`${withTokens}\n${resources}`);
  try {
    expect((await plain.get('/_audit', auditor)).status).toBe(404);
    expect(await tablesOf(`access: public\n${resources}`)).not.toContain('_plinth_audit');
  } finally {
    await plain.stop();
  }
});

async function tablesOf(text: string): Promise<readonly string[]> {
  return schemaOf(buildValid(text), sqlite).map(({ name }) => name);
}

test('a sandbox has a log of its own', async () => {
  const api = await serveSandboxes(`${withTokens}\naudit: true\n${resources}`);
  try {
    const inside = { ...ann, 'x-sandbox': 'one' };
    expect((await api.send('POST', '/v1/posts', { title: 'x' }, inside)).status).toBe(201);
    const own = await api.get('/_audit', { ...auditor, 'x-sandbox': 'one' });
    expect(own.body).toMatchObject([{ after: { title: 'x' } }]);
    expect((await api.get('/_audit', auditor)).body).toEqual([]);
  } finally {
    await api.stop();
  }
});

describe('the key', () => {
  const problems = (text: string): readonly string[] =>
    build(`${text}\n${resources}`).problems.map(({ message }) => message);
  const auth = 'auth: { jwt: { secret: "a secret of more than 32 bytes, told to nobody" } }';

  test.each(['true', '{}', '{ keep: 1h }', '{ resources: [posts], roles: [a, b] }', 'false'])(
    'takes %s',
    (value) => {
      expect(problems(`${auth}\naudit: ${value}`)).toEqual([]);
    },
  );

  test.each([
    ['{ resources: [post] }', /post.*posts/u],
    ['{ keep: 90 }', /an age such as 90d/u],
    ['{ keep: 0d }', /an age such as 90d/u],
    ['{ roles: [] }', /roles/u],
    ['{ roles: [public] }', /reserved/u],
    ['yes please', /true, false or a map/u],
  ])('refuses %s', (value, message) => {
    expect(problems(`${auth}\naudit: ${value}`)).toContainEqual(expect.stringMatching(message));
  });

  test('warns of a log that nobody can read', () => {
    const keys = `auth: { apiKeys: [{ name: a, hash: "sha256:${'0'.repeat(64)}", roles: [x] }] }`;
    expect(problems(`${keys}\naudit: true`)).toContainEqual(expect.stringMatching(/`auditor`/u));
    expect(problems('access: public\naudit: true')).toContainEqual(
      expect.stringMatching(/without `auth` nobody/u),
    );
  });
});
