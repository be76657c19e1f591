import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
limits: { bulkItems: 6 }
resources:
  posts:
    timestamps: true
    fields:
      title: { type: string, required: true, maxLength: 10 }
      slug: { type: string, nullable: true, unique: true }
      status: { type: enum, values: [draft, late, done], default: draft }
      views: { type: integer, default: 0, minimum: 0 }
      isbn: { type: string, nullable: true, immutable: true }
      specs: { type: object, nullable: true, properties: { a: { type: integer }, b: { type: integer } } }
      parentId: { type: integer, nullable: true, reference: posts.id, onDelete: cascade }
      authorId: { type: integer, nullable: true, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
      comments: { type: relation, relation: hasMany, resource: comments }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags }
  authors: { fields: { name: { type: string } } }
  comments:
    fields:
      text: { type: string }
      postId: { type: integer, required: true, reference: posts.id, onDelete: cascade }
  reviews:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
  tags: { fields: { name: { type: string } } }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id, onDelete: cascade }
      tagId: { type: integer, required: true, reference: tags.id, onDelete: cascade }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date('2026-03-01T12:00:00Z'));
  await both.send('POST', '/v1/authors', [{ name: 'Ada' }, { name: 'Bob' }]);
  await both.send('POST', '/v1/tags', [{ name: 'x' }, { name: 'y' }]);
});
afterAll(() => both?.stop());

/** The posts of the running test have titles that begin with this. */
let mark = 0;
let name = '';
beforeEach(async () => {
  mark += 1;
  name = `t${mark}-`;
  await make(
    { title: `${name}1`, status: 'draft', authorId: 1 },
    { title: `${name}2`, status: 'draft', views: 5, authorId: 2 },
    { title: `${name}3`, status: 'late', specs: { a: 1, b: 2 } },
    { title: `${name}4`, status: 'done', isbn: 'i' },
  );
});

const make = async (...posts: object[]): Promise<readonly { id: number }[]> =>
  (await both.send('POST', '/v1/posts', posts)).body as { id: number }[];
const filter = (more = ''): string => `/v1/posts?title_like=${name}${more}`;
const all = async (): Promise<readonly Record<string, unknown>[]> =>
  (await both.get(filter('&sort=title'))).body as Record<string, unknown>[];
const send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> => both.send(method, path, body, headers);

/** A request that is refused and changes nothing. */
async function refused(request: Promise<Answer>, status: number, code: string): Promise<Answer> {
  const answer = await request;
  expect([answer.status, answer.body?.code], answer.text).toEqual([status, code]);
  return answer;
}

