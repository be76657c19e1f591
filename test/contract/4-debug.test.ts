import { afterAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { blog, durationPattern, hundredths, records, type DebugBody } from './4-debug.ts';

const both = await serveBoth(blog, records, undefined, { mode: 'dev' });
afterAll(() => both.stop());

/** Looks at the answer that each database gives: times and SQL differ. */
async function onEach(
  ask: (side: TestApi) => Promise<{ readonly body: DebugBody; readonly status: number }>,
  look: (body: DebugBody, status: number, side: TestApi) => void,
): Promise<void> {
  for (const side of both.sides) {
    const { body, status } = await ask(side);
    look(body, status, side);
  }
}

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
    ['/v1/posts?_debug=true&cursor=&limit=1', ['data', 'next_cursor', '_debug']],
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
      (side) => side.get(path),
      (body) => expect(Object.keys(body)).toEqual(members),
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
    const { body, headers } = await both.get(`/v1/posts?${query}`);
    expect(body).toHaveLength(3);
    expect(headers.get('x-debug')).toBeNull();
  });

  test('no entity tag, and no 304', async () => {
    for (const path of ['/v1/posts', '/v1/posts/1'])
      await onEach(
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
  });

  test('pagination headers stay', async () => {
    for (const side of both.sides) {
      const { headers } = await side.get('/v1/posts?limit=2&_debug=true');
      expect(headers.get('x-total-count')).toBe('3');
      expect(headers.get('link')).toContain('_debug=true');
    }
  });

  test('a HEAD and a DELETE have no body to show them in', async () => {
    for (const side of both.sides) {
      const { status, text } = await side.send('HEAD', '/v1/posts?_debug=true');
      expect([status, text]).toEqual([200, '']);
      const made = await side.send('POST', '/v1/events', { at: 'now' });
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
      (side) => side.get(path),
      ({ _debug }) => expect(_debug.query).toEqual(query),
    );
  });
  test('a cursor that was sent', async () => {
    const { body } = await both.get('/v1/posts?limit=1&cursor=');
    const cursor = (body as { next_cursor: string }).next_cursor;
    await onEach(
      (side) => side.get(`/v1/posts?_debug=true&limit=1&cursor=${cursor}`),
      ({ _debug }) => expect(_debug.query.pagination).toEqual({ cursor, limit: 1 }),
    );
  });
});

describe('times', () => {
  const requests: readonly string[] = [
    '/v1/posts?_debug=true&_trace=true&expand=author,comments,tags&sort=-rank',
    '/v1/posts/1?_debug=plan&_trace=true&expand=author.posts',
    '/v1/posts/99?_debug=true&_trace=true',
    '/v1/posts?_debug=true&_trace=true&nope=1',
  ];
  const look = ({ _debug, _trace }: DebugBody): void => {
    const { total, database, processing } = _debug.timing;
    for (const duration of [
      total,
      database,
      processing,
      ..._trace.map((step) => step.duration),
      ..._debug.database.queries.map((query) => query.duration),
    ])
      expect(duration).toMatch(durationPattern);
    expect(hundredths(database) + hundredths(processing)).toBe(hundredths(total));
    const sum = _trace.reduce((all, { duration }) => all + hundredths(duration), 0);
    expect(sum).toBe(hundredths(total));
    const times = _trace.map(({ time }) => time);
    for (const time of times) expect(new Date(time).toISOString()).toBe(time);
    expect(times.toSorted()).toEqual(times);
  };
  test.each(requests)('of %s add up', async (path) => {
    await onEach((side) => side.get(path), look);
  });
  test('of a write add up', async () => {
    await onEach(
      (side) => side.send('POST', '/v1/events?_debug=true&_trace=true', { at: 'x' }),
      look,
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
      (side) => side.get(path),
      (body) => expect(stagesOf(body)).toEqual(stages),
    );
  });

  const writing = [...before, 'read_body', 'parse_body'];
  test('of writes', async () => {
    await onEach(
      (side) => side.send('POST', '/v1/posts?_trace=true&expand=author', { authorId: 1 }),
      (body, status) => {
        expect(status).toBe(201);
        expect(stagesOf(body)).toEqual([
          ...writing,
          'write_posts',
          'fetch_posts',
          'expand_author',
          'commit',
          'finalize',
        ]);
      },
    );
    await onEach(
      (side) => side.send('PATCH', '/v1/posts/4?_trace=true', { authorId: 99 }),
      (body, status) => {
        expect(status).toBe(422);
        expect(stagesOf(body)).toEqual([...writing, 'write_posts', 'finalize']);
      },
    );
    await onEach(
      (side) => side.send('PUT', '/v1/users/1?_trace=true', { name: 1 }),
      (body, status) => {
        expect(status).toBe(400);
        expect(stagesOf(body)).toEqual([...writing, 'finalize']);
      },
    );
  });

  test('details say what a step has done', async () => {
    await onEach(
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

describe('_debug.database', () => {
  const counts: readonly [path: string, count: number][] = [
    ['/v1/posts/1', 1],
    ['/v1/posts?limit=50', 1],
    ['/v1/posts?limit=1', 2],
    // A total that is remembered is counted again, so that what it costs shows.
    ['/v1/posts?limit=1', 2],
    ['/v1/posts?limit=1&expand=author,comments', 4],
    ['/v1/posts?nope=1', 0],
  ];
  test.each(counts)('%s: %i statements', async (path, count) => {
    await onEach(
      (side) => side.get(`${path}${path.includes('?') ? '&' : '?'}_debug=true`),
      ({ _debug: { database } }) => {
        expect(database.queryCount).toBe(count);
        expect(database.queries).toHaveLength(count);
        for (const query of database.queries)
          expect(Object.keys(query)).toEqual(['sql', 'duration']);
      },
    );
  });

  test('statements hold placeholders and no value', async () => {
    await onEach(
      (side) =>
        side.get('/v1/posts?_debug=true&title=s3cret&_or=size:4711,rank:4712&tags.name=blue'),
      ({ _debug: { database } }) => {
        const text = database.queries.map(({ sql }) => sql).join('\n');
        expect(text).toMatch(/\?|\$1/u);
        expect(text).not.toMatch(/s3cret|471|blue/u);
      },
    );
    await onEach(
      (side) => side.send('POST', '/v1/users?_debug=true', { name: 'Zoe', password: 'hunter3' }),
      (body) => {
        expect(body._debug.database.queryCount).toBe(1);
        expect(JSON.stringify(body)).not.toContain('hunter3');
      },
    );
  });
});

describe('on CSV and NDJSON', () => {
  test.each(['_debug=true', '_trace=true', '_inspectNetwork=true', '_verbose=true&_trace=true'])(
    '%s has no place',
    async (query) => {
      await onEach(
        (side) => side.get(`/v1/posts?${query}`, { accept: 'text/csv' }),
        (body, status) =>
          expect([status, body]).toMatchObject([400, { code: 'INVALID_PARAMETER' }]),
      );
    },
  );
  test('_verbose has', async () => {
    const { status } = await both.get('/v1/posts?_verbose=true', { accept: 'text/csv' });
    expect(status).toBe(200);
  });
});
