import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

/** Relations whose keys, or whose other resources, some callers may not read or not write. */
const specification = `
${withTokens}
api: { versions: { 1: {}, 2: { resources: { vaults: false } } } }
groups: { brief: [name, motto], inner: [motto] }
access: { read: authenticated, write: chief }
resources:
  wards:
    access: { write: [nurse, chief] }
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      motto: { type: string, nullable: true, access: chief }
      parentId: { type: uuid, nullable: true, reference: wards.id, onDelete: restrict, access: { read: chief, write: public } }
      badges: { type: relation, relation: belongsToMany, resource: badges, through: ward-badges, withPivot: [since] }
      lamps: { type: relation, relation: belongsToMany, resource: lamps, through: ward-lamps, withPivot: [forType, forId] }
      memos: { type: relation, relation: morphMany, resource: memos }
  beds:
    access: { write: [nurse, chief] }
    fields:
      number: { type: integer }
      wardId: { type: uuid, nullable: true, reference: wards.id, onDelete: restrict, access: { read: chief, write: public } }
      roomId: { type: integer, nullable: true, reference: rooms.id, onDelete: restrict }
  rooms:
    access: { read: [{ role: nurse, where: "open=true" }, chief], write: [nurse, chief] }
    fields:
      open: { type: boolean }
      wingId: { type: integer, nullable: true, reference: wings.id, onDelete: cascade }
  wings:
    access: { write: [nurse, chief] }
    fields: { name: { type: string } }
  slots:
    access: { write: [nurse, chief] }
    unique: [[roomId, hour]]
    fields:
      hour: { type: integer }
      roomId: { type: integer, reference: rooms.id }
  badges:
    fields: { id: { type: id, format: string }, tier: { type: string } }
  lamps:
    access: { read: [{ role: nurse, where: "lit=true" }, chief] }
    fields: { id: { type: id, format: string }, lit: { type: boolean, default: true } }
  ward-badges:
    access: { write: [nurse, chief] }
    fields:
      wardId: { type: uuid, reference: wards.id }
      badgeId: { type: string, reference: badges.id, access: { write: chief } }
      since: { type: date, nullable: true }
  ward-lamps:
    access: { write: [nurse, chief] }
    fields:
      wardId: { type: uuid, reference: wards.id }
      lampId: { type: string, reference: lamps.id }
      forType: { type: string, nullable: true }
      forId: { type: uuid, nullable: true }
      for: { type: relation, relation: morphTo, resources: [vaults, wards], typeField: forType, idField: forId }
  vaults:
    access: chief
    fields:
      id: { type: id, format: uuid }
      memos: { type: relation, relation: morphMany, resource: memos, typeValue: safe }
  memos:
    access: { write: [nurse, chief] }
    fields:
      text: { type: string }
      aboutType: { type: string, nullable: true, access: { read: chief, write: public } }
      aboutId: { type: uuid, nullable: true }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
  slips:
    access: { write: [nurse, chief] }
    fields:
      forType: { type: string, nullable: true }
      forId: { type: uuid, nullable: true }
      for: { type: relation, relation: morphTo, resources: [vaults, wards], typeField: forType, idField: forId }
`;

const nurse = caller({ sub: 'n', roles: ['nurse'] });
const chief = caller({ sub: 'c', roles: ['chief'] });
const uuid = (last: number): string => `0198c0de-0000-7000-8000-${String(last).padStart(12, '0')}`;
const [main, below, vault] = [uuid(1), uuid(2), uuid(3)];

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, undefined, { mode: 'dev' });
  const records = {
    wards: [
      { id: main, name: 'main' },
      { id: below, name: 'below', parentId: main },
    ],
    wings: [{ name: 'east' }, { name: 'west' }],
    rooms: [
      { open: true, wingId: 1 },
      { open: false, wingId: 2 },
    ],
    beds: [{ number: 1, wardId: main, roomId: 1 }, { number: 2, wardId: main }, { roomId: 2 }],
    slots: [
      { roomId: 1, hour: 8 },
      { roomId: 2, hour: 8 },
      { roomId: 1, hour: 9 },
    ],
    badges: [{ id: 'x' }],
    lamps: [{ id: 'l' }, { id: 'dark', lit: false }],
    vaults: [{ id: vault }],
    memos: [
      { text: 'safe', aboutType: 'safe', aboutId: vault },
      { text: 'ward', aboutType: 'wards', aboutId: main },
    ],
    slips: [{ forType: 'vaults', forId: vault }],
  };
  for (const [name, list] of Object.entries(records)) {
    const { status, text } = await both.send('POST', `/v1/${name}`, list, chief);
    expect(status, text).toBe(201);
  }
});
afterAll(() => both?.stop());

const send = (who: object, method: string, path: string, body?: unknown): Promise<Answer> =>
  both.send(method, path, body, { ...who });

