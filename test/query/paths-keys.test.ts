import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectRows, expectTrees } from '../support/tables.ts';

/** Ids of every format, and a morph whose targets have ids of different types. */
const specification = `
resources:
  devices:
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      code: { type: integer }
      placeId: { type: integer, reference: places.id }
      place: { type: relation, relation: belongsTo, resource: places }
      parts: { type: relation, relation: belongsToMany, resource: parts, through: device-parts, withPivot: [count] }
      notes: { type: relation, relation: morphMany, resource: notes }
  places:
    fields:
      name: { type: string }
      code: { type: string }
      devices: { type: relation, relation: hasMany, resource: devices }
      notes: { type: relation, relation: morphMany, resource: notes }
  parts:
    fields:
      id: { type: id, format: string }
      label: { type: string }
      parentId: { type: string, reference: parts.id }
      parent: { type: relation, relation: belongsTo, resource: parts }
      children: { type: relation, relation: hasMany, resource: parts, foreignKey: parentId }
      devices: { type: relation, relation: belongsToMany, resource: devices, through: device-parts }
  device-parts:
    fields:
      deviceId: { type: uuid, reference: devices.id }
      partId: { type: string, reference: parts.id }
      count: { type: integer }
  notes:
    fields:
      text: { type: string }
      about: { type: relation, relation: morphTo }
      aboutType: { type: string, nullable: true }
      aboutId: { type: string, nullable: true }
`;

const uuid = (digit: number): string => `0198c0de-0000-7000-8000-00000000000${digit}`;
const [x, y, z] = [uuid(1), uuid(2), uuid(3)];

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {
    places: [
      { name: 'Hall', code: '7' },
      { name: 'Yard', code: 'seven' },
    ],
    devices: [
      { id: z, name: 'lamp', code: 7, placeId: 1 },
      { id: x, name: 'lamp', code: 8, placeId: 2 },
      { id: y, name: 'fan', placeId: 1 },
    ],
    parts: [
      { id: 'b', label: 'bulb' },
      { id: 'B', label: 'BULB', parentId: 'b' },
      { id: 'é,"x"', label: 'odd', parentId: 'b' },
      { id: '1', label: 'one', parentId: 'B' },
    ],
    'device-parts': [
      { deviceId: z, partId: 'b', count: 2 },
      { deviceId: z, partId: 'é,"x"', count: 1 },
      { deviceId: x, partId: 'B', count: 3 },
    ],
    notes: [
      { text: 'z', aboutType: 'devices', aboutId: z },
      { text: 'hall', aboutType: 'places', aboutId: '1' },
      { text: 'x', aboutType: 'devices', aboutId: x },
      { text: 'yard', aboutType: 'places', aboutId: '2' },
      { text: 'none' },
    ],
  });
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const [devices, places, parts, notes] = ['/v1/devices', '/v1/places', '/v1/parts', '/v1/notes'];

describe('filters', () => {
  expectRows(source, devices, [
    ['uuid to integer', 'place.name=Hall', [y, z]],
    ['by a related id', 'place.id=2', [x]],
    ['many to many', 'parts.label=bulb', [z]],
    ['by a text id', 'parts.id=B', [x]],
    ['by text ids', `parts.id_in=${encodeURIComponent(String.raw`"é,\"x\"",B`)}`, [x, z]],
    ['two of them', 'parts.id=b&parts.label=bulb&parts.pivot.count=2', [z]],
    ['morphMany by a text key', 'notes.text=z', [z]],
    ['none of it', 'notes_exists=false', [y]],
    ['uuid in upper case', `parts.devices.id=${z.toUpperCase()}`, [z]],
  ]);
  expectRows(source, places, [
    ['to uuid', 'devices.name=fan', [1]],
    ['by uuid', `devices.id=${x}`, [2]],
    ['morphMany by a text key', 'notes.text=yard', [2]],
    ['on and on', 'devices.parts.children.children.id=1', [1]],
  ]);
  expectRows(source, parts, [
    ['to itself', 'parent.label=bulb', ['B', 'é,"x"']],
    ['and again', 'parent.parent.id=b', ['1']],
    ['down', 'children.children.label=one', ['b']],
    ['leaves', 'children_exists=false', ['1', 'é,"x"']],
    ['from the other side', `devices.id=${z}`, ['b', 'é,"x"']],
  ]);
  expectRows(source, notes, [
    ['a field of all', 'about.name=Hall', [2]],
    ['of one', 'about:devices.name=lamp', [1, 3]],
    ['that is there', 'about_exists=true', [1, 2, 3, 4]],
    ['on', 'about.place.name=Yard', [3]],
    ['on, from both', 'about.notes.text=hall', [2]],
    ['a value of all the types that it may be', 'about.code=7', [1, 2]],
    ['an id of one type', `about:devices.id=${z}`, [1]],
    ['an id of the other', 'about:places.id=1', [2]],
  ]);
});

describe('sorts, with ids to break ties', () => {
  expectRows(source, devices, [
    ['by a related name', 'sort=place.name', [y, z, x]],
    ['descending', 'sort=-place.name', [x, z, y]],
    ['by the greatest text id', 'sort=-parts.id', [z, x, y]],
    ['by the least', 'sort=parts.id&nulls=last', [x, z, y]],
    ['by a morphMany', 'sort=-notes.text', [z, x, y]],
  ]);
  expectRows(source, places, [['by the greatest uuid', 'sort=-devices.id', [1, 2]]]);
  expectRows(source, parts, [['up', 'sort=-parent.parent.id,parent.id', ['1', 'b', 'B', 'é,"x"']]]);
});

describe('items', () => {
  const tree = async (query: string): Promise<unknown> => {
    const { body } = await api.get(`${devices}?${query}`);
    return (body as { id: string; parts: { id: string }[] }[]).map((device) =>
      device.parts.map(({ id }) => id),
    );
  };
  test('are filtered, sorted and paged', async () => {
    expect(await tree('expand=parts&parts.pivot.count_gte=2')).toEqual([['B'], [], ['b']]);
    expect(await tree('expand=parts&parts.sort=-id')).toEqual([['B'], [], ['é,"x"', 'b']]);
    expect(await tree('expand=parts&parts.limit=1&parts.page=2')).toEqual([[], [], ['é,"x"']]);
    expect(await tree('expand=parts&parts.sort=pivot.count&parts.limit=1')).toEqual([
      ['B'],
      [],
      ['é,"x"'],
    ]);
  });
  expectTrees(source, `${places}/1`, [
    ['of a text key', 'expand=notes&notes.limit=1', 'notes', [[1, [2]]]],
    ['of a text key, none left', 'expand=notes&notes.text=x', 'notes', [[1, []]]],
  ]);
});

test('cursors hold ids of each kind', async () => {
  for (const path of [
    `${devices}?sort=place.name`,
    `${devices}?sort=-parts.id`,
    `${devices}?sort=-id`,
    `${parts}?sort=parent.id`,
    `${parts}?sort=-id&nulls=last`,
    `${notes}?sort=-aboutId`,
  ]) {
    const { body: all } = await api.get(path);
    const ids: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null && ids.length < 10) {
      const { body } = await api.get(`${path}&limit=1&cursor=${cursor}`);
      ids.push(...(body.data as unknown[]));
      cursor = body.next_cursor as string | null;
    }
    expect(ids, path).toEqual(all);
  }
});

describe('refused', () => {
  expectBlame(source, notes, [
    ['an id of the other type', 'about:places.id=x', 'INVALID_FILTER', 'about:places.id'],
  ]);
});
