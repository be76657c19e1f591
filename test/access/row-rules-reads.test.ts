import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Both } from '../support/both.ts';
import { caller } from '../support/callers.ts';
import { callers, serveNewsroom, type Who } from './newsroom.ts';

let both: Both;
beforeAll(async () => {
  both = await serveNewsroom();
});
afterAll(() => both?.stop());

type Row = readonly [who: Who, path: string, ids: readonly number[]];

describe('lists have the rows that a rule of the caller leaves', () => {
  test.each<Row>([
    ['nobody', 'posts', [1, 4, 5]],
    ['ann', 'posts', [1, 2, 4, 5]],
    ['bob', 'posts', [1, 3, 4, 5]],
    ['cid', 'posts', [1, 4, 5]],
    ['eve', 'posts', [1, 4, 5]],
    ['editor', 'posts', [1, 2, 3, 4, 5]],
    ['ann', 'posts?status=draft', [2]],
    ['ann', 'posts?_or=status:draft,title:a', [1, 2]],
    ['ann', 'users', [1, 2]],
    ['bob', 'users', [1, 2]],
    // An empty list, and no such claim.
    ['cid', 'users', []],
    ['eve', 'users', []],
    ['root', 'users', [1, 2, 3]],
    ['nobody', 'comments', [1, 3]],
    // Related records that are not seen are not there.
    ['nobody', 'comments?post_exists=true', [1]],
    ['nobody', 'comments?post_exists=false', [3]],
    ['nobody', 'comments?post.title=c', []],
    ['bob', 'comments?post.title=c', [3]],
    ['nobody', 'posts?comments_exists=false', [4, 5]],
    ['editor', 'posts?comments_exists=false', [2, 5]],
    ['nobody', 'posts?comments.text_like=o', []],
    ['editor', 'posts?comments.text_like=o', [1]],
    ['nobody', 'posts?tags.name=open', [1]],
    ['nobody', 'posts?tags.name=secret', []],
    // The link is not seen.
    ['nobody', 'posts?tags.name=late', []],
    ['editor', 'posts?tags.name=late', [1, 3]],
    ['nobody', 'posts?tags.pivot.position=2', []],
    ['editor', 'posts?tags.pivot.position=2', [1, 2]],
    ['nobody', 'tags?posts_exists=false', [3]],
    ['bob', 'tags?posts_exists=false', []],
    ['nobody', 'notes?on_exists=false', [3, 4]],
    ['bob', 'notes?on_exists=true', [1, 3]],
    ['nobody', 'posts?notes.text_like=h', []],
    ['nobody', 'post-tags', [1, 2, 4, 5, 6]],
    ['nobody', 'post-tags?post_exists=true', [1, 2]],
    ['nobody', 'desks', [1]],
    ['nobody', 'comments?_or=post.title:c,text:yes', [1]],
    // What is not seen sorts as null: before every value.
    ['nobody', 'comments?sort=-post.title', [1, 3]],
    ['nobody', 'comments?sort=post.title', [3, 1]],
    ['editor', 'comments?sort=-post.title', [4, 3, 2, 1]],
    ['nobody', 'posts?sort=-comments.text', [1, 5, 4]],
    ['bob', 'posts?sort=comments.text,-id', [5, 4, 3, 1]],
  ])('%s: %s', async (who, path, ids) => {
    const { status, body, text } = await both.get(`/v1/${path}`, callers[who]);
    expect(status, text).toBe(200);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
  });
});

describe('a single read of what the caller does not see is 404', () => {
  test.each<readonly [Who, string, number]>([
    ['nobody', 'posts/1', 200],
    ['nobody', 'posts/2', 404],
    ['ann', 'posts/2', 200],
    ['ann', 'posts/3', 404],
    ['cid', 'users/3', 404],
    ['nobody', 'posts/99', 404],
    ['nobody', 'users/1', 401],
    ['ann', 'messages/1', 403],
    ['nobody', 'messages/1', 401],
  ])('%s: %s is %i', async (who, path, status) => {
    expect((await both.get(`/v1/${path}`, callers[who])).status).toBe(status);
  });

  test('and says the same as of one that is not there', async () => {
    const [hidden, missing] = await Promise.all([
      both.get('/v1/posts/3', callers.ann),
      both.get('/v1/posts/77', callers.ann),
    ]);
    expect(hidden.body.message).toBe(missing.body.message.replace('77', '3'));
  });
});

describe('totals count what the caller sees', () => {
  test.each<readonly [Who, string, string]>([
    ['nobody', 'posts?limit=1', '3'],
    ['ann', 'posts?limit=1', '4'],
    ['bob', 'posts?limit=1', '4'],
    ['editor', 'posts?limit=1', '5'],
    ['cid', 'users?limit=1', '0'],
    ['ann', 'users?limit=1', '2'],
    ['nobody', 'posts?limit=1&comments_exists=true', '1'],
  ])('%s: %s is %s', async (who, path, total) => {
    // The second time it may be remembered.
    for (const _ of [1, 2]) {
      const { headers } = await both.get(`/v1/${path}`, callers[who]);
      expect(headers.get('x-total-count')).toBe(total);
    }
  });
});

test('two callers with the same roles share what is compiled, and not what they see', async () => {
  const [one] = both.sides;
  const dan = caller({ sub: '3', roles: ['author'], team: 'blue' });
  const path = '/v1/posts?status=draft&title_neq=compiled&expand=author';
  expect((await both.get(path, callers.ann)).body.map(({ id }: { id: number }) => id)).toEqual([2]);
  const compiled = one?.servedApi.planCount;
  expect((await both.get(path, dan)).body).toEqual([]);
  expect(one?.servedApi.planCount).toBe(compiled);
});

