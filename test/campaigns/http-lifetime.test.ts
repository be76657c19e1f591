import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as afterRead, setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connections } from '../../src/http/server/connections.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { until } from '../support/command.ts';
import { chunk, chunkedHead, getBytes, postBytes, Wire } from '../support/wire.ts';
import { servePosts, specification } from './posts.ts';

const { api, open, titles, expectUnharmed } = servePosts();

describe('clients that go away', () => {
  test('in the middle of a body', async () => {
    const before = await titles();
    for (let round = 0; round < 50; round += 1) {
      const wire = await open();
      await wire.send(postBytes('{"title":"half"}').slice(0, -5));
      if (round % 2 === 0) wire.leave();
      else wire.close();
    }
    await expectUnharmed(before);
  });

  test('in the middle of chunks', async () => {
    const before = await titles();
    for (let round = 0; round < 20; round += 1) {
      const wire = await open();
      await wire.send(`${chunkedHead()}${chunk('{"title":"half"}')}`);
      wire.leave();
    }
    await expectUnharmed(before);
  });

  test('before their answer: each write is there whole or not at all', async () => {
    const before = await titles();
    const body = JSON.stringify([{ title: 'left 1' }, { title: 'left 2' }]);
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const wire = await open();
        await wire.send(postBytes(body));
        wire.leave();
      }),
    );
    const written = (await titles()).slice(before.length);
    expect(written).toEqual(
      Array.from({ length: written.length / 2 }, () => ['left 1', 'left 2']).flat(),
    );
    expect(api().failures.splice(0)).toEqual([]);
  });

  test('while they wait for what is refused', async () => {
    const connect = 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n';
    for (let round = 0; round < 20; round += 1) {
      const wire = await open();
      await wire.send(`${getBytes('/v1/posts?limit=1000').repeat(5)}${connect}`);
      wire.leave();
    }
    expect((await api().get('/v1/posts/1')).status).toBe(200);
    expect(api().failures.splice(0)).toEqual([]);
  });

  test('while they read', async () => {
    for (let round = 0; round < 20; round += 1) {
      const wire = await open();
      await wire.send(getBytes('/v1/posts?limit=1000').repeat(50));
      wire.leave();
    }
    expect((await api().get('/v1/posts/1')).status).toBe(200);
    expect(api().failures.splice(0)).toEqual([]);
  });
});

describe('time', () => {
  let slow: TestApi;
  beforeAll(async () => {
    slow = await serveApi(
      `server: { requestTimeout: 200ms }\n${specification.replace(/server:.*\n/u, '')}`,
    );
  });
  afterAll(() => slow.stop());

  test.each([
    ['a head that does not end', 'GET /v1/posts HTTP/1.1\r\nHost: x\r\n'],
    ['a body that does not end', postBytes('{"title":"slow"}').slice(0, -1)],
    ['chunks that do not end', `${chunkedHead()}${chunk('{"title":"slow"}')}`],
  ])('%s: 408, and the connection ends', async (_, bytes) => {
    const wire = await open(slow.url);
    await wire.send(bytes);
    const answer = await wire.answer();
    expect(answer?.status).toBe(408);
    expect(answer?.body).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
    expect(answer?.headers.get('connection')).toBe('close');
    expect(await wire.rest()).toBe('');
    expect((await slow.get('/v1/posts')).body).toEqual([]);
    expect(slow.failures.splice(0)).toEqual([]);
  });

  test.each([
    ['a body that does not end', postBytes('{"title":"slow"}').slice(0, -1), 408],
    ['chunks that do not end', `${chunkedHead()}${chunk('{"title":"slow"}')}`, 408],
    ['a body that is no HTTP any more', `${chunkedHead()}${chunk('{"title":"slow"}')}no\r\n`, 400],
  ])('%s holds nothing once it was answered', async (_, bytes, status) => {
    const wire = await open(slow.url);
    await wire.send(bytes);
    expect((await wire.answer())?.status).toBe(status);
    await wire.rest();
    const { text } = await slow.get('/_metrics');
    expect(text).toMatch(/^plinth_requests_in_flight 1$/mu);
  });

  test('a body that nobody reads and that does not end: one answer', async () => {
    const wire = await open(slow.url);
    await wire.send(postBytes('{"title":"slow"}', '/v1/nope').slice(0, -1));
    expect((await wire.answer())?.status).toBe(404);
    expect(await wire.rest()).toBe('');
  });

  test('a connection that is only kept open is not disturbed', async () => {
    const wire = await open(slow.url);
    await wire.send(getBytes('/v1/posts'));
    expect((await wire.answer())?.status).toBe(200);
    const other = await open(slow.url);
    await other.send('GET /v1/posts HTTP/1.1\r\n');
    expect((await other.answer())?.status).toBe(408);
    await wire.send(getBytes('/v1/posts'));
    expect((await wire.answer())?.status).toBe(200);
  });
});

