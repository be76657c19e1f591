import { describe, expect, test } from 'vitest';
import { compareApis } from '../../src/openapi/changes.ts';
import { buildValid } from '../support/api.ts';
import { everything, guarded, versioned } from './4-specifications.ts';

function lines(old: string, now: string): readonly string[] {
  return compareApis(buildValid(old), buildValid(now))
    .map(
      ({ isBreaking, path, message }) => `${isBreaking ? 'breaking' : 'safe'} ${path}: ${message}`,
    )
    .toSorted();
}

/** A resource with these fields. */
function posts(fields: string, more = ''): string {
  return `${more}\nresources:\n  posts: { fields: { ${fields} } }\n  tags: { fields: { name: { type: string } } }\n`;
}

const at = 'v1 posts.a';

describe('one field', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['nothing', 'a: { type: string }', 'a: { type: string }', []],
    [
      'what is said of it',
      'a: { type: string }',
      'a: { type: string, description: b, index: true, example: c }',
      [],
    ],
    [
      'is gone',
      'a: { type: string }, b: { type: string }',
      'b: { type: string }',
      [
        `breaking ${at}: can no longer be read`,
        `breaking ${at}: can no longer be sent to create a record`,
        `breaking ${at}: can no longer be sent to update a record`,
      ],
    ],
    [
      'has another name',
      'a: { type: string, column: c }',
      'b: { type: string, column: c }',
      [
        `breaking ${at}: can no longer be sent to create a record`,
        `breaking ${at}: can no longer be sent to update a record`,
        `breaking ${at}: is now called b`,
        'safe v1 posts.b: is new',
      ],
    ],
    [
      'is new',
      'a: { type: string }',
      'a: { type: string }, b: { type: string }',
      ['safe v1 posts.b: is new'],
    ],
    [
      'is new and needed',
      'a: { type: string }',
      'a: { type: string }, b: { type: string, required: true }',
      [
        'breaking v1 posts.b: is now needed to create a record',
        'breaking v1 posts.b: is now needed to replace a record',
        'safe v1 posts.b: is new',
      ],
    ],
    [
      'is new and has a default',
      'a: { type: string }',
      'a: { type: string }, b: { type: string, required: true, default: c }',
      ['safe v1 posts.b: is new'],
    ],
    [
      'of another type',
      'a: { type: string }',
      'a: { type: integer }',
      [`breaking ${at}: was string and is integer`],
    ],
    ['of a type that looks the same', 'a: { type: string }', 'a: { type: text }', []],
    [
      'of other places',
      'a: { type: decimal, scale: 2 }',
      'a: { type: decimal, scale: 3 }',
      [`breaking ${at}: was decimal with 2 places and is decimal with 3 places`],
    ],
    [
      'with fewer digits',
      'a: { type: decimal, precision: 9 }',
      'a: { type: decimal, precision: 8 }',
      [`breaking ${at}: takes 8 digits, not 9`],
    ],
    [
      'is needed',
      'a: { type: string }',
      'a: { type: string, required: true, nullable: true }',
      [
        `breaking ${at}: is now needed to create a record`,
        `breaking ${at}: is now needed to replace a record`,
      ],
    ],
    [
      'no longer takes null',
      'a: { type: string, default: b }',
      'a: { type: string, default: b, nullable: false }',
      [`breaking ${at}: no longer takes null`],
    ],
    [
      'may be null',
      'a: { type: string, required: true }',
      'a: { type: string }',
      [`breaking ${at}: may now be null`],
    ],
    [
      'is only read',
      'a: { type: string }',
      'a: { type: string, readOnly: true }',
      [
        `breaking ${at}: can no longer be sent to create a record`,
        `breaking ${at}: can no longer be sent to update a record`,
      ],
    ],
    [
      'is only written',
      'a: { type: string }',
      'a: { type: string, writeOnly: true }',
      [`breaking ${at}: can no longer be read`],
    ],
    [
      'is immutable',
      'a: { type: string }',
      'a: { type: string, immutable: true }',
      [`breaking ${at}: can no longer be changed`],
    ],
    [
      'is unique',
      'a: { type: string }',
      'a: { type: string, unique: true }',
      [`breaking ${at}: must now be unique`],
    ],
    ['no longer is', 'a: { type: string, unique: true }', 'a: { type: string }', []],
    [
      'takes fewer values',
      'a: { type: enum, values: [x, y] }',
      'a: { type: enum, values: [x] }',
      [`breaking ${at}: no longer takes y`],
    ],
    [
      'has more values',
      'a: { type: enum, values: [x] }',
      'a: { type: enum, values: [x, y] }',
      [`breaking ${at}: may now have the values y`],
    ],
    [
      'takes more values that nobody reads',
      'a: { type: enum, values: [x], writeOnly: true }',
      'a: { type: enum, values: [x, y], writeOnly: true }',
      [],
    ],
    [
      'takes only some',
      'a: { type: string }',
      'a: { type: string, enum: [x] }',
      [`breaking ${at}: takes only x now`],
    ],
    [
      'is shorter',
      'a: { type: string, maxLength: 9 }',
      'a: { type: string, maxLength: 8 }',
      [`breaking ${at}: has maxLength 8, not 9`],
    ],
    [
      'is longer',
      'a: { type: string, maxLength: 8 }',
      'a: { type: string, maxLength: 9 }',
      [`safe ${at}: has maxLength 9, not 8`],
    ],
    [
      'has no length',
      'a: { type: string, maxLength: 8 }',
      'a: { type: string }',
      [`safe ${at}: no longer has maxLength`],
    ],
    [
      'has a least',
      'a: { type: integer }',
      'a: { type: integer, minimum: 0 }',
      [`breaking ${at}: has minimum 0`],
    ],
    [
      'has a lower one',
      'a: { type: integer, minimum: 0 }',
      'a: { type: integer, minimum: -1 }',
      [`safe ${at}: has minimum -1, not 0`],
    ],
    [
      'has a pattern',
      'a: { type: string }',
      'a: { type: string, pattern: "^x" }',
      [`breaking ${at}: has pattern ^x`],
    ],
    [
      'has a format',
      'a: { type: string }',
      'a: { type: email }',
      [`breaking ${at}: has format email`],
    ],
    [
      'has other items',
      'a: { type: array, items: { type: string } }',
      'a: { type: array, items: { type: integer } }',
      [`breaking ${at}[]: was string and is integer`],
    ],
    [
      'has no such member',
      'a: { type: object, properties: { x: { type: string } } }',
      'a: { type: object, properties: { y: { type: string } } }',
      [`breaking ${at}.x: is no longer declared`],
    ],
    [
      'needs a member',
      'a: { type: object, properties: { x: { type: string } } }',
      'a: { type: object, properties: { x: { type: string, required: true, nullable: true } } }',
      [`breaking ${at}.x: is now needed`],
    ],
    [
      'has another default',
      'a: { type: integer, default: 1 }',
      'a: { type: integer, default: 2 }',
      [`safe ${at}: has another default`],
    ],
    [
      'has to exist',
      'a: { type: integer }',
      'a: { type: integer, reference: tags.id }',
      [`breaking ${at}: has to be a tags.id that exists`],
    ],
    [
      'goes with its owner',
      'a: { type: integer, reference: tags.id }',
      'a: { type: integer, reference: tags.id, onDelete: cascade }',
      [`breaking ${at}: when that record is deleted: cascade, not setNull`],
    ],
  ])('%s', (_, old, now, expected) => {
    expect(lines(posts(old), posts(now))).toEqual(expected);
  });
});

