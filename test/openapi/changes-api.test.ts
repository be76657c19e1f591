import { describe, expect, test } from 'vitest';
import { changed, lines, posts } from './changes.ts';
import { everything, guarded, versioned } from './specifications.ts';

const at = 'v1 posts.a';
const tokens = 'auth: { jwt: { secret: "01234567890123456789012345678901" } }';
/** Its first version is served no more. */
const ended = versioned.replace('2099-01-01', '2026-11-01');

/** Two fields that are unique together, of which a version hides the second one. */
function uniqueWithHidden(field: string, name: string): string {
  return posts(
    `a: { type: string }, ${field}`,
    `api: { versions: { 1: { resources: { posts: { fields: { ${name}: false } } } } } }`,
  ).replace('posts: { fields: { a', `posts: { unique: [[a, ${name}]], fields: { a`);
}

describe('who may use a field', () => {
  const withAuth = (field: string, access = '{ read: public, write: authenticated }'): string =>
    posts(
      `a: { type: string, ${field} }, b: { type: string }`,
      `auth: { jwt: { secret: "01234567890123456789012345678901", algorithms: [HS256] } }\naccess: ${access}`,
    );
  test.each<[string, string, string, readonly string[]]>([
    [
      'nothing',
      withAuth('access: { read: admin, write: authenticated }'),
      withAuth('access: { read: admin, write: authenticated }'),
      [],
    ],
    [
      'fewer read it',
      withAuth(''),
      withAuth('access: { read: admin, write: authenticated }'),
      [`breaking ${at}: can no longer be read by public`],
    ],
    [
      'one role less reads it',
      withAuth('access: { read: [admin, editor], write: authenticated }'),
      withAuth('access: { read: [admin], write: authenticated }'),
      [`breaking ${at}: can no longer be read by editor`],
    ],
    [
      'fewer write it',
      withAuth(''),
      withAuth('access: { write: admin }'),
      [
        `breaking ${at}: can no longer be sent to create a record by authenticated`,
        `breaking ${at}: can no longer be sent to update a record by authenticated`,
      ],
    ],
    [
      'fewer read it and with that write it',
      withAuth(''),
      withAuth('access: { read: admin }'),
      [
        `breaking ${at}: can no longer be read by public`,
        `breaking ${at}: can no longer be sent to create a record by authenticated`,
        `breaking ${at}: can no longer be sent to update a record by authenticated`,
      ],
    ],
    [
      'nobody reads it',
      withAuth(''),
      withAuth('access: { read: none, write: authenticated }'),
      [`breaking ${at}: can no longer be read`],
    ],
    ['more read it', withAuth('access: { read: admin, write: authenticated }'), withAuth(''), []],
    [
      'a wider rule',
      withAuth('access: { read: admin, write: authenticated }'),
      withAuth('access: { read: authenticated, write: authenticated }'),
      [],
    ],
    [
      'what its resource tells is told once',
      withAuth(''),
      withAuth(
        'access: { read: admin, write: authenticated }',
        '{ read: admin, write: authenticated }',
      ),
      [
        'breaking v1 posts.read: is no longer open to public',
        'breaking v1 tags.read: is no longer open to public',
      ],
    ],
  ])('%s', (_, old, now, expected) => {
    expect(lines(old, now)).toEqual(expected);
  });

  test('credentials are asked for now', () => {
    const found = lines(posts('a: { type: string }'), withAuth('', 'authenticated'));
    expect(found).toContain('breaking v1 posts.read: is no longer open to public');
    expect(found).toContain('breaking v1 posts.delete: is no longer open to public');
  });
});

