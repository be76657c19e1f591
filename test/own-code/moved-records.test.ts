import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Code } from '../../src/extensions/code.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `
resources:
  orders:
    fields:
      name: { type: string }
      lines: { type: relation, relation: hasMany, resource: lines }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: order-tags }
      remarks: { type: relation, relation: morphMany, resource: remarks }
  lines:
    timestamps: true
    fields:
      sku: { type: string, immutable: true }
      moves: { type: integer, default: 0, readOnly: true }
      order: { type: relation, relation: belongsTo, resource: orders, onDelete: setNull }
  tags:
    fields: { name: { type: string } }
  boxes:
    fields:
      code: { type: string, unique: true }
      items: { type: relation, relation: hasMany, resource: items, foreignKey: boxCode }
  items:
    fields: { name: { type: string }, boxCode: { type: string, reference: boxes.code } }
  order-tags:
    fields:
      orderId: { type: integer, required: true, reference: orders.id, onDelete: cascade }
      tagId: { type: integer, required: true, reference: tags.id, onDelete: cascade }
  remarks:
    fields:
      text: { type: string }
      about: { type: relation, relation: morphTo, resources: [orders] }
`;

/** The changes that hooks got, by request. */
const seen = new Map<string, unknown[]>();
const committed: string[] = [];

const counting: NonNullable<Code['resources']>[string] = {
  beforeUpdate(change, { before, request, fail }) {
    seen.set(request.id, [...(seen.get(request.id) ?? []), { ...change }]);
    if (before['sku'] === 'kept') throw fail(409, 'it stays where it is');
    if (before['sku'] === 'free') change['orderId'] = null;
    if (before['sku'] !== undefined) change['moves'] = (before['moves'] as number) + 1;
  },
  afterCommit({ operation, before, after }) {
    committed.push(
      `${operation} ${before?.['sku']} ${before?.['orderId'] === after?.['orderId'] ? 'there' : 'elsewhere'}`,
    );
  },
};
const never = {
  beforeUpdate: () => void committed.push('never'),
  beforeCreate: () => void committed.push('never'),
};

/** Waits until own code has been told of so many records. */
async function told(count: number, operation = ''): Promise<void> {
  while (committed.filter((one) => one.startsWith(operation)).length < count) await delay(5);
}

let own: Own;
beforeAll(async () => {
  own = await serveOwn(
    specification,
    {
      resources: {
        lines: counting,
        remarks: counting,
        tags: never,
        'order-tags': never,
        boxes: { beforeUpdate: (box) => void (box['code'] = String(box['code']).toLowerCase()) },
        items: { beforeUpdate: (item) => void (item['name'] = 'moved') },
      },
    },
    {
      orders: [{ name: 'a' }, { name: 'b' }],
      tags: [{ name: 't' }],
      remarks: [{ text: 'r' }],
    },
  );
  await told(4);
});
afterAll(() => own.stop());

let ids: Record<string, number> = {};
beforeEach(async () => {
  ids = {};
  await own.send('DELETE', '/v1/lines?id_gt=0');
  committed.length = 0;
  for (const sku of ['x', 'y', 'kept', 'free']) {
    const body = { sku, ...(sku === 'y' ? { orderId: 1 } : {}) };
    ids[sku] = (await own.send('POST', '/v1/lines', body)).body.id as number;
  }
  await told(8, 'create');
  seen.clear();
  committed.length = 0;
});

/** The changes that the hooks of each side got, which are the same. */
function changes(): readonly unknown[] {
  const [first = [], second = []] = [...seen.values()];
  expect(second).toEqual(first);
  return first;
}

async function line(sku: string): Promise<unknown> {
  const { body } = await own.get(`/v1/lines?sku=${sku}&fields=sku,orderId,moves`);
  return (body as unknown as readonly unknown[])[0];
}

test.each<readonly [name: string, lines: () => object, changes: readonly object[], after: object]>([
  ['added', () => ({ add: [ids['x']] }), [{ orderId: 1 }], { x: { orderId: 1, moves: 1 } }],
  [
    'removed',
    () => ({ remove: [ids['y']] }),
    [{ orderId: null }],
    { y: { orderId: null, moves: 1 } },
  ],
  [
    'both',
    () => ({ add: [ids['x']], remove: [ids['y']] }),
    [{ orderId: null }, { orderId: 1 }],
    { x: { orderId: 1, moves: 1 }, y: { orderId: null, moves: 1 } },
  ],
  [
    'kept away by its hook',
    () => ({ add: [ids['free']] }),
    [{ orderId: 1 }],
    { free: { orderId: null, moves: 1 } },
  ],
])('a record that is %s is updated', async (_, lines, expected, after) => {
  expect((await own.send('PATCH', '/v1/orders/1', { lines: lines() })).status).toBe(200);
  expect(changes()).toEqual(expected);
  for (const [sku, values] of Object.entries(after)) expect(await line(sku)).toMatchObject(values);
  await expect.poll(() => committed).toHaveLength(2 * expected.length);
  expect(new Set(committed.map((one) => one.split(' ')[0]))).toEqual(new Set(['update']));
});

test('what its hook refuses is not written, nor the rest', async () => {
  const refused = await own.send('PATCH', '/v1/orders/1', {
    name: 'changed',
    lines: { add: [ids['x'], ids['kept']] },
  });
  expect(refused.body).toMatchObject({ status: 409, message: 'it stays where it is' });
  expect(await line('x')).toMatchObject({ orderId: null, moves: 0 });
  expect((await own.get('/v1/orders/1')).body).toMatchObject({ name: 'a' });
});

test('the key of a new owner is not known to the hook', async () => {
  const made = await own.send('POST', '/v1/orders', { name: 'new', lines: { add: [ids['x']] } });
  expect(changes()).toEqual([{}]);
  expect(await line('x')).toMatchObject({ orderId: made.body.id, moves: 1 });
});

test('both halves of a morph pair are its key', async () => {
  expect((await own.send('PATCH', '/v1/orders/2', { remarks: { add: [1] } })).status).toBe(200);
  expect(changes()).toEqual([{ aboutType: 'orders', aboutId: 2 }]);
  expect((await own.send('PATCH', '/v1/orders/2', { remarks: { remove: [1] } })).status).toBe(200);
});

test('one record cannot be moved and changed by one batch', async () => {
  const done = await own.send('POST', '/v1/_batch', [
    { method: 'PATCH', path: '/orders/1', body: { lines: { add: [ids['x']] } } },
    { method: 'PATCH', path: `/lines/${ids['x']}`, body: { orderId: 2 } },
  ]);
  expect(done.body).toMatchObject({ status: 400, operation: 1 });
});

test('links run no hooks', async () => {
  expect((await own.send('PATCH', '/v1/orders/1', { tags: [1] })).status).toBe(200);
  expect((await own.send('PATCH', '/v1/orders/1', { tags: { remove: [1] } })).status).toBe(200);
  await own.send('PATCH', `/v1/lines/${ids['x']}`, { orderId: 2 });
  await expect.poll(() => committed).toHaveLength(2);
  expect(committed).not.toContain('never');
});

test('gets the key that a hook of its owner has set, in a batch too', async () => {
  const { body: box } = await own.send('POST', '/v1/boxes', { code: 'a' });
  for (const isBatch of [false, true]) {
    const { body: item } = await own.send('POST', '/v1/items', { name: 'new' });
    const body = { code: isBatch ? 'C' : 'B', items: { add: [item.id] } };
    const path = `/boxes/${String(box.id)}`;
    const done = isBatch
      ? await own.send('POST', '/v1/_batch', [{ method: 'PATCH', path, body }])
      : await own.send('PATCH', `/v1${path}`, body);
    expect(done.status).toBe(200);
    expect((await own.get(`/v1/items/${String(item.id)}`)).body).toMatchObject({
      name: 'moved',
      boxCode: body.code.toLowerCase(),
    });
    await own.send('DELETE', `/v1/items/${String(item.id)}`);
  }
});
