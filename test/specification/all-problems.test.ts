import { describe, expect, test } from 'vitest';
import { check } from '../../src/cli/commands/check.ts';
import { checkRules } from '../../src/query/access/rule-parser.ts';
import { makeFolder } from '../support/command.ts';
import { expectErrors, modelOf, resources } from '../model/model.ts';
import { quietContext } from '../sandboxes/sandboxes.ts';

// Every problem is reported in one run. What is wrong in one place hides nothing of another, and nothing is reported
// that only follows from it. See docs/contract/1-specification-file.md#problems-in-the-file.

/** A file in which `posts` has these further fields. */
const withFields = (...fields: readonly string[]): string =>
  [
    'resources:',
    `  posts: { fields: { title: { type: string }, ${fields.join(', ')} } }`,
    '  users: { fields: { nick: { type: string } } }',
    '  links: { fields: { a: { type: integer, reference: posts.id }, b: { type: integer, reference: users.id } } }',
    '  twokeys: { fields: { a: { type: integer, reference: posts.id }, b: { type: integer, reference: posts.id } } }',
  ].join('\n');

const messagesIn = (text: string): readonly string[] =>
  modelOf(text, checkRules).errors.map((error) => error.replace(/^\d+:\d+ /u, ''));

/** What only the whole file can tell of a field `k`. */
const ofTheModel = {
  'a key of another type': 'k: { type: string, reference: users.id }',
  'a reference to no resource': 'k: { type: integer, reference: user.id }',
  'a reference to no field': 'k: { type: integer, reference: users.idd }',
  'a reference to what is not unique': 'k: { type: string, reference: users.nick }',
  'bounds that cross': 'k: { type: integer, minimum: 5, maximum: 1 }',
  'readOnly with writeOnly': 'k: { type: string, readOnly: true, writeOnly: true }',
  'a default that does not fit': 'k: { type: integer, default: x }',
  'two fields in one column': 'k: { type: string, column: m }, m: { type: string }',
  'a template of itself': 'k: { type: string, template: "{{self.k}}" }',
  'a template of no field': 'k: { type: string, template: "{{self.zzz}}" }',
  'a relation to no resource': 'k: { type: relation, relation: belongsTo, resource: user }',
  'no junction': 'k: { type: relation, relation: belongsToMany, resource: users, through: nope }',
  'no pivot field':
    'k: { type: relation, relation: belongsToMany, resource: users, through: links, withPivot: [nope] }',
  'setNull of what is never null':
    'k: { type: integer, nullable: false, reference: users.id, onDelete: setNull }',
  'onDelete of no key': 'k: { type: integer, onDelete: cascade }',
  'several keys': 'k: { type: relation, relation: hasMany, resource: twokeys }',
  'a morphTo that nobody owns': 'k: { type: relation, relation: morphTo }',
  'a morphMany to no morphTo': 'k: { type: relation, relation: morphMany, resource: users }',
  'a foreignKey of another type':
    'k: { type: relation, relation: belongsTo, resource: users, foreignKey: kk }, kk: { type: string }',
};

/** What is wrong with a field `z` by itself. */
const ofTheStructure = {
  'an unknown type': 'z: { type: foo }',
  'an unknown key': 'z: { type: string, nullabel: true }',
  'an attribute of another type': 'z: { type: integer, minLength: 3 }',
  'no definition': 'z: string',
  'a wrong value': 'z: { type: string, minLength: abc }',
  'an enum without values': 'z: { type: enum }',
  'a name that is none': '"z-z": { type: string }',
  'a variable that is not set': 'z: { type: string, description: "${NOPE}" }',
  'a pattern that is none': 'z: { type: string, pattern: "(" }',
};

/** The same fields beside a rule that names no field. */
const withRule = (...fields: readonly string[]): string =>
  `access: { read: { role: a, where: "titel=1" } }\n${withFields(...fields)}`;

