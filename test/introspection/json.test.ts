import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { good, makeFolder, ndjson, plinth, servePlinth } from '../support/command.ts';

interface Introspected {
  readonly specification: {
    readonly resources: Readonly<
      Record<string, { readonly fields: Record<string, { required?: boolean }> }>
    >;
  };
}

const posts = [
  {
    id: 1,
    title: 'One',
    views: 3,
    draft: false,
    at: '2026-03-01',
    tags: ['a', 'b'],
    author: { name: 'A', age: 3 },
  },
  {
    id: 2,
    title: 'Two',
    views: 0,
    draft: true,
    at: '2026-03-02',
    tags: [],
    author: { name: 'B', age: null },
  },
];
const comments = [
  { id: 1, body: 'x', postId: 1, mail: 'a@b.example', parentId: null },
  { id: 2, body: 'y', postId: 1, mail: 'c@d.example', parentId: 1 },
];

test('a db.json of json-server is served as it is, with relations', async () => {
  const $schema = './node_modules/json-server/schema.json';
  const text = JSON.stringify({ $schema, posts, comments });
  const folder = makeFolder({ 'db.json': text });
  await good(['introspect', 'db.json', '--out', 'plinth.yaml'], folder.path);
  expect(readFileSync(folder.at('plinth.yaml'), 'utf8')).toContain('data: db.json');
  await good(['check'], folder.path);
  const { url, stop } = await servePlinth(['dev'], { cwd: folder.path });
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  expect(await get('/posts')).toEqual(posts);
  expect(await get('/comments')).toEqual(comments);
  expect(await get('/posts/1?expand=comments&fields=comments.id')).toMatchObject({
    comments: [{ id: 1 }, { id: 2 }],
  });
  expect(await get('/comments/2?expand=post,parent&fields=post.title,parent.body')).toMatchObject({
    post: { title: 'One' },
    parent: { body: 'x' },
  });
  expect(await get('/comments/1?expand=children&fields=children.id')).toMatchObject({
    children: [{ id: 2 }],
  });
  await stop('SIGTERM');
  await good(['migrate', '--database', 'sqlite:other.db', '--apply'], folder.path);
  await good(['import', 'db.json', '--database', 'sqlite:other.db'], folder.path);
});

test('what json-server has otherwise is written to a folder, and said', async () => {
  const folder = makeFolder({
    'db.json': JSON.stringify({
      profile: { name: 'me' },
      'Old Posts': [
        { id: 'a', 'first name': 'x' },
        { id: 7, 'first name': 'y' },
      ],
      comments: [{ id: 1, 'old-postId': 7 }],
      odd: [1, 2],
      lost: [{ id: 1, profileId: 9 }],
      twice: [{ id: 1 }, { id: 1 }],
      drafts: [],
    }),
  });
  const { err } = await good(['introspect', 'db.json', '--out', 'new/plinth.yaml'], folder.path);
  expect(err).toContain('odd is left out: it is not a list of records.');
  expect(err).toContain('twice is left out: more than one of its records has the id 1.');
  const text = readFileSync(folder.at('new/plinth.yaml'), 'utf8');
  expect(text).toContain(
    '# A single object in db.json (/profile). Here it is a resource with one record: /profile/1.',
  );
  expect(text).toContain(
    '# The list is empty there: name its fields here, such as title: { type: string }.\n  drafts:',
  );
  expect(text).toContain('# "first name" is called firstName here.');
  expect(text).toContain('# 1 value leads to no record of profile, so it is not a key.');
  expect(readFileSync(folder.at('new/data/profile.ndjson'), 'utf8')).toBe(
    ndjson({ id: 1, name: 'me' }),
  );
  expect(readFileSync(folder.at('new/data/old-posts.ndjson'), 'utf8')).toBe(
    ndjson({ id: 'a', firstName: 'x' }, { id: '7', firstName: 'y' }),
  );
  const { url, stop } = await servePlinth(['dev', 'new/plinth.yaml'], { cwd: folder.path });
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  expect(await get('/profile')).toEqual([{ id: 1, name: 'me' }]);
  expect(await get('/comments/1?expand=oldPost')).toMatchObject({
    oldPostId: '7',
    oldPost: { id: '7', firstName: 'y' },
  });
  await stop('SIGTERM');
});

