import driver from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, serve, type Answer, type TestApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { expectError } from '../server/exchanges.ts';

const specification = `
access: public
server: { requestTimeout: 60s }
api: { versions: { 1: {}, 2: {} } }
resources:
  posts:
    fields:
      title: { type: string, required: true, unique: true, maxLength: 20 }
      views: { type: integer, default: 0 }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags }
  tags:
    fields:
      name: { type: string, required: true }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
  secrets:
    access: { read: none, create: public }
    fields:
      text: { type: string }
`;

let moment = new Date('2026-03-01T12:00:00Z');
let both: Both;
let turn = 0;
/** A key and a title that no other test uses. */
let [key, title] = ['', ''];

beforeAll(async () => {
  both = await serveBoth(specification, { tags: [{ name: 'a' }] }, () => moment);
});
afterAll(async () => {
  await both?.stop();
});
beforeEach(() => {
  turn += 1;
  [key, title] = [`key-${turn}`, `title ${turn}`];
});

const post = (
  body: unknown,
  headers: Record<string, string> = { 'idempotency-key': key },
  path = '/v1/posts',
): Promise<Answer> => both.send('POST', path, body, headers);

const countOf = async (name: string): Promise<number> =>
  (await both.get(`/v1/posts?title=${encodeURIComponent(name)}`)).body.length;

const seen = ({ status, headers, text }: Answer): unknown => ({
  status,
  text,
  location: headers.get('location'),
  etag: headers.get('etag'),
});

describe('the same request under one key', () => {
  test.each([
    ['a record', () => ({ title }), '/v1/posts'],
    ['an array', () => [{ title }, { title: `${title}b` }], '/v1/posts'],
    ['a record with links', () => ({ title, tags: [1] }), '/v1/posts?expand=tags'],
    ['a selection', () => ({ title }), '/v1/posts?fields=views'],
    ['what may not be read', () => ({ text: title }), '/v1/secrets'],
    ['another version', () => ({ title }), '/v2/posts'],
  ])('gives the first answer again: %s', async (_, body, path) => {
    const first = await post(body(), undefined, path);
    expect(first.status).toBe(201);
    const second = await post(body(), undefined, path);
    expect(seen(second)).toEqual(seen(first));
    const { body: all } = await both.get('/v1/posts?limit=1000');
    const mine = (all as { title: string }[]).filter((one) => one.title === title);
    expect(mine.length).toBe(path === '/v1/secrets' ? 0 : 1);
  });

  test('shows the record as it is now', async () => {
    const { headers } = await post({ title });
    await both.send('PATCH', headers.get('location') ?? '', { views: 7 });
    expect((await post({ title })).body).toMatchObject({ title, views: 7 });
  });

  test('of a record that has gone gives its id and Location', async () => {
    const first = await post({ title });
    const location = first.headers.get('location') ?? '';
    await both.send('DELETE', location);
    const second = await post({ title });
    expect(second.status).toBe(201);
    expect(second.body).toEqual({ id: first.body.id });
    expect(second.headers.get('location')).toBe(location);
    expect(second.headers.get('etag')).toBeNull();
    expect(await countOf(title)).toBe(0);
  });

  test('of an array gives the ids of those that have gone', async () => {
    const array = [{ title }, { title: `${title}b` }];
    const { body: first } = await post(array);
    await both.send('DELETE', `/v1/posts/${first[0].id}`);
    expect((await post(array)).body).toEqual([{ id: first[0].id }, first[1]]);
  });

  test('at once, on one server: one record, one answer', async () => {
    for (const side of both.sides) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          side.send('POST', '/v1/posts', { title }, { 'idempotency-key': key }),
        ),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
    }
    expect(await countOf(title)).toBe(1);
  });

  test('heeds Prefer anew', async () => {
    const first = await post({ title });
    const minimal = { 'idempotency-key': key, prefer: 'return=minimal' };
    const second = await post({ title }, minimal);
    expect([second.status, second.text]).toEqual([201, '']);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
  });

  test('is the same key in quotes', async () => {
    const first = await post({ title });
    expect(seen(await post({ title }, { 'idempotency-key': `"${key}"` }))).toEqual(seen(first));
  });
});

