import { describe, expect, test } from 'vitest';
import { build } from '../support/api.ts';
import { resources } from './model.ts';
import { relation } from '../specification/relations.ts';

const users = '';

describe('a field that is named and added', () => {
  test.each([
    [
      'a foreignKey',
      {
        posts: `authorId: { type: integer }, author: ${relation('belongsTo', 'users', 'foreignKey: autorId')}`,
        users,
      },
      'posts.fields.author.foreignKey',
      'posts has no field autorId, so it is added; did you mean authorId?',
    ],
    [
      'the foreignKey of the other side',
      {
        posts: 'authorId: { type: integer, reference: users.id }',
        users: `posts: ${relation('hasMany', 'posts', 'foreignKey: autorId')}`,
      },
      'users.fields.posts.foreignKey',
      'posts has no field autorId, so it is added; did you mean authorId?',
    ],
    [
      'a typeField',
      {
        images:
          'ownerType: { type: string }, ownerId: { type: integer }, owner: { type: relation, relation: morphTo, typeField: ownerTyp, idField: ownerId }',
        users: `images: ${relation('morphMany', 'images')}`,
      },
      'images.fields.owner.typeField',
      'images has no field ownerTyp, so it is added; did you mean ownerType?',
    ],
  ])('%s that was most likely meant to be another is told', (_, fields, path, message) => {
    const { problems } = build(resources(fields));
    expect(problems.map((problem) => [problem.severity, problem.path, problem.message])).toEqual([
      ['warning', `resources.${path}`, message],
    ]);
  });

  test('one that is near none is added without a word', () => {
    const { problems } = build(
      resources({
        posts: `authorId: { type: integer }, editor: ${relation('belongsTo', 'users', 'foreignKey: checkedBy')}`,
        users,
      }),
    );
    expect(problems).toEqual([]);
  });

  test('one that is near id is added without a word, as id is no key', () => {
    const { problems } = build(
      resources({ a: `bs: ${relation('hasMany', 'b', 'foreignKey: aId')}`, b: '' }),
    );
    expect(problems).toEqual([]);
  });
});

describe('a column that every table of PostgreSQL has of itself', () => {
  test.each(['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid'])('%s is warned of', (name) => {
    const { problems } = build(
      resources({
        boxes: `${name}: { type: number }, other: { type: number, column: ${name}_ }, Oid: { type: number }`,
      }),
    );
    expect(problems.filter(({ path }) => path === `resources.boxes.fields.${name}`)).toMatchObject([
      {
        severity: 'warning',
        message: `PostgreSQL keeps the name ${name} for itself, so it takes no such table; name a column, such as ${name}_`,
      },
    ]);
    expect(problems).toHaveLength(2);
  });
});

describe('the name of a table or column that PostgreSQL would cut', () => {
  const written = (length: number): readonly unknown[] =>
    build(`
resources:
  boxes:
    table: ${'t'.repeat(length - 2)}é
    fields: { name: { type: string, column: ${'c'.repeat(length)} } }
`).problems.map(({ severity, path, message }) => [severity, path, message]);

  test('is warned of, by its bytes', () => {
    expect(written(63)).toEqual([]);
    const message = 'its name has 64 bytes, of which PostgreSQL keeps 63: only SQLite can have it';
    expect(written(64)).toEqual([
      ['warning', 'resources.boxes.table', message],
      ['warning', 'resources.boxes.fields.name.column', message],
    ]);
  });
});

describe('a readOnly field that may not be null', () => {
  const problemsOf = (field: string, more = ''): readonly unknown[] =>
    build(`
resources:
  boxes:
    ${more}
    fields: { name: { type: string }, code: ${field} }
`).problems.map(({ severity, path, message }) => [severity, path, message]);
  const field = '{ type: string, nullable: false, readOnly: true }';

  test('is warned of: no create could succeed', () => {
    const message =
      'no create can succeed: nobody can set code, which may not be null; give it a default, unless the database fills it itself';
    expect(problemsOf(field)).toEqual([
      ['warning', 'resources.boxes.fields.code.readOnly', message],
    ]);
  });

  test.each([
    ['with a default', field.replace('readOnly', 'default: x, readOnly'), ''],
    ['where nobody may create anyway', field, 'access: { create: none }'],
    ['where it may be null', '{ type: string, readOnly: true }', ''],
  ])('is none %s', (_, written, more) => {
    expect(problemsOf(written, more)).toEqual([]);
  });

  test('that is a time stamp is none', () => {
    const { problems } = build(`
resources:
  boxes:
    timestamps: true
    fields: { createdAt: { type: datetime, nullable: false } }
`);
    expect(problems).toEqual([]);
  });
});

