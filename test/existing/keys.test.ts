import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { neededSteps } from '../../src/migrations/steps.ts';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';
import type { Answer } from '../support/api.ts';

/**
 * Tables whose key has several columns, or is not called `id`, on both databases. See
 * docs/contract/8-existing-databases.md#keys.
 */
const specification = `
access: public
debug: true
database: { managed: false }
resources:
  orders:
    fields:
      name: { type: string }
      items: { type: relation, relation: hasMany, resource: items }
      products: { type: relation, relation: belongsToMany, resource: products, through: items, withPivot: [quantity, lineNo] }
  products:
    key: sku
    fields:
      sku: { type: string }
      title: { type: string, nullable: false }
      items: { type: relation, relation: hasMany, resource: items }
      orders: { type: relation, relation: belongsToMany, resource: orders, through: items }
  items:
    table: order_items
    key: [orderId, lineNo]
    fields:
      orderId: { type: integer, column: order_id }
      lineNo: { type: integer, column: line_no }
      sku: { type: string, column: product_sku, reference: products.sku }
      quantity: { type: integer, nullable: false, default: 1 }
      order: { type: relation, relation: belongsTo, resource: orders }
      product: { type: relation, relation: belongsTo, resource: products, foreignKey: sku }
  labels:
    key: [owner, name]
    fields:
      owner: { type: uuid }
      name: { type: string }
      note: { type: string }
  slots:
    key: [day, part]
    fields:
      day: { type: date }
      part: { type: enum, values: [early, late] }
      room: { type: string }
  readings:
    key: [tenant, at, code]
    pagination: cursor
    fields:
      tenant: { type: integer }
      at: { type: datetime }
      code: { type: string }
      value: { type: decimal, precision: 10, scale: 2 }
  films:
    fields:
      title: { type: string, nullable: false }
      actors: { type: relation, relation: belongsToMany, resource: actors, through: castings, withPivot: [billing] }
  actors:
    fields:
      name: { type: string, nullable: false }
      films: { type: relation, relation: belongsToMany, resource: films, through: castings }
  castings:
    table: film_actor
    key: [filmId, actorId]
    fields:
      filmId: { type: integer, column: film_id, reference: films.id, onDelete: cascade }
      actorId: { type: integer, column: actor_id, reference: actors.id }
      billing: { type: integer }
  entries:
    key: [book, sheet]
    access: { read: [{ role: public, where: 'book=mine' }], create: [{ role: public, where: 'book=mine' }], update: [{ role: public, where: 'book=mine' }], delete: [{ role: public, where: 'book=mine' }] }
    fields:
      book: { type: string }
      sheet: { type: integer }
      text: { type: string }
`;

