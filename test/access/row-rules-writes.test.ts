import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { withTokens } from '../support/callers.ts';
import { callers, everything, serveNewsroom, type Who } from './newsroom.ts';

let both: Both;
let before: string;
beforeAll(async () => {
  both = await serveNewsroom();
  before = await everything(both);
});
afterAll(() => both?.stop());

const send = (who: Who, method: string, path: string, body?: unknown): Promise<Answer> =>
  both.send(method, `/v1/${path}`, body, callers[who]);

type Refused = readonly [
  name: string,
  who: Who,
  request: string,
  body: unknown,
  status: number,
  code: string,
];

describe('what is refused leaves everything as it was', () => {
  afterEach(async () => expect(await everything(both)).toBe(before));

  test.each<Refused>([
    ['no rule', 'nobody', 'POST posts', { title: 'x' }, 401, 'UNAUTHENTICATED'],
    ['no rule', 'ann', 'POST tags', { name: 'x' }, 403, 'FORBIDDEN'],
    ['no rule, before the body is looked at', 'ann', 'POST tags', '{', 403, 'FORBIDDEN'],
    [
      'a new row outside the rule',
      'ann',
      'POST posts',
      { title: 'x', authorId: 2 },
      403,
      'FORBIDDEN',
    ],
    ['a new row without what the rule asks', 'ann', 'POST posts', { title: 'x' }, 403, 'FORBIDDEN'],
    ['one of several', 'ann', 'POST posts', [{ authorId: 1 }, { authorId: 2 }], 403, 'FORBIDDEN'],
    ['a claim that the token lacks', 'eve', 'POST posts', { title: 'x' }, 403, 'FORBIDDEN'],
    ['a row that is not seen', 'ann', 'PATCH posts/3', { title: 'x' }, 404, 'RESOURCE_NOT_FOUND'],
    ['a row that is seen', 'ann', 'PATCH posts/4', { title: 'x' }, 403, 'FORBIDDEN'],
    ['an own row outside the rule', 'ann', 'PATCH posts/1', { title: 'x' }, 403, 'FORBIDDEN'],
    ['a row that is not there', 'ann', 'PATCH posts/99', { title: 'x' }, 404, 'RESOURCE_NOT_FOUND'],
    [
      'all that is wrong with a body first',
      'ann',
      'PATCH posts/3',
      { titel: 'x' },
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a row that leaves the rule',
      'ann',
      'PATCH posts/2',
      { status: 'published' },
      403,
      'FORBIDDEN',
    ],
    ['a row given away', 'ann', 'PATCH posts/2', { authorId: 2 }, 403, 'FORBIDDEN'],
    ['PUT as well', 'ann', 'PUT posts/2', { title: 'x', authorId: 2 }, 403, 'FORBIDDEN'],
    ['deleting what is not seen', 'ann', 'DELETE posts/3', undefined, 404, 'RESOURCE_NOT_FOUND'],
    ['deleting what is seen', 'ann', 'DELETE posts/4', undefined, 403, 'FORBIDDEN'],
    ['deleting own outside the rule', 'ann', 'DELETE posts/1', undefined, 403, 'FORBIDDEN'],
    ['a key to what is not seen', 'ann', 'PATCH posts/2', { authorId: 3 }, 422, 'INVALID_VALUE'],
    ['a key to what is not there', 'ann', 'PATCH posts/2', { authorId: 77 }, 422, 'INVALID_VALUE'],
    [
      'a key to a resource without any right',
      'nobody',
      'POST messages',
      { authorId: 1 },
      422,
      'INVALID_VALUE',
    ],
    [
      'a key of a blind write',
      'nobody',
      'POST comments',
      { text: 'x', postId: 3 },
      422,
      'INVALID_VALUE',
    ],
    ['a link to what is not seen', 'ann', 'PATCH posts/2', { tags: [1, 2] }, 422, 'INVALID_VALUE'],
    [
      'a link to what is not there',
      'ann',
      'PATCH posts/2',
      { tags: [1, 77] },
      422,
      'INVALID_VALUE',
    ],
    [
      'a link outside the rule',
      'ann',
      'PATCH posts/2',
      { tags: [1, { id: 3, pivot: { position: 100 } }] },
      403,
      'FORBIDDEN',
    ],
    ['links without a rule', 'eve', 'PATCH posts/4', { tags: [] }, 403, 'FORBIDDEN'],
    [
      'a pivot outside the rule',
      'ann',
      'PATCH posts/2',
      { tags: { add: [{ id: 1, pivot: { position: 100 } }] } },
      403,
      'FORBIDDEN',
    ],
    [
      'what is read only by rule',
      'nobody',
      'POST comments',
      { text: 'x', approved: true },
      400,
      'VALIDATION_FAILED',
    ],
  ])('%s: %s %s', async (_, who, request, body, status, code) => {
    const [method = '', path = ''] = request.split(' ');
    const answer = await send(who, method, path, body);
    expect({ status: answer.status, code: answer.body?.code }, answer.text).toEqual({
      status,
      code,
    });
  });

  test.each([
    ['PATCH posts/2', { authorId: 3 }, { authorId: 77 }, '3'],
    ['PATCH posts/2', { tags: [2] }, { tags: [77] }, '2'],
    ['POST messages', { authorId: 3 }, { authorId: 77 }, '3'],
  ])('%s %j says the same as of a missing row', async (request, hidden, missing, id) => {
    const [method = '', path = ''] = request.split(' ');
    const [one, other] = [
      await send('ann', method, path, hidden),
      await send('ann', method, path, missing),
    ];
    expect(one.status).toBe(422);
    expect(one.body.errors).toEqual(
      JSON.parse(JSON.stringify(other.body.errors).replaceAll('77', id)),
    );
  });

  test('a morph pair to what is not seen is one to what is not there', async () => {
    // An editor sees every post, and no user of another team.
    const pair = (onId: number): object => ({ text: 'x', onType: 'users', onId });
    const hidden = await send('editor', 'POST', 'notes', pair(3));
    const missing = await send('editor', 'POST', 'notes', pair(77));
    expect(hidden.status, hidden.text).toBe(422);
    expect(hidden.body.errors).toEqual(
      JSON.parse(JSON.stringify(missing.body.errors).replaceAll('77', '3')),
    );
  });

  test.each<readonly [Who, string, object]>([
    // Of four comments the editor reads all; the dependents of a user are posts.
    ['root', 'DELETE users/1', [{ resource: 'posts', count: 2 }]],
    ['editor', 'DELETE posts/1', [{ resource: 'comments', count: 2 }]],
  ])('%s: %s names dependents', async (who, request, dependents) => {
    const [method = '', path = ''] = request.split(' ');
    const { status, body } = await send(who, method, path);
    expect({ status, dependents: body.dependents as unknown }).toEqual({ status: 409, dependents });
  });
});

