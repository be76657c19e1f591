import { describe, expect, test } from 'vitest';
import { buildApi } from '../../src/model/build/api.ts';
import { fields, good, load, withFields } from './problems.ts';

/** The errors of a file, the model's too: `path: message`. */
function problemsOf(text: string): readonly string[] {
  const { specification, problems } = load(text);
  const found = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `${path}: ${message}`);
  if (specification !== undefined)
    buildApi(specification, (path, message, severity) => {
      if (severity !== 'warning') found.push(`${path.join('.')}: ${message}`);
    });
  return found;
}

describe('words of other tools point to what does it here', () => {
  test.each([
    [
      'delay: 500',
      'delay: unknown key `delay`; to wait before answers, write `network: { latency: 500 }`',
    ],
    [
      'routes: {}',
      'routes: unknown key `routes`; each resource has the path of its name; `api: { basePath: /api }` goes before all of them, and other paths are endpoints of the module that `code` names',
    ],
    [
      'watch: true',
      'watch: unknown key `watch`; `plinth dev` reads the file again after each save',
    ],
    [
      'hooks: {}',
      'hooks: unknown key `hooks`; code of your own is in a module that the file names: `code: ./api.ts`',
    ],
    ['seed: 7', 'seed: unknown key `seed`; write `generate: { seed: 7 }`'],
    [
      'openapi: 3.1.0',
      'openapi: unknown key `openapi`; Plinth writes OpenAPI documents and reads none; describe the `resources`',
    ],
    ['models: {}', 'models: unknown key `models`; did you mean `resources`?'],
  ])('at the top: %s', (line, message) => {
    expect(problemsOf(`${good}\n${line}`)).toEqual([message]);
  });

  test('a switch of a block is not that of another one', () => {
    expect(problemsOf(`${good}\nauth: { enabled: true }`)).toEqual([
      'auth.enabled: unknown key `enabled`; `auth` is on once it is in the file; leave all of it out to do without',
    ]);
    for (const block of ['api', 'cors', 'network', 'server'])
      for (const problem of problemsOf(`${good}\n${block}: { enabled: true }`))
        expect(problem).not.toContain('did you mean `logging');
  });

  test.each([
    [
      'softDelete: true',
      /^resources\.posts\.softDelete: unknown key `softDelete`; a delete removes the record; .*deletedAt_null=true/u,
    ],
    ['delay: 500', /`network: \{ latency: 500 \}`$/u],
    ['path: /p/:id', /`api: \{ basePath: \/api \}`/u],
    ['hasMany: []', /`author: \{ type: relation, relation: belongsTo, resource: authors \}`$/u],
    ['count: 50', /write `generate: \{ count: 50 \}`$/u],
    ['routes: []', /endpoints of the module that `code` names$/u],
    ['hooks: {}', /`code: \.\/api\.ts`$/u],
    ['permissions: {}', /`access: \{ read: public, write: editor \}`$/u],
    ['validate: {}', /one in code is a hook of the module that `code` names$/u],
    ['columns: {}', /did you mean `fields`\?$/u],
    ['orderBy: title', /did you mean `sort`\?$/u],
  ])('in a resource: %s', (line, message) => {
    expect(problemsOf(`resources: { posts: { ${line}, fields: {} } }`)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  test.each([
    [
      'virtual: "a + b"',
      /unknown key `virtual`; a value that follows from others is a field with `computed`/u,
    ],
    ['primaryKey: true', /the id is the field `id`/u],
    ['as: commentable', /a relation finds its other side .*`typeField` and `idField`/u],
    ['hidden: true', /`writeOnly: true`/u],
    ['validate: x', /a rule is a key of a field, such as `minLength: 3`/u],
  ])('in a field: %s', (line, message) => {
    expect(problemsOf(withFields(`a: { type: string, ${line} }`))).toEqual([
      expect.stringMatching(message),
    ]);
    // Of a field without a type, too.
    expect(problemsOf(withFields(`a: { ${line} }`)).join('\n')).toMatch(message);
  });
});

describe('the lines to write have the names and values of the file', () => {
  test.each([
    ['delay: 300', /`network: \{ latency: 300 \}`$/u],
    ['delay: { min: 50, max: 1s }', /`network: \{ latency: \{ min: 50, max: 1s \} \}`$/u],
    ['delay: slow', /`network: \{ latency: 500 \}`$/u],
    ['prefix: /api/v2', /`api: \{ basePath: \/api\/v2 \}`/u],
    ['hooks: ./hooks.js', /`code: \.\/hooks\.js`$/u],
    ['seed: 42', /`generate: \{ seed: 42 \}`$/u],
    ['count: 12', /`generate: \{ count: 12 \}`$/u],
    ['roles: [admin, user]', /`access: \{ read: public, write: admin \}`$/u],
    ['permissions: { read: admin, delete: owner }', /`access: \{ read: admin, delete: owner \}`$/u],
    ['softDelete: removedAt', /`removedAt: \{ type: datetime \}`.*`removedAt_null=true`$/u],
  ])('at the top: %s', (line, message) => {
    expect(problemsOf(`${good}\n${line}`)).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    ['locale: fr', /`generate: \{ locale: fr \}`$/u],
    ['locale: pt_BR', /`generate: \{ locale: pt_BR \}`$/u],
    ['seed: 3', /`generate: \{ seed: 3 \}`$/u],
    ['count: 7', /`generate: \{ count: 7 \}`$/u],
    ['records: 9', /`generate: \{ count: 9 \}`; records to start with/u],
    ['records: [{ title: a }]', /; records to start with are in the files of `data`$/u],
    ['path: /articles', /; name it `articles`$/u],
    ['path: posts', /; leave this out$/u],
    ['belongsTo: users', /`user: \{ type: relation, relation: belongsTo, resource: users \}`$/u],
    [
      'hasMany: [order-lines]',
      /`orderLines: \{ type: relation, relation: hasMany, resource: order-lines \}`$/u,
    ],
    [
      'manyToMany: tags',
      /`tags: \{ type: relation, relation: belongsToMany, resource: tags, through: post-tags \}`$/u,
    ],
    ['primaryKey: isbn', /; `key: isbn` makes other fields the key$/u],
    ['primaryKey: [shopId, no]', /; `key: \[shopId, no\]` makes/u],
    ['computed: { label: x }', /`label: \{ type: string, computed: /u],
    ['validate: { maxLength: 9, foo: 1 }', /such as `maxLength: 9`; one in code/u],
  ])('in a resource: %s', (line, message) => {
    expect(problemsOf(`resources: { posts: { ${line}, fields: {} } }`)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  test('but none that comes from the environment, which may be a secret', () => {
    expect(problemsOf('resources: { posts: { locale: "${SECRET}", fields: {} } }')).toContain(
      'resources.posts.locale: unknown key `locale`; write `generate: { locale: de }`',
    );
  });

  test('in a field', () => {
    expect(problemsOf(withFields('initials: { type: string, virtual: "a + b" }'))).toEqual([
      expect.stringMatching(/`initials: \{ type: string, computed: /u),
    ]);
  });

  test.each([
    [
      'a morphMany to a pair of fields',
      'resources: { photos: { fields: { comments: { type: relation, relation: morphMany, resource: comments } } }, comments: { fields: { subjectType: { type: string }, subjectId: { type: integer } } } }',
      /such as `subject: \{ type: relation, relation: morphTo \}`/u,
    ],
    [
      'a morphMany that names a field',
      'resources: { photos: { fields: { comments: { type: relation, relation: morphMany, resource: comments, typeField: topicType } } }, comments: { fields: {} } }',
      /such as `topic: \{ type: relation, relation: morphTo \}`/u,
    ],
    [
      'a morphTo that leads nowhere',
      'resources: { photos: { fields: {} }, comments: { fields: { on: { type: relation, relation: morphTo } } } }',
      /such as `resources: \[photos\]`, or give each of them `comments: /u,
    ],
  ])('%s', (_, text, message) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(message)]);
  });
});

describe('short forms', () => {
  test.each([
    ['generate: 50', { generate: { count: 50 } }],
    ['network: { latency: 500 }', { network: { latency: { min: 500, max: 500 } } }],
    ['network: { latency: 1s }', { network: { latency: { min: 1000, max: 1000 } } }],
  ])('%s', (line, expected) => {
    expect(load(`${good}\n${line}`).specification).toMatchObject(expected);
    expect(
      load(`resources: { posts: { fields: {}, ${line} } }`).specification?.resources['posts'],
    ).toMatchObject(expected);
  });

  test.each([
    [
      'generate: many',
      'generate: `generate` must be a number of records such as 50, or a map such as { seed: 2, locale: de }, not `many`',
    ],
    [
      'network: { latency: slow }',
      'network.latency: `latency` must be a duration such as 500ms, or a map such as { min: 50, max: 200 }, not `slow`',
    ],
    [
      'generate: { until: tomorrow }',
      'generate.until: `until` must be now, or a date such as 2026-06-30, not `tomorrow`',
    ],
    [
      'generate: { until: 2026-02-31T99:00:00Z }',
      'generate.until: `until` is not a date: 2026-02-31T99:00:00Z',
    ],
  ])('%s is refused', (line, message) => {
    expect(problemsOf(`${good}\n${line}`)).toEqual([message]);
  });
});

describe('relations show the lines to write', () => {
  const file = (relation: string, more = ''): string =>
    `resources:\n  posts:\n    fields:\n      it: { type: relation, ${relation} }\n  tags: { fields: { name: { type: string } } }\n${more}`;
  const lines =
    'post-tags: { fields: { postId: { type: integer, required: true, reference: posts.id }, tagId: { type: integer, required: true, reference: tags.id } } }';
  test.each<readonly [string, string, string]>([
    [
      'a missing `through`',
      file('relation: belongsToMany, resource: tags'),
      `resources.posts.fields.it: \`it\` needs \`through\`: the resource of the links; write \`through: post-tags\`, and among the resources \`${lines}\``,
    ],
    [
      'a junction that is not there',
      file('relation: belongsToMany, resource: tags, through: post-tags'),
      `resources.posts.fields.it.through: there is no resource post-tags; add it to the resources: \`${lines}\``,
    ],
    [
      'a junction of resources whose ids are no numbers',
      `resources:
  users: { fields: { id: { type: id, format: uuid }, teams: { type: relation, relation: belongsToMany, resource: teams, through: user-teams } } }
  teams: { fields: { id: { type: id, format: bigint } } }
`,
      'resources.users.fields.teams.through: there is no resource user-teams; add it to the resources: `user-teams: { fields: { userId: { type: uuid, required: true, reference: users.id }, teamId: { type: integer, format: bigint, required: true, reference: teams.id } } }`',
    ],
    [
      'a junction with a similar name',
      file('relation: belongsToMany, resource: tags, through: tagz'),
      'resources.posts.fields.it.through: there is no resource tagz; did you mean tags?',
    ],
    [
      'a missing kind, for one record',
      'resources: { posts: { fields: { author: { type: relation, resource: users } } }, users: { fields: {} } }',
      'resources.posts.fields.author: `author` needs `relation`: hasOne, belongsTo, hasMany, belongsToMany, morphTo or morphMany; write `{ type: relation, relation: belongsTo, resource: users }`, if that is meant',
    ],
    [
      'a missing kind, for several',
      'resources: { users: { fields: { posts: { type: relation, resource: posts } } }, posts: { fields: { userId: { type: integer, reference: users.id } } } }',
      'resources.users.fields.posts: `posts` needs `relation`: hasOne, belongsTo, hasMany, belongsToMany, morphTo or morphMany; write `{ type: relation, relation: hasMany, resource: posts }`, if that is meant',
    ],
    [
      'a missing kind, with a junction',
      `resources:
  posts: { fields: { tags: { type: relation, resource: tags, through: post-tags } } }
  tags: { fields: {} }
  post-tags: { fields: {} }
`,
      'resources.posts.fields.tags: `tags` needs `relation`: hasOne, belongsTo, hasMany, belongsToMany, morphTo or morphMany; write `{ type: relation, relation: belongsToMany, resource: tags, through: post-tags }`, if that is meant',
    ],
    [
      'a resource that is not there',
      'resources: { posts: { fields: { author: { type: relation, relation: belongsTo, resource: users } } } }',
      'resources.posts.fields.author.resource: there is no resource users; add it to the resources, such as `users: { fields: { name: { type: string } } }`',
    ],
    [
      'one key to both sides',
      `resources:
  users: { fields: { friends: { type: relation, relation: belongsToMany, resource: users, through: links } } }
  links: { fields: { userId: { type: integer, reference: users.id } } }
`,
      'resources.users.fields.friends: links has userId alone as a key to users; it needs one to each side: add a field such as `otherUserId: { type: integer, required: true, reference: users.id }`',
    ],
    [
      'several keys',
      `resources:
  users: { fields: { posts: { type: relation, relation: hasMany, resource: posts } } }
  posts: { fields: { aId: { type: integer, reference: users.id }, bId: { type: integer, reference: users.id } } }
`,
      'resources.users.fields.posts: posts has more than one key to users: aId, bId; write `foreignKey: aId`, or another of them',
    ],
    [
      'a morphMany without a morphTo',
      file('relation: morphMany, resource: tags'),
      'resources.posts.fields.it: tags has no morphTo; add one to its fields, such as `owner: { type: relation, relation: morphTo }`, or name typeField and idField',
    ],
    [
      'a morphTo that leads nowhere',
      file('relation: morphTo'),
      'resources.posts.fields.it: no resource has a morphMany to posts; name those that it may lead to, such as `resources: [tags]`, or give each of them `posts: { type: relation, relation: morphMany, resource: posts }`',
    ],
  ])('%s', (_, text, message) => {
    expect(problemsOf(text)).toEqual([message]);
  });

  test.each([
    ['authorId', 'author: { type: relation, relation: belongsTo, resource: authors }', 'author'],
    ['authors', 'author: { type: relation, relation: belongsTo, resource: authors }', 'author'],
    [
      'author',
      'author: { type: relation, relation: belongsTo, resource: authors }',
      'author',
      'authorId: { type: integer, reference: authors.id }',
    ],
    ['author', 'author: { type: relation, relation: belongsTo, resource: authors }', 'author', ''],
    ['authors', 'author: { type: relation, relation: belongsTo, resource: authors }', 'author', ''],
  ])(
    '`per: %s`',
    (per, line, relation, key = 'authorId: { type: integer, reference: authors.id }') => {
      const text = `resources:\n  authors: { fields: {} }\n  posts: { generate: { per: ${per} }, fields: { ${key} } }\n`;
      expect(problemsOf(text)).toEqual([
        `resources.posts.generate.per: \`per\` names a belongsTo relation; add the field \`${line}\` and write \`per: ${relation}\``,
      ]);
    },
  );
});

test('a key of the file is called a key', () => {
  expect(problemsOf(withFields('a: { type: string, foo: 1 }'))).toEqual([
    expect.stringMatching(`^${fields}.a.foo: unknown key \`foo\``.replaceAll('.', String.raw`\.`)),
  ]);
});
