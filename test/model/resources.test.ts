import { describe, expect, test } from 'vitest';
import { expectErrors, fieldIn, resourceIn, validModel } from './model.ts';
import { relation } from '../specification/relations.ts';

/** A resource `posts` with fields and more keys, each on a line. */
function posts(fields: string, ...more: readonly string[]): string {
  return [
    'resources:',
    '  posts:',
    `    fields: { ${fields} }`,
    ...more.map((line) => `    ${line}`),
  ].join('\n');
}

describe('the fields of a resource', () => {
  test.each([
    ['title: { type: string }', ['id', 'title']],
    ['title: { type: string }, id: { type: id, format: uuid }', ['title', 'id']],
    [
      `title: { type: string }, parent: ${relation('belongsTo', 'posts')}, body: { type: text }`,
      ['id', 'title', 'body', 'parentId'],
    ],
  ])('%s', (fields, names) => {
    expect([...resourceIn(validModel(posts(fields)), 'posts').fields.keys()]).toEqual(names);
  });

  test('timestamps add two read-only fields that are there always', () => {
    const api = validModel(posts(`parent: ${relation('belongsTo', 'posts')}`, 'timestamps: true'));
    expect([...resourceIn(api, 'posts').fields.keys()]).toEqual([
      'id',
      'parentId',
      'createdAt',
      'updatedAt',
    ]);
    for (const name of ['createdAt', 'updatedAt'])
      expect(fieldIn(api, `posts.${name}`)).toMatchObject({
        type: { name: 'datetime' },
        readOnly: true,
        required: false,
        nullable: false,
        default: { kind: 'now' },
      });
  });

  test('timestamps that are declared are such fields too', () => {
    const api = validModel(
      posts('createdAt: { type: datetime, column: created_at }', 'timestamps: true'),
    );
    expect(fieldIn(api, 'posts.createdAt')).toMatchObject({
      column: 'created_at',
      readOnly: true,
      nullable: true,
      default: { kind: 'now' },
    });
  });

  test.each([
    ['', false, true],
    ['required: true', true, false],
    ['required: false', false, true],
    ['nullable: false', false, false],
    ['required: true, nullable: true', true, true],
    ['required: true, nullable: false', true, false],
  ])('%j', (attributes, required, nullable) => {
    const api = validModel(posts(`a: { type: string${attributes && `, ${attributes}`} }`));
    expect(fieldIn(api, 'posts.a')).toMatchObject({ required, nullable });
    expect(fieldIn(api, 'posts.id')).toMatchObject({ required: false, nullable: false });
  });

  test.each(['readOnly', 'writeOnly', 'immutable', 'unique'] as const)(
    '%s is false unless written',
    (name) => {
      const api = validModel(
        posts(
          `a: { type: string }, b: { type: string, ${name}: true }, c: { type: string, ${name}: false }`,
        ),
      );
      const said = ['a', 'b', 'c'].map((field) => fieldIn(api, `posts.${field}`)[name]);
      expect(said).toEqual([false, true, false]);
    },
  );

  expectErrors([
    [
      'a timestamp of another type',
      posts('¦createdAt: { type: date }', 'timestamps: true'),
      'resources.posts.fields.createdAt: createdAt is of type date; with timestamps it must be of type datetime',
    ],
    [
      'names that would differ only in case from added ones',
      posts(
        `ID: { type: string }, authorid: { type: integer }, ¦author: ${relation('belongsTo', 'posts')}, updatedat: { type: datetime }`,
        'timestamps: ¦true',
      ).replace('fields:', '¦fields:'),
      'resources.posts.fields: a field id has to be added to posts, where ID has that name; rename one of them',
      'resources.posts.fields.author: a field authorId has to be added to posts, where authorid has that name; rename one of them',
      'resources.posts.timestamps: a field updatedAt has to be added to posts, where updatedat has that name; rename one of them',
    ],
    [
      'a key that is a relation',
      posts(
        `authorId: ${relation('hasOne', 'posts', 'foreignKey: ownId')}, ¦author: ${relation('belongsTo', 'posts')}`,
      ),
      'resources.posts.fields.author: a field authorId has to be added to posts, where authorId has that name; rename one of them',
    ],
    [
      'a key that is the id',
      posts(`¦author: ${relation('belongsTo', 'posts', 'foreignKey: id')}`),
      'resources.posts.fields.author: id cannot be a foreign key; name another field',
    ],
    [
      'two fields in one column, their names in any case',
      posts('a: { type: string, column: B }, b: { type: string }').replace('b: {', '¦b: {'),
      'resources.posts.fields.b.column: b stands in column b, as a does; name another column',
    ],
    [
      'two fields in one column by name',
      posts('a: { type: string, column: c }, b: { type: string, column: ¦C }'),
      'resources.posts.fields.b.column: b stands in column C, as a does; name another column',
    ],
  ]);
});

