import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { problemsOf } from '../server/exchanges.ts';

// Many records that are nested in one body are created by a few statements, and one by one if any of them is refused.
// Neither may show.
const specification = `
${withTokens}
access: public
limits: { batchItems: 500 }
resources:
  orders:
    fields:
      name: { type: string, nullable: true }
      lines: { type: relation, relation: hasMany, resource: lines }
      notes: { type: relation, relation: morphMany, resource: notes }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: order-tags, withPivot: [rank] }
  lines:
    fields:
      orderId: { type: integer, required: true, reference: orders.id }
      code: { type: string, unique: true, nullable: true }
      count: { type: integer, default: 1 }
      parentId: { type: integer, nullable: true, reference: lines.id }
      parts: { type: relation, relation: hasMany, resource: parts }
  parts:
    fields:
      id: { type: id, format: string }
      lineId: { type: integer, required: true, reference: lines.id }
      text: { type: string, nullable: true }
  notes:
    fields:
      aboutType: { type: string }
      aboutId: { type: integer }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId, resources: [orders] }
      text: { type: string }
  tags: { fields: { name: { type: string, unique: true } } }
  order-tags:
    fields:
      orderId: { type: integer, required: true, reference: orders.id }
      tagId: { type: integer, required: true, reference: tags.id }
      rank: { type: integer, nullable: true }
  teams:
    access: { read: [{ role: member, where: 'members.user={user.sub}' }], create: member }
    fields:
      name: { type: string }
      members: { type: relation, relation: hasMany, resource: members }
  members:
    access: member
    fields:
      teamId: { type: integer, required: true, reference: teams.id }
      user: { type: string }
  boards:
    access: { read: [{ role: member, where: 'owner={user.sub}' }], create: member }
    fields:
      owner: { type: string }
      cards: { type: relation, relation: hasMany, resource: cards }
  cards:
    access: member
    fields:
      boardId: { type: integer, required: true, reference: boards.id }
      text: { type: string }
`;

let both: Both;
let headers: Record<string, string>;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date('2026-03-01T12:00:00Z'));
  headers = caller({ sub: 'ann', roles: ['member'] });
});
afterAll(() => both?.stop());

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const totalOf = async (resource: string): Promise<number> =>
  Number((await both.get(`/v1/${resource}?limit=1`, headers)).headers.get('x-total-count'));

describe('100 records at a level', () => {
  test('have their ids in the order of the body, and those below them their owners', async () => {
    const lines = times(100, (index) => ({
      code: `first ${index}`,
      parts: { create: [{ id: `first ${index}`, text: `of ${index}` }] },
    }));
    const { status, body } = await both.send('POST', '/v1/orders?expand=lines.parts', {
      name: 'a',
      lines: { create: lines },
    });
    expect(status).toBe(201);
    expect(body.lines.map((line: { code: string }) => line.code)).toEqual(
      lines.map(({ code }) => code),
    );
    expect(
      body.lines.map(({ parts }: { parts: readonly { text: string }[] }) => parts[0]?.text),
    ).toEqual(times(100, (index) => `of ${index}`));
  });

  test('may differ in the fields that they give', async () => {
    const create = times(70, (index) =>
      index % 7 === 0 ? { code: null } : index % 2 === 0 ? { count: index } : {},
    );
    const { body } = await both.send('POST', '/v1/orders?expand=lines', { lines: { create } });
    expect(body.lines.map((line: { count: number }) => line.count)).toEqual(
      create.map(({ count = 1 }: { count?: number }) => count),
    );
  });

  test('belong to the owner of a morphMany', async () => {
    const create = times(90, (index) => ({ text: `note ${index}` }));
    const { body } = await both.send('POST', '/v1/orders?expand=notes', { notes: { create } });
    expect(body.notes.map((note: { text: string }) => note.text)).toEqual(
      create.map(({ text }) => text),
    );
  });

  test('are linked, each with its pivot', async () => {
    const create = times(90, (index) => ({ name: `tag ${index}`, pivot: { rank: index } }));
    const { body } = await both.send('POST', '/v1/orders?expand=tags', { tags: { create } });
    expect(
      body.tags.map((tag: { name: string; pivot: { rank: number } }) => [tag.name, tag.pivot.rank]),
    ).toEqual(create.map(({ name, pivot }) => [name, pivot.rank]));
  });

  test('under a row rule for their owner', async () => {
    const create = times(100, (index) => ({ text: `card ${index}` }));
    const board = { owner: 'ann', cards: { create } };
    const answer = await both.send('POST', '/v1/boards?expand=cards', board, headers);
    expect([answer.status, answer.body.cards.length], answer.text).toEqual([201, 100]);
    const hidden = { owner: 'bob', cards: { create: create.slice(0, 3) } };
    const refused = await both.send('POST', '/v1/boards', hidden, headers);
    const problem = problemsOf(refused)[2];
    expect([refused.status, problem]).toEqual([422, expect.stringMatching(/^cards\.create\[2\]/u)]);
  });
});

describe('is refused as a whole, with the position of each record', () => {
  const order = (create: readonly object[]): object => ({ name: 'refused', lines: { create } });
  test.each<readonly [what: string, create: readonly object[], problems: readonly string[]]>([
    [
      'values that are taken',
      times(100, (index) => ({
        code: index === 57 || index === 99 ? 'first 3' : `second ${index}`,
      })),
      [57, 99].map((index) => `lines.create[${index}].code: is taken: it must be unique`),
    ],
    [
      'a value that an earlier one takes',
      times(100, (index) => ({ code: index === 70 ? 'third 3' : `third ${index}` })),
      ['lines.create[70].code: is taken: it must be unique'],
    ],
    [
      'a record that points to nothing',
      times(40, (index) => (index === 33 ? { parentId: 999_999 } : {})),
      ['lines.create[33].parentId: there is no record in lines with id 999999'],
    ],
    [
      'ids that are taken below',
      times(40, (index) => ({
        parts: { create: [{ id: index === 8 ? 'first 9' : `second ${index}` }] },
      })),
      ['lines.create[8].parts.create[0].id: is taken: it must be unique'],
    ],
  ])('%s', async (_what, create, problems) => {
    const before = await Promise.all(['orders', 'lines', 'parts'].map(totalOf));
    const answer = await both.send('POST', '/v1/orders', order(create));
    expect([answer.status, problemsOf(answer)]).toEqual([422, problems]);
    expect(await Promise.all(['orders', 'lines', 'parts'].map(totalOf))).toEqual(before);
  });

  test('a key to a record that comes later in the same list', async () => {
    const last = await both.send('POST', '/v1/orders?expand=lines', order([{}]));
    const next = last.body.lines[0].id + 1;
    const create = times(8, (index) => (index === 2 ? { parentId: next + 6 } : {}));
    const answer = await both.send('POST', '/v1/orders', order(create));
    expect(problemsOf(answer)).toEqual([
      `lines.create[2].parentId: there is no record in lines with id ${next + 6}`,
    ]);
  });

  test('members of a team that only they could make visible', async () => {
    const create = times(4, (index) => ({ user: index === 1 ? 'ann' : `user ${index}` }));
    const team = { name: 'a', members: { create } };
    const answer = await both.send('POST', '/v1/teams', team, headers);
    expect(problemsOf(answer)).toHaveLength(4);
  });
});

test('an array of records under row rules keeps its order', async () => {
  const { body } = await both.send(
    'POST',
    '/v1/boards',
    times(60, () => ({ owner: 'ann' })),
    headers,
  );
  const ids = body.map(({ id }: { id: number }) => id);
  expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b));
});