describe('another request under the key', () => {
  test.each([
    ['another body', () => ({ title: 'other' }), {}, '/v1/posts'],
    ['other bytes of the same body', () => `{ "title": "${title}" }`, {}, '/v1/posts'],
    [
      'another type',
      () => ({ title }),
      { 'content-type': 'application/json; charset=utf-8' },
      '/v1/posts',
    ],
    ['another query', () => ({ title }), {}, '/v1/posts?fields=title'],
  ])('%s is 422', async (_, body, headers, path) => {
    await post({ title });
    const answer = await post(body(), { 'idempotency-key': key, ...headers }, path);
    expectError(answer, 'IDEMPOTENCY_MISMATCH', '/v1/posts');
    expect(await countOf('other')).toBe(0);
  });

  test.each(['/v2/posts', '/posts', '/v1/tags'])('at %s has a key of its own', async (path) => {
    const body = path === '/v1/tags' ? { name: title } : { title: `${title}x` };
    await post({ title });
    expect((await post(body, undefined, path)).status).toBe(201);
  });
});

describe('what is kept', () => {
  test.each([
    ['422 of a value', () => ({ title: 'much longer than it may be' }), 422],
    ['400', () => ({}), 400],
    ['422 of a value that is taken', () => ({ title: 'taken' }), 422],
    ['422 of a link', () => ({ title, tags: [99] }), 422],
  ])('is no %s: the key is free after it', async (_, body, status) => {
    await both.send('POST', '/v1/posts', { title: 'taken' });
    expect((await post(body())).status).toBe(status);
    const good = await post({ title });
    expect(good.status).toBe(201);
    expect(seen(await post({ title }))).toEqual(seen(good));
  });

  test('is kept for 24 hours', async () => {
    const before = moment;
    const first = await post({ title });
    moment = new Date(before.getTime() + 24 * 3_600_000 - 1);
    expect(seen(await post({ title }))).toEqual(seen(first));
    moment = new Date(before.getTime() + 24 * 3_600_000 + 1);
    await both.send('DELETE', first.headers.get('location') ?? '');
    const later = await post({ title });
    expect(later.status).toBe(201);
    expect(later.body.id).not.toBe(first.body.id);
  });
});

describe('the header', () => {
  test.each([
    ['empty', ''],
    ['empty quotes', '""'],
    ['a blank in it', 'a b'],
    ['two keys', 'a, b'],
    ['256 characters', 'k'.repeat(256)],
    ['not ASCII', 'caf\u00e9'],
  ])('%s is 400', async (_, header) => {
    const answer = await post({ title }, { 'idempotency-key': header });
    expectError(answer, 'INVALID_PARAMETER', '/v1/posts');
    expect(answer.body.validationErrors[0].field).toBe('Idempotency-Key');
    expect(await countOf(title)).toBe(0);
  });

  test('is told of together with what else is wrong', async () => {
    const answer = await post({}, { 'idempotency-key': 'a b' }, '/v1/posts?fields=nothing');
    const fields = answer.body.validationErrors.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(['Idempotency-Key', 'fields', 'title']);
  });

  test('may have 255 characters', async () => {
    const header = { 'idempotency-key': 'k'.repeat(255) };
    expect((await post({ title }, header)).status).toBe(201);
  });

  test.each(['a b', 'key-of-others'])('%s is ignored on other methods', async (header) => {
    const { headers } = await post({ title });
    const path = headers.get('location') ?? '';
    const sent = { 'idempotency-key': header };
    expect((await both.get(path, sent)).status).toBe(200);
    expect((await both.send('PATCH', path, { views: 1 }, sent)).status).toBe(200);
    expect((await both.send('PATCH', path, { views: 2 }, sent)).body.views).toBe(2);
    expect((await both.send('PUT', path, { title, views: 3 }, sent)).body.views).toBe(3);
    expect((await both.send('DELETE', path, undefined, sent)).status).toBe(204);
    expect((await both.send('DELETE', path, undefined, sent)).status).toBe(404);
  });
});

