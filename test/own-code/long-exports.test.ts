import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CodeNote } from '../../src/observability/events.ts';
import { isHold, readerOf, serveOwn, type Own } from '../support/own-code.ts';

/** What the function does with the first records of an export, which are 10, and with the others. */
let compute: (part: number) => Promise<void>;
const notes: CodeNote[] = [];
const readers = [readerOf((line) => void (isHold(line) || notes.push(line)))];

let own: Own;
beforeAll(async () => {
  const parts = new Map<string, number>();
  own = await serveOwn(
    `
server: { requestTimeout: 3s }
resources:
  items: { fields: { name: { type: string }, long: { type: string, computed: true } } }
`,
    {
      resources: {
        items: {
          computed: {
            long: {
              needs: ['name'],
              values: async (items, { request: { id } }) => {
                const part = parts.get(id) ?? 0;
                parts.set(id, part + 1);
                await compute(part);
                return items.map(({ name }) => `long ${name}`);
              },
            },
          },
        },
      },
    },
    {},
    { readers },
  );
  const items = Array.from({ length: 15 }, (_, index) => ({ name: String(index) }));
  await own.send('POST', '/v1/items?fields=id', items);
});
afterAll(() => own.stop());
beforeEach(() => {
  notes.length = 0;
});

async function exported(): Promise<readonly unknown[]> {
  const { text } = await own.raw('/v1/items', { headers: { accept: 'application/x-ndjson' } });
  const lines = text.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly long: unknown }).long);
}

const values = Array.from({ length: 15 }, (_, index) => `long ${index}`);

test('each part of an export has the time of a request for what it computes', async () => {
  // Less than the time of a request, of which two are more.
  compute = () => delay(1_600);
  expect(await exported()).toEqual(values);
  expect(notes).toEqual([]);
});

test('the values of a part that takes longer are null, and the others are there', async () => {
  compute = (part) => (part === 0 ? new Promise(() => undefined) : Promise.resolve());
  expect(await exported()).toEqual([
    ...Array.from({ length: 10 }, () => null),
    ...values.slice(10),
  ]);
  expect(notes.map(({ message }) => message)).toEqual([
    'computed long of items did not end within the deadline of its request',
    'computed long of items did not end within the deadline of its request',
  ]);
});

test('a value that cannot be computed is null, and the log says why', async () => {
  compute = () => Promise.reject(new Error('no value'));
  const { body } = await own.get('/v1/items?limit=2');
  expect(body).toMatchObject([{ long: null }, { long: null }]);
  expect(notes).toMatchObject([
    { level: 'error', message: 'computed long of items: no value' },
    { level: 'error', message: 'computed long of items: no value' },
  ]);
});
