import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareApis } from '../../src/openapi/compatibility/changes.ts';
import { buildValid } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

const resources = (rule: string): string => `
access: { read: public, write: [editor, author] }
resources:
  posts:
    search: [title, vetters.name]
    sort: -vetters.name
    fields:
      title: { type: string }
      authorId: { type: integer, reference: people.id, nullable: true }
      author: { type: relation, relation: belongsTo, resource: people, access: { read: public, write: editor } }
      checkedBy: { type: integer, reference: people.id, nullable: true }
      vetter: { type: relation, relation: belongsTo, resource: people, foreignKey: checkedBy${rule} }
      vetters: { type: relation, relation: belongsToMany, resource: people, through: vettings, withPivot: [grade]${rule} }
      notes: { type: relation, relation: hasMany, resource: notes${rule} }
      labels: { type: relation, relation: belongsToMany, resource: labels, through: post-labels, access: { read: public, create: editor, update: [editor, author] } }
      noteCount: { type: integer, computed: { count: notes } }
      isAnnotated: { type: boolean, computed: { where: "notes_exists=true" } }
  people:
    fields:
      name: { type: string }
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: authorId }
  vettings:
    fields:
      postId: { type: integer, reference: posts.id }
      personId: { type: integer, reference: people.id }
      grade: { type: integer }
  notes:
    fields:
      text: { type: string }
      postId: { type: integer, reference: posts.id }
      post: { type: relation, relation: belongsTo, resource: posts${rule} }
  labels: { fields: { name: { type: string } } }
  shelves:
    fields:
      code: { type: string, unique: true }
      labels: { type: relation, relation: belongsToMany, resource: labels, through: shelf-labels, access: { create: [editor, author], update: editor } }
  shelf-labels:
    fields:
      shelfId: { type: integer, reference: shelves.id }
      labelId: { type: integer, reference: labels.id }
  post-labels:
    fields:
      postId: { type: integer, reference: posts.id }
      labelId: { type: integer, reference: labels.id }
`;
const specification = `${withTokens}\n${resources(', access: editor')}`;

const editor = caller({ sub: 1, roles: ['editor'] });
const author = caller({ sub: 2, roles: ['author'] });

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, undefined, { mode: 'dev' });
  const made = async (path: string, body: unknown): Promise<void> => {
    const answer = await both.send('POST', `/v1/${path}`, body, editor);
    expect(answer.status, answer.text).toBe(201);
  };
  await made('people', [{ name: 'Ann' }, { name: 'Bob' }]);
  await made('labels', [{ name: 'red' }, { name: 'blue' }]);
  await made('posts', [
    { title: 'a', authorId: 1, checkedBy: 2 },
    { title: 'b', vetters: [{ id: 1, pivot: { grade: 2 } }], labels: [1] },
    { title: 'c', vetters: [2], labels: { add: [2] } },
  ]);
  await made('notes', [
    { text: 'x', postId: 1 },
    { text: 'y', postId: 1 },
  ]);
});
afterAll(() => both?.stop());

