import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EndpointContext } from '../../src/extensions/code.ts';
import { serveApi, type TestApi } from '../support/api.ts';

/** What was closed. */
const closed: string[] = [];

/** An iterator as own code may write one: `end` is its `return`. */
function iterable(end: () => unknown, next: () => unknown): object {
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

const never = (): Promise<never> => new Promise(() => undefined);

async function* closing(name: string, begin = 0): AsyncGenerator {
  try {
    await delay(begin);
    yield 1;
    await never();
  } finally {
    closed.push(name);
  }
}

const endpoints = {
  'GET /sync-return': {
    timeout: '20ms',
    handler: () => iterable(() => ({ done: true, value: undefined }), never),
  },
  'GET /throwing-return': {
    timeout: '20ms',
    handler: () =>
      iterable(() => {
        throw new Error('It cannot be closed');
      }, never),
  },
  'GET /late-iterable': {
    timeout: '20ms',
    async handler() {
      await delay(40);
      return iterable(
        () => undefined,
        () => closed.push('begun'),
      );
    },
  },
  'GET /undefined': async function* nothing() {
    yield undefined;
  },
  'GET /node-stream': () => Readable.from([Buffer.from('a')]),
  'GET /stream': () => closing('head'),
  'GET /bytes': () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(9)),
        cancel: () => void closed.push('bytes'),
      }),
    ),
  'GET /left': ({ signal }: EndpointContext) => {
    signal.addEventListener('abort', () => closed.push('told'));
    return closing('left', 50);
  },
};

let api: TestApi;
beforeAll(async () => {
  const resources = 'resources: { notes: { fields: { text: { type: string } } } }';
  api = await serveApi(`code: ./api.ts\n${resources}`, {}, undefined, { code: { endpoints } });
});
afterAll(() => api.stop());

test.each(['sync-return', 'throwing-return', 'late-iterable'])(
  'an iterator that is late is closed, and does not end the process: %s',
  async (name) => {
    closed.length = 0;
    expect((await api.raw(`/v1/${name}`)).status).toBe(504);
    await delay(50);
    expect(closed).toEqual([]);
    api.failures.length = 0;
  },
);

test.each([
  ['undefined', /which is not JSON/u],
  ['node-stream', /return `new Response\(bytes/u],
])('a first value that is no JSON is 500: %s', async (name, told) => {
  expect((await api.raw(`/v1/${name}`)).status).toBe(500);
  expect(String(api.failures.splice(0))).toMatch(told);
});

test.each([
  ['stream', 'head'],
  ['bytes', 'bytes'],
])('a stream that nobody reads is closed: HEAD /%s', async (path, name) => {
  closed.length = 0;
  expect((await api.raw(`/v1/${path}`, { method: 'HEAD' })).status).toBe(200);
  await expect.poll(() => closed).toContain(name);
});

test('a stream whose client leaves before its head is closed', async () => {
  closed.length = 0;
  const left = new AbortController();
  const asked = fetch(`${api.url}/v1/left`, { signal: left.signal });
  setTimeout(() => left.abort(), 20);
  await expect(asked).rejects.toThrow();
  await expect.poll(() => closed).toEqual(['told', 'left']);
});
