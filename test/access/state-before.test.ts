import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

/**
 * Rules judge what a write results in against the state before it: the row's own fields as they will be, all else as it
 * was. Memberships decide who belongs to a tenant, and every rule here goes through them or through the row's own kin.
 */
const specification = `
${withTokens}
resources:
  tenants:
    access:
      read: authenticated
      create: [{ role: founder, where: "memberships.userId={user.sub}" }, { role: loner, where: "memberships_exists=false" }, admin]
      write: [{ where: "memberships.userId={user.sub}&memberships.role=owner" }, admin]
    fields:
      id: { type: id, format: string }
      name: { type: string }
      memberships: { type: relation, relation: hasMany, resource: memberships, foreignKey: tenantId }
  clubs:
    access: { read: authenticated, create: authenticated }
    fields:
      name: { type: string }
      createdBy: { type: string, default: '{user.sub}', readOnly: true }
      members: { type: relation, relation: hasMany, resource: members, foreignKey: clubId }
  members:
    access:
      read: authenticated
      create: [{ where: "_or=club.createdBy:{user.sub},club.members.userId:{user.sub}" }]
    fields:
      userId: { type: string }
      clubId: { type: integer, reference: clubs.id }
      club: { type: relation, relation: belongsTo, resource: clubs, foreignKey: clubId }
  memberships:
    access:
      read: authenticated
      write: [{ where: "tenant.memberships.userId={user.sub}&tenant.memberships.role=owner" }, admin]
    fields:
      role: { type: enum, values: [owner, member], default: member }
      userId: { type: string }
      tenantId: { type: string, reference: tenants.id }
      tenant: { type: relation, relation: belongsTo, resource: tenants, foreignKey: tenantId }
  docs:
    access:
      read: authenticated
      write: [{ where: "tenant.memberships.userId={user.sub}" }, { role: kin, where: "parent.title=open" }, { role: lone, where: "tags_exists=false" }, admin]
    fields:
      id: { type: id, format: string }
      title: { type: string }
      tenantId: { type: string, nullable: true, reference: tenants.id }
      tenant: { type: relation, relation: belongsTo, resource: tenants, foreignKey: tenantId }
      parentId: { type: string, nullable: true, reference: docs.id }
      parent: { type: relation, relation: belongsTo, resource: docs, foreignKey: parentId }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: doc-tags, withPivot: [rank] }
  tags:
    access: { read: authenticated, write: admin }
    fields:
      name: { type: string }
      docs: { type: relation, relation: belongsToMany, resource: docs, through: doc-tags }
  doc-tags:
    access:
      read: authenticated
      create: [{ where: "doc.tenant.memberships.userId={user.sub}" }, { role: kin, where: "doc.title=open" }, { role: chain, where: "doc.tags.name=key" }, { role: lone, where: "rank_lt=5" }, admin]
      write: [{ where: "doc.tenant.memberships.userId={user.sub}" }, { role: kin, where: "doc.title=open" }, { role: lone, where: "rank_lt=5" }, admin]
    fields:
      docId: { type: string, required: true, reference: docs.id }
      tagId: { type: integer, required: true, reference: tags.id }
      rank: { type: integer, default: 0 }
      doc: { type: relation, relation: belongsTo, resource: docs, foreignKey: docId }
  locks:
    access: { read: authenticated, create: admin, write: [{ where: "_or=left:true,right:true" }] }
    fields: { left: { type: boolean }, right: { type: boolean } }
`;

const records = {
  tenants: [
    { id: 'red', name: 'Red' },
    { id: 'blue', name: 'Blue' },
    { id: 'none', name: 'Nobody' },
  ],
  memberships: [
    { role: 'owner', userId: 'ann', tenantId: 'red' },
    { role: 'member', userId: 'bob', tenantId: 'red' },
    { role: 'owner', userId: 'cid', tenantId: 'blue' },
  ],
  docs: [
    { id: 'a', title: 'open', tenantId: 'red' },
    { id: 'b', title: 'shut', tenantId: 'blue', parentId: 'a' },
    { id: 'c', title: 'shut', tenantId: null, parentId: null },
    { id: 'loop', title: 'open', tenantId: null, parentId: null },
  ],
  tags: [{ name: 'key' }, { name: 'other' }, { name: 'third' }],
  'doc-tags': [{ docId: 'b', tagId: 2, rank: 1 }],
};

