import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownerView } from '../../src/model/view.ts';
import { knownTag, openApiDocument, openApiInTurns } from '../../src/openapi/document/document.ts';
import { buildValid, serveApi, type TestApi } from '../support/api.ts';
import { at, documentOf, sentParameters, servedDocumentOf, valueSchemaOf } from './documents.ts';
import { undocumented } from '../support/openapi.ts';
import { everything, guarded } from './specifications.ts';
import { world, worldRecords } from '../query/world.ts';

/** As much of a schema as says what a value may be. */
interface Listed {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Listed[];
}

describe('served', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await serveApi(everything);
  });
  afterAll(() => api.stop());

  test('every parameter of a list and of a read is taken', async () => {
    const other = await serveApi(world, worldRecords);
    const document = documentOf(world);
    const values: Readonly<Record<string, string>> = {
      sort: '-id',
      nulls: 'first',
      fields: 'id',
      exclude: 'none*',
      _and: 'id:1,id:2',
      group: 'id',
      aggregate: 'count',
      having: 'count_gt:0',
      _or: 'id:1,id:2',
      _not: 'id:1,id:2',
      cursor: '',
    };
    const failed: string[] = [];
    let count = 0;
    for (const path of ['/v1/posts', '/v1/posts/{id}', '/v1/comments', '/v1/notes']) {
      const pointer = `paths ${path} get`;
      const parameters = sentParameters(document, pointer);
      for (const parameter of parameters) {
        const { name, in: place } = parameter;
        if (place !== 'query') continue;
        const schema: Listed & { items?: Listed } = valueSchemaOf(parameter, parameters);
        // Of a single read all that has a dot is within what is expanded.
        const of = path.endsWith('{id}') ? /^(\w+)\./u : /^(\w+)\.(?:page|limit|offset|sort)$/u;
        const [, collection] = of.exec(name) ?? [];
        const whole = schema.items ?? schema;
        const type = whole.anyOf?.[0] ?? whole;
        const byType: Readonly<Record<string, string>> = {
          integer: '1',
          number: '1.5',
          boolean: 'true',
          'date-time': '2026-03-01T00:00:00Z',
          date: '2026-03-01',
          uuid: '0198c0de-0000-7000-8000-000000000001',
          decimal: '1.00',
        };
        const plain =
          type.enum?.[0] ??
          byType[type.format ?? ''] ??
          byType[type.type ?? ''] ??
          (/\bclock(?:_|$)/u.test(name) ? '12:00:00' : 'x');
        const value =
          collection !== undefined && name.endsWith('.sort') ? 'id' : (values[name] ?? plain);
        // Alone they mean nothing there.
        if (name === 'expand' || (name === 'sort' && path.endsWith('{id}'))) continue;
        const url = `${path.replace('{id}', '1')}?${name}=${encodeURIComponent(value)}${name === 'having' ? '&aggregate=count' : ''}${collection === undefined ? '' : `&expand=${collection}`}`;
        const answer = await other.get(url);
        count += 1;
        if (answer.status !== 200) failed.push(`${url}: ${answer.text}`);
      }
    }
    await other.stop();
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(400);
  });

  test.each(['name', 'slug', 'host', 'ip', 'mail_gt', 'link_in', 'slug_neq'])(
    'a filter compares with any text: %s',
    async (name) => {
      const list = sentParameters(documentOf(everything), 'paths /api/v1/things get');
      const schema = list.find((one) => one.name === name)?.schema;
      expect(schema?.items ?? schema).toEqual({ type: 'string' });
      expect((await api.get(`/api/v1/things?${name}=A+b`)).status).toBe(200);
    },
  );

  test('a filter behind a morphTo takes what any of its resources has', async () => {
    const list = sentParameters(documentOf(everything), 'paths /api/v1/notes get');
    const schemaOf = (name: string) => list.find((one) => one.name === name)?.schema;
    const uuid = '0198c0de-0000-7000-8000-000000000001';
    expect(schemaOf('about.id')).toMatchObject({
      anyOf: [{ type: 'integer' }, { type: 'string', format: 'uuid' }],
    });
    expect(schemaOf('about:owners.id')).toEqual({ type: 'string', format: 'uuid' });
    // Both names are texts.
    expect(schemaOf('about.name')).toEqual({ type: 'string' });
    for (const [path, id, status] of [
      ['about', '1', 200],
      ['about', uuid, 200],
      ['about:owners', '1', 400],
    ] as const)
      expect((await api.get(`/api/v1/notes?${path}.id=${id}`)).status).toBe(status);
  });

  test('a filter on a moment takes a day as well', async () => {
    const list = sentParameters(documentOf(everything), 'paths /api/v1/things get');
    expect(list.find(({ name }) => name === 'moment_gte')?.schema).toMatchObject({
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
    });
    expect((await api.get('/api/v1/things?moment_gte=2026-01-01')).status).toBe(200);
  });

  test.each(['things', 'owners', 'tags', 'errors'])(
    'the example of %s can be created',
    async (name) => {
      const pointer = `paths /api/v1/${name} post requestBody content application/json example`;
      const answer = await api.send(
        'POST',
        `/api/v1/${name}`,
        without(at(documentOf(everything), pointer)),
      );
      expect([answer.status, answer.text]).toEqual([201, answer.text]);
    },
  );

  test.each<[string, string, number]>([
    ['the default version', '/_openapi.json', 200],
    ['a version', '/v1/_openapi.json', 200],
    ['a version below the base path', '/api/v1/_openapi.json', 200],
    ['a version that is not there', '/v2/_openapi.json', 404],
    ['no version', '/v0/_openapi.json', 404],
    ['a version with a zero', '/v01/_openapi.json', 404],
    ['elsewhere', '/other/_openapi.json', 404],
    ['below a resource', '/api/v1/things/_openapi.json', 404],
  ])('%s', async (_, path, status) => {
    const answer = await api.get(path);
    expect(answer.status).toBe(status);
    if (status !== 200) return;
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(await servedDocumentOf(everything))));
  });

  test.each<[string, string, readonly string[]]>([
    ['a tag', 'tags', ['/api/v1/tags', '/api/v1/tags/{id}']],
    ['the first tag', '', ['/api/v1/things', '/api/v1/things/{id}']],
    ['a tag that is not there', 'nothing', []],
  ])('asked for %s', async (_, tag, paths) => {
    const [{ body }, all] = await Promise.all([
      api.get(`/_openapi.json?tag=${tag}`),
      api.get('/_openapi.json'),
    ]);
    expect(Object.keys(body.paths)).toEqual(paths);
    expect(body.tags).toEqual(all.body.tags);
    for (const path of paths) expect(body.paths[path]).toEqual(all.body.paths[path]);
    // Whatever is referred to is there.
    for (const [, section = '', name = ''] of JSON.stringify(body).matchAll(
      /"#\/components\/(\w+)\/(\w+)/gu,
    ))
      expect(body.components[section], name).toHaveProperty(name);
  });

  test('all tags that are not there are one for the cache', () => {
    const view = ownerView(buildValid(everything));
    for (const tag of [undefined, '', 'tags', '_batch', '_endpoints'])
      expect(knownTag(view, tag)).toBe(tag);
    for (const tag of ['nothing', 'Tags', '_audit', '_']) expect(knownTag(view, tag)).toBe('_');
  });

  test('is not sent again to who has it', async () => {
    const first = await api.get('/_openapi.json');
    const tag = first.headers.get('etag') ?? '';
    const again = await api.get('/_openapi.json', { 'if-none-match': tag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  });

  test('leaves a record that is called so', async () => {
    const id = '_openapi.json';
    expect((await api.send('POST', '/api/v1/badges', { id })).status).toBe(201);
    expect((await api.get(`/api/v1/badges/${id}`)).body).toEqual({ id, ownerId: null });
    expect((await api.get(`/api/badges/${id}`)).body).toEqual({ id, ownerId: null });
  });

  test('is only read', async () => {
    const answer = await api.send('POST', '/v1/_openapi.json', {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await api.send('OPTIONS', '/v1/_openapi.json')).status).toBe(204);
  });

  test('shows a caller without credentials what that may do', async () => {
    const other = await serveApi(guarded);
    const { body, headers } = await other.get('/_openapi.json');
    expect(Object.keys(body.paths)).toEqual([
      '/v1/posts',
      '/v1/posts/{id}',
      '/v1/inbox',
      '/v1/inbox/{id}',
      '/v1/_batch',
    ]);
    expect(headers.get('vary')).toContain('Authorization');
    await other.stop();
  });
});

