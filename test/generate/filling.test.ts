import { afterEach, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { fillAll, type Row } from './generate.ts';

/**
 * Records beside those that are there, which belong or lead to these. See
 * docs/contract/7-data-debug-dashboard.md#generated-relations.
 */
let both: Both;

afterEach(() => both.stop());

async function fill(count?: number, seed?: number): Promise<void> {
  for (const { servedApi } of both.sides)
    expect(await fillAll(servedApi.api, servedApi.database, { count, seed })).toMatchObject({
      ok: true,
    });
}

async function rowsOf(name: string): Promise<Row[]> {
  return (await both.get(`/v1/${name}?limit=100&sort=id`)).body as Row[];
}

const people = `limits: { maxLimit: 100 }
resources:
  users:
    fields: { id: { type: id, format: uuid }, name: { type: string } }
  tasks:
    generate: { per: user, min: 1, max: 2 }
    unique: [[userId, slot]]
    fields:
      userId: { type: uuid, required: true, reference: users.id, onDelete: cascade }
      slot: { type: enum, values: [a, b], required: true }
      user: { type: relation, relation: belongsTo, resource: users }
  notes:
    generate: { per: user, min: 2, max: 3 }
    fields:
      userId: { type: uuid, required: true, reference: users.id, onDelete: cascade }
      user: { type: relation, relation: belongsTo, resource: users }
      parentId: { type: integer, reference: notes.id, onDelete: setNull }
`;

/** Every user has as many records as \`per\` says, and they stay as they are in another run. */
async function expectGroups(users: number): Promise<void> {
  const ids = (await rowsOf('users')).map(({ id }) => id);
  expect(ids).toHaveLength(users);
  for (const [name, least, most] of [
    ['tasks', 1, 2],
    ['notes', 2, 3],
  ] as const) {
    const rows = await rowsOf(name);
    const sizes = ids.map((user) => rows.filter(({ userId }) => userId === user).length);
    expect([name, sizes.filter((size) => size < least || size > most)]).toEqual([name, []]);
  }
}

test('of records of your own and generated ones, each has as many as `per` says', async () => {
  const ids = ['0f8f', '3e9e', '7c9e'].map((start) => `${start}0000-0000-4000-8000-000000000001`);
  both = await serveBoth(people, {
    users: ids.map((id) => ({ id })),
    tasks: [
      { userId: ids[1] ?? '', slot: 'b' },
      { userId: ids[2] ?? '', slot: 'a' },
    ],
  });
  for (const { servedApi } of both.sides) {
    const { api, database } = servedApi;
    const resources = new Set([...api.resources.values()].filter(({ name }) => name !== 'users'));
    expect(await fillAll(api, database, { resources })).toMatchObject({ ok: true });
  }
  await expectGroups(3);
  await fill();
  await expectGroups(25);
  const [first, second] = await rowsOf('users');
  await both.send('DELETE', `/v1/users/${String(first?.['id'])}`);
  const task = (await rowsOf('tasks')).find(({ userId }) => userId === second?.['id']);
  await both.send('DELETE', `/v1/tasks/${String(task?.['id'])}`);
  await fill();
  await expectGroups(25);
  const notes = await rowsOf('notes');
  await fill();
  expect(await rowsOf('notes')).toEqual(notes);
  for (const { id, parentId, userId } of notes)
    if (parentId !== null) {
      const parent = notes.find((note) => note['id'] === parentId);
      expect([id, parent?.['userId']]).toEqual([id, userId]);
      expect(Number(parentId)).toBeLessThan(Number(id));
    }
});

test('pairs in a circle of resources lead to records that are there or are made', async () => {
  const part = (other: string): string => `
    fields:
      ownerType: { type: string }
      ownerId: { type: integer }
      owner: { type: relation, relation: morphTo, resources: [${other}] }`;
  both = await serveBoth(
    `limits: { maxLimit: 100 }\nresources:\n  as:${part('bs')}\n  bs:${part('as')}\n`,
  );
  await fill(20);
  for (const name of ['as', 'bs'])
    for (const id of [2, 3, 5, 7, 11]) await both.send('DELETE', `/v1/${name}/${id}`);
  await fill(60);
  for (const [name, other] of [
    ['as', 'bs'],
    ['bs', 'as'],
  ] as const) {
    const there = new Set((await rowsOf(other)).map(({ id }) => id));
    const rows = await rowsOf(name);
    expect(rows).toHaveLength(60);
    expect(rows.filter(({ ownerId }) => ownerId === null).length).toBeLessThan(40);
    const paired = rows.filter(({ ownerId }) => ownerId !== null);
    expect(paired.filter(({ ownerId }) => !there.has(ownerId ?? null))).toEqual([]);
  }
});

test('values that have to be distinct are some that no record has', async () => {
  both = await serveBoth(`resources:
  rooms:
    fields:
      number: { type: integer, required: true, unique: true, minimum: 1, maximum: 26 }
      color: { type: enum, unique: true, required: true, values: [${Array.from({ length: 25 }, (_, at) => `c${at}`).join(', ')}] }
      name: { type: string, required: true, unique: true }
  categories: { fields: { name: { type: string, unique: true } } }
  sizes: { fields: { price: { type: decimal, precision: 3, scale: 2, unique: true, required: true, multipleOf: 0.25, minimum: 1, maximum: 8 } } }
`);
  const count = (): Promise<Row[][]> =>
    Promise.all(['rooms', 'categories', 'sizes'].map((name) => rowsOf(name)));
  await fill(12);
  await fill(20, 2);
  await fill();
  for (const id of [1, 2, 14, 25])
    for (const name of ['rooms', 'categories', 'sizes'])
      await both.send('DELETE', `/v1/${name}/${id}`);
  await fill();
  expect((await count()).map(({ length }) => length)).toEqual([25, 25, 25]);
  await both.send('DELETE', '/v1/rooms/3');
  await fill(undefined, 5);
  expect((await count()).map(({ length }) => length)).toEqual([25, 25, 25]);
});

test('keys to what is no id lead to values that are there, though they were changed', async () => {
  both = await serveBoth(`resources:
  cats:
    fields:
      code: { type: string, required: true, unique: true, template: 'C{{row}}' }
      parentCode: { type: string, reference: cats.code, onDelete: setNull }
  items: { fields: { catCode: { type: string, required: true, reference: cats.code, onDelete: cascade } } }
`);
  await fill(10);
  const [first] = await rowsOf('cats');
  for (const { id, parentCode } of await rowsOf('cats'))
    if (parentCode !== null)
      await both.send('PATCH', `/v1/cats/${String(id)}`, { parentCode: null });
  for (const { id } of await rowsOf('items')) await both.send('DELETE', `/v1/items/${String(id)}`);
  for (const { id } of await rowsOf('cats'))
    expect(
      (await both.send('PATCH', `/v1/cats/${String(id)}`, { code: `N${String(id)}` })).status,
    ).toBe(200);
  await fill(40);
  const cats = await rowsOf('cats');
  expect([cats.length, cats[0]?.['code'], first?.['code']]).toEqual([40, 'N1', 'C1']);
  expect(await rowsOf('items')).toHaveLength(40);
});

test('what is computed is of the generated records, and none of them has a value for it', async () => {
  both = await serveBoth(`resources:
  books:
    fields:
      title: { type: string }
      ratings: { type: relation, relation: hasMany, resource: ratings }
      ratingsCount: { type: integer, computed: { count: ratings } }
      label: { type: string, computed: { join: [title], with: ' ' } }
      isShort: { type: boolean, computed: { where: 'title=x' } }
  ratings: { fields: { bookId: { type: integer, required: true, reference: books.id } } }
`);
  await fill(20);
  const ratings = await rowsOf('ratings');
  expect(ratings).toHaveLength(20);
  for (const { id, title, ratingsCount, label, isShort } of await rowsOf('books'))
    expect([ratingsCount, label, isShort]).toEqual([
      ratings.filter(({ bookId }) => bookId === id).length,
      title,
      title === 'x',
    ]);
});
