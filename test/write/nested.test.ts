import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
limits: { batchItems: 20, maxDepth: 3 }
resources:
  authors:
    fields:
      name: { type: string, required: true, maxLength: 8 }
      email: { type: string, nullable: true, unique: true }
      posts: { type: relation, relation: hasMany, resource: posts }
      profile: { type: relation, relation: hasOne, resource: profiles }
  profiles:
    fields:
      bio: { type: string, nullable: true }
      authorId: { type: integer, nullable: true, unique: true, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
  posts:
    timestamps: true
    fields:
      title: { type: string, required: true, maxLength: 8 }
      rank: { type: integer, nullable: true, unique: true }
      authorId: { type: integer, nullable: true, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
      comments: { type: relation, relation: hasMany, resource: comments }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [place] }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
  comments:
    fields:
      text: { type: string, required: true }
      stars: { type: integer, default: 3, minimum: 0 }
      postId: { type: integer, required: true, reference: posts.id, onDelete: cascade }
      replies: { type: relation, relation: hasMany, resource: replies }
  replies:
    fields:
      text: { type: string, required: true }
      commentId: { type: integer, required: true, reference: comments.id, onDelete: cascade }
      likes: { type: relation, relation: hasMany, resource: likes }
  likes:
    fields:
      by: { type: string }
      replyId: { type: integer, required: true, reference: replies.id, onDelete: cascade }
      marks: { type: relation, relation: hasMany, resource: marks }
  marks: { fields: { likeId: { type: integer, required: true, reference: likes.id } } }
  tags:
    fields:
      name: { type: string, required: true, unique: true }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id, onDelete: cascade }
      tagId: { type: integer, required: true, reference: tags.id }
      place: { type: integer, nullable: true }
  notes:
    fields:
      text: { type: string, required: true }
      owner: { type: relation, relation: morphTo, resources: [posts, authors] }
  teams:
    fields:
      id: { type: id, format: string }
      code: { type: string, unique: true }
      members: { type: relation, relation: hasMany, resource: members, foreignKey: teamCode }
  members:
    fields:
      id: { type: id, format: uuid }
      name: { type: string, required: true }
      teamCode: { type: string, nullable: true, reference: teams.code }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date('2026-03-01T12:00:00Z'));
});
afterAll(() => both?.stop());

const send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> => both.send(method, path, body, headers);
const everything = 'expand=author,comments.replies,tags,notes';

/** All records of all resources. */
async function state(): Promise<unknown> {
  const names = [
    'authors',
    'profiles',
    'posts',
    'comments',
    'replies',
    'likes',
    'tags',
    'post-tags',
    'notes',
    'members',
  ];
  const lists: string[] = [];
  for (const name of names) lists.push((await both.get(`/v1/${name}?limit=500`)).text);
  return lists;
}

describe('POST', () => {
  test('creates children and grandchildren with their record', async () => {
    const answer = await send('POST', `/v1/posts?${everything}`, {
      title: 'a',
      author: { create: { name: 'Ada' } },
      comments: {
        create: [
          { text: 'one', replies: { create: [{ text: 'r1' }, { text: 'r2' }] } },
          { text: 'two', stars: 5 },
        ],
      },
      tags: { create: [{ name: 't1', pivot: { place: 2 } }, { name: 't2' }] },
      notes: { create: [{ text: 'n' }] },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      title: 'a',
      author: { name: 'Ada' },
      comments: [
        { text: 'one', stars: 3, replies: [{ text: 'r1' }, { text: 'r2' }] },
        { text: 'two', stars: 5, replies: [] },
      ],
      tags: [
        { name: 't1', pivot: { place: 2 } },
        { name: 't2', pivot: { place: null } },
      ],
      notes: [{ text: 'n', ownerType: 'posts' }],
    });
    const plain = await both.get(answer.headers.get('location') ?? '');
    expect(answer.headers.get('etag')).toBe(plain.headers.get('etag'));
  });

  test('of an array creates those of each', async () => {
    const answer = await send('POST', '/v1/authors?expand=posts,profile', [
      { name: 'x', posts: { create: [{ title: 'p' }] }, profile: { create: { bio: 'b' } } },
      { name: 'y', posts: { create: [{ title: 'q' }, { title: 'r' }] } },
    ]);
    expect(answer.body).toMatchObject([
      { name: 'x', posts: [{ title: 'p' }], profile: { bio: 'b' } },
      { name: 'y', posts: [{ title: 'q' }, { title: 'r' }], profile: null },
    ]);
  });

  test('takes existing records over, and links existing ones', async () => {
    const post = await send('POST', '/v1/posts', { title: 'free' });
    const tag = await send('POST', '/v1/tags', { name: 'old' });
    const answer = await send('POST', '/v1/authors?expand=posts.tags', {
      name: 'z',
      posts: {
        add: [post.body.id],
        create: [{ title: 'own', tags: { add: [tag.body.id], create: [{ name: 'new' }] } }],
      },
    });
    expect(answer.body.posts).toMatchObject([
      { title: 'free', tags: [] },
      { title: 'own', tags: [{ name: 'old' }, { name: 'new' }] },
    ]);
  });

  test('joins by a key that is no id, with ids that the client gives', async () => {
    const answer = await send('POST', '/v1/teams?expand=members', {
      id: 'one',
      code: 'T1',
      members: { create: [{ name: 'm' }] },
    });
    expect(answer.body.members).toMatchObject([{ name: 'm', teamCode: 'T1' }]);
  });

  test('with an Idempotency-Key creates them once', async () => {
    const body = { title: 'once', comments: { create: [{ text: 'c' }] } };
    const key = { 'idempotency-key': 'nested-1' };
    const first = await send('POST', '/v1/posts?expand=comments', body, key);
    const before = await state();
    const second = await send('POST', '/v1/posts?expand=comments', body, key);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(await state()).toEqual(before);
  });
});

