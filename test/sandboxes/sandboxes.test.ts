import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { makeFolder, until } from '../support/command.ts';
import { hashOf } from '../support/tokens.ts';
import { serveSandboxes, type SandboxedApi } from './sandboxes.ts';

const shop = `
access: public
resources:
  products:
    generate: { count: 60 }
    fields:
      name: { type: string, required: true }
      sku: { type: string, unique: true }
      price: { type: decimal }
      orders: { type: relation, relation: hasMany, resource: orders }
  orders:
    generate: { count: 40 }
    fields:
      productId: { type: integer, required: true, reference: products.id }
      product: { type: relation, relation: belongsTo, resource: products }
      createdAt: { type: datetime, default: now }
`;

let api: SandboxedApi;
beforeAll(async () => {
  api = await serveSandboxes(shop);
});
afterEach(async () => {
  for (const { name } of api.sandboxes.list()) await api.sandboxes.remove(name);
});
afterAll(() => api.stop());

const inside = (name: string): Record<string, string> => ({ 'x-sandbox': name });
async function indexesOf({ servedApi }: SandboxedApi): Promise<readonly string[]> {
  const sql =
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'products' AND sql > ''";
  return (await servedApi.database.all({ sql, parameters: [] }, { bound: [] })).map(String);
}
const total = ({ headers }: Answer): number => Number(headers.get('x-total-count'));

test('without a folder for temporary files it is 503 until there is one, and what is cleared there is made again', async () => {
  const place = makeFolder();
  const own = await serveSandboxes(shop);
  const status = async (name: string): Promise<readonly [number, string | undefined]> => {
    const { status: code, body } = await own.get('/v1/products', inside(name));
    return [code, (body as { code?: string }).code];
  };
  try {
    vi.stubEnv('TMPDIR', place.at('missing'));
    expect(await status('a')).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(own.failures.splice(0)).toMatchObject([
      { message: expect.stringContaining('missing: there is no such') },
    ]);
    mkdirSync(place.at('missing'));
    expect(await status('a')).toEqual([200, undefined]);
    const [folder = ''] = readdirSync(place.at('missing'));
    rmSync(place.at(`missing/${folder}`), { recursive: true });
    expect(await status('b')).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(await status('b')).toEqual([200, undefined]);
  } finally {
    vi.unstubAllEnvs();
    own.failures.splice(0);
    await own.stop();
  }
});

describe('names', () => {
  const names: readonly (readonly [name: string, status: number])[] = [
    ['a', 200],
    ['A-Z_0-9', 200],
    ['__proto__', 200],
    ['constructor', 200],
    ['x'.repeat(64), 200],
    ['x'.repeat(65), 400],
    ['', 400],
    ['a b', 400],
    ['a.b', 400],
    ['../a', 400],
    ['a/b', 400],
    ['é', 400],
    ['a, b', 400],
    ['%41', 400],
  ];
  test.each(names)('%j: %i', async (name, status) => {
    const answer = await api.get('/v1/products?limit=1', inside(name));
    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.body).toMatchObject({
        code: 'INVALID_PARAMETER',
        validationErrors: [{ field: 'X-Sandbox' }],
      });
    expect(api.sandboxes.list()).toHaveLength(status === 200 ? 1 : 0);
  });

  test('two headers are no name', async () => {
    const { status } = await api.raw('/v1/products', {
      headers: { 'X-Sandbox': ['a', 'b'] },
    });
    expect(status).toBe(400);
  });
});

describe('where there are none, nothing is read or written', () => {
  const product = { name: 'Lamp', sku: 'L' };
  const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
    ['GET', '/v1/products'],
    ['GET', '/v1/products/1'],
    ['POST', '/v1/products', product],
    ['PATCH', '/v1/products/1', product],
    ['DELETE', '/v1/products/1'],
  ];
  const plain = shop.replace('\nresources', '\nname: Plain\nresources');
  test.each(['start', 'dev'] as const)('%s, on both databases', async (mode) => {
    const both = await serveBoth(plain, { products: [product] }, undefined, { mode });
    for (const [method, path, body] of requests) {
      const { status, body: told } = await both.send(method, path, body, inside('a'));
      expect([status, told.code]).toEqual([400, 'INVALID_PARAMETER']);
    }
    expect((await both.get('/v1/products')).body).toHaveLength(1);
    for (const path of ['/_sandboxes', '/_sandboxes/a'])
      expect((await both.send('DELETE', path)).body.code).toBe('UNKNOWN_RESOURCE');
    await both.stop();
  });
});

