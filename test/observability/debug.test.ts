import { afterAll, describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import { blog, onEach, records, type DebugBody } from './debug.ts';

const both = await serveBoth(blog, records, undefined, { mode: 'dev' });
afterAll(() => both.stop());

const stagesOf = ({ _trace }: DebugBody): readonly string[] => _trace.map(({ stage }) => stage);

describe('members', () => {
  const cases: readonly [path: string, members: readonly string[]][] = [
    ['/v1/posts?_debug=true', ['data', '_debug']],
    ['/v1/posts?_debug=plan', ['data', '_debug']],
    ['/v1/posts?_trace=true', ['data', '_trace']],
    ['/v1/posts?_inspectNetwork=true', ['data', '_network']],
    ['/v1/posts?%5Fdebug=true', ['data', '_debug']],
    [
      '/v1/posts?_inspectNetwork=true&_trace=true&_debug=true',
      ['data', '_debug', '_trace', '_network'],
    ],
    [
      '/v1/posts?_inspect=data&_inspectNetwork=true&_trace=true&_debug=true&_verbose=true',
      ['data', '_debug', '_trace', '_network', '_inspect'],
    ],
    [
      '/v1/posts/1?_inspect=data&_inspectNetwork=true&_trace=true&_debug=true',
      ['data', '_debug', '_trace', '_network', '_inspect'],
    ],
    ['/v1/posts?_debug=true&cursor=&limit=1', ['data', 'next_cursor', '_debug']],
    [
      '/v1/posts?_inspect=data&_inspectNetwork=true&_trace=true&_debug=true&cursor=&limit=1',
      ['data', 'next_cursor', '_debug', '_trace', '_network', '_inspect'],
    ],
    [
      '/v1/posts/99?_inspect=data&_inspectNetwork=true&_trace=true&_debug=true&_verbose=true',
      [
        'status',
        'error',
        'message',
        'path',
        'code',
        'requestId',
        '_debug',
        '_trace',
        '_network',
        '_verbose',
      ],
    ],
    ['/v1/posts?_trace=true&cursor=', ['data', 'next_cursor', '_trace']],
    ['/v1/posts/1?_debug=true&_trace=true&expand=author', ['data', '_debug', '_trace']],
    [
      '/v1/posts/99?_debug=true&_trace=true',
      ['status', 'error', 'message', 'path', 'code', 'requestId', '_debug', '_trace'],
    ],
    [
      '/v1/posts/99?_verbose=true',
      ['status', 'error', 'message', 'path', 'code', 'requestId', '_verbose'],
    ],
    // It has not come as far as its query.
    [
      '/v1/nope?_debug=true&_trace=true',
      ['status', 'error', 'message', 'path', 'code', 'requestId', '_trace'],
    ],
    [
      '/v1/posts?nope=1&_trace=true',
      ['status', 'error', 'message', 'path', 'code', 'requestId', 'validationErrors', '_trace'],
    ],
    [
      '/v1/posts?_debug=true&_debug=plan',
      ['status', 'error', 'message', 'path', 'code', 'requestId', 'validationErrors', '_debug'],
    ],
  ];
  test.each(cases)('%s', async (path, members) => {
    await onEach(
      both,
      (side) => side.get(path),
      (body) => expect(Object.keys(body)).toEqual(members),
    );
  });

  test('on writes, and on those that are refused', async () => {
    const all = '_inspect=data&_inspectNetwork=true&_trace=true&_debug=true&_verbose=true';
    const added = ['_debug', '_trace', '_network', '_inspect'];
    const error = ['status', 'error', 'message', 'path', 'code', 'requestId', 'validationErrors'];
    for (const [method, path, body, status, members] of [
      ['POST', '/v1/events', { at: 'a' }, 201, ['data', ...added]],
      ['PUT', '/v1/events/1', { at: 'b' }, 200, ['data', ...added]],
      ['PATCH', '/v1/events/1', { at: 'c' }, 200, ['data', ...added]],
      [
        'POST',
        '/v1/events',
        [{ at: 1 }],
        400,
        [...error, '_debug', '_trace', '_network', '_verbose'],
      ],
    ] as const)
      await onEach(
        both,
        (side) => side.send(method, `${path}?${all}`, body),
        (answered, got) => {
          expect([got, Object.keys(answered)]).toEqual([status, members]);
          if (got < 400) expect(answered.data).toMatchObject(body);
        },
      );
  });

  test('data is what is answered without them', async () => {
    for (const path of [
      '/v1/posts?sort=-rank&expand=author,tags',
      '/v1/posts/1?fields=title',
      '/v1/posts?limit=1&cursor=',
    ]) {
      const plain = (await both.get(path)).body;
      await onEach(
        both,
        (side) => side.get(`${path}&_debug=plan&_trace=true`),
        ({ data, next_cursor }) =>
          expect(next_cursor === undefined ? data : { data, next_cursor }).toEqual(plain),
      );
    }
  });

  test.each([
    '_verbose=true',
    '_debug=false',
    '_trace=false&_verbose=true',
    '_inspectNetwork=false',
  ])('%s leaves a success as it is', async (query) => {
    for (const path of ['/v1/posts', '/v1/posts/1', '/v1/posts?cursor=']) {
      const plain = await both.get(path);
      const tag = plain.headers.get('etag') ?? '';
      const asked = `${path}${path.includes('?') ? '&' : '?'}${query}`;
      const { text, headers } = await both.get(asked);
      expect(text).toBe(plain.text);
      expect(headers.get('etag')).toBe(tag);
      expect(headers.get('x-debug')).toBeNull();
      expect((await both.get(asked, { 'if-none-match': tag })).status).toBe(304);
    }
  });

  test('no entity tag, and no 304', async () => {
    for (const path of ['/v1/posts', '/v1/posts/1'])
      await onEach(
        both,
        async (side) => {
          const plain = await side.get(path);
          const tag = plain.headers.get('etag') ?? '';
          expect(tag).not.toBe('');
          const answer = await side.get(`${path}?_trace=true`, { 'if-none-match': tag });
          expect(answer.headers.get('etag')).toBeNull();
          expect(answer.headers.get('x-debug')).toBeNull();
          return answer;
        },
        (_, status) => expect(status).toBe(200),
      );
    for (const side of both.sides)
      for (const [method, path] of [
        ['POST', '/v1/logs'],
        ['PUT', '/v1/logs/1'],
        ['PATCH', '/v1/logs/1'],
      ] as const) {
        const { headers } = await side.send(method, path, { at: 'x' });
        expect(headers.get('etag')).toMatch(/^"/u);
        const watched = await side.send(method, `${path}?_trace=true`, { at: 'x' });
        expect(watched.headers.get('etag')).toBeNull();
      }
  });

  test('pagination headers stay', async () => {
    for (const side of both.sides) {
      const { headers } = await side.get('/v1/posts?limit=2&_debug=true');
      expect(headers.get('x-total-count')).toBe('3');
      expect(headers.get('link')).toContain('_debug=true');
    }
  });

  test('a HEAD, a DELETE and a minimal answer have no body to show them in', async () => {
    for (const side of both.sides) {
      const { status, text } = await side.send('HEAD', '/v1/posts?_debug=true');
      expect([status, text]).toEqual([200, '']);
      const made = await side.send('POST', '/v1/events', { at: 'now' });
      const minimal = { prefer: 'return=minimal' };
      const brief = await side.send('POST', '/v1/events?_debug=true', { at: 'now' }, minimal);
      expect([brief.status, brief.text]).toEqual([201, '']);
      const gone = await side.send('DELETE', `/v1/events/${made.body.id}?_debug=true&_trace=true`);
      expect([gone.status, gone.text, gone.headers.get('x-debug')]).toEqual([204, '', null]);
    }
  });
});

describe('_debug.query', () => {
  const cases: readonly [path: string, query: object][] = [
    ['/v1/posts?_debug=true', { filters: {}, sort: [], pagination: { page: 1, limit: 20 } }],
    [
      '/v1/posts?_debug=true&status=done&sort=-size,title&page=2&limit=1',
      {
        filters: { status: 'done' },
        sort: ['-size', 'title'],
        pagination: { page: 2, limit: 1 },
      },
    ],
    [
      '/v1/posts?_debug=true&size_gte=1&size_lte=3&tags.name=red&tags.name=blue',
      {
        filters: { size_gte: '1', size_lte: '3', 'tags.name': ['red', 'blue'] },
        sort: [],
        pagination: { page: 1, limit: 20 },
      },
    ],
    [
      '/v1/posts?_debug=true&_or=status:done,size:1&title=a+b%26c',
      {
        filters: { _or: 'status:done,size:1', title: 'a b&c' },
        sort: [],
        pagination: { page: 1, limit: 20 },
      },
    ],
    [
      '/v1/posts?_debug=true&offset=1&fields=title',
      {
        filters: {},
        sort: [],
        pagination: { offset: 1, limit: 20 },
      },
    ],
    [
      '/v1/posts?_debug=true&cursor=&limit=2',
      {
        filters: {},
        sort: [],
        pagination: { cursor: '', limit: 2 },
      },
    ],
    [
      '/v1/posts?_debug=true&expand=comments&comments.limit=1&comments.text=good&comments.sort=-text',
      {
        filters: { 'comments.text': 'good' },
        sort: [],
        pagination: { page: 1, limit: 20 },
      },
    ],
    [
      '/v1/posts/1?_debug=true&expand=comments&comments.text=good',
      {
        filters: {},
        sort: [],
        pagination: null,
      },
    ],
    // A resource whose pages are by cursor, unless the request says otherwise.
    ['/v1/logs?_debug=true', { filters: {}, sort: [], pagination: { cursor: '', limit: 20 } }],
    ['/v1/logs?_debug=true&page=2', { filters: {}, sort: [], pagination: { page: 2, limit: 20 } }],
    [
      '/v1/logs?_debug=true&offset=2&limit=3',
      { filters: {}, sort: [], pagination: { offset: 2, limit: 3 } },
    ],
    // An error shows what was sent.
    [
      '/v1/posts?_debug=true&page=x&sort=nope',
      {
        filters: {},
        sort: ['nope'],
        pagination: { page: 'x', limit: 20 },
      },
    ],
  ];
  test.each(cases)('%s', async (path, query) => {
    await onEach(
      both,
      (side) => side.get(path),
      ({ _debug }) => expect(_debug.query).toEqual(query),
    );
  });
  test('of writes', async () => {
    const query = { filters: {}, sort: [], pagination: null };
    for (const [method, path, body] of [
      ['POST', '/v1/posts?expand=comments&comments.text=good&_debug=true', { title: 'x' }],
      ['PATCH', '/v1/posts/1?_debug=true', { title: 1 }],
    ] as const)
      await onEach(
        both,
        (side) => side.send(method, path, body),
        ({ _debug }) => expect(_debug.query).toEqual(query),
      );
  });
  test('a cursor that was sent', async () => {
    const { body } = await both.get('/v1/posts?limit=1&cursor=');
    const cursor = (body as { next_cursor: string }).next_cursor;
    await onEach(
      both,
      (side) => side.get(`/v1/posts?_debug=true&limit=1&cursor=${cursor}`),
      ({ _debug }) => expect(_debug.query.pagination).toEqual({ cursor, limit: 1 }),
    );
  });
});

describe('_trace', () => {
  const before = ['init', 'authentication', 'authorization', 'parse_query'];
  const reads: readonly [path: string, stages: readonly string[]][] = [
    ['/v1/posts?_trace=true', [...before, 'fetch_posts', 'finalize']],
    ['/v1/post-tags?_trace=true', [...before, 'fetch_post-tags', 'finalize']],
    [
      '/v1/posts?_trace=true&limit=1&expand=author,comments',
      [...before, 'fetch_posts', 'expand_author', 'expand_comments', 'finalize'],
    ],
    [
      '/v1/posts/1?_trace=true&expand=author.posts.tags',
      [
        ...before,
        'fetch_posts',
        'expand_author',
        'expand_author_posts',
        'expand_author_posts_tags',
        'finalize',
      ],
    ],
    ['/v1/posts/99?_trace=true&expand=author', [...before, 'fetch_posts', 'finalize']],
    ['/v1/posts?_trace=true&nope=1', [...before, 'finalize']],
    ['/v1/nope?_trace=true', ['init', 'authentication', 'authorization', 'finalize']],
  ];
  test.each(reads)('%s', async (path, stages) => {
    await onEach(
      both,
      (side) => side.get(path),
      (body) => expect(stagesOf(body)).toEqual(stages),
    );
  });

  const writing = [...before, 'read_body', 'parse_body'];
  test('of writes', async () => {
    await onEach(
      both,
      (side) => side.send('POST', '/v1/posts?_trace=true&expand=author', { authorId: 1 }),
      (body, status) => {
        expect(status).toBe(201);
        expect(stagesOf(body)).toEqual([
          ...writing,
          'write_posts',
          'commit',
          'fetch_posts',
          'expand_author',
          'finalize',
        ]);
      },
    );
    await onEach(
      both,
      (side) => side.send('PATCH', '/v1/posts/4?_trace=true', { authorId: 99 }),
      (body, status) => {
        expect(status).toBe(422);
        expect(stagesOf(body)).toEqual([...writing, 'write_posts', 'finalize']);
      },
    );
    await onEach(
      both,
      (side) => side.send('PUT', '/v1/users/1?_trace=true', { name: 1 }),
      (body, status) => {
        expect(status).toBe(400);
        expect(stagesOf(body)).toEqual([...writing, 'write_users', 'finalize']);
      },
    );
  });

  test('details say what a step has done', async () => {
    await onEach(
      both,
      (side) => side.get('/v1/posts?_trace=true&expand=comments&id_lte=3&limit=3'),
      ({ _trace }) => {
        const details = Object.fromEntries(_trace.map((step) => [step.stage, step.details]));
        expect(details['authentication']).toEqual({ authenticated: false, roles: [] });
        expect(details['authorization']).toEqual({
          operation: 'read',
          rules: [{ role: 'public' }],
        });
        expect(details['fetch_posts']).toEqual({ queries: 2, rows: 4 });
        expect(details['expand_comments']).toEqual({ queries: 1, rows: 1 });
      },
    );
  });
});

describe('on CSV and NDJSON', () => {
  test.each([
    '_debug=true',
    '_trace=true',
    '_inspect=data',
    '_inspectNetwork=true',
    '_verbose=true&_trace=true',
  ])('%s has no place', async (query) => {
    await onEach(
      both,
      (side) => side.get(`/v1/posts?${query}`, { accept: 'text/csv' }),
      (body, status) => expect([status, body]).toMatchObject([400, { code: 'INVALID_PARAMETER' }]),
    );
  });
  test('_verbose has', async () => {
    const { status } = await both.get('/v1/posts?_verbose=true', { accept: 'text/csv' });
    expect(status).toBe(200);
  });
});