test.each([[[1]], [{ id: 1 }], [{ toString: 1, valueOf: 1 }], [true]])(
  'what is no id is no key: %j',
  async (postId) => {
    const folder = makeFolder({
      'db.json': JSON.stringify({ posts: [{ id: 1 }], comments: [{ id: 1, postId }] }),
    });
    const { out } = await good(['introspect', 'db.json'], folder.path);
    expect(out).toContain('# 1 value leads to no record of posts, so it is not a key.');
  },
);

const values: readonly (readonly [name: string, values: readonly unknown[], expected: object])[] = [
  ['integers', [1, 2], { type: 'integer' }],
  ['numbers', [1, 2.5], { type: 'number' }],
  ['large numbers', [1e20, 2], { type: 'number' }],
  ['booleans', [true, false], { type: 'boolean' }],
  ['days', ['2026-03-01', '2024-02-29'], { type: 'date' }],
  ['days that are none', ['2026-02-30'], { type: 'string' }],
  ['moments', ['2026-03-01T10:00:00.000Z'], { type: 'datetime' }],
  ['moments in another form, which stay as they are', ['2026-03-01T10:00:00Z'], { type: 'string' }],
  ['e-mail', ['a@b.example'], { type: 'email' }],
  ['addresses', ['https://a.example/x', 'http://b.example'], { type: 'url' }],
  ['UUIDs', ['0190a7b4-5c2e-7d3a-9f10-0123456789ab'], { type: 'uuid' }],
  ['UUIDs in upper case, which stay', ['0190A7B4-5C2E-7D3A-9F10-0123456789AB'], { type: 'string' }],
  ['long texts', ['x'.repeat(256)], { type: 'text' }],
  ['mixed', [1, 'a'], { type: 'json' }],
  ['lists', [['a'], []], { type: 'array', items: { type: 'string' } }],
  ['lists with null', [[1, null]], { type: 'array', items: { type: 'integer', nullable: true } }],
  ['objects', [{ a: 1 }, { a: 2, b: 'x' }], { type: 'json' }],
  [
    'objects with the same members',
    [{ a: 1 }, { a: 2 }],
    { type: 'object', properties: { a: { type: 'integer', required: true } } },
  ],
  ['only null', [null], { type: 'json' }],
  ['a variable that is none', ['${HOME}'], { type: 'string' }],
];

test('types follow from the values, which come back as they are', async () => {
  const lists = Object.fromEntries(
    values.map(([, each], index) => [`t${index}`, each.map((v, row) => ({ id: row + 1, v }))]),
  );
  const folder = makeFolder({ 'db.json': JSON.stringify(lists) });
  const { out } = await good(
    ['introspect', 'db.json', '--json', '--out', 'plinth.yaml'],
    folder.path,
  );
  const { specification } = JSON.parse(out) as Introspected;
  const found = values.map(([name], index) => {
    const { required: _required, ...field } =
      specification.resources[`t${index}`]?.fields['v'] ?? {};
    return [name, field];
  });
  const { url, stop } = await servePlinth(['dev'], { cwd: folder.path });
  const served = Object.fromEntries(
    await Promise.all(
      Object.keys(lists).map(async (name) => [name, await (await fetch(`${url}/${name}`)).json()]),
    ),
  ) as object;
  await stop('SIGTERM');
  expect(served).toEqual(lists);
  // `objects` is what keeps a member that is not always there.
  expect(found.filter(([name]) => name !== 'objects')).toEqual(
    values.filter(([name]) => name !== 'objects').map(([name, , expected]) => [name, expected]),
  );
});

test('keys that lead in a circle can be loaded: one of them may be null', async () => {
  const users = [
    { id: 1, teamId: 1, bossId: 2, parentId: 2 },
    { id: 2, teamId: 1, bossId: 2, parentId: 1 },
  ];
  const teams = [{ id: 1, userId: 2 }];
  const bosses = [{ id: 2 }];
  const folder = makeFolder({ 'db.json': JSON.stringify({ users, teams, bosses }) });
  const { out } = await good(
    ['introspect', 'db.json', '--json', '--out', 'plinth.yaml'],
    folder.path,
  );
  const { specification } = JSON.parse(out) as Introspected;
  const required = Object.entries(specification.resources).flatMap(([resource, { fields }]) =>
    Object.keys(fields).flatMap((name) =>
      fields[name]?.required === true ? [`${resource}.${name}`] : [],
    ),
  );
  expect(required).toEqual(['users.teamId', 'users.bossId']);
  const { url, stop } = await servePlinth(['dev'], { cwd: folder.path });
  expect(await (await fetch(`${url}/users`)).json()).toEqual(users);
  expect(await (await fetch(`${url}/teams`)).json()).toEqual(teams);
  await stop('SIGTERM');
});

