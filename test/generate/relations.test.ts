import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { library } from '../support/command.ts';
import { fillAll, generated, problemsOf, type Row } from './generate.ts';

/** Every kind of relation, every type of id, keys of several kinds, in a circle, alone and together distinct. */
const world = `limits: { maxLimit: 2000, expandedItems: 2000 }
resources:
  users:
    generate: { count: 30 }
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      handle: { type: string, unique: true }
      favouriteId: { type: integer, nullable: true, reference: posts.id }
      profile: { type: relation, relation: hasOne, resource: profiles }
      follows: { type: relation, relation: belongsToMany, resource: users, through: follows, foreignKey: followerId }
      images: { type: relation, relation: morphMany, resource: images, typeValue: user }
  follows:
    generate: { count: 200 }
    fields:
      followerId: { type: uuid, required: true, reference: users.id }
      followedId: { type: uuid, required: true, reference: users.id }
  profiles:
    fields:
      userId: { type: uuid, required: true, reference: users.id }
      user: { type: relation, relation: belongsTo, resource: users }
  posts:
    generate: { count: 50 }
    timestamps: true
    fields:
      title: { type: string, required: true }
      handle: { type: string, required: true, reference: users.handle }
      writer: { type: relation, relation: belongsTo, resource: users, foreignKey: handle }
      parentId: { type: integer, nullable: true, reference: posts.id }
      parent: { type: relation, relation: belongsTo, resource: posts }
      comments: { type: relation, relation: hasMany, resource: comments }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [rank] }
      images: { type: relation, relation: morphMany, resource: images, typeValue: post }
  comments:
    generate: { per: post, min: 0, max: 5 }
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      post: { type: relation, relation: belongsTo, resource: posts }
      answerToId: { type: integer, nullable: true, reference: comments.id }
      answerTo: { type: relation, relation: belongsTo, resource: comments }
      body: { type: text }
  tags:
    generate: { count: 6 }
    fields:
      id: { type: id, format: string }
      name: { type: string, unique: true }
  post-tags:
    generate: { per: post, min: 1, max: 9 }
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: string, required: true, reference: tags.id }
      post: { type: relation, relation: belongsTo, resource: posts }
      rank: { type: integer, minimum: 1, maximum: 3 }
  images:
    generate: { count: 90 }
    fields:
      url: { type: url }
      ownerType: { type: string }
      ownerId: { type: string }
      owner: { type: relation, relation: morphTo, typeField: ownerType, idField: ownerId }
  seats:
    generate: { count: 12 }
    fields:
      row: { type: enum, values: [a, b, c], required: true }
      number: { type: integer, minimum: 1, maximum: 4, required: true }
    unique: [[row, number]]
`;

let both: Both;
let all: Record<string, Row[]>;

beforeAll(async () => {
  both = await serveBoth(world);
  for (const side of both.sides) {
    const { api, database } = side.servedApi;
    expect(await fillAll(api, database)).toMatchObject({ ok: true });
  }
  all = {};
  // Each answer is compared byte for byte between the databases.
  for (const name of both.servedApi.api.resources.keys()) {
    const { status, body } = await both.get(`/v1/${name}?limit=2000`);
    expect(status).toBe(200);
    all[name] = body as Row[];
  }
});
afterAll(() => both.stop());

const of = (name: string): Row[] => all[name] ?? [];
const pairs = (rows: readonly Row[], ...fields: string[]): string[] =>
  rows.map((row) => JSON.stringify(fields.map((field) => row[field])));

