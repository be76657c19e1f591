import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSource } from '../../src/openapi/client/client.ts';
import { serveGenerated } from '../generate/generate.ts';
import { expectErrors } from '../model/model.ts';
import { buildValid, type TestApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { fullView } from '../support/openapi.ts';
import { expectBodies, expectRefusals, expectRows } from '../support/tables.ts';

const specification = `
resources:
  accounts:
    fields:
      id: { type: id, format: bigint }
      name: { type: string }
      balance: { type: integer, format: bigint, unique: true }
      ceiling: { type: integer, format: bigint, default: 7, nullable: false }
      fixed: { type: integer, format: bigint, immutable: true }
      levels: { type: array, items: { type: integer, format: bigint } }
      more: { type: object, properties: { total: { type: integer, format: bigint } } }
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: accountId }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: account-tags, withPivot: [rank] }
      notes: { type: relation, relation: morphMany, resource: notes }
  posts:
    fields:
      title: { type: string }
      account: { type: relation, relation: belongsTo, resource: accounts, onDelete: cascade }
      balanceOf: { type: integer, format: bigint, reference: accounts.balance }
  tags:
    fields:
      id: { type: id, format: bigint }
      name: { type: string }
      accounts: { type: relation, relation: belongsToMany, resource: accounts, through: account-tags }
  account-tags:
    fields:
      rank: { type: integer, format: bigint }
  notes:
    fields:
      text: { type: string }
      owner: { type: relation, relation: morphTo, resources: [accounts, tags] }
  pictures:
    fields:
      id: { type: id, format: uuid }
      seen: { type: relation, relation: morphTo, typeField: seenType, idField: seenId, resources: [accounts, pictures] }
`;

/** 2⁵³ + 1 and the ends of 64 bits. */
const odd = '9007199254740993';
const most = '9223372036854775807';
const least = '-9223372036854775808';

let api: Both;
const source = (): TestApi => api;
beforeAll(async () => {
  api = await serveBoth(specification, {
    accounts: [
      { name: 'a', balance: odd, fixed: odd, levels: [odd, 1], more: { total: odd } },
      { name: 'b', balance: 9_007_199_254_740_992, ceiling: '-1', levels: ['9', '10'] },
      { name: 'c', balance: most, levels: ['10'], more: { total: 5 } },
      { name: 'd', balance: least, levels: [] },
      { name: 'e' },
    ],
    tags: [{ name: 'x' }, { name: 'y' }],
    posts: [
      { title: 'p', accountId: '1', balanceOf: odd },
      { title: 'q', accountId: 1, balanceOf: most },
      { title: 'r', accountId: '3' },
      { title: 's' },
    ],
    notes: [{ text: 'n', ownerType: 'accounts', ownerId: '1' }],
    pictures: [{ seenType: 'accounts', seenId: '3' }],
  });
});
afterAll(() => api.stop());

const ids = (...numbers: number[]): string[] => numbers.map(String);

describe('what is read', () => {
  expectBodies(source, [
    [
      'all digits, as strings',
      '/v1/accounts/1',
      {
        id: '1',
        name: 'a',
        balance: odd,
        ceiling: '7',
        fixed: odd,
        levels: [odd, '1'],
        more: { total: odd },
      },
    ],
    ['a selection', '/v1/accounts/4?fields=balance', { id: '4', balance: least }],
    [
      'keys',
      '/v1/posts?fields=accountId,balanceOf',
      [
        { id: 1, accountId: '1', balanceOf: odd },
        { id: 2, accountId: '1', balanceOf: most },
        { id: 3, accountId: '3', balanceOf: null },
        { id: 4, accountId: null, balanceOf: null },
      ],
    ],
  ]);

  test.each(['01', '1.0', '+1', '9223372036854775808', 'x'])('no record is at %s', async (id) => {
    expect((await api.get(`/v1/accounts/${encodeURIComponent(id)}`)).status).toBe(404);
  });
});

describe('filters', () => {
  expectRows(source, '/v1/accounts', [
    ['equality tells neighbours apart', `balance=${odd}`, ids(1)],
    ['and the neighbour', 'balance=9007199254740992', ids(2)],
    ['zeros behind the point', 'balance=9007199254740993.00', ids(1)],
    ['neq keeps null', `balance_neq=${odd}`, ids(2, 3, 4, 5)],
    ['in', `balance_in=${odd},${least}`, ids(1, 4)],
    ['nin', `balance_nin=${odd},${least}`, ids(2, 3, 5)],
    ['gt', 'balance_gt=9007199254740992', ids(1, 3)],
    ['gte', `balance_gte=${odd}`, ids(1, 3)],
    ['lt', `balance_lt=${odd}`, ids(2, 4)],
    ['lte', `balance_lte=${least}`, ids(4)],
    ['null', 'balance_null=true', ids(5)],
    ['id', 'id_in=1,3', ids(1, 3)],
    ['a union of ids', 'id=2&id=4', ids(2, 4)],
    ['id by order', 'id_gt=3', ids(4, 5)],
    ['or', `_or=balance:${odd},name:e`, ids(1, 5)],
    ['items', `levels_contains=${odd}`, ids(1)],
    ['all items', 'levels_containsAll=10,9', ids(2)],
    ['any item', `levels_containsAny=10,${odd}`, ids(1, 2, 3)],
    ['a member', `more.total=${odd}`, ids(1)],
    ['a member that was sent as a number', 'more.total_in=5', ids(3)],
    ['through a relation', `posts.balanceOf=${most}`, ids(1)],
    ['by a related id', 'posts.id=3', ids(3)],
    ['a relation that is there', 'posts_exists=true', ids(1, 3)],
  ]);
  expectRefusals(source, '/v1/accounts', [
    [
      'beyond 64 bits',
      'balance=9223372036854775808',
      'INVALID_FILTER',
      'balance: "9223372036854775808" does not fit: it takes a whole number from -9223372036854775808 to 9223372036854775807',
    ],
    [
      'the order of a member',
      'more.total_gt=1',
      'INVALID_FILTER',
      'more.total_gt: more.total is of type integer, which takes _eq, _neq, _in, _nin, _exists, _null, not _gt',
    ],
  ]);
});

describe('sorts and cursors', () => {
  expectRows(source, '/v1/accounts', [
    ['by number', 'sort=balance', ids(5, 4, 2, 1, 3)],
    ['descending', 'sort=-balance', ids(3, 1, 2, 4, 5)],
    ['by id', 'sort=-id', ids(5, 4, 3, 2, 1)],
    ['by the first item', 'sort=levels', ids(4, 5, 2, 3, 1)],
    ['by a to-many path', 'sort=-posts.balanceOf&nulls=last', ids(1, 5, 4, 3, 2)],
  ]);
  expectRows(source, '/v1/posts', [
    ['by a to-one path', 'sort=account.balance&nulls=last', [1, 2, 3, 4]],
  ]);

  test.each(['balance', '-balance', 'ceiling,-balance', '-levels', 'id'])(
    'pages by %s meet every record once',
    async (sort) => {
      const all = await api.get(`/v1/accounts?sort=${sort}&nulls=first`);
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await api.get(
          `/v1/accounts?sort=${sort}&nulls=first&limit=1&cursor=${cursor}`,
        );
        found.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
      }
      expect(found).toEqual(all.body.map(({ id }: { id: string }) => id));
    },
  );
});

