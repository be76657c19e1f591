import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { ServedApi } from '../../src/http/server/served-api.ts';
import { startServer, type ServerOptions } from '../../src/http/server/server.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import type { Database } from '../../src/databases/database.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { buildValid } from '../support/api.ts';
import { makeCertificate } from '../support/certificate.ts';
import { until } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';
import { chunk, chunkedHead, getBytes, postBytes, Wire } from '../support/wire.ts';
import { askAt, serveEdge, type EdgeServer } from './edge.ts';

const specification = (server: string): string => `access: public
rateLimit: false
server: { ${server} }
resources: { notes: { fields: { text: { type: text } } } }
`;
const running: EdgeServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});
const serve = async (server: string, options: Partial<ServerOptions> = {}): Promise<EdgeServer> => {
  const one = await serveEdge(specification(server), options);
  running.push(one);
  return one;
};
const urlOf = ({ running: { port } }: EdgeServer): string => `http://127.0.0.1:${port}`;
const post = (text: string): string => postBytes(JSON.stringify({ text }), '/v1/notes');

/** A server on PostgreSQL whose reads wait until they are let go: all requests stay in flight. */
async function serveHeld(
  server: string,
  options: Partial<ServerOptions> = {},
): Promise<{
  readonly port: number;
  readonly held: () => number;
  readonly letGo: () => void;
  readonly stop: () => Promise<void>;
}> {
  const model = buildValid(specification(server));
  const test = await createDatabase();
  const database = await openPostgres(test.url, { poolSize: 2 });
  await migrate(database, model);
  let [held, isOpen]: [number, boolean] = [0, false];
  const waiting: (() => void)[] = [];
  const all: Database['all'] = async (...asked) => {
    // Readiness looks at the schema.
    if (!isOpen && asked[1].bound[0] !== null) {
      held += 1;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    return database.all(...asked);
  };
  const slow: Database = new Proxy(database, {
    get: (target, name) => {
      if (name === 'all') return all;
      // Lists are read by `all`, then.
      if (name === 'page') return undefined;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const servedApi = new ServedApi(model, slow);
  const one = await startServer(() => servedApi, {
    host: '127.0.0.1',
    port: 0,
    clockAndIds: { now: () => new Date(), uuid: uuidv7 },
    trace: ({ error }) => {
      throw error;
    },
    ...options,
  });
  const letGo = (): void => {
    isOpen = true;
    for (const resolve of waiting.splice(0)) resolve();
  };
  return {
    port: one.port,
    held: () => held,
    letGo,
    stop: async () => {
      letGo();
      await one.close();
      await database.close();
      await test.drop();
    },
  };
}

describe('server.maxInFlight', () => {
  test('further requests are 503 at once, those before are answered, and then all are again', async () => {
    const server = await serveHeld('maxInFlight: 3');
    const first = [1, 2, 3].map(() => askAt(server.port, {}));
    await until(() => server.held() === 3);
    const more = await askAt(server.port, { headers: { origin: 'https://shop.example' } });
    expect([more.status, more.code, more.headers['retry-after']]).toEqual([503, 'OVERLOADED', '1']);
    expect(JSON.parse(more.text)).toMatchObject({
      status: 503,
      error: 'Service Unavailable',
      path: '/v1/notes',
    });
    const write = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await askAt(server.port, write)).code).toBe('OVERLOADED');
    // Before the path is looked at; but not before what is no request.
    expect((await askAt(server.port, { path: '/v1/nope' })).code).toBe('OVERLOADED');
    for (const [path, status] of [
      ['/_health', 200],
      ['/_ready', 200],
      ['/_metrics', 200],
    ] as const)
      expect((await askAt(server.port, { path })).status).toBe(status);
    expect((await askAt(server.port, { method: 'OPTIONS' })).status).toBe(204);
    server.letGo();
    for (const answer of await Promise.all(first)) expect(answer.status).toBe(200);
    const again = await Promise.all([1, 2, 3].map(() => askAt(server.port, {})));
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
    await server.stop();
  });

  test('pipelined requests count as well', async () => {
    const server = await serveHeld('maxInFlight: 3');
    const wire = await Wire.open(`http://127.0.0.1:${server.port}`);
    await wire.send(getBytes('/v1/notes').repeat(3));
    await until(() => server.held() === 3);
    await wire.send(getBytes('/v1/notes'));
    // The answers come in the order of the requests.
    await askAt(server.port, { path: '/_health' });
    server.letGo();
    const statuses: unknown[] = [];
    for (let number = 0; number < 4; number += 1) statuses.push((await wire.answer())?.status);
    expect(statuses).toEqual([200, 200, 200, 503]);
    wire.close();
    await server.stop();
  });

  test('while the event loop is late, further requests are 503 as well', async () => {
    const server = await serveHeld('maxInFlight: 1000', { maxDelay: 50 });
    const first = Array.from({ length: 70 }, () => askAt(server.port, {}));
    await until(() => server.held() === 70);
    for (let turn = 0; turn < 20; turn += 1) {
      for (const end = performance.now() + 100; performance.now() < end;);
      await delay(1);
    }
    expect((await askAt(server.port, {})).code).toBe('OVERLOADED');
    expect((await askAt(server.port, { path: '/_health' })).status).toBe(200);
    server.letGo();
    for (const answer of await Promise.all(first)) expect(answer.status).toBe(200);
    await until(async () => (await askAt(server.port, {})).status === 200);
    await server.stop();
  });

  test('requests that come at once count together, however short each is', async () => {
    const server = await serve('maxInFlight: 20');
    const wires = await openWires(100, urlOf(server));
    // They are accepted one after the other, so the first of their requests do not come at once.
    await statusesOf(wires);
    for (let round = 0; round < 3; round += 1)
      expect(await statusesOf(wires)).toEqual(new Set([200, 503]));
    for (const wire of wires) {
      await wire.send(getBytes('/v1/notes?limit=5'));
      expect((await wire.answer())?.status).toBe(200);
      wire.close();
    }
  });

  test('a request that is refused or whose client goes away is not counted', async () => {
    const server = await serve('maxInFlight: 2, bodyLimit: 1kb');
    for (let round = 0; round < 20; round += 1) {
      const wire = await Wire.open(urlOf(server));
      await wire.send(post('half').slice(0, -3));
      wire.leave();
    }
    const refused = [
      { path: '/v1/nope' },
      { path: '/v1/notes/9' },
      { path: '/v1/notes?x=1' },
      { method: 'PUT' },
    ];
    for (const asked of [...refused, ...refused]) await server.ask(asked);
    const headers = { 'content-type': 'application/json' };
    const large = { method: 'POST', headers, body: JSON.stringify({ text: 'x'.repeat(2_000) }) };
    for (let round = 0; round < 5; round += 1) expect((await server.ask(large)).status).toBe(413);
    for (const asked of [{}, { method: 'POST', headers, body: '{}' }, {}])
      expect((await server.ask(asked)).status).toBeLessThan(300);
  });

  test('a request counts once its body is there', async () => {
    const server = await serve('maxInFlight: 1');
    const wires = await Promise.all([1, 2, 3].map(() => Wire.open(urlOf(server))));
    for (const wire of wires) await wire.send(post('slow').slice(0, -3));
    expect((await server.ask({ path: '/_health' })).status).toBe(200);
    expect((await server.ask()).status).toBe(200);
    for (const wire of wires) {
      await wire.send(post('slow').slice(-3));
      expect((await wire.answer())?.status).toBe(201);
      wire.close();
    }
  });
});

describe('bodies', () => {
  test('in little memory fewer are held, and released bytes are used again', async () => {
    const server = await serve('requestTimeout: 60s', { memory: 256 * 1024 * 1024 });
    const wires = await openWires(9, urlOf(server));
    const whole = post('x'.repeat(1_000_000));
    // The last of them does not fit.
    for (const wire of wires) void wire.send(whole.slice(0, -1));
    const answers = wires.map((wire) => wire.answer());
    expect((await Promise.any(answers))?.status).toBe(503);
    for (const wire of wires) void wire.send(whole.slice(-1));
    const statuses = (await Promise.all(answers)).map((answer) => answer?.status ?? 0);
    expect(new Set(statuses)).toEqual(new Set([201, 503]));
    const kept = statuses.filter((status) => status === 201).length;
    for (const wire of wires) wire.close();
    await until(async () => (await server.ask()).headers['x-total-count'] === String(kept));
  });

  test('are held up to a budget for all of them; others are refused, and released bytes are used again', async () => {
    // Four of the longest always fit, which are five of these.
    const server = await serve('bodyLimit: 64MiB, requestTimeout: 60s');
    const half = Buffer.alloc(48 * 1024 * 1024, ' ');
    const wires: Socket[] = [];
    const answers: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      const socket = connect(server.running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => answers.push(String(bytes).slice(0, 12)));
      socket.write(
        `POST /v1/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${half.length + 10}\r\n\r\n`,
      );
      wires.push(socket);
      await new Promise((done) => socket.write(half, done));
    }
    await until(() => answers.length > 0);
    expect(answers).toEqual(['HTTP/1.1 503']);
    for (const socket of wires) socket.destroy();
    const headers = { 'content-type': 'application/json' };
    await until(
      async () => (await server.ask({ method: 'POST', headers, body: '{}' })).status === 201,
    );
  });
});

const openWires = (count: number, url: string): Promise<readonly Wire[]> =>
  Promise.all(Array.from({ length: count }, () => Wire.open(url)));
/** The statuses of requests that all connections send at once. */
async function statusesOf(wires: readonly Wire[]): Promise<Set<number | undefined>> {
  await Promise.all(wires.map((wire) => wire.send(getBytes('/v1/notes?limit=5'))));
  const answers = await Promise.all(wires.map((wire) => wire.answer()));
  return new Set(answers.map((answer) => answer?.status));
}
describe('many at once', () => {
  test.each([
    ['http', 1_000],
    ['https', 200],
  ] as const)('each is answered again and again, over %s', async (scheme, count) => {
    const tls = { certificate: await makeCertificate('many'), onRenewal: () => undefined };
    const options = { maxDelay: Infinity, ...(scheme === 'https' && { tls }) };
    const server = await serve('maxInFlight: 2000', options);
    const wires = await openWires(count, urlOf(server).replace('http', scheme));
    for (let round = 0; round < 3; round += 1)
      expect(await statusesOf(wires)).toEqual(new Set([200]));
    for (const wire of wires) wire.close();
  });

  test('in overload each is 200 or 503, probes are answered, and afterwards all are', async () => {
    const server = await serve('maxInFlight: 2000', { maxDelay: 0 });
    const wires = await openWires(500, urlOf(server));
    const seen = new Set<number | undefined>();
    for (let round = 0; round < 20; round += 1) {
      const statuses = statusesOf(wires);
      for (const path of ['/_health', '/_ready', '/_metrics'])
        expect((await server.ask({ path })).status).toBe(200);
      for (const status of await statuses) seen.add(status);
    }
    expect(seen).toEqual(new Set([200, 503]));
    for (const wire of wires) wire.close();
    expect((await server.ask()).status).toBe(200);
  });
});

describe('server.maxConnections', () => {
  test('more are closed as they come, until others have ended', async () => {
    const server = await serve('maxConnections: 2');
    const wires = [await Wire.open(urlOf(server)), await Wire.open(urlOf(server))];
    for (const wire of wires) {
      await wire.send(getBytes('/v1/notes'));
      expect((await wire.answer())?.status).toBe(200);
    }
    await expect(server.ask()).rejects.toThrow();
    wires[0]?.close();
    await until(async () => (await server.ask().catch(() => undefined))?.status === 200);
    wires[1]?.close();
  });
});

describe('slow clients', () => {
  test('two hundred heads and bodies that never end harm nobody, and end with 408', async () => {
    const server = await serve('requestTimeout: 4s, maxInFlight: 10');
    const wires = await Promise.all(Array.from({ length: 200 }, () => Wire.open(urlOf(server))));
    const begun = [
      'GET /v1/notes HTTP/1.1\r\nHost: x\r\n',
      post('slow').slice(0, -1),
      `${chunkedHead()}${chunk('{"text":')}`.replaceAll('/v1/posts', '/v1/notes'),
    ];
    for (const [index, wire] of wires.entries()) await wire.send(begun[index % 3] ?? '');
    for (let round = 0; round < 20; round += 1) expect((await server.ask()).status).toBe(200);
    for (const wire of wires) {
      expect((await wire.answer())?.status).toBe(408);
      expect(await wire.rest()).toBe('');
    }
  });

  test('if unsent responses hold too much, the connection that holds most is cut', async () => {
    const mebibyte = 1024 * 1024;
    const server = await serve('bodyLimit: 8MiB', { unsentBytes: 64 * mebibyte });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ text: 'x'.repeat(7 * mebibyte) });
    expect((await server.ask({ method: 'POST', headers, body })).status).toBe(201);
    const ask = async (times: number): Promise<Socket> => {
      const socket = connect(server.running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(getBytes('/v1/notes').repeat(times));
      // Nothing shows a client that reads nothing when its responses are there.
      await new Promise((done) => setTimeout(done, 2_000));
      return socket;
    };
    const lengths = [];
    const sockets = [await ask(2), await ask(6), await ask(5)];
    // Each has 5 s to read.
    await new Promise((done) => setTimeout(done, 5_000));
    for (const socket of sockets) {
      let length = 0;
      const closed = new Promise((done) => socket.once('close', done));
      const taken = new Promise<void>((done) => {
        socket.on('data', (bytes) => {
          length += bytes.length;
          if (length > 14 * mebibyte) done();
        });
      });
      socket.resume();
      await Promise.race([closed, taken]);
      lengths.push(Math.trunc(length / mebibyte));
      socket.destroy();
    }
    // The second one had taken what the system holds for it, and no more.
    expect(lengths).toEqual([14, expect.any(Number), 14]);
    expect(lengths[1]).toBeLessThan(14);
    expect((await server.ask()).status).toBe(200);
  });

  test('a single response may be longer than the budget of all', async () => {
    const mebibyte = 1024 * 1024;
    const server = await serve('bodyLimit: 32MiB', { unsentBytes: mebibyte });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ text: 'x'.repeat(20 * mebibyte) });
    expect((await server.ask({ method: 'POST', headers, body })).status).toBe(201);
    const socket = connect(server.running.port, '127.0.0.1');
    let length = 0;
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(getBytes('/v1/notes'));
    await new Promise((done) => setTimeout(done, 1_000));
    await new Promise<void>((done) => {
      socket.once('close', done);
      socket.on('data', (bytes) => {
        length += bytes.length;
        if (length > 20 * mebibyte) done();
      });
      socket.resume();
    });
    socket.destroy();
    expect(length).toBeGreaterThan(20 * mebibyte);
  });

  test('a client that reads nothing is cut off, whatever the media type', async () => {
    const server = await serve('bodyLimit: 8MiB', { stallTimeout: 1_000 });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ text: 'x'.repeat(7 * 1024 * 1024) });
    expect((await server.ask({ method: 'POST', headers, body })).status).toBe(201);
    const socket = connect(server.running.port, '127.0.0.1');
    const closed = new Promise((done) => socket.once('close', done));
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(getBytes('/v1/notes').repeat(3));
    await new Promise((done) => setTimeout(done, 3_000));
    let length = 0;
    socket.on('data', (bytes) => {
      length += bytes.length;
    });
    socket.resume();
    await closed;
    expect(length).toBeLessThan(3 * 7 * 1024 * 1024);
    expect((await server.ask()).status).toBe(200);
  });
});
