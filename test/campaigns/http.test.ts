import { describe, expect, test } from 'vitest';
import type { TraceReader } from '../../src/observability/events.ts';
import { serveApi } from '../support/api.ts';
import { until } from '../support/command.ts';
import { chunk, chunkedHead, getBytes, postBytes } from '../support/wire.ts';
import { servePosts, specification } from './posts.ts';

const { api, open, titles, expectUnharmed } = servePosts();
const json = 'Host: x\r\nContent-Type: application/json\r\n';

describe('bytes that are no HTTP', () => {
  type Row = readonly [name: string, bytes: string | Uint8Array, status?: number, code?: string];
  const rows: readonly Row[] = [
    ['text', 'hello\r\n\r\n'],
    ['zeros', Buffer.alloc(100)],
    [
      'a TLS greeting',
      Buffer.from('160301020001000000fc0303aabbccddeeff00112233445566778899', 'hex'),
    ],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['another version', 'GET /v1/posts/1 HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['no version', 'GET /v1/posts/1\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'GRAB /v1/posts/1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['CONNECT, which is for proxies', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
    ['a method in lower case', 'get /v1/posts/1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a blank in the path', 'GET /v1/posts /1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no Host', 'GET /v1/posts/1 HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /v1/posts/1 HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n'],
    ['two Hosts, one in capitals', 'GET /v1/posts/1 HTTP/1.1\r\nHOST: x\r\nhost: y\r\n\r\n'],
    ['two Hosts in HTTP/1.0', 'GET /v1/posts/1 HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['a header without a colon', getBytes('/v1/posts/1', 'nothing\r\n')],
    ['a blank before the colon', getBytes('/v1/posts/1', 'X-A : 1\r\n')],
    ['a NUL in a header', getBytes('/v1/posts/1', 'X-A: \0\r\n')],
    ['a folded header', getBytes('/v1/posts/1', 'X-A: 1\r\n 2\r\n')],
    ['a bare line feed in a header', getBytes('/v1/posts/1', 'X-A: 1\rX-B: 2\r\n')],
    [
      'two lengths',
      `POST /v1/posts HTTP/1.1\r\n${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    ],
    [
      'a length and chunks',
      `POST /v1/posts HTTP/1.1\r\n${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a negative length', `POST /v1/posts HTTP/1.1\r\n${json}Content-Length: -1\r\n\r\n{}`],
    [
      'a length that is no number',
      `POST /v1/posts HTTP/1.1\r\n${json}Content-Length: 0x2\r\n\r\n{}`,
    ],
    [
      'a length beyond all numbers',
      `POST /v1/posts HTTP/1.1\r\n${json}Content-Length: 99999999999999999999999\r\n\r\n{}`,
    ],
    ['a bad chunk', `${chunkedHead()}5\r\n{"tit\r\nzz\r\n`],
    ['a chunk of another length', `${chunkedHead()}2\r\n{"title":"x"}\r\n0\r\n\r\n`],
    [
      'headers that are too long',
      getBytes('/v1/posts/1', `X-A: ${'a'.repeat(30_000)}\r\n`),
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['many headers', getBytes('/v1/posts/1', 'X-A: a\r\n'.repeat(5_000)), 431, 'HEADERS_TOO_LARGE'],
    [
      'a URL that is far too long',
      getBytes(`/v1/posts?fields=${'a'.repeat(30_000)}`),
      414,
      'URI_TOO_LONG',
    ],
  ];
  const cases = rows.map(([name, bytes, status = 400, code = 'MALFORMED_REQUEST']) => ({
    name,
    bytes,
    status,
    code,
  }));
  test.each(cases)('$name', async ({ bytes, status, code }) => {
    const before = await titles();
    const wire = await open();
    await wire.send(bytes);
    const answer = await wire.answer();
    expect(answer?.status).toBe(status);
    expect(answer?.body).toMatchObject({
      status,
      code,
      error: expect.any(String),
      message: expect.stringMatching(/\S/u),
      path: expect.any(String),
      requestId: answer?.headers.get('x-request-id'),
    });
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      connection: 'close',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=utf-8',
    });
    // One answer, and nothing after it.
    expect(await wire.rest()).toBe('');
    await expectUnharmed(before);
  });

  test('with what would be right, where a URL has characters that are encoded in one', async () => {
    const wire = await open();
    await wire.send(getBytes('/v1/posts?title=Süd'));
    const answer = await wire.answer();
    expect(answer?.status).toBe(400);
    expect(answer?.body).toMatchObject({
      code: 'MALFORMED_REQUEST',
      message: 'The URL has characters that must be percent-encoded, as %C3%BC for ü',
    });
    expect(await wire.rest()).toBe('');
  });

  test('in every piece that a client may send', async () => {
    const before = await titles();
    for (const bytes of [
      '\r\n\r\n\r\n',
      '\0',
      'G',
      'GET',
      'GET /v1/posts/1 HTTP/1.1\r\nHost',
      postBytes('{').slice(0, -1),
    ]) {
      const wire = await open();
      await wire.send(bytes);
      wire.leave();
    }
    await expectUnharmed(before);
  });
});

describe('requests that are unusual, and good', () => {
  const rows: readonly (readonly [name: string, bytes: string, status: number])[] = [
    ['HTTP/1.0 without Host', 'GET /v1/posts/1 HTTP/1.0\r\n\r\n', 200],
    ['a whole URL', 'GET http://example.org/v1/posts/1 HTTP/1.1\r\nHost: x\r\n\r\n', 200],
    ['a whole URL without a path', 'GET http://example.org?a=1 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['empty lines before it', `\r\n\r\n${getBytes()}`, 200],
    ['an empty Host', 'GET /v1/posts/1 HTTP/1.1\r\nHost:\r\n\r\n', 200],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['an upgrade', getBytes('/v1/posts/1', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), 200],
    ['an unknown expectation', getBytes('/v1/posts/1', 'Expect: miracles\r\n'), 200],
    ['QUERY', 'QUERY /v1/posts HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['TRACE', 'TRACE /v1/posts HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    [
      'a body that GET has no use for',
      getBytes('/v1/posts/1', 'Content-Length: 2\r\n').concat('{}'),
      200,
    ],
    [
      'a body without an end that DELETE has no use for',
      'DELETE /v1/posts/99 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n',
      404,
    ],
    [
      'blanks in the length',
      `POST /v1/nope HTTP/1.1\r\n${json}Content-Length:   2  \r\n\r\n{}`,
      404,
    ],
  ];
  test.each(rows)('%s', async (_, bytes, status) => {
    const wire = await open();
    await wire.send(bytes);
    expect((await wire.answer())?.status).toBe(status);
    expect(api().failures.splice(0)).toEqual([]);
  });

  test('a body that is announced first', async () => {
    const before = await titles();
    const wire = await open();
    await wire.send(
      `POST /v1/posts HTTP/1.1\r\n${json}Expect: 100-continue\r\nContent-Length: 19\r\n\r\n`,
    );
    await wire.send('{"title":"expected"');
    expect((await wire.answer())?.status).toBe(400);
    await wire.send(postBytes('{"title":"expected"}'));
    expect((await wire.answer())?.status).toBe(201);
    await expectUnharmed([...before, 'expected']);
  });

  test('a body in chunks of one byte', async () => {
    const before = await titles();
    const wire = await open();
    await wire.send(chunkedHead());
    for (const byte of '{"title":"chunked"}') await wire.send(chunk(byte));
    await wire.send('0\r\nX-Trailer: 1\r\n\r\n');
    expect((await wire.answer())?.status).toBe(201);
    await expectUnharmed([...before, 'chunked']);
  });

  test('a head in pieces of one byte', async () => {
    const wire = await open();
    for (const byte of getBytes()) await wire.send(byte);
    expect((await wire.answer())?.body).toEqual({ id: 1, title: 'one' });
  });
});

describe('a connection goes on', () => {
  const large = JSON.stringify({ title: 'x'.repeat(100_000) });
  const rows: readonly (readonly [name: string, pieces: readonly string[], status: number])[] = [
    ['404 with an unread body', [postBytes('{"title":"a"}', '/v1/nope')], 404],
    ['405 with an unread body', [postBytes('{"title":"a"}', '/v1/posts/1')], 405],
    [
      '415 with an unread body',
      [postBytes('{"title":"a"}').replace('application/json', 'text/plain')],
      415,
    ],
    [
      '404 with a body that comes later',
      [postBytes('', '/v1/nope').replace('Length: 0', 'Length: 5'), 'GET ', '/'],
      404,
    ],
    ['413 by its length', [postBytes(large)], 413],
    [
      '413 in chunks',
      [chunkedHead(), ...Array.from({ length: 20 }, () => chunk('x'.repeat(10_000))), '0\r\n\r\n'],
      413,
    ],
    [
      '404 in chunks',
      [chunkedHead('/v1/nope'), chunk('GET /v1/posts/1 HTTP/1.1\r\n\r\n'), '0\r\n\r\n'],
      404,
    ],
    ['bad JSON', [postBytes('{')], 400],
    ['a record that is not there', [getBytes('/v1/posts/99')], 404],
    ['a URL that is too long', [getBytes(`/v1/posts?fields=${'a'.repeat(9_000)}`)], 414],
  ];
  test.each(rows)('after %s', async (_, pieces, status) => {
    const before = await titles();
    const wire = await open();
    for (const piece of pieces) await wire.send(piece);
    expect((await wire.answer())?.status).toBe(status);
    for (let round = 0; round < 2; round += 1) {
      await wire.send(getBytes());
      expect((await wire.answer())?.body).toEqual({ id: 1, title: 'one' });
    }
    await expectUnharmed(before);
  });

  test('after HEAD, 204, 304 and 201 without a body', async () => {
    const wire = await open();
    const { headers } = await api().get('/v1/posts/1');
    await wire.send(getBytes().replace('GET', 'HEAD'));
    expect((await wire.answer(true))?.status).toBe(200);
    await wire.send(getBytes('/v1/posts/1', `If-None-Match: ${headers.get('etag')}\r\n`));
    const unchanged = await wire.answer();
    expect([unchanged?.status, unchanged?.headers.has('content-length')]).toEqual([304, false]);
    await wire.send(
      postBytes('{"title":"gone"}').replace('\r\n', '\r\nPrefer: return=minimal\r\n'),
    );
    const created = await wire.answer();
    expect([created?.status, created?.headers.get('content-length')]).toEqual([201, '0']);
    await wire.send(`DELETE ${created?.headers.get('location')} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const deleted = await wire.answer();
    expect([
      deleted?.status,
      deleted?.headers.has('content-length'),
      deleted?.headers.has('transfer-encoding'),
    ]).toEqual([204, false, false]);
    await wire.send(getBytes());
    expect((await wire.answer())?.status).toBe(200);
  });

  test('with many requests in one piece: answers in their order', async () => {
    const wire = await open();
    const requests = Array.from({ length: 30 }, (_, index) => {
      if (index % 3 === 0) return getBytes();
      return index % 3 === 1 ? postBytes(`{"title":"p${index}"}`) : postBytes('{"nope":1}');
    });
    await wire.send(requests.join(''));
    const seen = [];
    for (const _ of requests) seen.push((await wire.answer())?.status);
    expect(seen).toEqual(requests.map((_, index) => [200, 201, 400][index % 3]));
    const written = (await titles()).filter((title) => title.startsWith('p'));
    expect(written).toEqual(Array.from({ length: 10 }, (_, index) => `p${index * 3 + 1}`));
    expect(api().failures.splice(0)).toEqual([]);
  });

  test('with a short answer before a long one: both end when they were sent, and not with the connection', async () => {
    const ended: string[] = [];
    const reader: TraceReader = {
      wantsSteps: false,
      wantsBodies: false,
      ended: ({ start }) => ended.push(start.url),
    };
    const long = 'x'.repeat(60_000);
    const records = { posts: Array.from({ length: 200 }, () => ({ title: long })) };
    const told = await serveApi(specification, records, undefined, { readers: [reader] });
    const wire = await open(told.url);
    const paths = ['/v1/posts/1', '/v1/posts?limit=200', '/v1/posts/2', '/v1/posts/3'];
    ended.length = 0;
    await wire.send(paths.map((path) => getBytes(path)).join(''));
    for (const _ of paths) expect((await wire.answer())?.status).toBe(200);
    // What is asked on another connection comes after the end of these.
    await told.get('/v1/posts/4');
    expect(ended.slice(0, 4).toSorted()).toEqual(paths.toSorted());
    await told.stop();
  });

  test.each([
    ['GET', getBytes(), 200],
    ['POST', postBytes('{"title":"last"}'), 201],
    ['a long POST', postBytes(`{"title":"${'x'.repeat(60_000)}"}`), 201],
    ['DELETE', `DELETE /v1/posts/999 HTTP/1.1\r\n${json}\r\n`, 404],
    ['a body that is wrong', postBytes('{"nope":1}'), 400],
  ])('until the client has no more to say, and is answered: %s', async (_, bytes, status) => {
    for (let round = 0; round < 5; round += 1) {
      const wire = await open();
      wire.sendLast(bytes);
      expect((await wire.answer())?.status).toBe(status);
      expect(await wire.rest()).toBe('');
    }
    expect(api().failures.splice(0)).toEqual([]);
  });

  test('with many requests that wait at once: nobody is warned of a leak', async () => {
    const held = await serveApi(`debug: true\n${specification}`);
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    const wire = await open(held.url);
    await wire.send(getBytes('/v1/posts', 'X-Simulate: latency=100\r\n').repeat(20));
    for (let index = 0; index < 20; index += 1) expect((await wire.answer())?.status).toBe(200);
    process.off('warning', hear);
    expect(warnings).toEqual([]);
    await held.stop();
  });

  test('until a body is no HTTP any more that has its answer: what was asked before is answered, too', async () => {
    const held = await serveApi(`debug: true\n${specification}`);
    const wire = await open(held.url);
    const head = chunkedHead().replace('application/json', 'text/plain');
    await wire.send(`${getBytes('/v1/posts', 'X-Simulate: latency=1000\r\n')}${head}${chunk('a')}`);
    await until(async () => (await held.get('/_metrics')).text.includes('status="415"'));
    await wire.send('no\r\n');
    const seen = [await wire.answer(), await wire.answer()];
    expect(seen.map((answer) => answer?.status)).toEqual([200, 415]);
    expect(await wire.rest()).toBe('');
    await held.stop();
  });

  test('until a head without Host: nothing behind it is begun', async () => {
    const before = await titles();
    const wire = await open();
    await wire.send(`GET /v1/posts HTTP/1.1\r\n\r\n${postBytes('{"title":"behind"}')}`);
    const answer = await wire.answer();
    expect([answer?.status, answer?.headers.get('connection')]).toEqual([400, 'close']);
    expect(await wire.rest()).toBe('');
    await expectUnharmed(before);
  });

  test.each([
    ['bytes that are no HTTP', 'garbage\r\n\r\n'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
  ])('until there are %s: what was asked before is answered first', async (_, bytes) => {
    const before = await titles();
    const wire = await open();
    await wire.send(`${getBytes()}${postBytes('{"title":"before"}')}${bytes}`);
    await wire.send('more garbage\r\n\r\n');
    const seen = [await wire.answer(), await wire.answer(), await wire.answer()];
    expect(seen.map((answer) => answer?.status)).toEqual([200, 201, 400]);
    expect(await wire.rest()).toBe('');
    await expectUnharmed([...before, 'before']);
  });
});
