import { afterEach, describe, expect, test } from 'vitest';
import { defineCode, type Code } from '../../src/extensions/code.ts';
import { keyHeaders, withKeys } from './keys.ts';
import { serveBoth, type Both } from '../support/both.ts';

const specification = `
code: ./api.ts
auth: ${withKeys}
access: { read: public, write: public }
resources:
  orders:
    timestamps: true
    fields:
      number: { type: string, required: true, readOnly: true, unique: true }
      name: { type: string }
      slug: { type: string, required: true }
      status: { type: string, enum: [open, paid, sent], default: open }
      count: { type: integer, default: 0 }
      total: { type: decimal }
      meta: { type: object, properties: { a: { type: integer }, b: { type: integer } } }
      secret: { type: string, access: admin }
      lines: { type: relation, relation: hasMany, resource: lines }
      customer: { type: relation, relation: belongsTo, resource: customers }
  lines:
    fields:
      sku: { type: string, required: true }
      amount: { type: integer, readOnly: true }
      order: { type: relation, relation: belongsTo, resource: orders, onDelete: cascade }
  customers:
    fields: { name: { type: string }, orders: { type: relation, relation: hasMany, resource: orders } }
  audit-log:
    access: admin
    fields: { what: { type: string, readOnly: true } }
`;

let both: Both | undefined;
afterEach(async () => {
  await both?.stop();
  both = undefined;
});

async function serve(code: Code): Promise<Both> {
  both = await serveBoth(specification, {}, undefined, { code });
  return both;
}

/** Gives each new order its number and slug. */
function filling(): Code {
  return defineCode({
    resources: {
      orders: {
        beforeCreate(order) {
          order['number'] ??= `O-${order['name']}`;
          order['slug'] ??= String(order['name']).toLowerCase();
        },
      },
      lines: {
        beforeCreate(line) {
          line['amount'] = String(line['sku']).length;
        },
      },
    },
  });
}

