import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { ask, expectError, testExchanges } from '../server/exchanges.ts';

/** Owners at the top; what refers to them says in its name what becomes of it. */
const specification = `
api: { versions: { 1: {}, 2: { resources: { notes: { fields: { notableId: false } } } } } }
resources:
  owners:
    fields:
      name: { type: string }
      code: { type: string, unique: true }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: restrict }
      marks: { type: relation, relation: morphMany, resource: marks, onDelete: cascade }
      links: { type: relation, relation: morphMany, resource: links, onDelete: setNull }
      stamps: { type: relation, relation: morphMany, resource: stamps, onDelete: cascade }
  restricted: { fields: { ownerId: { type: integer, reference: owners.id, onDelete: restrict }, otherId: { type: integer, reference: owners.id, onDelete: restrict } } }
  coded: { fields: { ownerCode: { type: string, reference: owners.code, onDelete: restrict } } }
  released: { fields: { ownerId: { type: integer, reference: owners.id, onDelete: setNull } } }
  cascaded:
    fields:
      ownerId: { type: integer, reference: owners.id, onDelete: cascade }
      notes: { type: relation, relation: morphMany, resource: notes }
      marks: { type: relation, relation: morphMany, resource: marks, onDelete: cascade }
  deeper: { fields: { cascadedId: { type: integer, reference: cascaded.id, onDelete: cascade } } }
  deepest: { fields: { deeperId: { type: integer, reference: deeper.id, onDelete: restrict } } }
  notes: { fields: { notable: { type: relation, relation: morphTo } } }
  marks: { fields: { markable: { type: relation, relation: morphTo } } }
  markings: { fields: { markId: { type: integer, reference: marks.id, onDelete: restrict } } }
  # Its owners' ids are of different types, so the key to them is text.
  stamps: { fields: { stampable: { type: relation, relation: morphTo } } }
  parcels: { fields: { id: { type: id, format: uuid }, stamps: { type: relation, relation: morphMany, resource: stamps } } }
  # Of its owners none says what becomes of it.
  letters: { fields: { about: { type: relation, relation: morphTo, resources: [owners, cascaded, parcels] } } }
  links: { fields: { linkable: { type: relation, relation: morphTo } } }
  trees: { fields: { parentId: { type: integer, reference: trees.id, onDelete: restrict } } }
  vines: { fields: { parentId: { type: integer, reference: vines.id, onDelete: cascade } } }
  leaves: { fields: { vineId: { type: integer, reference: vines.id, onDelete: restrict } } }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification);
});
afterAll(() => api.stop());

async function make(resource: string, body: object = {}): Promise<number> {
  const answer = await api.send('POST', `/v1/${resource}`, body);
  expect(answer.text).toContain('"id"');
  return answer.body.id;
}

const note = (type: string, id: number): object => ({ notableType: type, notableId: id });
const mark = (type: string, id: number): object => ({ markableType: type, markableId: id });

interface Scene {
  readonly name: string;
  /** Makes what refers to an owner, and gives the paths that are looked at afterwards. */
  readonly make: (owner: number) => Promise<readonly string[]>;
  /** What keeps the owner; absent: it goes. */
  readonly dependents?: readonly { resource: string; count: number }[];
  /** The statuses of the paths after the owner went, with what their records show. */
  readonly after?: readonly (404 | object)[];
}

const scenes: readonly Scene[] = [
  { name: 'nothing refers to it', make: async () => [], after: [] },
  {
    name: 'restrict: each record counts once',
    make: async (owner) => {
      await make('restricted', { ownerId: owner, otherId: owner });
      await make('restricted', { ownerId: owner });
      return [`restricted/${await make('restricted', { otherId: owner })}`];
    },
    dependents: [{ resource: 'restricted', count: 3 }],
  },
  {
    name: 'restrict by another field than the id',
    make: async (owner) => [`coded/${await make('coded', { ownerCode: `code ${owner}` })}`],
    dependents: [{ resource: 'coded', count: 1 }],
  },
  {
    name: 'setNull',
    make: async (owner) => [`released/${await make('released', { ownerId: owner })}`],
    after: [{ ownerId: null }],
  },
  {
    name: 'cascade, all the way',
    make: async (owner) => {
      const cascaded = await make('cascaded', { ownerId: owner });
      return [`cascaded/${cascaded}`, `deeper/${await make('deeper', { cascadedId: cascaded })}`];
    },
    after: [404, 404],
  },
  {
    name: 'restrict at the end of cascades',
    make: async (owner) => {
      const cascaded = await make('cascaded', { ownerId: owner });
      const deeper = await make('deeper', { cascadedId: cascaded });
      return [`cascaded/${cascaded}`, `deepest/${await make('deepest', { deeperId: deeper })}`];
    },
    dependents: [{ resource: 'deepest', count: 1 }],
  },
  {
    name: 'morphMany, restrict',
    make: async (owner) => [`notes/${await make('notes', note('owners', owner))}`],
    dependents: [{ resource: 'notes', count: 1 }],
  },
  {
    name: 'morphMany, restrict, through a cascade',
    make: async (owner) => {
      const cascaded = await make('cascaded', { ownerId: owner });
      return [`notes/${await make('notes', note('cascaded', cascaded))}`];
    },
    dependents: [{ resource: 'notes', count: 1 }],
  },
  {
    name: 'a morphTo without a morphMany',
    make: async (owner) => {
      const letter = { aboutType: 'owners', aboutId: String(owner) };
      await make('letters', { aboutType: 'cascaded', aboutId: String(await make('cascaded')) });
      return [`letters/${await make('letters', letter)}`];
    },
    dependents: [{ resource: 'letters', count: 1 }],
  },
  {
    name: 'a morphTo without a morphMany, through a cascade',
    make: async (owner) => {
      const aboutId = String(await make('cascaded', { ownerId: owner }));
      return [`letters/${await make('letters', { aboutType: 'cascaded', aboutId })}`];
    },
    dependents: [{ resource: 'letters', count: 1 }],
  },
  {
    name: 'morphMany, cascade',
    make: async (owner) => [`marks/${await make('marks', mark('owners', owner))}`],
    after: [404],
  },
  {
    name: 'morphMany, cascade, through a cascade',
    make: async (owner) => {
      const cascaded = await make('cascaded', { ownerId: owner });
      return [`marks/${await make('marks', mark('cascaded', cascaded))}`];
    },
    after: [404],
  },
  {
    name: 'restrict below a morphMany that cascades',
    make: async (owner) => {
      const id = await make('marks', mark('owners', owner));
      await make('markings', { markId: id });
      return [`marks/${id}`];
    },
    dependents: [{ resource: 'markings', count: 1 }],
  },
  {
    name: 'morphMany, setNull: both halves',
    make: async (owner) => [
      `links/${await make('links', { linkableType: 'owners', linkableId: owner })}`,
    ],
    after: [{ linkableType: null, linkableId: null }],
  },
  {
    name: 'morphMany, cascade, where the key is text',
    make: async (owner) => {
      const stamp = { stampableType: 'owners', stampableId: String(owner) };
      return [`stamps/${await make('stamps', stamp)}`];
    },
    after: [404],
  },
  {
    name: 'morph children of another resource with the same id stay',
    make: async (owner) => {
      let other = 0;
      while (other < owner) other = await make('cascaded');
      return [`marks/${await make('marks', mark('cascaded', other))}`];
    },
    after: [{ markableType: 'cascaded' }],
  },
  {
    name: 'several that keep it',
    make: async (owner) => {
      await make('restricted', { ownerId: owner });
      await make('notes', note('owners', owner));
      return [`notes/${await make('notes', note('owners', owner))}`];
    },
    dependents: [
      { resource: 'restricted', count: 1 },
      { resource: 'notes', count: 2 },
    ],
  },
];

describe('DELETE when', () => {
  test.each(scenes)('$name', async (scene) => {
    const owner = await make('owners');
    await ask(api, `PATCH /v1/owners/${owner}`, { code: `code ${owner}` });
    const paths = await scene.make(owner);
    const answer = await ask(api, `DELETE /v1/owners/${owner}`);
    if (scene.dependents === undefined) {
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect((await ask(api, `DELETE /v1/owners/${owner}`)).status).toBe(404);
      for (const [index, path] of paths.entries()) {
        const left = await api.get(`/v1/${path}`);
        const expected = scene.after?.[index];
        if (expected === 404) expect(left.status).toBe(404);
        else expect(left.body).toMatchObject(expected ?? {});
      }
    } else {
      expectError(answer, 'HAS_DEPENDENTS', `/v1/owners/${owner}`);
      expect(answer.body.dependents).toEqual(scene.dependents);
      for (const path of [`owners/${owner}`, ...paths])
        expect((await api.get(`/v1/${path}`)).status).toBe(200);
    }
    expect(api.failures).toEqual([]);
  });

  test('the key is text and holds a UUID', async () => {
    const parcel = await make('parcels');
    await make('stamps', { stampableType: 'parcels', stampableId: parcel });
    const answer = await ask(api, `DELETE /v1/parcels/${parcel}`);
    expect(answer.body.dependents).toEqual([{ resource: 'stamps', count: 1 }]);
  });

  test('it refers to itself: nothing else needs it', async () => {
    const id = await make('trees');
    await ask(api, `PATCH /v1/trees/${id}`, { parentId: id });
    const child = await make('trees', { parentId: id });
    expect((await ask(api, `DELETE /v1/trees/${id}`)).body.dependents).toEqual([
      { resource: 'trees', count: 1 },
    ]);
    expect((await ask(api, `DELETE /v1/trees/${child}`)).status).toBe(204);
    expect((await ask(api, `DELETE /v1/trees/${id}`)).status).toBe(204);
  });

  test('a very long chain ends in what keeps it: 409, nothing is deleted', async () => {
    const top = await make('vines');
    let last = top;
    for (let length = 0; length < 20; length += 1) last = await make('vines', { parentId: last });
    const leaf = await make('leaves', { vineId: last });
    const answer = await ask(api, `DELETE /v1/vines/${top}`);
    expectError(answer, 'HAS_DEPENDENTS', `/v1/vines/${top}`);
    expect(answer.body.dependents).toEqual([{ resource: 'leaves', count: 1 }]);
    expect((await api.get(`/v1/vines/${last}`)).status).toBe(200);
    await ask(api, `DELETE /v1/leaves/${leaf}`);
    expect((await ask(api, `DELETE /v1/vines/${top}`)).status).toBe(204);
    expect((await api.get(`/v1/vines/${last}`)).status).toBe(404);
  });

  test('an id is never given out twice', async () => {
    const id = await make('owners');
    for (const status of [204, 404])
      expect((await ask(api, `DELETE /v1/owners/${id}`)).status).toBe(status);
    expect(await make('owners')).toBeGreaterThan(id);
  });
});

describe('a morph pair', () => {
  let own: TestApi;
  beforeAll(async () => {
    own = await serveBoth(specification, {
      owners: [{}],
      notes: [note('owners', 1), note('owners', 1)],
    });
  });
  afterAll(() => own.stop());

  testExchanges(
    () => own,
    [
      { name: 'may be empty', request: 'POST /v1/notes', body: {}, status: 201 },
      {
        name: 'without an id',
        request: 'POST /v1/notes',
        body: { notableType: 'owners' },
        status: 400,
        code: 'VALIDATION_FAILED',
        problems: ['notableId: must be given as well, or notableType be null'],
      },
      {
        name: 'without a type, in an array',
        request: 'POST /v1/notes',
        body: [{}, { notableId: 1 }],
        status: 400,
        code: 'VALIDATION_FAILED',
        problems: ['[1].notableType: must be given as well, or notableId be null'],
      },
      {
        name: 'with a half that is wrong',
        request: 'POST /v1/notes',
        body: { notableType: 'owners', notableId: 'x' },
        status: 400,
        code: 'VALIDATION_FAILED',
        problems: ['notableId: must be a number'],
      },
      {
        name: 'of a type that there is not',
        request: 'POST /v1/notes',
        body: { notableType: 'trees', notableId: 1 },
        status: 422,
        code: 'INVALID_VALUE',
        problems: ['notableType: must be one of owners, cascaded'],
      },
      {
        name: 'of an owner that there is not',
        request: 'POST /v1/notes',
        body: { notableType: 'owners', notableId: 99999 },
        status: 422,
        code: 'INVALID_VALUE',
        problems: ['notableId: there is no record in owners with id 99999'],
      },
      {
        name: 'halved by a PATCH',
        request: 'PATCH /v1/notes/1',
        body: { notableType: null },
        status: 400,
        code: 'VALIDATION_FAILED',
      },
      {
        name: 'halved by a PATCH that names both, whatever the record is',
        request: 'PATCH /v1/notes/99999',
        body: { notableType: 'owners', notableId: null, nope: 1 },
        status: 400,
        code: 'VALIDATION_FAILED',
        problems: [
          'nope: there is no field nope',
          'notableId: must be given as well, or notableType be null',
        ],
      },
      {
        name: 'halved by a PUT, whatever the record is',
        request: 'PUT /v1/notes/99999',
        body: { notableId: 1 },
        status: 400,
        code: 'VALIDATION_FAILED',
        problems: ['notableType: must be given as well, or notableId be null'],
      },
      ...['POST /v2/notes', 'PATCH /v2/notes/3', 'PUT /v2/notes/3'].map((request) => ({
        name: `without an id that the version hides, ${request}`,
        request,
        body: { notableType: 'owners' },
        status: 400,
        code: 'VALIDATION_FAILED' as const,
        problems: ['notableType: must be null, as the other half of its pair is'],
      })),
      {
        name: 'half changed to an owner that there is not',
        request: 'PATCH /v1/notes/1',
        body: { notableId: 99999 },
        status: 422,
        code: 'INVALID_VALUE',
        problems: ['notableId: there is no record in owners with id 99999'],
      },
      {
        name: 'emptied by a PATCH',
        request: 'PATCH /v1/notes/2',
        body: { notableType: null, notableId: null },
        status: 200,
      },
      { name: 'emptied by a PUT', request: 'PUT /v1/notes/2', body: {}, status: 200 },
      {
        name: 'of a record that is not there',
        request: 'PATCH /v1/notes/99999',
        body: { notableType: 'owners', notableId: 99999 },
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
      },
    ],
  );
});

describe('a value that others point to', () => {
  test('cannot be changed, and may be sent as it is', async () => {
    const owner = await make('owners', { code: 'held' });
    await make('coded', { ownerCode: 'held' });
    const path = `/v1/owners/${owner}`;
    expect((await api.send('PATCH', path, { code: 'held', name: 'b' })).status).toBe(200);
    const answer = await api.send('PATCH', path, { code: 'free', name: 'c' });
    expectError(answer, 'INVALID_VALUE', path);
    expect(answer.body.errors).toEqual([
      {
        field: 'code',
        message: 'cannot change: other records point to the value that it has',
        rule: 'referenced',
        params: {},
      },
    ]);
    expect((await api.get(path)).body).toMatchObject({ code: 'held', name: 'b' });
  });
});