const admin = caller({ sub: 'root', roles: ['admin'] });
const who = (sub: string, ...roles: string[]): Record<string, string> => caller({ sub, roles });

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
  for (const [resource, list] of Object.entries(records)) {
    const made = await both.send('POST', `/v1/${resource}`, list, admin);
    expect(made.status, made.text).toBe(201);
  }
  await both.send('PATCH', '/v1/docs/loop', { parentId: 'loop' }, admin);
});
afterAll(() => both?.stop());

async function everything(): Promise<string> {
  const texts: string[] = [];
  for (const resource of Object.keys(records))
    texts.push((await both.get(`/v1/${resource}?limit=1000`, admin)).text);
  return texts.join('\n');
}

const send = (caller: Record<string, string>, request: string, body?: unknown): Promise<Answer> => {
  const [method = '', path = ''] = request.split(' ');
  return both.send(method, `/v1/${path}`, body, caller);
};

type Case = readonly [name: string, who: Record<string, string>, request: string, body: unknown];

const owner = (userId: string, tenantId: string): object => ({ role: 'owner', userId, tenantId });

describe('what the state before does not allow is 403, and nothing is written', () => {
  let before: string;
  beforeEach(async () => {
    before = await everything();
  });
  afterEach(async () => expect(await everything()).toBe(before));

  test.each<Case>([
    ['a tenant taken over', who('eve'), 'POST memberships', owner('eve', 'blue')],
    ['a tenant of nobody', who('eve'), 'POST memberships', owner('eve', 'none')],
    [
      'an array whose first row justifies the second',
      who('eve'),
      'POST memberships',
      [owner('eve', 'blue'), { userId: 'fay', tenantId: 'blue' }],
    ],
    [
      'an array with one row outside',
      who('ann'),
      'POST memberships',
      [{ userId: 'fay', tenantId: 'red' }, owner('ann', 'blue')],
    ],
    ['a member who makes itself owner', who('bob'), 'PATCH memberships/2', { role: 'owner' }],
    [
      'a membership moved to another tenant',
      who('ann'),
      'PATCH memberships/1',
      { tenantId: 'blue' },
    ],
    ['the same as a whole', who('ann'), 'PUT memberships/1', owner('ann', 'blue')],
    ['a document moved to another tenant', who('bob'), 'PATCH docs/a', { tenantId: 'blue' }],
    ['a document moved to no tenant', who('bob'), 'PATCH docs/a', { tenantId: null }],
    [
      'a rule through own children',
      who('eve', 'founder'),
      'POST tenants',
      { id: 'new', name: 'x' },
    ],
    [
      'a child that is open because it becomes so',
      who('eve', 'kin'),
      'POST docs',
      {
        id: 'self',
        title: 'open',
        parentId: 'self',
      },
    ],
    [
      'siblings of which one opens the other',
      who('eve', 'kin'),
      'POST docs',
      [
        { id: 'p', title: 'open', parentId: 'a' },
        { id: 'q', title: 'x', parentId: 'p' },
      ],
    ],
    [
      'a row that becomes its own parent',
      who('eve', 'kin'),
      'PATCH docs/b',
      {
        title: 'open',
        parentId: 'b',
      },
    ],
    [
      'a link by a right that the document gets with it',
      who('eve', 'kin'),
      'PATCH docs/b',
      {
        title: 'open',
        tags: { add: [1] },
      },
    ],
    [
      'a pivot by that right',
      who('eve', 'kin'),
      'PATCH docs/b',
      {
        title: 'open',
        tags: { add: [{ id: 2, pivot: { rank: 3 } }] },
      },
    ],
    [
      'a link taken away by that right',
      who('eve', 'kin'),
      'PATCH docs/b',
      {
        title: 'open',
        tags: [],
      },
    ],
    [
      'a link that opens the next',
      who('cid', 'kin', 'chain'),
      'POST doc-tags',
      [
        { docId: 'c', tagId: 1 },
        { docId: 'c', tagId: 2 },
      ],
    ],
    [
      'a pivot beyond the rule',
      who('cid2', 'kin', 'lone'),
      'PATCH docs/b',
      {
        title: 'x',
        tags: [{ id: 2, pivot: { rank: 9 } }],
      },
    ],
  ])('%s', async (_, caller, request, body) => {
    const answer = await send(caller, request, body);
    expect([answer.status, answer.body?.code], answer.text).toEqual([403, 'FORBIDDEN']);
  });

  test.each<Case>([
    [
      'a parent that is not there',
      who('eve', 'kin'),
      'POST docs',
      { id: 'x', title: 'x', parentId: 'y' },
    ],
    ['a value that is taken', who('ann'), 'POST docs', { id: 'a', title: 'x', tenantId: 'blue' }],
  ])('what the database refuses is named first: %s', async (_, caller, request, body) => {
    expect((await send(caller, request, body)).status).toBe(422);
  });
});

