import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, TestApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';

const specification = `
access: public
resources:
  owners:
    fields:
      name: { type: string, required: true, unique: true }
      links: { type: relation, relation: belongsToMany, resource: tags, through: owner-tags }
  items: { fields: { ownerId: { type: integer, required: true, reference: owners.id } } }
  tags: { fields: { name: { type: string, required: true } } }
  owner-tags:
    fields:
      ownerId: { type: integer, required: true, reference: owners.id }
      tagId: { type: integer, required: true, reference: tags.id }
    unique: [[ownerId, tagId]]
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, { tags: [{ name: 'a' }, { name: 'b' }] });
});
afterAll(() => both?.stop());

/** How many of the answers have each status. */
function tally(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const atOnce = (count: number, ask: (index: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

const everySide = async (work: (side: TestApi) => Promise<void>): Promise<void> => {
  for (const side of both.sides) await work(side);
  expect(both.failures).toEqual([]);
};

describe('at once', () => {
  test('50 creates of one unique value: one is 201, the others are told of it', () =>
    everySide(async (side) => {
      const answers = await atOnce(50, () => side.send('POST', '/v1/owners', { name: 'one' }));
      expect(tally(answers)).toEqual({ 201: 1, 422: 49 });
      const refused = answers.find(({ status }) => status === 422);
      expect(refused?.body.errors).toEqual([
        { field: 'name', message: 'is taken: it must be unique', rule: 'unique', params: {} },
      ]);
      expect((await side.get('/v1/owners?name=one')).body).toHaveLength(1);
    }));

  test('20 arrays with one unique value in common: one lands, and whole', () =>
    everySide(async (side) => {
      const answers = await atOnce(20, (index) =>
        side.send('POST', '/v1/owners', [
          { name: `before ${index}` },
          { name: 'shared' },
          { name: `after ${index}` },
        ]),
      );
      expect(tally(answers)).toEqual({ 201: 1, 422: 19 });
      const problems = new Set(
        answers.filter(({ status }) => status === 422).map(({ body }) => body.errors[0].field),
      );
      expect(problems).toEqual(new Set(['[1].name']));
      const { body } = await side.get('/v1/owners?name_like=r%20&limit=100');
      const there = await side.get('/v1/owners?name=shared');
      expect([there.body.length, body.length]).toEqual([1, 1]);
    }));

  test('50 records renamed to one value: one has it', () =>
    everySide(async (side) => {
      const { body } = await side.send(
        'POST',
        '/v1/owners',
        Array.from({ length: 50 }, (_, index) => ({ name: `rename ${index}` })),
      );
      const answers = await atOnce(50, (index) =>
        side.send('PATCH', `/v1/owners/${body[index].id}`, { name: 'renamed' }),
      );
      expect(tally(answers)).toEqual({ 200: 1, 422: 49 });
    }));

  test('50 deletes of one record: one is 204, the others are 404', () =>
    everySide(async (side) => {
      const { headers } = await side.send('POST', '/v1/owners', { name: 'gone' });
      const path = headers.get('location') ?? '';
      expect(tally(await atOnce(50, () => side.send('DELETE', path)))).toEqual({ 204: 1, 404: 49 });
    }));

  test('children that are created while their parent is deleted: none is left without', () =>
    everySide(async (side) => {
      const { body, headers } = await side.send('POST', '/v1/owners', { name: 'parent' });
      const path = headers.get('location') ?? '';
      const answers = await atOnce(40, (index) =>
        index % 4 === 3
          ? side.send('DELETE', path)
          : side.send('POST', '/v1/items', { ownerId: body.id }),
      );
      const isThere = (await side.get(path)).status === 200;
      const children = (await side.get(`/v1/items?ownerId=${body.id}&limit=100`)).body.length;
      const created = answers.filter(({ status }) => status === 201).length;
      expect({ isThere, children }).toEqual(
        created > 0 ? { isThere: true, children: created } : { isThere: false, children: 0 },
      );
      for (const { status } of answers) expect([201, 204, 404, 409, 422]).toContain(status);
    }));

  test('40 changes of the links of two records, each the other way round: all are done', () =>
    everySide(async (side) => {
      const { body } = await side.send('POST', '/v1/owners', [{ name: 'x' }, { name: 'y' }]);
      const answers = await atOnce(40, (index) =>
        side.send('PATCH', `/v1/owners/${body[index % 2].id}`, {
          links: index % 4 < 2 ? [1, 2] : [2, 1],
        }),
      );
      expect(tally(answers)).toEqual({ 200: 40 });
      expect((await side.get('/v1/owner-tags')).body).toHaveLength(4);
    }));
});

describe.each(['restrict', 'cascade', 'setNull'])('morph children, %s', (onDelete) => {
  test.each(['owners', 'houses'])(
    'that are made while one of %s is deleted: none is left without its owner',
    async (gone) => {
      const own = await serveBoth(`
resources:
  houses: { fields: { name: { type: string } } }
  owners:
    fields:
      houseId: { type: integer, reference: houses.id, onDelete: cascade }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: ${onDelete} }
  notes: { fields: { of: { type: relation, relation: morphTo } } }
`);
      for (const side of own.sides)
        for (let houseId = 1; houseId <= 5; houseId += 1) {
          await side.send('POST', '/v1/houses', {});
          const { body } = await side.send('POST', '/v1/owners', { houseId });
          const path = `/v1/${gone}/${gone === 'owners' ? body.id : houseId}`;
          const answers = await atOnce(12, (index) =>
            index % 4 === 3
              ? side.send('DELETE', path)
              : side.send('POST', '/v1/notes', { ofType: 'owners', ofId: body.id }),
          );
          for (const { status } of answers) expect([201, 204, 404, 409, 422]).toContain(status);
          const without = await side.get(`/v1/notes?ofId_exists=true&of_exists=false`);
          expect(without.body).toEqual([]);
        }
      expect(own.failures).toEqual([]);
      await own.stop();
    },
  );
});

test('a morph pair that is changed in parts and as a whole at once leads somewhere or nowhere', async () => {
  const own = await serveBoth(
    `
resources:
  owners: { fields: { id: { type: id, format: string }, notes: { type: relation, relation: morphMany, resource: notes } } }
  houses: { fields: { id: { type: id, format: string }, notes: { type: relation, relation: morphMany, resource: notes } } }
  notes: { fields: { of: { type: relation, relation: morphTo } } }
`,
    { owners: [{ id: 'a' }, { id: 'b' }], houses: [{ id: 'c' }] },
  );
  const none = { ofType: null, ofId: null };
  const changes = [{ ofId: 'b' }, none, { ofId: 'a' }, { ofType: 'houses', ofId: 'c' }];
  for (const side of own.sides)
    for (let round = 0; round < 20; round += 1) {
      const { body } = await side.send('POST', '/v1/notes', { ofType: 'owners', ofId: 'a' });
      const path = `/v1/notes/${body.id}`;
      await atOnce(8, (index) => side.send('PATCH', path, changes[index % 4]));
      const { ofType, ofId, of } = (await side.get(`${path}?expand=of`)).body;
      expect([ofType === null, ofId]).toEqual([of === null, of?.id ?? null]);
    }
  expect(own.failures).toEqual([]);
  await own.stop();
});
