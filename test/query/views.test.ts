import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBodies, expectRefusals, type RefusalCase } from '../support/tables.ts';

/** The names of a version, and what nobody may read, hold for everything that a read can name. */
const specification = `
groups: { head: [title, cost, tone] }
api:
  defaultVersion: 1
  versions:
    1: {}
    2:
      resources:
        posts: { fields: { headline: { from: title }, tone: false } }
        labels: { fields: { text: { from: name } } }
        post-labels: { fields: { order: { from: position }, note: false } }
        drafts: false
resources:
  posts:
    fields:
      title: { type: string }
      tone: { type: string }
      cost: { type: decimal, access: { read: none, write: public } }
      labels: { type: relation, relation: belongsToMany, resource: labels, through: post-labels, withPivot: [position, note, mark] }
      drafts: { type: relation, relation: hasMany, resource: drafts }
      logs: { type: relation, relation: hasMany, resource: logs }
  labels: { fields: { name: { type: string } } }
  post-labels:
    fields:
      postId: { type: integer, reference: posts.id }
      labelId: { type: integer, reference: labels.id }
      position: { type: integer }
      note: { type: string }
      mark: { type: string, access: { read: none, write: public } }
  drafts: { fields: { postId: { type: integer, reference: posts.id }, body: { type: text } } }
  logs:
    access: { read: none }
    fields: { postId: { type: integer, reference: posts.id }, line: { type: text } }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {
    posts: [
      { title: 'b', tone: 'x', cost: '9.99' },
      { title: 'a', tone: 'y', cost: '1.00' },
    ],
    labels: [{ name: 'red' }],
    'post-labels': [{ postId: 1, labelId: 1, position: 3, note: 'n', mark: 'm' }],
    drafts: [{ postId: 1, body: 'draft' }],
  });
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const one = { id: 1, title: 'b', tone: 'x' };
const two = { id: 2, title: 'a', tone: 'y' };
const red = { id: 1, name: 'red', pivot: { position: 3, note: 'n' } };

describe('version 1', () => {
  expectBodies(source, [
    ['a plain read', '/v1/posts', [one, two]],
    ['the same without a version', '/posts', [one, two]],
    ['a group passes over what is hidden', '/v1/posts/1?fields=@head', one],
    ['a wildcard too', '/v1/posts/1?fields=*o*', { id: 1, tone: 'x' }],
    [
      'expansion, pivot included',
      '/v1/posts/1?expand=labels,drafts',
      { ...one, labels: [red], drafts: [{ id: 1, postId: 1, body: 'draft' }] },
    ],
    [
      'the junction itself',
      '/v1/post-labels',
      [{ id: 1, postId: 1, labelId: 1, position: 3, note: 'n' }],
    ],
  ]);
});

describe('version 2', () => {
  const renamed = { id: 1, headline: 'b' };
  expectBodies(source, [
    ['names of the version', '/v2/posts', [renamed, { id: 2, headline: 'a' }]],
    ['a filter', '/v2/posts?headline=b', [renamed]],
    ['with a suffix', '/v2/posts?headline_like=b&_or=headline:b', [renamed]],
    ['a sort', '/v2/posts?sort=headline&fields=id', [{ id: 2 }, { id: 1 }]],
    ['fields', '/v2/posts/1?fields=headline', renamed],
    ['exclude', '/v2/posts/1?exclude=headline', { id: 1 }],
    ['a group', '/v2/posts/1?fields=@head', renamed],
    [
      'expansion',
      '/v2/posts/1?expand=labels',
      { ...renamed, labels: [{ id: 1, text: 'red', pivot: { order: 3 } }] },
    ],
    [
      'fields of it',
      '/v2/posts/1?expand=labels&fields=labels.text',
      { id: 1, labels: [{ id: 1, text: 'red', pivot: { order: 3 } }] },
    ],
    [
      'pivot fields of it',
      '/v2/posts/1?expand=labels&exclude=labels.pivot.order,headline',
      { id: 1, labels: [{ id: 1, text: 'red', pivot: {} }] },
    ],
  ]);
  test('a hidden resource', async () => {
    expect((await api.get('/v2/drafts')).body.code).toBe('UNKNOWN_RESOURCE');
    expect((await api.get('/v1/drafts')).status).toBe(200);
  });
});

describe('what cannot be read does not exist', () => {
  const unknown = (
    name: string,
    query: string,
    problem: string,
    code = 'INVALID_PARAMETER',
  ): RefusalCase => [name, query, code, problem];
  const field = (name: string): string => `there is no field ${name}`;
  expectRefusals(source, '/v1/posts', [
    unknown(
      'a filter',
      'cost=9.99',
      'cost: there is no field or parameter cost; did you mean sort?',
    ),
    unknown('with a suffix', 'cost_gt=1', 'cost_gt: there is no field or parameter cost_gt'),
    unknown('in _or', '_or=cost:9.99', `cost: ${field('cost')}`),
    unknown('a sort', 'sort=cost', `sort: ${field('cost')}`, 'INVALID_SORT'),
    unknown('fields', 'fields=cost', `fields: ${field('cost')}`),
    unknown('exclude', 'exclude=cost', `exclude: ${field('cost')}`),
    unknown('a suggestion', 'fields=costs', `fields: ${field('costs')}`),
    unknown(
      'a relation to what cannot be read',
      'expand=logs',
      'expand: there is no relation logs',
    ),
    unknown(
      'a pivot field',
      'expand=labels&fields=labels.pivot.mark',
      'fields: labels.pivot.mark: there is no pivot field mark',
    ),
  ]);
  expectRefusals(source, '/v2/posts', [
    unknown(
      'the name of another version',
      'title=b',
      'title: there is no field or parameter title',
    ),
    unknown('in a sort', 'sort=title', `sort: ${field('title')}`, 'INVALID_SORT'),
    unknown('in fields', 'fields=title', `fields: ${field('title')}`),
    unknown('a hidden field', 'tone=x', 'tone: there is no field or parameter tone'),
    unknown('hidden in fields', 'fields=tone', `fields: ${field('tone')}`),
    unknown(
      'a relation to a hidden resource',
      'expand=drafts',
      'expand: there is no relation drafts',
    ),
    unknown(
      'a renamed pivot field',
      'expand=labels&exclude=labels.pivot.position',
      'exclude: labels.pivot.position: there is no pivot field position',
    ),
    unknown(
      'a hidden pivot field',
      'expand=labels&exclude=labels.pivot.note',
      'exclude: labels.pivot.note: there is no pivot field note',
    ),
  ]);
});
