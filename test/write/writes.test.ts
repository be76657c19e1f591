import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import { check, problemsOf, testExchanges, type Rows } from '../server/exchanges.ts';
import { moment, post, serveWrites, specification, type Writes } from './writes.ts';

let api: Writes;
beforeAll(async () => {
  api = await serveWrites();
});
afterAll(() => api.stop());

describe('POST', () => {
  test('answers 201 with the whole record as GET gives it, Location and ETag', async () => {
    const answer = await api.send('POST', '/v1/posts', {
      ...post,
      price: '1.5',
      specs: { weight: 1 },
    });
    expect(answer.status).toBe(201);
    const path = answer.headers.get('location') ?? '';
    expect(path).toBe(`/v1/posts/${answer.body.id}`);
    const read = await api.get(path);
    expect(answer.text).toBe(read.text);
    expect(answer.headers.get('etag')).toBe(read.headers.get('etag'));
    expect(answer.body).toEqual({
      id: expect.any(Number),
      title: 'a',
      slug: null,
      views: 0,
      price: '1.50',
      publishedAt: moment,
      day: '2026-03-01',
      clock: '14:05:06',
      token: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u,
      ),
      isbn: null,
      hits: 7,
      specs: { weight: 1, unit: 'kg' },
      tags: ['new'],
      subtitle: null,
      authorId: 1,
      createdAt: moment,
      updatedAt: moment,
    });
  });

  const rows: Rows = [
    {
      name: 'every missing required field is named',
      request: 'POST /v1/posts',
      body: {},
      status: 400,
      code: 'VALIDATION_FAILED',
      problems: ['title: is required', 'subtitle: is required', 'authorId: is required'],
    },
    {
      name: 'null is not allowed where a field is required, unless it is nullable as well',
      request: 'POST /v1/posts',
      body: { title: null, subtitle: null, authorId: null },
      status: 400,
      code: 'VALIDATION_FAILED',
      problems: ['title: must not be null', 'authorId: must not be null'],
    },
    {
      name: 'unknown fields get a suggestion',
      request: 'POST /v1/posts',
      body: { ...post, titel: 'a', zzz: 1 },
      status: 400,
      code: 'VALIDATION_FAILED',
      problems: [
        'titel: there is no field titel; did you mean title?',
        'zzz: there is no field zzz',
      ],
    },
    {
      name: 'readOnly fields and a generated id are refused',
      request: 'POST /v1/posts',
      body: { ...post, id: 9, hits: 1, createdAt: moment },
      status: 400,
      code: 'VALIDATION_FAILED',
      problems: [
        'id: is given by the server and must not be sent',
        'hits: is read-only',
        'createdAt: is read-only',
      ],
    },
    {
      name: 'relations are written by their keys',
      request: 'POST /v1/posts',
      body: { ...post, author: 1 },
      status: 400,
      code: 'VALIDATION_FAILED',
      problems: ['author: is a relation; write its key authorId'],
    },
    {
      name: 'a collection cannot be written',
      request: 'POST /v1/users',
      body: { name: 'Eve', posts: [] },
      status: 400,
      code: 'VALIDATION_FAILED',
      problems: [
        'posts: is a relation; write its records as { "create": … }, { "update": … } or { "delete": … }',
      ],
    },
    {
      name: 'values of the right type that are wrong: 422',
      request: 'POST /v1/users',
      body: { name: 'x', email: 'no', role: 'king' },
      status: 422,
      code: 'INVALID_VALUE',
      problems: [
        'name: must have at least 2 characters',
        'email: must be an e-mail address',
        'role: must be one of admin, author',
      ],
    },
    {
      name: 'both kinds: 400 with all of them',
      request: 'POST /v1/users',
      body: { name: 'x', email: 5, zzz: true },
      status: 400,
      code: 'VALIDATION_FAILED',
      problems: [
        'name: must have at least 2 characters',
        'email: must be a string',
        'zzz: there is no field zzz',
      ],
    },
    {
      name: 'problems inside objects and arrays name their place',
      request: 'POST /v1/posts',
      body: { ...post, specs: { weight: 'x', unit: 1 }, tags: ['a', 1, null] },
      status: 400,
      code: 'VALIDATION_FAILED',
      problems: [
        'specs.weight: must be a number',
        'specs.unit: must be a string',
        'tags[1]: must be a string',
        'tags[2]: must not be null',
      ],
    },
    {
      name: 'a key that points nowhere',
      request: 'POST /v1/posts',
      body: { ...post, authorId: 99 },
      status: 422,
      code: 'INVALID_VALUE',
      problems: ['authorId: there is no record in users with id 99'],
    },
    {
      name: 'a value that is taken',
      request: 'POST /v1/users',
      body: { name: 'Eve', email: 'ada@example.org' },
      status: 422,
      code: 'INVALID_VALUE',
      problems: ['email: is taken: it must be unique'],
    },
    {
      name: 'problems of query and body together',
      request: 'POST /v1/users?fields=zzz&page=2',
      body: { name: 'x', email: 5 },
      status: 400,
      code: 'INVALID_PARAMETER',
      problems: [
        'fields: there is no field zzz',
        'page: makes no sense on a create',
        'name: must have at least 2 characters',
        'email: must be a string',
      ],
    },
    {
      name: 'a record of nothing but its id',
      request: 'POST /v1/counters',
      body: {},
      status: 201,
      shows: { id: 1 },
    },
    {
      name: 'null is one of many, not taken',
      request: 'POST /v1/users',
      body: { name: 'Eve' },
      status: 201,
    },
  ];
  testExchanges(() => api, rows);

  test('composite unique names every field, and null is never taken', async () => {
    const again = { ...post, slug: 'one' };
    await api.created({ slug: 'one' });
    check(await api.send('POST', '/v1/posts', again), {
      name: '',
      request: 'POST /v1/posts',
      status: 422,
      code: 'INVALID_VALUE',
      problems: [
        'slug: is taken: authorId, slug must be unique together',
        'authorId: is taken: authorId, slug must be unique together',
      ].toSorted((a, b) => a.localeCompare(b)),
    });
    await api.created({ slug: 'one', authorId: 2 });
    await api.created({ slug: null });
    await api.created({ slug: null });
  });

  test('every refused key and value is named, not only the first', async () => {
    await api.created({ slug: 'both' });
    const answer = await api.send('POST', '/v1/posts?fields=id', [
      { ...post, slug: 'both' },
      post,
      { ...post, authorId: 98 },
      { ...post, authorId: 99 },
    ]);
    expect(answer.status).toBe(422);
    expect(problemsOf(answer)).toEqual([
      '[0].authorId: is taken: authorId, slug must be unique together',
      '[0].slug: is taken: authorId, slug must be unique together',
      '[2].authorId: there is no record in users with id 98',
      '[3].authorId: there is no record in users with id 99',
    ]);
  });

  test('an id of text or UUID may be sent, or is drawn', async () => {
    const given = await api.send('POST', '/v1/labels', { id: 'a/b c?ä', text: 'x' });
    expect(given.headers.get('location')).toBe('/v1/labels/a%2Fb%20c%3F%C3%A4');
    expect((await api.get(given.headers.get('location') ?? '')).body).toEqual(given.body);
    const drawn = await api.send('POST', '/v1/labels', { text: 'x' });
    expect(drawn.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/u);
    const upper = '0B5E7C2A-0000-4000-8000-00000000000A';
    const uuid = await api.send('POST', '/v1/tokens', { id: upper });
    expect(uuid.headers.get('location')).toBe(`/v1/tokens/${upper.toLowerCase()}`);
    expect((await api.get(`/v1/tokens/${upper}`)).status).toBe(200);
  });

  testExchanges(
    () => api,
    [
      {
        name: 'an id that is taken',
        request: 'POST /v1/labels',
        body: [
          { id: 'twice', text: 'x' },
          { id: 'twice', text: 'y' },
        ],
        status: 422,
        code: 'INVALID_VALUE',
        problems: ['[1].id: is taken: it must be unique'],
      },
      {
        name: 'an id that is no UUID',
        request: 'POST /v1/tokens',
        body: { id: 'x' },
        status: 422,
        code: 'INVALID_VALUE',
        problems: ['id: must be a UUID'],
      },
      ...['.', '..'].map((id) => ({
        name: `an id that no URL can name: ${id}`,
        request: 'POST /v1/labels',
        body: { id, text: 'x' },
        status: 422,
        code: 'INVALID_VALUE' as const,
        problems: ['id: must not be . or .., which no URL can name'],
      })),
      {
        name: 'an id that is empty',
        request: 'POST /v1/labels',
        body: { id: '', text: 'x' },
        status: 422,
        code: 'INVALID_VALUE',
        problems: ['id: must have 1 to 255 characters'],
      },
      {
        name: 'a record may point to itself',
        request: 'POST /v1/labels',
        body: { id: 'self', text: 'x', parentId: 'self' },
        status: 201,
      },
    ],
  );
});

