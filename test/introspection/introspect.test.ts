import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { makeOriginalChinook } from '../support/chinook-original.ts';
import { good, makeFolder, plinth, root, servePlinth } from '../support/command.ts';
import { fromSql } from '../support/introspect.ts';

test('the original Chinook database is served unchanged, with its own names as conventional ones', async () => {
  const folder = makeFolder();
  makeOriginalChinook(folder.at('Chinook.db'));
  const { err } = await good(
    ['introspect', 'Chinook.db', '--managed', '--out', 'plinth.yaml'],
    folder.path,
  );
  expect(err).toContain('Wrote plinth.yaml.');
  await good(['check'], folder.path);
  const shown = await good(['migrate', '--database', 'sqlite:Chinook.db'], folder.path);
  // Nothing of what is there has to change.
  expect(shown.out.split('\n').filter((line) => /^- (?!create )/u.test(line))).toEqual([]);
  await good(['migrate', '--database', 'sqlite:Chinook.db', '--apply'], folder.path);
  const { url, stop } = await servePlinth(
    ['dev', '--no-generate', '--database', 'sqlite:Chinook.db'],
    {
      cwd: folder.path,
    },
  );
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}/v1/${path}`)).json();
  expect(await get('albums/1?expand=artist')).toEqual({
    id: 1,
    title: 'For Those About To Rock We Salute You',
    artistId: 1,
    artist: { id: 1, name: 'AC/DC' },
  });
  expect(await get('tracks/1?fields=name,unitPrice,mediaType.name&expand=mediaType')).toMatchObject(
    {
      name: 'For Those About To Rock (We Salute You)',
      unitPrice: '0.99',
      mediaType: { name: 'MPEG audio file' },
    },
  );
  expect(await get('invoices/1?fields=invoiceDate,total')).toMatchObject({
    invoiceDate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T00:00:00\.000Z$/u) as string,
    total: '1.98',
  });
  expect(
    await get('employees/2?fields=reportsToId&expand=reportsTo,employeesByReportsTo'),
  ).toMatchObject({
    reportsToId: 1,
    reportsTo: { id: 1 },
    employeesByReportsTo: [{ id: 3 }, { id: 4 }, { id: 5 }],
  });
  expect(await get('playlists/9?expand=tracks&fields=name,tracks.id')).toMatchObject({
    name: 'Music Videos',
    tracks: [{ id: 3402 }],
  });
  // A link of the junction whose key is of two columns can be made and taken away.
  const change = async (links: object): Promise<unknown> => {
    const { status } = await fetch(`${url}/v1/playlists/9`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tracks: links }),
    });
    const { tracks } = (await get('playlists/9?expand=tracks&fields=tracks.id')) as {
      tracks: unknown;
    };
    return [status, tracks];
  };
  expect(await change({ add: [1] })).toEqual([200, [{ id: 1 }, { id: 3402 }]]);
  expect(await change({ remove: [1] })).toEqual([200, [{ id: 3402 }]]);
  // Every table has as many records as there.
  const driver = new Driver(folder.at('Chinook.db'), { readonly: true });
  const counted = driver.prepare<[], number>('SELECT count(*) FROM PlaylistTrack').pluck().get();
  driver.close();
  const { headers } = await fetch(`${url}/v1/playlist-tracks?limit=1`);
  expect(Number(headers.get('x-total-count'))).toBe(counted);
  await stop('SIGTERM');
});

test('keys, junctions with pivot, one to one, several keys to one table, and what cannot be served', async () => {
  const { specification, left } = await fromSql(`
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE profiles (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE);
    CREATE TABLE posts (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES users(id),
      editor_id INTEGER REFERENCES users(id) ON DELETE SET NULL, parent_id INTEGER REFERENCES posts(id), posts TEXT,
      created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
    INSERT INTO users VALUES (1, 'a');
    INSERT INTO posts VALUES (1, 1, 1, NULL, 'x', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
    CREATE TABLE tags (code VARCHAR(9) PRIMARY KEY, label TEXT);
    CREATE TABLE post_tags (post_id INTEGER NOT NULL REFERENCES posts(id) ON DELETE CASCADE,
      tag_code VARCHAR(9) NOT NULL REFERENCES tags(code) ON DELETE CASCADE, position INTEGER, PRIMARY KEY (post_id, tag_code));
    CREATE TABLE friendships (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users(id),
      friend_id INTEGER NOT NULL REFERENCES users(id), UNIQUE (user_id, friend_id));
    CREATE TABLE wide (a INTEGER, b INTEGER, c TEXT, PRIMARY KEY (a, b));
    CREATE TABLE narrow (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, FOREIGN KEY (a, b) REFERENCES wide (a, b));
    CREATE TABLE keyless (a INTEGER);
    CREATE TABLE images (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE VIEW everyone AS SELECT name FROM users;
    CREATE VIRTUAL TABLE words USING fts5(text);`);
  const { users, profiles, posts, tags, friendships } = specification.resources;
  const many = { type: 'relation', relation: 'hasMany' };
  const links = { type: 'relation', relation: 'belongsToMany' };
  const one = { type: 'relation', relation: 'belongsTo' };
  expect(users?.fields).toEqual({
    name: { type: 'string' },
    profile: { type: 'relation', relation: 'hasOne', resource: 'profiles' },
    postsByAuthor: { ...many, resource: 'posts', foreignKey: 'authorId' },
    postsByEditor: { ...many, resource: 'posts', foreignKey: 'editorId' },
    friends: { ...links, resource: 'users', through: 'friendships', foreignKey: 'userId' },
    usersByFriend: { ...links, resource: 'users', through: 'friendships', foreignKey: 'friendId' },
  });
  expect(profiles?.fields).toMatchObject({
    userId: {
      type: 'integer',
      reference: 'users.id',
      onDelete: 'cascade',
      required: true,
      unique: true,
      column: 'user_id',
    },
    user: { ...one, resource: 'users' },
  });
  expect(posts).toEqual({
    timestamps: true,
    fields: {
      authorId: { type: 'integer', reference: 'users.id', required: true, column: 'author_id' },
      editorId: { type: 'integer', reference: 'users.id', column: 'editor_id' },
      parentId: {
        type: 'integer',
        reference: 'posts.id',
        onDelete: 'restrict',
        column: 'parent_id',
      },
      posts: { type: 'string' },
      createdAt: { type: 'datetime', nullable: false, column: 'created_at' },
      updatedAt: { type: 'datetime', nullable: false, column: 'updated_at' },
      author: { ...one, resource: 'users' },
      editor: { ...one, resource: 'users' },
      parent: { ...one, resource: 'posts' },
      children: { ...many, resource: 'posts' },
      tags: { ...links, resource: 'tags', through: 'post-tags', withPivot: ['position'] },
    },
  });
  expect(tags?.fields).toMatchObject({
    id: { type: 'id', format: 'string', column: 'code' },
    posts: { ...links, resource: 'posts', through: 'post-tags', withPivot: ['position'] },
  });
  expect(friendships?.fields).toMatchObject({ user: { ...one }, friend: { ...one } });
  expect(Object.keys(specification.resources)).not.toContain('keyless');
  expect(left).toEqual([
    'Table wide is left out: its primary key is of several columns (a, b); give its rows a key of one column.',
    'Table keyless is left out: it has no primary key.',
    'Of table narrow its key of several columns to wide is not served.',
    'Column images.bytes is left out: it is made for binary data. It may not be null, so records of images are read and changed but not made (access: { create: none }); let it be null, or give it a default in the database.',
    'View everyone is left out: views are not served.',
    'Table words is left out: it is virtual.',
  ]);
});

test.each(['chinook', 'blog', 'shop'])(
  'of a database that migrate has made comes a file with which it has nothing to do: %s',
  async (example) => {
    const folder = makeFolder();
    const spec = resolve(root, 'examples', example, 'plinth.yaml');
    const database = ['--database', 'sqlite:made.db'];
    await good(['migrate', spec, '--apply', ...database], folder.path);
    await good(
      example === 'chinook'
        ? ['import', resolve(root, 'examples/chinook/data'), '--spec', spec, ...database]
        : ['generate', spec, '--count', '30', ...database],
      folder.path,
    );
    await good(['introspect', 'sqlite:made.db', '--managed', '--out', 'again.yaml'], folder.path);
    await good(['check', 'again.yaml'], folder.path);
    const { out } = await good(['migrate', 'again.yaml', ...database, '--json'], folder.path);
    expect(JSON.parse(out)).toMatchObject({ steps: [] });
    await good(['export', 'first', '--spec', spec, ...database], folder.path);
    await good(['export', 'second', '--spec', 'again.yaml', ...database], folder.path);
    const first = await servePlinth(['dev', spec, '--no-generate', ...database], {
      cwd: folder.path,
    });
    const second = await servePlinth(['dev', 'again.yaml', '--no-generate', ...database], {
      cwd: folder.path,
    });
    const { paths } = (await (await fetch(`${first.url}/v1/_openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const lists = Object.keys(paths).filter((path) => !/[{_]/u.test(path));
    expect(lists.length).toBeGreaterThan(2);
    for (const list of lists) {
      const [one, other] = await Promise.all(
        [first, second].map(async ({ url }) =>
          (await fetch(`${url}${list}?limit=100&sort=-id`)).json(),
        ),
      );
      // What an object was is json, whose members have another order.
      expect(other).toEqual(one);
    }
    await first.stop('SIGTERM');
    await second.stop('SIGTERM');
  },
);

test('introspect overwrites nothing, and says what it cannot read', async () => {
  const folder = makeFolder({
    'plinth.yaml': 'mine',
    'text.db': 'this is no database, but long enough to be looked at as one',
    'bad.json': '{',
    'list.json': '[]',
    'none.json': '{"a": 1}',
    'openapi.json': '{"openapi": "3.1.0", "tags": [{"name": "a"}], "paths": {}}',
    'openapi.yaml': 'openapi: 3.1.0',
    'mockoon.json':
      '{"lastMigration": 33, "routes": [{"uuid": "a"}], "data": [{"name": "users", "value": "[]"}]}',
  });
  new Driver(folder.at('empty.db')).exec('PRAGMA user_version = 1').close();
  const ended = async (...args: string[]): Promise<object> => {
    const { code, out, err } = await plinth(['introspect', ...args], { cwd: folder.path });
    return { code, out, err: err.trim().split('\n').at(-1) };
  };
  expect(await ended('empty.db', '--out', 'plinth.yaml')).toEqual({
    code: 1,
    out: '',
    err: 'plinth.yaml already exists. Name another file with --out.',
  });
  expect(readFileSync(folder.at('plinth.yaml'), 'utf8')).toBe('mine');
  for (const [source, code, message] of [
    ['missing.db', 1, /There is no database missing\.db\. Name a SQLite file/u],
    ['text.db', 1, /text\.db is not a SQLite database/u],
    ['empty.db', 1, /has no table that can be served/u],
    ['mysql://a/b', 2, /has an unknown kind of URL/u],
    ['bad.json', 1, /bad\.json cannot be used: it is not JSON/u],
    ['list.json', 1, /it must be an object of lists/u],
    ['none.json', 1, /it has no list of records/u],
    ['openapi.json', 1, /openapi\.json cannot be used: it describes an API, and holds no records/u],
    ['openapi.yaml', 1, /openapi\.yaml is YAML, which holds no records\. Name a SQLite file/u],
    ['mockoon.json', 1, /it is an environment of Mockoon, and holds routes/u],
    ['missing.json', 1, /missing\.json cannot be used: there is no such file/u],
  ] as const)
    expect(await ended(source)).toEqual({
      code,
      out: '',
      err: expect.stringMatching(message) as string,
    });
});
