import { connect } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import { answerOf, type Expected, type Item } from '../support/oracle.ts';
import { fields, specification } from './2-oracle-fields.ts';
import { records, requestOf, writeQuery } from './2-oracle-requests.ts';

const requests = 2_000;
/** Everything random here comes from it: `SEED=… npx vitest run …` runs the same again. */
const seed = Number(process.env['SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

let api: TestApi;
let items: readonly Item[];
beforeAll(async () => {
  api = await serveApi(specification);
  [items = []] = fc.sample(records, { numRuns: 1, seed });
  const { status, text } = await api.send('POST', '/v1/rows', items);
  expect(status, text).toBe(201);
});
afterAll(() => api.stop());

/** The answer in the terms of the oracle; links have to lead to the same request but for their own number. */
async function ask(query: string, isCounted: boolean, mode: string): Promise<Expected> {
  const { status, headers, body, text } = await api.get(
    `/v1/rows${query === '' ? '' : `?${query}`}`,
    isCounted ? {} : { prefer: 'count=none' },
  );
  expect(status, text).toBe(200);
  const others = query.split('&').filter((piece) => piece !== '' && !piece.startsWith(`${mode}=`));
  const links = (headers.get('link') ?? '').split(', ').filter((link) => link !== '');
  return {
    records: body as readonly Item[],
    page: headers.get('x-page') ?? '',
    limit: headers.get('x-limit') ?? '',
    total: headers.get('x-total-count'),
    pages: headers.get('x-total-pages'),
    links: Object.fromEntries(
      links.map((link) => {
        const [, target = '', relation = ''] =
          /^<\/v1\/rows\?([^>]*)>; rel="(\w+)"$/u.exec(link) ?? [];
        const pieces = target.split('&');
        const own = pieces.filter((piece) => piece.startsWith(`${mode}=`));
        expect(pieces.filter((piece) => !own.includes(piece))).toEqual(others);
        return [relation, Number(own[0]?.slice(mode.length + 1))];
      }),
    ),
  };
}

test(`${requests} random lists are what the oracle says (seed ${seed})`, async () => {
  const ids = [...items.map(({ id }) => String(id)), '00000000-0000-4000-8000-000000000000'];
  await fc.assert(
    fc.asyncProperty(requestOf(ids), async (written) => {
      const { query } = written;
      const expected = answerOf(items, query, fields);
      const answer = await ask(writeQuery(written), query.isCounted, query.mode);
      expect(answer).toEqual(expected);
    }),
    { numRuns: requests, seed },
  );
  expect(api.failures).toEqual([]);
});

/** Bytes that mean something to the parsers on the way, and any others but line ends. */
const bytes = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          '/',
          '/v1',
          '/rows',
          '?',
          '&',
          '=',
          '%',
          '%2',
          '%zz',
          '%00',
          '%C3%A9',
          '%ED%A0%80',
          '+',
          ',',
          ':',
          ';',
          '"',
          '\\',
          '[',
          ']',
          '*',
          '.',
          '..',
          '//',
          '@',
          '#',
          '-',
          ' ',
          '__proto__',
          'constructor',
          '_or',
          'sort',
          'fields',
          'exclude',
          'expand',
          'page',
          'limit',
          'offset',
          'cursor',
          'nulls',
          'maxDepth',
          '_debug',
          '_in',
          '_nin',
          '_gt',
          '_like',
          '_ilike',
          '_exists',
          '_contains',
          'name',
          'whole',
          'price',
          'moment',
          'words',
          'flag',
          'id',
          'true',
          '1',
          '-1',
          '99999999999999999999',
          '1e999',
          '2024-02-30',
          'q=0',
          '*/*',
          'application/json',
          'count=none',
          'W/"',
          'x'.repeat(500),
        ),
      },
      {
        weight: 2,
        arbitrary: fc
          .string({ unit: 'binary', maxLength: 5 })
          .map((text) => Buffer.from(text).toString('latin1')),
      },
      {
        weight: 1,
        arbitrary: fc
          .uint8Array({ maxLength: 5 })
          .map((array) => Buffer.from(array).toString('latin1')),
      },
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join('').replaceAll(/[\r\n]/gu, ''));

const garbage = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'PROPFIND'),
  start: fc.constantFrom(
    '/v1/rows?',
    '/v1/rows?name=',
    '/v1/rows?sort=',
    '/v1/rows?_or=',
    '/v1/rows?fields=',
    '/v1/rows/',
    '/',
    '',
  ),
  target: bytes,
  header: fc.constantFrom(
    'Accept',
    'Prefer',
    'If-None-Match',
    'If-Match',
    'Accept-Encoding',
    'Authorization',
    'Cookie',
    'Content-Type',
    'Expect',
    'Range',
    'X-Anything',
  ),
  value: bytes,
});

/** Sends bytes as they are and gives the status of what comes back; 0 where the connection just ends. */
function statusOf(message: string): Promise<number> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(Buffer.from(message, 'latin1')),
    );
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3}) /u.exec(text)?.[1] ?? 0)));
  });
}

test(`${requests} requests of garbage give 2xx to 4xx and the server lives (seed ${seed})`, async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(garbage, async ({ method, start, target, header, value }) => {
      const status = await statusOf(
        `${method} ${start}${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${header}: ${value}\r\n\r\n`,
      );
      seen.set(status, (seen.get(status) ?? 0) + 1);
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: requests, seed },
  );
  expect(api.failures).toEqual([]);
  // The garbage reached the pipeline, not only the parser of HTTP.
  expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 204, 400, 404, 405, 406]));
  expect((await api.get('/v1/rows?limit=1')).headers.get('x-total-count')).toBe('60');
});
