import { expect, test } from 'vitest';
import { generated } from './4-generate.ts';

test.each([
  ['the id is written nullable', '', 'nullable: true', true],
  ['the type is written nullable', 'nullable: true', '', true],
  ['both are', 'nullable: true', 'nullable: true', true],
  ['neither is', '', '', false],
  ['both are required', 'required: true', 'required: true', false],
  ['the id is unique', '', 'unique: true', true],
])('both halves of a pair lead to one owner where %s', async (_, type, id, mayBeNull) => {
  const { notes = [], ...owners } = await generated(`resources:
  films: { fields: { notes: { type: relation, relation: morphMany, resource: notes } } }
  books:
    fields:
      id: { type: id, format: uuid }
      notes: { type: relation, relation: morphMany, resource: notes }
  notes:
    generate: { count: 60 }
    fields:
      ownerType: { type: string, ${type} }
      ownerId: { type: string, ${id} }
      owner: { type: relation, relation: morphTo }
`);
  for (const { ownerType, ownerId } of notes)
    if (ownerType === null) expect(ownerId).toBeNull();
    else expect(owners[String(ownerType)]?.map((owner) => String(owner['id']))).toContain(ownerId);
  expect(notes.some(({ ownerType }) => ownerType === null)).toBe(mayBeNull);
});

test.each([
  ['users, posts', true, false],
  ['users, posts', false, true],
  ['posts, users', true, true],
])('adding a morphMany to one of %s leaves the owners', async (list, ofUsers, ofPosts) => {
  const many = 'notes: { type: relation, relation: morphMany, resource: notes }';
  const fileOf = (users: string, posts: string): string => `resources:
  users: { fields: { name: { type: string }, ${users} } }
  posts: { fields: { title: { type: string }, ${posts} } }
  notes:
    fields:
      ownerType: { type: string, nullable: true }
      ownerId: { type: integer, nullable: true }
      owner: { type: relation, relation: morphTo, resources: [${list}] }
`;
  const before = await generated(fileOf('', ''));
  expect(new Set(before['notes']?.map(({ ownerType }) => ownerType)).size).toBe(3);
  expect(await generated(fileOf(ofUsers ? many : '', ofPosts ? many : ''))).toEqual(before);
});