describe('POST of an array', () => {
  test('creates all, in order, without Location and ETag', async () => {
    const answer = await api.send('POST', '/v1/posts?fields=title,author.name&expand=author', [
      { ...post, title: 'one' },
      { ...post, title: 'two', authorId: 2 },
    ]);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual([
      { id: expect.any(Number), title: 'one', author: { id: 1, name: 'Ada' } },
      { id: expect.any(Number), title: 'two', author: { id: 2, name: 'Bob' } },
    ]);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.headers.get('etag')).toBeNull();
  });

  test('the answer shows what is there after all of it', async () => {
    const { body: user } = await api.send('POST', '/v1/users', { name: 'Team' });
    const mine = { ...post, authorId: user.id };
    const answer = await api.send(
      'POST',
      '/v1/posts?expand=author.posts&fields=id,author.posts.id',
      [mine, mine],
    );
    expect(answer.body[0].author.posts).toEqual(answer.body[1].author.posts);
    expect(answer.body[0].author.posts).toHaveLength(2);
  });

  test('is of one moment', async () => {
    const start = Date.parse(moment);
    let ticks = 0;
    const ticking = await serveBoth(specification, {}, () => new Date(start + (ticks += 1)));
    await ticking.send('POST', '/v1/users', { name: 'Ada' });
    const { body } = await ticking.send('POST', '/v1/posts', [post, post]);
    const times = body.flatMap((one: Record<string, string>) => [
      one['createdAt'],
      one['updatedAt'],
      one['publishedAt'],
    ]);
    expect(new Set(times).size).toBe(1);
    await ticking.stop();
  });

  test('creates all or none', async () => {
    const before = (await api.get('/v1/posts?limit=1')).headers.get('x-total-count');
    const answer = await api.send('POST', '/v1/posts', [post, { ...post, authorId: 99 }, post]);
    expect(answer.status).toBe(422);
    expect((await api.get('/v1/posts?limit=1')).headers.get('x-total-count')).toBe(before);
  });

  const many = (count: number): unknown[] => Array.from({ length: count }, () => ({}));
  testExchanges(
    () => api,
    [
      { name: 'of nothing', request: 'POST /v1/posts', body: [], status: 201, shows: [] },
      {
        name: 'at the limit',
        request: 'POST /v1/counters?fields=id',
        body: many(1000),
        status: 201,
      },
      {
        name: 'over the limit',
        request: 'POST /v1/counters',
        body: many(1001),
        status: 400,
        code: 'LIMIT_EXCEEDED',
        problems: [],
      },
      {
        name: 'with problems in several items',
        request: 'POST /v1/posts',
        body: [post, { ...post, title: 5 }, { ...post, views: -1 }],
        status: 400,
        code: 'VALIDATION_FAILED',
        problems: ['[1].title: must be a string', '[2].views: must be at least 0'],
      },
      {
        name: 'with only 422 problems',
        request: 'POST /v1/posts',
        body: [post, { ...post, views: 1.5 }],
        status: 422,
        code: 'INVALID_VALUE',
        problems: ['[1].views: must be a whole number'],
      },
      {
        name: 'with an item that is no object',
        request: 'POST /v1/posts',
        body: [post, 5],
        status: 400,
        code: 'INVALID_BODY',
        problems: [],
      },
      {
        name: 'with items that are no objects beside others that are wrong',
        request: 'POST /v1/posts',
        body: [null, { ...post, views: 1.5 }, [post], { ...post, nope: 1 }],
        status: 400,
        code: 'INVALID_BODY',
        shows: {
          message: 'The items [0], [2] of the body are not JSON objects; Validation failed',
        },
        problems: ['[1].views: must be a whole number', '[3].nope: there is no field nope'],
      },
      {
        name: 'with an array in it',
        request: 'POST /v1/posts',
        body: [[post]],
        status: 400,
        code: 'INVALID_BODY',
        problems: [],
      },
    ],
  );
});
