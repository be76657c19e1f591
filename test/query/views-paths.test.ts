import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectRows, expectTrees, invalid } from '../support/tables.ts';

/** The names of a version, and what nobody may read, hold at every step of a path. */
const specification = `
api:
  defaultVersion: 1
  versions:
    1: {}
    2:
      resources:
        posts: { fields: { headline: { from: title }, tone: false, writer: { from: author } } }
        people: { fields: { alias: { from: name } } }
        labels: { fields: { text: { from: name } } }
        post-labels: { fields: { order: { from: position } } }
        drafts: false
resources:
  people:
    fields:
      name: { type: string }
      salary: { type: integer, access: { read: none, write: public } }
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: authorId }
  posts:
    fields:
      title: { type: string }
      tone: { type: string }
      cost: { type: integer, access: { read: none, write: public } }
      authorId: { type: integer, reference: people.id }
      author: { type: relation, relation: belongsTo, resource: people }
      labels: { type: relation, relation: belongsToMany, resource: labels, through: post-labels, withPivot: [position, mark] }
      drafts: { type: relation, relation: hasMany, resource: drafts }
      logs: { type: relation, relation: hasMany, resource: logs }
      notes: { type: relation, relation: morphMany, resource: notes }
  labels: { fields: { name: { type: string } } }
  post-labels:
    fields:
      postId: { type: integer, reference: posts.id }
      labelId: { type: integer, reference: labels.id }
      position: { type: integer }
      mark: { type: string, access: { read: none, write: public } }
  drafts:
    fields:
      body: { type: text }
      postId: { type: integer, reference: posts.id }
      notes: { type: relation, relation: morphMany, resource: notes }
  logs:
    access: { read: none }
    fields: { postId: { type: integer, reference: posts.id }, line: { type: text } }
  notes: { fields: { text: { type: string }, about: { type: relation, relation: morphTo } } }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {
    people: [
      { name: 'Ann', salary: 9 },
      { name: 'Bob', salary: 1 },
    ],
    posts: [
      { title: 'b', tone: 'x', cost: 5, authorId: 1 },
      { title: 'a', tone: 'y', cost: 6, authorId: 2 },
    ],
    labels: [{ name: 'red' }, { name: 'blue' }],
    'post-labels': [
      { postId: 1, labelId: 1, position: 2, mark: 'm' },
      { postId: 1, labelId: 2, position: 1 },
    ],
    drafts: [{ postId: 1, body: 'draft' }],
    notes: [
      { text: 'p', aboutType: 'posts', aboutId: 1 },
      { text: 'd', aboutType: 'drafts', aboutId: 1 },
    ],
  });
});
afterAll(() => api.stop());

const source = (): TestApi => api;

describe('a version has its own names at each step', () => {
  expectRows(source, '/v1/people', [['the first', 'posts.title=b&sort=-posts.title', [1]]]);
  expectRows(source, '/v2/people', [
    ['a field', 'posts.headline=b', [1]],
    ['a sort', 'sort=-posts.headline', [1, 2]],
    ['back by a renamed relation', 'posts.writer.alias=Bob', [2]],
  ]);
  expectRows(source, '/v2/posts', [
    ['a renamed relation', 'writer.alias=Ann', [1]],
    ['in _or', '_or=writer.alias:Bob,labels.text:red', [1, 2]],
    ['that is there', 'writer_exists=true&labels_exists=false', [2]],
    ['a sort by it', 'sort=-writer.alias', [2, 1]],
    ['a pivot', 'labels.pivot.order=1', [1]],
  ]);
  expectTrees(source, '/v2/posts', [
    ['a filter on items', 'expand=labels&labels.text=blue&id=1', 'labels', [[1, [2]]]],
    [
      'a sort of items by a pivot',
      'expand=labels&sort=labels.pivot.order&id=1',
      'labels',
      [[1, [2, 1]]],
    ],
    ['their own sort', 'expand=labels&labels.sort=-pivot.order&id=1', 'labels', [[1, [1, 2]]]],
  ]);

  test('a cursor carries them', async () => {
    const first = await api.get('/v2/posts?sort=-writer.alias,headline&limit=1&cursor=');
    const next = await api.get(`/v2/posts?cursor=${first.body.next_cursor}`);
    expect(next.body).toMatchObject({ data: [{ id: 1, headline: 'b' }], next_cursor: null });
  });
});

describe('what a caller may not read is not there, not even to be guessed', () => {
  const unsorted = (name: string, key: string) =>
    [name, `sort=${key}`, 'INVALID_SORT', 'sort'] as const;
  expectBlame(source, '/v1/people', [
    invalid('a field', 'posts.cost=5', 'posts.cost'),
    invalid('by operator', 'posts.cost_gt=5', 'posts.cost_gt'),
    invalid('behind a relation and back', 'posts.author.salary=9', 'posts.author.salary'),
    invalid('a relation to what nobody reads', 'posts.logs.line=x', 'posts.logs.line'),
    invalid('whether there is one', 'posts.logs_exists=true', 'posts.logs_exists'),
    invalid('a pivot', 'posts.labels.pivot.mark=m', 'posts.labels.pivot.mark'),
    invalid('in _or', '_or=posts.cost:5', 'posts.cost'),
    unsorted('a sort', 'posts.cost'),
    unsorted('a sort by a relation', 'posts.logs.line'),
  ]);
  expectBlame(source, '/v2/people', [
    invalid('an old name', 'posts.title=b', 'posts.title'),
    invalid('a hidden one', 'posts.tone=x', 'posts.tone'),
    invalid('a relation of the old name', 'posts.author.alias=Ann', 'posts.author.alias'),
    invalid('a hidden resource', 'posts.drafts.body=draft', 'posts.drafts.body'),
    invalid('whether there is one', 'posts.drafts_exists=true', 'posts.drafts_exists'),
    invalid(
      'a pivot of the old name',
      'posts.labels.pivot.position=1',
      'posts.labels.pivot.position',
    ),
    unsorted('a sort by an old name', 'posts.title'),
    unsorted('a sort by a hidden one', 'posts.tone'),
  ]);
  expectBlame(source, '/v2/notes', [
    invalid('a target that is hidden', 'about:drafts.body=draft', 'about:drafts.body'),
    invalid('its field', 'about.body=draft', 'about.body'),
  ]);
  expectRows(source, '/v1/notes', [
    ['a target that is there', 'about.body=draft', [2]],
    ['that is there', 'about_exists=true', [1, 2]],
  ]);
  expectRows(source, '/v2/notes', [
    ['a hidden owner is none', 'about_exists=true', [1]],
    ['and null', 'about_null=true', [2]],
  ]);

  test.each(['/v1/people?posts.cots=5', '/v1/people?sort=posts.cots', '/v2/people?posts.tittle=b'])(
    '%s',
    async (path) => {
      const { status, text } = await api.get(path);
      expect(status).toBe(400);
      expect(text).not.toMatch(/cost|title\b/u);
    },
  );
});
