import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { fillAll, type Row } from './generate.ts';

/**
 * Records that are there, made with other counts or written, and more of them. See
 * docs/contract/7-data-debug-dashboard.md#generated-data, rule 6.
 */
const world = `limits: { maxLimit: 2000 }
resources:
  users:
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      profile: { type: relation, relation: hasOne, resource: profiles }
      friends: { type: relation, relation: belongsToMany, resource: users, through: friendships, foreignKey: aId }
  profiles: { fields: { userId: { type: uuid, required: true, reference: users.id } } }
  friendships:
    fields:
      aId: { type: uuid, required: true, reference: users.id }
      bId: { type: uuid, required: true, reference: users.id }
  badges: { fields: { userId: { type: uuid, unique: true, reference: users.id }, text: { type: string } } }
  folders:
    unique: [[parentId, userId]]
    fields:
      parentId: { type: integer, reference: folders.id }
      userId: { type: uuid, required: true, reference: users.id }
  votes:
    unique: [[ownerType, ownerId, kind]]
    fields:
      kind: { type: enum, values: [up, down], required: true }
      ownerType: { type: string, required: true }
      ownerId: { type: string, required: true }
      owner: { type: relation, relation: morphTo, resources: [users, badges] }
`;

let both: Both;

beforeAll(async () => {
  both = await serveBoth(world);
});
afterAll(() => both.stop());

async function fillUpTo(count: number): Promise<void> {
  for (const { servedApi } of both.sides)
    expect(await fillAll(servedApi.api, servedApi.database, { count })).toMatchObject({
      ok: true,
    });
}

async function rowsOf(name: string): Promise<Row[]> {
  return (await both.get(`/v1/${name}?limit=2000&sort=id`)).body as Row[];
}

test('what has to be distinct stays so as more is made', async () => {
  await fillUpTo(10);
  const links = await rowsOf('friendships');
  await both.send('DELETE', `/v1/badges/4`);
  for (const count of [11, 14, 40, 41, 47]) {
    await fillUpTo(count);
    for (const [name, fields] of Object.entries({
      profiles: ['userId'],
      friendships: ['aId', 'bId'],
      badges: ['userId'],
      folders: ['parentId', 'userId'],
      votes: ['ownerType', 'ownerId', 'kind'],
    })) {
      const rows = await rowsOf(name);
      expect([name, rows.length]).toEqual([name, count]);
      const values = rows
        .filter(({ parentId }) => parentId !== null)
        .map((row) => fields.map((field) => row[field]).join());
      expect([name, new Set(values).size]).toEqual([name, values.length]);
      if (name !== 'votes') expect(rows.filter((row) => row['userId'] === null)).toEqual([]);
    }
  }
  expect((await rowsOf('friendships')).slice(0, 10)).toEqual(links);
});

test('a key that somebody has written is left out', async () => {
  const users = await rowsOf('users');
  const taken = new Set((await rowsOf('profiles')).map(({ userId }) => userId));
  expect(users.filter(({ id }) => !taken.has(id ?? null))).toEqual([]);
  const added = await both.send('POST', '/v1/users', {
    id: '0190aaaa-0000-7000-8000-000000000001',
  });
  await both.send('POST', '/v1/profiles', { userId: added.body.id });
  await fillUpTo(70);
  const keys = (await rowsOf('profiles')).map(({ userId }) => userId);
  expect([keys.length, new Set(keys).size]).toEqual([70, 70]);
});

test('records that are there, few or many, all get links', async () => {
  const few = { users: Array.from({ length: 3 }, (_, at) => ({ id: idOf(at) })) };
  const many = { users: Array.from({ length: 60 }, (_, at) => ({ id: idOf(at) })) };
  for (const [records, count] of [
    [few, 6],
    [many, 1_200],
  ] as const) {
    const server = await serveBoth(world, records);
    for (const { servedApi } of server.sides) {
      const { api, database } = servedApi;
      const resources = new Set([...api.resources.values()].filter(({ name }) => name !== 'users'));
      expect(await fillAll(api, database, { resources, count })).toMatchObject({ ok: true });
    }
    const { body } = await server.get('/v1/friendships?limit=2000');
    const links = (body as Row[]).map(({ aId, bId }) => `${String(aId)} ${String(bId)}`);
    expect([links.length, new Set(links).size]).toEqual([count, count]);
    expect(new Set((body as Row[]).map(({ aId }) => aId)).size).toBe(records.users.length);
    await server.stop();
  }
});

function idOf(at: number): string {
  return `0190bbbb-0000-7000-8000-${String(at).padStart(12, '0')}`;
}

test('what two lists tell apart is distinct in both, up to all that there can be', async () => {
  const server = await serveBoth(`resources:
  lists:
    generate: { count: 3 }
    fields: { tracks: { type: relation, relation: belongsToMany, resource: tracks, through: entries } }
  tracks: { generate: { count: 5 }, fields: { name: { type: string } } }
  entries:
    unique: [[listId, position]]
    generate: { count: 9 }
    fields:
      listId: { type: integer, required: true, reference: lists.id }
      trackId: { type: integer, required: true, reference: tracks.id }
      position: { type: integer, required: true, minimum: 1, maximum: 9 }
`);
  const fillUp = async (count?: number): Promise<Row[]> => {
    for (const { servedApi } of server.sides) {
      const { api, database } = servedApi;
      const resources = new Set([...api.resources.values()].slice(count === undefined ? 0 : 2));
      expect(await fillAll(api, database, { resources, count })).toMatchObject({ ok: true });
    }
    const { body } = await server.get('/v1/entries?limit=100');
    for (const field of ['position', 'trackId']) {
      const pairs = (body as Row[]).map((row) => `${String(row['listId'])} ${String(row[field])}`);
      expect([field, new Set(pairs).size]).toEqual([field, pairs.length]);
    }
    return body as Row[];
  };
  const first = await fillUp();
  expect(first).toHaveLength(9);
  const [gone] = first;
  await server.send('DELETE', `/v1/entries/${String(gone?.['id'])}`);
  await server.send('POST', '/v1/entries', { ...gone, id: undefined, position: 99 });
  expect(await fillUp(13)).toHaveLength(13);
  expect(await fillUp(100)).toHaveLength(15);
  await server.stop();
});