describe('relations hold on both databases, which have the same data', () => {
  test('as many as the file wants', () => {
    const counts = Object.fromEntries(
      Object.entries(all).map(([name, rows]) => [name, rows.length]),
    );
    expect(counts).toMatchObject({
      users: 30,
      follows: 200,
      profiles: 25,
      posts: 50,
      tags: 6,
      images: 90,
      seats: 12,
    });
  });

  test('as many as are asked for, before what the file wants', async () => {
    const made = await generated(world, { count: 4 });
    for (const name of ['users', 'posts', 'comments', 'images', 'seats'])
      expect([name, made[name]?.length]).toEqual([name, 4]);
  });

  test('what is stored is what the generator gives', async () => {
    const made = await generated(world);
    expect(made['users']?.map(({ id }) => id)).toEqual(of('users').map(({ id }) => id));
    for (const name of ['posts', 'comments', 'images', 'seats'])
      expect(of(name)).toEqual(made[name]);
  });

  test('distinct in several ways for each of the records that they are counted by', async () => {
    const { entries = [] } = await generated(`generate: { count: 6 }
resources:
  lists: { fields: { tracks: { type: relation, relation: belongsToMany, resource: tracks, through: entries } } }
  tracks: { fields: { name: { type: string } } }
  entries:
    generate: { per: list, min: 5, max: 6 }
    unique: [[listId, position]]
    fields:
      listId: { type: integer, required: true, reference: lists.id }
      list: { type: relation, relation: belongsTo, resource: lists }
      trackId: { type: integer, required: true, reference: tracks.id }
      position: { type: integer, required: true, minimum: 1, maximum: 6 }
`);
    expect(entries.length).toBeGreaterThanOrEqual(30);
    for (const field of ['trackId', 'position'])
      expect(
        new Set(entries.map((entry) => JSON.stringify([entry['listId'], entry[field]]))).size,
      ).toBe(entries.length);
  });

  test('each for the records that it is counted by, distinct and no more than there are', () => {
    const comments = Map.groupBy(of('comments'), ({ postId }) => postId);
    const sizes = of('posts').map(({ id }) => comments.get(id ?? null)?.length ?? 0);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([0, 5]);
    const tags = Map.groupBy(of('post-tags'), ({ postId }) => postId);
    for (const { id } of of('posts')) {
      const links = tags.get(id ?? null) ?? [];
      expect(links.length).toBeGreaterThanOrEqual(1);
      expect(links.length).toBeLessThanOrEqual(6);
      expect(new Set(links.map(({ tagId }) => tagId)).size).toBe(links.length);
    }
  });

  test('none to nine for each where the file says nothing else', async () => {
    const per = (more: string): string =>
      world.replace('per: post, min: 0, max: 5', `per: post${more}`);
    const sizesOf = async (text: string): Promise<readonly number[]> => {
      const { comments = [], posts = [] } = await generated(text);
      const groups = Map.groupBy(comments, ({ postId }) => postId);
      const sizes = posts.map(({ id }) => groups.get(id ?? null)?.length ?? 0);
      return [Math.min(...sizes), Math.max(...sizes)];
    };
    expect(await sizesOf(per(''))).toEqual([0, 9]);
    expect(await sizesOf(per(', min: 12'))).toEqual([12, 12]);
    expect(await sizesOf(per(', max: 2'))).toEqual([0, 2]);
  });

  test('links of a resource with itself are distinct and lead elsewhere', () => {
    const links = of('follows');
    expect(new Set(pairs(links, 'followerId', 'followedId')).size).toBe(200);
    for (const { followerId, followedId } of links) expect(followerId).not.toBe(followedId);
  });

  test('a hasOne has one', () => {
    expect(new Set(of('profiles').map(({ userId }) => userId)).size).toBe(25);
  });

  test('self-references make trees, within the group where there are groups', () => {
    for (const { id, parentId } of of('posts'))
      if (parentId !== null) expect(Number(parentId)).toBeLessThan(Number(id));
    expect(of('posts').some(({ parentId }) => parentId !== null)).toBe(true);
    const byId = new Map(of('comments').map((row) => [row['id'], row]));
    for (const { id, postId, answerToId } of of('comments')) {
      if (answerToId === null) continue;
      expect(Number(answerToId)).toBeLessThan(Number(id));
      expect(byId.get(answerToId ?? null)?.['postId']).toBe(postId);
    }
    expect(of('comments').some(({ answerToId }) => answerToId !== null)).toBe(true);
  });

  test('keys that close a circle are set', () => {
    expect(of('users').filter(({ favouriteId }) => favouriteId !== null).length).toBeGreaterThan(
      20,
    );
  });

  test('a key to another field than the id holds its value', () => {
    const handles = new Set(of('users').map(({ handle }) => handle));
    for (const { handle } of of('posts')) expect(handles).toContain(handle);
  });

  test('morph pairs lead to records of all targets', () => {
    const owners: Record<string, Set<string>> = {
      user: new Set(of('users').map(({ id }) => String(id))),
      post: new Set(of('posts').map(({ id }) => String(id))),
    };
    expect(new Set(of('images').map(({ ownerType }) => ownerType))).toEqual(
      new Set(['user', 'post']),
    );
    for (const { ownerType, ownerId } of of('images'))
      expect(owners[String(ownerType)]).toContain(ownerId);
  });

  test('fields that are distinct together take every combination', () => {
    expect(new Set(pairs(of('seats'), 'row', 'number')).size).toBe(12);
  });

  test('new records get ids of their own', async () => {
    const { status, body } = await both.send('POST', '/v1/images', {
      url: 'https://example.com/a',
      ownerType: 'post',
      ownerId: '1',
    });
    expect([status, body.id]).toEqual([201, 91]);
  });
});