describe('a row rule that names no field is reported', () => {
  const rule = messagesIn(withRule('y: { type: string }'));

  test('alone', () => {
    expect(rule).toContain(
      'access.read.where: in posts: titel: there is no field titel; did you mean title?',
    );
  });

  test.each(Object.entries({ ...ofTheModel, ...ofTheStructure }))('beside %s', (_, wrong) => {
    expect(messagesIn(withRule(wrong)).toSorted()).toEqual(
      [...rule, ...messagesIn(withFields(wrong))].toSorted(),
    );
  });
});

test.each([
  ['z: { type: foo }', 'z_gte=1'],
  ['z: { type: foo }', '_or=z:1,title:a'],
  ['z: { type: relation, relation: many, resource: users }', 'z.nick=a'],
  ['z: { type: relation, relation: belongsTo, resource: nobody }', 'z.nick=a'],
])('a row rule over what was not understood is not: %s under %s', (wrong, where) => {
  const rule = `access: { read: { role: a, where: "${where}" } }`;
  const text = `${rule}\nresources: { posts: { fields: { title: { type: string }, ${wrong} } }, users: { fields: { nick: { type: string } } } }`;
  const found = messagesIn(text).filter((message) => message.includes('in posts'));
  expect(found).toEqual([]);
});

describe.each(Object.entries(ofTheModel))('%s is reported', (_, wrong) => {
  const alone = messagesIn(withFields(wrong));

  test.each(Object.entries(ofTheStructure))('beside %s', (_, other) => {
    expect(alone).not.toEqual([]);
    expect(messagesIn(withFields(other))).toHaveLength(1);
    expect(messagesIn(withFields(wrong, other)).toSorted()).toEqual(
      [...alone, ...messagesIn(withFields(other))].toSorted(),
    );
  });
});

test('contradictions are reported beside attributes that are unknown', () => {
  expect(
    messagesIn(
      [
        'limits: { defaultLimit: 50, maxLimit: 10, maxDepth: x, defaultDepth: 9, foo: 1 }',
        'api: { versions: { 1: { deprecated: 2026-05-01, sunset: 2026-01-01, foo: 1, resources: { a: { fields: { b: false } } } } }, defaultVersion: 7 }',
        'server: { cors: { origins: ["*"], credentials: true, foo: 1 } }',
        'network: { latency: { min: 9, max: 5, foo: 1 } }',
        'debug: true',
        'auth: { apiKeys: [] }',
        'resources: { a: { generate: { count: 1, min: 5, foo: 1 }, fields: {} } }',
        'foo: 1',
      ].join('\n'),
    ),
  ).toEqual([
    'limits.defaultLimit: `defaultLimit` (50) is over `maxLimit`, which is 10',
    'limits.maxDepth: `maxDepth` must be a whole number of at least 1, not `x`',
    'limits.foo: unknown key `foo`',
    'api.versions.1.sunset: `sunset` (2026-01-01) comes before `deprecated` (2026-05-01)',
    'api.versions.1.foo: unknown key `foo`; known here: `deprecated`, `sunset`, `link`, `resources`',
    'api.versions.1.resources.a.fields.b: there is no field b',
    'api.defaultVersion: there is no version 7; `api.versions` has 1',
    'server.cors.credentials: browsers send no credentials to an API that allows every origin (`*`)',
    'server.cors.foo: unknown key `foo`; known here: `origins`, `credentials`',
    'network.latency.min: `min` (9 ms) is over `max` (5 ms)',
    'network.latency.foo: unknown key `foo`; known here: `min`, `max`',
    'debug: `debug: true` would show every caller what `auth` keeps from it; write `debug: { roles: […] }`',
    'resources.a.generate.min: `min` needs `per`: the relation whose records it counts',
    'resources.a.generate.foo: unknown key `foo`; known here: `count`, `per`, `min`, `max`, `locale`',
    'foo: unknown key `foo`',
  ]);
});

