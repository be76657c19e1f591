import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

// Contract 1, Relations: "Cascades need no right on what they reach."
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
  ] as const)
    expect((await both.send('POST', `/v1/${resource}`, record, admin)).status).toBe(201);
});
afterAll(() => both?.stop());

test('who may delete a record alone takes with it what goes by a cascade, seen or not', async () => {
  const of = async (resource: string): Promise<unknown> =>
    (await both.get(`/v1/${resource}`, admin)).body;
  expect((await both.send('DELETE', '/v1/members/1', undefined, editor)).status).toBe(403);
  expect((await both.send('DELETE', '/v1/teams/1', undefined, editor)).status).toBe(204);
  expect([await of('members'), await of('notes'), await of('team-tags')]).toEqual([[], [], []]);
  expect(await of('rooms')).toEqual([{ id: 1, open: false, teamId: null }]);
  expect(await of('tags')).toEqual([{ id: 1, name: 'red' }]);
});