const [owner, other] = [
  '00000000-0000-7000-8000-000000000001',
  '00000000-0000-7000-8000-000000000002',
];
const names = ['a', 'a,b', '50%', 'a/b', 'ä', '%2C', '1"2', "'", ' ', ''];
const rows = `
INSERT INTO orders (id, name) VALUES (1, 'one'), (2, 'two'), (3, 'three');
INSERT INTO products (sku, title) VALUES ('nut', 'Nut'), ('a/b', 'Slash'), ('bolt', 'Bolt');
INSERT INTO order_items (order_id, line_no, product_sku, quantity) VALUES (2, 1, 'nut', 5), (1, 2, 'bolt', 2), (1, 1, 'nut', 1), (1, 10, 'a/b', 3);
${names.map((name) => `INSERT INTO labels (owner, name, note) VALUES ('${owner}', '${name.replaceAll("'", "''")}', 'x');`).join('\n')}
INSERT INTO labels (owner, name, note) VALUES ('${other}', 'a', 'y');
INSERT INTO slots (day, part, room) VALUES ('2026-03-01', 'late', 'r1'), ('2026-03-01', 'early', 'r2'), ('2026-02-28', 'late', 'r3');
INSERT INTO films (id, title) VALUES (1, 'Alpha'), (2, 'Beta'), (3, 'Gamma');
INSERT INTO actors (id, name) VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
INSERT INTO film_actor (film_id, actor_id, billing) VALUES (1, 2, 1), (1, 1, 2), (2, 1, 1);
INSERT INTO entries (book, sheet, text) VALUES ('mine', 1, 'a'), ('yours', 1, 'b'), ('mine', 2, 'c');
`;
const moments = ['2026-03-01 14:05:00.123', '2026-03-01 14:05:00.2', '2026-02-01 00:00:00'];

const sqliteSql = `
PRAGMA foreign_keys = ON;
CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE products (sku TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL);
CREATE TABLE order_items (order_id INTEGER NOT NULL REFERENCES orders, line_no INTEGER NOT NULL, product_sku TEXT REFERENCES products, quantity INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (order_id, line_no));
CREATE TABLE labels (owner TEXT NOT NULL, name TEXT NOT NULL, note TEXT, PRIMARY KEY (owner, name)) WITHOUT ROWID;
CREATE TABLE slots (day TEXT NOT NULL, part TEXT NOT NULL, room TEXT, PRIMARY KEY (day, part));
CREATE TABLE readings (tenant INTEGER NOT NULL, at TEXT NOT NULL, code TEXT NOT NULL, value TEXT, PRIMARY KEY (tenant, at, code));
CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE actors (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE film_actor (film_id INTEGER NOT NULL REFERENCES films ON DELETE CASCADE, actor_id INTEGER NOT NULL REFERENCES actors, billing INTEGER, PRIMARY KEY (film_id, actor_id));
CREATE TABLE entries (book TEXT NOT NULL, sheet INTEGER NOT NULL, text TEXT, PRIMARY KEY (book, sheet));
${rows}
${moments.map((at, index) => `INSERT INTO readings VALUES (1, '${at.replace(' ', 'T').padEnd(19).slice(0, 19)}.${(at.split('.')[1] ?? '').padEnd(3, '0')}Z', 'c${index}', '1.50');`).join('\n')}
`;
const postgresSql = `
CREATE TYPE part AS ENUM ('early', 'late');
CREATE TABLE orders (id serial PRIMARY KEY, name text);
CREATE TABLE products (sku varchar(20) PRIMARY KEY, title text NOT NULL);
CREATE TABLE order_items (order_id integer NOT NULL REFERENCES orders, line_no smallint NOT NULL, product_sku varchar(20) REFERENCES products, quantity integer NOT NULL DEFAULT 1, PRIMARY KEY (order_id, line_no));
CREATE TABLE labels (owner uuid, name text COLLATE "C", note text, PRIMARY KEY (owner, name));
CREATE TABLE slots (day date, part part, room text, PRIMARY KEY (day, part));
CREATE TABLE readings (tenant bigint, at timestamptz(3), code text COLLATE "C", value numeric(10, 2), PRIMARY KEY (tenant, at, code));
CREATE TABLE films (id serial PRIMARY KEY, title text NOT NULL);
CREATE TABLE actors (id serial PRIMARY KEY, name text NOT NULL);
CREATE TABLE film_actor (film_id integer REFERENCES films ON DELETE CASCADE, actor_id integer REFERENCES actors, billing smallint, PRIMARY KEY (film_id, actor_id));
CREATE TABLE entries (book text COLLATE "C", sheet integer, text text, PRIMARY KEY (book, sheet));
${rows}
${moments.map((at, index) => `INSERT INTO readings VALUES (1, '${at}+00', 'c${index}', 1.5);`).join('\n')}
SELECT setval('orders_id_seq', 3), setval('films_id_seq', 3), setval('actors_id_seq', 3);
`;

let databases: readonly Existing[];
beforeAll(async () => {
  databases = [
    await existingSqlite(specification, sqliteSql),
    await existingPostgres(specification, postgresSql),
  ];
});
afterAll(async () => {
  for (const database of databases ?? []) await database.stop();
});

/** Sends a request to both, whose answers must be the same. */
async function send(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  const answers: Answer[] = [];
  for (const { api } of databases) answers.push(await api.send(method, path, body, headers));
  const [one, two] = answers;
  if (one === undefined || two === undefined) throw new Error('no database');
  const shown = ({ status, text }: Answer): readonly unknown[] => [
    path,
    status,
    text.replaceAll(/"requestId":"[^"]*"/gu, ''),
  ];
  expect(shown(two)).toEqual(shown(one));
  return one;
}
const get = (path: string): Promise<Answer> => send('GET', path);

async function idsOf(path: string): Promise<readonly unknown[]> {
  const { status, body } = await get(path);
  expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
  return ((Array.isArray(body) ? body : body.data) as { id: unknown }[]).map(({ id }) => id);
}
const idOf = (...parts: readonly (string | number)[]): string =>
  parts
    .map((part) =>
      String(part).replaceAll('%', '%25').replaceAll(',', '%2C').replaceAll('/', '%2F'),
    )
    .join(',');
const pathOf = (resource: string, id: string): string => `/${resource}/${encodeURIComponent(id)}`;

test('nothing has to be changed', () => {
  for (const { steps } of databases)
    expect(neededSteps(steps).map(({ summary, obstacle }) => [summary, obstacle])).toEqual([]);
});

describe('reading', () => {
  test.each([
    ['items', '1,2', { id: '1,2', orderId: 1, lineNo: 2, sku: 'bolt', quantity: 2 }],
    ['slots', '2026-03-01,early', { id: '2026-03-01,early', day: '2026-03-01', part: 'early' }],
    ['readings', '1,2026-03-01T14:05:00.200Z,c1', { tenant: 1, code: 'c1', value: '1.50' }],
    ['products', 'nut', { id: 'nut', sku: 'nut', title: 'Nut' }],
    ['products', 'a/b', { id: 'a/b', sku: 'a/b' }],
  ])('%s %s', async (resource, id, record) => {
    const { status, body } = await get(pathOf(resource, id));
    expect([status, body]).toEqual([200, expect.objectContaining(record)]);
  });

  test.each(names)('the label %j', async (name) => {
    const id = idOf(owner, name);
    const { status, body } = await get(pathOf('labels', id));
    expect([status, body]).toEqual([200, { id, owner, name, note: 'x' }]);
    expect(await idsOf(`/labels?id=${encodeURIComponent(id)}`)).toEqual([id]);
    expect(await idsOf(`/labels?id_in=${encodeURIComponent(JSON.stringify(id))}`)).toEqual([id]);
  });

  test.each([
    ['items', '1'],
    ['items', '1,2,3'],
    ['items', '1,x'],
    ['items', '1,'],
    ['items', ',1'],
    ['items', '9,9'],
    ['items', '1,2%'],
    ['items', '1,2%20'],
    ['items', '1,99999999999999999999'],
    ['items', '1,70000'],
    ['items', '1,2 '],
    ['items', '["1", "2"]'],
    ['labels', 'x,a'],
    ['labels', `${owner},a%`],
    ['labels', `${owner},a/b`],
    ['labels', `${owner},none`],
    ['slots', '2026-02-30,late'],
    ['slots', '2026-03-01,noon'],
    ['slots', '2026-03-01,Late'],
    ['products', 'none'],
  ])('%s %s is 404', async (resource, id) => {
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        (await send(method, pathOf(resource, id), method === 'PATCH' ? {} : undefined)).status,
      ).toBe(404);
  });
});

describe('lists', () => {
  const items = ['1,1', '1,2', '1,10', '2,1'];
  test.each([
    ['/items', items],
    ['/items?sort=id', items],
    ['/items?sort=-id', items.toReversed()],
    ['/items?sort=-lineNo', ['1,10', '1,2', '2,1', '1,1']],
    ['/items?sort=lineNo', ['1,1', '2,1', '1,2', '1,10']],
    ['/items?sort=product.title,-id', ['1,2', '2,1', '1,1', '1,10']],
    ['/items?sort=order.name', ['1,1', '1,2', '1,10', '2,1']],
    ['/items?id=1,2', ['1,2']],
    ['/items?id=1,2&id=2,1', ['1,2', '2,1']],
    ['/items?id_in=1,2,2,1', ['1,2', '2,1']],
    ['/items?id_in=%221,2%22,%222,1%22', ['1,2', '2,1']],
    ['/items?id_nin=1,2,2,1', ['1,1', '1,10']],
    ['/items?id_neq=1,2', ['1,1', '1,10', '2,1']],
    ['/items?id_null=true', []],
    ['/items?id_null=false', items],
    ['/items?_or=id:%221,1%22,quantity:5', ['1,1', '2,1']],
    ['/items?order.name=one&limit=2', ['1,1', '1,2']],
    ['/orders?items.id=1,2', [1]],
    ['/orders?items.id_in=1,2,2,1', [1, 2]],
    ['/orders?items_null=true', [3]],
    ['/orders?products.title=Nut', [1, 2]],
    ['/orders?products.id=nut', [1, 2]],
    ['/orders?sort=-items.quantity', [2, 1, 3]],
    ['/products?id_gt=b', ['bolt', 'nut']],
    ['/products?sort=-id', ['nut', 'bolt', 'a/b']],
    ['/products?orders.id=2', ['nut']],
    ['/slots', ['2026-02-28,late', '2026-03-01,early', '2026-03-01,late']],
    ['/slots?page=2&limit=2', ['2026-03-01,late']],
    ['/films?actors.name=Ann', [1, 2]],
    ['/films?actors.pivot.billing=1', [1, 2]],
    ['/castings', ['1,1', '1,2', '2,1']],
    ['/entries', ['mine,1', 'mine,2']],
    ['/entries?id_in=mine,1,yours,1', ['mine,1']],
  ])('%s', async (path, ids) => {
    expect(await idsOf(path)).toEqual(ids);
  });

  test.each([
    '/items?id=1',
    '/items?id=x,1',
    '/items?id_in=1,2,3',
    '/items?id_gt=1,1',
    '/items?id_like=1',
    '/orders?sort=items.id',
  ])('%s is 400', async (path) => {
    expect((await get(path)).status).toBe(400);
  });

  test.each([
    ['readings', '', 3],
    ['readings', 'sort=-id&', 3],
    ['labels', 'cursor=&', 11],
    ['labels', 'sort=note,-name&cursor=&', 11],
    ['items', 'sort=-quantity&cursor=&', 4],
    ['items', 'sort=product.title&cursor=&', 4],
  ])('%s is walked by cursor with %s', async (resource, query, count) => {
    const whole = await idsOf(`/${resource}?limit=50&${query}`);
    expect(whole.length).toBe(count);
    const seen: unknown[] = [];
    let next = `/${resource}?limit=1&${query}`;
    for (let pages = 0; pages < count + 1; pages += 1) {
      const { body } = await get(next);
      seen.push(...(body.data as { id: unknown }[]).map(({ id }) => id));
      if (body.next_cursor === null) break;
      next = `/${resource}?limit=1&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(whole);
  });

  test('counts', async () => {
    const { headers } = await send('GET', '/items?orderId=1&limit=1', undefined, {
      Prefer: 'count=exact',
    });
    expect(headers.get('x-total-count')).toBe('3');
  });

  test('the id is always there', async () => {
    expect((await get('/items?fields=quantity&limit=1')).body).toEqual([
      { id: '1,1', quantity: 1 },
    ]);
    expect((await get('/items?exclude=id,quantity,sku&limit=1')).body).toEqual([
      { id: '1,1', orderId: 1, lineNo: 1 },
    ]);
  });

  test('CSV', async () => {
    const headers = { Accept: 'text/csv' };
    const { text } = await send('GET', '/items?limit=10&fields=quantity', undefined, headers);
    expect(text).toMatchInlineSnapshot(`
      "id,quantity
      "1,1",1
      "1,2",2
      "1,10",3
      "2,1",5
      "
    `);
  });
});

