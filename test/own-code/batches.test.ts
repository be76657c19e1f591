import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Code } from '../../src/extensions/code.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `
resources:
  orders:
    fields:
      name: { type: string, unique: true }
      state: { type: string, default: open }
      meta: { type: object, properties: { from: { type: integer }, size: { type: integer } } }
      lines: { type: relation, relation: hasMany, resource: lines }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: order-tags }
  lines:
    fields:
      sku: { type: string }
      size: { type: integer, default: 1 }
      note: { type: string }
      order: { type: relation, relation: belongsTo, resource: orders, required: true, onDelete: cascade }
  tags:
    fields: { name: { type: string }, uses: { type: integer, default: 0 } }
  order-tags:
    fields:
      orderId: { type: integer, required: true, reference: orders.id, onDelete: cascade }
      tagId: { type: integer, required: true, reference: tags.id, onDelete: cascade }
  comments:
    fields:
      text: { type: string }
      about: { type: relation, relation: morphTo, resources: [orders, lines] }
  notes:
    fields: { text: { type: string } }
  logs:
    fields: { text: { type: string, maxLength: 30 }, stamp: { type: string, readOnly: true } }
  parcels:
    fields: { name: { type: string, unique: true }, state: { type: string } }
  numbers:
    fields: { number: { type: integer } }
  tokens:
    fields: { key: { type: uuid, default: uuid }, copy: { type: string } }