describe('PATCH of a collection', () => {
  test.each<readonly [string, string, object, number, Record<string, unknown>[]]>([
    [
      'what one filter matches',
      '&status=draft',
      { status: 'late' },
      2,
      [{ status: 'late' }, { status: 'late' }, { status: 'late' }, { status: 'done' }],
    ],
    [
      'what two groups match',
      '&_or=views:5,status:done',
      { views: 9 },
      2,
      [{ views: 0 }, { views: 9 }, { views: 0 }, { views: 9 }],
    ],
    [
      'through a relation',
      '&author.name=Ada',
      { views: 3 },
      1,
      [{ views: 3 }, { views: 0 + 5 }, { views: 0 }, { views: 0 }],
    ],
    [
      'what each holds, increased',
      '',
      { views: { increment: 2 } },
      4,
      [{ views: 2 }, { views: 7 }, { views: 2 }, { views: 2 }],
    ],
    [
      'an immutable field as it is',
      '&status=done',
      { isbn: 'i', views: 1 },
      1,
      [{}, {}, {}, { views: 1 }],
    ],
    ['nothing', '&status=draft', {}, 2, [{ status: 'draft' }, { status: 'draft' }, {}, {}]],
  ])('changes %s', async (_, query, body, count, after) => {
    const before = await all();
    const answer = await send('PATCH', filter(query), body);
    const posts = await all();
    expect(posts).toMatchObject(after);
    expect([answer.status, answer.body]).toEqual([200, { count }]);
    expect(posts.length).toBe(before.length);
  });

  test('merges a patch into each', async () => {
    const type = { 'content-type': 'application/merge-patch+json' };
    const answer = await send('PATCH', filter('&status=late'), { specs: { b: 9 } }, type);
    expect(answer.body).toEqual({ count: 1 });
    expect((await all())[2]).toMatchObject({ specs: { a: 1, b: 9 } });
  });

  test('changes links', async () => {
    const answer = await send('PATCH', filter('&status=draft'), { tags: { add: [2] } });
    expect(answer.body).toEqual({ count: 2 });
    const { body } = await both.get(filter('&sort=title&expand=tags&fields=tags.name'));
    expect(body).toMatchObject([
      { tags: [{ name: 'y' }] },
      { tags: [{ name: 'y' }] },
      { tags: [] },
      { tags: [] },
    ]);
  });

  test('matches nothing', async () => {
    const answer = await send('PATCH', filter('&views=4711'), { views: 1 });
    expect([answer.status, answer.body]).toEqual([200, { count: 0 }]);
  });

  test('shows the records as they are now', async () => {
    const answer = await send(
      'PATCH',
      filter('&status=draft&fields=title,views,author.name&expand=author'),
      { views: { increment: 1 } },
      { prefer: 'return=representation' },
    );
    expect(answer.headers.get('preference-applied')).toBe('return=representation');
    expect(answer.body).toMatchObject([
      { title: `${name}1`, views: 1, author: { name: 'Ada' } },
      { title: `${name}2`, views: 6, author: { name: 'Bob' } },
    ]);
  });

  test('answers without a body', async () => {
    const answer = await send('PATCH', filter(), { views: 1 }, { prefer: 'return=minimal' });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await all()).toMatchObject([{ views: 1 }, { views: 1 }, { views: 1 }, { views: 1 }]);
  });

  type Refusal = readonly [string, string, object, number, string, ...string[]];
  test.each<Refusal>([
    [
      'a value that one of them cannot take',
      '',
      { views: { increment: -1 } },
      422,
      'INVALID_VALUE',
      'views: must be at least 0',
    ],
    [
      'a unique value for two',
      '',
      { slug: 'same' },
      422,
      'INVALID_VALUE',
      'slug: is taken: it must be unique',
    ],
    [
      'an immutable field',
      '',
      { isbn: 'i' },
      400,
      'VALIDATION_FAILED',
      'isbn: is immutable: it is set on create only',
    ],
    [
      'a key that leads nowhere',
      '',
      { authorId: 99 },
      422,
      'INVALID_VALUE',
      'authorId: there is no record in authors with id 99',
    ],
    [
      'an id',
      '',
      { id: 1 },
      400,
      'VALIDATION_FAILED',
      'id: must not be sent with a change of many records',
    ],
    [
      'an unknown field and filter',
      '&zzz=1',
      { yyy: 1 },
      400,
      'INVALID_PARAMETER',
      'zzz: there is no field or parameter zzz',
      'yyy: there is no field yyy',
    ],
    [
      'sort',
      '&sort=id',
      { views: 1 },
      400,
      'INVALID_PARAMETER',
      'sort: makes no sense on a change of many records',
    ],
    [
      'limit',
      '&limit=1',
      { views: 1 },
      400,
      'INVALID_PARAMETER',
      'limit: makes no sense on a change of many records',
    ],
    [
      'page',
      '&page=1',
      { views: 1 },
      400,
      'INVALID_PARAMETER',
      'page: makes no sense on a change of many records',
    ],
    [
      'cursor',
      '&cursor=',
      { views: 1 },
      400,
      'INVALID_PARAMETER',
      'cursor: makes no sense on a change of many records',
    ],
    ['a filter value', '&views=x', { views: 1 }, 400, 'INVALID_FILTER'],
    ['an array', '', [{ views: 1 }], 400, 'INVALID_BODY'],
  ])('refuses %s as a whole', async (...row) => {
    const [, query, body, status, code, ...problems] = row as unknown as Refusal;
    const before = await all();
    const answer = await refused(send('PATCH', filter(query), body), status, code);
    if (problems.length > 0) expect(problemsOf(answer)).toEqual(problems);
    expect(await all()).toEqual(before);
  });
});

