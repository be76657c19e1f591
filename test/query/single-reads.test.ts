import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { debugParameters } from '../observability/debug.ts';

const uuid = '0198c0de-0000-7000-8000-0000000000ab';
const specification = `
resources:
  posts: { fields: { title: { type: string }, views: { type: integer }, pin: { type: string, writeOnly: true } } }
  keyed: { fields: { id: { type: id, format: uuid }, title: { type: string } } }
  named: { fields: { id: { type: id, format: string }, title: { type: string } } }
`;
const names = ['a/b', 'a b', 'a+b', 'é😀', '...', '1', 'a?b', '%41', '__proto__'];

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {
    posts: [{ title: 'One', views: 1, pin: 'x' }, { title: 'Two' }, { title: 'Thrée 😀' }],
    keyed: [{ id: uuid, title: 'Key' }],
    named: names.map((id) => ({ id, title: `title of ${id}` })),
  });
});
afterAll(() => api.stop());

describe('ids', () => {
  test('a record is one object', async () => {
    const { status, body } = await api.get('/v1/posts/1');
    expect({ status, body }).toEqual({ status: 200, body: { id: 1, title: 'One', views: 1 } });
  });

  test.each([
    ['the default version', '/posts/1'],
    ['an encoded digit', '/v1/posts/%31'],
    ['with a query', '/v1/posts/1?exclude=nothing*'],
    ['with an empty query', '/v1/posts/1?'],
  ])('%s: %s', async (_, path) => {
    expect((await api.get(path)).body).toEqual({ id: 1, title: 'One', views: 1 });
  });

  test.each([uuid, uuid.toUpperCase()])('uuid %s', async (id) => {
    expect((await api.get(`/v1/keyed/${id}`)).body).toEqual({ id: uuid, title: 'Key' });
  });

  test.each(names)('text %s', async (id) => {
    const encoded = encodeURIComponent(id).replaceAll('.', '%2E');
    const { status, text } = await api.raw(`/v1/named/${encoded}`);
    expect([status, JSON.parse(text)]).toEqual([200, { id, title: `title of ${id}` }]);
  });

  test('a plus in a path is no blank', async () => {
    expect((await api.get('/v1/named/a+b')).body).toMatchObject({ id: 'a+b' });
  });

  test.each([
    ['none of that number', '/v1/posts/99'],
    ['zero', '/v1/posts/0'],
    ['negative', '/v1/posts/-1'],
    ['the greatest', '/v1/posts/9007199254740991'],
    ['too great', '/v1/posts/9007199254740992'],
    ['far too great', `/v1/posts/${'9'.repeat(100)}`],
    ['no number', '/v1/posts/x'],
    ['a zero before it', '/v1/posts/01'],
    ['a negative zero', '/v1/posts/-0'],
    ['a fraction', '/v1/posts/1.0'],
    ['an exponent', '/v1/posts/1e0'],
    ['hexadecimal', '/v1/posts/0x1'],
    ['a sign', '/v1/posts/+1'],
    ['a blank', '/v1/posts/1%20'],
    ['NUL', '/v1/posts/1%00'],
    ['null', '/v1/posts/null'],
    ['a list', '/v1/posts/1,2'],
    ['a slash', '/v1/posts/1%2F2'],
    ['another digit', `/v1/posts/${encodeURIComponent('１')}`],
    ['no uuid', '/v1/keyed/1'],
    ['half a uuid', `/v1/keyed/${uuid.slice(0, 20)}`],
    ['an unknown uuid', `/v1/keyed/${uuid.replace('ab', 'ac')}`],
    ['text in another case', '/v1/named/A%20B'],
    ['text with NUL', '/v1/named/a%00'],
  ])('%s is 404: %s', async (_, path) => {
    const { status, body, headers } = await api.get(path);
    const [, , resource, id = ''] = path.split('/');
    expect({ status, body: body as unknown }).toEqual({
      status: 404,
      body: {
        status: 404,
        error: 'Not Found',
        message: expect.stringContaining(`There is no record in ${resource} with id `),
        path,
        code: 'RESOURCE_NOT_FOUND',
        requestId: headers.get('x-request-id'),
      },
    });
    expect(id).not.toBe('');
  });

  test('the path is not normalised', async () => {
    const paths = [
      '/v1/./posts/1',
      '/v1/posts/../posts/1',
      '/v1/%2e/posts',
      '/v1/posts/..',
      '/./v1/posts',
    ];
    const statuses = await Promise.all(paths.map(async (path) => (await api.raw(path)).status));
    expect(statuses).toEqual(paths.map(() => 404));
  });
});