describe('a server that stops', () => {
  test('answers what it has begun, closes what nobody uses, and takes nothing new', async () => {
    const stopping = await serveApi(specification);
    const [idle, silent, partial, busy] = await Promise.all([
      open(stopping.url),
      open(stopping.url),
      open(stopping.url),
      open(stopping.url),
    ]);
    await idle.send(getBytes('/v1/posts'));
    await idle.answer();
    await partial.send('GET /v1/posts HTTP/1.1\r\n');
    const whole = postBytes('{"title":"last"}');
    await busy.send(whole.slice(0, -5));
    // The head has arrived once the server says so of a later one.
    await stopping.get('/_health');

    const stopped = stopping.stop();
    for (const wire of [idle, silent, partial]) expect(await wire.rest()).toBe('');
    await expect(Wire.open(stopping.url)).rejects.toThrow('ECONNREFUSED');
    await busy.send(whole.slice(-5));
    const answer = await busy.answer();
    expect([answer?.status, answer?.headers.get('connection')]).toEqual([201, 'close']);
    expect(await busy.rest()).toBe('');
    await stopped;
    expect(stopping.failures).toEqual([]);
  });

  test('answers all that has come on a connection, and begins nothing behind its last answer', async () => {
    const stopping = await serveApi(`debug: true\n${specification}`);
    const held = (bytes: string, ms: number): string =>
      bytes.replace('\r\n', `\r\nX-Simulate: latency=${ms}\r\n`);
    const wire = await open(stopping.url);
    const first = held(getBytes('/v1/posts'), 1_500);
    await wire.send(`${first}${held(postBytes('{"title":"behind"}'), 700)}`);
    const other = await open(stopping.url);
    await other.send(`${first}${postBytes('{"title":"done before"}')}`);
    await until(async () => (await stopping.get('/v1/posts')).body.length === 1);

    const stopped = stopping.stop();
    await delay(900);
    // The answer with which the connection ends is decided, and waits for its turn.
    await wire.send(postBytes('{"title":"too late"}'));
    // Nothing ends yet with the other one: its answers were made before.
    await other.send(getBytes('/v1/posts'));
    const seen = [];
    for (const one of [wire, wire, other, other, other]) {
      const answer = await one.answer();
      seen.push([answer?.status, answer?.headers.get('connection')?.toLowerCase()]);
    }
    expect(seen).toEqual([
      [200, 'keep-alive'],
      [201, 'close'],
      [200, 'keep-alive'],
      [201, 'keep-alive'],
      [200, 'close'],
    ]);
    expect([await wire.rest(), await other.rest()]).toEqual(['', '']);
    await stopped;
    expect(stopping.failures).toEqual([]);
  });

  test('cuts off what does not end in time', async () => {
    const connections = new Connections(16_384, () => ({ vary: '', extra: [] }));
    // It answers nobody.
    const server = createServer((request, response) => void connections.begin(request, response));
    server.on('connection', (socket) => {
      connections.accept(socket);
      connections.open(socket);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const wire = await open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const arrived = once(server, 'request');
    await wire.send(getBytes('/v1/posts'));
    await arrived;
    await connections.finish(50);
    expect(await wire.rest()).toBe('');
    expect(connections.size).toBe(0);
    server.close();
  });

  test('that was busy reads what has come meanwhile before it closes anything', async () => {
    const stopping = await serveApi(specification);
    const told = new Int32Array(new SharedArrayBuffer(4));
    // Another thread sends on a connection that was used before, when it is told and this one hears nothing.
    const client = new Worker(
      `const { connect } = require('node:net');
       const { parentPort, workerData: { port, told } } = require('node:worker_threads');
       const socket = connect(port, '127.0.0.1');
       const ask = () => socket.write('GET /_health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');
       let answers = 0;
       socket.on('data', () => {
         answers += 1;
         parentPort.postMessage(answers);
         if (answers > 1) return;
         Atomics.wait(told, 0, 0);
         ask();
         Atomics.store(told, 0, 2);
         Atomics.notify(told, 0);
       });
       socket.on('error', (error) => parentPort.postMessage(error.code));
       ask();`,
      {
        eval: true,
        workerData: { port: Number(new URL(stopping.url).port), told },
      },
    );
    expect(await once(client, 'message')).toEqual([1]);
    const next = once(client, 'message');
    const stopped = stopping.stop();
    // Until idle connections are closed in the turn that comes next.
    await delay(90);
    // As requests are answered: after what a turn has read, before the timers of the next one.
    await afterRead();
    Atomics.store(told, 0, 1);
    Atomics.notify(told, 0);
    Atomics.wait(told, 0, 1);
    for (const begin = performance.now(); performance.now() - begin < 50;);
    expect(await next).toEqual([2]);
    await stopped;
    await client.terminate();
  });

  test('with many requests in flight: each is answered or never begun', async () => {
    const stopping = await serveApi(specification);
    const requests = Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0
        ? stopping.send('POST', '/v1/posts', { title: `t${index}` })
        : stopping.get('/v1/posts?limit=1'),
    );
    const results = Promise.allSettled(requests);
    await requests[0];
    await stopping.stop();
    for (const result of await results)
      if (result.status === 'fulfilled') expect([200, 201]).toContain(result.value.status);
    expect(stopping.failures).toEqual([]);
  });
});