describe('PATCH and PUT', () => {
  let path = '';
  let comments: number[] = [];
  const make = async (): Promise<void> => {
    const answer = await send('POST', '/v1/posts?expand=comments,tags', {
      title: 'b',
      comments: { create: [{ text: '1' }, { text: '2' }, { text: '3' }] },
      tags: { create: [{ name: `u${(count += 1)}` }] },
    });
    path = (answer.headers.get('location') ?? '').split('?')[0] ?? '';
    comments = (answer.body.comments as { id: number }[]).map(({ id }) => id);
  };
  let count = 0;

  test.each(['PATCH', 'PUT'])('%s changes, deletes and creates children', async (method) => {
    await make();
    const own = method === 'PUT' ? { title: 'c' } : {};
    const answer = await send(method, `${path}?expand=comments.replies`, {
      ...own,
      comments: {
        create: [{ text: 'new' }],
        update: [
          {
            id: comments[0],
            text: 'changed',
            stars: { increment: 2 },
            replies: { create: [{ text: 'r' }] },
          },
        ],
        delete: [comments[1]],
      },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.comments).toMatchObject([
      { text: 'changed', stars: 5, replies: [{ text: 'r' }] },
      { text: '3' },
      { text: 'new', stars: 3 },
    ]);
  });

  test('moves records in and out', async () => {
    const author = await send('POST', '/v1/authors', {
      name: 'm',
      posts: { create: [{ title: 'in' }] },
    });
    const other = await send('POST', '/v1/posts', { title: 'out' });
    const at = `/v1/authors/${author.body.id}?expand=posts`;
    const inside = (await both.get(at)).body.posts[0].id as number;
    const answer = await send('PATCH', at, { posts: { add: [other.body.id], remove: [inside] } });
    expect(answer.body.posts).toMatchObject([{ title: 'out' }]);
    expect((await both.get(`/v1/posts/${inside}`)).body.authorId).toBeNull();
  });

  test('writes the one record of a hasOne', async () => {
    const author = await send('POST', '/v1/authors', { name: 'h' });
    const at = `/v1/authors/${author.body.id}?expand=profile`;
    const bio = async (profile: unknown): Promise<unknown> =>
      (await send('PATCH', at, { profile })).body.profile?.bio;
    expect(await bio({ create: { bio: 'one' } })).toBe('one');
    expect(await bio({ update: { bio: 'two' } })).toBe('two');
    const taken = await send('PATCH', at, { profile: { create: { bio: 'three' } } });
    expect([taken.status, ...problemsOf(taken)]).toEqual([
      422,
      'profile.create.authorId: is taken: it must be unique',
    ]);
    // What goes makes room for what comes.
    expect(await bio({ delete: true, create: { bio: 'four' } })).toBe('four');
    expect(await bio({ delete: true })).toBeUndefined();
    const gone = await send('PATCH', at, { profile: { update: { bio: 'five' } } });
    expect([gone.status, ...problemsOf(gone)]).toEqual([
      422,
      'profile.update: there is no record in profiles that belongs to this one',
    ]);
  });

  test('creates the record that a record belongs to', async () => {
    await make();
    const answer = await send('PATCH', `${path}?expand=author.profile`, {
      author: { create: { name: 'new', profile: { create: { bio: 'b' } } } },
    });
    expect(answer.body).toMatchObject({ author: { name: 'new', profile: { bio: 'b' } } });
    expect(answer.body.authorId).toBe(answer.body.author.id);
  });

  test('changes and deletes linked records', async () => {
    await make();
    const before = await both.get(`${path}?expand=tags`);
    const [tag] = before.body.tags as { id: number; name: string }[];
    const renamed = await send('PATCH', `${path}?expand=tags`, {
      tags: {
        update: [{ id: tag?.id, name: `v${count}` }],
        create: [{ name: `w${count}`, pivot: { place: 1 } }],
      },
    });
    expect(renamed.body.tags).toMatchObject([
      { name: `v${count}` },
      { name: `w${count}`, pivot: { place: 1 } },
    ]);
    const deleted = await send('PATCH', `${path}?expand=tags`, { tags: { delete: [tag?.id] } });
    expect(deleted.body.tags).toMatchObject([{ name: `w${count}` }]);
    expect((await both.get(`/v1/tags/${tag?.id}`)).status).toBe(404);
  });

  test('as a merge patch, too', async () => {
    await make();
    const type = { 'content-type': 'application/merge-patch+json' };
    const body = { comments: { delete: [comments[0], comments[1]] } };
    const answer = await send('PATCH', `${path}?expand=comments`, body, type);
    expect(answer.body.comments).toMatchObject([{ text: '3' }]);
  });

  test('nothing happens under another entity tag', async () => {
    await make();
    const before = await state();
    const body = { comments: { delete: [comments[0]] } };
    const answer = await send('PATCH', path, body, { 'if-match': '"other"' });
    expect(answer.status).toBe(412);
    expect(await state()).toEqual(before);
  });

  test('only records of the parent are reached', async () => {
    await make();
    const foreign = comments;
    await make();
    const before = await state();
    const answer = await send('PATCH', path, {
      comments: {
        update: [
          { id: foreign[0], text: 'x' },
          { id: comments[0], text: 'y' },
        ],
        delete: [foreign[1], 4711],
      },
      tags: { update: [{ id: 1, name: 'x' }], delete: [4711] },
    });
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      422,
      'tags.update[0]: there is no record in tags with id 1 that belongs to this one',
      'tags.delete[0]: there is no record in tags with id 4711 that belongs to this one',
      `comments.update[0]: there is no record in comments with id ${foreign[0]} that belongs to this one`,
      `comments.delete[0]: there is no record in comments with id ${foreign[1]} that belongs to this one`,
      'comments.delete[1]: there is no record in comments with id 4711 that belongs to this one',
    ]);
    expect(await state()).toEqual(before);
  });
});

