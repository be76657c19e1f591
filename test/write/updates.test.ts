import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf, testExchanges, type Rows } from '../server/exchanges.ts';
import { later, moment, post, serveWrites, type Writes } from './writes.ts';

let api: Writes;
beforeAll(async () => {
  api = await serveWrites();
});
afterAll(() => api.stop());

/** What changes nothing of a record changes nothing at all. */
async function expectUntouched(path: string, write: () => Promise<unknown>): Promise<void> {
  const before = (await api.get(path)).text;
  await write();
  expect((await api.get(path)).text).toBe(before);
}

describe('PUT', () => {
  test('gives omitted fields their default, else null, and keeps the rest', async () => {
    const path = await api.created({
      slug: 'put',
      views: 5,
      price: '3',
      isbn: 'i1',
      hidden: 'mine',
      tags: ['x'],
      specs: { weight: 2 },
      publishedAt: '2020-01-01T00:00:00Z',
      token: '0b5e7c2a-0000-4000-8000-000000000001',
    });
    api.time = later;
    const answer = await api.send('PUT', path, { ...post, title: 'b' });
    api.time = moment;
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      title: 'b',
      slug: null,
      views: 0,
      price: null,
      specs: null,
      tags: ['new'],
      publishedAt: later,
      isbn: 'i1',
      hits: 7,
      createdAt: moment,
      updatedAt: later,
    });
    expect(answer.body.token).not.toBe('0b5e7c2a-0000-4000-8000-000000000001');
    expect(api.stored(`SELECT hidden FROM posts WHERE id = ${answer.body.id}`)).toBe('mine');
    const read = await api.get(path);
    expect(read.text).toBe(answer.text);
    expect(read.headers.get('etag')).toBe(answer.headers.get('etag'));
  });

  test('takes back what GET gave, whatever of it is readOnly', async () => {
    const path = await api.created({ isbn: 'i1', price: '3' });
    await expectUntouched(path, async () => {
      const answer = await api.send('PUT', path, (await api.get(path)).body);
      expect(answer.status).toBe(200);
    });
  });

  test('does not even look at readOnly members', async () => {
    const path = await api.created();
    const answer = await api.send('PUT', path, { ...post, hits: 'x', createdAt: false });
    expect(answer.body).toMatchObject({ hits: 7, createdAt: moment });
  });
});

test.each(['PUT', 'PATCH'])('%s takes the UUID of its path in any case', async (method) => {
  const path = (await api.send('POST', '/v1/tokens', {})).headers.get('location') ?? '';
  const id = path.slice('/v1/tokens/'.length);
  for (const [sent, asked] of [
    [id.toUpperCase(), id],
    [id, id.toUpperCase()],
  ] as const) {
    const answer = await api.send(method, `/v1/tokens/${asked}`, { id: sent });
    expect([answer.status, answer.body.id]).toEqual([200, id]);
  }
  const other = await api.send(method, path, { id: '0b5e7c2a-0000-4000-8000-00000000000b' });
  expect(problemsOf(other)).toEqual([`id: must be "${id}", as in the path`]);
});

describe('PUT and PATCH alike', () => {
  let path: string;
  let id: number;
  beforeAll(async () => {
    path = await api.created({ slug: 'alike', isbn: 'i1' });
    id = Number(path.split('/').at(-1));
    await api.created({ slug: 'other' });
  });

  for (const method of ['PUT', 'PATCH']) {
    const full = method === 'PUT' ? post : {};
    const rows: readonly [name: string, body: object, status: number, ...problems: string[]][] = [
      ['the same id', { id: 'own' }, 200],
      ['another id', { id: 4711 }, 400, 'id: must be %, as in the path'],
      ['an id of another type', { id: '1' }, 400, 'id: must be %, as in the path'],
      ['an id that is none', { id: 1.5 }, 400, 'id: must be %, as in the path'],
      ['null as id', { id: null }, 400, 'id: must be %, as in the path'],
      ['an immutable field as it is', { isbn: 'i1' }, 200],
      [
        'an immutable field with another value',
        { isbn: 'i2' },
        400,
        'isbn: is immutable: it is set on create only',
      ],
      [
        'an immutable field emptied',
        { isbn: null },
        400,
        'isbn: is immutable: it is set on create only',
      ],
      ['readOnly fields', { hits: 1, createdAt: later }, 200],
      ['unknown fields', { zzz: 1 }, 400, 'zzz: there is no field zzz'],
      ['a wrong type', { title: 5 }, 400, 'title: must be a string'],
      ['a wrong value', { views: -1 }, 422, 'views: must be at least 0'],
      [
        'both',
        { views: -1, title: 5 },
        400,
        'title: must be a string',
        'views: must be at least 0',
      ],
      [
        'a key that points nowhere',
        { authorId: 99 },
        422,
        'authorId: there is no record in users with id 99',
      ],
      ['a value that is its own', { slug: 'alike' }, 200],
    ];
    test.each(rows)(`${method} with %s`, async (_, body, status, ...problems) => {
      const own = { ...full, ...body, ...('id' in body && body.id === 'own' ? { id } : {}) };
      const order = Object.keys(own);
      const answer = await api.send(method, path, own);
      expect(answer.status).toBe(status);
      if (status !== 200)
        expect(problemsOf(answer)).toEqual(
          problems
            .map((problem) => problem.replace('%', String(id)))
            .toSorted(
              (a, b) => order.indexOf(a.split(':')[0] ?? '') - order.indexOf(b.split(':')[0] ?? ''),
            ),
        );
      expect((await api.get(path)).body).toMatchObject({
        title: 'a',
        isbn: 'i1',
        hits: 7,
        authorId: 1,
      });
    });

    test(`${method} to a value that is taken names the fields it sent`, async () => {
      const answer = await api.send(method, path, { ...full, slug: 'other' });
      const taken = 'is taken: authorId, slug must be unique together';
      expect(problemsOf(answer)).toEqual(
        method === 'PUT' ? [`authorId: ${taken}`, `slug: ${taken}`] : [`slug: ${taken}`],
      );
    });
  }
});