describe('tables', () => {
  test('are named as the resource, unless written', () => {
    const api = validModel(
      `${posts('a: { type: string }', 'table: t_posts')}\n  media-types: { fields: {} }`,
    );
    expect(resourceIn(api, 'posts').table).toBe('t_posts');
    expect(resourceIn(api, 'media-types').table).toBe('media-types');
  });

  expectErrors([
    [
      'two resources in one',
      `${posts('', 'table: users')}\n  ¦users: { fields: {} }\n  others: { table: ¦USERS, fields: {} }`,
      'resources.users: users stands in table users, as posts does; name another table',
      'resources.others.table: others stands in table USERS, as users does; name another table',
    ],
    [
      'names that databases keep',
      'resources:\n  ¦sqlite_master: { fields: {} }\n  a: { table: ¦pg_class, fields: {} }\n  b: { table: ¦_plinth_keys, fields: {} }',
      'resources.sqlite_master: sqlite_master is a name that databases keep for themselves; name another table',
      'resources.a.table: pg_class is a name that databases keep for themselves; name another table',
      'resources.b.table: _plinth_keys is a name that databases keep for themselves; name another table',
    ],
  ]);
});

describe('unique and indexes', () => {
  const indexesOf = (text: string): Record<string, readonly (readonly string[])[]> => {
    const { unique, indexes, fields } = resourceIn(validModel(text), 'posts');
    const names = (lists: typeof unique): string[][] =>
      lists.map((list) => list.map(({ name }) => name));
    const single = [...fields.values()].filter((field) => field.unique).map(({ name }) => [name]);
    return { single, unique: names(unique), indexes: names(indexes) };
  };
  const fields = 'a: { type: string }, b: { type: string }';
  const on = 'on: { type: relation, relation: morphTo, resources: [posts] }';

  test.each([
    ['nothing', posts(fields), [], [], []],
    [
      'lists',
      posts(fields, 'unique: [[a, b]]', 'indexes: [[b, a], [b]]'),
      [],
      [['a', 'b']],
      [['b', 'a'], ['b']],
    ],
    [
      'attributes',
      posts('a: { type: string, unique: true }, b: { type: string, index: true }'),
      [['a']],
      [],
      [['b']],
    ],
    ['a list of one field', posts(fields, 'unique: [[a]]'), [['a']], [], []],
    [
      'the same twice',
      posts(
        'a: { type: string, index: true }, b: { type: string, unique: true, index: true }',
        'unique: [[b], [a, b], [a, b]]',
        'indexes: [[a], [b, a], [b, a], [b]]',
      ),
      [['b']],
      [['a', 'b']],
      [['a'], ['b', 'a']],
    ],
    ['a foreign key', posts('x: { type: integer, reference: posts.id }'), [], [], [['x']]],
    [
      'a foreign key with an index',
      posts('x: { type: integer, reference: posts.id, index: true }'),
      [],
      [],
      [['x']],
    ],
    [
      'a foreign key first in another index',
      posts(`x: { type: integer, reference: posts.id }, ${fields}`, 'unique: [[x, a]]'),
      [],
      [['x', 'a']],
      [],
    ],
    [
      'a foreign key later in another index',
      posts(`x: { type: integer, reference: posts.id }, ${fields}`, 'indexes: [[a, x]]'),
      [],
      [],
      [['a', 'x'], ['x']],
    ],
    [
      'a unique foreign key',
      posts(`x: { type: integer, reference: posts.id, unique: true }`),
      [['x']],
      [],
      [],
    ],
    [
      'an added key',
      posts(`author: ${relation('belongsTo', 'posts')}`, 'unique: [[authorId]]'),
      [['authorId']],
      [],
      [],
    ],
    ['a morph pair', posts(on), [], [], [['onType', 'onId']]],
    [
      'a morph pair whose other side alone is declared',
      posts(`notes: ${relation('morphMany', 'posts', 'typeField: kind, idField: key')}`),
      [],
      [],
      [['kind', 'key']],
    ],
    [
      'a morph pair that several relations share',
      posts(`${on}, notes: ${relation('morphMany', 'posts')}`),
      [],
      [],
      [['onType', 'onId']],
    ],
    [
      'a morph pair first in another index, in either order',
      posts(`${on}, a: { type: string }`, 'indexes: [[onId, onType, a]]'),
      [],
      [],
      [['onId', 'onType', 'a']],
    ],
    [
      'a morph pair that is unique',
      posts(on, 'unique: [[onType, onId]]'),
      [],
      [['onType', 'onId']],
      [],
    ],
    [
      'a morph pair later in another index',
      posts(`${on}, a: { type: string }`, 'indexes: [[onType, a, onId]]'),
      [],
      [],
      [
        ['onType', 'a', 'onId'],
        ['onType', 'onId'],
      ],
    ],
    [
      'a morph pair with a unique field',
      posts(`${on}, onId: { type: integer, unique: true }`),
      [['onId']],
      [],
      [],
    ],
    [
      'timestamps',
      posts('', 'timestamps: true', 'indexes: [[createdAt, id]]'),
      [],
      [],
      [['createdAt', 'id']],
    ],
  ])('%s', (_, text, single, unique, indexes) => {
    expect(indexesOf(text)).toEqual({ single, unique, indexes });
  });

  expectErrors([
    [
      'unknown fields, relations and types without order',
      posts(
        `author: ${relation('belongsTo', 'posts')}, title: { type: string }, o: { type: object }, l: { type: array }, j: { type: json }`,
        'unique: [[¦titel, authorId], [¦author]]',
        'indexes: [[¦o], [¦l], [¦j]]',
      ),
      'resources.posts.unique[0][0]: there is no field titel; did you mean title?',
      'resources.posts.unique[1][0]: author is a relation; name its foreign key',
      'resources.posts.indexes[0][0]: o cannot be indexed: it is of type object',
      'resources.posts.indexes[1][0]: l cannot be indexed: it is of type array',
      'resources.posts.indexes[2][0]: j cannot be indexed: it is of type json',
    ],
  ]);
});