describe('expansions', () => {
  expectBodies(source, [
    [
      'to one',
      '/v1/posts?expand=account&fields=account.balance&limit=3',
      [
        { id: 1, account: { id: '1', balance: odd } },
        { id: 2, account: { id: '1', balance: odd } },
        { id: 3, account: { id: '3', balance: most } },
      ],
    ],
    [
      'to many',
      '/v1/accounts?id_in=1,3,5&expand=posts&fields=posts.title',
      [
        {
          id: '1',
          posts: [
            { id: 1, title: 'p' },
            { id: 2, title: 'q' },
          ],
        },
        { id: '3', posts: [{ id: 3, title: 'r' }] },
        { id: '5', posts: [] },
      ],
    ],
    [
      'paged',
      '/v1/accounts/1?expand=posts&posts.limit=1&fields=posts.title',
      {
        id: '1',
        posts: [{ id: 1, title: 'p' }],
        _pagination: { posts: { page: 1, limit: 1, total: 2, totalPages: 2 } },
      },
    ],
    [
      'through a pair of its type',
      '/v1/notes?expand=owner&fields=ownerId,owner.name',
      [{ id: 1, ownerId: '1', owner: { id: '1', name: 'a' } }],
    ],
    [
      'the other side of it',
      '/v1/accounts/1?expand=notes&fields=notes.text',
      { id: '1', notes: [{ id: 1, text: 'n' }] },
    ],
  ]);

  test('through a pair whose ids are texts', async () => {
    const { body } = await api.get('/v1/pictures?expand=seen&fields=seenId,seen.name');
    expect(body).toMatchObject([{ seenId: '3', seen: { id: '3', name: 'c' } }]);
    const found = await api.get('/v1/pictures?seen:accounts.name=c');
    expect(found.body).toHaveLength(1);
  });
});