describe('filling again', () => {
  test('adds what is missing up to the count, changes nothing, and resets to the same', async () => {
    const server = await serveBoth(library);
    const fill = async (options: Parameters<typeof fillAll>[2]): Promise<unknown[]> =>
      Promise.all(
        server.sides.map(({ servedApi: { api, database } }) => fillAll(api, database, options)),
      );
    const added = (authors: number, books: number): unknown => {
      const result = {
        ok: true,
        byResource: new Map([
          ['authors', authors],
          ['books', books],
        ]),
      };
      return [result, result];
    };
    expect(await fill({ count: 10 })).toEqual(added(10, 10));
    const { text } = await server.get('/v1/authors?limit=10');
    expect(await fill({ count: 10 })).toEqual(added(0, 0));
    await server.send('PATCH', '/v1/authors/3', { name: 'Mine' });
    expect(await fill({ count: 30 })).toEqual(added(20, 20));
    expect((await server.get('/v1/authors/3')).body.name).toBe('Mine');
    const ids = new Set((await server.get('/v1/authors?limit=100')).body.map(({ id }: Row) => id));
    for (const { authorId } of (await server.get('/v1/books?limit=100')).body)
      expect(ids).toContain(authorId);
    expect(await fill({ count: 10, reset: true })).toEqual(added(10, 10));
    expect((await server.get('/v1/authors?limit=10')).text).toBe(text);
    await server.stop();
  });

  test('keys lead to the records that are there, whatever their ids', async () => {
    const server = await serveBoth(library, {
      authors: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
    });
    await server.send('DELETE', '/v1/authors/2');
    for (const {
      servedApi: { api, database },
    } of server.sides) {
      const books = api.resources.get('books');
      if (books === undefined) throw new Error('no books');
      const resources = new Set([books]);
      expect(await fillAll(api, database, { resources })).toMatchObject({ ok: true });
      const authors = api.resources.get('authors');
      if (authors === undefined) throw new Error('no authors');
      const refused = await fillAll(api, database, { resources: new Set([authors]), reset: true });
      expect(refused).toMatchObject({ ok: false, referredFrom: { names: ['books'] } });
    }
    const keys = (await server.get('/v1/books?limit=100')).body.map(
      ({ authorId }: Row) => authorId,
    );
    expect(new Set(keys)).toEqual(new Set([1, 3]));
    await server.stop();
  });

  test('tells how far it is', async () => {
    const server = await serveBoth(library);
    for (const {
      servedApi: { api, database },
    } of server.sides) {
      const told: (readonly [done: number, total: number])[] = [];
      const onProgress = (done: number, total: number): void => void told.push([done, total]);
      await fillAll(api, database, { count: 3_000, onProgress });
      expect(new Set(told.map(([, total]) => total))).toEqual(new Set([6_000]));
      const steps = told.map(([done]) => done);
      expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
      expect([steps[0], steps.at(-1)]).toEqual([0, 6_000]);
      expect(steps.length).toBeGreaterThan(3);
    }
    await server.stop();
  });

  test('without a record to lead to nothing is made', async () => {
    const server = await serveBoth(library);
    for (const {
      servedApi: { api, database },
    } of server.sides) {
      const books = api.resources.get('books');
      if (books === undefined) throw new Error('no books');
      const result = await fillAll(api, database, { resources: new Set([books]) });
      expect(result).toEqual({ ok: true, byResource: new Map([['books', 0]]) });
    }
    await server.stop();
  });

  test('records of other numbers count, too', async () => {
    const server = await serveBoth(library, {
      authors: Array.from({ length: 5 }, () => ({ name: 'A' })),
    });
    for (const id of [1, 2, 3]) await server.send('DELETE', `/v1/authors/${id}`);
    for (const {
      servedApi: { api, database },
    } of server.sides)
      expect(await fillAll(api, database, { count: 4 })).toMatchObject({ ok: true });
    const { body } = await server.get('/v1/authors');
    expect(body.map(({ id }: Row) => id)).toEqual([4, 5, 6, 7]);
    await server.stop();
  });

  test('required keys in a circle are a problem', async () => {
    const circle =
      'resources:\n' +
      '  as:\n    fields:\n      b: { type: relation, relation: belongsTo, resource: bs, required: true }\n' +
      '  bs:\n    fields:\n      a: { type: relation, relation: belongsTo, resource: as, required: true }\n';
    const server = await serveBoth(circle);
    for (const {
      servedApi: { api, database },
    } of server.sides) {
      const result = await fillAll(api, database);
      if (result.ok || !('problems' in result)) throw new Error('it was filled');
      expect(result.problems[0]?.message).toContain('would each need the other');
    }
    await server.stop();
  });

  test('a value that another record has is named with its row', async () => {
    const { authors = [] } = await generated(library);
    const server = await serveBoth(library, {
      authors: [{ name: 'X', email: authors[4]?.['email'] }],
    });
    for (const {
      servedApi: { api, database },
    } of server.sides) {
      const result = await fillAll(api, database);
      if (result.ok || !('problems' in result)) throw new Error('it was filled');
      const [problem] = result.problems;
      expect(problem?.path).toEqual(['resources', 'authors', 'fields', 'email']);
      expect(problem?.message).toContain('the value of row 5');
    }
    expect((await server.get('/v1/authors')).body).toHaveLength(1);
    await server.stop();
  });
});

