import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, serve, serveApi, type TestApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { until } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

const specification = `
${withTokens}
audit: true
access: { read: [authenticated, auditor], write: [authenticated] }
resources:
  posts:
    fields:
      title: { type: string }
      views: { type: integer, default: 0 }
      parentId: { type: integer, reference: posts.id, onDelete: cascade }
  comments:
    fields:
      postId: { type: integer, required: true, reference: posts.id, onDelete: cascade }
  bookmarks:
    fields:
      postId: { type: integer, reference: posts.id, onDelete: setNull }
`;

const auditor = caller({ sub: 'eve', roles: ['auditor'] });

interface Change {
  readonly resource: string;
  readonly recordId: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

async function all<Item>(side: TestApi, path: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await side.get(`${path}?limit=1000&page=${page}`, auditor);
    if (!Array.isArray(body)) throw new Error(JSON.stringify(body));
    items.push(...(body as Item[]));
    if ((body as Item[]).length < 1_000) return items;
  }
}

/** The records that the log leads to: what was created, with all changes made, without what was deleted. */
function replay(changes: readonly Change[], resource: string): readonly object[] {
  const records = new Map<string, Record<string, unknown>>();
  for (const change of changes) {
    if (change.resource !== resource) continue;
    const { recordId, operation, before, after } = change;
    const record = records.get(recordId);
    if (operation === 'create') {
      expect(record).toBeUndefined();
      records.set(recordId, { ...after });
    } else {
      expect(record, `${operation} of ${resource}/${recordId}`).toMatchObject(before ?? {});
      if (operation === 'delete') records.delete(recordId);
      else records.set(recordId, { ...record, ...after });
    }
  }
  return [...records.values()].sort((a, b) => Number(a['id']) - Number(b['id']));
}

describe('writes at once', () => {
  let both: Both;
  beforeAll(async () => {
    both = await serveBoth(specification);
  });
  afterAll(async () => {
    await both?.stop();
  });

  test.each([0, 1])('the log leads to what is there: side %i', async (number) => {
    const side = both.sides[number];
    if (side === undefined) throw new Error('There are two sides');
    const send = async (method: string, path: string, body?: object): Promise<number> =>
      (await side.send(method, path, body, auditor)).status;
    const statuses = new Set<number>();
    for (let round = 0; round < 8; round += 1) {
      const { body } = await side.send('POST', '/v1/posts', [{}, {}], auditor);
      const [one, other] = (body as { id: number }[]).map(({ id }) => id);
      const done = await Promise.all([
        ...Array.from({ length: 6 }, () => send('POST', '/v1/posts', { parentId: one })),
        ...Array.from({ length: 6 }, () => send('POST', '/v1/comments', { postId: one })),
        ...Array.from({ length: 4 }, () => send('POST', '/v1/bookmarks', { postId: one })),
        ...Array.from({ length: 4 }, (_, views) => send('PATCH', `/v1/posts/${one}`, { views })),
        ...Array.from({ length: 4 }, (_, views) => send('PATCH', `/v1/posts/${other}`, { views })),
        send('DELETE', `/v1/posts/${one}`),
        send('DELETE', `/v1/posts/${one}`),
      ]);
      for (const status of done) statuses.add(status);
    }
    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    const changes = await all<Change>(side, '/_audit');
    for (const resource of ['posts', 'comments', 'bookmarks']) {
      const stored = await all<Record<string, unknown>>(side, `/v1/${resource}`);
      const filled = stored.map((record) =>
        Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
      );
      const left = replay(changes, resource).map((record) =>
        Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
      );
      expect(left, resource).toEqual(filled);
    }
  });
});

test('no reference appears between what a delete has recorded and what it deletes', async () => {
  const { url, drop } = await createDatabase();
  const model = buildValid(specification);
  const database = await openPostgres(url, { poolSize: 4 });
  await migrate(database, model);
  const api = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, []);
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  try {
    await api.send('POST', '/v1/posts', {}, auditor);
    await api.send('POST', '/v1/posts', { parentId: 1 }, auditor);
    // The delete of post 1 stops at its record in the log, after everything that it takes with it was found.
    await sql.unsafe(`
      CREATE FUNCTION stop() RETURNS trigger AS
        $$BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END$$ LANGUAGE plpgsql;
      CREATE TRIGGER stop BEFORE INSERT ON _plinth_audit FOR EACH ROW
        WHEN (NEW.operation = 'delete' AND NEW."recordId" = '1') EXECUTE FUNCTION stop();
      SELECT pg_advisory_lock(42)`);
    const waiting = async (): Promise<number> =>
      (await sql`SELECT DISTINCT pid FROM pg_locks WHERE NOT granted`).length;
    const gone = api.send('DELETE', '/v1/posts/1', undefined, auditor);
    await until(async () => (await waiting()) === 1);
    let isAnswered = false;
    const made = api.send('POST', '/v1/comments', { postId: 2 }, auditor).then(({ status }) => {
      isAnswered = true;
      return status;
    });
    await until(async () => isAnswered || (await waiting()) === 2);
    await sql`SELECT pg_advisory_unlock(42)`;
    expect([(await gone).status, await made]).toEqual([204, 422]);
    const changes = await all<Change>(api, '/_audit');
    expect(changes.filter(({ resource }) => resource === 'comments')).toEqual([]);
  } finally {
    await sql.end();
    await api.stop();
    await drop();
  }
});

test('a write that replaces more than can be recorded at once is refused, and others are not', async () => {
  const api = await serveApi(`
${withTokens}
audit: true
access: { read: [authenticated, auditor], write: [authenticated] }
resources:
  posts:
    fields:
      title: { type: string }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [label] }
  tags: { fields: { name: { type: string } } }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
      label: { type: string }
`);
  try {
    const patch = async (body: object): Promise<unknown> => {
      const { status, body: answer } = await api.send('PATCH', '/v1/posts/1', body, auditor);
      return status < 400 ? status : (answer as { code: string }).code;
    };
    const lengthen = (what: string, length: number, where: string): Promise<unknown> => {
      const sql = `UPDATE ${what} = hex(zeroblob(${length / 2})) WHERE ${where}`;
      return api.servedApi.database.write(({ run }) => run({ sql, parameters: [] }, { bound: [] }));
    };
    const tags = [1, 2, 3, 4].map((id) => ({ id, pivot: { label: 'short' } }));
    await api.send('POST', '/v1/tags', [{}, {}, {}, {}], auditor);
    await api.send('POST', '/v1/posts', { tags }, auditor);
    const size = 3 * 1024 * 1024;
    await lengthen('"post-tags" SET label', size, '"tagId" < 4');
    expect(await patch({ tags })).toBe(200);
    await lengthen('"post-tags" SET label', size, 'true');
    expect(await patch({ tags })).toBe('LIMIT_EXCEEDED');
    await lengthen('posts SET title', 4 * size, 'true');
    expect(await patch({ title: 'short' })).toBe(200);
  } finally {
    await api.stop();
  }
});