test('NDJSON', async () => {
  for (const { api } of databases) {
    const headers = { Accept: 'application/x-ndjson' };
    const { text } = await api.raw('/labels?fields=note&sort=-id', { headers });
    const ids = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual(await idsOf('/labels?sort=-id'));
  }
});

describe('expansions', () => {
  test.each([
    [
      '/items/1,2?expand=order,product',
      { order: { id: 1, name: 'one' }, product: { id: 'bolt', sku: 'bolt', title: 'Bolt' } },
    ],
    [
      '/orders/1?expand=items&items.sort=-id&items.limit=2&fields=items.id',
      { id: 1, items: [{ id: '1,10' }, { id: '1,2' }] },
    ],
    [
      '/orders/1?expand=items&items.limit=1&items.offset=1&fields=items.id',
      { items: [{ id: '1,2' }] },
    ],
    [
      '/products/nut?expand=items,orders&fields=items.id,orders.id',
      { items: [{ id: '1,1' }, { id: '2,1' }], orders: [{ id: 1 }, { id: 2 }] },
    ],
    [
      '/orders/1?expand=products&fields=products.id,products.pivot',
      {
        products: [
          { id: 'a/b', pivot: { quantity: 3, lineNo: 10 } },
          { id: 'bolt', pivot: { quantity: 2, lineNo: 2 } },
          { id: 'nut', pivot: { quantity: 1, lineNo: 1 } },
        ],
      },
    ],
    [
      '/films/1?expand=actors&fields=actors.name,actors.pivot',
      {
        actors: [
          { id: 1, name: 'Ann', pivot: { billing: 2 } },
          { id: 2, name: 'Bob', pivot: { billing: 1 } },
        ],
      },
    ],
    [
      '/films/1?expand=actors&actors.sort=pivot.billing&actors.limit=1&fields=actors.id,actors.pivot',
      { actors: [{ id: 2, pivot: { billing: 1 } }] },
    ],
    [
      '/films/1?expand=actors&actors.pivot.billing_gt=1&fields=actors.id,actors.pivot',
      { actors: [{ id: 1, pivot: { billing: 2 } }] },
    ],
  ])('%s', async (path, found) => {
    const { status, body } = await get(path);
    expect([status, body]).toEqual([200, expect.objectContaining(found)]);
  });

  test('of a list, with limits', async () => {
    const { body } = await get(
      '/orders?expand=items,products&items.limit=2&products.limit=1&fields=items.id,products.id',
    );
    expect(body).toMatchInlineSnapshot(`
      [
        {
          "_pagination": {
            "items": {
              "limit": 2,
              "page": 1,
              "total": 3,
              "totalPages": 2,
            },
            "products": {
              "limit": 1,
              "page": 1,
              "total": 3,
              "totalPages": 3,
            },
          },
          "id": 1,
          "items": [
            {
              "id": "1,1",
            },
            {
              "id": "1,2",
            },
          ],
          "products": [
            {
              "id": "a/b",
              "pivot": {
                "lineNo": 10,
                "quantity": 3,
              },
            },
          ],
        },
        {
          "_pagination": {
            "items": {
              "limit": 2,
              "page": 1,
              "total": 1,
              "totalPages": 1,
            },
            "products": {
              "limit": 1,
              "page": 1,
              "total": 1,
              "totalPages": 1,
            },
          },
          "id": 2,
          "items": [
            {
              "id": "2,1",
            },
          ],
          "products": [
            {
              "id": "nut",
              "pivot": {
                "lineNo": 1,
                "quantity": 5,
              },
            },
          ],
        },
        {
          "_pagination": {
            "items": {
              "limit": 2,
              "page": 1,
              "total": 0,
              "totalPages": 0,
            },
            "products": {
              "limit": 1,
              "page": 1,
              "total": 0,
              "totalPages": 0,
            },
          },
          "id": 3,
          "items": [],
          "products": [],
        },
      ]
    `);
  });
});