describe('the rest', () => {
  const plain = posts('a: { type: string }');
  const settings = (more: string) => [plain, posts('a: { type: string }', more)] as const;
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
      ...changed(versioned, '    3: { resources: { drafts: false } }\n', ''),
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
      ...changed(versioned, 'defaultVersion: 2', 'defaultVersion: 3'),
      ['breaking api.defaultVersion: paths without a version mean v3, not v2'],
    ],
    [
      'a version hides more',
      ...changed(versioned, '2: {}', '2: { resources: { drafts: false } }'),
      ['breaking v2 drafts: is gone'],
    ],
    [
      'a version is deprecated',
      ...changed(versioned, '2: {}', '2: { deprecated: 2026-05-01, sunset: 2027-05-01 }'),
      ['safe v2: ends on 2027-05-01', 'safe v2: is deprecated since 2026-05-01'],
    ],
    [
      'a version ends earlier',
      ...changed(versioned, '2099-01-01', '2030-01-01'),
      ['breaking v1: ends on 2030-01-01, not 2099-01-01'],
    ],
    [
      'a version that has ended at once',
      ...changed(versioned, 'sunset: 2099-01-01', 'sunset: 2026-11-01'),
      ['breaking v1: has ended on 2026-11-01'],
    ],
    [
      'a version that ends tomorrow',
      versioned.replace('sunset: 2099-01-01, ', ''),
      versioned.replace('sunset: 2099-01-01', 'sunset: 2026-11-02'),
      ['safe v1: ends on 2026-11-02'],
    ],
    [
      'a version is gone that had ended',
      ended,
      ended.replace(/ +1: .*\n/u, ''),
      ['safe v1: is gone'],
    ],
    [
      'a version that had ended calls a field otherwise',
      ended,
      ended.replace('headline: {', 'heading: {'),
      [],
    ],
    [
      'a version that had ended is served again',
      ended,
      ended.replace(', sunset: 2026-11-01', ''),
      [],
    ],
    [
      'another version in the place of one that had ended',
      ended.replace('defaultVersion: 2', 'defaultVersion: 1'),
      ended.replace('defaultVersion: 2', 'defaultVersion: 3'),
      ['safe api.defaultVersion: paths without a version mean v3, not v1'],
    ],
    [
      'another base path',
      ...settings('api: { basePath: /api }'),
      ['breaking api.basePath: is /api, not empty'],
    ],
    [
      'no paths without a version',
      ...settings('api: { unversioned: false }'),
      ['breaking api.unversioned: paths without a version are gone'],
    ],
    [
      'cursors by default',
      ...settings('api: { pagination: cursor }'),
      [
        'breaking v1 posts.pagination: lists are by cursor, not by page',
        'breaking v1 tags.pagination: lists are by cursor, not by page',
      ],
    ],
    [
      'a lower limit',
      ...settings('limits: { maxLimit: 500 }'),
      ['breaking limits.maxLimit: is 500, not 1000'],
    ],
    [
      'a higher limit',
      ...settings('limits: { maxLimit: 5000 }\nserver: { bodyLimit: 2MiB }'),
      ['safe limits.maxLimit: is 5000, not 1000', 'safe server.bodyLimit: is 2097152, not 1048576'],
    ],
    [
      'an operation is closed',
      ...changed(guarded, 'update: public', 'update: editor'),
      ['breaking v1 inbox.update: is no longer open to public'],
    ],
    [
      'an operation is opened',
      ...changed(guarded, 'delete: none', 'delete: editor'),
      ['safe v1 inbox.delete: is open to editor'],
    ],
    [
      'no credentials are taken any more',
      ...changed(guarded, /auth:\n.*\n.*\n/u.exec(guarded)?.[0] ?? '', ''),
      ['drafts', 'posts'].flatMap((name) =>
        ['create', 'delete', ...(name === 'drafts' ? ['read'] : []), 'update'].map(
          (operation) => `breaking v1 ${name}.${operation}: is no longer open to editor`,
        ),
      ),
    ],
    [
      'no credentials are taken where none were needed',
      posts('a: { type: string }', `${tokens}\naccess: public`),
      posts('a: { type: string }', 'access: public'),
      [],
    ],
    [
      'credentials are taken from now on',
      posts('a: { type: string }', 'access: { read: public, write: editor }'),
      posts('a: { type: string }', `${tokens}\naccess: { read: public, write: editor }`),
      ['posts', 'tags'].flatMap((name) =>
        ['create', 'delete', 'update'].map(
          (operation) => `safe v1 ${name}.${operation}: is open to editor`,
        ),
      ),
    ],
    [
      'tokens are taken no longer',
      ...changed(guarded, /.*jwt: .*\n/u.exec(guarded)?.[0] ?? '', ''),
      ['breaking auth.jwt: tokens are no longer taken'],
    ],
    [
      'API keys are taken no longer',
      ...changed(guarded, /.*apiKeys: .*\n/u.exec(guarded)?.[0] ?? '', ''),
      ['breaking auth.apiKeys: API keys are no longer taken'],
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
      ...changed(everything, ', withPivot: [position]', ''),
      ['breaking v1 things.tags.pivot.position: is gone'],
    ],
    [
      'fields that are unique together',
      posts('a: { type: string }, b: { type: string }'),
      posts('a: { type: string }, b: { type: string }').replace(
        'posts: {',
        'posts: { unique: [[a, b]],',
      ),
      ['breaking v1 posts.a, b: must now be unique together'],
    ],
    [
      'of fields that are unique together, one that is hidden is called otherwise',
      uniqueWithHidden('b: { type: string }', 'b'),
      uniqueWithHidden('c: { type: string, column: b }', 'c'),
      [],
    ],
    [
      'a field that is unique together with a hidden one has another column',
      uniqueWithHidden('b: { type: string }', 'b'),
      uniqueWithHidden('c: { type: string }', 'c'),
      ['breaking v1 posts.a, c: must now be unique together'],
    ],
    [
      'fields of which one is unique',
      posts('a: { type: string, unique: true }, b: { type: string }'),
      posts('a: { type: string, unique: true }, b: { type: string }').replace(
        'posts: {',
        'posts: { unique: [[a, b]],',
      ),
      [],
    ],
    [
      'a relation by another key',
      posts(
        'a: { type: integer, reference: tags.id }, b: { type: integer, reference: tags.id }, tag: { type: relation, relation: belongsTo, resource: tags, foreignKey: a }',
      ),
      posts(
        'a: { type: integer, reference: tags.id }, b: { type: integer, reference: tags.id }, tag: { type: relation, relation: belongsTo, resource: tags, foreignKey: b }',
      ),
      ['breaking v1 posts.tag: goes by b, not by a'],
    ],
    [
      'a relation that takes no links',
      ...changed(
        everything,
        'relation: belongsToMany, resource: things, through: thing-tags',
        'relation: hasMany, resource: thing-tags, foreignKey: tagId',
      ),
      [
        'breaking v1 tags.things: leads to thing-tags now',
        'breaking v1 tags.things: no longer leads to things',
        'breaking v1 tags.things: takes no links any more',
      ],
    ],
    [
      'links that nobody may make',
      ...changed(
        everything,
        '  thing-labels:\n',
        '  thing-labels:\n    access: { read: public, write: none }\n',
      ),
      [
        ...['create', 'delete', 'update'].map(
          (operation) => `breaking v1 thing-labels.${operation}: is no longer open to public`,
        ),
        'breaking v1 things.labels: takes no links any more',
      ],
    ],
    [
      'a field has another name, and an old version the old one',
      versioned,
      versioned
        .replace('from: title', 'from: name')
        .replace('2: {}', '2: { resources: { posts: { fields: { title: { from: name } } } } }')
        .replace(
          '3: { resources: {',
          '3: { resources: { posts: { fields: { title: { from: name } } },',
        )
        .replace(
          '      title: { type: string }\n      views',
          '      name: { type: string, column: title }\n      views',
        ),
      [],
    ],
    [
      'a field has another name, which an old version does not hide',
      versioned,
      versioned
        .replace('from: title', 'from: name')
        .replace(
          '      title: { type: string }\n      views',
          '      name: { type: string, column: title }\n      views',
        ),
      ['v2', 'v3']
        .flatMap((version) => [
          `breaking ${version} posts.title: can no longer be sent to create a record`,
          `breaking ${version} posts.title: can no longer be sent to update a record`,
          `breaking ${version} posts.title: is now called name`,
        ])
        .concat('safe v2 posts.name: is new', 'safe v3 posts.name: is new'),
    ],
    [
      'a version calls a field otherwise',
      ...changed(versioned, 'headline: { from: title }', 'heading: { from: title }'),
      [
        'breaking v1 posts.headline: can no longer be sent to create a record',
        'breaking v1 posts.headline: can no longer be sent to update a record',
        'breaking v1 posts.headline: is now called heading',
        'safe v1 posts.heading: is new',
      ],
    ],
    [
      'a version shows a field that it hid',
      ...changed(versioned, ', views: false', ''),
      ['safe v1 posts.views: is new'],
    ],
    [
      'a relation to many',
      ...changed(
        everything,
        'relation: hasOne, resource: badges',
        'relation: hasMany, resource: badges',
      ),
      ['breaking v1 owners.badge: leads to many records, not to one'],
    ],
  ])('%s', (_, old, now, expected) => {
    expect(lines(old, now)).toEqual(expected);
  });
});
