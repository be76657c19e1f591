import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

/**
 * All rows of a resource that a request writes are judged as if none of the others had been written. Guests let others
 * into their room, and new documents may be put into open ones.
 */
const specification = `
${withTokens}
resources:
  rooms:
    access: authenticated
    fields:
      name: { type: string }
      guests: { type: relation, relation: hasMany, resource: guests, foreignKey: roomId }
  guests:
    access:
      read: authenticated
      write:
        - { where: "userId={user.sub}" }
        - { where: "room.guests.userId={user.sub}" }
        - { role: first, where: "room.guests_exists=false" }
        - { role: checker, where: "room.guests.share=0.10&room.guests.since=2026-03-01T12:00:00.123Z&room.guests.tags_contains=a,b&room.guests.data.deep=x&room.guests.isHost=true&room.guests.day=2026-03-01" }
        - admin
      delete: [{ where: "userId={user.sub}" }, first, admin]
    fields:
      id: { type: id, format: string }
      userId: { type: string }
      isHost: { type: boolean, default: false }
      share: { type: decimal, precision: 18, scale: 2, nullable: true }
      since: { type: datetime, nullable: true }
      day: { type: date, nullable: true }
      tags: { type: array, items: { type: string }, nullable: true }
      data: { type: json, nullable: true }
      roomId: { type: integer, reference: rooms.id, onDelete: cascade }
      room: { type: relation, relation: belongsTo, resource: rooms, foreignKey: roomId }
  docs:
    access:
      read: authenticated
      write: [{ where: "parent.isOpen=true" }, starter, admin]
    fields:
      id: { type: id, format: string }
      isOpen: { type: boolean, default: false }
      parentId: { type: string, nullable: true, reference: docs.id }
      parent: { type: relation, relation: belongsTo, resource: docs, foreignKey: parentId }
      children: { type: relation, relation: hasMany, resource: docs, foreignKey: parentId }
      labels: { type: relation, relation: belongsToMany, resource: labels, through: doc-labels }
  labels: { access: { read: authenticated, write: admin }, fields: { name: { type: string } } }
  doc-labels:
    access: { read: authenticated, write: [{ where: "doc.labels.name=key" }, { role: starter, where: "labelId=1" }, admin] }
    fields:
      docId: { type: string, required: true, reference: docs.id }
      labelId: { type: integer, required: true, reference: labels.id }
      doc: { type: relation, relation: belongsTo, resource: docs }
`;

const records = {
  rooms: [{ name: 'one' }, { name: 'two' }, { name: 'three' }],
  guests: [
    {
      id: 'ann',
      userId: 'ann',
      roomId: 1,
      share: '0.10',
      since: '2026-03-01T12:00:00.123Z',
      day: '2026-03-01',
      tags: ['a,b', '"c"', 'ü'],
      data: { deep: 'x', n: [1e300, null] },
      isHost: true,
    },
    { id: 'bob', userId: 'bob', roomId: 1 },
    { id: 'cid', userId: 'cid', roomId: 2 },
    { id: 'eve', userId: 'eve', roomId: 3 },
  ],
  docs: [{ id: 'a', isOpen: true }, { id: 'b' }],
  labels: [{ name: 'key' }, { name: 'other' }],
};

const who = (sub: string, ...roles: string[]): Record<string, string> => caller({ sub, roles });
const admin = who('root', 'admin');

const guest = (userId: string, roomId: number | string, id = `${userId} ${roomId}`): object => ({
  id,
  userId,
  roomId,
});

const batch = (
  ...operations: readonly (readonly [request: string, body?: object, as?: string])[]
): object[] =>
  operations.map(([request, body, as]) => {
    const [method, path] = request.split(' ');
    return { method, path: `/${path}`, body, as };
  });

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
  for (const [resource, list] of Object.entries(records)) {
    const made = await send(admin, `POST ${resource}`, list);
    expect(made.status, made.text).toBe(201);
  }
});
afterAll(() => both?.stop());

const send = (caller: Record<string, string>, request: string, body?: unknown): Promise<Answer> => {
  const [method = '', path = ''] = request.split(' ');
  return both.send(method, `/v1/${path}`, body, caller);
};

async function everything(): Promise<string> {
  const texts: string[] = [];
  for (const resource of [...Object.keys(records), 'doc-labels'])
    texts.push((await both.get(`/v1/${resource}`, admin)).text);
  return texts.join('\n');
}

type Case = readonly [name: string, who: Record<string, string>, request: string, body: unknown];

let before: string;
beforeEach(async () => {
  before = await everything();
});
afterEach(async () => expect(await everything()).toBe(before));

