import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import { writeStatements } from '../../src/sql/compile/write.ts';
import { keyStatements } from '../../src/sql/compile/idempotency.ts';
import { buildValid, type Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { watchStatements, type Watched } from '../support/statements.ts';

/**
 * PostgreSQL that says that it has Citus: what is sent then runs without Citus as well, so that the answers can be held
 * against those of SQLite. What Citus makes of it was tried with Citus itself: docs/decisions/0032-postgres.md.
 */
async function openAsCitus(url: string): Promise<PostgresDatabase> {
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  await sql`INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    VALUES (99999, 'citus', 10, 'public'::regnamespace, false, '13')`;
  await sql.end();
  return openPostgres(url, { poolSize: 4 });
}

const specification = `
access: public
resources:
  people:
    fields:
      name: { type: string, required: true }
      posts: { type: relation, relation: hasMany, resource: posts }
      notes: { type: relation, relation: morphMany, resource: notes }
  posts:
    fields:
      title: { type: string, required: true }
      stars: { type: integer, default: 0 }
      personId: { type: integer, nullable: true, reference: people.id, onDelete: setNull }
      person: { type: relation, relation: belongsTo, resource: people }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [rank] }
  tags:
    fields:
      name: { type: string, required: true }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: post-tags }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id, onDelete: cascade }
      tagId: { type: integer, required: true, reference: tags.id, onDelete: cascade }
      rank: { type: integer, default: 0 }
  notes:
    fields:
      text: { type: string, required: true }
      about: { type: relation, relation: morphTo, resources: [people, posts, replies] }
  replies: { fields: { postId: { type: integer, reference: posts.id, onDelete: cascade } } }
`;

let both: Both;
let watched: Watched;
const writes: string[] = [];

beforeAll(async () => {
  both = await serveBoth(
    specification,
    {
      people: ['Ann', 'Bob', 'Cid'].map((name) => ({ name })),
      posts: Array.from({ length: 9 }, (_, index) => ({
        title: `post ${index % 4}`,
        stars: index,
        personId: index === 8 ? null : (index % 2) + 1,
      })),
      tags: ['red', 'blue'].map((name) => ({ name })),
      'post-tags': Array.from({ length: 8 }, (_, index) => ({
        postId: index + 1,
        tagId: (index % 2) + 1,
        rank: 8 - index,
      })),
      notes: [
        { text: 'a', aboutType: 'people', aboutId: 1 },
        { text: 'b', aboutType: 'posts', aboutId: 1 },
        { text: 'c', aboutType: 'people', aboutId: 3 },
        { text: 'd' },
      ],
    },
    undefined,
    {},
    openAsCitus,
  );
  const [, side = both] = both.sides;
  watched = watchStatements(side);
  const { database } = side.servedApi;
  for (const name of ['writeOne', 'write'] as const) {
    const run = database[name].bind(database) as (...given: unknown[]) => Promise<unknown>;
    Object.assign(database, {
      [name]: (...given: unknown[]) => {
        writes.push(name);
        return run(...given);
      },
    });
  }
});

afterAll(async () => {
  await both?.stop();
});

test.each([
  '/posts?person.name=Ann',
  '/people?posts.stars_gte=6',
  '/people?posts_exists=false',
  '/posts?person_exists=false',
  '/posts?person.posts.tags.name=blue&sort=-id',
  '/people?posts.tags.pivot.rank=8',
  '/people?notes.text=c',
  '/notes?about_exists=false',
  '/notes?about.name=Ann',
  '/posts?_or=person.name:Bob,tags.name:red',
  '/tags?posts.stars=1&posts.stars=3',
  '/tags?posts.stars=1&posts.stars=3&posts.stars=5&posts.stars=7&posts.title=post+1&posts.title=post+3&posts.stars_lt=9',
  '/people?expand=posts&posts.limit=2&posts.page=2&posts.sort=-stars',
  '/people?expand=posts.tags&posts.limit=3&posts.stars_gt=1&posts.tags.limit=1',
  '/posts?expand=tags&tags.limit=1&tags.sort=-pivot.rank',
])('%s names no row around a subquery', async (path) => {
  const answers: Answer[] = [];
  const statements = await watched.during(async () => answers.push(await both.get(path)));
  expect(answers[0]?.status).toBe(200);
  expect(statements.length).toBeGreaterThan(0);
  for (const sql of statements) expect(sql).not.toMatch(/EXISTS \(SELECT|LATERAL/u);
});

test('If-Match holds the row that it is about, since each node may have one of it', async () => {
  const { headers } = await both.get('/posts/1');
  const match = { 'if-match': headers.get('etag') ?? '' };
  writes.length = 0;
  const statements = await watched.during(async () => {
    const changed = await both.send('PATCH', '/posts/1', { stars: 100 }, match);
    expect([changed.status, changed.body.stars]).toEqual([200, 100]);
    expect((await both.send('PATCH', '/posts/1', { stars: 101 }, match)).status).toBe(412);
  });
  expect(statements.join()).not.toContain('xmin');
  expect(writes).toEqual(['write', 'write']);
});

test.each([
  ['a record', { title: 'keyed' }],
  ['with links', { title: 'keyed', tags: [1, 2] }],
])(
  '%s under a key is made in steps: the node that has the table would draw the id',
  async (name, record) => {
    const key = { 'idempotency-key': name.replaceAll(' ', '-') };
    await both.send('POST', '/posts', record, key);
    writes.length = 0;
    expect((await both.send('POST', '/posts', record, key)).status).toBe(201);
    expect(writes).toEqual(['write']);
    const { id } = (await both.send('POST', '/posts', record)).body;
    expect(writes.slice(1)).toEqual([name === 'a record' ? 'writeOne' : 'write']);
    expect((await both.get(`/posts/${id}`)).status).toBe(200);
  },
);

test('a delete locks what is named by its id alone: other rows may be on several nodes', () => {
  const { edges, keyValues: leading } = writeStatements(both.postgres.dialect);
  const { resources } = buildValid(specification);
  const [posts, replies] = ['posts', 'replies'].map((name) => resources.get(name));
  if (posts === undefined || replies === undefined) throw new Error('There are both');
  for (const one of [posts, replies]) expect(leading(one).sql).toMatch(/ FOR UPDATE$/u);
  expect(edges(posts).map(({ to }) => to)).toContain(replies);
  for (const { rows } of edges(posts)) expect(rows.sql).not.toContain('FOR UPDATE');
});

test('a key is claimed by values, which are passed on to where its table is', () => {
  expect(keyStatements(both.postgres.dialect, undefined).claim.sql).not.toContain('SELECT');
});

test('the next id is looked up in the catalog, which stays on the node that is asked', async () => {
  const { dialect } = both.postgres;
  expect(dialect.passIds?.('posts', 'id')).toContain(' JOIN pg_sequence ');
});

test('no total is guessed', async () => {
  const statements = await watched.during(() =>
    both.get('/posts?limit=2', { prefer: 'count=estimated' }),
  );
  expect(statements.filter((sql) => sql.startsWith('EXPLAIN'))).toEqual([]);
  expect(statements.filter((sql) => sql.includes('count(*)'))).toHaveLength(1);
});

test('a transaction goes to each node on one connection', async () => {
  const mode = {
    sql: `SELECT current_setting('citus.multi_shard_modify_mode', true)`,
    parameters: [],
  };
  expect(await both.postgres.write(({ all }) => all(mode, { bound: [] }))).toEqual([
    ['sequential'],
  ]);
});

describe('what the database does not do', () => {
  test('is told as such, and in the log', async () => {
    const [, side = both] = both.sides;
    const rule = 'CREATE RULE nothing AS ON INSERT TO tags DO INSTEAD NOTHING';
    await both.postgres.writeOne({ sql: rule, parameters: [] }, { bound: [] });
    const { status, body } = await side.send('POST', '/tags', { name: 'green' });
    expect([status, body.code, body.message]).toEqual([
      503,
      'DATABASE_UNAVAILABLE',
      'The database, as it is set up, cannot do what this request takes; the log has it under the request id',
    ]);
    expect(side.failures.splice(0).map(String)).toEqual([
      expect.stringMatching(/does not do this: cannot perform INSERT RETURNING/u),
    ]);
  });
});