describe('DELETE of a collection', () => {
  test('deletes what a list shows, and what cascades', async () => {
    const [first] = await all();
    await send('POST', '/v1/comments', { text: 'a', postId: first?.['id'] });
    await make({ title: `${name}5`, parentId: first?.['id'] });
    const answer = await send('DELETE', filter('&views=0'));
    expect([answer.status, answer.body]).toEqual([200, { count: 4 }]);
    expect((await all()).map(({ title }) => title)).toEqual([`${name}2`]);
    expect((await both.get(`/v1/comments?postId=${String(first?.['id'])}`)).body).toEqual([]);
  });

  test('shows the records as they were', async () => {
    const before = (await both.get(filter('&status=draft&expand=author'))).body;
    const answer = await send('DELETE', filter('&status=draft&expand=author'), undefined, {
      prefer: 'return=representation',
    });
    expect(answer.body).toEqual(before);
    expect((await all()).length).toBe(2);
  });

  test('keeps all if one is needed', async () => {
    const [, second] = await all();
    await send('POST', '/v1/reviews', { postId: second?.['id'] });
    const answer = await refused(send('DELETE', filter()), 409, 'HAS_DEPENDENTS');
    expect(answer.body.dependents).toEqual([{ resource: 'reviews', count: 1 }]);
    expect((await all()).length).toBe(4);
  });
});

describe.each([
  ['PATCH', { views: 1 }],
  ['DELETE', undefined],
] as const)('%s of a collection', (method, body) => {
  test.each(['/v1/posts', '/v1/posts?expand=author', '/v1/posts?'])(
    'needs a filter: %s',
    async (path) => {
      const answer = await refused(send(method, path, body), 400, 'INVALID_FILTER');
      expect(answer.body.message).toContain(`${method} of a collection needs at least one filter`);
    },
  );

  test.each(['if-match', 'if-none-match'])('refuses %s', async (header) => {
    await refused(send(method, filter(), body, { [header]: '*' }), 400, 'INVALID_PARAMETER');
  });

  test.each<readonly [string, number, number]>([
    ['max-affected=3', 4, 3],
    ['max-affected=0', 4, 0],
    ['return=representation, max-affected="2"', 4, 2],
  ])('changes nothing if more match than Prefer: %s', async (prefer, count, maxAffected) => {
    const before = await all();
    const answer = await refused(
      send(method, filter(), body, { prefer }),
      409,
      'TOO_MANY_AFFECTED',
    );
    expect(answer.body).toMatchObject({ count, maxAffected });
    expect(await all()).toEqual(before);
  });

  test.each([
    'max-affected=ten',
    'max-affected',
    'max-affected=-1',
    'max-affected=1.5',
    'max-affected=1e2',
  ])('changes nothing if Prefer is %s', async (prefer) => {
    const before = await all();
    const answer = await refused(
      send(method, filter(), body, { prefer }),
      400,
      'INVALID_PARAMETER',
    );
    expect(answer.body.validationErrors).toEqual([
      expect.objectContaining({
        field: 'Prefer',
        error: 'max-affected must be a whole number, such as max-affected=100',
      }),
    ]);
    expect(await all()).toEqual(before);
  });

  test('changes at most limits.bulkItems, whatever is asked for', async () => {
    await make(...[5, 6, 7].map((number) => ({ title: `${name}${number}` })));
    const prefer = 'max-affected=99999999999999999999';
    const answer = await refused(
      send(method, filter(), body, { prefer }),
      409,
      'TOO_MANY_AFFECTED',
    );
    expect(answer.body).toMatchObject({ count: 7, maxAffected: 6 });
    expect((await send(method, filter('&title_neq=t'), body)).status).toBe(409);
    const some = await send(method, filter('&title_like=-1'), body, { prefer: 'max-affected=1' });
    expect(some.body).toEqual({ count: 1 });
  });
});