type Definition = Readonly<Record<string, unknown>>;
const belongsTo = (resource: string, more: Definition = {}): Definition => ({
  type: 'relation',
  relation: 'belongsTo',
  resource,
  ...more,
});
const relation = (kind: string, resource: string, more: Definition = {}): Definition => ({
  ...belongsTo(resource, more),
  relation: kind,
});
const key = (reference: string, more: Definition = {}): Definition => ({
  type: 'integer',
  reference,
  ...more,
});

interface Resource {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

/** A file in which nearly every definition is needed by another. */
const entangled: Readonly<Record<string, Resource>> = {
  posts: {
    timestamps: true,
    unique: [['title', 'authorId']],
    indexes: [['createdAt', 'editorId']],
    groups: { h: ['title', 'tags', 'author'] },
    generate: { per: 'author', min: 0, max: 3 },
    fields: {
      title: { type: 'string', required: true },
      slug: { type: 'string', template: '{{self.title}}' },
      code: { type: 'string', unique: true },
      authorId: { type: 'uuid', onDelete: 'cascade' },
      author: belongsTo('users'),
      editor: belongsTo('users', { foreignKey: 'editorId' }),
      editorId: { type: 'uuid', onDelete: 'restrict' },
      tags: relation('belongsToMany', 'tags', { through: 'post-tags', withPivot: ['rank'] }),
      notes: relation('morphMany', 'notes'),
    },
  },
  users: {
    fields: {
      id: { type: 'id', format: 'uuid' },
      posts: relation('hasMany', 'posts', { foreignKey: 'authorId' }),
      card: relation('hasOne', 'cards'),
      notes: relation('morphMany', 'notes', { typeValue: 'person' }),
      groups: relation('belongsToMany', 'groups', { through: 'members', foreignKey: 'userId' }),
    },
  },
  cards: {
    fields: {
      userId: key('users.id', { type: 'uuid' }),
      postCode: key('posts.code', { type: 'string', onDelete: 'cascade' }),
      user: belongsTo('users'),
    },
  },
  tags: { fields: { posts: relation('belongsToMany', 'posts', { through: 'post-tags' }) } },
  'post-tags': {
    fields: { postId: key('posts.id'), tagId: key('tags.id'), rank: { type: 'integer' } },
  },
  notes: {
    fields: {
      about: { type: 'relation', relation: 'morphTo', typeField: 'kind', idField: 'of' },
      kind: { type: 'string' },
      of: { type: 'string' },
    },
  },
  groups: { fields: { users: relation('belongsToMany', 'users', { through: 'members' }) } },
  members: {
    fields: {
      userId: key('users.id', { type: 'uuid' }),
      byId: key('users.id', { type: 'uuid' }),
      groupId: key('groups.id'),
    },
  },
} as const;
const versions = {
  1: {
    resources: {
      posts: {
        fields: { headline: { from: 'title' }, tags: false, writer: { from: 'author' } },
      },
      cards: false,
    },
  },
};
const fileOf = (resources: object): string => JSON.stringify({ resources, api: { versions } });

describe('nothing is reported that only follows from', () => {
  test('nothing', () => expect(messagesIn(fileOf(entangled))).toEqual([]));

  const fields = Object.entries(entangled).flatMap(([resource, { fields }]) =>
    Object.keys(fields).map((field) => [resource, field] as const),
  );
  test.each(fields)('a wrong definition of %s.%s', (resource, field) => {
    const whole = entangled[resource]?.fields[field] as Definition;
    const { type: _, ...untyped } = whole;
    const wrong = [{}, null, { ...whole, type: 'foo' }, untyped].concat(
      whole['type'] === 'relation'
        ? [
            { ...whole, relation: 'many' },
            { ...whole, resource: 5 },
            { ...whole, through: 5 },
            ...(whole['relation'] === 'morphTo'
              ? [{ ...whole, resources: ['nowhere'] }]
              : [{ ...whole, resource: 'nowhere' }]),
            ...(whole['relation'] === 'belongsToMany' ? [{ ...whole, through: 'nowhere' }] : []),
          ]
        : [],
    );
    for (const definition of wrong) {
      const changed = structuredClone(entangled);
      Object.assign(changed[resource]?.fields ?? {}, { [field]: definition });
      const found = messagesIn(fileOf(changed));
      expect(found).not.toEqual([]);
      for (const problem of found)
        expect(problem).toContain(`resources.${resource}.fields.${field}`);
    }
  });

  test.each(Object.keys(entangled))('a wrong definition of %s', (resource) => {
    for (const definition of [5, {}, { fields: 5 }, { field: {} }]) {
      const found = messagesIn(fileOf({ ...entangled, [resource]: definition }));
      expect(found).not.toEqual([]);
      for (const problem of found) expect(problem).toContain(`resources.${resource}`);
    }
  });
});

describe('what is wrong elsewhere is said beside what was not understood', () => {
  const lines = (...parts: readonly string[]): string => parts.join('\n');
  expectErrors([
    [
      'contradictions, beside unknown types and wrong definitions',
      resources({
        r: 'a: { type: ¦foo }, b: ¦string, c: { type: integer, minimum: ¦2, maximum: 1 }, d: { type: string, default: ¦5 }',
        s: '¦e: { type: enum }, f: { type: string, readOnly: true, writeOnly: ¦true }',
      }),
      'resources.r.fields.a.type: unknown type `foo`; the types are string, text, integer, number, decimal, boolean, date, time, datetime, uuid, email, url, enum, object, array, json, relation',
      'resources.r.fields.b: `b` must be a definition such as { type: string }, not `string`',
      'resources.r.fields.c.minimum: minimum 2 leaves no value under maximum 1',
      'resources.r.fields.d.default: 5 must be a string',
      'resources.s.fields.e: an enum needs `values`: a list of the values that are allowed',
      'resources.s.fields.f.writeOnly: a field cannot be both readOnly and writeOnly',
    ],
    [
      'unknown names, but not the names of what was left out',
      lines(
        resources({
          posts:
            'kind: { type: ¦foo }, ¦1st: { type: string }, title: { type: string }, ¦tags: { type: relation, relation: belongsToMany, resource: tags }, author: { type: relation, relation: belongsTo, resource: ¦autors }',
          authors: 'books: { type: relation, relation: hasMany, resource: books }',
        }),
        '  books: ¦7',
        '  lists: { unique: [[kind, name]], groups: { g: [kind, ¦nme] }, fields: { name: { type: string }, kind: { type: ¦foo } } }',
        'api: { versions: { 1: { resources: { books: false, posts: { fields: { kind: false, titel: ¦false } } } } } }',
      ),
      'resources.posts.fields.kind.type: unknown type `foo`; the types are string, text, integer, number, decimal, boolean, date, time, datetime, uuid, email, url, enum, object, array, json, relation',
      "resources.posts.fields.1st: `1st` cannot be a field's name; it takes letters from a to z, digits and `_`, and begins with a letter",
      'resources.posts.fields.tags: `tags` needs `through`: the resource of the links; write `through: post-tags`, and among the resources `post-tags: { fields: { postId: { type: integer, required: true, reference: posts.id }, tagId: { type: integer, required: true, reference: tags.id } } }`',
      'resources.posts.fields.author.resource: there is no resource autors; did you mean authors?',
      'resources.books: `books` must be a map with `fields`, not `7`',
      'resources.lists.groups.g[1]: there is no field nme; did you mean name?',
      'resources.lists.fields.kind.type: unknown type `foo`; the types are string, text, integer, number, decimal, boolean, date, time, datetime, uuid, email, url, enum, object, array, json, relation',
      'api.versions.1.resources.posts.fields.titel: there is no field titel; did you mean title?',
    ],
    [
      'nothing of a key whose format was not understood, or that of what it points to',
      resources({
        users: 'id: { type: id, format: ¦bogus }',
        tags: 'id: { type: id, format: uuid }',
        posts:
          'userId: { type: string, reference: users.id }, tagId: { type: string, format: ¦uuuid, reference: tags.id }, user: { type: relation, relation: belongsTo, resource: users }, tag: { type: relation, relation: belongsTo, resource: tags }',
      }),
      'resources.users.fields.id.format: `format` must be uuid, string or bigint, not `bogus`',
      'resources.posts.fields.tagId.format: `format` must be email, url, slug, hostname, ipv4, ipv6, uuid or base64, not `uuuid`; did you mean `uuid`?',
    ],
    [
      'nothing that a relation would have changed which was not understood',
      resources({
        photos: 'owner: { type: relation, relation: morphTo }',
        people:
          'photos: { type: relation, relation: morphMany, resource: photos, typeValue: people, onDelete: ¦7, ¦bad: 1 }, album: ¦7',
        events: '¦shots: { type: relation, resource: photos }',
        marks: 'owner: { type: relation, relation: morphTo, ¦resource: people }',
        groups: 'marks: { type: relation, relation: morphMany, resource: marks }',
      }),
      'resources.people.fields.photos.onDelete: `onDelete` must be restrict, cascade or setNull, not `7`',
      'resources.people.fields.photos.bad: unknown key `bad`',
      'resources.people.fields.album: `album` must be a definition such as { type: string }, not `7`',
      'resources.events.fields.shots: `shots` needs `relation`: hasOne, belongsTo, hasMany, belongsToMany, morphTo or morphMany; write `{ type: relation, relation: hasMany, resource: photos }`, if that is meant',
      'resources.marks.fields.owner.resource: `resource` does not fit a morphTo relation; it fits hasOne, belongsTo, hasMany, belongsToMany, morphMany',
    ],
    [
      'nothing of a key or a junction of which a part was not understood',
      resources({
        books:
          'shelves: { type: relation, relation: belongsToMany, resource: shelves, through: places, withPivot: [slot] }',
        shelves: 'id: ¦7',
        places:
          'bookId: ¦7, slot: { type: integer, values: ¦7 }, shelfId: { type: string, reference: shelves.id }',
      }),
      'resources.shelves.fields.id: `id` must be a definition such as { type: string }, not `7`',
      'resources.places.fields.bookId: `bookId` must be a definition such as { type: string }, not `7`',
      'resources.places.fields.slot.values: `values` must be a list, each item a value, not `7`',
    ],
  ]);
});

test('what generated data is made by', async () => {
  const folder = makeFolder({
    'plinth.yaml': `resources:
  things:
    fields:
      a: { type: strin, generator: internet.emial }
      b: { type: string, generator: internet.emial, minLength: 3, maxLength: 2 }
      c: { type: object, properties: { d: { type: array, items: { type: text, template: '{{nix' } } } }
      e: { type: string, generator: ./g.ts#sukk, reference: nix.id }
      f: { type: string, template: '{{self.a}}' }
`,
    'g.ts': 'export const sku = () => 1;',
  });
  const printed: string[] = [];
  const quiet = quietContext(folder.path);
  const print = (line: string): void => void printed.push(line);
  await expect(check({ ...quiet, output: { ...quiet.output, print } }, {})).rejects.toThrow(
    'plinth.yaml has 6 errors',
  );
  expect(printed.map((line) => line.replace(/^plinth\.yaml:(\d+):\d+ .*fields\./u, '$1 '))).toEqual(
    [
      '4 a.type: unknown type `strin`; did you mean `string`?',
      '5 b.generator: there is no generator internet.emial; did you mean internet.email?',
      '5 b.minLength: minLength 3 leaves no value under maxLength 2',
      '6 c.properties.d.items.template: {{nix has no }}',
      expect.stringMatching(/^7 e\.generator: .*sukk/u),
      '7 e.reference: there is no resource nix',
    ],
  );
});