describe('groups', () => {
  test('of the API skip what a resource lacks, and those of the resource win', () => {
    const api = validModel(
      `groups: { card: [id, title, author, authorId, price], empty: [nothing], own: [title] }
${posts(`title: { type: string }, author: ${relation('belongsTo', 'posts')}`, 'groups: { own: [authorId], more: [author, title] }', 'timestamps: true')}`,
    );
    expect(Object.fromEntries(resourceIn(api, 'posts').groups)).toEqual({
      card: ['id', 'title', 'author', 'authorId'],
      empty: [],
      own: ['authorId'],
      more: ['author', 'title'],
    });
  });

  expectErrors([
    [
      'of a resource name what it has',
      posts('title: { type: string }', 'groups: { a: [title, ¦titel], b: [¦createdAt] }'),
      'resources.posts.groups.a[1]: there is no field titel; did you mean title?',
      'resources.posts.groups.b[0]: there is no field createdAt',
    ],
    [
      'are not blamed for a relation that is wrong itself',
      posts(
        `author: ${relation('belongsTo', '¦post')}`,
        'groups: { a: [author, authorId] }',
        'indexes: [[authorId]]',
      ),
      'resources.posts.fields.author.resource: there is no resource post; did you mean posts?',
    ],
  ]);
});

describe('generation', () => {
  expectErrors([
    [
      'per a belongsTo',
      posts(`author: ${relation('belongsTo', 'posts')}`, 'generate: { per: author, max: 3 }'),
    ],
    [
      'per anything else',
      posts(
        `author: ${relation('belongsTo', 'posts')}, posts: ${relation('hasMany', 'posts')}`,
        'generate: { per: ¦authors }',
      ),
      'resources.posts.generate.per: there is no belongsTo relation authors; did you mean author?',
    ],
    [
      'per a hasMany',
      posts(`posts: ${relation('hasMany', 'posts')}`, 'generate: { per: ¦posts }'),
      'resources.posts.generate.per: there is no belongsTo relation posts',
    ],
  ]);
});

describe('the whole', () => {
  test('what an API is by default', () => {
    const api = validModel(posts(''));
    expect(api).toMatchObject({
      name: 'Plinth API',
      basePath: '',
      defaultVersion: 1,
      unversioned: true,
    });
    expect(api.limits).toEqual({
      defaultLimit: 20,
      maxLimit: 1_000,
      defaultDepth: 3,
      maxDepth: 5,
      expandedItems: 100,
      responseItems: 20_000,
      exportItems: 1_000_000,
      inItems: 500,
      filters: 50,
      searchWords: 10,
      sorts: 8,
      groups: 10_000,
      pathDepth: 5,
      urlLength: 8_192,
      batchItems: 1_000,
      bulkItems: 1_000,
    });
    expect([...api.versions.keys()]).toEqual([1]);
    expect(resourceIn(api, 'posts').pagination).toBe('page');
  });

  test.each([
    ['{ maxLimit: 5, maxDepth: 2 }', { defaultLimit: 5, defaultDepth: 2 }],
    ['{ maxLimit: 50 }', { defaultLimit: 20, maxLimit: 50 }],
    ['{ defaultLimit: 30, batchItems: 7 }', { defaultLimit: 30, maxLimit: 1000, batchItems: 7 }],
  ])('limits %s', (limits, expected) => {
    expect(validModel(`limits: ${limits}\n${posts('')}`).limits).toMatchObject(expected);
  });

  test('pagination comes from the resource, else from the API', () => {
    const api = validModel(
      `api: { pagination: cursor }\n${posts('', 'pagination: page')}\n  tags: { fields: {} }`,
    );
    expect(resourceIn(api, 'posts').pagination).toBe('page');
    expect(resourceIn(api, 'tags').pagination).toBe('cursor');
  });
});