test('PUT of a collection is 405', async () => {
  const answer = await send('PUT', filter(), {});
  expect([answer.status, answer.headers.get('allow')]).toEqual([
    405,
    'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
  ]);
});

describe('under access rules', () => {
  let guarded: Both;
  const ann = caller({ sub: 'ann', roles: [] });
  const eve = caller({ sub: 'eve', roles: ['auditor'] });
  beforeAll(async () => {
    guarded = await serveBoth(
      `
${withTokens}
audit: { resources: [notes], roles: [auditor] }
resources:
  notes:
    access:
      create: public
      read: [auditor, { role: authenticated, where: "_or=owner:{user.sub},isShared:true" }]
      update: [{ role: authenticated, where: "owner={user.sub}" }]
      delete: [{ role: authenticated, where: "owner={user.sub}" }]
    fields:
      owner: { type: string }
      text: { type: string }
      isShared: { type: boolean, default: false }
  blind:
    access: { create: public, read: none, update: authenticated, delete: authenticated }
    fields: { text: { type: string } }
`,
      {},
      () => new Date('2026-03-01T12:00:00Z'),
    );
    for (const owner of ['ann', 'ann', 'bob'])
      await guarded.send('POST', '/v1/notes', { owner, text: 'a' });
    await guarded.send('POST', '/v1/notes', { owner: 'bob', text: 'b', isShared: true });
  });
  afterAll(() => guarded?.stop());

  test('only what the caller sees is changed, and each change recorded', async () => {
    const answer = await guarded.send('PATCH', '/v1/notes?text=a', { text: 'c' }, ann);
    expect(answer.body).toEqual({ count: 2 });
    const log = await guarded.get('/_audit?operation=update&fields=recordId,before,after', eve);
    expect(log.body).toMatchObject([
      { recordId: '1', before: { text: 'a' }, after: { text: 'c' } },
      { recordId: '2', before: { text: 'a' }, after: { text: 'c' } },
    ]);
  });

  test.each(['PATCH', 'DELETE'])('%s is 403 if one of them is read only', async (method) => {
    const body = method === 'PATCH' ? { text: 'd' } : undefined;
    const before = (await guarded.get('/v1/notes', eve)).text;
    const answer = await guarded.send(method, '/v1/notes?id_gt=0', body, ann);
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await guarded.get('/v1/notes', eve)).text).toBe(before);
  });

  test('PATCH is 403 if a result is not allowed', async () => {
    const before = (await guarded.get('/v1/notes', eve)).text;
    const answer = await guarded.send('PATCH', '/v1/notes?owner=ann', { owner: 'bob' }, ann);
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await guarded.get('/v1/notes', eve)).text).toBe(before);
  });

  test('what cannot be read cannot be filtered', async () => {
    const answer = await guarded.send('DELETE', '/v1/blind?text=a', undefined, ann);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PARAMETER']);
  });

  test('without the right it is 403, and 401 without credentials', async () => {
    expect((await guarded.send('DELETE', '/v1/notes?id=1')).status).toBe(401);
  });

  test('a delete records each record', async () => {
    const answer = await guarded.send('DELETE', '/v1/notes?owner=ann', undefined, ann);
    expect(answer.body).toEqual({ count: 2 });
    const log = await guarded.get('/_audit?operation=delete&fields=recordId', eve);
    expect(log.body).toMatchObject([{ recordId: '1' }, { recordId: '2' }]);
  });
});

test('changes of the same records at once lose nothing', async () => {
  for (const side of both.sides) {
    const path = filter('&views_gte=0');
    const before = ((await side.get(filter('&sort=title'))).body as { views: number }[]).map(
      ({ views }) => views,
    );
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => side.send('PATCH', path, { views: { increment: 1 } })),
    );
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => ({ count: 4 })));
    const after = ((await side.get(filter('&sort=title'))).body as { views: number }[]).map(
      ({ views }) => views,
    );
    expect(after).toEqual(before.map((views) => views + 12));
  }
});
