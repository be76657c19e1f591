import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { neededSteps } from '../../src/migrations/steps.ts';
import { idOf, Keyed, names, owner } from '../support/keyed.ts';

// See docs/contract/8-existing-databases.md#keys.
let keyed: Keyed;
beforeAll(async () => {
  keyed = await Keyed.open();
});
afterAll(() => keyed?.stop());

const pathOf = (resource: string, id: string): string => `/${resource}/${encodeURIComponent(id)}`;

test('nothing has to be changed', () => {
  for (const { steps } of keyed.databases)
    expect(neededSteps(steps).map(({ summary, obstacle }) => [summary, obstacle])).toEqual([]);
});

describe('reading', () => {
  test.each([
    ['items', '1,2', { id: '1,2', orderId: 1, lineNo: 2, sku: 'bolt', quantity: 2 }],
    ['slots', '2026-03-01,early', { id: '2026-03-01,early', day: '2026-03-01', part: 'early' }],
    [
      'readings',
      '9007199254740993,2026-03-01T14:05:00.200Z,c1',
      { tenant: '9007199254740993', code: 'c1', value: '1.50' },
    ],
    ['products', 'nut', { id: 'nut', sku: 'nut', title: 'Nut' }],
    ['products', 'a/b', { id: 'a/b', sku: 'a/b' }],
  ])('%s %s', async (resource, id, record) => {
    const { status, body } = await keyed.get(pathOf(resource, id));
    expect([status, body]).toEqual([200, expect.objectContaining(record)]);
  });

  test.each(names)('the label %j', async (name) => {
    const id = idOf(owner, name);
    const { status, body } = await keyed.get(pathOf('labels', id));
    expect([status, body]).toEqual([200, { id, owner, name, note: 'x' }]);
    expect(await keyed.idsOf(`/labels?id=${encodeURIComponent(id)}`)).toEqual([id]);
    expect(await keyed.idsOf(`/labels?id_in=${encodeURIComponent(JSON.stringify(id))}`)).toEqual([
      id,
    ]);
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
    ['readings', '9007199254740992,2026-03-01T14:05:00.200Z,c1'],
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
        (await keyed.send(method, pathOf(resource, id), method === 'PATCH' ? {} : undefined))
          .status,
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
    expect(await keyed.idsOf(path)).toEqual(ids);
  });

  test.each([
    '/items?id=1',
    '/items?id=x,1',
    '/items?id_in=1,2,3',
    '/items?id_gt=1,1',
    '/items?id_like=1',
    '/orders?sort=items.id',
  ])('%s is 400', async (path) => {
    expect((await keyed.get(path)).status).toBe(400);
  });

  test.each([
    ['readings', '', 3],
    ['readings', 'sort=-id&', 3],
    ['labels', 'cursor=&', 11],
    ['labels', 'sort=note,-name&cursor=&', 11],
    ['items', 'sort=-quantity&cursor=&', 4],
    ['items', 'sort=product.title&cursor=&', 4],
  ])('%s is walked by cursor with %s', async (resource, query, count) => {
    const whole = await keyed.idsOf(`/${resource}?limit=50&${query}`);
    expect(whole.length).toBe(count);
    const seen: unknown[] = [];
    let next = `/${resource}?limit=1&${query}`;
    for (let pages = 0; pages < count + 1; pages += 1) {
      const { body } = await keyed.get(next);
      seen.push(...(body.data as { id: unknown }[]).map(({ id }) => id));
      if (body.next_cursor === null) break;
      next = `/${resource}?limit=1&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(whole);
  });

  test('counts', async () => {
    const { headers } = await keyed.send('GET', '/items?orderId=1&limit=1', undefined, {
      Prefer: 'count=exact',
    });
    expect(headers.get('x-total-count')).toBe('3');
  });

  test('the id is always there', async () => {
    expect((await keyed.get('/items?fields=quantity&limit=1')).body).toEqual([
      { id: '1,1', quantity: 1 },
    ]);
    expect((await keyed.get('/items?exclude=id,quantity,sku&limit=1')).body).toEqual([
      { id: '1,1', orderId: 1, lineNo: 1 },
    ]);
  });

  test('CSV', async () => {
    const headers = { Accept: 'text/csv' };
    const { text } = await keyed.send('GET', '/items?limit=10&fields=quantity', undefined, headers);
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
  for (const { api } of keyed.databases) {
    const headers = { Accept: 'application/x-ndjson' };
    const { text } = await api.raw('/labels?fields=note&sort=-id', { headers });
    const ids = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual(await keyed.idsOf('/labels?sort=-id'));
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
    const { status, body } = await keyed.get(path);
    expect([status, body]).toEqual([200, expect.objectContaining(found)]);
  });

  test('of a list, with limits', async () => {
    const { body } = await keyed.get(
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

/** How each database finds the rows of some ids, in large tables. */
describe('an index finds', () => {
  const large = 5_000;
  beforeAll(async () => {
    const [sqlite, postgres] = keyed.databases;
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
    for (const { api, ask } of keyed.databases) {
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
    for (const { api } of keyed.databases) {
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
