import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Both } from '../support/both.ts';
import { expectHarmless, HostileRequests } from './hostile.ts';
import { seed } from '../support/seed.ts';
import { assertOften, patience, requests, serveWorld } from './world.ts';
import type { Draw } from './draw.ts';

let both: Both;
let hostile: HostileRequests;
beforeAll(async () => {
  const served = await serveWorld();
  both = served.both;
  hostile = new HostileRequests(served.world, '/v1');
});
afterAll(() => both?.stop());

/** The beginnings of paths that are none of the API. */
const starts = [
  '/',
  '',
  '/v1',
  '/v2/things',
  '/v1/nope',
  '//v1/things',
  '/v1/THINGS',
  '/_health',
  '*',
];

const headerNames = [
  ['Accept', 'Prefer', 'If-None-Match', 'If-Match', 'Range', 'Accept-Encoding', 'Authorization'],
  ['Content-Type', 'Cookie', 'Expect', 'X-API-Key', 'X-Forwarded-Proto', 'Idempotency-Key', 'TE'],
  ['X-HTTP-Method-Override', 'Origin', 'If-Modified-Since', 'Accept-Language', 'X-Anything'],
].flat();
const headerValues = [
  ['gzip', 'br', 'application/x-ndjson'],
  ['', '*', '*/*', 'application/json', 'application/json;q=0', 'text/csv', 'text/html', 'a/b;q=x'],
  ['application/*;q=0.5, text/plain', 'count=none', 'count=exact', 'count=zz', 'return=minimal'],
  ['count=none, count=exact', 'W/"x"', '"x"', 'W/"', '"', 'bytes=0-1', 'bytes=-', 'gzip', 'br;q=0'],
  [
    'identity;q=0',
    'Bearer x',
    'Basic Og==',
    '100-continue',
    'zz',
    'x'.repeat(3000),
    '\u00FF\u0080',
  ],
  [',,,,', ';;;', '=', 'a=b=c', '__proto__', 'https', 'http://evil.example', 'DELETE', 'trailers'],
].flat();
const methods = [
  ...Array.from({ length: 50 }, () => 'GET'),
  ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'PROPFIND', 'TRACE', 'SEARCH', 'QUERY', 'get', 'G'],
].flat();

/** The bytes of a hostile request. */
function randomMessage(draw: Draw): string {
  const headers = Array.from({ length: draw.below(4) }, () => {
    const [name, value] = [draw.pick(headerNames), draw.pick(headerValues)];
    return `${name}: ${value}\r\n`;
  });
  const method = draw.pick(methods);
  const target = draw.chance(5) ? hostile.strange(draw, draw.pick(starts)) : hostile.target(draw);
  return `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers.join('')}\r\n`;
}

interface Reply {
  readonly head: string;
  readonly body: string;
}

/** Sends bytes as they are and gives what comes back, decoded. */
function exchange(url: string, message: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(Buffer.from(message, 'latin1')),
    );
    socket.setTimeout(30_000, () => reject(new Error('no answer')));
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on('error', reject);
    socket.on('close', () => resolve(decoded(Buffer.concat(chunks))));
  });
}

function decoded(bytes: Buffer): Reply {
  const end = bytes.indexOf('\r\n\r\n');
  const [head, rest] = [bytes.subarray(0, end).toString('latin1'), bytes.subarray(end + 4)];
  // An interim answer to `Expect`; the one that counts follows.
  if (head.startsWith('HTTP/1.1 100 ')) return decoded(rest);
  const body = /^transfer-encoding: chunked/imu.test(head) ? joined(rest) : rest;
  const [, encoding] = /^content-encoding: (\w+)/imu.exec(head) ?? [];
  const plain =
    body.length === 0 || encoding === undefined
      ? body
      : encoding === 'br'
        ? brotliDecompressSync(body)
        : gunzipSync(body);
  return { head, body: plain.toString('utf8') };
}

/** The body of an answer that came in chunks. */
function joined(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n');
  const length = Number.parseInt(bytes.subarray(0, end).toString('latin1'), 16);
  if (end === -1 || !(length > 0)) return Buffer.alloc(0);
  const start = end + 2;
  return Buffer.concat([
    bytes.subarray(start, start + length),
    joined(bytes.subarray(start + length + 2)),
  ]);
}

/** The status, once the answer is one that anyone may see. */
function checked({ head, body }: Reply): number {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /u.exec(head)?.[1] ?? 0);
  expectHarmless(status, body);
  return status;
}

/** An answer without what differs from request to request. */
function lasting({ head, body }: Reply): Reply {
  return {
    head: head.replaceAll(/^(date|x-request-id|content-length):.*$/gimu, ''),
    body: body.replaceAll(/"requestId":"[^"]*"/gu, '"requestId":""'),
  };
}

/** Sends bytes to both databases and gives the status that both answer with. */
async function statusOf(message: string): Promise<number> {
  const replies = await Promise.all(both.sides.map(({ url }) => exchange(url, message)));
  try {
    const [status = 0] = replies.map(checked);
    const [sqlite, postgres] = replies.map(lasting);
    expect(postgres).toEqual(sqlite);
    return status;
  } catch (cause) {
    throw new Error(`${message}\n${String(cause)}`, { cause });
  }
}

test(
  `${requests} hostile requests get 2xx to 4xx, the same on both databases (seed ${seed})`,
  async () => {
    const seen = new Set<number>();
    await assertOften(requests, async (draw) => {
      seen.add(await statusOf(randomMessage(draw)));
    });
    expect(both.failures).toEqual([]);
    // The garbage reached every step, not only the parser of HTTP.
    expect([...seen]).toEqual(expect.arrayContaining([200, 204, 400, 404, 405, 406, 415]));
    const { headers } = await both.get('/v1/things?limit=1');
    expect(headers.get('x-total-count')).toBe('50');
  },
  patience,
);

describe('what once got 500', () => {
  test.each([
    'settings.%00=1',
    'settings.a%00_neq=1',
    'settings.%00_exists=true',
    '_or=settings.%00:1',
  ])('%s', async (query) => {
    await statusOf(
      `GET /v1/profiles?${query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(both.failures).toEqual([]);
  });
});
