import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

const specification = `
${withTokens}
access: { read: [authenticated], write: [authenticated] }
audit: { resources: [posts, comments, bookmarks, post-tags, notes, users], roles: [auditor] }
resources:
  posts:
    timestamps: true
    fields:
      title: { type: string, required: true, unique: true }
      views: { type: integer, default: 0, minimum: 0 }
      price: { type: decimal }
      body: { type: json }
      parentId: { type: integer, reference: posts.id, onDelete: cascade }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [weight, place] }
      comments: { type: relation, relation: hasMany, resource: comments }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
  comments:
    fields:
      text: { type: string }
      postId: { type: integer, required: true, reference: posts.id, onDelete: cascade }
  bookmarks:
    fields:
      name: { type: string }
      postId: { type: integer, reference: posts.id, onDelete: setNull }
      commentId: { type: integer, reference: comments.id, onDelete: setNull }
  orders:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
  notes:
    fields:
      text: { type: string }
      owner: { type: relation, relation: morphTo, resources: [posts] }
  tags:
    fields:
      name: { type: string, required: true }
  post-tags:
    unique: [[postId, place]]
    fields:
      postId: { type: integer, required: true, reference: posts.id, onDelete: cascade }
      tagId: { type: integer, required: true, reference: tags.id }
      weight: { type: integer }
      place: { type: integer }
  users:
    access: { read: [{ role: authenticated, where: "name={user.sub}" }, auditor], write: authenticated }
    fields:
      name: { type: string }
      password: { type: string, writeOnly: true }
      salary: { type: integer, access: { read: [payroll], write: [authenticated] } }
      note: { type: string, access: { read: [auditor], write: [authenticated] } }
`;

const moment = new Date('2026-03-01T12:00:00Z');
const ann = caller({ sub: 'ann', roles: [] });
const auditor = caller({ sub: 'eve', roles: ['auditor'] });

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => moment);
  for (const name of ['a', 'b', 'c']) await send('POST', '/v1/tags', { name });
});
afterAll(async () => {
  await both?.stop();
});

const send = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => both.send(method, path, body, { ...ann, ...headers });

