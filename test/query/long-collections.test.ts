import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';

/** Of one that has more related records than it shows, those alone count that are shown. */
const specification = `
access: public
limits: { expandedItems: 1 }
resources:
  posts:
    fields:
      comments: { type: relation, relation: hasMany, resource: comments, foreignKey: postId }
      notes: { type: relation, relation: hasMany, resource: comments, foreignKey: postId }
  comments:
    fields:
      text: { type: text }
      postId: { type: integer, reference: posts.id }
  tags:
    fields:
      slug: { type: string, unique: true }
      uses: { type: relation, relation: hasMany, resource: uses, foreignKey: tagSlug }
  uses:
    fields:
      tagSlug: { type: string, reference: tags.slug }
`;

/** Ten are more than an answer has room for, and one is not. */
const length = 140_000;
const longTexts: Readonly<Record<'sqlite' | 'postgresql', string>> = {
  sqlite: `hex(zeroblob(${length / 2}))`,
  postgresql: `repeat('0', ${length})`,
};

/** So many that all comments of the first are read where those of all are. */
const posts = 12;

let api: Both;
beforeAll(async () => {
  api = await serveBoth(
    specification,
    { posts: Array.from({ length: posts }, () => ({})) },
    undefined,
    { answerLength: 1_350_000 },
  );
  await api.send('POST', '/v1/comments', [
    ...Array.from({ length: 10 }, () => ({ postId: 1 })),
    { postId: 2, text: 'short' },
  ]);
  for (const { servedApi } of api.sides) {
    const { database } = servedApi;
    const text = longTexts[database.dialect.name];
    const sql = `UPDATE comments SET text = ${text} WHERE "postId" = 1 RETURNING id`;
    await database.writeOne({ sql, parameters: [] }, { bound: [] });
  }
});
afterAll(() => api.stop());

interface Post {
  readonly comments: readonly { readonly text: string }[];
  readonly _pagination?: object;
}

test.each(['comments', 'comments,notes'])('expand=%s', async (expand) => {
  const answer = await api.get(`/v1/posts?expand=${expand}`);
  expect(answer.status).toBe(200);
  const [first, second, ...others] = answer.body as readonly Post[];
  expect([first, second].map((post) => post?.comments.map(({ text }) => text.length))).toEqual([
    [length],
    [5],
  ]);
  expect(others).toHaveLength(posts - 2);
  expect(first?._pagination).toMatchObject({ comments: { limit: 1, total: 10 } });
});

test('what is shown is refused where it has no room', async () => {
  const answer = await api.get('/v1/posts?expand=comments,notes&comments.limit=5&notes.limit=5');
  expect([answer.status, answer.body]).toMatchObject([400, { code: 'LIMIT_EXCEEDED' }]);
});

test('a key without a bound counts as well', async () => {
  await api.send('POST', '/v1/tags', { slug: 'a' });
  const { database } = api.servedApi;
  const longest: unknown[] = [];
  const run = database.all.bind(database);
  Object.assign(database, {
    all: (...[statement, values]: Parameters<typeof run>) => {
      longest.push(statement.rowLength?.most);
      return run(statement, values);
    },
  });
  expect((await api.get('/v1/tags?expand=uses&fields=id,uses.tagSlug')).status).toBe(200);
  expect(longest).toEqual([Infinity, Infinity]);
});