describe('writing', () => {
  test('creates, changes and deletes', async () => {
    const made = await send('POST', '/items', { orderId: 3, lineNo: 1, sku: 'nut' });
    expect([made.status, made.body]).toEqual([
      201,
      { id: '3,1', orderId: 3, lineNo: 1, sku: 'nut', quantity: 1 },
    ]);
    expect(made.headers.get('location')).toBe('/items/3%2C1');
    const path = made.headers.get('location') ?? '';
    const taken = await send('POST', '/items', { orderId: 3, lineNo: 1 });
    expect([taken.status, taken.body.errors?.map((one: { field: string }) => one.field)])
      .toMatchInlineSnapshot(`
      [
        422,
        [
          "orderId",
          "lineNo",
        ],
      ]
    `);
    const tag = (await get(path)).headers.get('etag') ?? '';
    expect((await send('PATCH', path, { quantity: 4 }, { 'If-Match': '"x"' })).status).toBe(412);
    const changed = await send('PATCH', path, { quantity: 4 }, { 'If-Match': tag });
    expect([changed.status, changed.body.quantity]).toEqual([200, 4]);
    expect((await send('PATCH', path, { lineNo: 2 })).status).toBe(400);
    expect((await send('PATCH', path, { lineNo: 1, quantity: 5 })).body.quantity).toBe(5);
    expect((await send('PATCH', path, { id: '3,2' })).status).toBe(400);
    const put = await send('PUT', path, { ...changed.body, quantity: 6 });
    expect([put.status, put.body]).toEqual([200, { ...changed.body, quantity: 6 }]);
    expect((await send('PUT', path, { quantity: 7, sku: null })).body).toEqual({
      ...changed.body,
      sku: null,
      quantity: 7,
    });
    expect((await send('DELETE', path, undefined, { 'If-Match': '"x"' })).status).toBe(412);
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await get(path)).status).toBe(404);
  });

  test.each([
    [{ lineNo: 1 }, ['orderId']],
    [{}, ['orderId', 'lineNo']],
    [{ id: '3,1', orderId: 3, lineNo: 1 }, ['id']],
    [{ orderId: null, lineNo: 1 }, ['orderId']],
    [{ orderId: 3, lineNo: 'x' }, ['lineNo']],
    [{ orderId: 99, lineNo: 1 }, ['orderId']],
  ])('%j is refused', async (body, fields) => {
    const { status, body: problem } = await send('POST', '/items', body);
    expect([400, 409, 422]).toContain(status);
    expect(
      (problem.errors ?? problem.validationErrors).map((one: { field: string }) => one.field),
    ).toEqual(fields);
  });

  test('several at once', async () => {
    const bodies = [
      { orderId: 3, lineNo: 9 },
      { orderId: 3, lineNo: 8 },
    ];
    const { status, body } = await send('POST', '/items?expand=order', bodies);
    expect([status, body.map((one: { id: string }) => one.id)]).toEqual([201, ['3,9', '3,8']]);
    const plain = await send(
      'POST',
      '/items',
      bodies.map((one) => ({ ...one, lineNo: one.lineNo + 10 })),
    );
    expect(plain.body.map((one: { id: string }) => one.id)).toEqual(['3,19', '3,18']);
    for (const id of ['3,9', '3,8', '3,19', '3,18'])
      expect((await send('DELETE', `/items/${id}`)).status).toBe(204);
  });

  test.each(names)('a label %j', async (name) => {
    const made = await send('POST', '/labels', { owner: other, name: `${name}!`, note: 'n' });
    const id = idOf(other, `${name}!`);
    expect([made.status, made.body.id]).toEqual([201, id]);
    const path = made.headers.get('location') ?? '';
    expect((await send('PATCH', path, { note: 'm' })).body).toEqual({
      id,
      owner: other,
      name: `${name}!`,
      note: 'm',
    });
    expect((await send('DELETE', path)).status).toBe(204);
  });

  test('a key of one field', async () => {
    const made = await send('POST', '/products', { sku: 'x/y', title: 'X' });
    expect([made.status, made.body.id, made.body.sku]).toEqual([201, 'x/y', 'x/y']);
    const path = made.headers.get('location') ?? '';
    expect((await send('PATCH', path, { sku: 'z' })).status).toBe(400);
    expect((await send('PATCH', path, { title: 'Y' })).body.title).toBe('Y');
    expect((await send('POST', '/products', { sku: 'x/y', title: 'X' })).status).toBe(422);
    expect((await send('DELETE', path)).status).toBe(204);
  });

  test('a moment and an enum', async () => {
    const made = await send('POST', '/readings', {
      tenant: 2,
      at: '2026-05-01T10:00:00+02:00',
      code: 'a,b',
      value: '1',
    });
    expect([made.status, made.body.id]).toEqual([201, '2,2026-05-01T08:00:00.000Z,a%2Cb']);
    const path = made.headers.get('location') ?? '';
    expect((await send('PATCH', path, { value: '2' })).body.value).toBe('2.00');
    expect(
      (await send('POST', '/readings', { tenant: 2, at: '2026-05-01T08:00:00Z', code: 'a,b' }))
        .status,
    ).toBe(422);
    expect((await send('DELETE', path)).status).toBe(204);
    const slot = await send('POST', '/slots', { day: '2026-04-01', part: 'late' });
    expect([slot.status, slot.body.id]).toEqual([201, '2026-04-01,late']);
    expect((await send('DELETE', '/slots/2026-04-01,late')).status).toBe(204);
  });

  test('links through it', async () => {
    const made = await send('POST', '/films', {
      title: 'Delta',
      actors: [{ id: 1, pivot: { billing: 3 } }, 2],
    });
    expect(made.status).toBe(201);
    const path = made.headers.get('location') ?? '';
    const actors = async (): Promise<unknown> =>
      (await get(`${path}?expand=actors&fields=actors.pivot`)).body.actors;
    expect(await actors()).toEqual([
      { id: 1, pivot: { billing: 3 } },
      { id: 2, pivot: { billing: null } },
    ]);
    expect(
      (
        await send('PATCH', path, {
          actors: { add: [{ id: 3, pivot: { billing: 1 } }], remove: [2] },
        })
      ).status,
    ).toBe(200);
    expect(
      (await send('PATCH', path, { actors: [{ id: 1, pivot: { billing: 4 } }, 3] })).status,
    ).toBe(200);
    expect(await actors()).toEqual([
      { id: 1, pivot: { billing: 4 } },
      { id: 3, pivot: { billing: 1 } },
    ]);
    expect((await send('PATCH', path, { actors: [99] })).status).toBe(422);
    expect((await send('DELETE', '/actors/3')).status).toBe(409);
    expect((await send('DELETE', path)).status).toBe(204);
    expect(await idsOf(`/castings?filmId_gt=3`)).toEqual([]);
  });

  test('row rules', async () => {
    expect((await get('/entries/yours,1')).status).toBe(404);
    expect((await send('PATCH', '/entries/yours,1', { text: 'x' })).status).toBe(404);
    expect((await send('DELETE', '/entries/yours,1')).status).toBe(404);
    expect((await send('POST', '/entries', { book: 'yours', sheet: 2 })).status).toBe(403);
    expect((await send('POST', '/entries', { book: 'mine', sheet: 3 })).status).toBe(201);
    expect((await send('PATCH', '/entries/mine,3', { text: 'x' })).body.text).toBe('x');
    expect((await send('DELETE', '/entries/mine,3')).status).toBe(204);
  });
});
test('nothing unforeseen', () => {
  for (const { api } of databases) expect(api.failures.splice(0)).toEqual([]);
});