describe('writes', () => {
  test('a record by itself, its links, a change and a delete', async () => {
    const made = await api.send('POST', '/v1/accounts?expand=tags', {
      name: 'w',
      balance: '42',
      tags: ['1', { id: 2, pivot: { rank: odd } }],
    });
    expect(made.status, made.text).toBe(201);
    const { id } = made.body;
    expect(made.headers.get('location')).toBe(`/v1/accounts/${id}`);
    expect(made.body).toMatchObject({
      balance: '42',
      ceiling: '7',
      tags: [{ id: '1' }, { id: '2' }],
    });
    const path = `/v1/accounts/${id}`;
    const changed = await api.send('PATCH', path, { balance: 9_007_199_254_740_994, tags: ['2'] });
    expect(changed.body.balance).toBe('9007199254740994');
    const links = await api.get(`${path}?expand=tags&fields=tags.name,tags.pivot`);
    expect(links.body).toEqual({ id, tags: [{ id: '2', name: 'y', pivot: { rank: odd } }] });
    const merged = await api.send('PATCH', path, JSON.stringify({ more: { total: null } }), {
      'content-type': 'application/merge-patch+json',
    });
    expect(merged.status, merged.text).toBe(200);
    const tag = (await api.get(path)).headers.get('etag') ?? '';
    const put = await api.send('PUT', path, { ...merged.body, balance: null }, { 'if-match': tag });
    expect(put.body).toMatchObject({ id, balance: null, ceiling: '7' });
    const removed = await api.send('PATCH', path, { tags: { remove: ['2'], add: [1] } });
    expect(removed.status, removed.text).toBe(200);
    await api.send('POST', '/v1/posts', { title: 'gone', accountId: id });
    expect((await api.send('DELETE', path)).status).toBe(204);
    expect((await api.get(`/v1/posts?accountId=${id}`)).body).toEqual([]);
  });

  test('several records come back in their order', async () => {
    const names = Array.from({ length: 12 }, (_, index) => ({ name: `n${index}` }));
    const { status, body } = await api.send('POST', '/v1/accounts', names);
    expect(status).toBe(201);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(names.map(({ name }) => name));
    const { body: again } = await api.get(
      `/v1/accounts?id_in=${body.map(({ id }: { id: string }) => id).join(',')}`,
    );
    expect(again).toEqual(body);
  });

  test('a repeated request is answered from its ids', async () => {
    const key = { 'idempotency-key': 'one' };
    const first = await api.send('POST', '/v1/accounts', { name: 'k', balance: '77' }, key);
    const again = await api.send('POST', '/v1/accounts', { name: 'k', balance: '77' }, key);
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
  });

  test.each([
    ['beyond 64 bits', { balance: '9223372036854775808' }, 422],
    ['no whole number', { balance: 1.5 }, 422],
    ['another type', { balance: true }, 400],
    ['null where none is allowed', { ceiling: null }, 400],
    ['a taken value', { balance: odd }, 422],
    ['an id', { id: '99' }, 400],
    ['a pivot that does not fit', { tags: [{ id: '1', pivot: { rank: 'x' } }] }, 422],
    ['a link that leads nowhere', { tags: [most] }, 422],
  ])('%s is refused', async (_, body, status) => {
    const answer = await api.send('POST', '/v1/accounts', body);
    expect(answer.status, answer.text).toBe(status);
  });

  test.each([
    ['a key that leads nowhere', { accountId: most }],
    ['to a neighbour', { balanceOf: '9007199254740991' }],
  ])('%s is refused', async (_, body) => {
    expect((await api.send('POST', '/v1/posts', body)).status).toBe(422);
  });

  test('an immutable value may be sent as it is', async () => {
    const same = await api.send('PATCH', '/v1/accounts/1', { fixed: odd });
    expect(same.status, same.text).toBe(200);
    const other = await api.send('PATCH', '/v1/accounts/1', { fixed: '9007199254740992' });
    expect(other.status).toBe(400);
  });
});