test('where nothing can be served, each list says why', async () => {
  const folder = makeFolder({
    'db.json': JSON.stringify({ posts: [{ id: 1 }, { id: 1 }], size: 3 }),
    'comments.json': '// Ours\n{ "posts": [] }\n',
    'none.json': '{}',
  });
  const of = (file: string): ReturnType<typeof plinth> =>
    plinth(['introspect', file], { cwd: folder.path });
  expect(await of('db.json')).toMatchObject({
    code: 1,
    err: [
      'posts is left out: more than one of its records has the id 1.',
      'size is left out: it is not a list of records.',
      'db.json cannot be used: it has no list of records that can be served. Name a db.json of json-server.\n',
    ].join('\n'),
  });
  expect((await of('none.json')).err).toBe(
    'none.json cannot be used: it has no list of records. Name a db.json of json-server.\n',
  );
  expect((await of('comments.json')).err).toMatch(
    /^comments\.json cannot be used: it is not JSON.*\n$/u,
  );
});

test('a list of nothing but links leads to both ends, is a list of each, and may hold a link twice', async () => {
  const likes = [
    { id: 1, userId: 1, postId: 1 },
    { id: 2, userId: 1, postId: 2 },
  ];
  const users = [{ id: 1, größe: 3, Łódź: 1, ﬁle_Æ: 2 }];
  const folder = makeFolder({ 'db.json': JSON.stringify({ posts, users, likes }) });
  await good(['introspect', 'db.json', '--out', 'plinth.yaml'], folder.path);
  const { url, stop } = await servePlinth(['dev'], { cwd: folder.path });
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  expect(await get('/posts/1?expand=users,likes&fields=likes.id')).toMatchObject({
    users: [{ id: 1, grosse: 3, lodz: 1, fileAe: 2 }],
    likes: [{ id: 1 }],
  });
  expect(await get('/users/1?expand=likes,posts&fields=posts.id')).toMatchObject({
    likes,
    posts: [{ id: 1 }, { id: 2 }],
  });
  const again = await fetch(`${url}/likes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 1, postId: 1 }),
  });
  expect(again.status).toBe(201);
  await stop('SIGTERM');
});

test('a db.json in the place of a specification is told apart from one with mistakes', async () => {
  const folder = makeFolder({
    'db.json': JSON.stringify({ posts, profile: {} }),
    'wrong.json': '{"resource": {"posts": {}}}',
  });
  for (const command of ['dev', 'check']) {
    const { code, err } = await plinth([command, 'db.json'], { cwd: folder.path });
    expect([code, err]).toEqual([
      1,
      'db.json contains records, and is not a specification. Make one from it with "plinth introspect db.json --out plinth.yaml".\n',
    ]);
  }
  const wrong = await plinth(['check', 'wrong.json'], { cwd: folder.path });
  expect(wrong.out).toContain('did you mean `resources`?');
});

test('documents of MongoDB keep their _id as their id', async () => {
  const authors = [{ _id: '507f1f77bcf86cd799439011', name: 'A' }];
  const books = [
    { _id: 'b/1', title: 'One', authorId: '507f1f77bcf86cd799439011' },
    { _id: 'b/2', title: 'Two', authorId: null },
  ];
  // Here _id is a field like others: one of the records has an id.
  const mixed = [{ _id: 'x', id: 7 }, { _id: 'y' }];
  const folder = makeFolder({ 'db.json': JSON.stringify({ authors, books, mixed }) });
  await good(['introspect', 'db.json', '--out', 'api/plinth.yaml'], folder.path);
  await good(['check', 'api/plinth.yaml'], folder.path);
  const { url, stop } = await servePlinth(['dev', 'api/plinth.yaml'], { cwd: folder.path });
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  expect(await get('/books?sort=id')).toEqual(
    books.map(({ _id: id, ...rest }) => ({ id, ...rest })),
  );
  expect(await get('/books/b%2F1?expand=author')).toMatchObject({
    author: { id: '507f1f77bcf86cd799439011', name: 'A' },
  });
  expect(await get('/mixed?sort=id2&fields=id2')).toMatchObject([{ id2: 'x' }, { id2: 'y' }]);
  expect((await stop('SIGTERM')).code).toBe(0);
});

test('fields with values that the API would refuse are left out and named; the rest is served', async () => {
  const notes = [
    { id: 1, text: 'good', nul: 'a', half: 'b', many: [1], size: 1e21, deep: { n: 1 }, nest: [] },
    {
      id: 2,
      text: 'fine',
      nul: 'a\0b',
      half: '\ud800',
      many: ['x', 1e21],
      size: 2,
      deep: { n: ['\0'] },
      nest: JSON.parse('['.repeat(32) + ']'.repeat(32)) as unknown,
    },
  ];
  const named = [{ id: 'a\0', v: 1 }];
  const folder = makeFolder({ 'db.json': JSON.stringify({ notes, named }) });
  const { err, out } = await good(
    ['introspect', 'db.json', '--json', '--out', 'api/plinth.yaml'],
    folder.path,
  );
  const expected = [
    'named is left out: it has ids that are neither whole numbers nor texts.',
    'notes.nul is left out: in record 2 nul must not hold a NUL character.',
    'notes.half is left out: in record 2 half must not hold half of a surrogate pair.',
    'notes.deep is left out: in record 2 deep.n[0] must not hold a NUL character.',
    'notes.nest is left out: record 2 is nested deeper than 32 levels by its nest.',
  ];
  expect((JSON.parse(out) as { left: string[] }).left).toEqual(expected);
  for (const line of expected) expect(err).toContain(line);
  const { url, stop } = await servePlinth(['dev', 'api/plinth.yaml'], { cwd: folder.path });
  expect(await (await fetch(`${url}/notes`)).json()).toEqual([
    { id: 1, text: 'good', size: 1e21, many: [1] },
    { id: 2, text: 'fine', size: 2, many: ['x', 1e21] },
  ]);
  await stop('SIGTERM');
});

test.each([
  [
    '{ "posts": [{ "id": 1, "t": "a",\n "id": 1 }] }',
    'db.json:2 has the member "id" twice in one object. Take one of them away.\n',
    'db.json:1 the record has the member "id" twice in one object',
  ],
  [
    '{ "posts": [{ "id": 1, "t": "a" }],\n\n "posts": [{ "id": 2, "u": "b" }] }',
    'db.json:3 has the member "posts" twice in one object. Take one of them away.\n',
    'db.json:3 the file has the list "posts" twice',
  ],
])(
  'a member twice is refused where it is introspected as where it is loaded: %s',
  async (text, introspected, loaded) => {
    const { path: cwd } = makeFolder({
      'db.json': text,
      'plinth.yaml':
        'resources: { posts: { fields: { t: { type: string }, u: { type: string } } } }',
    });
    expect((await plinth(['introspect', 'db.json'], { cwd })).err).toBe(introspected);
    await good(['migrate', '--database', 'sqlite:a.db', '--apply'], cwd);
    const { err } = await plinth(['import', 'db.json', '--database', 'sqlite:a.db'], { cwd });
    expect(err).toContain(loaded);
  },
);

test('times that clients of json-server send are fields like others', async () => {
  const [createdAt, updatedAt] = ['2024-01-01T00:00:00.000Z', '2024-01-02T00:00:00.000Z'];
  const notes = [{ id: 1, text: 'a', createdAt, updatedAt }];
  const folder = makeFolder({ 'db.json': JSON.stringify({ notes }) });
  await good(['introspect', 'db.json', '--out', 'plinth.yaml'], folder.path);
  const { url, stop } = await servePlinth(['dev'], { cwd: folder.path });
  const sent = { text: 'b', createdAt: updatedAt, updatedAt };
  const made = await fetch(`${url}/notes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(sent),
  });
  expect([made.status, await made.json()]).toEqual([201, { id: 2, ...sent }]);
  await stop('SIGTERM');
});
