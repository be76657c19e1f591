import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';

// What goes with a record may lead on, in circles as well, as far as a delete reaches (900 levels).
const nodes = (onDelete: string): string => `
access: public
resources:
  nodes:
    fields:
      parentId: { type: integer, reference: nodes.id, onDelete: cascade }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: ${onDelete} }
  notes: { fields: { about: { type: relation, relation: morphTo } } }
`;

const about = (id: number): object => ({ aboutType: 'nodes', aboutId: id });
const [first, last] = [about(1), about(20)];

/** A chain of twenty, with a note of the first and one of the last. */
async function serveChain(onDelete: string): Promise<Both> {
  const parents = Array.from({ length: 19 }, (_, index) => ({ parentId: index + 1 }));
  return serveBoth(nodes(onDelete), { nodes: [{}, ...parents], notes: [first, last] });
}

test.each([
  ['cascade', []],
  [
    'setNull',
    [
      { id: 1, aboutType: null, aboutId: null },
      { id: 2, aboutType: null, aboutId: null },
    ],
  ],
])('at the end of a long chain a morphMany says %s', async (onDelete, left) => {
  const both = await serveChain(onDelete);
  expect((await both.send('DELETE', '/v1/nodes/1')).status).toBe(204);
  expect((await both.get('/v1/nodes')).body).toEqual([]);
  expect((await both.get('/v1/notes')).body).toEqual(left);
  await both.stop();
});

test('at the end of a long chain a morphMany says restrict', async () => {
  const both = await serveChain('restrict');
  await both.send('DELETE', '/v1/notes/1');
  const { status, body } = await both.send('DELETE', '/v1/nodes/1');
  expect([status, body.dependents]).toEqual([409, [{ resource: 'notes', count: 1 }]]);
  expect((await both.get('/v1/nodes')).headers.get('x-total-count')).toBe('20');
  await both.stop();
});

describe('where many cascades lead on from each other', () => {
  let both: Both;
  beforeAll(async () => {
    both = await serveBoth(
      `
resources:
  comments:
    fields:
      parentId: { type: integer, reference: comments.id, onDelete: cascade }
      threadId: { type: integer, reference: comments.id, onDelete: cascade }
      quotedId: { type: integer, reference: comments.id, onDelete: cascade }
      likes: { type: relation, relation: morphMany, resource: likes, onDelete: cascade }
      answers: { type: relation, relation: morphMany, resource: comments, typeField: onType, idField: onId, onDelete: cascade }
      on: { type: relation, relation: morphTo, typeField: onType, idField: onId }
  likes: { fields: { liked: { type: relation, relation: morphTo } } }
  pins: { fields: { commentId: { type: integer, reference: comments.id, onDelete: restrict }, alsoId: { type: integer, reference: comments.id, onDelete: restrict } } }
`,
      {
        comments: [
          {},
          { parentId: 1, threadId: 1 },
          { parentId: 2, threadId: 1, quotedId: 1 },
          { onType: 'comments', onId: 3 },
          { quotedId: 4 },
          {},
        ],
        likes: [
          { likedType: 'comments', likedId: 5 },
          { likedType: 'comments', likedId: 6 },
        ],
        pins: [{ commentId: 5, alsoId: 4 }, { commentId: 6 }],
      },
    );
    expect((await both.send('PATCH', '/v1/comments/1', { parentId: 5 })).status).toBe(200);
  });
  afterAll(() => both?.stop());

  test('a record that is needed on several ways counts once', async () => {
    const { status, body } = await both.send('DELETE', '/v1/comments/3');
    expect([status, body.dependents]).toEqual([409, [{ resource: 'pins', count: 1 }]]);
  });

  test('all that goes is gone, and nothing else', async () => {
    expect((await both.send('DELETE', '/v1/pins/1')).status).toBe(204);
    expect((await both.send('DELETE', '/v1/comments/3')).status).toBe(204);
    const left = async (name: string) =>
      (await both.get(`/v1/${name}?fields=id`)).body as readonly unknown[];
    expect([await left('comments'), await left('likes'), await left('pins')]).toEqual([
      [{ id: 6 }],
      [{ id: 2 }],
      [{ id: 2 }],
    ]);
  });
});

test('a link that a morphMany of the junction keeps is not taken away', async () => {
  const both = await serveBoth(
    `
resources:
  posts: { fields: { tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags } } }
  tags: { fields: { name: { type: string } } }
  post-tags:
    fields:
      postId: { type: integer, reference: posts.id }
      tagId: { type: integer, reference: tags.id }
      notes: { type: relation, relation: morphMany, resource: notes }
  notes: { fields: { about: { type: relation, relation: morphTo } } }
`,
    {
      tags: [{ name: 'a' }, { name: 'b' }],
      posts: [{ tags: [1, 2] }],
      notes: [{ aboutType: 'post-tags', aboutId: 1 }],
    },
  );
  const { status, body } = await both.send('PATCH', '/v1/posts/1', { tags: [2] });
  expect([status, body.errors]).toEqual([
    422,
    [
      {
        field: 'tags',
        message: 'has a link that other records need',
        rule: 'referenced',
        params: {},
      },
    ],
  ]);
  expect((await both.send('PATCH', '/v1/posts/1', { tags: [1] })).status).toBe(200);
  expect((await both.send('DELETE', '/v1/notes/1')).status).toBe(204);
  expect((await both.send('PATCH', '/v1/posts/1', { tags: [] })).status).toBe(200);
  await both.stop();
});