describe('several servers over one PostgreSQL database', () => {
  let database: TestDatabase;
  let other: driver.Sql;
  const servers: TestApi[] = [];
  const failures: unknown[] = [];
  const draw = { now: () => new Date(), uuid: uuidv7 };

  beforeAll(async () => {
    const model = buildValid(specification);
    database = await createDatabase();
    other = driver(database.url, { max: 2, onnotice: () => undefined });
    for (let index = 0; index < 2; index += 1) {
      const connection = await openPostgres(database.url, { poolSize: 4 });
      if (index === 0) await migrate(connection, model);
      servers.push(await serve(model, connection, draw, failures));
    }
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await other?.end();
    await database?.drop();
  });

  const askAll = (count: number, asked = servers, isBatch = false): Promise<readonly Answer[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        (asked[index % asked.length] as TestApi).send(
          'POST',
          isBatch ? '/v1/_batch' : '/v1/posts',
          isBatch ? [{ method: 'POST', path: '/posts', body: { title } }] : { title },
          { 'idempotency-key': key },
        ),
      ),
    );

  /**
   * Runs `work` while a transaction holds every key that is claimed first; then, after so many ms or once all is answered,
   * it ends as `end` says.
   */
  const whileClaimed = async (
    work: () => Promise<readonly Answer[]>,
    after: number | 'answers',
    end: 'commit' | 'rollback',
    isBatch = false,
  ): Promise<readonly Answer[]> => {
    const [first] = await askAll(1, servers, isBatch);
    const made = isBatch ? first?.body[0].body : first?.body;
    const [row] = await other<{ scope: string }[]>`SELECT scope FROM _plinth_idempotency
      ORDER BY at DESC LIMIT 1`;
    const { scope = '' } = row ?? {};
    const [kept] = await other`SELECT * FROM _plinth_idempotency WHERE scope = ${scope}`;
    await other`DELETE FROM _plinth_idempotency WHERE scope = ${scope}`;
    await other`DELETE FROM posts WHERE id = ${made.id}`;
    const session = await other.reserve();
    await session`BEGIN`;
    await session`INSERT INTO _plinth_idempotency ${other(kept ?? {})}`;
    const answers = work();
    await (after === 'answers' ? answers : new Promise((resolve) => setTimeout(resolve, after)));
    const early = await Promise.race([answers, Promise.resolve('waiting')]);
    await (end === 'commit' ? session`COMMIT` : session`ROLLBACK`);
    session.release();
    if (after !== 'answers') expect(early).toBe('waiting');
    return answers;
  };

  test('create one record', async () => {
    const answers = await askAll(12);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    const [row] = await other`SELECT count(*)::int AS count FROM posts WHERE title = ${title}`;
    expect(row?.['count']).toBe(1);
  });

  test('wait for the first, and give its answer', async () => {
    const answers = await whileClaimed(() => askAll(4), 300, 'commit');
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const [row] = await other`SELECT count(*)::int AS count FROM posts WHERE title = ${title}`;
    expect(row?.['count']).toBe(0);
  });

  test('wait for the first, and do it themselves when that fails', async () => {
    const answers = await whileClaimed(() => askAll(4), 300, 'rollback');
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const [row] = await other`SELECT count(*)::int AS count FROM posts WHERE title = ${title}`;
    expect(row?.['count']).toBe(1);
  });

  test.each([
    ['', false, '/v1/posts'],
    [' as batches', true, '/v1/_batch'],
  ])('past server.requestTimeout are 409%s', async (_, isBatch, path) => {
    const model = buildValid(specification.replace('60s', '1s'));
    const hasty = await openPostgres(database.url, { poolSize: 4 });
    const server = await serve(model, hasty, draw, failures);
    const begun = performance.now();
    const answers = await whileClaimed(
      () => askAll(4, [server], isBatch),
      'answers',
      'rollback',
      isBatch,
    );
    // Far less than what holds by itself, 30 s.
    expect(performance.now() - begun).toBeLessThan(20_000);
    for (const answer of answers) expectError(answer, 'IDEMPOTENCY_IN_PROGRESS', path);
    await server.stop();
    expect((await askAll(1, servers, isBatch))[0]?.status).toBe(isBatch ? 200 : 201);
  });

  test('under another default version the same path has a key of its own', async () => {
    const model = buildValid(specification.replace('api: {', 'api: { defaultVersion: 1,'));
    const connection = await openPostgres(database.url, { poolSize: 2 });
    const former = await serve(model, connection, draw, failures);
    const headers = { 'idempotency-key': key };
    const made = await servers[0]?.send('POST', '/posts', { title }, headers);
    const other = await former.send('POST', '/posts', { title: `${title}b` }, headers);
    expect([made?.status, other.status]).toEqual([201, 201]);
    await former.stop();
  });

  test('what has expired is forgotten', async () => {
    await other`INSERT INTO _plinth_idempotency (scope, request, at)
      SELECT 'old ' || i, '', '2020-01-01T00:00:00.000Z' FROM generate_series(1, 1500) AS i`;
    const model = buildValid(specification);
    const fresh = await openPostgres(database.url, { poolSize: 2 });
    const server = await serve(model, fresh, draw, failures);
    for (const name of ['one', 'two', 'three'])
      await server.send('POST', '/v1/tags', { name }, { 'idempotency-key': name });
    await server.stop();
    const [row] =
      await other`SELECT count(*)::int AS count FROM _plinth_idempotency WHERE scope LIKE 'old %'`;
    expect(row?.['count']).toBe(0);
  });

  test('nothing unforeseen has happened', () => {
    expect(failures).toEqual([]);
  });
});
