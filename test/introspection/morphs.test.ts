import { readFileSync } from 'node:fs';
import driver from 'postgres';
import { expect, test } from 'vitest';
import { good, makeFolder, servePlinth } from '../support/command.ts';
import { fromSql } from '../support/introspect.ts';
import { createDatabase } from '../support/postgres.ts';

/** Pairs of a type and an id as Rails and Laravel make them, and what only looks like one. */
const tables = (key: string): string => `
CREATE TABLE posts (id ${key}, title VARCHAR(80));
CREATE TABLE blog_photos (id ${key}, url TEXT);
CREATE TABLE keys (id VARCHAR(8) PRIMARY KEY);
CREATE TABLE comments (id ${key}, body TEXT, commentable_type VARCHAR(80) NOT NULL, commentable_id BIGINT NOT NULL);
CREATE INDEX on_commentable ON comments (commentable_type, commentable_id);
CREATE TABLE likes (id ${key}, "LikerType" TEXT, "LikerId" BIGINT, liked_type TEXT, liked_id BIGINT);
CREATE TABLE notes (id ${key}, kind_type VARCHAR(9) CHECK (kind_type IN ('posts', 'comments')), kind_id BIGINT);
CREATE TABLE labels (id ${key}, label_type TEXT, label_id VARCHAR(8));
CREATE TABLE strangers (id ${key}, thing_type TEXT, thing_id BIGINT, empty_type TEXT, empty_id BIGINT);
CREATE TABLE misfits (id ${key}, half_type TEXT NOT NULL, half_id BIGINT, other_type TEXT, other_id BIGINT,
  post_type TEXT, post_id BIGINT REFERENCES posts (id), sole_type TEXT, usual_type TEXT DEFAULT 'Car', usual_id BIGINT);
INSERT INTO posts (title) VALUES ('a'), ('b');
INSERT INTO blog_photos (url) VALUES ('u');
INSERT INTO keys (id) VALUES ('k');
INSERT INTO comments (body, commentable_type, commentable_id) VALUES
  ('x', 'Post', 1), ('y', 'Blog::Photo', 1), ('z', 'Post', 9);
INSERT INTO likes ("LikerType", "LikerId", liked_type, liked_id) VALUES
  ('App\\Models\\Comment', 1, 'App\\Models\\Post', 2), (NULL, NULL, 'App\\Models\\Comment', 2);
INSERT INTO labels (label_type, label_id) VALUES ('Post', '2'), ('Key', 'k');
INSERT INTO strangers (thing_type, thing_id) VALUES ('Car', 1), ('Post', 1);
INSERT INTO misfits (half_type, half_id, other_type, other_id, post_type, post_id, sole_type, usual_type, usual_id) VALUES
  ('Post', 1, 'Key', 1, 'Post', 1, 'Post', 'Post', 1);
`;

const morphTo = { type: 'relation', relation: 'morphTo' };
const morphMany = { type: 'relation', relation: 'morphMany' };

test('a type and an id of which every type names a table are a polymorphic relation on both sides, on both databases alike', async () => {
  const made = await createDatabase();
  const sql = driver(made.url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(tables('bigserial PRIMARY KEY'));
  await sql.end();
  const { specification, cwd } = await fromSql(tables('INTEGER PRIMARY KEY AUTOINCREMENT'));
  const folder = makeFolder();
  await good(['introspect', made.url, '--managed', '--out', 'plinth.yaml'], folder.path);
  const relationsIn = (path: string): readonly string[] =>
    readFileSync(`${path}/plinth.yaml`, 'utf8')
      .split('\n')
      .filter((line) => line.includes('type: relation'));
  expect(relationsIn(folder.path)).toEqual(relationsIn(cwd));
  const { comments, likes, posts, notes, strangers, misfits } = specification.resources;
  expect(comments?.fields).toMatchObject({
    commentable: morphTo,
    likesByLiker: {
      ...morphMany,
      resource: 'likes',
      typeField: 'likerType',
      idField: 'likerId',
      typeValue: 'App\\Models\\Comment',
    },
    notes: { ...morphMany, resource: 'notes' },
  });
  expect(likes?.fields).toMatchObject({ liker: morphTo, liked: morphTo });
  expect(notes?.fields).toMatchObject({ kind: morphTo });
  expect(posts?.fields).toEqual({
    title: { type: 'string', maxLength: 80 },
    misfits: { type: 'relation', relation: 'hasMany', resource: 'misfits' },
    comments: { ...morphMany, resource: 'comments', typeValue: 'Post' },
    likesByLiked: {
      ...morphMany,
      resource: 'likes',
      typeField: 'likedType',
      idField: 'likedId',
      typeValue: 'App\\Models\\Post',
    },
    notes: { ...morphMany, resource: 'notes' },
    labels: { ...morphMany, resource: 'labels', typeValue: 'Post' },
  });
  for (const { fields } of [strangers, misfits].flatMap((one) => one ?? []))
    expect(Object.values(fields)).not.toContainEqual(expect.objectContaining(morphTo));

  const answers = [];
  for (const [path, database] of [
    [cwd, 'sqlite:old.db'],
    [folder.path, made.url],
  ] as const) {
    await good(['migrate', '--database', database, '--apply'], path);
    const { url, stop } = await servePlinth(['dev', '--no-generate', '--database', database], {
      cwd: path,
    });
    const get = async (query: string): Promise<unknown> =>
      (await fetch(`${url}/v1/${query}`)).json();
    answers.push([
      await get('comments?expand=commentable,likesByLiked'),
      await get('posts/1?expand=comments'),
      await get('comments?commentable:posts.title=a&fields=body'),
      await get('labels?expand=label'),
    ]);
    await stop('SIGTERM');
  }
  await made.drop();
  const [first, second] = answers;
  expect(second).toEqual(first);
  expect(first).toMatchObject([
    [
      { body: 'x', commentableType: 'Post', commentable: { id: 1, title: 'a' } },
      {
        commentableType: 'Blog::Photo',
        commentable: { url: 'u' },
        likesByLiked: [{ likedId: 2 }],
      },
      { commentableId: 9, commentable: null },
    ],
    { id: 1, comments: [{ body: 'x' }] },
    [{ id: 1, body: 'x' }],
    [{ label: { title: 'b' } }, { label: { id: 'k' } }],
  ]);
});
