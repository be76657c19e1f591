import { expect, test } from 'vitest';
import { generated, type Row } from './generate.ts';

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

test.each([
  ['beside others', 'posts, notes', 'required: true', ''],
  ['alone, and has to lead somewhere', 'notes', 'required: true', ''],
  ['alone', 'notes', '', ''],
  [
    'beside others, counted by a post',
    'notes, posts',
    'required: true',
    'per: post, min: 2, max: 3',
  ],
  ['beside others, each owner once with each kind', 'notes, posts', 'required: true', 'count: 9'],
  ['alone, each owner once with each kind', 'notes', '', 'count: 9'],
])('a pair that may lead to the own table %s makes trees', async (name, list, rule, generate) => {
  const unique = name.includes('once') ? 'unique: [[ownerType, ownerId, kind]]' : '';
  const { notes = [] } = await generated(`generate: { count: 10 }
resources:
  posts: { fields: { title: { type: string } } }
  notes:
    generate: { ${generate} }
    ${unique}
    fields:
      kind: { type: enum, values: [a, b], required: true }
      postId: { type: integer, required: true, reference: posts.id }
      post: { type: relation, relation: belongsTo, resource: posts }
      ownerType: { type: string, ${rule} }
      ownerId: { type: integer, ${rule} }
      owner: { type: relation, relation: morphTo, resources: [${list}] }
`);
  expect(notes.length).toBeGreaterThan(8);
  const isRoot = ({ id, ownerId }: Row): boolean =>
    ownerId === (list === 'notes' && rule ? id : null);
  const own = notes.filter((note) => note['ownerType'] === 'notes' && !isRoot(note));
  expect(own.filter(({ id, ownerId }) => Number(ownerId) >= Number(id))).toEqual([]);
  if (unique === '' || list === 'notes') expect(own.length).toBeGreaterThan(2);
  if (list === 'notes') expect(own.length + notes.filter(isRoot).length).toBe(notes.length);
});

test('the order of resources in the file leaves the owners', async () => {
  const parts = [
    'users: { fields: { name: { type: string } } }',
    'posts: { fields: { title: { type: string } } }',
    `notes:
    fields:
      ownerType: { type: string, nullable: true }
      ownerId: { type: integer, nullable: true }
      owner: { type: relation, relation: morphTo, resources: [users, posts] }`,
  ];
  const fileOf = (list: readonly string[]): string => `resources:\n  ${list.join('\n  ')}\n`;
  expect(await generated(fileOf(parts.toReversed()))).toEqual(await generated(fileOf(parts)));
});
