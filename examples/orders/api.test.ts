import { createServer as createHttpServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { testServer } from 'plinth/test';
import type { Api } from './plinth-types.ts';

process.env['ORDERS_SECRET'] ??= '0123456789abcdef0123456789abcdef';

const api = await testServer<Api>({ file: 'plinth.yaml' });
const clerk = { sub: 'ada', roles: ['clerk'] };

const records = {
  customers: [{ id: 1, name: 'Ben', email: 'ben@example.com' }],
  products: [{ id: 1, name: 'Tea', slug: 'tea', price: '3.50', stock: 10 }],
};

test('a slug is made of the name', async (context) => {
  const box = api.sandbox({ context, records });
  const product = await box
    .as(clerk)
    .db.products.create({ name: 'Green Tea!', price: '4.00', stock: 5 });
  expect(product.slug).toBe('green-tea');
});

test('an order gets a number, and is in the audit log', async (context) => {
  const box = api.sandbox({ context, records, now: '2026-05-01T12:00:00Z' });
  const { db } = box.as(clerk);
  const order = await db.orders.create({ customerId: 1 });
  expect(order.number).toMatch(/^O-\w{8}$/);
  expect(order.label).toBe(`${order.number}, Ben`);
  const { data } = await db['audit-log'].list();
  expect(data).toMatchObject([
    { at: '2026-05-01T12:00:00.000Z', who: 'ada', what: `order ${order.number} created` },
  ]);
});

test('states follow each other', async (context) => {
  const { db } = api.sandbox({ context, records }).as(clerk);
  const { id } = await db.orders.create({ customerId: 1 });
  await expect(db.orders.update(id, { status: 'sent' })).rejects.toMatchObject({
    body: { status: 409 },
    message: expect.stringContaining('An order that is open does not become sent'),
  });
  await db.orders.update(id, { status: 'paid' });
  expect((await db.orders.update(id, { status: 'sent' })).status).toBe('sent');
});

test('an order is paid once', async (context) => {
  const box = api.sandbox({ context, records }).as(clerk);
  const order = await box.db.orders.create({
    customerId: 1,
    lines: { create: [{ productId: 1, quantity: 3 }] },
  });
  const pay = (body: unknown) =>
    box.fetch(`/v1/orders/${order.id}/pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await pay({ token: 'x' })).status).toBe(400);
  const paid = await pay({ token: 'visa' });
  expect(await paid.json()).toEqual({ number: order.number, status: 'paid', total: '10.50' });
  expect((await pay({ token: 'visa' })).status).toBe(409);
  const report = await box.fetch('/v1/reports/orders');
  expect(await report.json()).toEqual([{ status: 'paid', count: 1 }]);
});

test('others may read, and not write', async (context) => {
  const box = api.sandbox({ context, records });
  expect((await box.fetch('/v1/orders')).status).toBe(401);
  const reader = box.as({ sub: 'eve', roles: [] });
  expect((await reader.fetch('/v1/orders')).status).toBe(200);
  await expect(reader.db.orders.create({ customerId: 1 })).rejects.toMatchObject({
    body: { status: 403 },
  });
});

test('a webhook tells of a new order', async (context) => {
  const told: unknown[] = [];
  const receiver = createHttpServer((request, response) => {
    request.setEncoding('utf8').on('data', (text) => told.push(JSON.parse(text)));
    request.on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  process.env['ORDERS_WEBHOOK'] = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  context.onTestFinished(() => void receiver.close());

  const box = api.sandbox({ context, records });
  const order = await box.as(clerk).db.orders.create({ customerId: 1 });
  await box.settled();
  expect(told).toMatchObject([{ event: 'order.created', order: { number: order.number } }]);
});
