import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { serveApi, type TestApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { callers, newsroom, type Who } from './newsroom.ts';

let api: TestApi;
beforeAll(async () => {
  const document = parse(newsroom) as object;
  const versions = {
    1: { sunset: '2020-01-01' },
    2: {
      resources: { tags: false, posts: { fields: { headline: { from: 'title' }, notes: false } } },
    },
    3: {},
  };
  api = await serveApi(stringify({ ...document, api: { versions } }));
});
afterAll(() => api?.stop());

const permissions = async (who: Who): Promise<Record<string, Record<string, object>>> => {
  const { status, body } = await api.get('/_permissions', callers[who]);
  expect(status).toBe(200);
  return body.versions as Record<string, Record<string, object>>;
};

test.each<readonly [Who, boolean, readonly string[], readonly string[]]>([
  ['nobody', false, [], ['desks', 'posts', 'comments', 'tags', 'post-tags', 'notes', 'messages']],
  [
    'ann',
    true,
    ['author'],
    ['users', 'desks', 'posts', 'comments', 'tags', 'post-tags', 'notes', 'messages'],
  ],
])(
  '%s learns who it is and the resources that it may do something with',
  async (who, authenticated, roles, names) => {
    const { body } = await api.get('/_permissions', callers[who]);
    expect(body).toMatchObject({ authenticated, roles, defaultVersion: 'v3' });
    expect(Object.keys(body)).toEqual(['authenticated', 'roles', 'defaultVersion', 'versions']);
    // A version that has ended is left out.
    expect(Object.keys(body.versions as object)).toEqual(['v2', 'v3']);
    expect(Object.keys((body.versions as { v3: object }).v3)).toEqual(names);
  },
);

test('operations say on which rows, fields and relations for what', async () => {
  const { v3 = {} } = await permissions('ann');
  expect(v3['posts']).toEqual({
    operations: { read: 'some', create: 'some', update: 'some', delete: 'some' },
    fields: {
      id: ['read'],
      title: ['read', 'create', 'update'],
      status: ['read', 'create', 'update'],
      authorId: ['read', 'create', 'update'],
    },
    relations: { author: ['read'], comments: ['read'], tags: ['read', 'write'], notes: ['read'] },
  });
  expect(v3['comments']).toEqual({
    operations: { read: 'some', create: 'all' },
    fields: {
      id: ['read'],
      text: ['read', 'create'],
      approved: ['read'],
      postId: ['read', 'create'],
    },
    relations: { post: ['read'] },
  });
  expect(v3['messages']).toEqual({
    operations: { create: 'all', update: 'some' },
    fields: {
      text: ['create', 'update'],
      open: ['create', 'update'],
      authorId: ['create', 'update'],
    },
    relations: {},
  });
  const { v3: all = {} } = await permissions('editor');
  expect(all['posts']).toMatchObject({
    operations: { read: 'all', create: 'all', update: 'all', delete: 'all' },
  });
});

test('what the caller may not do is not named', async () => {
  for (const who of ['nobody', 'ann', 'editor'] as const)
    expect(JSON.stringify(await permissions(who))).not.toContain('salary');
  expect(JSON.stringify(await permissions('root'))).toContain('salary');
  expect(Object.keys((await permissions('nobody'))['v3'] ?? {})).not.toContain('users');
});

test('a version has its own names', async () => {
  const { v2 = {} } = await permissions('nobody');
  expect(Object.keys(v2)).not.toContain('tags');
  expect(v2['posts']).toMatchObject({
    fields: { headline: ['read'] },
    relations: { comments: ['read'] },
  });
  expect(JSON.stringify(v2)).not.toContain('title');
});

/** Who may do what where a resource says all, some or nothing of what the API says; and a field. */
const merged = `
${withTokens}
access: { read: public, create: member, write: editor }
resources:
  plain: { fields: { text: { type: string } } }
  some: { access: { create: public, delete: none }, fields: { text: { type: string } } }
  rest: { access: { write: member }, fields: { text: { type: string } } }
  all: { access: editor, fields: { text: { type: string } } }
  narrow:
    access: { create: public }
    fields:
      text: { type: string, nullable: true, access: { update: editor } }
      rank: { type: integer, nullable: true, access: { read: member, write: editor } }
`;

describe('access of the API, a resource and a field merge operation by operation', () => {
  let both: Both;
  beforeAll(async () => {
    both = await serveBoth(merged);
  });
  afterAll(() => both?.stop());
  const who = {
    anyone: {},
    member: caller({ sub: 'm', roles: ['member', 'stranger'] }),
    editor: caller({ sub: 'e', roles: ['editor'] }),
  } as const;
  const operations = ['read', 'create', 'update', 'delete'];

  test.each<
    readonly [
      string,
      anyone: readonly string[],
      member: readonly string[],
      editor: readonly string[],
    ]
  >([
    ['plain', ['read'], ['read', 'create'], ['read', 'update', 'delete']],
    ['some', ['read', 'create'], ['read', 'create'], ['read', 'create', 'update']],
    ['rest', ['read'], operations, ['read']],
    ['all', [], [], operations],
    ['narrow', ['read', 'create'], ['read', 'create'], operations],
  ])('%s', async (name, ...allowed) => {
    for (const [index, headers] of Object.values(who).entries()) {
      const { status } = await both.send('POST', `/v1/${name}`, { text: 'a' }, headers);
      const { body } = await both.get('/_permissions', headers);
      // Of its roles those of which the file speaks.
      expect(body.roles).toEqual([[], ['member'], ['editor']][index]);
      const told = body.versions.v1[name] ?? {};
      const may = Object.keys((told as { operations?: object }).operations ?? {});
      expect(may).toEqual(allowed[index]);
      expect(status).toBe(may.includes('create') ? 201 : index === 0 ? 401 : 403);
      const others = [
        ['read', await both.get(`/v1/${name}`, headers), 200],
        ['update', await both.send('PATCH', `/v1/${name}/99`, {}, headers), 404],
        ['delete', await both.send('DELETE', `/v1/${name}/99`, undefined, headers), 404],
      ] as const;
      for (const [operation, answer, met] of others)
        expect([operation, answer.status]).toEqual([
          operation,
          may.includes(operation) ? met : index === 0 ? 401 : 403,
        ]);
    }
  });

  test('what a field says nothing of is as its resource says', async () => {
    const fields = await Promise.all(
      Object.values(who).map(async (headers) => {
        const { body } = await both.get('/_permissions', headers);
        return body.versions.v1.narrow.fields as object;
      }),
    );
    const id = ['read'];
    expect(fields).toEqual([
      { id, text: ['read', 'create'] },
      { id, text: ['read', 'create'], rank: ['read'] },
      { id, text: ['read', 'create', 'update'], rank: ['create', 'update'] },
    ]);
  });
});

test('it is only read', async () => {
  const { status, headers } = await api.send('POST', '/_permissions', {});
  expect(status).toBe(405);
  expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS');
});