describe('PATCH', () => {
  test('changes what is sent and the time', async () => {
    const path = await api.created({ slug: 'patch', views: 3, specs: { weight: 1 } });
    const before = (await api.get(path)).body;
    api.time = later;
    const answer = await api.send('PATCH', path, { views: 4, specs: { unit: 'g' } });
    api.time = moment;
    // Under application/json an object is replaced.
    expect(answer.body).toEqual({ ...before, views: 4, specs: { unit: 'g' }, updatedAt: later });
    expect(answer.text).toBe((await api.get(path)).text);
  });

  test.each([
    ['nothing', {}],
    ['what is readOnly', { hits: 1 }],
    ['an immutable field as it is', { isbn: 'i1' }],
    ['the id', 'own'],
  ])('with %s leaves the record as it is', async (_, body) => {
    const path = await api.created({ isbn: 'i1' });
    api.time = later;
    await expectUntouched(path, async () => {
      const own = body === 'own' ? { id: Number(path.split('/').at(-1)) } : body;
      const answer = await api.send('PATCH', path, own);
      expect(answer.status).toBe(200);
      expect(answer.body.updatedAt).toBe(moment);
    });
    api.time = moment;
  });

  test('writes a field that nobody reads', async () => {
    const { headers } = await api.send('POST', '/v1/users', { name: 'Quiet', secret: 'a' });
    const path = headers.get('location') ?? '';
    const answer = await api.send('PATCH', path, { secret: 'b' });
    expect(answer.body).not.toHaveProperty('secret');
    expect(api.stored("SELECT secret FROM users WHERE name = 'Quiet'")).toBe('b');
  });
});

describe('a record that is not there', () => {
  const missing: Rows = [
    '999999',
    'abc',
    '1.5',
    '-1',
    '01',
    '-0',
    '9007199254740993',
    '%00',
    'x'.repeat(300),
  ].flatMap((id) => [
    {
      name: `PUT ${id}`,
      request: `PUT /v1/posts/${id}`,
      body: post,
      status: 404,
      code: 'RESOURCE_NOT_FOUND' as const,
    },
    {
      name: `PATCH ${id}`,
      request: `PATCH /v1/posts/${id}`,
      body: {},
      status: 404,
      code: 'RESOURCE_NOT_FOUND' as const,
    },
    {
      name: `DELETE ${id}`,
      request: `DELETE /v1/posts/${id}`,
      status: 404,
      code: 'RESOURCE_NOT_FOUND' as const,
    },
  ]);
  testExchanges(
    () => api,
    [
      ...missing,
      {
        name: 'is found missing after the body was read',
        request: 'PUT /v1/posts/999999',
        body: { title: 5 },
        status: 400,
        code: 'VALIDATION_FAILED',
      },
      {
        name: 'is found missing before keys are looked up',
        request: 'PATCH /v1/posts/999999',
        body: { authorId: 99 },
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
      },
      {
        name: 'is found missing before immutable fields are compared',
        request: 'PATCH /v1/posts/999999',
        body: { isbn: 'x' },
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
      },
      {
        name: 'of text',
        request: 'PATCH /v1/labels/none',
        body: {},
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
      },
      {
        name: 'of UUID',
        request: 'DELETE /v1/tokens/none',
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
      },
    ],
  );
});