/** Keys that point to records which are not there are left out. */
function without(example: unknown): unknown {
  return Object.fromEntries(
    Object.entries(example as object).map(([name, value]) => [
      name,
      name.endsWith('Id') ? null : (value as unknown),
    ]),
  );
}

describe('the reader', () => {
  let api: TestApi;
  let other: TestApi;
  beforeAll(async () => {
    api = await serveApi(everything);
    other = await serveApi(guarded);
  });
  afterAll(async () => {
    await api.stop();
    await other.stop();
  });

  /** What the page knows before it asks, and the addresses that it loads. */
  async function openedPage(of: TestApi): Promise<{
    text: string;
    headers: Headers;
    told: unknown;
    files: readonly string[];
  }> {
    const { status, text, headers } = await of.get('/_docs');
    expect(status).toBe(200);
    const [, written = ''] = /<meta name="reference" content="([^"]*)"/u.exec(text) ?? [];
    return {
      text,
      headers,
      told: JSON.parse(written.replaceAll('&quot;', '"')),
      files: [...text.matchAll(/(?:src|href)="([^"]+)"/gu)].map(([, file = '']) => `/${file}`),
    };
  }

  test('is a page that says nothing of the API but its name and versions', async () => {
    const { headers, text, told } = await openedPage(api);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).toContain('<title>Everything &amp; more &lt;b&gt;</title>');
    expect(text).not.toMatch(/https?:|<script>|onload=/u);
    expect(told).toEqual({ versions: ['v1'], hasAuth: false, hasDashboard: false });
    expect((await openedPage(other)).told).toMatchObject({ hasAuth: true });
    expect((await api.send('POST', '/_docs', {})).status).toBe(405);
  });

  test('loads files of its own path alone, compressed, for good', async () => {
    const { files } = await openedPage(api);
    expect(files.filter((file) => !file.startsWith('/_docs/assets/'))).toEqual([]);
    expect(files.some((file) => file.endsWith('.js'))).toBe(true);
    for (const file of files) {
      const plain = await api.get(file, { 'accept-encoding': 'identity' });
      expect([file, plain.status]).toEqual([file, 200]);
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      for (const coding of file.endsWith('.js') ? ['br', 'gzip'] : []) {
        const short = await api.get(file, { 'accept-encoding': coding });
        expect(short.text).toBe(plain.text);
      }
    }
    for (const file of ['/_docs/index.html', '/_docs/../package.json', '/_docs/assets/'])
      expect((await api.get(file)).status).toBe(404);
  });

  test('runs its own scripts alone, and asks its own server alone', async () => {
    const { headers } = await openedPage(api);
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });
});