const ids = (list: readonly { id: number }[]): readonly number[] => list.map(({ id }) => id);

describe('expansions show what the caller sees', () => {
  test('belongsTo and hasOne: null', async () => {
    const mine = await both.get('/v1/posts/5?expand=author', callers.ann);
    expect(mine.body).toMatchObject({ authorId: 3, author: null });
    const own = await both.get('/v1/posts/1?expand=author.desk', callers.ann);
    expect(own.body.author).toMatchObject({ name: 'Ann', desk: { floor: 1 } });
    const other = await both.get('/v1/users/2?expand=desk', callers.ann);
    expect(other.body.desk).toBeNull();
    expect((await both.get('/v1/users/2?expand=desk', callers.root)).body.desk.floor).toBe(2);
  });

  test('hasMany: fewer, in pages and in their totals too', async () => {
    const { body } = await both.get('/v1/posts/1?expand=comments&comments.limit=1', callers.ann);
    expect(ids(body.comments)).toEqual([1]);
    expect(body._pagination.comments).toEqual({ page: 1, limit: 1, total: 1, totalPages: 1 });
    const all = await both.get('/v1/posts/1?expand=comments&comments.limit=1', callers.editor);
    expect(all.body._pagination.comments.total).toBe(2);
  });

  test('belongsToMany: neither records nor links that are hidden, and no pivot of theirs', async () => {
    const { body } = await both.get('/v1/posts/1?expand=tags', callers.ann);
    expect(body.tags).toEqual([{ id: 1, name: 'open', secret: false, pivot: { position: 1 } }]);
    const all = await both.get('/v1/posts/1?expand=tags&sort=tags.pivot.position', callers.editor);
    expect(ids(all.body.tags)).toEqual([3, 1, 2]);
  });

  test('morphTo and morphMany', async () => {
    const { body } = await both.get('/v1/notes?expand=on', callers.ann);
    expect((body as { on: { id: number } | null }[]).map(({ on }) => on?.id ?? null)).toEqual([
      1,
      null,
      null,
    ]);
    const post = await both.get('/v1/posts/1?expand=notes', callers.nobody);
    expect(ids(post.body.notes)).toEqual([1]);
  });
});

test('CSV and NDJSON have the same rows as a list', async () => {
  const csv = await both.get('/v1/posts?fields=id,title', { ...callers.ann, accept: 'text/csv' });
  expect(csv.text.trim().split(/\r?\n/u)).toEqual(['id,title', '1,a', '2,b', '4,d', '5,e']);
  const lines = await both.raw('/v1/comments?sort=-post.title&fields=id', {
    headers: { accept: 'application/x-ndjson' },
  });
  expect(lines.text).toBe('{"id":1}\n{"id":3}\n');
});

describe('a cursor is good for whoever has it, and leads to nothing that is hidden', () => {
  test('made by one caller, followed by another', async () => {
    const path = '/v1/posts?sort=-title&limit=1';
    const { headers } = await both.get(`${path}&cursor=`, callers.editor);
    expect(headers.get('x-next-cursor')).not.toBeNull();
    const next = headers.get('x-next-cursor') ?? '';
    const { body } = await both.get(`/v1/posts?limit=9&cursor=${next}`, callers.nobody);
    expect(ids(body.data)).toEqual([4, 1]);
  });

  test('over what sorts as null', async () => {
    const seen: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body, status, text } = await both.get(
        `/v1/comments?sort=post.title&limit=1&cursor=${cursor}`,
        callers.bob,
      );
      expect(status, text).toBe(200);
      seen.push(...ids(body.data));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual([1, 3]);
  });

  test('by a field that the caller may not read', async () => {
    const { headers } = await both.get('/v1/users?sort=salary&limit=1&cursor=', callers.root);
    const next = headers.get('x-next-cursor') ?? '';
    const { status, body } = await both.get(`/v1/users?limit=9&cursor=${next}`, callers.ann);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_CURSOR' });
    expect(body.message).not.toContain('salary');
  });
});

describe('a field that the caller may not read is unknown', () => {
  test.each([
    'salary=10',
    'salary_gt=1',
    'sort=salary',
    'fields=salary',
    'exclude=salary',
    '_or=salary:10',
    'posts.author.salary=1',
  ])('users?%s', async (query) => {
    const known = await both.get(`/v1/users?${query}`, callers.root);
    expect(known.status, known.text).toBe(200);
    const unknown = await both.get(`/v1/users?${query}`, callers.ann);
    expect(unknown.status).toBe(400);
    const other = await both.get(`/v1/users?${query.replaceAll('salary', 'xqzvwk')}`, callers.ann);
    expect(unknown.body.validationErrors).toEqual(
      JSON.parse(JSON.stringify(other.body.validationErrors).replaceAll('xqzvwk', 'salary')),
    );
  });

  test('it is in no record, wildcard or suggestion', async () => {
    expect((await both.get('/v1/users?fields=*', callers.ann)).body[0]).toEqual({
      id: 1,
      name: 'Ann',
      team: 'red',
    });
    const { text } = await both.get('/v1/users?salery=1', callers.ann);
    expect(text).not.toContain('salary');
    expect((await both.get('/v1/users?salery=1', callers.root)).text).toContain('salary');
  });
});