describe('a relation that the caller may not read', () => {
  test.each([
    ['expand', 'GET', '/v1/posts?expand=NAME'],
    ['of one record', 'GET', '/v1/posts/1?expand=NAME'],
    ['expand below', 'GET', '/v1/people?expand=posts.NAME'],
    ['a filter', 'GET', '/v1/posts?NAME.id=1'],
    ['a filter below', 'GET', '/v1/people?posts.NAME.id=1'],
    ['whether it is there', 'GET', '/v1/posts?NAME_exists=true'],
    ['a pair', 'GET', '/v1/posts?_or=NAME.id:1,title:a'],
    ['a sort', 'GET', '/v1/posts?sort=-NAME.id'],
    ['a group key', 'GET', '/v1/posts?group=NAME.id'],
    ['a function', 'GET', '/v1/posts?aggregate=max:NAME.id'],
    ['fields', 'GET', '/v1/posts?fields=NAME'],
    ['exclude', 'GET', '/v1/posts?exclude=NAME.id'],
    ['paging', 'GET', '/v1/posts?NAME.limit=1'],
    ['a change of many', 'DELETE', '/v1/posts?NAME.id=1'],
    ['a nested create', 'POST', '/v1/posts', { title: 'd', NAME: { create: { a: 1 } } }],
    ['nested creates', 'PATCH', '/v1/posts/1', { NAME: { create: [{ a: 1 }] } }],
    ['links', 'PATCH', '/v1/posts/1', { NAME: [1] }],
    ['links in part', 'PUT', '/v1/posts/1', { title: 'a', NAME: { add: [1] } }],
  ] as const)('%s', async (_, method, path, body?: object) => {
    const ask = async (name: string): Promise<unknown> => {
      const sent = body && JSON.parse(JSON.stringify(body).replaceAll('NAME', name));
      const answer = await both.send(method, path.replaceAll('NAME', name), sent, author);
      const text = answer.text.replaceAll(name, 'NAME').replace(/"requestId":"[^"]*"/u, '');
      return { status: answer.status, text };
    };
    const misspelt = await ask('qqqqqq');
    expect(misspelt).toMatchObject({ status: 400 });
    for (const name of ['vetter', 'vetters', 'notes']) expect(await ask(name)).toEqual(misspelt);
  });

  test('what is made of it', async () => {
    const { body } = await both.get('/v1/posts/1', author);
    expect(body).toEqual({ id: 1, title: 'a', authorId: 1, checkedBy: 2, isAnnotated: true });
    const { body: own } = await both.get(
      '/v1/posts/1?expand=vetter,notes&fields=noteCount,vetter.name,notes.text',
      editor,
    );
    expect(own).toEqual({
      id: 1,
      noteCount: 2,
      vetter: { id: 2, name: 'Bob' },
      notes: [
        { id: 1, text: 'x' },
        { id: 2, text: 'y' },
      ],
    });
    const { status } = await both.get('/v1/posts?noteCount_gt=0', author);
    expect(status).toBe(400);
  });

  test('search and the default order do without it', async () => {
    const ids = async (query: string, headers: Record<string, string>): Promise<unknown> => {
      const { body } = await both.get(`/v1/posts${query}`, headers);
      return (body as { id: number }[]).map(({ id }) => id);
    };
    expect(await ids('', editor)).toEqual([3, 2, 1]);
    expect(await ids('', author)).toEqual([1, 2, 3]);
    expect(await ids('?search=bob', editor)).toEqual([3]);
    expect(await ids('?search=bob', author)).toEqual([]);
  });

  test('documents do without it', async () => {
    for (const path of ['/v1/_openapi.json', '/_permissions']) {
      const { text } = await both.get(path, author);
      expect(text).not.toMatch(/vetters|vetter\.|"vetter"|noteCount|NotesLinks|"notes\./u);
      const { text: own } = await both.get(path, editor);
      expect(own).toMatch(/vetters/u);
    }
  });

  test('its other side has rules of its own', async () => {
    const { status } = await both.get('/v1/notes?expand=post', author);
    expect(status).toBe(400);
    const { body } = await both.get('/v1/people/1?expand=posts&fields=posts.title', author);
    expect(body).toEqual({ id: 1, posts: [{ id: 1, title: 'a' }] });
  });
});

describe('a relation that the caller may read and not write', () => {
  test.each([
    ['links of a new record', 'POST', '/v1/posts', { title: 'd', labels: [1] }, 403],
    ['links in part', 'POST', '/v1/posts', { title: 'd', labels: { add: [1] } }, 403],
    [
      'a nested create',
      'POST',
      '/v1/posts',
      { title: 'd', labels: { create: [{ name: 'x' }] } },
      403,
    ],
    ['links of a record that is there', 'PATCH', '/v1/posts/1', { labels: [1] }, 200],
    ['and nested', 'PATCH', '/v1/posts/1', { labels: { create: [{ name: 'x' }] } }, 200],
    ['a parent', 'POST', '/v1/posts', { author: { create: { name: 'x' } } }, 403],
    ['a new parent', 'PATCH', '/v1/posts/1', { author: { create: { name: 'x' } } }, 403],
    ['its key has rules of its own', 'PATCH', '/v1/posts/1', { authorId: 2 }, 200],
    ['further down', 'PATCH', '/v1/people/2', { posts: { create: [{ labels: [1] }] } }, 403],
    ['a read', 'GET', '/v1/posts?expand=labels,author', undefined, 200],
  ])('%s', async (_, method, path, body, status) => {
    const answer = await both.send(method, path, body, author);
    expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
  });

  test('who may write it', async () => {
    const body = { title: 'd', labels: [1], author: { create: { name: 'x' } } };
    const answer = await both.send('POST', '/v1/posts?expand=labels', body, editor);
    expect(answer.status, answer.text).toBe(201);
  });

  test('an upsert may change it, so it takes both rights', async () => {
    const put = async (query: string, labels: readonly number[]): Promise<number> => {
      const body = { code: 'a', labels };
      return (await both.send('POST', `/v1/shelves${query}`, body, author)).status;
    };
    expect(await put('', [1])).toBe(201);
    expect(await put('?onConflict=code', [2])).toBe(403);
    const bodies = [{ code: 'b' }, { code: 'a', labels: { add: [2] } }];
    const { status } = await both.send('POST', '/v1/shelves?onConflict=code', bodies, author);
    expect(status).toBe(403);
    const { body } = await both.get('/v1/shelves?expand=labels&fields=labels.id', author);
    expect(body).toEqual([{ id: 1, labels: [{ id: 1 }] }]);
    const ignored = await both.send('POST', '/v1/shelves?onConflict=code', bodies[1], {
      ...author,
      prefer: 'resolution=ignore-duplicates',
    });
    expect(ignored.status).toBe(200);
  });

  test('documents tell what may be written', async () => {
    const schemas = async (headers: Record<string, string>): Promise<Record<string, unknown>> => {
      const { body } = await both.get('/v1/_openapi.json', headers);
      const all = body.components.schemas as Record<string, { properties?: object }>;
      return Object.fromEntries(
        ['PostCreate', 'PostUpdate'].map((name) => [
          name,
          Object.keys(all[name]?.properties ?? {}).filter((one) => /^(labels|author)$/u.test(one)),
        ]),
      );
    };
    expect(await schemas(author)).toEqual({ PostCreate: [], PostUpdate: ['labels'] });
    expect(await schemas(editor)).toEqual({
      PostCreate: ['author', 'labels'],
      PostUpdate: ['author', 'labels'],
    });
    const { body } = await both.get('/_permissions', author);
    expect(body.versions.v1.posts.relations).toEqual({
      author: ['read'],
      labels: ['read', 'write'],
    });
  });
});

test('narrowing it is a breaking change', () => {
  const before = buildValid(`${withTokens}\n${resources('')}`);
  const changes = compareApis(before, buildValid(specification), new Date());
  const told = changes.map(({ isBreaking, path, message }) => [isBreaking, path, message]);
  expect(told).toContainEqual([
    true,
    expect.stringContaining('posts.vetters'),
    expect.stringContaining('can no longer be read by public'),
  ]);
});
