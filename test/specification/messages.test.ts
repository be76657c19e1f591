import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { operators } from '../../src/model/operators.ts';
import { nearest } from '../../src/lib/text/nearest.ts';
import { privatePem, publicPem, rsaKeys, yamlText } from '../support/keys.ts';
import { expectProblems, fields, good, load, withFields } from './problems.ts';

describe('messages', () => {
  expectProblems([
    [
      'an unknown key',
      withFields('title: { type: string, minLenght: 3 }'),
      `4:30 ${fields}.title.minLenght: unknown key \`minLenght\`; did you mean \`minLength\`?`,
    ],
    [
      'an unknown key',
      `${good}\nlimit: {}`,
      '2:1 limit: unknown key `limit`; did you mean `limits`?',
    ],
    [
      'a key that has to be there under another name',
      `resource: { posts: { fields: {} } }`,
      '1:1 resource: unknown key `resource`; did you mean `resources`?',
    ],
    [
      'fields that are not below `fields`',
      'resources:\n  a:\n    b: { type: string }\n    c: { type: string }\n    d: { type: text }\n    e: { type: text }\n  f:\n    fields:\n      g: { type: string }\n    unique: [[h]]\n    h: { type: string }',
      '3:5 resources.a.b: `b`, `c`, `d` and 1 more belong below `fields`; indent them further',
      '11:5 resources.f.h: `h` belongs below `fields`; indent it further',
    ],
    [
      '`fields` beside its resource',
      'resources:\n  a:\n  fields:\n    b: { type: string }\n    c: { type: string }',
      '2:3 resources.a: `a` must be a map with `fields`, but it is empty',
      '4:5 resources.fields.b: `fields`, with `b` and `c`, belongs to the entry above it; indent it further',
    ],
    [
      'a kind of relation as the attribute',
      withFields(
        'a: { belongsTo: posts }',
        'b: { type: object, properties: { c: { hasMany: d } } }',
      ),
      `4:12 ${fields}.a.belongsTo: \`belongsTo\` is a kind of relation: write { type: relation, relation: belongsTo, … }`,
      `5:40 ${fields}.b.properties.c: \`c\` needs \`type\`: string, text, integer, number, decimal, boolean, date, time, datetime, uuid, email, url, enum, object, array or json`,
      `5:45 ${fields}.b.properties.c.hasMany: unknown key \`hasMany\``,
    ],
    [
      'quotes only where they would do',
      `${good}\napi: { versions: { 1: { deprecated: true, link: 5 } } }`,
      '2:37 api.versions.1.deprecated: `deprecated` must be a date such as 2026-03-01, not `true`',
      '2:49 api.versions.1.link: `link` must be a URL such as https://example.com/docs, not `5`',
    ],
    [
      'a key of another part, deep in this one',
      `${good}\nauth: { apiKeys: [{ name: a, hash: "sha256:${'0'.repeat(64)}", key: b }] }`,
      '2:111 auth.apiKeys[0].key: unknown key `key`; known here: `name`, `hash`, `roles`, `sub`, `claims`, `expires`',
    ],
    [
      'a list of fields where one of lists is wanted',
      'resources: { a: { unique: [b, c], indexes: [b], fields: { b: { type: string }, c: { type: string } } } }',
      "1:19 resources.a.unique: `unique` must be a list of lists of fields' names, such as [[first, second]]: write [[b, c]], or a list of its own for each",
      "1:35 resources.a.indexes: `indexes` must be a list of lists of fields' names, such as [[first, second]]: write [[b]]",
    ],
    [
      'no blank behind the colon',
      withFields('a: { type:string, required: true }', 'b: { type: string, requird:true }'),
      `4:12 ${fields}.a["type:string"]: a blank is missing behind the \`:\` of \`type:string\``,
      `5:26 ${fields}.b["requird:true"]: unknown key \`requird:true\``,
    ],
    [
      'attributes as they are called elsewhere',
      withFields(
        'a: { type: enum, options: [b] }',
        'b: { type: object, fields: {} }',
        'c: { type: string, max: 3 }',
        'd: { type: relation, relation: belongsTo, model: posts }',
        'e: { type: relation, kind: hasMany, resource: posts }',
      ),
      `4:24 ${fields}.a.options: unknown key \`options\`; did you mean \`values\`?`,
      `5:26 ${fields}.b.fields: unknown key \`fields\`; did you mean \`properties\`?`,
      `6:26 ${fields}.c.max: unknown key \`max\`; did you mean \`maxLength\`?`,
      `7:49 ${fields}.d.model: unknown key \`model\`; did you mean \`resource\`?`,
      `8:28 ${fields}.e.kind: unknown key \`kind\`; did you mean \`relation\`?`,
    ],
    [
      'kinds of relations as they are called elsewhere',
      withFields(
        'a: { type: relation, relation: manyToMany, resource: b }',
        'c: { type: relation, relation: one_to_many, resource: b }',
      ),
      `4:38 ${fields}.a.relation: \`relation\` must be hasOne, belongsTo, hasMany, belongsToMany, morphTo or morphMany, not \`manyToMany\`; did you mean \`belongsToMany\`?`,
      `5:38 ${fields}.c.relation: \`relation\` must be hasOne, belongsTo, hasMany, belongsToMany, morphTo or morphMany, not \`one_to_many\`; did you mean \`hasMany\`?`,
    ],
    [
      'a template without its quotes',
      withFields(
        'a: { type: string, template: {{row}} }',
        'b: { type: string, template: {{self.a}} }',
      ),
      `4:36 ${fields}.a.template: to YAML these braces are maps; text with {{…}} has to stand in quotes: '{{row}}'`,
      `5:36 ${fields}.b.template: to YAML these braces are maps; text with {{…}} has to stand in quotes: '{{self.a}}'`,
    ],
    [
      'an unknown key that is near none',
      `${good}\nlimits: { foo: 1 }`,
      '2:11 limits.foo: unknown key `foo`',
    ],
    [
      'an unknown key among few',
      `${good}\ndebug: { who: [a] }`,
      "2:1 debug: `debug` needs `roles`: a list, each item a role's name (other than public, authenticated and none, which are reserved)",
      '2:10 debug.who: unknown key `who`; known here: `roles`',
    ],
    [
      'an unknown type',
      withFields(
        'a: { type: strng }',
        'b: { type: float }',
        'c: { type: int }',
        'd: { type: xyz }',
      ),
      `4:18 ${fields}.a.type: unknown type \`strng\`; did you mean \`string\`?`,
      `5:18 ${fields}.b.type: unknown type \`float\`; did you mean \`number\`?`,
      `6:18 ${fields}.c.type: unknown type \`int\`; did you mean \`integer\`?`,
      `7:18 ${fields}.d.type: unknown type \`xyz\`; the types are string, text, integer, number, decimal, boolean, date, time, datetime, uuid, email, url, enum, object, array, json, relation`,
    ],
    [
      'a kind of relation as the type',
      withFields(
        'a: { type: hasMany, resource: posts }',
        'b: { type: array, items: { type: hasMany } }',
      ),
      `4:18 ${fields}.a.type: \`hasMany\` is a kind of relation: write { type: relation, relation: hasMany, … }`,
      `5:40 ${fields}.b.items.type: unknown type \`hasMany\`; the types are string, text, integer, number, decimal, boolean, date, time, datetime, uuid, email, url, enum, object, array, json`,
    ],
    ...(
      [
        [
          publicPem(generateKeyPairSync('rsa', { modulusLength: 1024 })),
          'this is an RSA key of 1024 bits; it takes at least 2048',
        ],
        [
          publicPem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })),
          'this is of a kind that signs no tokens; it takes RSA, P-256, P-384, P-521 or Ed25519',
        ],
        [
          privatePem(rsaKeys),
          'this is a private key, which signs tokens; give the public one that belongs to it',
        ],
      ] as const
    ).map(([key, message]): [string, string, string] => [
      `a key of which ${message}`,
      `${good}\nauth: { jwt: { publicKey: ${yamlText(key)} } }`,
      `2:27 auth.jwt.publicKey: ${message}`,
    ]),
    [
      'an unknown key beside an unknown type',
      withFields('a: { type: strng, minLength: 3, minLenght: 3 }'),
      `4:18 ${fields}.a.type: unknown type \`strng\`; did you mean \`string\`?`,
      `4:39 ${fields}.a.minLenght: unknown key \`minLenght\`; did you mean \`minLength\`?`,
    ],
    [
      'attributes that do not fit the type',
      withFields(
        'a: { type: integer, minLength: 3, through: b, nullable: true }',
        'id: { type: id, immutable: true }',
      ),
      `4:27 ${fields}.a.minLength: \`minLength\` does not fit type integer; it fits string, text, email, url`,
      `4:41 ${fields}.a.through: \`through\` does not fit type integer; it fits relation (belongsToMany)`,
      `5:23 ${fields}.id.immutable: \`immutable\` does not fit type id; it fits every type but id and relation`,
    ],
    [
      'attributes that do not fit the relation',
      withFields(
        'a: { type: relation, relation: hasMany, resource: posts, through: b, unique: true }',
      ),
      `4:64 ${fields}.a.through: \`through\` does not fit a hasMany relation; it fits belongsToMany`,
      `4:76 ${fields}.a.unique: \`unique\` does not fit a hasMany relation; it fits string, text, integer, number, decimal, boolean, date, time, datetime, uuid, email, url, enum`,
    ],
    [
      'attributes that do not fit the place',
      withFields(
        'a: { type: object, properties: { b: { type: string, unique: true } } }',
        'c: { type: array, items: { type: string, default: d } }',
      ),
      `4:59 ${fields}.a.properties.b.unique: \`unique\` does not fit a property of an object; it fits a resource's own fields`,
      `5:48 ${fields}.c.items.default: \`default\` does not fit the items of an array; it fits fields and properties`,
    ],
    [
      'types that do not fit the place',
      withFields(
        'id: { type: integer }',
        'a: { type: id }',
        'b: { type: object, properties: { c: { type: relation } } }',
      ),
      `4:19 ${fields}.id.type: \`id\` has to be of type id, not integer; its \`format\` may be uuid, string or bigint`,
      `5:18 ${fields}.a.type: type id is for the field \`id\` alone; a foreign key to an integer id is of type integer, with \`reference\``,
      `6:51 ${fields}.b.properties.c.type: type relation does not fit a property of an object; it fits a resource's own fields`,
    ],
    [
      'what is missing',
      withFields(
        'a: { relation: hasMany }',
        'b: { type: relation, relation: belongsToMany }',
        'c: { type: enum }',
      ),
      `4:7 ${fields}.a: \`a\` needs \`type\`: string, text, integer, number, decimal, boolean, date, time, datetime, uuid, email, url, enum, object, array, json or relation`,
      `5:7 ${fields}.b: \`b\` needs \`resource\`: a resource's name`,
      `5:7 ${fields}.b: \`b\` needs \`through\`: the resource of the links (junction)`,
      `6:7 ${fields}.c: an enum needs \`values\`: a list of the values that are allowed`,
    ],
    [
      'values of another kind',
      withFields(
        'a: string',
        'b: { type: string, required: yes, maxLength: "3", example:, enum: a }',
        'c: { type: enum, values: [1, true] }',
      ),
      `4:10 ${fields}.a: \`a\` must be a definition such as { type: string }, not \`string\``,
      `5:36 ${fields}.b.required: \`required\` must be true or false, not \`yes\``,
      `5:52 ${fields}.b.maxLength: \`maxLength\` must be a whole number of at least 0, not \`3\` in quotes`,
      `5:73 ${fields}.b.enum: \`enum\` must be a list, each item text, not \`a\``,
      `6:33 ${fields}.c.values[0]: an item of \`values\` must be text, not \`1\`; put it in quotes: "1"`,
      `6:36 ${fields}.c.values[1]: an item of \`values\` must be text, not \`true\`; put it in quotes: "true"`,
    ],
    [
      'characters that no database takes',
      withFields(
        String.raw`a: { type: string, column: "a\0b" }`,
        String.raw`b: { type: enum, values: ["\ud800"] }`,
      ),
      `4:34 ${fields}.a.column: \`column\` must be text, not \`a\0b\`; no database takes NUL characters and halves of others`,
      `5:33 ${fields}.b.values[0]: an item of \`values\` must be text, not \`\ud800\`; no database takes NUL characters and halves of others`,
    ],
    [
      'an empty value',
      'resources:\n  posts:\n    fields:\n    timestamps:',
      '3:5 resources.posts.fields: `fields` must be a map of field name to definition, such as { title: { type: string } }, but it is empty',
      '4:5 resources.posts.timestamps: `timestamps` must be true or false, but it is empty',
    ],
    [
      'a word that is nearly right',
      `${good}\napi: { pagination: curser }`,
      '2:20 api.pagination: `pagination` must be page or cursor, not `curser`; did you mean `cursor`?',
    ],
    [
      'a password in a URL is not shown',
      `${good}\ndatabase: mysql://me:secret@host/name`,
      '2:11 database: `database` must be a URL such as sqlite:data.db or postgres://host/name, or a map with `url`, not `mysql://…@host/name`',
    ],
    [
      'an API key in the place of its hash is not shown',
      `${good}\nauth: { apiKeys: [{ name: ci, hash: plinth_7XgTxI-D9nc9R1Dk_vJ_x4Z6gxVMBqJlMSjYhxtU30k }] }`,
      '2:37 auth.apiKeys[0].hash: `hash` must be a hash as `plinth key` shows it: sha256: and 64 digits of 0-9a-f, not `plinth_…`',
    ],
    [
      'an access rule of a field with a row rule',
      withFields('a: { type: string, access: { read: [{ role: b, where: c }] } }'),
      `4:43 ${fields}.a.access.read[0]: an item of \`read\` must be \`public\`, \`authenticated\`, \`none\` or a role (a field takes no \`where\`), not a map`,
    ],
    [
      'limits against each other',
      `${good}\nlimits: { defaultLimit: 2000, defaultDepth: 4, maxDepth: 3 }`,
      '2:25 limits.defaultLimit: `defaultLimit` (2000) is over `maxLimit`, which is 1000 by default',
      '2:45 limits.defaultDepth: `defaultDepth` (4) is over `maxDepth`, which is 3',
    ],
    [
      'a version that is not there',
      `${good}\napi: { versions: { 2: {}, 3: {} }, defaultVersion: 1 }`,
      '2:52 api.defaultVersion: there is no version 1; `api.versions` has 2, 3',
    ],
  ]);
});