describe('beforeCreate', () => {
  test('fills what is required and what clients cannot write, and what it leaves out is asked for then', async () => {
    const api = await serve(filling());
    const created = await api.send('POST', '/v1/orders', { name: 'Ada' });
    expect(created.body).toMatchObject({ number: 'O-Ada', slug: 'ada', status: 'open', count: 0 });
    expect(created.status).toBe(201);
    const given = await api.send('POST', '/v1/orders', { name: 'Bo', slug: 'own' });
    expect(given.body).toMatchObject({ number: 'O-Bo', slug: 'own' });
    expect((await api.send('POST', '/v1/orders', { number: 'mine' })).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      validationErrors: [{ field: 'number', error: 'is read-only' }],
    });
    const nothing = await serveNothing();
    expect((await nothing.send('POST', '/v1/orders', { name: 'Ada' })).body).toMatchObject({
      status: 400,
      validationErrors: [
        { field: 'number', error: 'is required' },
        { field: 'slug', error: 'is required' },
      ],
    });
  });

  async function serveNothing(): Promise<Both> {
    await both?.stop();
    return serve({ resources: { orders: { beforeCreate: () => undefined } } });
  }

  test.each([
    ['a wrong value', (order: Record<string, unknown>) => void (order['secret'] = { a: 1 })],
    ['nothing', () => undefined],
  ])(
    'does not tell of a field that the caller may not know and that it gives %s',
    async (_, hook) => {
      const hidden = specification.replace('access: admin }', 'access: admin, required: true }');
      both = await serveBoth(hidden, {}, undefined, {
        code: {
          resources: {
            orders: {
              beforeCreate(order) {
                order['number'] = 'O-1';
                order['slug'] = 's';
                return hook(order);
              },
            },
          },
        },
      });
      const { body } = await both.send('POST', '/v1/orders', { name: 'Ada' });
      expect(body).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
      expect(JSON.stringify(body)).not.toContain('secret');
      expect(String(both.failures.splice(0)[0])).toContain('orders.secret');
    },
  );

  test('runs for each record of an array and for nested ones, which then are validated again', async () => {
    const api = await serve(filling());
    const many = await api.send('POST', '/v1/orders', [{ name: 'A' }, { name: 'B' }]);
    expect(many.body).toMatchObject([{ number: 'O-A' }, { number: 'O-B' }]);
    const nested = await api.send('POST', '/v1/orders?expand=lines', {
      name: 'C',
      lines: { create: [{ sku: 'abc' }, { sku: 'de' }] },
    });
    expect(nested.body).toMatchObject({ number: 'O-C', lines: [{ amount: 3 }, { amount: 2 }] });
    const parent = await api.send('POST', '/v1/lines?expand=order', {
      sku: 'abcd',
      order: { create: { name: 'D' } },
    });
    expect(parent.body).toMatchObject({ amount: 4, order: { number: 'O-D', slug: 'd' } });
    const own = await api.send('POST', '/v1/customers?expand=orders', {
      name: 'Eve',
      orders: { create: [{ name: 'E', lines: { create: [{ sku: 'x' }] } }] },
    });
    expect(own.body).toMatchObject({ orders: [{ number: 'O-E' }] });
    expect((await api.get('/v1/lines?sku=x')).body).toMatchObject([{ amount: 1 }]);
  });

  test('what it sets is validated like a body', async () => {
    const api = await serve({
      resources: {
        orders: {
          beforeCreate(order) {
            Object.assign(order, {
              number: 'x',
              slug: 'x',
              status: order['name'],
              meta: { a: 'x' },
            });
          },
        },
      },
    });
    const refused = await api.send('POST', '/v1/orders', { name: 'lost' });
    expect(refused.body).toMatchObject({
      code: 'VALIDATION_FAILED',
      validationErrors: [
        { field: 'status', error: expect.stringContaining('open') as string },
        { field: 'meta.a', error: 'must be a number' },
      ],
    });
  });

  test('what it may still change is not looked up', async () => {
    const api = await serve(filling());
    await api.send('POST', '/v1/orders', { name: 'Ada' });
    const problems = async (method: string, path: string): Promise<unknown> =>
      (await api.send(method, path, { name: 7, customerId: 99 })).body.validationErrors;
    const name = { field: 'name', error: 'must be a string' };
    expect(await problems('POST', '/v1/orders')).toMatchObject([name]);
    const reference = { field: 'customerId', rule: 'reference' };
    expect(await problems('PATCH', '/v1/orders/1')).toMatchObject([name, reference]);
  });

  test('takes moments, changes in place and fields that the caller may not know', async () => {
    const api = await serve({
      resources: {
        orders: {
          beforeCreate(order, { now }) {
            order['number'] = now;
            order['slug'] = 's';
            (order['meta'] as Record<string, unknown>)['b'] = 2;
            order['secret'] = 'known';
          },
        },
      },
    });
    const created = await api.send('POST', '/v1/orders', { meta: { a: 1 } });
    expect(created.body).toMatchObject({ meta: { a: 1, b: 2 } });
    expect(Object.keys(created.body as object)).not.toContain('secret');
    const { id } = created.body as { id: number };
    expect((await api.get(`/v1/orders/${id}`, keyHeaders('admin'))).body).toMatchObject({
      secret: 'known',
    });
  });
});

