import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Code } from '../../src/extensions/code.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `
resources:
  orders:
    fields: { name: { type: string } }
  logs:
    fields: { text: { type: string }, seen: { type: integer, computed: true } }
  notes:
    fields: { text: { type: string } }
`;

/** Writes that own code has begun in a transaction, and has not awaited. */
let begun: (() => Promise<unknown>)[] = [];

const note = { text: 'late' };

const code: Code = {
  resources: {
    orders: {
      beforeCreate: (_order, { also }) =>
        also(({ name }) => ({ method: 'POST', path: '/logs', body: { text: String(name) } })),
    },
    logs: {
      beforeCreate({ text }, { db }) {
        if (text === 'hook') begun.push(async () => db['notes']?.create(note));
        if (text === 'owner') begun.push(async () => db.asOwner['notes']?.create(note));
        if (text === 'batch')
          begun.push(async () => db.batch([{ method: 'POST', path: '/notes', body: note }]));
      },
      computed: {
        seen: {
          needs: ['text'],
          value({ text }, { db }) {
            if (text === 'computed') begun.push(async () => db['notes']?.create(note));
            return 1;
          },
        },
      },
    },
  },
};

let own: Own;
beforeAll(async () => {
  own = await serveOwn(specification, code);
});
afterAll(() => own.stop());
beforeEach(() => {
  begun = [];
});

test.each([
  ['a hook', '/v1/orders', { name: 'hook' }],
  ['a hook as owner', '/v1/orders', { name: 'owner' }],
  ['a batch of a hook', '/v1/orders', { name: 'batch' }],
  ['a value', '/v1/_batch', [{ method: 'POST', path: '/logs', body: { text: 'computed' } }]],
])(
  'what own code writes after the end of its transaction is rejected: %s',
  async (_, path, body) => {
    expect((await own.send('POST', path, body)).status).toBeLessThan(300);
    expect(begun.length).toBeGreaterThanOrEqual(2);
    const ended = await Promise.allSettled(begun.map(async (write) => write()));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect((await own.get('/v1/notes')).body).toEqual([]);
  },
);