describe('ETag', () => {
  const tagOf = async (path: string): Promise<string> => {
    const { headers, status } = await api.get(path);
    expect(status).toBe(200);
    return headers.get('etag') ?? '';
  };

  test.each(['/v1/posts/1', '/v1/posts'])(
    '%s has a strong one, the same each time',
    async (path) => {
      const tag = await tagOf(path);
      expect(tag).toMatch(/^"[\w-]{20,}"$/u);
      expect(await tagOf(path)).toBe(tag);
    },
  );

  test('what is shown makes it', async () => {
    const tags = await Promise.all(
      [
        '/v1/posts/1',
        '/v1/posts/2',
        '/v1/posts/1?fields=title',
        '/v1/posts',
        '/v1/posts?limit=1',
        '/v1/posts?sort=-id',
        '/v1/posts?fields=title',
      ].map(tagOf),
    );
    expect(new Set(tags).size).toBe(tags.length);
  });

  test('it changes with the record, and only then', async () => {
    const [first, second, list] = await Promise.all(
      ['/v1/posts/1', '/v1/posts/2', '/v1/posts'].map(tagOf),
    );
    await api.send('PATCH', '/v1/posts/1', { views: 2 });
    expect(await tagOf('/v1/posts/1')).not.toBe(first);
    expect(await tagOf('/v1/posts')).not.toBe(list);
    expect(await tagOf('/v1/posts/2')).toBe(second);
    await api.send('PATCH', '/v1/posts/1', { views: 1, pin: 'another' });
    expect(await tagOf('/v1/posts/1')).toBe(first);
  });

  test('the total of a list is part of what is shown', async () => {
    const tag = await tagOf('/v1/posts?limit=1');
    const { body } = await api.send('POST', '/v1/posts', { title: 'one more' });
    expect(await tagOf('/v1/posts?limit=1')).not.toBe(tag);
    await api.send('DELETE', `/v1/posts/${body.id}`);
    expect(await tagOf('/v1/posts?limit=1')).toBe(tag);
  });

  const condition = (tag: string): readonly (readonly [string, string, 200 | 304])[] => [
    ['the tag', tag, 304],
    ['weak', `W/${tag}`, 304],
    ['among others', `"a", ${tag} , W/"b"`, 304],
    ['any', '*', 304],
    ['another', '"a"', 200],
    ['without quotes', tag.slice(1, -1), 200],
    ['empty', '', 200],
    ['nonsense', '"', 200],
  ];
  test.each(['/v1/posts/1', '/v1/posts?limit=2'])('If-None-Match on %s', async (path) => {
    const tag = await tagOf(path);
    for (const [name, value, expected] of condition(tag)) {
      const answer = await api.get(path, { 'if-none-match': value });
      expect(answer.status, name).toBe(expected);
      expect(answer.headers.get('etag'), name).toBe(tag);
      expect(answer.text === '', name).toBe(expected === 304);
    }
  });

  test('a 304 keeps the headers of a 200', async () => {
    const path = '/v1/posts?limit=2';
    const whole = await api.get(path);
    const short = await api.get(path, { 'if-none-match': '*' });
    for (const name of [
      'etag',
      'cache-control',
      'vary',
      'link',
      'x-total-count',
      'x-total-pages',
      'x-page',
      'x-limit',
      'x-content-type-options',
    ])
      expect(short.headers.get(name), name).toBe(whole.headers.get(name));
    expect(short.headers.get('content-type')).toBeNull();
  });

  test('HEAD is conditional too', async () => {
    const tag = await tagOf('/v1/posts/1');
    expect(
      (await api.send('HEAD', '/v1/posts/1', undefined, { 'if-none-match': tag })).status,
    ).toBe(304);
  });

  test.each([
    ['a missing record', '/v1/posts/99', 404],
    ['a bad query', '/v1/posts?nope=1', 400],
  ])('%s stays an error', async (_, path, status) => {
    const answer = await api.get(path, { 'if-none-match': '*' });
    expect([answer.status, answer.headers.get('etag')]).toEqual([status, null]);
  });
});