interface Change {
  readonly resource: string;
  readonly recordId: string;
  readonly operation: string;
  readonly changed: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

const members = 'resource,recordId,operation,changed,before,after';
let known = 0;

/** What was recorded since it was asked last, without the timestamps of posts. */
async function changes(): Promise<readonly Change[]> {
  const answer = await both.get(`/_audit?limit=1000&fields=${members}`, auditor);
  expect(answer.status, answer.text).toBe(200);
  const all = answer.body as Change[];
  const fresh = all.slice(known);
  known = all.length;
  return fresh.map(({ resource, recordId, operation, ...change }) => ({
    resource,
    recordId,
    operation,
    changed: change.changed.filter((name) => !name.endsWith('At')),
    before: withoutTimes(change.before),
    after: withoutTimes(change.after),
  }));
}

function withoutTimes(values: unknown): unknown {
  if (values === null) return null;
  return Object.fromEntries(
    Object.entries(values as object).filter(([name]) => !name.endsWith('At')),
  );
}

/** One change as `resource/id operation`. */
const summary = ({ resource, recordId, operation }: Change): string =>
  `${resource}/${recordId} ${operation}`;

let turn = 0;
let title = '';
let id = 0;
beforeEach(async () => {
  turn += 1;
  title = `title ${turn}`;
  const { body } = await send('POST', '/v1/posts', { title });
  id = (body as { id: number }).id;
  await changes();
});

const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;

describe('creates', () => {
  test('one record: its values with defaults and the id', async () => {
    const { body } = await send('POST', '/v1/posts', { title: `${title}x`, price: '1.50' });
    const { id: made } = body as { id: number };
    expect(await changes()).toEqual([
      {
        resource: 'posts',
        recordId: String(made),
        operation: 'create',
        changed: ['id', 'title', 'views', 'price'],
        before: null,
        after: { id: made, title: `${title}x`, views: 0, price: '1.50' },
      },
    ]);
  });

  test.each([1, 2, 16, 37])('an array of %i records, in its order', async (count) => {
    const records = Array.from({ length: count }, (_, index) => ({ title: `${title}.${index}` }));
    const { body } = await send('POST', '/v1/posts', records);
    const ids = (body as { id: number }[]).map(({ id: made }) => String(made));
    const found = await changes();
    expect(found.map(({ recordId }) => recordId)).toEqual(ids);
    expect(found.map(({ after }) => (after as { title: string }).title)).toEqual(
      records.map((record) => record.title),
    );
  });

  test('a record with links', async () => {
    await send('POST', '/v1/posts', {
      title: `${title}x`,
      tags: [1, { id: 2, pivot: { weight: 5 } }],
    });
    const found = await changes();
    expect(found.map(summary)).toEqual([
      expect.stringMatching(/^posts\/\d+ create$/u),
      expect.stringMatching(/^post-tags\/\d+ create$/u),
      expect.stringMatching(/^post-tags\/\d+ create$/u),
    ]);
    expect(found[2]).toMatchObject({ after: { tagId: 2, weight: 5 } });
  });

  test('a replayed Idempotency-Key records nothing again', async () => {
    const key = { 'idempotency-key': `key-${turn}` };
    for (const expected of [1, 0, 0]) {
      expect(await statusOf(send('POST', '/v1/posts', { title: `${title}x` }, key))).toBe(201);
      expect(await changes()).toHaveLength(expected);
    }
  });
});

describe('updates', () => {
  test.each<readonly [string, string, unknown, object, object]>([
    ['a field', 'PATCH', { views: 3 }, { views: 0 }, { views: 3 }],
    [
      'of several fields those that change',
      'PATCH',
      { views: 0, price: 2 },
      { price: null },
      { price: '2.00' },
    ],
    [
      'every field that PUT changes',
      'PUT',
      { title: 'put', body: { b: 1, a: [null] } },
      { title: 'title', body: null },
      { title: 'put', body: { a: [null], b: 1 } },
    ],
  ])('%s', async (_, method, body, before, after) => {
    const named = (values: object): object =>
      'title' in values ? { ...values, title: `${values.title as string} ${turn}` } : values;
    expect(await statusOf(send(method, `/v1/posts/${id}`, named(body as object)))).toBe(200);
    expect(await changes()).toEqual([
      {
        resource: 'posts',
        recordId: String(id),
        operation: 'update',
        changed: Object.keys(after),
        before: named(before),
        after: named(after),
      },
    ]);
  });

  test('a merge patch records the whole value', async () => {
    const type = { 'content-type': 'application/merge-patch+json' };
    await send('PATCH', `/v1/posts/${id}`, { body: { a: 1 } });
    await send('PATCH', `/v1/posts/${id}`, { body: { b: 2 } }, type);
    expect((await changes()).at(-1)).toMatchObject({
      before: { body: { a: 1 } },
      after: { body: { a: 1, b: 2 } },
    });
  });

  test('with If-Match', async () => {
    const { headers } = await both.get(`/v1/posts/${id}`, ann);
    const etag = headers.get('etag') ?? '';
    const patch = (): Promise<Answer> =>
      send('PATCH', `/v1/posts/${id}`, { views: 9 }, { 'if-match': etag });
    expect(await statusOf(patch())).toBe(200);
    expect(await changes()).toHaveLength(1);
    expect(await statusOf(patch())).toBe(412);
    expect(await changes()).toEqual([]);
  });

  test('one that changes nothing records nothing', async () => {
    const { body } = await send('POST', '/v1/comments', { text: 'a', postId: id });
    await changes();
    const path = `/v1/comments/${(body as { id: number }).id}`;
    expect(await statusOf(send('PATCH', path, { text: 'a' }))).toBe(200);
    expect(await changes()).toEqual([]);
  });
});

describe('links', () => {
  test('are recorded as rows of the junction: new, changed and deleted ones', async () => {
    await send('PATCH', `/v1/posts/${id}`, {
      tags: [
        { id: 1, pivot: { place: 1 } },
        { id: 2, pivot: { place: 2 } },
      ],
    });
    const made = await changes();
    expect(made.map(summary)).toEqual([
      expect.stringMatching(/^post-tags\/\d+ create$/u),
      expect.stringMatching(/^post-tags\/\d+ create$/u),
    ]);
    const [first, second] = made.map(({ recordId }) => recordId);
    // The places are swapped, for which unique values are replaced meanwhile.
    const swapped = [
      { id: 1, pivot: { place: 2 } },
      { id: 2, pivot: { place: 1 } },
    ];
    await send('PATCH', `/v1/posts/${id}`, { tags: swapped });
    expect(await changes()).toMatchObject([
      { recordId: first, operation: 'update', before: { place: 1 }, after: { place: 2 } },
      { recordId: second, operation: 'update', before: { place: 2 }, after: { place: 1 } },
    ]);
    await send('PATCH', `/v1/posts/${id}`, { tags: { add: [3], remove: [1] } });
    expect(await changes()).toMatchObject([
      { recordId: first, operation: 'delete', before: { tagId: 1, place: 2 }, after: null },
      { operation: 'create', before: null, after: { tagId: 3 } },
    ]);
  });
});

describe('deletes', () => {
  test('a record alone', async () => {
    await send('DELETE', `/v1/posts/${id}`);
    expect(await changes()).toEqual([
      {
        resource: 'posts',
        recordId: String(id),
        operation: 'delete',
        changed: ['id', 'title', 'views'],
        before: { id, title, views: 0 },
        after: null,
      },
    ]);
  });

  test('with what cascades, what is released, and morph children', async () => {
    const make = async (resource: string, body: object): Promise<number> =>
      ((await send('POST', `/v1/${resource}`, body)).body as { id: number }).id;
    const child = await make('posts', { title: `${title} child`, parentId: id });
    const comments = [
      await make('comments', { text: 'a', postId: id }),
      await make('comments', { text: 'b', postId: child }),
    ];
    const [, last = 0] = comments;
    const kept = await make('bookmarks', { name: 'kept', postId: id, commentId: last });
    const note = await make('notes', { text: 'n', ownerType: 'posts', ownerId: id });
    await changes();
    expect(await statusOf(send('DELETE', `/v1/posts/${id}`))).toBe(204);
    const found = await changes();
    expect(found.map(summary).toSorted()).toEqual(
      [
        `posts/${id} delete`,
        `posts/${child} delete`,
        ...comments.map((one) => `comments/${one} delete`),
        `notes/${note} delete`,
        `bookmarks/${kept} update`,
      ].toSorted(),
    );
    expect(found[0]).toMatchObject({ recordId: String(id) });
    expect(found.at(-1)).toMatchObject({
      changed: ['postId', 'commentId'],
      before: { postId: id, commentId: last },
      after: { postId: null, commentId: null },
    });
  });

  test('of more records than are recorded at a time', async () => {
    const comments = Array.from({ length: 100 }, () => ({ postId: id }));
    await send('POST', '/v1/comments', comments);
    await changes();
    await send('DELETE', `/v1/posts/${id}`);
    expect(await changes()).toHaveLength(101);
  });
});

describe('what is not done is not recorded', () => {
  test.each<readonly [string, number, () => Promise<Answer>]>([
    ['an invalid body', 400, () => send('POST', '/v1/posts', { views: 1 })],
    ['a taken value', 422, () => send('POST', '/v1/posts', { title })],
    [
      'an array with one such record',
      422,
      () => send('POST', '/v1/posts', [{ title: `${title}x` }, { title }]),
    ],
    [
      'a link to nothing',
      422,
      () => send('POST', '/v1/posts', { title: `${title}x`, tags: [1, 99] }),
    ],
    [
      'an update with such a link',
      422,
      () => send('PATCH', `/v1/posts/${id}`, { views: 4, tags: [99] }),
    ],
    ['a missing record', 404, () => send('PATCH', '/v1/posts/999999', { views: 1 })],
    ['a missing record of a delete', 404, () => send('DELETE', '/v1/posts/999999')],
    [
      'a delete that others prevent',
      409,
      async () => {
        await send('POST', '/v1/orders', { postId: id });
        return send('DELETE', `/v1/posts/${id}`);
      },
    ],
    ['a resource that is not named', 201, () => send('POST', '/v1/tags', { name: 'd' })],
  ])('%s', async (_, status, request) => {
    expect(await statusOf(request())).toBe(status);
    expect(await changes()).toEqual([]);
  });
});

test('writeOnly values and those hidden from the role are not stored, only their names are', async () => {
  const values = { name: 'bob', password: 'canary 1', salary: 4_711, note: 'seen' };
  const user = (await send('POST', '/v1/users', values, auditor)).body as { id: number };
  const path = `/v1/users/${user.id}`;
  const next = { password: 'canary 2', salary: 4_712 };
  expect(await statusOf(send('PATCH', path, next, auditor))).toBe(200);
  expect(await statusOf(send('DELETE', path, undefined, auditor))).toBe(204);
  const all = ['id', 'name', 'password', 'salary', 'note'];
  const shown = { id: user.id, name: 'bob', note: 'seen' };
  expect(await changes()).toMatchObject([
    { changed: all, before: null, after: shown },
    { changed: ['password', 'salary'], before: {}, after: {} },
    { changed: all, before: shown, after: null },
  ]);
  for (const { servedApi } of both.sides) {
    const sql = `SELECT before, after FROM _plinth_audit WHERE resource = 'users'`;
    const rows = await servedApi.database.all({ sql, parameters: [] }, { bound: [] });
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toMatch(/canary|471|password|salary/u);
  }
});
