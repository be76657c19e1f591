import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { fillAll, serveGenerated, type Row } from './generate.ts';

/**
 * Keys to the own table that are distinct together with other fields. See
 * docs/contract/7-data-debug-dashboard.md#generated-relations, rule 3.
 */
const world = `limits: { maxLimit: 2000 }
resources:
  users: { fields: { id: { type: id, format: uuid }, name: { type: string } } }
  posts: { generate: { count: 50 }, fields: { title: { type: string } } }
  folders:
    generate: { count: 150 }
    fields:
      parentId: { type: integer, reference: folders.id }
      kind: { type: enum, values: [a, b, c, d], required: true }
    unique: [[parentId, kind]]
  chains:
    fields:
      beforeId: { type: integer, reference: chains.id }
    unique: [[beforeId]]
  rings:
    generate: { count: 20 }
    fields:
      id: { type: id, format: uuid }
      nextId: { type: uuid, required: true, reference: rings.id }
      side: { type: boolean, required: true }
    unique: [[nextId, side]]
  selves:
    fields:
      selfId: { type: integer, required: true, unique: true, reference: selves.id }
  leaps:
    fields:
      toId: { type: integer, reference: leaps.id, values: [3, 25] }
  answers:
    generate: { per: post, min: 7, max: 7 }
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      post: { type: relation, relation: belongsTo, resource: posts }
      toId: { type: integer, reference: answers.id }
      userId: { type: uuid, required: true, reference: users.id }
    unique: [[toId, postId, userId]]
`;

let both: Both;

beforeAll(async () => {
  both = await serveGenerated(world);
});
afterAll(() => both.stop());

test('rows that each have to lead to another one are all roots', async () => {
  const { body } = await both.get('/v1/selves?limit=2000');
  expect((body as Row[]).length).toBe(25);
  expect((body as Row[]).filter(({ id, selfId }) => id !== selfId)).toEqual([]);
});

test('a key of values that the file gives leads to a later row as well', async () => {
  const { body } = await both.get('/v1/leaps?limit=2000');
  expect(new Set((body as Row[]).map(({ toId }) => toId))).toEqual(new Set([3, 25]));
});

test.each([
  { name: 'folders', count: 150, key: 'parentId', list: ['parentId', 'kind'] },
  { name: 'chains', count: 25, key: 'beforeId', list: ['beforeId'] },
  { name: 'rings', count: 20, key: 'nextId', list: ['nextId', 'side'] },
  { name: 'answers', count: 350, key: 'toId', list: ['toId', 'postId', 'userId'] },
])('$name make trees, and no two are alike', async ({ name, count, key, list }) => {
  const { body } = await both.get(`/v1/${name}?limit=2000&sort=id`);
  const rows = body as Row[];
  expect(rows.length).toBe(count);
  const values = rows.map((row) => JSON.stringify(list.map((field) => row[field])));
  expect(new Set(values).size).toBe(count);
  const numbers = new Map(rows.map(({ id }, number) => [id, number]));
  const parents = rows.map((row) => numbers.get(row[key] ?? null));
  const isEarlier = (parent: number | undefined, number: number): boolean =>
    parent === undefined || parent < number || (parent === number && name === 'rings');
  expect(parents.filter((parent, number) => !isEarlier(parent, number))).toEqual([]);
  expect(parents.filter((parent) => parent !== undefined).length).toBeGreaterThan(count / 2);
  for (const [number, parent] of parents.entries())
    if (parent !== undefined) expect(rows[parent]?.['postId']).toBe(rows[number]?.['postId']);
});

test('a key of the file that leads nowhere is named with its row, and set last', async () => {
  const server = await serveBoth(
    'resources:\n  things: { fields: { toId: { type: integer, reference: things.id, values: [30] } } }\n',
  );
  for (const {
    servedApi: { api, database },
  } of server.sides)
    expect(await fillAll(api, database)).toMatchObject({
      problems: [
        {
          path: ['resources', 'things', 'fields', 'toId'],
          message: 'the value of row 1 is 30: there is no record in things with id 30',
        },
      ],
    });
  await server.stop();
});