describe('what a rule allows is done', () => {
  test('and the answer shows what the caller sees', async () => {
    const made = await send('ann', 'POST', 'posts?expand=author,tags', {
      title: 'f',
      authorId: 1,
      tags: [1],
    });
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ title: 'f', author: { name: 'Ann' }, tags: [{ id: 1 }] });
    const { id } = made.body as { id: number };
    const changed = await send('ann', 'PATCH', `posts/${id}`, { title: 'g' });
    expect(changed.body).toMatchObject({ id, title: 'g' });
    const read = await both.get(`/v1/posts/${id}`, callers.ann);
    expect(changed.headers.get('etag')).toBe(read.headers.get('etag'));
    expect((await send('ann', 'DELETE', `posts/${id}`)).status).toBe(204);
    expect((await both.get(`/v1/posts/${id}`, callers.ann)).status).toBe(404);
  });

  test('a create whose result the caller does not see answers with the id alone', async () => {
    const made = await send('nobody', 'POST', 'comments', { text: 'new', postId: 1 });
    expect(made.status, made.text).toBe(201);
    const { id } = made.body as { id: number };
    expect(made.body).toEqual({ id });
    expect(made.headers.get('location')).toBe(`/v1/comments/${id}`);
    expect(made.headers.get('etag')).toBeNull();
    expect((await both.get(`/v1/comments/${id}`)).status).toBe(404);
    await send('root', 'DELETE', `comments/${id}`);
  });

  test('without any right to read, one writes blindly where the rule allows it', async () => {
    const changed = await send('nobody', 'PATCH', 'messages/1', { text: 'x' });
    expect({ status: changed.status, text: changed.text }).toEqual({ status: 204, text: '' });
    expect((await send('nobody', 'PATCH', 'messages/2', { text: 'x' })).status).toBe(404);
    expect((await send('nobody', 'PATCH', 'messages/9', { text: 'x' })).status).toBe(404);
    // It would leave the rule.
    expect((await send('nobody', 'PATCH', 'messages/1', { open: false })).status).toBe(401);
  });

  test('a key to what the caller does not see may stay as it is', async () => {
    const before = await both.get('/v1/posts/5', callers.editor);
    const kept = await send('editor', 'PUT', 'posts/5', before.body);
    expect(kept.status, kept.text).toBe(200);
    expect(kept.body).toEqual(before.body);
    expect((await send('editor', 'PATCH', 'posts/4', { authorId: 3 })).status).toBe(422);
  });

  test('hidden links stay where the whole set is written', async () => {
    const links = async (): Promise<readonly (readonly number[])[]> => {
      const { body } = await both.get('/v1/post-tags?postId=2&sort=tagId', callers.root);
      return (body as { tagId: number; position: number }[]).map(({ tagId, position }) => [
        tagId,
        position,
      ]);
    };
    const first = await links();
    expect((await send('ann', 'PATCH', 'posts/2', { tags: [3] })).status).toBe(200);
    expect(await links()).toEqual([
      [2, 2],
      [3, 0],
    ]);
    expect((await send('ann', 'PATCH', 'posts/2', { tags: { remove: [2, 3] } })).status).toBe(200);
    expect(await links()).toEqual([[2, 2]]);
    // This link may be made, and not be taken away.
    const seventh = { add: [{ id: 1, pivot: { position: 7 } }] };
    expect((await send('ann', 'PATCH', 'posts/2', { tags: seventh })).status).toBe(200);
    const refused = await send('ann', 'PATCH', 'posts/2', { tags: [] });
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 403,
      code: 'FORBIDDEN',
    });
    await send('root', 'PATCH', 'posts/2', {
      tags: first.map(([id, position]) => ({ id, pivot: { position } })),
    });
    expect(await links()).toEqual(first);
  });

  test('If-Match goes by what the caller sees', async () => {
    const { headers } = await both.get('/v1/posts/2', callers.ann);
    const tag = headers.get('etag') ?? '';
    const patch = (path: string, ifMatch: string): Promise<Answer> =>
      both.send('PATCH', `/v1/${path}`, { title: 'b' }, { ...callers.ann, 'if-match': ifMatch });
    expect((await patch('posts/2', tag)).status).toBe(200);
    expect((await patch('posts/2', '"other"')).status).toBe(412);
    // 404 and 403 come before it.
    expect((await patch('posts/3', '"other"')).status).toBe(404);
    expect((await patch('posts/4', '"other"')).status).toBe(403);
    const blind = { 'if-match': '*' };
    expect((await both.send('PATCH', '/v1/messages/1', { text: 'y' }, blind)).status).toBe(204);
  });
});

// Else nobody could make a record and be told why it is refused; see docs/contract/5-access.md#secrecy, rule 2.
test('a unique value of a row that is not seen is taken', async () => {
  const own = await serveBoth(
    `${withTokens}
resources:
  codes:
    access: { read: [{ role: public, where: "open=true" }, root], write: public }
    fields:
      code: { type: string, unique: true }
      open: { type: boolean, default: true }
`,
    { codes: [{ code: 'a', open: false }, { code: 'b' }] },
  );
  expect((await own.get('/v1/codes/1')).status).toBe(404);
  for (const [method, path] of [
    ['POST', '/v1/codes'],
    ['PATCH', '/v1/codes/2'],
    ['PUT', '/v1/codes/2'],
  ] as const) {
    const { status, body } = await own.send(method, path, { code: 'a' });
    expect([method, status, body.errors]).toEqual([
      method,
      422,
      [{ field: 'code', message: 'is taken: it must be unique', rule: 'unique', params: {} }],
    ]);
  }
  await own.stop();
});