describe('ids beyond 2⁵³', () => {
  test('are given, read and led to', async () => {
    const sql = `SELECT setval(pg_get_serial_sequence('tags', 'id'), ${odd})`;
    await api.postgres.writeOne({ sql, parameters: [] }, { bound: [] });
    api.sqlite.schemaConnection.exec(`UPDATE sqlite_sequence SET seq = ${odd} WHERE name = 'tags'`);
    const made = await api.send('POST', '/v1/tags?expand=accounts', {
      name: 'far',
      accounts: ['1'],
    });
    expect(made.body).toMatchObject({ id: '9007199254740994', accounts: [{ id: '1' }] });
    const more = await api.send('POST', '/v1/tags', [{ name: 'f1' }, { name: 'f2' }]);
    expect(more.body).toEqual([
      { id: '9007199254740995', name: 'f1' },
      { id: '9007199254740996', name: 'f2' },
    ]);
    const noted = await api.send('POST', '/v1/notes', {
      text: 'far',
      ownerType: 'tags',
      ownerId: '9007199254740995',
    });
    expect(noted.status, noted.text).toBe(201);
    const found = await api.get('/v1/notes?text=far&expand=owner&fields=owner.name');
    expect(found.body).toMatchObject([{ owner: { id: '9007199254740995', name: 'f1' } }]);
    const { body } = await api.get('/v1/accounts/1?expand=tags&fields=tags.name');
    expect(body.tags).toEqual([{ id: '9007199254740994', name: 'far', pivot: { rank: null } }]);
    const linked = await api.send('PATCH', '/v1/accounts/1', {
      tags: { add: ['9007199254740995'], remove: ['9007199254740994'] },
    });
    expect(linked.status, linked.text).toBe(200);
    const { text } = await api.get('/v1/tags?id_gt=2', { accept: 'text/csv' });
    expect(text).toContain('9007199254740996,f2');
    expect((await api.send('DELETE', '/v1/tags/9007199254740996')).status).toBe(204);
    expect((await api.get('/v1/tags/9007199254740996')).status).toBe(404);
    expect((await api.get('/v1/tags/9007199254740995')).body.name).toBe('f1');
  });
});

test('the typed client has strings', () => {
  const model = buildValid(specification);
  const version = model.versions.get(1);
  const client = version === undefined ? '' : clientSource(fullView(model, version));
  expect(client).toContain('  id: string;\n');
  expect(client).toContain('  balance: string | null;');
  expect(client).toContain('  balance?: string | number | null');
});

test('generated records fit, and lead to each other', async () => {
  const both = await serveGenerated(specification);
  try {
    const { body } = await both.get('/v1/posts?expand=account&limit=100');
    const posts = body as { accountId: string | null; account: { id: string } | null }[];
    expect(posts.some(({ account }) => account !== null)).toBe(true);
    expect(posts.filter(({ accountId, account }) => accountId !== (account?.id ?? null))).toEqual(
      [],
    );
    const { body: accounts } = await both.get('/v1/accounts?expand=tags&limit=100');
    expect(accounts.flatMap(({ tags }: { tags: unknown[] }) => tags).length).toBeGreaterThan(0);
  } finally {
    await both.stop();
  }
});

describe('keys in the file', () => {
  expectErrors([
    [
      'of another type',
      `resources:
  a: { fields: { id: { type: id, format: bigint } } }
  b: { fields: { aId: { type: integer, reference: ¦a.id } } }`,
      'resources.b.fields.aId.reference: b.aId is of type integer; as a key to a.id it must be of type integer with format: bigint',
    ],
    [
      'to an integer',
      `resources:
  a: { fields: { x: { type: string } } }
  b: { fields: { aId: { type: integer, format: bigint, reference: ¦a.id } } }`,
      'resources.b.fields.aId.reference: b.aId is of type integer with format: bigint; as a key to a.id it must be of type integer',
    ],
    [
      'of a pair',
      `resources:
  a: { fields: { id: { type: id, format: bigint } } }
  b: { fields: { ¦ownerId: { type: integer }, owner: { type: relation, relation: morphTo, resources: [a] } } }`,
      'resources.b.fields.ownerId: b.ownerId is of type integer; in a morph pair it must be of type integer with format: bigint',
    ],
    [
      'another format',
      'resources: { a: { fields: { x: { type: integer, format: ¦int32 } } } }',
      'resources.a.fields.x.format: `format` must be bigint, not `int32`',
    ],
  ]);
});