describe('names', () => {
  const resource = (name: string): string => `resources: { ${name}: { fields: {} } }`;
  expectProblems([
    [
      'a resource named like a version',
      resource('v2'),
      "1:14 resources.v2: `v2` cannot be a resource's name, as a path `/v2` names a version of the API",
    ],
    [
      'a resource with other characters',
      resource('blog posts'),
      '1:14 resources["blog posts"]: `blog posts` cannot be a resource\'s name; it takes letters from a to z, digits, `-` and `_`, and begins with a letter',
    ],
    [
      'a name that is too long',
      resource('a'.repeat(64)),
      `1:14 resources.${'a'.repeat(64)}: \`${'a'.repeat(57)}…\` is too long for a resource's name; the most is 63 characters`,
    ],
    [
      'resources that differ in case only',
      'resources: { tags: { fields: {} }, TAGS: { fields: {} } }',
      '1:36 resources.TAGS: `TAGS` differs from `tags` in case only; rename one',
    ],
    [
      'fields that differ in case only',
      withFields('title: { type: string }', 'Title: { type: string }'),
      `5:7 ${fields}.Title: \`Title\` differs from \`title\` in case only; rename one`,
    ],
    [
      'a blank missing after the colon',
      withFields('title:{ type: string }'),
      `4:7 ${fields}["title:{ type"]: \`title:{ type\` cannot be a field's name; it takes letters from a to z, digits and \`_\`, and begins with a letter (a \`:\` needs a blank behind it)`,
      `4:21 ${fields}["title:{ type"]: \`title:{ type\` must be a definition such as { type: string }, not \`string }\``,
    ],
    [
      'resources against the convention',
      'resources: { blogPosts: { fields: {} }, blog_tags: { fields: {} }, blog-links2: { fields: {} } }',
      "warning 1:14 resources.blogPosts: by convention a resource's name is in lower case with hyphens: `blog-posts` instead of `blogPosts`",
      "warning 1:41 resources.blog_tags: by convention a resource's name is in lower case with hyphens: `blog-tags` instead of `blog_tags`",
    ],
    [
      'fields against the convention',
      withFields(
        'first_name: { type: string }',
        'URL: { type: object, properties: { Host: { type: string } } }',
      ),
      `warning 4:7 ${fields}.first_name: by convention a field's name is in camelCase: \`firstName\` instead of \`first_name\``,
      `warning 5:7 ${fields}.URL: by convention a field's name is in camelCase: \`url\` instead of \`URL\``,
      `warning 5:42 ${fields}.URL.properties.Host: by convention a field's name is in camelCase: \`host\` instead of \`Host\``,
    ],
    [
      'fields named like a query parameter',
      withFields(
        'limit: { type: integer }',
        'maxDepth: { type: integer }',
        'o: { type: object, properties: { page: { type: integer } } }',
        'group: { type: relation, relation: belongsTo, resource: posts }',
      ),
      `warning 4:7 ${fields}.limit: \`limit\` is a query parameter as well, which wins: a filter needs an operator behind the name, such as \`limit_eq\``,
      `warning 5:7 ${fields}.maxDepth: \`maxDepth\` is a query parameter as well, which wins: a filter needs an operator behind the name, such as \`maxDepth_eq\``,
    ],
    [
      'fields named like what every object of JavaScript has',
      withFields(
        'valueOf: { type: integer }',
        'then: { type: object, properties: { hasOwnProperty: { type: string } } }',
      ),
      `warning 4:7 ${fields}.valueOf: \`valueOf\` is a name that every object of JavaScript has: some tools that read the OpenAPI document fail on such a field`,
      `warning 5:43 ${fields}.then.properties.hasOwnProperty: \`hasOwnProperty\` is a name that every object of JavaScript has: some tools that read the OpenAPI document fail on such a field`,
    ],
    [
      'fields that end like an operator',
      withFields(
        'logged_in: { type: boolean }',
        'price: { type: decimal }',
        'price_gte: { type: decimal }',
      ),
      `warning 4:7 ${fields}.logged_in: \`logged_in\` ends like the operator \`_in\`; another name would not be mistaken for a filter on \`logged\``,
      `warning 6:7 ${fields}.price_gte: \`price_gte\` stands beside \`price\`: a filter \`price_gte=…\` always means the field \`price_gte\`, never the operator \`_gte\` on \`price\``,
    ],
  ]);

  const suffixes = Object.values(operators).map(({ suffix }) => suffix);
  test.each(suffixes.filter((suffix) => suffix !== ''))('%s is a suffix', (suffix) => {
    expect(JSON.stringify(load(withFields(`x${suffix}: { type: string }`)).problems)).toContain(
      `ends like the operator \`${suffix}\``,
    );
  });
});

describe('nearest', () => {
  const parameters = ['limit', 'offset', 'sort', 'maxDepth', 'title', 'authorId', 'description'];
  test.each([
    ['limti', 'limit'],
    ['LIMIT', 'limit'],
    ['maxdepht', 'maxDepth'],
    ['tilte', 'title'],
    ['autorid', 'authorId'],
    ['sor', 'sort'],
    ['desc', 'description'],
    ['x', undefined],
    ['', undefined],
    ['zzzzzz', undefined],
    ['ab', undefined],
    ['l'.repeat(10_000), undefined],
  ])('%s → %s', (name, expected) => {
    expect(nearest(name, parameters)).toBe(expected);
  });

  test('of equally near ones the first, of unequal ones the nearest', () => {
    expect(nearest('tatle', ['title', 'table'])).toBe('title');
    expect(nearest('titles', ['tilted', 'title'])).toBe('title');
  });
});