describe('links are written by who may write both keys of the junction', () => {
  test.each([
    ['nurse', nurse, 'badges', ['x'], 403],
    ['nurse', nurse, 'badges', [], 403],
    ['nurse', nurse, 'badges', { add: [{ id: 'x', pivot: { since: '2026-03-01' } }] }, 403],
    ['nurse', nurse, 'lamps', ['l'], 200],
    ['chief', chief, 'badges', ['x'], 200],
  ])('%s: %s %s %j is %i', async (_who, who, relation, links, status) => {
    const { status: found, text } = await send(who, 'PATCH', `/v1/wards/${main}`, {
      [relation]: links,
    });
    expect(found, text).toBe(status);
  });

  test('and nobody else is offered it', async () => {
    const { body } = await both.get('/_permissions', nurse);
    expect(body.versions.v1.wards.relations).toMatchObject({
      badges: ['read'],
      lamps: ['read', 'write'],
    });
    const { body: document } = await both.get('/v1/_openapi.json', nurse);
    const { properties } = document.components.schemas.WardUpdate as { properties: object };
    expect(properties).toHaveProperty('lamps');
    expect(properties).not.toHaveProperty('badges');
  });
});

describe('what keeps a record from being deleted is named where the keys that lead to it are read', () => {
  test.each([
    [
      'chief',
      chief,
      `wards/${main}`,
      [
        { resource: 'wards', count: 1 },
        { resource: 'beds', count: 2 },
        { resource: 'memos', count: 1 },
      ],
    ],
    ['nurse', nurse, `wards/${main}`, []],
    ['nurse', nurse, 'rooms/1', [{ resource: 'beds', count: 1 }]],
    // East leads through a room that might be hidden: that it does is not told.
    ['nurse', nurse, 'wings/1', []],
    ['nurse', nurse, 'wings/2', []],
    ['chief', chief, 'wings/2', [{ resource: 'beds', count: 1 }]],
  ])('%s: %s %s', async (_who, who, path, dependents) => {
    const { status, body } = await send(who, 'DELETE', `/v1/${path}`);
    expect({ status, dependents: body.dependents as unknown }).toEqual({ status: 409, dependents });
  });
});

describe('what is taken together with a key to a hidden record does not tell that it is there', () => {
  const message = (id: number): string => `there is no record in rooms with id ${id}`;

  test.each([
    ['POST', '/v1/slots', 2],
    ['POST', '/v1/slots', 99],
    ['PATCH', '/v1/slots/1', 2],
    ['PATCH', '/v1/slots/1', 99],
  ])('%s %s with room %i', async (method, path, roomId) => {
    const { status, body } = await send(nurse, method, path, { roomId, hour: 8 });
    expect({ status, errors: body.errors as unknown }).toEqual({
      status: 422,
      errors: [
        {
          field: 'roomId',
          message: message(roomId),
          rule: 'reference',
          params: { resource: 'rooms' },
        },
      ],
    });
  });

  test('while it is told of one that is seen', async () => {
    const { body } = await send(nurse, 'PATCH', '/v1/slots/3', { hour: 8 });
    expect(body.errors).toEqual([
      {
        field: 'hour',
        message: 'is taken: roomId, hour must be unique together',
        rule: 'unique',
        params: { fields: ['roomId', 'hour'] },
      },
    ]);
  });
});

describe('debug members do not tell a hidden record from one that is not there', () => {
  test.each([
    ['POST', 'slots', { hour: 8, roomId: 2 }, { hour: 8, roomId: 99 }],
    ['POST', 'slots', [{ hour: 8, roomId: 2 }], [{ hour: 8, roomId: 99 }]],
    ['PATCH', 'slots/1', { roomId: 2 }, { roomId: 99 }],
    ['PATCH', `wards/${main}`, { lamps: ['dark'] }, { lamps: ['none'] }],
    ['PATCH', `wards/${main}`, { lamps: { add: ['dark'] } }, { lamps: { add: ['none'] } }],
    ['PATCH', `wards/${main}`, { lamps: { remove: ['dark'] } }, { lamps: { remove: ['none'] } }],
  ])('%s %s %j', async (method, path, hidden, missing) => {
    for (const side of both.sides) {
      const told = [];
      for (const body of [hidden, missing]) {
        const asked = `/v1/${path}?_debug=true&_trace=true`;
        const answer = (await side.send(method, asked, body, nurse)).body;
        told.push({
          status: answer.status as unknown,
          statements: answer._debug.database.queries.map(({ sql }: { sql: string }) => sql),
          steps: answer._trace.map(({ stage, details }: Record<string, unknown>) => [
            stage,
            details,
          ]),
        });
      }
      expect(told[0]).toEqual(told[1]);
    }
  });
});

