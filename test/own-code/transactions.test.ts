import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, beforeAll, expect, test } from 'vitest';
import type { Code } from '../../src/extensions/code.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `
resources:
  orders:
    fields: { name: { type: string }, count: { type: integer, default: 0 } }
  notes:
    fields: { text: { type: string, maxLength: 9 } }
`;

/** The texts of notes that were committed, as `afterCommit` was told, and how often it ran for orders. */
const told: string[] = [];
let rounds = 0;

const note = (text: string) => ({ method: 'POST', path: '/notes', body: { text } }) as const;

const code: Code = {
  resources: {
    orders: {
      async beforeCreate(order, { db, also }) {
        const batch = (...texts: string[]): Promise<unknown> => db.batch(texts.map(note));
        switch (order['name']) {
          case 'catches':
            await batch('half', 'far too long').catch(() => undefined);
            break;
          case 'catches as owner':
            await db.asOwner.batch([note('half'), note('far too long')]).catch(() => undefined);
            break;
          case 'adds':
          case 'adds as owner': {
            const body = { name: String(order['name']).replace('adds', 'catches') };
            also(() => ({ method: 'POST', path: '/orders', body }));
            break;
          }
          default:
        }
      },
      async beforeUpdate(_change, { before }) {
        await delay(2);
        (before as Record<string, unknown>)['name'] = 'changed by the hook';
      },
      async afterCommit({ operation, before, after }, { db }) {
        if (operation !== 'update' || after?.['name'] !== 'endless') return;
        rounds += 1;
        if (before?.['name'] === 'changed by the hook') told.push('changed');
        if (rounds < 30)
          await db['orders']?.update(after['id'], { count: Number(after['count']) + 1 });
      },
    },
    notes: {
      afterCommit: ({ after }) => void told.push(String(after?.['text'])),
    },
  },
  endpoints: {
    'POST /orders/:id/raise': async ({ params, db }) => {
      await db['orders']?.update(params['id'], { count: { increment: 1 } });
      return null;
    },
  },
};

let own: Own;
beforeAll(async () => {
  own = await serveOwn(specification, code);
});
afterAll(() => own.stop());
beforeEach(() => {
  told.length = 0;
  rounds = 0;
});

async function texts(): Promise<unknown> {
  return (await own.get('/v1/notes?fields=text')).body as unknown;
}

test.each(['adds', 'adds as owner'])(
  'a write of a hook in the transaction that fails undoes all, though the hook catches it: %s',
  async (name) => {
    const before = await texts();
    expect((await own.send('POST', '/v1/orders', { name })).status).toBe(500);
    expect(own.taken().join()).toMatch(/also of orders/u);
    expect(await texts()).toEqual(before);
  },
);

test('an afterCommit that writes its own record ends after five levels', async () => {
  for (const side of own.sides) {
    rounds = 0;
    const { body } = await side.send('POST', '/v1/orders', { name: 'a' });
    await side.send('PATCH', `/v1/orders/${String(body.id)}`, { name: 'endless' });
    await expect.poll(() => side.failures.map(String).join()).toContain('6 levels deep');
    expect(rounds).toBeLessThanOrEqual(5);
  }
  expect(told).toEqual([]);
  own.taken();
});

test('writes of endpoints take turns, too', async () => {
  for (const side of own.sides) {
    const { body } = await side.send('POST', '/v1/orders', { name: 'a' });
    const path = `/v1/orders/${String(body.id)}`;
    const all = await Promise.all(
      Array.from({ length: 12 }, () => side.send('POST', `${path}/raise`)),
    );
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect((await side.get(path)).body.count).toBe(12);
  }
});