test.each<Case>([
  [
    'a batch whose first row justifies the second',
    who('eve'),
    'POST _batch',
    batch(['POST guests', guest('eve', 2)], ['POST guests', guest('fay', 2)]),
  ],
  [
    'a batch whose change justifies the next row',
    who('eve'),
    'POST _batch',
    batch(['PATCH guests/eve', { roomId: 2 }], ['POST guests', guest('fay', 2)]),
  ],
  [
    'a batch whose change justifies another change',
    who('eve'),
    'POST _batch',
    batch(['PATCH guests/eve', { roomId: 2 }], ['PATCH guests/cid', { isHost: true }]),
  ],
  [
    'a batch whose delete makes the next one the first guest',
    who('eve', 'first'),
    'POST _batch',
    batch(['DELETE guests/cid'], ['POST guests', guest('fay', 2)]),
  ],
  [
    'a batch of which a new room lets in one guest alone',
    who('eve'),
    'POST _batch',
    batch(
      ['POST rooms', { name: 'new' }, 'room'],
      ['POST guests', guest('eve', '{room.id}')],
      ['POST guests', guest('fay', '{room.id}')],
    ),
  ],
  [
    'nested rows of which one justifies the other',
    who('eve'),
    'PATCH rooms/2',
    {
      guests: {
        create: [
          { id: 'e', userId: 'eve' },
          { id: 'f', userId: 'fay' },
        ],
      },
    },
  ],
  [
    'a nested row that one that is moved justifies',
    who('eve'),
    'PATCH rooms/2',
    { guests: { add: ['eve'], create: [{ id: 'f', userId: 'fay' }] } },
  ],
  [
    'an upsert whose change justifies its new row',
    who('eve'),
    'POST guests?onConflict=id',
    [guest('eve', 2, 'eve'), guest('fay', 2)],
  ],
  [
    'a change of many of which one justifies the next',
    who('ann'),
    'PATCH guests?id_in=ann,bob',
    { roomId: 2, isHost: false },
  ],
  [
    'a batch whose document opens the next one',
    who('eve'),
    'POST _batch',
    batch(
      ['POST docs', { id: 'p', isOpen: true, parentId: 'a' }],
      ['POST docs', { id: 'q', parentId: 'p' }],
    ),
  ],
  [
    'links of a batch of which one justifies the next',
    who('eve', 'starter'),
    'POST _batch',
    batch(['PATCH docs/b', { labels: [1] }], ['PATCH docs/b', { labels: [1, 2] }]),
  ],
  [
    'the same as rows of their own',
    who('eve', 'starter'),
    'POST _batch',
    batch(
      ['POST doc-labels', { docId: 'b', labelId: 1 }],
      ['PATCH docs/b', { labels: { add: [2] } }],
    ),
  ],
])('403, and nothing is written: %s', async (_, caller, request, body) => {
  const answer = await send(caller, request, body);
  expect([answer.status, answer.body?.code], answer.text).toEqual([403, 'FORBIDDEN']);
});

describe('what was allowed before the request is done whatever it has done', () => {
  afterEach(async () => {
    for (const path of [
      'docs?id_in=p,q,r&isOpen=false',
      'docs/q',
      'docs/p',
      'guests?id_exists=true',
    ])
      await send(admin, `DELETE ${path}`);
    await send(admin, 'DELETE rooms?id_gt=3');
    expect((await send(admin, 'POST guests', records.guests)).status).toBe(201);
  });

  test.each<Case>([
    [
      'a guest who leaves lets another one in',
      who('bob'),
      'POST _batch',
      batch(['DELETE guests/bob'], ['POST guests', guest('fay', 1)]),
    ],
    [
      'a guest who becomes another one goes on',
      who('cid'),
      'POST _batch',
      batch(['PATCH guests/cid', { userId: 'zed' }], ['PATCH guests/cid', { isHost: true }]),
    ],
    [
      'values of every type that are no more what they were',
      who('joe', 'checker'),
      'POST _batch',
      batch(
        [
          'PATCH guests/ann',
          { share: '0.11', since: null, day: null, tags: [], data: null, isHost: false },
        ],
        ['POST guests', guest('fay', 1)],
        ['PATCH guests/bob', { isHost: true }],
      ),
    ],
    [
      'rows of several rooms, a new one among them',
      who('eve'),
      'POST _batch',
      batch(
        ['POST rooms', { name: 'new' }, 'room'],
        ['POST guests', guest('eve', '{room.id}')],
        ['POST guests', guest('fay', 3)],
        ['PATCH guests/eve', { isHost: true }],
      ),
    ],
    [
      'a room that comes and goes with its guest',
      who('eve'),
      'POST _batch',
      batch(
        ['POST rooms', { name: 'new' }, 'room'],
        ['POST guests', guest('eve', '{room.id}')],
        ['DELETE rooms/{room.id}'],
        ['POST guests', guest('fay', 3)],
      ),
    ],
    [
      'a new document exists for those that are nested with it',
      who('eve'),
      'POST docs',
      {
        id: 'p',
        isOpen: true,
        parentId: 'a',
        children: { create: [{ id: 'q', isOpen: true, children: { create: [{ id: 'r' }] } }] },
      },
    ],
    [
      'and so does one that a document is nested with',
      who('eve'),
      'POST docs',
      { id: 'q', parent: { create: { id: 'p', isOpen: true, parentId: 'a' } } },
    ],
  ])('%s', async (_, caller, request, body) => {
    const answer = await send(caller, request, body);
    expect(answer.status, answer.text).toBeLessThan(300);
  });
});