describe('the type field of a morph pair tells nothing of resources that are not there for a caller', () => {
  const listed = (answer: Answer): string =>
    JSON.stringify(answer.body.validationErrors ?? answer.body.errors);

  test.each([
    ['nurse', nurse, '/v1', 'wards'],
    ['chief', chief, '/v1', 'vaults, wards'],
    ['chief, where a version hides one', chief, '/v2', 'wards'],
  ])('in messages: %s', async (_who, who, version, names) => {
    const written = await send(who, 'POST', `${version}/slips`, { forType: 'no', forId: main });
    expect(written.status).toBe(422);
    expect(listed(written)).toContain(`must be one of ${names}"`);
    const lamps = [{ id: 'l', pivot: { forType: 'no' } }];
    const linked = await send(who, 'PATCH', `${version}/wards/${main}`, { lamps });
    expect(listed(linked)).toContain(`must be one of ${names}"`);
    const asked = await both.get(`${version}/slips?forType_in=no`, { ...who });
    expect(asked.status).toBe(400);
    expect(listed(asked)).toContain(`one of ${names}"`);
  });

  test.each([
    ['nurse', nurse, '/v1', undefined],
    ['chief', chief, '/v1', ['vaults', 'wards']],
    ['chief, where a version hides one', chief, '/v2', undefined],
  ])('in the OpenAPI document: %s', async (_who, who, version, values) => {
    const { text, body } = await both.get(`${version}/_openapi.json`, { ...who });
    if (values === undefined) expect(text).not.toMatch(/vaults|"safe"/u);
    const { parameters } = body.paths[`${version}/slips`].get as { parameters: Parameter[] };
    const parameter = parameters.find(({ name }) => name === 'forType');
    expect(parameter?.schema.enum).toEqual(values);
  });

  test('though rows that have such a type are shown, and can be sent back', async () => {
    const { body } = await both.get('/v1/slips/1', nurse);
    expect(body).toEqual({ id: 1, forType: 'vaults', forId: vault });
    expect((await both.get('/v1/slips?forType=vaults', nurse)).body).toEqual([body]);
    expect((await send(nurse, 'PUT', '/v1/slips/1', body)).body).toEqual(body);
  });
});

interface Parameter {
  readonly name: string;
  readonly schema: { readonly enum?: readonly unknown[] };
}

test('an owner that is not there is not named where that would tell the hidden type', async () => {
  for (const id of [1, 2]) {
    const { status, body } = await send(nurse, 'PATCH', `/v1/memos/${id}`, { aboutId: below });
    // A memo of a ward may be given to another ward.
    if (id === 2) expect(status).toBe(200);
    else expect(status).toBe(422);
    const other = await send(nurse, 'PATCH', `/v1/memos/${id}`, { aboutId: uuid(9) });
    expect(other.body.errors).toEqual([
      { field: 'aboutId', message: 'there is no such record', rule: 'reference', params: {} },
    ]);
    if (id === 1) expect(body.errors).toEqual(other.body.errors);
  }
  const named = await send(nurse, 'PATCH', '/v1/memos/1', { aboutType: 'wards', aboutId: uuid(9) });
  expect(named.body.errors).toEqual([
    {
      field: 'aboutId',
      message: `there is no record in wards with id "${uuid(9)}"`,
      rule: 'reference',
      params: { resource: 'wards' },
    },
  ]);
});

describe('the stored half of a morph pair is not told to who changes the other', () => {
  const cards = (attributes: string): string => `
${withTokens}
access: public
resources:
  ports: { fields: { id: { type: id, format: string } } }
  piers: { fields: { id: { type: id, format: string } } }
  cards:
    fields:
      atType: { type: string }
      atId: { type: string, ${attributes} }
      at: { type: relation, relation: morphTo, resources: [ports, piers], typeField: atType, idField: atId }
`;

  test.each([
    ['writeOnly: true', 'atId', 'there is no such record', {}],
    ['access: { read: chief, write: public }', 'atId', 'there is no such record', {}],
    ['access: chief', 'atType', 'there is no such record', {}],
    [
      'access: { write: chief }',
      'atId',
      'there is no record in piers with id "hidden"',
      { resource: 'piers' },
    ],
  ])('atId with %s', async (attributes, field, message, params) => {
    const own = await serveBoth(cards(attributes), {}, undefined, { mode: 'dev' });
    await own.send('POST', '/v1/ports', { id: 'hidden' }, chief);
    await own.send('POST', '/v1/cards', { atType: 'ports', atId: 'hidden' }, chief);
    const { status, body } = await own.send('PATCH', '/v1/cards/1', { atType: 'piers' });
    expect({ status, errors: body.errors as unknown }).toEqual({
      status: 422,
      errors: [{ field, message, rule: 'reference', params }],
    });
    await own.stop();
  });
});

test('a group of which a caller sees nothing is not named', async () => {
  expect((await both.get('/v1/_openapi.json', chief)).text).toContain('@inner');
  const { text } = await both.get('/v1/_openapi.json', nurse);
  expect(text).toContain('@brief');
  expect(text).not.toContain('@inner');
});
