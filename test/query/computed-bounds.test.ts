import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectRows } from '../support/tables.ts';

const specification = `
resources:
  boxes:
    fields:
      parts: { type: relation, relation: hasMany, resource: parts, foreignKey: boxId }
      weight: { type: number, computed: { sum: parts.weight } }
      mean: { type: number, computed: { avg: parts.weight } }
      highest: { type: integer, format: bigint, computed: { max: parts.serial } }
  parts:
    fields:
      weight: { type: number }
      serial: { type: integer, format: bigint }
      boxId: { type: integer, reference: boxes.id }
      box: { type: relation, relation: belongsTo, resource: boxes }
`;

const most = 1.797_693_134_862_315_7e308;
const records = {
  boxes: [{}, {}, {}, {}],
  parts: [
    { boxId: 1, weight: 1e308, serial: '9223372036854775807' },
    { boxId: 1, weight: 1e308, serial: '-9223372036854775808' },
    { boxId: 2, weight: most, serial: '9' },
    { boxId: 2, weight: 1, serial: '10' },
    { boxId: 3, weight: 0.5, serial: '-9223372036854775807' },
    { boxId: 3, weight: 5e-324 },
  ],
};

let api: Both;
beforeAll(async () => {
  api = await serveBoth(specification, records);
});
afterAll(() => api.stop());

test('a sum of numbers that no double holds is null, and so is their average', async () => {
  const { status, body, text } = await api.get('/v1/boxes');
  expect(status, text).toBe(200);
  expect(body).toEqual([
    { id: 1, weight: null, mean: null, highest: '9223372036854775807' },
    { id: 2, weight: most, mean: most / 2, highest: '10' },
    { id: 3, weight: 0.5, mean: 0.25, highest: '-9223372036854775807' },
    { id: 4, weight: null, mean: null, highest: null },
  ]);
});

describe('lists', () => {
  expectRows(() => api, '/v1/boxes', [
    ['with a sum', 'weight_gt=0', [2, 3]],
    ['without one', 'weight_null=true', [1, 4]],
    ['by a sum', 'sort=-weight', [2, 3, 4, 1]],
    ['by an average', 'sort=mean', [1, 4, 3, 2]],
    ['with an extreme of 64 bits', 'highest_gt=9', [1, 2]],
    ['equal to it', 'highest_in=10,9223372036854775807', [1, 2]],
    ['below it', 'highest_lte=9', [3]],
  ]);
});

test('a filter on what is computed from related records counts as a path to them', async () => {
  const filters = (count: number): string =>
    Array.from({ length: count }, (_, index) => `weight_gt:${index}`).join(',');
  expect((await api.get(`/v1/boxes?_or=${filters(8)}&id_gt=0&id_lt=9`)).status).toBe(200);
  const { status, body } = await api.get(`/v1/parts?_or=${filters(8)}&_and=box.mean:1`);
  expect(status, JSON.stringify(body)).toBe(200);
  const over = await api.get(`/v1/boxes?_or=${filters(9)}`);
  expect(over.status).toBe(400);
  expect(over.text).toContain('a request takes at most 50 filters (limits.filters)');
  expect((await api.get(`/v1/boxes?sort=weight,-mean,highest`)).status).toBe(200);
});

test('pages by cursor in the order of an extreme of 64 bits', async () => {
  const ids: number[] = [];
  for (let cursor = ''; ;) {
    const { body } = await api.get(`/v1/boxes?sort=highest&limit=1&cursor=${cursor}`);
    const page = body as { data: { id: number }[]; next_cursor: string | null };
    ids.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(ids).toEqual([4, 3, 2, 1]);
});