describe('the check of every answer', () => {
  const api = buildValid(everything);
  const good = {
    status: 404,
    error: 'Not Found',
    message: 'm',
    path: '/',
    code: 'RESOURCE_NOT_FOUND',
    requestId: 'r',
  };
  const headers = (more: Record<string, string> = {}): Headers =>
    new Headers({ 'content-type': 'application/json', 'x-request-id': 'r', ...more });
  const get = {
    method: 'GET',
    path: '/api/v1/tags/1',
    sent: undefined,
    requestType: undefined,
    status: 200,
    headers: headers(),
  };
  test.each<[string, Parameters<typeof undocumented>[1], RegExp | undefined]>([
    ['a record', { ...get, text: '{"id":1,"name":null}' }, undefined],
    [
      'a record with a member too many',
      { ...get, text: '{"id":1,"name":"a","x":1}' },
      /additional/u,
    ],
    ['a plain record with a member too few', { ...get, text: '{"id":1}' }, /required/u],
    ['a selection', { ...get, path: '/api/tags/1?fields=id', text: '{"id":1}' }, undefined],
    ['a wrong type', { ...get, text: '{"id":"1","name":"a"}' }, /integer/u],
    ['an error', { ...get, status: 404, text: JSON.stringify(good) }, undefined],
    ['an error of another status', { ...get, status: 412, text: JSON.stringify(good) }, /412/u],
    [
      'an error with another code',
      { ...get, status: 404, text: JSON.stringify({ ...good, code: 'INVALID_SORT' }) },
      /equal to one/u,
    ],
    [
      'an error where there is nothing',
      { ...get, path: '/nowhere', status: 404, text: '{}' },
      /required/u,
    ],
    [
      'no request id',
      {
        ...get,
        headers: new Headers({ 'content-type': 'application/json' }),
        text: '{"id":1,"name":null}',
      },
      /X-Request-Id/u,
    ],
    [
      'a header too many',
      { ...get, headers: headers({ 'x-other': '1' }), text: '{"id":1,"name":null}' },
      /x-other/u,
    ],
    [
      'another media type',
      { ...get, headers: headers({ 'content-type': 'text/html' }), text: '<p>' },
      /text\/html/u,
    ],
    ['a parameter', { ...get, path: '/api/v1/tags?nme=x', text: '[]' }, /is missing|nme/u],
  ])('%s', (_, exchanged, expected) => {
    const said = undocumented(api, exchanged);
    if (expected === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(expected);
  });
});

test('a document is made a resource at a time, so that others have their turn', async () => {
  const count = 40;
  const resources = Array.from(
    { length: count },
    (_, index) => `  things${index}: { fields: { name: { type: string } } }`,
  );
  const model = buildValid(`access: public\nresources:\n${resources.join('\n')}`);
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  const document = await openApiInTurns(ownerView(model), {});
  clearImmediate(next);
  expect(turns).toBeGreaterThan(count);
  expect(document).toEqual(openApiDocument(ownerView(model)));
});
