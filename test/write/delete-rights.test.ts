import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

const specification = `${withTokens}
resources:
  teams:
    access: { read: public, write: [editor, admin] }
    fields:
      name: { type: string }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: team-tags }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
  tags: { access: admin, fields: { name: { type: string } } }
  team-tags:
    access: admin
    fields: { teamId: { type: integer, reference: teams.id }, tagId: { type: integer, reference: tags.id } }
  members:
    access: admin
    fields: { teamId: { type: integer, reference: teams.id, onDelete: cascade } }
  rooms:
    access: { read: [{ role: editor, where: "open=true" }, admin], write: admin }
    fields:
      open: { type: boolean, default: false }
      teamId: { type: integer, reference: teams.id, onDelete: setNull, access: admin }
  locks:
    access: { read: [{ role: editor, where: "open=true" }, admin], write: admin }
    fields: { open: { type: boolean }, teamId: { type: integer, reference: teams.id, onDelete: restrict } }
  badges: { access: { read: [editor, admin], write: admin }, fields: { memberId: { type: integer, reference: members.id, onDelete: restrict } } }
  notes: { access: admin, fields: { about: { type: relation, relation: morphTo } } }
`;

const admin = caller({ sub: '0', roles: ['admin'] });
const editor = caller({ sub: '1', roles: ['editor'] });

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
  for (const [resource, record] of [
    ['tags', { name: 'red' }],
    ['teams', { name: 'a', tags: [1] }],
    ['members', { teamId: 1 }],
    ['rooms', { teamId: 1 }],
    ['notes', { aboutType: 'teams', aboutId: 1 }],
    ['teams', [{ name: 'b' }, { name: 'c' }, { name: 'd' }]],
    ['members', { teamId: 4 }],
    ['badges', { memberId: 2 }],
    ['locks', [{ teamId: 2 }, { teamId: 2, open: true }, { teamId: 3, open: false }]],
  ] as const)
    expect((await both.send('POST', `/v1/${resource}`, record, admin)).status).toBe(201);
});
afterAll(() => both?.stop());

// Cascades need no right on what they reach. See docs/contract/5-access.md#writes-under-row-rules, rule 6.
test('who may delete a record alone takes with it what goes by a cascade, seen or not', async () => {
  const of = async (resource: string): Promise<unknown> =>
    (await both.get(`/v1/${resource}`, admin)).body;
  expect((await both.send('DELETE', '/v1/members/1', undefined, editor)).status).toBe(403);
  expect((await both.send('DELETE', '/v1/teams/1', undefined, editor)).status).toBe(204);
  expect(await of('members')).toEqual([{ id: 2, teamId: 4 }]);
  expect([await of('notes'), await of('team-tags')]).toEqual([[], []]);
  expect(await of('rooms')).toEqual([{ id: 1, open: false, teamId: null }]);
  expect(await of('tags')).toEqual([{ id: 1, name: 'red' }]);
});

// HAS_DEPENDENTS counts only records that the caller may read. See docs/contract/3-writing.md#delete, rule 3.
test.each([
  ['teams/2', 'editor', [{ resource: 'locks', count: 1 }]],
  ['teams/2', 'admin', [{ resource: 'locks', count: 2 }]],
  ['teams/3', 'editor', []],
  ['teams/3', 'admin', [{ resource: 'locks', count: 1 }]],
  // The editor does not see the member that goes with the team.
  ['teams/4', 'editor', []],
  ['teams/4', 'admin', [{ resource: 'badges', count: 1 }]],
])('of what keeps %s, %s is told what it sees', async (path, who, dependents) => {
  const headers = who === 'admin' ? admin : editor;
  const { status, body } = await both.send('DELETE', `/v1/${path}`, undefined, headers);
  expect([status, body.code, body.dependents]).toEqual([409, 'HAS_DEPENDENTS', dependents]);
  expect(body.message).toMatch(/other records/iu);
});
