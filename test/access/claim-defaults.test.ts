import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, callerIn, withTokens } from '../support/callers.ts';
import type { Answer } from '../support/api.ts';
import { expectError } from '../server/exchanges.ts';

let both: Both;
beforeAll(async () => {
  both = await serveBoth(`${withTokens}
access: authenticated
resources:
  notes:
    access: { read: [{ where: "tenant={user.tenant}" }, admin], create: authenticated, update: authenticated, delete: none }
    fields:
      text: { type: string, nullable: true }
      tenant: { type: integer, nullable: false, default: "{user.tenant}", readOnly: true }
      owner: { type: string, maxLength: 5, default: "{user.sub}" }
      team: { type: enum, values: [red, blue], default: "{user.org.team}", immutable: true }
  accounts:
    fields:
      number: { type: decimal, precision: 18, scale: 0, required: true, default: "{user.number}" }
      since: { type: date, default: "{user.since}" }
  drafts:
    access: public
    fields:
      ownerId: { type: integer, nullable: false, reference: people.id, default: "{user.sub}" }
      people: { type: relation, relation: belongsToMany, resource: people, through: shares }
  people:
    access: { read: none, create: authenticated }
    fields: { name: { type: string } }
  shares:
    fields:
      draftId: { type: integer, required: true, reference: drafts.id }
      personId: { type: integer, required: true, reference: people.id }
      tenant: { type: integer, nullable: false, readOnly: true, default: "{user.tenant}" }`);
  for (const name of ['a', 'b'])
    expect((await both.send('POST', '/v1/people', { name }, admin)).status).toBe(201);
});
afterAll(() => both?.stop());

const admin = caller({ sub: 'root', roles: ['admin'], tenant: 9 });
const one = { sub: 'ann', tenant: 1, org: { team: 'red' } };
const post = (path: string, body: unknown, claims: object): Promise<Answer> =>
  both.send('POST', `/v1/${path}`, body, caller({ ...claims }));