`;

/** What hooks have seen, in their order, by request. */
const seen = new Map<string, unknown[]>();

function note(
  { request: { id } }: { readonly request: { readonly id: string } },
  what: unknown,
): void {
  seen.set(id, [...(seen.get(id) ?? []), what]);
}

/** What a hook of lines does besides. */
let during: (() => Promise<void>) | undefined;
const committed: string[] = [];

const log = (text: string) => ({ method: 'POST', path: '/logs', body: { text } }) as const;

const code: Code = {
  resources: {
    orders: {
      beforeCreate(order, context) {
        const { also, fail } = context;
        note(context, { ...order });
        if (order['name'] === 'refused') throw fail(409, 'no such order');
        if (String(order['name']).startsWith('raises'))
          also({ method: 'PATCH', path: String(order['state']), body: {} });
        if (order['name'] === 'too long') also(log('x'.repeat(31)));
        if (order['name'] === 'logged') also(log('an order'));
        if (order['name'] === 'told') also(({ id }) => log(`order ${id}`));
        order['meta'] ??= { size: 7 };
      },
      beforeUpdate: () => undefined,
      beforeDelete: () => undefined,
      afterCommit({ operation, before, after }) {
        committed.push(`${operation} ${before?.['state']} ${after?.['state']}`);
      },
    },
    lines: {
      async beforeCreate(line, context) {
        note(context, { ...line });
        await during?.();
        if (line['sku'] === 'writes') await context.db['notes']?.create({ text: 'by a hook' });
        line['note'] = `hooked ${line['sku']}`;
      },
    },
    tags: {
      beforeUpdate(change, { before }) {
        change['uses'] = (before['uses'] as number) + 1;
      },
    },
    comments: { beforeCreate: (comment, context) => note(context, { ...comment }) },
    logs: { beforeCreate: (entry) => void (entry['stamp'] = `stamped ${entry['text']}`) },
    parcels: { beforeDelete: (context) => note(context, context.before['state']) },
    tokens: { beforeCreate: (token) => void (token['copy'] = token['key']) },
    notes: {
      afterCommit: ({ operation, before, after }) =>
        void committed.push(`${operation} ${before?.['text']} ${after?.['text']}`),
    },
  },
};

let own: Own;
beforeAll(async () => {
  own = await serveOwn(specification, code);
});
afterAll(() => own.stop());
beforeEach(async () => {
  during = undefined;
  for (const name of ['parcels', 'comments', 'lines', 'orders', 'notes', 'logs', 'tags'])
    await own.send('DELETE', `/v1/${name}?id_gt=0`);
  seen.clear();
  committed.length = 0;
});

type Operation = readonly [method: string, path: string, body?: unknown, as?: string];

function operations(list: readonly Operation[]): readonly object[] {
  return list.map(([method, path, body, as]) => ({ method, path, body, as }));
}

const batch = async (...list: Operation[]) => own.send('POST', '/v1/_batch', operations(list));

/** What the hooks of the last request have seen, on each side. */
function seenOnEach(): readonly unknown[] {
  const [first = [], second] = [...seen.values()].slice(-2);
  expect(second).toEqual(first);
  return first;
}

async function makeOrder(name: string): Promise<string> {
  const { body } = await own.send('POST', '/v1/orders', { name });
  await expect.poll(() => committed.length).toBe(2);
  committed.length = 0;
  return `/orders/${String(body.id)}`;
}

describe('hooks of a batch', () => {
  test('see references to other records unresolved, and leave them or replace them', async () => {
    const done = await batch(
      ['POST', '/tags', { name: 'new' }, 'tag'],
      ['POST', '/orders', { name: 'A', meta: { from: '{tag.id}' }, tags: ['{tag.id}'] }, 'order'],
      ['POST', '/lines', { sku: 'x', orderId: '{order.id}' }, 'line'],
      ['POST', '/orders', { name: '{line.sku}', lines: { create: [{ sku: '{line.sku}' }] } }],
      ['POST', '/lines', [{ sku: 'y', orderId: '{order.id}', size: 2 }]],
      ['POST', '/comments', { text: 'c', aboutType: 'orders', aboutId: '{order.id}' }],
      ['POST', '/notes', { text: '{line.note}' }],
    );
    expect(seenOnEach()).toMatchObject([
      { name: 'A', state: 'open', meta: { from: '{tag.id}' } },
      { sku: 'x', size: 1, orderId: '{order.id}' },
      { name: '{line.sku}', meta: null },
      { sku: '{line.sku}', size: 1 },
      { sku: 'y', size: 2, orderId: '{order.id}' },
      { text: 'c', aboutType: 'orders', aboutId: '{order.id}' },
    ]);
    expect(done.body).toMatchObject([
      { status: 201 },
      { status: 201, body: { name: 'A', meta: { from: expect.any(Number) as number } } },
      { status: 201, body: { note: 'hooked x', size: 1 } },
      { status: 201, body: { name: 'x', meta: { size: 7 } } },
      { status: 201, body: [{ sku: 'y', note: 'hooked y', size: 2 }] },
      { status: 201 },
      { status: 201, body: { text: 'hooked x' } },
    ]);
    expect((await own.get('/v1/lines?sort=id&expand=order')).body).toMatchObject([
      { sku: 'x', order: { name: 'A' } },
      { sku: 'x', order: { name: 'x' }, note: 'hooked {line.sku}' },
      { sku: 'y', order: { name: 'A' } },
    ]);
    expect((await own.get('/v1/comments?expand=about')).body).toMatchObject([
      { about: { name: 'A' } },
    ]);
    expect((await own.get('/v1/tags')).body).toMatchObject([{ uses: 0 }]);
  });

  test('see the defaults that are written', async () => {
    for (const side of own.sides) {
      const body = operations([['POST', '/tokens', {}]]);
      const done = await side.send('POST', '/v1/_batch', body);
      const [{ body: token }] = done.body as unknown as [{ body: { key: string; copy: string } }];
      expect(token.key).toMatch(/^[\da-f-]{36}$/u);
      expect(token.copy).toBe(token.key);
    }
  });

  test('run before the transaction: what they wait for may be another write', async () => {
    for (const side of own.sides) {
      during = async () => {
        expect((await side.send('POST', '/v1/notes', { text: 'meanwhile' })).status).toBe(201);
      };
      const done = await side.send(
        'POST',
        '/v1/_batch',
        operations([
          ['POST', '/orders', { name: 'A', lines: { create: [{ sku: 'x' }] } }],
          ['POST', '/notes', { text: 'after it' }],
        ]),
      );
      expect(done.body).toMatchObject([{ status: 201 }, { status: 201 }]);
    }
    expect((await own.get('/v1/notes?sort=id&fields=text')).body).toMatchObject([
      { text: 'meanwhile' },
      { text: 'after it' },
    ]);
  });

  test('what they write by db stands, though the batch fails; the batch itself is undone', async () => {
    const order = await makeOrder('A');
    const orderId = Number(order.slice('/orders/'.length));
    const done = await batch(
      ['POST', '/lines', { sku: 'writes', orderId }],
      ['POST', '/orders', { name: 'A' }],
    );
    expect(done.body).toMatchObject({ status: 422, operation: 1 });
    expect((await own.get('/v1/lines')).body).toEqual([]);
    expect((await own.get('/v1/notes')).body).toMatchObject([{ text: 'by a hook' }]);
  });

  test.each<readonly [name: string, list: (order: string) => readonly Operation[], at: number]>([
    [
      'twice',
      (order) => [
        ['PATCH', order, { state: 'a' }],
        ['PATCH', order, { state: 'b' }],
      ],
      1,
    ],
    [
      'and deletes it',
      (order) => [
        ['PATCH', order, { state: 'a' }],
        ['DELETE', order],
      ],
      1,
    ],
    [
      'and another of its resource',
      (order) => [
        ['POST', '/orders', { name: 'B' }],
        ['PATCH', order, { state: 'a' }],
        ['DELETE', order],
      ],
      2,
    ],
    [
      'that it creates',
      () => [
        ['POST', '/orders', { name: 'B' }, 'order'],
        ['PATCH', '/orders/{order.id}', { state: 'a' }],
      ],
      1,
    ],
    [
      'that it creates, by an upsert',
      () => [
        ['POST', '/orders', { name: 'B' }],
        ['POST', '/orders?onConflict=name', { name: 'B' }],
      ],
      1,
    ],
    [
      'of which an earlier answer is all of the body',
      () => [
        ['POST', '/notes', { text: 'B' }, 'one'],
        ['POST', '/orders', '{one.text}'],
      ],
      1,
    ],
  ])('a batch that changes a record with hooks %s is 400', async (_, list, at) => {
    const order = await makeOrder('A');
    const done = await batch(...list(order));
    expect(done.body).toMatchObject({ status: 400, operation: at });
    expect((await own.get('/v1/orders')).body).toMatchObject([{ name: 'A', state: 'open' }]);
  });

  test.each<readonly [name: string, list: (id: number) => readonly Operation[], at: number]>([
    [
      'by an earlier answer',
      (id) => [
        ['POST', '/numbers', { number: id }, 'one'],
        ['PATCH', '/parcels/{one.number}', { state: 'sent' }],
        ['DELETE', `/parcels/${id}`],
      ],
      2,
    ],
    [
      'by an upsert',
      (id) => [
        ['POST', '/parcels?onConflict=name', { name: 'A', state: 'sent' }],
        ['DELETE', `/parcels/${id}`],
      ],
      1,
    ],
  ])('a batch that changes what a hook of deletes has judged is 400: %s', async (_, list, at) => {
    const { body } = await own.send('POST', '/v1/parcels', { name: 'A', state: 'open' });
    const id = Number(body.id);
    expect(await batch(...list(id))).toMatchObject({ status: 400, body: { operation: at } });
    expect((await own.get('/v1/parcels')).body).toMatchObject([{ id, state: 'open' }]);
  });

  test('a batch may change what it has made, if no hook has judged it', async () => {
    const done = await batch(
      ['POST', '/parcels', { name: 'new' }, 'one'],
      ['PATCH', '/parcels/{one.id}', { state: 'sent' }],
      ['POST', '/parcels?onConflict=name', { name: 'other', state: 'sent' }],
    );
    expect(done.body).toMatchObject([{ status: 201 }, { status: 200 }, { status: 201 }]);
  });

  test('a refusal of a hook is that of its operation, and no later hook runs', async () => {
    const done = await batch(
      ['POST', '/orders', { name: 'A' }],
      ['POST', '/orders', { name: 'refused' }],
      ['POST', '/orders', { name: 'B' }],
    );
    expect(done.body).toMatchObject({ status: 409, operation: 1, message: 'no such order' });
    expect(seenOnEach()).toMatchObject([{ name: 'A' }, { name: 'refused' }]);
  });

  test('an operation that fails by itself fails as without hooks', async () => {
    const done = await batch(['POST', '/orders', { name: 'A' }], ['POST', '/orders', { name: 7 }]);
    expect(done.body).toMatchObject({
      operation: 1,
      validationErrors: [{ field: 'name', error: 'must be a string' }],
    });
    const missing = await batch(['PATCH', '/orders/999999', { state: 'a' }]);
    expect(missing.body).toMatchObject({ status: 404, operation: 0 });
  });

  test('afterCommit alone is told of each change, also of a record that the batch creates', async () => {
    await batch(
      ['POST', '/notes', { text: 'a' }, 'note'],
      ['PATCH', '/notes/{note.id}', { text: 'b' }],
      ['PATCH', '/notes/{note.id}', { text: 'c' }],
      ['DELETE', '/notes/{note.id}'],
    );
    await expect.poll(() => committed.length).toBe(8);
    expect(committed.sort().filter((_, index) => index % 2 === 0)).toEqual([
      'create undefined a',
      'delete c undefined',
      'update a b',
      'update b c',
    ]);
  });

  test('a key of idempotency covers the hooks, too', async () => {
    for (const side of own.sides) {
      const send = (): Promise<{ readonly status: number }> =>
        side.send('POST', '/v1/_batch', operations([['POST', '/orders', { name: 'A' }]]), {
          'idempotency-key': '"one"',
        });
      const all = await Promise.all([send(), send(), send()]);
      expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
    expect([...seen.values()].flat()).toHaveLength(2);
  });
});

test('two requests with one Idempotency-Key run the hooks once', async () => {
  for (const side of own.sides) {
    const send = (): Promise<{ readonly status: number }> =>
      side.send('POST', '/v1/orders', { name: 'A' }, { 'idempotency-key': '"two"' });
    const all = await Promise.all([send(), send(), send()]);
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201]);
  }
  expect([...seen.values()].flat()).toHaveLength(2);
});

describe('the hooks of what `also` adds', () => {
  test.each([
    ['logged', 'an order'],
    ['told', 'order'],
  ])(
    'run, whether the operation is known before the transaction or not: %s',
    async (name, text) => {
      const done = await batch(['POST', '/orders', { name }], ['POST', '/orders', { name: 'B' }]);
      expect(done.status).toBe(200);
      const { body } = await own.get('/v1/logs');
      expect(body).toMatchObject([{ stamp: expect.stringContaining(`stamped ${text}`) as string }]);
    },
  );

  test('see what others of the request have added', async () => {
    const { body } = await own.send('POST', '/v1/tags', { name: 'a' });
    const raising = (name: string): Operation => [
      'POST',
      '/orders',
      { name, state: `/tags/${String(body.id)}`, lines: { create: [{ sku: name }] } },
    ];
    expect((await batch(raising('raises'), raising('raises too'))).status).toBe(200);
    expect((await own.get('/v1/tags')).body).toMatchObject([{ uses: 2 }]);
  });

  test('take turns in a process', async () => {
    for (const side of own.sides) {
      const { body } = await side.send('POST', '/v1/tags', { name: 'a' });
      const state = `/tags/${String(body.id)}`;
      const names = Array.from({ length: 12 }, (_, index) => `raises ${index}`);
      const all = await Promise.all(
        names.map((name) => side.send('POST', '/v1/orders', { name, state })),
      );
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([201]));
      expect((await side.get(`/v1/tags/${String(body.id)}`)).body).toMatchObject({ uses: 12 });
    }
  });

  test('a write that is not allowed is 500 before the transaction begins', async () => {
    const done = await batch(['POST', '/orders', { name: 'too long' }]);
    expect(done.status).toBe(500);
    expect(own.taken().join()).toContain('also of orders');
    expect((await own.get('/v1/orders')).body).toEqual([]);
  });
});
