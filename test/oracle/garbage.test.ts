import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Both } from '../support/both.ts';
import type { World } from '../support/oracle-model.ts';
import type { Draw } from './records.ts';
import { randomQuery } from './requests.ts';
import { seed } from '../support/seed.ts';
import { assertOften, patience, requests, serveWorld } from './world.ts';
import { writeQuery } from './writing.ts';

let both: Both;
let world: World;
let names: readonly string[];
let resources: readonly string[];
beforeAll(async () => {
  ({ both, world } = await serveWorld());
  resources = [...world.resources.keys()];
  names = [...world.resources.values()].flatMap(({ fields, relations }) => [
    ...fields.keys(),
    ...relations.keys(),
  ]);
});
afterAll(() => both?.stop());

const parameters = [
  ['page', 'limit', 'offset', 'cursor', 'sort', 'nulls', 'fields', 'exclude', 'expand'],
  ['maxDepth', '_or', '_debug', '_trace', '_verbose', '_inspect', '_inspectNetwork', 'id'],
].flat();
const parts = [
  ['pivot', 'pivot.position', 'id', '', '*', '**', '@brief', '-', '0', '-1', 'é', '😀', '\0'],
  ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '$', '[]'],
  ['[a]', 'subject:things', 'subject:nope', 'things:things', "' OR 1=1 --", '")', ';', 'a b'],
  ['data', '_pagination', 'limit', 'page', 'sort', 'offset', 'zz', 'x'.repeat(300)],
].flat();
const suffixes = [
  ['', '', '', '_eq', '_neq', '_gt', '_gte', '_lt', '_lte', '_like', '_ilike', '_in', '_nin'],
  ['_exists', '_null', '_contains', '_containsAll', '_containsAny', '_', '_zz', '_in_in', '_IN'],
].flat();
const values = [
  ['', '0', '1', '-1', '2', '1.5', '01', '+1', '1e3', '1e999', '0x10', 'NaN', 'Infinity', ' 1'],
  ['9007199254740993', '99999999999999999999', '9'.repeat(400), `0.${'0'.repeat(400)}1`, '-0'],
  ['true', 'false', 'TRUE', 'null', 'undefined', 'first', 'last', 'a', 'A', 'é', '😀', '\0'],
  ['\uFFFF', 'e\u0301', '%', '_', '*', '\\', '"', '""', '"a', 'a"', '"a","b"', 'a,,b', ',', ':'],
  ['a:b', 'name:a', 'name:"a:b",whole:1', 'owner.name:x', 'labels.pivot.position_gt:1', '::'],
  ["'", "' OR '1'='1", '$1', '?', ':x', '{}', '[]', '{"a":1}', '../../etc/passwd', '\r\n'],
  ['2024-02-29', '2023-02-29', '2024-02-29T00:00:00Z', '2024-02-29T24:00:00Z', '0000-00-00'],
  ['2024-02-29T00:00:00.0001Z', '99999-01-01', '09:30:00', '24:00:00', '14:05', 'draft', 'live'],
  ['0198c0de-0000-7000-8000-000000000001', '0198c0de', '-name', 'name,-name', 'owner.name'],
  ['labels.weight', '-reviews.rating', 'subject.text', 'spec.inner.depth', 'extra.a', '*,-*'],
  ['labels,owner.boss', 'parts.parts.parts', 'parent.parent.parent.parent.parent.parent'],
  ['eyJhIjoxfQ', 'eyJ', '!!!!', 'AAAA', 'W10', 'bnVsbA', 'x'.repeat(2000), '1,'.repeat(600)],
].flat();

function randomPath(draw: Draw): string {
  const length = draw.chance(5) ? 3 + draw.below(40) : 1 + draw.below(3);
  return Array.from({ length }, () => (draw.chance(80) ? draw.pick(names) : draw.pick(parts))).join(
    draw.chance(97) ? '.' : draw.pick(['..', ':', '/', '[']),
  );
}

/** Bytes that mean something to the parsers on the way. */
const bytes = [
  ['/', '?', '&', '=', '%', '%2', '%zz', '%00', '%C3%A9', '%ED%A0%80', '%FF', '%F0%9F%98', '+'],
  ['#', ' ', '//', '..', '%2e%2e', '%2F', ';', ',', '"', '\\', '[', ']', '__proto__', '\t'],
  ['\u0080', '\u00FF', '\u0001', '\u007F', '|', '^', '`', '{', '}', '<', '>'],
].flat();