describe('an example that is no value of its field', () => {
  test('is warned of, wherever the field is', () => {
    const { problems } = build(
      resources({
        r: 'a: { type: integer, minimum: 2, example: 1 }, b: { type: array, items: { type: date, example: soon } }, c: { type: object, properties: { d: { type: uuid, example: x } } }',
      }),
    );
    expect(problems.map(({ severity, path, message }) => [severity, path, message])).toEqual([
      ['warning', 'resources.r.fields.a.example', '1 must be at least 2'],
      ['warning', 'resources.r.fields.b.items.example', '"soon" must be a date such as 2026-03-01'],
      ['warning', 'resources.r.fields.c.properties.d.example', '"x" must be a UUID'],
    ]);
  });

  test.each(['type: decimal, example: 9.5', 'type: string, example: null', 'type: id, example: 7'])(
    '{ %s } is one',
    (attributes) => {
      const name = attributes.includes('id,') ? 'id' : 'x';
      expect(build(resources({ r: `${name}: { ${attributes} }` })).problems).toEqual([]);
    },
  );
});

describe('a default that is a word for what is drawn', () => {
  test('is warned of where it is but a text', () => {
    const { problems } = build(
      resources({
        r: 'a: { type: string, default: uuid }, b: { type: text, default: now }, c: { type: object, properties: { d: { type: string, default: now } } }',
      }),
    );
    const moment = 'a datetime, date or time takes the moment of the create';
    expect(problems.map(({ severity, path, message }) => [severity, path, message])).toEqual([
      [
        'warning',
        'resources.r.fields.a.default',
        'of type string the default is the text `uuid` itself; the type uuid takes a new one for each record',
      ],
      [
        'warning',
        'resources.r.fields.b.default',
        `of type text the default is the text \`now\` itself; ${moment}`,
      ],
      [
        'warning',
        'resources.r.fields.c.properties.d.default',
        `of type string the default is the text \`now\` itself; ${moment}`,
      ],
    ]);
  });

  test.each([
    'type: datetime, default: now',
    'type: string, format: uuid, default: uuid',
    'type: string, enum: [now, later], default: now',
    'type: enum, values: [now, later], default: now',
    'type: string, default: Now',
  ])('{ %s } is as it is meant', (attributes) => {
    expect(build(resources({ r: `x: { ${attributes} }` })).problems).toEqual([]);
  });
});

test('a default that is neither a moment nor a UUID is told of the word that draws one', () => {
  const { problems } = build(
    resources({
      r: 'a: { type: date, default: today }, b: { type: uuid, default: gen_random_uuid() }, c: { type: object, properties: { d: { type: date, default: today } } }',
    }),
  );
  expect(problems.map(({ path, message }) => [path, message])).toEqual([
    [
      'resources.r.fields.a.default',
      '"today" must be a date such as 2026-03-01, or the word `now`',
    ],
    ['resources.r.fields.b.default', '"gen_random_uuid()" must be a UUID, or the word `uuid`'],
    ['resources.r.fields.c.properties.d.default', '"today" must be a date such as 2026-03-01'],
  ]);
});

describe('a pattern between slashes, as JavaScript has it', () => {
  test.each(['/^[a-z]+$/', '/^[a-z]+$/i', '/a|b/'])('%s is warned of', (pattern) => {
    const { problems } = build(resources({ r: `x: { type: string, pattern: '${pattern}' }` }));
    expect(problems.map(({ severity, path, message }) => [severity, path, message])).toEqual([
      [
        'warning',
        'resources.r.fields.x.pattern',
        'a text has to hold these slashes as well; leave them out, with what stands behind the last one, or write `\\/` where they are meant',
      ],
    ]);
  });

  test.each(['^/a/b$', '/', '/a', String.raw`\/a\/`, '/v1/posts'])(
    '%s is as it is meant',
    (pattern) => {
      expect(
        build(resources({ r: `x: { type: string, pattern: '${pattern}' }` })).problems,
      ).toEqual([]);
    },
  );
});

describe('a default that only one record may have', () => {
  test('is warned of', () => {
    expect(
      build(resources({ r: 'a: { type: integer, unique: true, default: 0 }' })).problems,
    ).toMatchObject([
      {
        severity: 'warning',
        path: 'resources.r.fields.a.default',
        message:
          'only one record can be created without this field, since its values are unique; leave the default out',
      },
    ]);
  });

  test.each(['type: uuid, default: uuid', 'type: integer, default: null'])(
    '{ %s } is not one',
    (attributes) => {
      expect(build(resources({ r: `x: { ${attributes}, unique: true }` })).problems).toEqual([]);
    },
  );
});

