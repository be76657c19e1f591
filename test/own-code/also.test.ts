import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Code, ResourceCode } from '../../src/extensions/code.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `
limits: { batchItems: 5 }
resources:
  orders:
    timestamps: true
    fields:
      name: { type: string }
      count: { type: integer, default: 0 }
      secret: { type: string, writeOnly: true }
      hidden: { type: string, access: none }
      meta: { type: object, properties: { size: { type: integer } } }
      label: { type: string, computed: true }
  logs:
    access: none
    fields: { text: { type: string, required: true } }
`;

/** The hooks of the present test. */
let current: Readonly<Record<string, ResourceCode>> = {};
/** The functions whose context has `also`. */
const withAlso = new Map<string, boolean>();

const log = (text: string) => ({ method: 'POST', path: '/logs', body: { text } }) as const;

function hooksOf(resource: string): ResourceCode {
  const hooks = (): ResourceCode => current[resource] ?? {};
  const seen = (name: string, context: object): void => void withAlso.set(name, 'also' in context);
  return {
    beforeCreate(record, context) {
      seen('beforeCreate', context);
      return hooks().beforeCreate?.(record, context);
    },
    beforeUpdate(change, context) {
      seen('beforeUpdate', context);
      return hooks().beforeUpdate?.(change, context);
    },
    beforeDelete(context) {
      seen('beforeDelete', context);
      return hooks().beforeDelete?.(context);
    },
    afterCommit(change, context) {
      seen('afterCommit', context);
      return hooks().afterCommit?.(change, context);
    },
  };
}

const code: Code = {
  resources: {
    orders: {
      ...hooksOf('orders'),
      computed: {
        label: {
          needs: ['name'],
          value: ({ name }, context) => {
            withAlso.set('computed', 'also' in context);
            return `order ${name}`;
          },
        },
      },
    },
    logs: hooksOf('logs'),
  },
  endpoints: {
    'GET /endpoint': (context) => void withAlso.set('endpoint', 'also' in context),
    'GET /all-logs': async ({ db }) =>
      (await db.asOwner['logs']?.list({ sort: ['id'] }))?.data.map(({ text }) => text as unknown),
    'DELETE /all-logs': async ({ db }) =>
      void (await db.asOwner['logs']?.deleteMany({ where: { id_gt: 0 } })),
  },
};

let own: Own;
beforeAll(async () => {
  own = await serveOwn(specification, code);
});
afterAll(() => own.stop());
afterEach(async () => {
  current = {};
  await own.send('DELETE', '/v1/orders?id_gt=0');
  await own.send('DELETE', '/v1/all-logs');
  await own.settled();
});

const logs = async (): Promise<unknown> => (await own.get('/v1/all-logs')).body;
const made = async (name = 'a'): Promise<string> =>
  `/v1/orders/${String((await own.send('POST', '/v1/orders', { name })).body.id)}`;

test('hooks before a write have it, and nothing else', async () => {
  const path = await made();
  await own.send('PATCH', path, { name: 'b' });
  await own.send('DELETE', path);
  await own.get('/v1/endpoint');
  await expect.poll(() => withAlso.has('afterCommit')).toBe(true);
  expect([...withAlso].filter(([, has]) => has).map(([name]) => name)).toEqual([
    'beforeCreate',
    'beforeUpdate',
    'beforeDelete',
  ]);
  expect([...withAlso.keys()].toSorted()).toEqual([
    'afterCommit',
    'beforeCreate',
    'beforeDelete',
    'beforeUpdate',
    'computed',
    'endpoint',
  ]);
});

test.each<readonly [string, NonNullable<ResourceCode['beforeCreate']>]>([
  ['an operation', (_order, { also }) => also(log('added'))],
  ['a function', (_order, { also }) => also(() => log('added'))],
])('what it adds has an afterCommit of its own: %s', async (_name, beforeCreate) => {
  const told: unknown[] = [];
  current = {
    orders: { beforeCreate },
    logs: { afterCommit: ({ operation, after }) => void told.push([operation, after?.['text']]) },
  };
  await made();
  await expect
    .poll(() => told)
    .toEqual([
      ['create', 'added'],
      ['create', 'added'],
    ]);
});

test.each([
  ['of one record', [5], [6]],
  ['of all records of a request', [3, 2], [3, 3]],
])('limits.batchItems counts what hooks add: %s', async (_name, taken, tooMany) => {
  current = {
    orders: {
      beforeCreate(order, { also }) {
        for (let index = 0; index < (order['count'] as number); index += 1) also(log(`${index}`));
      },
    },
  };
  const send = (counts: readonly number[]) =>
    own.send(
      'POST',
      '/v1/orders',
      counts.map((count) => ({ count })),
    );
  expect((await send(taken)).status).toBe(201);
  expect(await logs()).toHaveLength(5);
  const refused = await send(tooMany);
  expect([refused.status, refused.body.code]).toEqual([500, 'INTERNAL_ERROR']);
  expect(own.taken().join()).toContain('6 writes, and a request has at most 5 (limits.batchItems)');
  expect(await logs()).toHaveLength(5);
  expect((await own.get('/v1/orders')).body).toHaveLength(taken.length);
});

test('a hook that runs again begins with what was sent, and has added nothing', async () => {
  const path = await made('a');
  current = {
    orders: {
      async beforeUpdate(change, { before, also, db }) {
        if (change['name'] === undefined) return;
        also(log(`on ${before['count']}`));
        change['name'] = `${change['name']}!`;
        (change['meta'] as Record<string, unknown>)['size'] += 1 as never;
        // What another process would do meanwhile.
        if (before['count'] === 0) await db['orders']?.update(before['id'], { count: 1 });
      },
    },
  };
  const patched = await own.send('PATCH', path, { name: 'b', meta: { size: 1 } });
  expect(patched.body).toMatchObject({ name: 'b!', count: 1, meta: { size: 2 } });
  expect(await logs()).toEqual(['on 1']);
});

test('what functions return is ignored', async () => {
  const returned = { name: 'returned', count: 9 };
  current = {
    orders: {
      beforeCreate: () => returned as never,
      beforeUpdate: () => false as never,
      beforeDelete: async () => returned as never,
      afterCommit: () => returned as never,
    },
  };
  const path = await made('a');
  expect((await own.get(path)).body).toMatchObject({ name: 'a', count: 0 });
  expect((await own.send('PATCH', path, { name: 'b' })).body).toMatchObject({
    name: 'b',
    count: 0,
  });
  expect((await own.send('DELETE', path)).status).toBe(204);
});

test('afterCommit gets every stored field, whoever may see it', async () => {
  const told: unknown[] = [];
  current = {
    orders: {
      beforeCreate: (order) => void (order['hidden'] = 'h'),
      afterCommit: ({ before, after }) => void told.push([before, after]),
    },
  };
  const { body } = await own.send('POST', '/v1/orders', { name: 'a', secret: 's' });
  await expect.poll(() => told).toHaveLength(2);
  const names = ['id', 'name', 'count', 'secret', 'hidden', 'meta', 'createdAt', 'updatedAt'];
  const after = { ...body, secret: 's', hidden: 'h' } as Record<string, unknown>;
  delete after['label'];
  expect(told).toEqual([
    [undefined, after],
    [undefined, after],
  ]);
  expect(Object.keys(after).toSorted()).toEqual(names.toSorted());
  told.length = 0;
  await own.send('DELETE', `/v1/orders/${String(body.id)}`);
  await expect
    .poll(() => told)
    .toEqual([
      [after, undefined],
      [after, undefined],
    ]);
});

test('the answer does not wait for an afterCommit', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let ended = 0;
  current = {
    orders: {
      async afterCommit() {
        await promise;
        ended += 1;
      },
    },
  };
  expect((await own.send('POST', '/v1/orders', { name: 'a' })).status).toBe(201);
  expect(ended).toBe(0);
  resolve();
  await expect.poll(() => ended).toBe(2);
});

test('hooks that wait keep no connection and nobody else', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  current = {
    orders: {
      async beforeCreate() {
        waiting += 1;
        await promise;
      },
    },
  };
  // More than PostgreSQL has connections here.
  const all = own.sides.flatMap((side) =>
    Array.from({ length: 12 }, () => side.send('POST', '/v1/orders', { name: 'a' })),
  );
  await expect.poll(() => waiting).toBe(all.length);
  expect((await own.get('/v1/orders')).body).toEqual([]);
  expect((await own.send('DELETE', '/v1/all-logs')).status).toBe(204);
  resolve();
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201]));
});
