import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { at, documentOf } from './documents.ts';

const specification = `
resources:
  posts:
    fields:
      title: { type: string, required: true }
      rating: { type: integer, default: 3 }
      state: { type: enum, values: [draft, live], default: draft }
      origin: { type: string, immutable: true, default: web }
      secret: { type: string, writeOnly: true, default: none }
      blind: { type: string, default: none, access: { read: none, write: public } }
      size: { type: object, properties: { width: { type: integer }, unit: { type: string, default: cm } } }
      parts: { type: array, items: { type: object, properties: { count: { type: integer, default: 1 } } } }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [rank] }
  tags: { fields: { name: { type: string } } }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
      rank: { type: integer, default: 1 }
`;
const document = documentOf(specification);
const ajv = new Ajv2020({ strict: false, validateFormats: false, useDefaults: true });
ajv.addSchema(document, 'api');

/** The body as validators hand it on that put in what it leaves out. */
function completed(schema: string, body: object): object {
  const whole = structuredClone(body);
  expect(ajv.validate({ $ref: `api#/components/schemas/${schema}` }, whole)).toBe(true);
  return whole;
}

let api: Both;
beforeAll(async () => {
  api = await serveBoth(specification, { tags: [{ name: 'a' }] });
});
afterAll(() => api.stop());

const first = {
  title: 'One',
  rating: 5,
  state: 'live',
  origin: 'mail',
  secret: 'mine',
  blind: 'mine',
  size: { width: 1, unit: 'in' },
  parts: [{ count: 7 }],
  tags: [{ id: 1, pivot: { rank: 9 } }],
};

/** Of each way to write the type of its body, its schema, and a body that leaves out what it can. */
const writes = {
  PUT: ['application/json', 'PostReplace', { title: 'Two' }],
  PATCH: ['application/json', 'PostUpdate', { size: { width: 2 }, parts: [{}] }],
  'PATCH that merges': ['application/merge-patch+json', 'PostMergePatch', { size: { width: 2 } }],
  'PATCH of links': ['application/json', 'PostUpdate', { tags: [{ id: 1, pivot: {} }] }],
} as const;

describe('a body means the same once a validator has put in the defaults of its schema', () => {
  test.each(Object.entries(writes))('%s', async (name, [type, schema, body]) => {
    const [method = ''] = name.split(' ');
    const shown = [];
    for (const sent of [body, completed(schema, body)]) {
      const { id } = (await api.send('POST', '/posts', first)).body as { readonly id: number };
      const path = `/posts/${id}?expand=tags`;
      const { status, body: answer } = await api.send(method, path, sent, { 'content-type': type });
      const hidden = `SELECT secret, blind FROM posts WHERE id = ${id}`;
      const written = await api.postgres.all({ sql: hidden, parameters: [] }, { bound: [] });
      shown.push([status, { ...(answer as object), id: 0 }, written]);
    }
    expect(shown[0]?.[0]).toBe(200);
    expect(shown[1]).toEqual(shown[0]);
  });

  test('POST', () => {
    expect(completed('PostCreate', { title: 'One', size: {} })).toEqual({
      title: 'One',
      rating: 3,
      state: 'draft',
      origin: 'web',
      secret: 'none',
      blind: 'none',
      size: { unit: 'cm' },
    });
  });

  test('a link that stays', () => {
    const link = 'components schemas PostTagsLinks anyOf 0 items anyOf 1 properties pivot';
    expect(at(document, `${link} properties rank`)).not.toHaveProperty('default');
  });
});
