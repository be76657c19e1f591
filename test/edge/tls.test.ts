import { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Certificate } from '../../src/http/server/listener.ts';
import { makeCertificate } from '../support/certificate.ts';
import { getBytes, Wire } from '../support/wire.ts';
import { askAt, notes, outerAddress, serveEdge, type EdgeServer } from './edge.ts';

let certificate: Certificate;
let renew: (next: Certificate) => void = () => undefined;
const servers = new Map<string, EdgeServer>();
const serving = (mode: string): EdgeServer => {
  const server = servers.get(mode);
  if (server === undefined) throw new Error(mode);
  return server;
};
beforeAll(async () => {
  certificate = await makeCertificate('first');
  const specification = `server: { trustProxy: [127.0.0.2] }\n${notes}`;
  for (const mode of ['dev', 'start'] as const) {
    const onRenewal = (apply: (next: Certificate) => void): void => {
      renew = apply;
    };
    servers.set(mode, await serveEdge(specification, { mode, tls: { certificate, onRenewal } }));
  }
});
afterAll(async () => {
  for (const server of servers.values()) await server.stop();
});

const named = { host: 'localhost' };

describe('HTTPS', () => {
  test.each([
    ['dev', undefined],
    ['start', 'max-age=31536000'],
  ])('in %s says to browsers: %s', async (mode, expected) => {
    for (const path of ['/v1/notes', '/v1/nope', '/_health']) {
      const { headers } = await serving(mode).ask({ path, headers: named });
      expect(headers['strict-transport-security']).toBe(expected);
    }
  });

  test('says so beside who may read the answer', async () => {
    const specification = `server: { trustProxy: [127.0.0.2], cors: true }\n${notes}`;
    const server = await serveEdge(specification);
    const through = { from: '127.0.0.2', headers: { 'x-forwarded-proto': 'https' } };
    expect((await server.ask(through)).headers).toMatchObject({
      'strict-transport-security': 'max-age=31536000',
      'access-control-allow-origin': '*',
    });
    await server.stop();
  });

  test('says nothing of that over plain HTTP', async () => {
    const plain = await serveEdge(`server: { trustProxy: [127.0.0.2] }\n${notes}`);
    const { headers } = await plain.ask();
    expect(headers).not.toHaveProperty('strict-transport-security');
    const through = { from: '127.0.0.2', headers: { 'x-forwarded-proto': 'https' } };
    expect((await plain.ask(through)).headers).toHaveProperty('strict-transport-security');
    await plain.stop();
  });

  test.skipIf(outerAddress === undefined)('from elsewhere', async () => {
    const answer = await serving('start').ask({ to: outerAddress ?? '' });
    expect(answer.status).toBe(200);
  });

  test('through a proxy that was called over plain HTTP', async () => {
    const asked = { from: '127.0.0.2', headers: { ...named, 'x-forwarded-proto': 'http' } };
    for (const mode of servers.keys())
      expect((await serving(mode).ask(asked)).code).toBe('HTTPS_REQUIRED');
  });

  test('with a body, and what is no HTTP', async () => {
    const body = JSON.stringify({ text: 'x' });
    const headers = { ...named, 'content-type': 'application/json' };
    expect((await serving('dev').ask({ method: 'POST', headers, body })).status).toBe(201);
    const socket = await open();
    socket.write('no HTTP\r\n\r\n');
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/u);
  });

  test.each(['no HTTP\r\n\r\n', `GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`])(
    'tells browsers to stay, also with what it does not read: %#',
    async (bytes) => {
      for (const [mode, expected] of [
        ['start', true],
        ['dev', false],
      ] as const) {
        const socket = await open({}, serving(mode).running.port);
        socket.write(bytes);
        const text = await textOf(socket);
        expect(text).toMatch(/^HTTP\/1\.1 4(?:00|31) /u);
        expect(text.includes('\r\nstrict-transport-security: max-age=31536000\r\n')).toBe(expected);
      }
    },
  );

  // TLS hands bytes over in pieces of 16 KiB, of which the server knows the last alone.
  test.each([
    ['URL', 17_000, 414],
    ['URL', 30_000, 414],
    ['URL', 32_000, 414],
    ['URL', 60_000, 414],
    ['header', 30_000, 431],
    ['header', 32_000, 431],
    ['header', 60_000, 431],
  ])('a %s of %i bytes is refused for what it is', async (what, length, status) => {
    const long = 'y'.repeat(length);
    const list = '1,'.repeat(length / 2);
    const [url, header] =
      what === 'URL'
        ? [`/v1/notes?text=${length > 32_768 ? list : long}`, 'z']
        : ['/v1/notes', long];
    const socket = await open({}, serving('dev').running.port);
    socket.write(
      `GET ${url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: ${header}\r\n\r\n`,
    );
    const text = await textOf(socket);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
  });

  test('plain HTTP on its port is not answered, and harms nobody', async () => {
    const { port } = serving('start').running;
    await expect(askAt(port, {})).rejects.toThrow();
    expect((await serving('start').ask()).status).toBe(200);
  });

  test('speaks HTTP/1.1 over TLS 1.2 or newer', async () => {
    const socket = await open({ ALPNProtocols: ['h2', 'http/1.1'] });
    expect([socket.alpnProtocol, socket.getProtocol()]).toEqual(['http/1.1', 'TLSv1.3']);
    socket.destroy();
    await expect(open({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
  });
});

test('a request whose handshake begins after the port was closed is answered', async () => {
  const onRenewal = (): void => undefined;
  const server = await serveEdge(notes, { mode: 'start', tls: { certificate, onRenewal } });
  const socket = connect(server.running.port, '127.0.0.1');
  await new Promise((done) => socket.once('connect', done));
  const stopped = server.stop();
  await delay(50);
  const secure = await open({ socket });
  secure.write(getBytes('/v1/notes'));
  expect(await textOf(secure)).toMatch(/^HTTP\/1\.1 200 /u);
  await stopped;
});

describe('a new certificate', () => {
  test('is used by new connections; those that are open go on', async () => {
    const before = await open();
    expect(nameOf(before)).toBe('first');
    renew(await makeCertificate('second'));
    const after = await open();
    expect(nameOf(after)).toBe('second');
    for (const socket of [before, after]) {
      socket.write('GET /v1/notes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 /u);
    }
  });
});

describe('a connection that has to be cut', () => {
  test('of who takes nothing of an answer', async () => {
    const tls = { certificate, onRenewal: () => undefined };
    const server = await serveEdge(`server: { bodyLimit: 8MiB }\n${notes}`, {
      tls,
      stallTimeout: 500,
    });
    const body = JSON.stringify({ text: 'x'.repeat(7 * 1024 * 1024) });
    const headers = { 'content-type': 'application/json' };
    expect((await server.ask({ method: 'POST', headers, body })).status).toBe(201);
    const inFlight = async (): Promise<string | undefined> =>
      /^plinth_requests_in_flight (\d+)$/mu.exec(
        (await server.ask({ path: '/_metrics' })).text,
      )?.[1];
    for (const accept of ['application/json', 'text/csv']) {
      const stalled = await open({}, server.running.port);
      // From here on: it may be cut before anybody reads on.
      const text = textOf(stalled);
      stalled.pause();
      stalled.write(`GET /v1/notes HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`);
      await expect.poll(inFlight).toBe('2');
      await expect.poll(inFlight, { timeout: 5_000 }).toBe('1');
      stalled.resume();
      expect((await text).length).toBeLessThan(7 * 1024 * 1024);
    }
    expect((await server.ask()).status).toBe(200);
    await server.stop();
  });

  test('since its answer failed when its head had gone out', async () => {
    const tls = { certificate, onRenewal: () => undefined };
    const failures: unknown[] = [];
    const server = await serveEdge(notes, { tls, trace: ({ error }) => failures.push(error) });
    const failing = vi.spyOn(ServerResponse.prototype, 'end');
    failing.mockImplementationOnce(function fail(this: ServerResponse): never {
      failing.mockRestore();
      this.flushHeaders();
      throw new RangeError('no');
    });
    const wire = await Wire.open(`https://127.0.0.1:${server.running.port}`);
    await wire.send(getBytes('/v1/notes'));
    expect(await wire.answer()).toBeUndefined();
    expect(failures).toEqual([new RangeError('no')]);
    expect((await server.ask()).status).toBe(200);
    await server.stop();
  });
});

describe('a server that stops', () => {
  test('ends TLS connections, and those that have not come so far', async () => {
    const tls = { certificate, onRenewal: () => undefined };
    const server = await serveEdge(notes, { tls });
    const { port } = server.running;
    const idle = await open({}, port);
    const silent = connect(port, '127.0.0.1');
    await new Promise((done) => silent.once('connect', done));
    const ended = Promise.all([textOf(idle), new Promise((done) => silent.once('close', done))]);
    silent.resume();
    await server.stop();
    expect((await ended)[0]).toBe('');
  });
});

function open(options: object = {}, port = serving('start').running.port): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    socket.once('secureConnect', () => resolve(socket)).once('error', reject);
  });
}

function nameOf(socket: TLSSocket): string | undefined {
  return socket.getPeerX509Certificate()?.subject.replace('CN=', '');
}

async function textOf(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  await new Promise((done) => socket.once('close', done));
  return text;
}