const broken: readonly (readonly [what: string, text: string, problem: string])[] = [
  [
    'more links than there can be',
    world.replace('generate: { count: 200 }', 'generate: { count: 871 }'),
    'resources.follows.generate.count 871 records are wanted, but only 870 can be told apart',
  ],
  [
    'more owners than there are',
    world.replace('  profiles:\n', '  profiles:\n    generate: { count: 31 }\n'),
    'resources.profiles.generate.count 31 records are wanted, but only 30 can be told apart',
  ],
  [
    'records that count themselves',
    'resources:\n  a:\n    generate: { per: up }\n    fields:\n      upId: { type: integer, reference: a.id }\n      up: { type: relation, relation: belongsTo, resource: a }\n',
    'resources.a.generate.per its records would be counted by themselves',
  ],
  [
    'more combinations than there are',
    world.replace('generate: { count: 12 }', 'generate: { count: 13 }'),
    'resources.seats.generate.count 13 records are wanted, but only 12 can be told apart',
  ],
];
test.each(broken)('%s: a problem', async (_, text, problem) => {
  expect((await problemsOf(text))[0]).toContain(problem);
});

test.each(['blog', 'shop', 'media'])('the example %s can be generated', async (name) => {
  const text = readFileSync(new URL(`../../examples/${name}/plinth.yaml`, import.meta.url), 'utf8');
  expect(await problemsOf(text)).toEqual([]);
});