describe('HEAD', () => {
  test.each([
    '/v1/posts',
    '/v1/posts?limit=1&sort=-id',
    '/v1/posts/3',
    '/v1/posts/99',
    '/v1/posts?nope=1',
    '/v1/nope',
  ])('%s is GET without a body', async (path) => {
    const [get, head] = [await api.raw(path), await api.raw(path, { method: 'HEAD' })];
    const comparable = ({ status, headers }: typeof get): unknown => ({
      status,
      headers: {
        ...headers,
        date: '',
        'x-request-id': '',
        'content-length': Number(headers['content-length']),
      },
    });
    expect(comparable(head)).toEqual(comparable(get));
    expect(head.text).toBe('');
    expect(Number(get.headers['content-length'])).toBe(Buffer.byteLength(get.text));
  });
});

test.each([
  ['/v1/posts', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'],
  ['/posts', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'],
  ['/v1/posts/1', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  // It says the same to everyone, of every record.
  ['/v1/posts/99', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
])('OPTIONS %s', async (path, allow) => {
  const { status, headers, text } = await api.send('OPTIONS', path, undefined, {
    accept: 'text/html',
  });
  expect([status, headers.get('allow'), text]).toEqual([204, allow, '']);
});

describe('Accept', () => {
  const json = [
    'application/json',
    'application/*',
    '*/*',
    '',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;q=0.1',
    'text/html, application/xhtml+xml, */*;q=0.8',
    'text/csv;q=0.1, application/json;q=0.9',
    'text/html;q=1,*/*;q=0.001',
    'application/json, */*;q=0',
  ];
  const none = [
    'text/html',
    'text/*',
    'application/xml',
    'application/vnd.api+json',
    'application/json;q=0',
    'application/json; q=0.000',
    'application/json;q=0, */*',
    'application/*;q=0, */*',
    '*/*;q=0',
    'json',
    'image/png, image/webp',
  ];
  test.each([
    ...json.map((accept) => ({ accept, status: 200 })),
    ...none.map((accept) => ({ accept, status: 406 })),
  ])('"$accept": $status', async ({ accept, status }) => {
    for (const path of ['/v1/posts', '/v1/posts/1']) {
      const answer = await api.raw(path, { headers: { accept } });
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      if (status === 406)
        expect((JSON.parse(answer.text) as { code: string }).code).toBe('NOT_ACCEPTABLE');
    }
  });
  test('without the header', async () => {
    expect((await api.raw('/v1/posts')).status).toBe(200);
  });
});

describe('debug parameters where they are off', () => {
  const parameters = [...debugParameters, '_debug=false&_trace=true', '%5Fdebug=true'];
  test.each(parameters)('%s changes nothing', async (parameter) => {
    for (const path of [
      '/v1/posts',
      '/v1/posts/1',
      '/v1/posts/99',
      '/v1/nope',
      '/v1/posts?nope=1',
    ]) {
      const separator = path.includes('?') ? '&' : '?';
      const [plain, asked] = [
        await api.get(path),
        await api.get(`${path}${separator}${parameter}`),
      ];
      expect(asked.headers.get('x-debug'), path).toBe('disabled');
      expect(plain.headers.get('x-debug'), path).toBeNull();
      expect(asked.headers.get('etag'), path).toBe(plain.headers.get('etag'));
      const shown = ({ status, body }: typeof plain): unknown =>
        status === 200 ? body : { ...(body as object), requestId: '' };
      expect(shown(asked), path).toEqual(shown(plain));
    }
  });
  test.each(['_debug=false', '_trace=false&_verbose=false', 'exclude=_debug*', 'title=_debug'])(
    '%s asks for none',
    async (query) => {
      expect((await api.get(`/v1/posts?${query}`)).headers.get('x-debug')).toBeNull();
    },
  );
  test('on a delete', async () => {
    const { body } = await api.send('POST', '/v1/posts?_trace=true', { title: 'short' });
    const answer = await api.send('DELETE', `/v1/posts/${body.id}?_debug=true`);
    expect([answer.status, answer.headers.get('x-debug')]).toEqual([204, 'disabled']);
  });
});