describe('what it allows is written', () => {
  const undo: (readonly [request: string, body?: unknown])[] = [];
  let before: string;
  beforeEach(async () => {
    before = await everything();
  });
  afterEach(async () => {
    for (const [request, body] of undo.splice(0).toReversed()) {
      const { status, text } = await send(admin, request, body);
      expect(status, text).toBeLessThan(300);
    }
    expect(await everything()).toBe(before);
  });

  test('an owner adds members, several at once, and steps down', async () => {
    const made = await send(who('ann'), 'POST memberships', [
      owner('fay', 'red'),
      { userId: 'gus', tenantId: 'red' },
    ]);
    expect(made.status, made.text).toBe(201);
    for (const { id } of made.body as { id: number }[]) undo.push([`DELETE memberships/${id}`]);
    undo.push(['PATCH memberships/1', { role: 'owner' }]);
    expect((await send(who('ann'), 'PATCH memberships/1', { role: 'member' })).status).toBe(200);
    expect((await send(who('ann'), 'PATCH memberships/1', { role: 'owner' })).status).toBe(403);
    expect((await send(who('fay'), 'PATCH memberships/1', { role: 'owner' })).status).toBe(200);
  });

  test('an owner hands its membership to someone else', async () => {
    undo.push(['PATCH memberships/1', { userId: 'ann' }]);
    expect((await send(who('ann'), 'PATCH memberships/1', { userId: 'fay' })).status).toBe(200);
  });

  test('a child of a parent that is there', async () => {
    undo.push(['DELETE docs/new']);
    const made = await send(who('eve', 'kin'), 'POST docs', {
      id: 'new',
      title: 'x',
      parentId: 'a',
    });
    expect(made.status, made.text).toBe(201);
    // It hangs on a closed one now, as it did not before.
    expect((await send(who('eve', 'kin'), 'PATCH docs/new', { parentId: 'b' })).status).toBe(403);
    expect((await send(who('eve', 'kin'), 'PATCH docs/new', { title: 'y' })).status).toBe(200);
  });

  test('a row that is its own parent was open before', async () => {
    undo.push(['PATCH docs/loop', { title: 'open' }]);
    expect((await send(who('eve', 'kin'), 'PATCH docs/loop', { title: 'shut' })).status).toBe(200);
    expect((await send(who('eve', 'kin'), 'PATCH docs/loop', { title: 'open' })).status).toBe(403);
  });

  test('links of a record that the same request creates', async () => {
    undo.push(['PATCH docs/new', { tags: [] }], ['DELETE docs/new']);
    undo.reverse();
    const body = {
      id: 'new',
      title: 'open',
      tenantId: 'red',
      tags: [1, { id: 2, pivot: { rank: 3 } }],
    };
    const made = await send(who('bob'), 'POST docs?expand=tags', body);
    expect(made.status, made.text).toBe(201);
    expect(made.body.tags).toHaveLength(2);
    // `chain` needs a link that was there: one of the same request is none.
    const other = { title: 'open', tenantId: 'red' };
    const chained = await send(who('eve', 'kin', 'chain'), 'PATCH docs/new', {
      tags: { add: [3] },
    });
    expect(chained.status).toBe(403);
    expect(
      (
        await send(who('bob'), 'POST docs', [
          { ...other, id: 'n1', tags: [1] },
          { ...other, id: 'n2', tenantId: 'blue', tags: [1] },
        ])
      ).status,
    ).toBe(403);
  });

  test('links by a right that the record loses with them', async () => {
    undo.push(['PATCH docs/a', { title: 'open', parentId: null, tags: [] }]);
    await send(admin, 'PATCH docs/a', { parentId: 'loop' });
    const body = { title: 'shut', tags: [1, 2] };
    const changed = await send(who('eve', 'kin'), 'PATCH docs/a?expand=tags', body);
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.tags).toHaveLength(2);
    expect((await send(who('eve', 'kin'), 'PATCH docs/a', { tags: [1] })).status).toBe(403);
  });

  test('_exists=false asks for the state before, so it keeps nothing unique', async () => {
    undo.push(['DELETE tenants/t1'], ['DELETE tenants/t2']);
    const made = await send(who('eve', 'loner'), 'POST tenants', [
      { id: 't1', name: 'x' },
      { id: 't2', name: 'x' },
    ]);
    expect(made.status, made.text).toBe(201);
    undo.push(['DELETE docs/new'], ['PATCH docs/new', { tags: [] }]);
    const doc = { id: 'new', title: 'x', tags: [1] };
    expect((await send(who('eve', 'lone'), 'POST docs', doc)).status).toBe(201);
    expect((await send(who('eve', 'lone'), 'PATCH docs/new', { title: 'y' })).status).toBe(403);
  });

  test('a create that was done once is not judged again under its key', async () => {
    const key = { 'idempotency-key': 'once' };
    const body = { userId: 'fay', tenantId: 'red' };
    const made = await both.send('POST', '/v1/memberships', body, { ...who('ann'), ...key });
    expect(made.status, made.text).toBe(201);
    undo.push([`DELETE memberships/${made.body.id}`], ['PATCH memberships/1', { role: 'owner' }]);
    expect((await send(who('ann'), 'PATCH memberships/1', { role: 'member' })).status).toBe(200);
    const again = await both.send('POST', '/v1/memberships', body, { ...who('ann'), ...key });
    expect([again.status, again.text]).toEqual([201, made.text]);
    expect((await send(who('ann'), 'POST memberships', body)).status).toBe(403);
  });
});