describe('isolation', () => {
  test('writes of one are seen by nobody else', async () => {
    const lists = (headers?: Record<string, string>): Promise<string[]> =>
      Promise.all(
        [
          '/v1/products?limit=100&expand=orders',
          '/v1/orders?limit=100&sort=-id',
          '/v1/products?name=Mine',
        ].map(async (path) => (await api.get(path, headers)).text),
      );
    const [main, b] = [await lists(), await lists(inside('b'))];
    const a = inside('a');
    const created = await api.send('POST', '/v1/products', { name: 'Mine', sku: 'M' }, a);
    expect([created.status, created.body.id]).toEqual([201, 61]);
    expect((await api.send('PATCH', '/v1/orders/1', { productId: 61 }, a)).status).toBe(200);
    expect((await api.send('DELETE', '/v1/orders/2', undefined, a)).status).toBe(204);
    expect((await api.get('/v1/products?name=Mine', a)).body).toHaveLength(1);
    expect((await api.get('/v1/products/61?expand=orders', a)).body.orders).toHaveLength(1);
    expect(total(await api.get('/v1/orders', a))).toBe(39);
    expect(total(await api.get('/v1/orders', inside('b')))).toBe(40);
    expect(await lists()).toEqual(main);
    expect(await lists(inside('b'))).toEqual(b);
    // The same in another one, as if it were alone.
    const again = await api.send('POST', '/v1/products', { name: 'Mine', sku: 'M' }, inside('b'));
    expect([again.status, again.text]).toEqual([201, created.text]);
    expect((await api.get('/v1/products/61')).status).toBe(404);
  });

  test.each(['text/csv', 'application/x-ndjson'])('streams as %s', async (accept) => {
    const a = { ...inside('a'), accept };
    const read = async (headers: Record<string, string>): Promise<string> =>
      (await api.raw('/v1/orders?limit=1000', { headers })).text;
    const before = await read({ accept });
    expect(await read(a)).toBe(before);
    await api.send('DELETE', '/v1/orders/1', undefined, inside('a'));
    expect(await read({ accept })).toBe(before);
    expect(await read(a)).not.toBe(before);
  });

  test('plans are those of the sandbox', async () => {
    const own = await serveSandboxes(shop.replace('\nresources', '\nname: Own\nresources'));
    const plan = async (headers?: Record<string, string>): Promise<unknown> =>
      (await own.get('/v1/products?_debug=plan&sku=x', headers)).body._debug.database.queries[0]
        .plan;
    const before = await plan(inside('a'));
    expect(before).toEqual([expect.stringMatching(/SEARCH t USING INDEX/u)]);
    const sql = (await indexesOf(own)).map((name) => `DROP INDEX "${name}"`);
    for (const one of sql)
      await own.servedApi.database.write(({ run }) =>
        run({ sql: one, parameters: [] }, { bound: [] }),
      );
    expect(await plan(inside('a'))).toEqual(before);
    expect(await plan()).toEqual([expect.stringMatching(/^SCAN t/u)]);
    await own.stop();
  });

  test('an idempotency key belongs to its sandbox', async () => {
    const once = (name: string, sku: string): Promise<Answer> =>
      api.send(
        'POST',
        '/v1/products',
        { name: 'Once', sku },
        { ...inside(name), 'idempotency-key': 'k' },
      );
    expect((await once('a', 'one')).status).toBe(201);
    expect((await once('a', 'one')).status).toBe(201);
    expect((await once('a', 'other')).body.code).toBe('IDEMPOTENCY_MISMATCH');
    expect((await once('b', 'other')).status).toBe(201);
    expect(total(await api.get('/v1/products', inside('a')))).toBe(61);
  });

  test('debug parameters tell of its own statements', async () => {
    const { body } = await api.get('/v1/products?limit=2&_debug=plan&_trace=true', inside('a'));
    expect(body.data).toHaveLength(2);
    expect(body._debug.database.queryCount).toBeGreaterThan(0);
    expect(body._debug.database.queryCount).toBe(body._debug.database.queries.length);
  });

  test('a fresh one has the generated data to the byte, whatever was written elsewhere', async () => {
    const paths = ['/v1/products?limit=100', '/v1/orders?limit=100&sort=-id', '/v1/orders/7'];
    const of = async (headers?: Record<string, string>): Promise<string[]> => {
      const answers: string[] = [];
      for (const path of paths) answers.push((await api.get(path, headers)).text);
      return answers;
    };
    const generated = await of();
    await api.send('DELETE', '/v1/orders/7');
    await api.send('DELETE', '/v1/orders/7', undefined, inside('other'));
    expect(await of(inside('fresh'))).toEqual(generated);
    expect(await of()).not.toEqual(generated);
    await api.send('DELETE', '/_sandboxes/other');
    expect(await of(inside('other'))).toEqual(generated);
  });

  test('records that the file names as data are there', async () => {
    const text = shop.replace('generate: { count: 60 }', 'generate: { count: 3 }');
    const own = await serveSandboxes(`data: data\n${text}`, {
      'data/products.ndjson': '{"id":1,"name":"Own","sku":"own"}\n{"id":2,"name":"Two"}\n',
    });
    expect((await own.get('/v1/products', inside('a'))).body).toMatchObject([
      { name: 'Own' },
      { name: 'Two' },
      // Generated, as the resource is to have three.
      { id: 3 },
    ]);
    expect(total(await own.get('/v1/orders', inside('a')))).toBe(40);
    await own.stop();
  });
});

