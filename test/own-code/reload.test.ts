import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/command.ts';
import { countOf, kept, live, reloaded, type Live } from '../support/live.ts';

const specification = `code: ./api.ts
resources:
  orders:
    fields: { number: { type: string } }
`;

const module = (word: string): string => `
import { defineCode } from 'plinth';
import { word } from './lib/word.ts';
let isReady = false;
export default defineCode({
  async start() {
    console.error('begun ${word}');
    await new Promise((done) => setTimeout(done, 100));
    isReady = true;
  },
  stop() { console.error('ended ${word}'); },
  endpoints: {
    'GET /word': () => (isReady ? '${word} ' + word : 'too early'),
    'GET /${word}': () => word,
    'GET /leak': () => void Promise.reject(new Error('left alone')),
    'GET /slow': async () => {
      await new Promise((done) => setTimeout(done, 5_000));
      return '${word}';
    },
  },
});
`;

let served: Live;
beforeAll(async () => {
  const files = {
    'api.ts': module('one'),
    'lib/word.ts': "import { part } from './part.ts';\nexport const word: string = part;\n",
    'lib/part.ts': "export const part = 'a';\n",
  };
  served = await live(specification, files, ['--types', 'types.ts']);
});
afterAll(() => served.server.stop('SIGTERM'));

const word = async (): Promise<unknown> => (await served.get('/v1/word')).json();

/** Writes a file, and waits until one more note has this text. */
async function write(name: string, text: string, note: string): Promise<void> {
  const before = countOf(served.note(), note);
  served.folder.write(name, text);
  await until(() => countOf(served.note(), note) > before);
}

test('the module, and what it imports through others, is loaded again when it changes', async () => {
  expect(await word()).toBe('one a');
  await write('lib/part.ts', "export const part = 'b';\n", reloaded);
  expect(await word()).toBe('one b');
  await write('api.ts', module('two'), reloaded);
  expect(await word()).toBe('two b');
  // The types that `--types` keeps know what the module says.
  const types = (): string => readFileSync(served.folder.at('types.ts'), 'utf8');
  await until(() => types().includes('"GET /two"'));
  expect(types()).not.toContain('"GET /one"');
  await until(() => served.note().includes('ended one'));
  expect(countOf(served.note(), 'begun one')).toBe(countOf(served.note(), 'ended one'));
});

test('requests in flight end with the code that they began with, and then it stops', async () => {
  const slow = served.get('/v1/slow');
  await until(() => served.note().includes('begun two'));
  await write('api.ts', module('three'), reloaded);
  expect(await word()).toBe('three b');
  expect(served.note()).not.toContain('ended two');
  expect(await (await slow).json()).toBe('two');
  await until(() => served.note().includes('ended two'));
});

test('a rejection that own code leaves to nobody is told, and ends nothing', async () => {
  expect((await served.get('/v1/leak')).status).toBe(204);
  await until(() => served.note().includes('Own code has left a rejection to nobody'));
  expect(served.note()).toContain('left alone');
  expect(await word()).toBe('three b');
});

test('errors are told with their place, and the last good code serves on', async () => {
  await write('lib/part.ts', 'export const part = ;\n', kept);
  expect(served.note()).toMatch(/api\.ts:1:1 error .*cannot be loaded: lib\/part\.ts:1:\d+: /u);
  expect(await word()).toBe('three b');
  await write('lib/part.ts', "export const part = 'c';\n", reloaded);
  expect(await word()).toBe('three c');
  await write('api.ts', module('four').replace('GET /word', 'GET /orders'), kept);
  expect(served.note()).toContain('the resource orders answers /orders');
  expect(await word()).toBe('three c');
  const failing = module('four').replace('isReady = true;', "throw new Error('no mailer');");
  await write('api.ts', failing, kept);
  expect(served.note()).toContain('api.ts cannot be started: no mailer');
  expect(await word()).toBe('three c');
  await write('api.ts', module('four'), reloaded);
  expect(await word()).toBe('four c');
});