describe('beforeUpdate', () => {
  test('gets what is sent and the record before, of PUT every field, and merges and increments done', async () => {
    const seen: unknown[] = [];
    const api = await serve({
      resources: {
        orders: {
          ...filling().resources?.['orders'],
          beforeUpdate(change, { before }) {
            seen.push({ ...change }, before['status'], before['number']);
            change['total'] = '1.50';
          },
        },
      },
    });
    const { body } = await api.send('POST', '/v1/orders', { name: 'Ada', meta: { a: 1 } });
    const { id } = body as { id: number };
    const path = `/v1/orders/${id}`;
    const patched = await api.send('PATCH', path, { status: 'paid', count: { increment: 2 } });
    expect(patched.body).toMatchObject({ status: 'paid', count: 2, total: '1.50' });
    await api.send('PATCH', path, '{"meta":{"b":5}}', {
      'content-type': 'application/merge-patch+json',
    });
    await api.send('PUT', path, { name: 'Bo', slug: 'bo' });
    expect(seen.filter((_, index) => Math.floor(index / 3) % 2 === 0)).toEqual([
      { status: 'paid', count: 2 },
      'open',
      'O-Ada',
      { meta: { a: 1, b: 5 } },
      'paid',
      'O-Ada',
      {
        name: 'Bo',
        slug: 'bo',
        status: 'open',
        count: 0,
        total: null,
        meta: null,
        customerId: null,
      },
      'paid',
      'O-Ada',
    ]);
    expect((await api.get(path)).body).toMatchObject({ name: 'Bo', total: '1.50', meta: null });
  });

  test('refuses, for PATCH, upsert, nested records and changes of many, and nothing is written', async () => {
    const api = await serve({
      resources: {
        orders: {
          ...filling().resources?.['orders'],
          beforeUpdate(change, { before, fail }) {
            if (before['status'] === 'paid' && change['status'] === 'open')
              throw fail(409, 'A paid order stays paid');
          },
        },
      },
    });
    const customer = await api.send('POST', '/v1/customers', {
      name: 'C',
      orders: { create: [{ name: 'A', status: 'paid' }, { name: 'B' }] },
    });
    const { id: customerId } = customer.body as { id: number };
    const { body: list } = await api.get('/v1/orders?sort=id');
    const [{ id }] = list as [{ id: number }];
    const refused = { status: 409, code: 'CONFLICT', message: 'A paid order stays paid' };
    const open = { status: 'open' };
    expect((await api.send('PATCH', `/v1/orders/${id}`, open)).body).toMatchObject(refused);
    expect((await api.send('PATCH', '/v1/orders?id_gt=0', open)).body).toMatchObject(refused);
    expect(
      (
        await api.send('PATCH', `/v1/customers/${customerId}`, {
          name: 'D',
          orders: { update: [{ id, ...open }] },
        })
      ).body,
    ).toMatchObject(refused);
    expect((await api.get('/v1/orders?status=paid')).body).toHaveLength(1);
    expect((await api.get('/v1/customers')).body).toMatchObject([{ name: 'C' }]);
    const sent = await api.send('PATCH', '/v1/orders?id_gt=0', { status: 'sent' });
    expect(sent.status).toBe(200);
    expect((await api.get('/v1/orders?status=sent')).body).toHaveLength(2);
  });

  test('an upsert runs the hook of what it does', async () => {
    const ran: string[] = [];
    const api = await serveBoth(
      `
resources:
  tags: { fields: { name: { type: string, required: true, unique: true }, uses: { type: integer, default: 0 } } }
`,
      {},
      undefined,
      {
        code: {
          resources: {
            tags: {
              beforeCreate: (tag) => void ran.push(`create ${tag['name']}`),
              beforeUpdate: (change, { before }) => {
                ran.push(`update ${before['name']}`);
                change['uses'] = (before['uses'] as number) + 1;
              },
            },
          },
        },
      },
    );
    both = api;
    await api.send('POST', '/v1/tags', { name: 'a' });
    const written = await api.send('POST', '/v1/tags?onConflict=name', [
      { name: 'a', uses: 7 },
      { name: 'b' },
    ]);
    expect(written.body).toMatchObject([
      { name: 'a', uses: 1 },
      { name: 'b', uses: 0 },
    ]);
    expect(ran.filter((_, index) => index % 2 === 0).length).toBe(3);
    expect(new Set(ran)).toEqual(new Set(['create a', 'update a', 'create b']));
  });
});

test('an upsert looks for the key that was sent, not for that of the hook', async () => {
  const api = await serveBoth(
    'resources: { tags: { fields: { name: { type: string, unique: true }, uses: { type: integer } } } }',
    {},
    undefined,
    {
      code: {
        resources: {
          tags: { beforeCreate: (tag) => void (tag['name'] = String(tag['name']).toLowerCase()) },
        },
      },
    },
  );
  both = api;
  const upsert = (name: string, uses: number): ReturnType<Both['send']> =>
    api.send('POST', '/v1/tags?onConflict=name', { name, uses });
  expect((await upsert('A', 1)).body).toMatchObject({ name: 'a', uses: 1 });
  expect((await upsert('a', 2)).body).toMatchObject({ name: 'a', uses: 2 });
  const taken = await upsert('A', 3);
  expect([taken.status, taken.body.errors]).toMatchObject([
    422,
    [{ field: 'name', rule: 'unique' }],
  ]);
});