test('of takers who come at once none gets in', async () => {
  for (const side of both.sides) {
    const tried = await Promise.all(
      Array.from({ length: 24 }, (_, index) => {
        const body = owner('eve', 'blue');
        return side.send(
          'POST',
          '/v1/memberships',
          index % 3 === 0 ? [body, body] : body,
          who('eve'),
        );
      }),
    );
    expect(new Set(tried.map(({ status }) => status))).toEqual(new Set([403]));
  }
});

test('of two updates that together would leave the rule one is refused', async () => {
  const count = 20;
  for (const side of both.sides) {
    const locks = Array.from({ length: count }, () => ({ left: true, right: true }));
    const made = await side.send('POST', '/v1/locks', locks, admin);
    for (const { id } of made.body as { id: number }[]) {
      const open = (body: object): Promise<Answer> =>
        side.send('PATCH', `/v1/locks/${id}`, body, who('ann'));
      const both = await Promise.all([open({ left: false }), open({ right: false })]);
      expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
    }
  }
});

test('a record and its first member, by a rule that says who may begin', async () => {
  const club = (name: string, ...users: string[]): object => ({
    name,
    members: { create: users.map((userId) => ({ userId })) },
  });
  const made = await send(who('gil'), 'POST clubs?expand=members', club('chess', 'gil', 'hal'));
  expect([made.status, made.body]).toMatchObject([
    201,
    { createdBy: 'gil', members: [{ userId: 'gil' }, { userId: 'hal' }] },
  ]);
  const { id } = made.body;
  const join = (user: string): Promise<Answer> =>
    send(who(user), 'POST members', { userId: user, clubId: id });
  expect((await join('hal')).status).toBe(201);
  expect((await join('ida')).status).toBe(403);
});
