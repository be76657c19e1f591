import { describe, expect, test } from 'vitest';
import { lines } from './changes.ts';

describe('what a relation goes by', () => {
  const links = (through: string): string => `
resources:
  posts: { fields: { tags: { type: relation, relation: belongsToMany, resource: tags, through: ${through} } } }
  tags: { fields: { posts: { type: relation, relation: belongsToMany, resource: posts, through: likes, foreignKey: tagId },
                    starred: { type: relation, relation: belongsToMany, resource: posts, through: stars, foreignKey: tagId } } }
  likes: { fields: { postId: { type: integer, reference: posts.id }, tagId: { type: integer, reference: tags.id } } }
  stars: { fields: { postId: { type: integer, reference: posts.id }, tagId: { type: integer, reference: tags.id } } }
`;
  const notes = (many: string, to = 'aType, idField: aId'): string => `
resources:
  posts: { fields: { notes: { type: relation, relation: morphMany, resource: notes, ${many} } } }
  notes: { fields: { aType: { type: string }, aId: { type: integer }, bType: { type: string }, bId: { type: integer },
                     a: { type: relation, relation: morphTo, typeField: aType, idField: aId, resources: [posts] },
                     b: { type: relation, relation: morphTo, typeField: bType, idField: bId, resources: [posts] },
                     about: { type: relation, relation: morphTo, resources: [posts], typeField: ${to} } } }
`;
  const [byA, byB] = ['typeField: aType, idField: aId', 'typeField: bType, idField: bId'];
  test.each<[string, string, string, readonly string[]]>([
    [
      'another junction',
      links('likes'),
      links('stars'),
      [
        'breaking v1 posts.tags: goes by stars.postId and stars.tagId, not by likes.postId and likes.tagId',
      ],
    ],
    [
      'a junction in another table',
      links('likes'),
      links('likes').replace('likes: {', 'likes: { table: loves,'),
      [],
    ],
    [
      'another pair of its records',
      notes(byA),
      notes(byB),
      ['breaking v1 posts.notes: goes by bType and bId, not by aType and aId'],
    ],
    [
      'another pair',
      notes(byA),
      notes(byA, 'bType, idField: bId'),
      ['breaking v1 notes.about: goes by bType and bId, not by aType and aId'],
    ],
    [
      'records that go with theirs',
      notes(byA),
      notes(`${byA}, onDelete: cascade`),
      ['breaking v1 posts.notes: when their record is deleted: cascade, not restrict'],
    ],
    [
      'a new field that is named as a filter of it',
      notes(byA),
      notes(byA).replace('fields: { notes:', 'fields: { notes_exists: { type: string }, notes:'),
      [
        'breaking v1 posts.notes_exists: takes the place of notes filtered by _exists',
        'safe v1 posts.notes_exists: is new',
      ],
    ],
  ])('%s', (_, old, now, expected) => {
    expect(lines(old, now)).toEqual(expected);
  });
});

describe('a key that points to a field', () => {
  const old = `
api: { versions: { 1: {} } }
resources:
  posts: { fields: { tag: { type: string, reference: tags.code } } }
  tags: { fields: { code: { type: string, unique: true }, mark: { type: string, unique: true } } }
`;
  const renamed = (overlay: string): string =>
    old
      .replace('tags.code', 'tags.key')
      .replace('code: {', 'key: { column: code,')
      .replace('1: {}', `1: { resources: { tags: { fields: { ${overlay} } } } }`);
  const at = 'breaking v1 posts.tag';
  test.each<[string, string, readonly string[]]>([
    ['which has another name, but not in this version', renamed('code: { from: key }'), []],
    [
      'whose name another one has now',
      renamed('mark: { from: key }, code: { from: mark }'),
      [`${at}: has to be a tags.mark that exists`],
    ],
    [
      'in the place of another one',
      old.replace('tags.code', 'tags.mark'),
      [`${at}: has to be a tags.mark that exists`],
    ],
  ])('%s', (_, now, expected) => {
    expect(lines(old, now).filter((line) => line.startsWith(at))).toEqual(expected);
  });
});