describe('beforeDelete, also and afterCommit', () => {
  const audited = (committed: unknown[]): Code => ({
    resources: {
      orders: {
        ...filling().resources?.['orders'],
        beforeDelete({ before, also, fail }) {
          if (before['status'] === 'sent') throw fail(409, 'It is on its way', { code: 'SENT' });
          also({
            method: 'POST',
            path: '/audit-log',
            body: { what: `order ${before['number']} deleted` },
          });
        },
        afterCommit({ operation, before, after }) {
          committed.push([operation, before?.['number'], after?.['number']]);
        },
      },
    },
  });

  test('a write that a hook adds is in the transaction, with the rights of the owner', async () => {
    const committed: unknown[] = [];
    const api = await serve(audited(committed));
    const { body } = await api.send('POST', '/v1/orders', [
      { name: 'A' },
      { name: 'B', status: 'sent' },
    ]);
    const [{ id }, { id: sent }] = body as [{ id: number }, { id: number }];
    expect((await api.send('DELETE', `/v1/orders/${sent}`)).body).toMatchObject({
      status: 409,
      code: 'SENT',
    });
    expect((await api.send('DELETE', `/v1/orders/${id}`)).status).toBe(204);
    expect((await api.get('/v1/audit-log', keyHeaders('admin'))).body).toMatchObject([
      { what: 'order O-A deleted' },
    ]);
    expect((await api.get('/v1/orders')).body).toHaveLength(1);
    await expect
      .poll(() => [...new Set(committed.map((one) => JSON.stringify(one)))].sort())
      .toEqual(['["create",null,"O-A"]', '["create",null,"O-B"]', '["delete","O-A",null]']);
    expect((await api.send('DELETE', '/v1/orders?id_gt=0')).status).toBe(409);
  });

  test('a function gets the record as it was written; a write that fails undoes all', async () => {
    const api = await serve({
      resources: {
        orders: {
          beforeCreate(order, { also }) {
            order['number'] = `O-${order['name']}`;
            order['slug'] = 's';
            also((record: Readonly<Record<string, unknown>>) => ({
              method: 'POST',
              path: '/audit-log',
              body:
                order['name'] === 'bad' ? { what: 7 } : { what: `order ${String(record['id'])}` },
            }));
          },
        },
      },
    });
    const { body } = await api.send('POST', '/v1/orders', { name: 'good' });
    const { id } = body as { id: number };
    expect((await api.get('/v1/audit-log', keyHeaders('admin'))).body).toMatchObject([
      { what: `order ${id}` },
    ]);
    const bad = await api.send('POST', '/v1/orders', { name: 'bad' });
    expect(bad.body).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
    expect(String(api.failures.splice(0)[0])).toContain('what must be a string');
    expect((await api.get('/v1/orders')).body).toHaveLength(1);
  });

  test('batches run hooks, and announce what they have written once it is committed', async () => {
    const committed: unknown[] = [];
    const api = await serve(audited(committed));
    const failed = await api.send('POST', '/v1/_batch', [
      { method: 'POST', path: '/orders', body: { name: 'A' } },
      { method: 'POST', path: '/orders', body: { nam: 'B' } },
    ]);
    expect(failed.status).toBe(400);
    const done = await api.send('POST', '/v1/_batch', [
      { method: 'POST', path: '/orders', body: { name: 'A' }, as: 'order' },
      { method: 'POST', path: '/lines', body: { sku: 'x', orderId: '{order.id}' } },
    ]);
    expect(done.body).toMatchObject([{ status: 201, body: { number: 'O-A' } }, { status: 201 }]);
    const [{ body }] = done.body as [{ body: { id: number } }];
    const gone = await api.send('POST', '/v1/_batch', [
      { method: 'DELETE', path: `/orders/${body.id}` },
    ]);
    expect(gone.body).toMatchObject([{ status: 204 }]);
    await expect.poll(() => committed.length).toBe(4);
    expect((await api.get('/v1/audit-log', keyHeaders('admin'))).body).toHaveLength(1);
  });
});