/** How each database finds the rows of some ids, in large tables. */
describe('an index finds', () => {
  const large = 5_000;
  beforeAll(async () => {
    const [sqlite, postgres] = databases;
    const values = `SELECT number / 10 + 1000, number % 10, NULL, 1`;
    await sqlite?.ask(
      `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${large}) INSERT INTO orders SELECT number + 999, 'x' FROM numbers`,
    );
    await sqlite?.ask(
      `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${large}) INSERT INTO order_items ${values} FROM numbers`,
    );
    const numbers = `FROM generate_series(1, ${large}) AS number`;
    await postgres?.ask(`INSERT INTO orders SELECT number + 999, 'x' ${numbers}`);
    await postgres?.ask(`INSERT INTO order_items ${values} ${numbers}`);
    await postgres?.ask('ANALYZE');
  });

  /** The plan of a SELECT with a condition on the ids, with its values bound as the driver does. */
  async function planOf(operator: 'eq' | 'in', placed = 't'): Promise<readonly string[]> {
    const plans: string[] = [];
    for (const { api, ask } of databases) {
      const { api: model, database } = api.servedApi;
      const { dialect } = database;
      const id = model.resources.get('items')?.id;
      if (id === undefined) throw new Error('no id');
      const add = dialect.placeholder(1, 0);
      const sql = `SELECT 1 FROM order_items AS t WHERE ${dialect.compare(`${placed}.""`, operator, add, id)}`;
      const bound = String(
        operator === 'eq'
          ? dialect.operand('1001,2', 'eq', id)
          : dialect.operand(['1001,2', '1002,3'], 'in', id),
      );
      if (dialect.name === 'sqlite')
        plans.push(
          (await ask(`EXPLAIN QUERY PLAN ${sql.replace('+?', `+'${bound}'`)}`)).join('\n'),
        );
      else {
        await ask('SET plan_cache_mode = force_generic_plan');
        await ask(
          `PREPARE asked_${operator} (text) AS ${sql.replaceAll('::text[]', '::text::text[]')}`,
        );
        plans.push((await ask(`EXPLAIN EXECUTE asked_${operator} ('${bound}')`)).join('\n'));
      }
    }
    return plans;
  }

  test.each([
    ['/orders/1500?expand=items&items.limit=2', 1],
    ['/orders/1500?expand=products&products.limit=2', 1],
    ['/items?sort=id&limit=3', 0],
    ['/items?sort=-id&limit=3&cursor=', 0],
  ])('the rows of %s', async (path, statement) => {
    for (const { api } of databases) {
      const { body } = await api.get(`${path}&_debug=plan`);
      const plan = (body._debug.database.queries[statement].plan as string[]).join('\n');
      // Only the few rows of the page are sorted.
      expect(plan).toMatch(/order_items_pkey|sqlite_autoindex_order_items/u);
      expect(plan).not.toMatch(/Seq Scan on order_items|SCAN [jt]2?$/u);
    }
  });

  test.each(['eq', 'in'] as const)('%s', async (operator) => {
    const [sqlite = '', postgres = ''] = await planOf(operator);
    expect(sqlite).toMatch(
      /SEARCH t USING (?:COVERING )?INDEX \S+ \(order_id=\? AND line_no=\?\)/u,
    );
    expect(postgres).toMatch(/Index (?:Only )?Scan[^\n]*order_items/u);
    expect(postgres).toMatch(/Index Cond: .*order_id.*line_no/u);
  });
});