describe('the rest', () => {
  const plain = posts('a: { type: string }');
  const relation = (text: string): string =>
    posts(`a: { type: integer, reference: tags.id }, tag: { type: relation, ${text} }`);
  test.each<[string, string, string, readonly string[]]>([
    ['nothing', everything, everything, []],
    [
      'a resource is gone',
      plain,
      'resources: { posts: { fields: { a: { type: string } } } }',
      ['breaking v1 tags: is gone'],
    ],
    [
      'a resource is new',
      'resources: { posts: { fields: { a: { type: string } } } }',
      plain,
      ['safe v1 tags: is new'],
    ],
    [
      'a version is gone',
      versioned,
      versioned.replace('    3: { resources: { drafts: false } }\n', ''),
      ['breaking v3: is gone'],
    ],
    [
      'a version is new',
      versioned.replace('    3: { resources: { drafts: false } }\n', ''),
      versioned,
      ['safe v3: is new'],
    ],
    [
      'the default version is another',
      versioned,
      versioned.replace('defaultVersion: 2', 'defaultVersion: 3'),
      ['breaking api.defaultVersion: paths without a version mean v3, not v2'],
    ],
    [
      'a version hides more',
      versioned,
      versioned.replace('2: {}', '2: { resources: { drafts: false } }'),
      ['breaking v2 drafts: is gone'],
    ],
    [
      'a version is deprecated',
      versioned,
      versioned.replace('2: {}', '2: { deprecated: 2026-05-01, sunset: 2027-05-01 }'),
      ['safe v2: ends on 2027-05-01', 'safe v2: is deprecated since 2026-05-01'],
    ],
    [
      'a version ends earlier',
      versioned,
      versioned.replace('2099-01-01', '2030-01-01'),
      ['breaking v1: ends on 2030-01-01, not 2099-01-01'],
    ],
    [
      'another base path',
      plain,
      posts('a: { type: string }', 'api: { basePath: /api }'),
      ['breaking api.basePath: is /api, not empty'],
    ],
    [
      'no paths without a version',
      plain,
      posts('a: { type: string }', 'api: { unversioned: false }'),
      ['breaking api.unversioned: paths without a version are gone'],
    ],
    [
      'cursors by default',
      plain,
      posts('a: { type: string }', 'api: { pagination: cursor }'),
      [
        'breaking v1 posts.pagination: lists are by cursor, not by page',
        'breaking v1 tags.pagination: lists are by cursor, not by page',
      ],
    ],
    [
      'a lower limit',
      plain,
      posts('a: { type: string }', 'limits: { maxLimit: 500 }'),
      ['breaking limits.maxLimit: is 500, not 1000'],
    ],
    [
      'a higher limit',
      plain,
      posts('a: { type: string }', 'limits: { maxLimit: 5000 }\nserver: { bodyLimit: 2MiB }'),
      ['safe limits.maxLimit: is 5000, not 1000', 'safe server.bodyLimit: is 2097152, not 1048576'],
    ],
    [
      'an operation is closed',
      guarded,
      guarded.replace('update: public', 'update: editor'),
      ['breaking v1 inbox.update: is no longer open to public'],
    ],
    [
      'an operation is opened',
      guarded,
      guarded.replace('delete: none', 'delete: editor'),
      ['safe v1 inbox.delete: is open to editor'],
    ],
    [
      'a group is smaller',
      posts('a: { type: string }, b: { type: string }', 'groups: { g: [a, b], h: [a] }'),
      posts('a: { type: string }, b: { type: string }', 'groups: { g: [a] }'),
      ['breaking v1 posts.@g: no longer has b', 'breaking v1 posts.@h: is gone'],
    ],
    [
      'a relation is gone',
      relation('relation: belongsTo, resource: tags, foreignKey: a'),
      posts('a: { type: integer, reference: tags.id }'),
      ['breaking v1 posts.tag: is no longer a relation'],
    ],
    [
      'a pivot field is gone',
      everything,
      everything.replace(', withPivot: [position]', ''),
      ['breaking v1 things.tags.pivot.position: is gone'],
    ],
    [
      'a relation to many',
      everything,
      everything.replace(
        'relation: hasOne, resource: badges',
        'relation: hasMany, resource: badges',
      ),
      ['breaking v1 owners.badge: leads to many records, not to one'],
    ],
  ])('%s', (_, old, now, expected) => {
    expect(lines(old, now)).toEqual(expected);
  });
});