function encoded(draw: Draw, text: string): string {
  switch (draw.below(12)) {
    case 0:
      return [...Buffer.from(text)]
        .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
        .join('');
    case 1:
      return encodeURIComponent(encodeURIComponent(text));
    case 2:
      return Buffer.from(text)
        .toString('latin1')
        .replaceAll(/[\r\n]/gu, '');
    case 3:
      return encodeURIComponent(text).slice(0, -1) + draw.pick(bytes);
    default:
      return encodeURIComponent(text);
  }
}

function randomQueryString(draw: Draw): string {
  const count = draw.chance(5) ? draw.below(80) : draw.below(6);
  const pieces = Array.from({ length: count }, () => {
    const isReserved = draw.chance(45);
    const name = isReserved ? draw.pick(parameters) : `${randomPath(draw)}${draw.pick(suffixes)}`;
    const value = draw.chance(isReserved ? 35 : 10) ? randomPath(draw) : draw.pick(values);
    return `${encoded(draw, name)}${draw.pick(['=', '=', '=', '=', '=', '=', '', '=='])}${encoded(draw, value)}`;
  });
  if (pieces.length > 0 && draw.chance(20)) pieces.push(draw.pick(pieces));
  return pieces.join(draw.chance(98) ? '&' : draw.pick(['&&', ';', '?', '#', ' ']));
}

/** A good request with a few places in which it is no more what it was. */
function mutated(draw: Draw): string {
  const { target } = writeQuery(draw, world, randomQuery(draw, world));
  const [path = '', text = ''] = target.split('?');
  const pieces = text.split('&');
  for (let more = draw.below(3); more >= 0; more -= 1) {
    const place = draw.below(pieces.length);
    const [name = '', value = ''] = (pieces[place] ?? '').split('=');
    const at = draw.below(name.length + 1);
    pieces[place] = draw.pick([
      `${name}=${encoded(draw, draw.pick(values))}`,
      `${name}=${encoded(draw, draw.pick(values))}`,
      `${name}=${value}${encoded(draw, draw.pick(values))}`,
      `${name}${draw.pick(suffixes)}=${value}`,
      `${name}.${encoded(draw, draw.pick(parts))}=${value}`,
      `${encoded(draw, draw.pick(parts))}.${name}=${value}`,
      `${name.slice(0, at)}${draw.pick(bytes)}${name.slice(at)}=${value}`,
      `${name}=${value}&${name}=${encoded(draw, draw.pick(values))}`,
      `${draw.pick(parameters)}=${value}`,
    ]);
  }
  return `${path}?${pieces.join('&')}`;
}

function randomTarget(draw: Draw): string {
  if (draw.chance(50)) return mutated(draw);
  const ids = ['1', '0', '-1', '007', '1.0', 'x', '😀', 'a"b', '9'.repeat(30), '%00', '..', ''];
  const start = draw.chance(90)
    ? `/v1/${draw.pick(resources)}`
    : draw.pick([
        '/',
        '',
        '/v1',
        '/v2/things',
        '/v1/nope',
        '//v1/things',
        '/v1/THINGS',
        '/_health',
        '*',
      ]);
  const path = draw.chance(20) ? `${start}/${encoded(draw, draw.pick(ids))}` : start;
  const mark = draw.chance(5) ? draw.pick(bytes) : '';
  return `${path}${mark}?${randomQueryString(draw)}`;
}

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
  return `${method} ${randomTarget(draw)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers.join('')}\r\n`;
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

const leaks =
  /SELECT |FROM "|node_modules|\.ts:|\bat [\w.]+ \(|SQLITE|PostgresError|sqlite3|\/tmp\//u;

/** The status, once the answer is one that anyone may see; an error has the body of the service specification. */
function checked({ head, body }: Reply): number {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /u.exec(head)?.[1] ?? 0);
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
  if (status < 400 || body === '') return status;
  expect(body).not.toMatch(leaks);
  expect(JSON.parse(body)).toMatchObject({
    status,
    error: expect.any(String),
    message: expect.any(String),
    path: expect.any(String),
    code: expect.stringMatching(/^[A-Z_]+$/u),
    requestId: expect.any(String),
  });
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