describe('is refused as a whole', () => {
  const post = { title: 'a' };
  type Refusal = readonly [string, string, object, number, ...string[]];
  test.each<Refusal>([
    [
      'a value deep inside',
      'posts',
      {
        ...post,
        comments: { create: [{ text: 'a' }, { text: 'b', replies: { create: [{ text: 5 }] } }] },
      },
      400,
      'comments.create[1].replies.create[0].text: must be a string',
    ],
    [
      'a missing field',
      'posts',
      { ...post, comments: { create: [{}] } },
      400,
      'comments.create[0].text: is required',
    ],
    [
      'an unknown field',
      'posts',
      { ...post, author: { create: { name: 'a', nam: 1 } } },
      400,
      'author.create.nam: there is no field nam; did you mean name?',
    ],
    [
      'a value out of range',
      'posts',
      { title: 'much too long', comments: { create: [{ text: 'a', stars: -1 }] } },
      422,
      'comments.create[0].stars: must be at least 0',
      'title: must have at most 8 characters',
    ],
    [
      'a taken value, with the others',
      'posts',
      {
        ...post,
        tags: { create: [{ name: 't1' }, { name: 'fresh' }] },
        author: { create: { name: 'a' } },
        comments: { create: [{ text: 'a' }] },
      },
      422,
      'tags.create[0].name: is taken: it must be unique',
    ],
    [
      'a dangling key, with a taken value of a child',
      'profiles',
      { authorId: 4711, author: undefined, bio: 'x' },
      422,
      'authorId: there is no record in authors with id 4711',
    ],
    [
      'a key that follows',
      'posts',
      { ...post, comments: { create: [{ text: 'a', postId: 1 }] } },
      400,
      'comments.create[0].postId: follows from the record that is written with it, and must not be sent',
    ],
    [
      'a key beside its record',
      'posts',
      { ...post, authorId: 1, author: { create: { name: 'a' } } },
      400,
      'authorId: follows from the record that is written with it, and must not be sent',
    ],
    [
      'another operation',
      'posts',
      { ...post, author: { update: {} }, comments: { set: [] } },
      400,
      'author.update: only create can stand here',
      'comments.set: only create, update, delete, add and remove can stand here',
    ],
    [
      'no array',
      'posts',
      { ...post, comments: { create: {}, delete: 1 } },
      400,
      'comments.create: must be an array',
      'comments.delete: must be an array',
    ],
    [
      'an item that is no object',
      'posts',
      { ...post, comments: { create: [1], update: ['x'] } },
      400,
      'comments.create[0]: must be an object',
      'comments.update[0]: must be an object',
    ],
    [
      'an update without id',
      'posts',
      { ...post, comments: { update: [{ text: 'a' }] } },
      400,
      'comments.update[0].id: is required',
    ],
    [
      'an id of another type',
      'posts',
      { ...post, comments: { delete: ['x', null] } },
      400,
      'comments.delete[0]: must be a number',
      'comments.delete[1]: must not be null',
    ],
    [
      'an id that is named twice',
      'posts',
      { ...post, comments: { delete: [1], update: [{ id: 1 }] } },
      400,
      'comments.delete[0]: 1 is named twice; comments.update[0] names it too',
    ],
    [
      'an update of what cannot be there yet',
      'posts',
      { ...post, comments: { update: [{ id: 1, text: 'a' }] } },
      422,
      'comments.update[0]: there is no record in comments with id 1 that belongs to this one',
    ],
    [
      'what is added and not there',
      'authors',
      { name: 'a', posts: { add: [4711, { id: 4712 }] } },
      422,
      'posts.add[0]: there is no record in posts with id 4711',
      'posts.add[1]: there is no record in posts with id 4712',
    ],
    [
      'a child that cannot be let go',
      'posts',
      { ...post, comments: { remove: [1] } },
      400,
      'comments.remove: cannot be done: its key postId must not be null; delete it',
    ],
    [
      'a pivot of a hasMany',
      'authors',
      { name: 'a', posts: { add: [{ id: 1, pivot: {} }] } },
      400,
      'posts.add[0].pivot: only id can stand here',
    ],
    [
      'an unknown pivot field',
      'posts',
      { ...post, tags: { create: [{ name: 'q', pivot: { plaice: 1 } }] } },
      400,
      'tags.create[0].pivot.plaice: there is no pivot field plaice; did you mean place?',
    ],
    [
      'false as a delete of one',
      'authors',
      { name: 'a', profile: { delete: 1 } },
      400,
      'profile.delete: must be true',
    ],
    [
      'an array for a relation',
      'posts',
      { ...post, comments: [1] },
      400,
      'comments: is a relation; write its records as { "create": … }, { "update": … } or { "delete": … }',
    ],
    [
      'more levels than maxDepth',
      'posts',
      {
        ...post,
        comments: {
          create: [
            {
              text: 'a',
              replies: {
                create: [{ text: 'b', likes: { create: [{ marks: { create: [{}] } }] } }],
              },
            },
          ],
        },
      },
      400,
      'comments.create[0].replies.create[0].likes.create[0].marks: is nested deeper than 3 levels (limits.maxDepth)',
    ],
    [
      'two of them, the second taken by the first',
      'posts',
      { ...post, tags: { create: [{ name: 'twin' }, { name: 'twin' }] } },
      422,
      'tags.create[1].name: is taken: it must be unique',
    ],
    [
      'a parent that is taken, with what is wrong besides',
      'posts',
      { ...post, rank: 1, author: { create: { name: 'a', email: 'e' } } },
      422,
      'author.create.email: is taken: it must be unique',
      'rank: is taken: it must be unique',
    ],
    [
      'children of a record that is taken',
      'posts',
      {
        ...post,
        rank: 1,
        comments: { create: [{ text: 'a' }] },
        notes: { create: [{ text: 'n' }] },
      },
      422,
      'rank: is taken: it must be unique',
    ],
  ])('%s', async (...row) => {
    const [, resource, body, status, ...problems] = row as unknown as Refusal;
    await send('POST', '/v1/tags', { name: 't1' });
    await send('POST', '/v1/posts', { title: 'one', rank: 1 });
    await send('POST', '/v1/authors', { name: 'e', email: 'e' });
    const before = await state();
    const answer = await send('POST', `/v1/${resource}`, body);
    expect(answer.status, answer.text).toBe(status);
    expect(problemsOf(answer)).toEqual(problems);
    expect(await state()).toEqual(before);
  });

  test('more records than limits.batchItems', async () => {
    const create = (count: number): object[] =>
      Array.from({ length: count }, () => ({ text: 'a' }));
    const few = await send('POST', '/v1/posts', { ...post, comments: { create: create(19) } });
    expect(few.status).toBe(201);
    const before = await state();
    for (const [body, count] of [
      [{ ...post, comments: { create: create(20) } }, 21],
      [
        [
          { ...post, comments: { create: create(10) } },
          { ...post, comments: { create: create(9) } },
        ],
        21,
      ],
    ] as const) {
      const many = await send('POST', '/v1/posts', body);
      expect([many.status, many.body.code]).toEqual([400, 'LIMIT_EXCEEDED']);
      expect(many.body.message).toContain(`this one has ${count}`);
    }
    expect(await state()).toEqual(before);
  });
});