describe('their lives', () => {
  test('requests that come first at once make one copy', async () => {
    const before = api.copies.opened;
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.send('POST', '/v1/products', { name: 'P', sku: `s${index}` }, inside('same')),
      ),
    );
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
    expect(total(await api.get('/v1/products', inside('same')))).toBe(80);
    expect(api.copies.opened).toBe(before + 1);
  });

  test('fifty at most, and room again when one has gone', async () => {
    for (let index = 0; index < 50; index += 1)
      expect((await api.get('/v1/products?limit=1', inside(`n${index}`))).status).toBe(200);
    const refused = await api.get('/v1/products?limit=1', inside('n50'));
    expect([refused.status, refused.body.code]).toEqual([503, 'SANDBOXES_FULL']);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(600);
    expect((await api.get('/v1/products?limit=1', inside('n49'))).status).toBe(200);
    expect((await api.get('/v1/products?limit=1')).status).toBe(200);
    expect((await api.send('DELETE', '/_sandboxes/n3')).status).toBe(204);
    expect((await api.get('/v1/products?limit=1', inside('n50'))).status).toBe(200);
    expect((await api.get('/v1/products?limit=1', inside('n3'))).status).toBe(503);
    api.pass(wait * 1000);
    expect((await api.get('/v1/products?limit=1', inside('n3'))).status).toBe(200);
  });

  test('ten minutes without a request end one', async () => {
    const minutes = 60_000;
    // One of the test before may still be used while its answer is on its way, and close later.
    await until(() => api.copies.closed === api.copies.opened);
    const { closed } = api.copies;
    await api.send('DELETE', '/v1/orders/1', undefined, inside('idle'));
    await api.send('DELETE', '/v1/orders/1', undefined, inside('used'));
    api.pass(9 * minutes);
    expect((await api.get('/v1/orders/1', inside('used'))).status).toBe(404);
    const { body } = await api.get('/_sandboxes');
    expect(body).toEqual([
      { name: 'idle', idleSeconds: 540 },
      { name: 'used', idleSeconds: 0 },
    ]);
    api.pass(minutes);
    expect((await api.get('/_sandboxes')).body).toMatchObject([{ name: 'used' }]);
    await until(() => api.copies.closed === closed + 1);
    expect((await api.get('/v1/orders/1', inside('idle'))).status).toBe(200);
    expect((await api.get('/v1/orders/1', inside('used'))).status).toBe(404);
  });

  test('one that is thrown away lasts until its requests have ended', async () => {
    const slow = await serveSandboxes(`network: { throttling: { rate: 8kb } }\n${shop}`);
    const whole = await slow.raw('/v1/products?limit=1000', {
      headers: { accept: 'application/x-ndjson' },
    });
    const response = await fetch(`${slow.url}/v1/products?limit=1000`, {
      headers: { ...inside('a'), accept: 'application/x-ndjson' },
    });
    expect((await slow.get('/_sandboxes')).body).toEqual([{ name: 'a', idleSeconds: 0 }]);
    expect((await slow.send('DELETE', '/_sandboxes/a')).status).toBe(204);
    expect((await slow.send('DELETE', '/_sandboxes/a')).status).toBe(404);
    expect(slow.copies.closed).toBe(0);
    expect(await response.text()).toBe(whole.text);
    await until(() => slow.copies.closed === 1);
    await slow.stop();
  });

  const requests: readonly (readonly [
    method: string,
    path: string,
    status: number,
    more: object,
  ])[] = [
    ['DELETE', '/_sandboxes/unknown', 404, { code: 'RESOURCE_NOT_FOUND' }],
    ['DELETE', '/_sandboxes/', 404, {}],
    ['DELETE', '/_sandboxes/a%2Fb', 404, {}],
    ['DELETE', '/_sandboxes/__proto__', 404, {}],
    ['DELETE', '/_sandboxes', 405, { code: 'METHOD_NOT_ALLOWED' }],
    ['POST', '/_sandboxes', 405, {}],
    ['GET', '/_sandboxes/a', 405, {}],
    ['PUT', '/_sandboxes/a', 400, { code: 'INVALID_BODY' }],
    ['PUT', '/_sandboxes/a%2Fb', 400, { code: 'INVALID_PARAMETER' }],
    ['PUT', '/_sandboxes', 405, {}],
    ['OPTIONS', '/_sandboxes/a', 204, {}],
  ];
  test.each(requests)('%s %s: %i', async (method, path, status, more) => {
    const answer = await api.send(method, path);
    expect([answer.status, answer.body ?? {}]).toMatchObject([status, more]);
  });

  describe('PUT begins one with the records of its body', () => {
    const counts = async (name: string): Promise<readonly unknown[]> => [
      (await api.get('/v1/products?limit=100', inside(name))).body,
      (await api.get('/v1/orders?limit=100', inside(name))).body,
    ];
    test('none', async () => {
      expect((await api.send('PUT', '/_sandboxes/empty', {})).status).toBe(204);
      expect(await counts('empty')).toEqual([[], []]);
      const made = await api.send('POST', '/v1/products', { name: 'Lamp' }, inside('empty'));
      expect([made.status, made.body]).toMatchObject([201, { id: 1, name: 'Lamp' }]);
    });

    test('given ones, in place of what was there', async () => {
      await api.send('POST', '/v1/products', { name: 'Old' }, inside('own'));
      const orders = [{ id: 4, productId: 7 }];
      const records = { orders, products: [{ id: 7, name: 'Lamp', sku: 'L', price: '9.90' }] };
      expect((await api.send('PUT', '/_sandboxes/own', records)).status).toBe(204);
      expect(await counts('own')).toMatchObject([
        [{ id: 7, name: 'Lamp', sku: 'L', price: '9.90' }],
        [{ id: 4, productId: 7 }],
      ]);
      const next = await api.send('POST', '/v1/products', { name: 'Next' }, inside('own'));
      expect(next.body).toMatchObject({ id: 8 });
      // Others begin with the generated data.
      expect(total(await api.get('/v1/products', inside('other')))).toBe(60);
    });

    test.each<readonly [name: string, body: unknown, message: string]>([
      ['an unknown resource', { product: [] }, 'did you mean products?'],
      ['a value that does not fit', { products: [{ name: 7 }] }, 'name'],
      ['a key that leads nowhere', { orders: [{ productId: 1 }] }, 'productId'],
      ['no list', { products: {} }, 'lists of records'],
    ])('%s is refused', async (_, body, message) => {
      const answer = await api.send('PUT', '/_sandboxes/bad', body);
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_BODY']);
      expect(JSON.stringify(answer.body)).toContain(message);
      expect(api.sandboxes.list()).toEqual([]);
    });
  });

  test('where there is auth, a credential is needed', async () => {
    const key = 'plinth_tests-key';
    const own = await serveSandboxes(
      `auth: { apiKeys: [{ name: tests, hash: "${hashOf(key)}" }] }\n${shop.replace('access: public', '')}`,
    );
    const credential = { 'x-api-key': key };
    expect((await own.get('/v1/products', inside('a'))).status).toBe(401);
    expect(own.sandboxes.list()).toEqual([]);
    await own.get('/v1/products', { ...inside('a'), ...credential });
    const listed = await own.get('/_sandboxes');
    expect([listed.status, listed.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect((await own.send('DELETE', '/_sandboxes/a')).status).toBe(401);
    expect((await own.get('/_sandboxes', credential)).body).toMatchObject([{ name: 'a' }]);
    expect((await own.send('DELETE', '/_sandboxes/a', undefined, credential)).status).toBe(204);
    await own.stop();
  });

  test('functions of a module make the records of sandboxes, too', async () => {
    const broken = `
access: public
resources:
  things:
    generate: { count: 3 }
    fields:
      code: { type: string, generator: './own.ts#code' }
`;
    const own = await serveSandboxes(broken, {
      'own.ts': 'export const code = ({ row }) => `c${row}`;',
    });
    expect((await own.get('/v1/things', inside('a'))).body).toHaveLength(3);
    await own.stop();
    expect(own.failures).toEqual([]);
  });
});