describe('members of a group of the API that no resource has', () => {
  const told = (resources: string): readonly (readonly string[])[] =>
    build(`groups: { audit: [createdAt, createdBy, notes] }\n${resources}`).problems.map(
      ({ severity, path, message }) => [severity, path, message],
    );
  const posts =
    'posts: { timestamps: true, fields: { notes: { type: relation, relation: hasMany, resource: posts } } }';

  test('are told', () => {
    expect(told(`resources: { ${posts} }`)).toEqual([
      [
        'warning',
        'groups.audit[1]',
        'there is no field createdBy; did you mean createdAt? (no resource has one, so the group goes without it)',
      ],
    ]);
  });

  test('are none where one of several resources has them', () => {
    const users = 'users: { fields: { createdBy: { type: string } } }';
    expect(told(`resources: { ${posts}, ${users} }`)).toEqual([]);
  });
});

describe('rules for whom nobody can show to be', () => {
  const told = (head: string): readonly (readonly string[])[] =>
    build(
      `${head}\nresources: { posts: { fields: { note: { type: string, access: { read: [admin] } } } } }`,
    ).problems.map(({ severity, path, message }) => [severity, path, message]);

  test('are told where there is no auth', () => {
    expect(told('access: { read: public, write: [editor, { where: "id=1" }] }')).toEqual([
      [
        'warning',
        'access.write[0]',
        'without `auth` nobody can show who it is, so rules for `editor`, `authenticated`, `admin` let nobody in',
      ],
    ]);
  });

  test('are told where they stand, at a field too', () => {
    expect(told('')).toEqual([
      [
        'warning',
        'resources.posts.fields.note.access.read[0]',
        'without `auth` nobody can show who it is, so rules for `admin` let nobody in',
      ],
    ]);
  });

  test('are guessed where one word is mistyped', () => {
    const { problems } = build('access: publik\nresources: { posts: { fields: {} } }');
    expect(problems.map(({ message }) => message)).toEqual([
      'without `auth` nobody can show who it is, so rules for `publik` let nobody in; did you mean `public`?',
    ]);
  });

  test.each(['everyone', 'Anybody', '"*"', 'all'])('%s is public in other tools', (word) => {
    const auth = 'auth: { jwt: { secret: 0123456789abcdef0123456789abcdef } }';
    const keys = `auth: { apiKeys: [{ name: a, hash: "sha256:${'0'.repeat(64)}", roles: [admin] }] }`;
    for (const given of [auth, keys, ''])
      expect(
        build(`${given}\naccess: [{ role: ${word} }]\nresources: { posts: { fields: {} } }`)
          .problems,
      ).toMatchObject([
        { message: expect.stringMatching(/; did you mean `public`\?$/u) as string },
      ]);
  });

  test('a role that an API key has is no word of another tool', () => {
    const keys = `auth: { apiKeys: [{ name: a, hash: "sha256:${'0'.repeat(64)}", roles: [everyone] }] }`;
    expect(
      build(`${keys}\naccess: everyone\nresources: { posts: { fields: {} } }`).problems,
    ).toEqual([]);
  });

  test('are as they should be where there is', () => {
    const auth = 'auth: { jwt: { secret: 0123456789abcdef0123456789abcdef } }';
    expect(told(`${auth}\naccess: { read: public, write: editor }`)).toEqual([]);
  });

  test('are told where tokens may carry any role, and one is nearly a word', () => {
    const auth = 'auth: { jwt: { secret: 0123456789abcdef0123456789abcdef } }';
    const access = 'access: { read: autenticated, write: [autenticated, nurse, publisher] }';
    expect(told(`${auth}\n${access}`)).toEqual([
      [
        'warning',
        'access.read',
        'only tokens with the role `autenticated` are let in; did you mean `authenticated`?',
      ],
    ]);
  });

  test('are told of roles that no API key has, where there are no tokens', () => {
    const keys = (roles: string): string =>
      `auth: { apiKeys: [{ name: a, hash: "sha256:${'0'.repeat(64)}", roles: ${roles} }] }`;
    const access = 'access: { read: [editor, authenticated], write: [editer, public, none] }';
    expect(told(`${keys('[editor, admin]')}\n${access}`)).toEqual([
      [
        'warning',
        'access.write[0]',
        'no API key has the role `editer`, so it lets nobody in; did you mean `editor`?',
      ],
    ]);
    const mistyped = told(`${keys('[admin]')}\naccess: publik`).map(([, , message]) => message);
    expect(mistyped).toEqual([
      'no API key has the role `publik`, so it lets nobody in; did you mean `public`?',
    ]);
    expect(told(`${keys('[guest]')}\naccess: public`).map(([, , message]) => message)).toEqual([
      'no API key has the role `admin`, so it lets nobody in',
    ]);
    expect(told(`${keys('[admin]')}\naccess: public`)).toEqual([]);
    expect(told('auth: {}\naccess: public')).toEqual([
      ['warning', 'auth', 'it names neither `apiKeys` nor `jwt`, so nobody can show who it is'],
    ]);
  });

  test('are none where they are about everyone or no one', () => {
    const { problems } = build(
      'access: { read: public, write: none }\nresources: { posts: { fields: { note: { type: string } } } }',
    );
    expect(problems).toEqual([]);
  });
});