describe('a claim as the default', () => {
  test.each<[body: object, claims: object, expected: object | number]>([
    [{}, one, { tenant: 1, owner: 'ann', team: 'red' }],
    [{ owner: 'bob', team: 'blue' }, one, { tenant: 1, owner: 'bob', team: 'blue' }],
    [{ owner: null }, one, { owner: null }],
    [{}, { ...one, tenant: '7' }, { tenant: 7 }],
    // Without the claim: null where the field may be null, else 403.
    [{}, { tenant: 1 }, { tenant: 1, owner: null, team: null }],
    [{}, { ...one, org: 'red' }, { team: null }],
    [{}, { sub: 'ann' }, 403],
    [{ text: 7 }, { sub: 'ann' }, 403],
    [{}, { ...one, tenant: null }, 403],
    // What does not fit is as what is missing.
    [{}, { ...one, tenant: 'x' }, 403],
    [{}, { ...one, tenant: [1] }, 403],
    [{}, { ...one, tenant: 1.5 }, 403],
    [{}, { ...one, sub: 7 }, { owner: null }],
    [{}, { ...one, sub: 'too long' }, { owner: null }],
    [{}, { ...one, org: { team: 'green' } }, { team: null }],
    // No client can send what is readOnly.
    [{ tenant: 1 }, one, 400],
    [{ tenant: 2 }, one, 400],
    [{ tenant: 2 }, { sub: 'ann' }, 403],
  ])('%j by %j: %j', async (body, claims, expected) => {
    const answer = await post('notes', body, claims);
    if (typeof expected === 'number') {
      expect(answer.status, answer.text).toBe(expected);
      if (expected === 403) expectError(answer, 'FORBIDDEN', '/v1/notes');
      return;
    }
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject(expected);
  });

  test('of each record of an array, of which none is created without it', async () => {
    const answer = await post('notes', [{}, { owner: 'x' }], { ...one, tenant: 3 });
    expect((answer.body as object[]).map((record) => ({ ...record, id: 0 }))).toEqual([
      { id: 0, text: null, tenant: 3, owner: 'ann', team: 'red' },
      { id: 0, text: null, tenant: 3, owner: 'x', team: 'red' },
    ]);
    expect((await post('notes', [{}, {}], { sub: 'ann' })).status).toBe(403);
    const { body } = await both.get('/v1/notes', caller({ tenant: 3 }));
    expect(body).toHaveLength(2);
  });

  test('is that of who creates: changes by others leave it', async () => {
    const { body } = await post('notes', {}, { ...one, tenant: 4 });
    const path = `/v1/notes/${body.id}`;
    const bob = caller({ sub: 'bob', tenant: 4, org: { team: 'blue' } });
    for (const [method, sent] of [
      ['PUT', { text: 'b' }],
      ['PATCH', { text: 'c' }],
    ] as const) {
      const changed = await both.send(method, path, sent, bob);
      expect(changed.body).toEqual({ ...body, text: sent.text });
    }
    // What GET gave can be sent back.
    expect((await both.send('PUT', path, body, bob)).body).toEqual(body);
  });

  test('keeps all digits of a number', async () => {
    for (const [claims, number] of [
      ['"number":9007199254740993,"since":"2026-03-01"', '9007199254740993'],
      ['"number":9007199254740992', '9007199254740992'],
    ] as const) {
      const answer = await both.send('POST', '/v1/accounts', {}, callerIn(claims));
      expect(answer.body).toMatchObject({ number });
    }
    expect((await post('accounts', {}, {})).status).toBe(403);
    expect((await post('accounts', { number: 5 }, {})).body).toMatchObject({ number: '5' });
  });

  test('may point to a record that the caller does not see, and asks anonymous callers who they are', async () => {
    expect((await post('drafts', {}, { sub: '1' })).body).toMatchObject({ ownerId: 1 });
    // Sent by the caller, it is one that is not there.
    expect((await post('drafts', { ownerId: 2 }, { sub: '1' })).status).toBe(422);
    expect((await post('drafts', {}, { sub: '77' })).status).toBe(422);
    expect((await both.send('POST', '/v1/drafts', {})).status).toBe(401);
  });

  test('is in the documents an input that may be left out, told in words', async () => {
    const { body } = await both.get('/_openapi.json', admin);
    const { NoteCreate } = body.components.schemas;
    expect(NoteCreate.required ?? []).toEqual([]);
    expect(Object.keys(NoteCreate.properties)).toEqual(['text', 'owner', 'team']);
    expect(NoteCreate.properties.owner.description).toBe(
      "A new record without it gets the caller's claim `sub`.",
    );
    expect(JSON.stringify(NoteCreate)).not.toContain('{user.');
    expect(both.failures).toEqual([]);
  });
});

describe('a default that cannot be a claim', () => {
  test.each([
    ['type: json, default: "{user.org}"', 'a field of type json takes no claim as its default'],
    [
      'type: array, items: { type: string }, default: "{user.roles}"',
      'a field of type array takes no claim as its default',
    ],
    ['type: object, default: "{user.org}"', 'a field of type object takes no claim as its default'],
    ['type: string, default: "x-{user.sub}"', '"x-{user.sub}" is not a claim: {user.<claim>} is'],
    ['type: string, default: "{ user.sub }"', '"{ user.sub }" is not a claim: {user.<claim>} is'],
    [
      'type: object, properties: { a: { type: string, default: "{user.sub}" } }',
      'only a field of a resource takes now, uuid or a claim; give a value',
    ],
    ['type: integer, default: "{sub}"', 'must be a number'],
  ])('%s', (field, message) => {
    const { problems } = build(`resources:\n  a:\n    fields:\n      b: { ${field} }`);
    expect(problems.map((problem) => [problem.line, problem.message])).toEqual([
      [4, expect.stringContaining(message)],
    ]);
  });

  test('other braces in a text are text', () => {
    for (const text of ['{name}', '{username}', '{}'])
      expect(
        build(`resources: { a: { fields: { b: { type: string, default: "${text}" } } } }`).problems,
      ).toEqual([]);
  });
});
