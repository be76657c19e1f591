import { randomUUID } from 'node:crypto';
import { defineCode, endpoint } from 'plinth';
import { z } from 'zod';
import type { Api } from './plinth-types.ts';

/** What a status may become. */
const next: Readonly<Record<string, readonly string[]>> = {
  open: ['paid', 'cancelled'],
  paid: ['sent', 'cancelled'],
  sent: [],
  cancelled: [],
};

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

export default defineCode<Api>({
  resources: {
    products: {
      beforeCreate(product) {
        product.slug = slugOf(product.name ?? '');
      },
    },

    orders: {
      beforeCreate(order, { also, user, now }) {
        order.number = `O-${randomUUID().slice(0, 8)}`;
        order.status = 'open';
        also((written) => ({
          method: 'POST',
          path: '/audit-log',
          body: { at: now.toISOString(), who: user?.sub, what: `order ${written.number} created` },
        }));
      },

      beforeUpdate(change, { before, also, user, now, fail }) {
        const { status } = change;
        if (status === undefined || status === before.status) return;
        if (!next[before.status]?.includes(status))
          throw fail(409, `An order that is ${before.status} does not become ${status}`);
        also({
          method: 'POST',
          path: '/audit-log',
          body: { at: now.toISOString(), who: user?.sub, what: `order ${before.number} ${status}` },
        });
      },

      // Tells another service of each new order, after the answer.
      async afterCommit({ operation, after }, { signal, log }) {
        const url = process.env['ORDERS_WEBHOOK'];
        if (operation !== 'create' || url === undefined) return;
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ event: 'order.created', order: after }),
          signal,
        });
        if (!response.ok) log.warn('The webhook was refused', { status: response.status });
      },

      computed: {
        label: {
          needs: ['number', 'customer.name'],
          value: ({ number, customer }) => `${number}, ${customer?.name ?? 'unknown'}`,
        },
      },
    },
  },

  endpoints: {
    'POST /orders/:id/pay': endpoint({
      summary: 'Pay an order',
      access: 'clerk',
      body: z.object({ token: z.string().min(3) }),
      async handler({ params, body, db, fail }) {
        const order = await db.orders.get(Number(params['id']));
        if (order.status !== 'open') throw fail(409, `This order is ${order.status}`);
        const { data: lines } = await db['order-lines'].list({
          where: { orderId: order.id },
          expand: ['product'],
          limit: 100,
        });
        if (lines.length === 0) throw fail(422, 'This order has no lines');
        const cents = lines.reduce(
          (sum, { quantity, product }) => sum + quantity * Math.round(Number(product.price) * 100),
          0,
        );
        // If somebody has changed the order since it was read, this is 412.
        const paid = await db.orders.update(order, {
          status: 'paid',
          paymentId: `pay_${body.token}`,
        });
        return { number: paid.number, status: paid.status, total: (cents / 100).toFixed(2) };
      },
    }),

    'GET /reports/orders': async ({ db }) => {
      const { data } = await db.orders.aggregate({ group: ['status'] });
      return data.map(({ group, count }) => ({ status: group.status, count }));
    },
  },
});
