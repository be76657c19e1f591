import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testExchanges } from './exchanges.ts';
import { post, serveWrites, type Writes } from '../write/writes.ts';

let api: Writes;
beforeAll(async () => {
  api = await serveWrites();
});
afterAll(() => api.stop());

describe('the answer of a write', () => {
  test.each([
    ['fields', 'fields=title', ['id', 'title']],
    [
      'exclude',
      'exclude=*At,s*,t*,author*',
      ['id', 'views', 'price', 'day', 'clock', 'isbn', 'hits'],
    ],
    ['expand', 'fields=author.name&expand=author', ['id', 'author']],
  ])('is shaped by %s, its entity tag is that of the plain record', async (_, query, members) => {
    const answers = [await api.send('POST', `/v1/posts?${query}`, post)];
    const path = answers[0]?.headers.get('location') ?? '';
    expect(path).toMatch(/^\/v1\/posts\/\d+$/u);
    answers.push(await api.send('PUT', `${path}?${query}`, post));
    answers.push(await api.send('PATCH', `${path}?${query}`, { title: 'b' }));
    for (const answer of answers) expect(Object.keys(answer.body)).toEqual(members);
    expect(answers.at(-1)?.headers.get('etag')).toBe((await api.get(path)).headers.get('etag'));
  });

  test.each([
    ['return=minimal', true],
    ['Return = "minimal"', true],
    ['respond-async, return=minimal; wait=10', true],
    ['return=minimal, return=representation', true],
    ['return=representation, return=minimal', false],
    ['return=minimally', false],
    ['minimal', false],
    ['', false],
  ])('Prefer: %s', async (prefer, minimal) => {
    const headers = { prefer };
    const post201 = await api.send('POST', '/v1/posts', post, headers);
    const path = post201.headers.get('location') ?? '';
    const put = await api.send('PUT', path, post, headers);
    const patch = await api.send('PATCH', path, {}, headers);
    const array = await api.send('POST', '/v1/posts', [post], headers);
    expect([post201, put, patch, array].map(({ status }) => status)).toEqual(
      minimal ? [201, 204, 204, 201] : [201, 200, 200, 201],
    );
    for (const answer of [post201, put, patch, array]) {
      expect(answer.text === '').toBe(minimal);
      expect(answer.headers.get('preference-applied')).toBe(minimal ? 'return=minimal' : null);
    }
    expect([post201, array].map(({ headers: sent }) => sent.get('content-length') === '0')).toEqual(
      [minimal, minimal],
    );
    // Who asks for no body can go on with If-Match all the same.
    expect(patch.headers.get('etag')).toBe((await api.get(path)).headers.get('etag'));
    expect(post201.headers.get('etag')).toMatch(/^"/u);
    expect(array.headers.get('etag')).toBeNull();
  });

  testExchanges(
    () => api,
    [
      {
        name: 'cannot be filtered or paged',
        request: 'POST /v1/posts?title=a&limit=5&sort=id',
        body: post,
        status: 400,
        code: 'INVALID_PARAMETER',
        problems: [
          'title: filters make no sense on a create',
          'limit: makes no sense on a create',
          'sort: makes no sense on a create',
        ],
      },
      {
        name: 'of DELETE cannot be shaped',
        request: 'DELETE /v1/posts/1?fields=id',
        status: 400,
        code: 'INVALID_PARAMETER',
        problems: ['fields: makes no sense on a delete'],
      },
    ],
  );
});

test('what only sorts and bounds expansions does no harm where nothing is expanded', async () => {
  const path = await api.created();
  const query = 'nulls=last&maxDepth=1&_debug=false';
  const asked = [
    await api.get(`${path}?${query}`),
    await api.send('POST', `/v1/posts?${query}`, post),
    await api.send('PUT', `${path}?${query}`, post),
    await api.send('PATCH', `${path}?${query}`, { title: 'b' }),
    await api.send('DELETE', `${path}?_debug=false`),
  ];
  expect(asked.map(({ status }) => status)).toEqual([200, 201, 200, 200, 204]);
});

test('what a write expands is bounded by maxDepth', async () => {
  const path = await api.created();
  const deep = 'expand=author.posts.author.posts';
  const statuses = async (query: string): Promise<number[]> => [
    (await api.send('POST', `/v1/posts?${query}`, post)).status,
    (await api.send('PUT', `${path}?${query}`, post)).status,
    (await api.send('PATCH', `${path}?${query}`, { title: 'b' })).status,
  ];
  expect(await statuses(`${deep}&maxDepth=4`)).toEqual([201, 200, 200]);
  expect(await statuses(deep)).toEqual([400, 400, 400]);
  expect(await statuses('expand=author.posts&maxDepth=1')).toEqual([400, 400, 400]);
});

describe('another version', () => {
  testExchanges(
    () => api,
    [
      {
        name: 'writes and answers under its own names',
        request: 'POST /v2/posts',
        body: { headline: 'h', subtitle: null, authorId: 1 },
        status: 201,
        shows: { headline: 'h' },
      },
      {
        name: 'does not know the others',
        request: 'POST /v2/posts',
        body: { title: 'h', headline: 5, subtitle: null, authorId: 1, price: '1' },
        status: 400,
        code: 'VALIDATION_FAILED',
        problems: [
          'title: there is no field title',
          'headline: must be a string',
          'price: there is no field price',
        ],
      },
      {
        name: 'names what the database refuses by its own names',
        request: 'POST /v2/users',
        body: { name: 'Eve', mail: 'ada@example.org' },
        status: 422,
        code: 'INVALID_VALUE',
        problems: ['mail: is taken: it must be unique'],
      },
    ],
  );

  test('PUT leaves what it hides', async () => {
    const path = await api.created({ price: '3', isbn: 'i9' });
    await api.send('PUT', path.replace('v1', 'v2'), {
      headline: 'new',
      subtitle: null,
      authorId: 1,
    });
    expect((await api.get(path)).body).toMatchObject({
      title: 'new',
      price: '3.00',
      isbn: 'i9',
      slug: null,
    });
  });

  test('Location stays in the version and the alias that was asked', async () => {
    for (const base of ['/v2/posts', '/posts']) {
      const body = { headline: 'h', subtitle: null, authorId: 1 };
      const answer = await api.send('POST', base, body);
      expect(answer.headers.get('location')).toBe(`${base}/${answer.body.id}`);
    }
  });
});
