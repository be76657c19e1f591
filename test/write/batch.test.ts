import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
limits: { batchItems: 8 }
api: { basePath: /api, versions: { 1: {}, 2: { resources: { orders: { fields: { name: { from: title } } } } } } }
resources:
  orders:
    timestamps: true
    fields:
      title: { type: string, required: true, maxLength: 8 }
      code: { type: string, nullable: true, unique: true }
      total: { type: decimal, default: "0.00" }
      big: { type: json, nullable: true }
      lines: { type: relation, relation: hasMany, resource: lines }
  lines:
    fields:
      text: { type: string, nullable: true }
      orderId: { type: integer, required: true, reference: orders.id, onDelete: cascade }
      order: { type: relation, relation: belongsTo, resource: orders }
  codes:
    fields: { id: { type: id, format: string }, name: { type: string, nullable: true } }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date('2026-03-01T12:00:00Z'));
});
afterAll(() => both?.stop());

const batch = (body: unknown, headers = {}, path = '/api/_batch'): Promise<Answer> =>
  both.send('POST', path, body, headers);
const state = async (): Promise<unknown> => [
  (await both.get('/api/v1/orders?limit=500')).text,
  (await both.get('/api/v1/lines?limit=500')).text,
  (await both.get('/api/v1/codes?limit=500')).text,
];

describe('POST /_batch', () => {
  test('writes in order, and takes fields of earlier answers', async () => {
    const answer = await batch(
      [
        { method: 'POST', path: '/orders', body: { title: 'a' }, as: 'order' },
        {
          method: 'POST',
          path: '/lines',
          body: { orderId: '{order.id}', text: '{order.title}' },
          as: 'line',
        },
        {
          method: 'PATCH',
          path: '/orders/{order.id}?expand=lines&fields=title,lines.text',
          body: { title: 'b' },
        },
        { method: 'DELETE', path: '/lines/{line.id}' },
        {
          method: 'PUT',
          path: '/codes/x',
          body: { name: 'new' },
          headers: { 'If-None-Match': '*' },
        },
      ],
      {},
      '/api/v1/_batch',
    );
    expect(answer.status, answer.text).toBe(200);
    const [order, line, patched, deleted, code] = answer.body as {
      status: number;
      headers: Record<string, string>;
      body: Record<string, unknown>;
    }[];
    expect(order).toMatchObject({ status: 201, body: { title: 'a' } });
    expect(order?.headers['location']).toBe(`/api/v1/orders/${String(order?.body['id'])}`);
    expect(line).toMatchObject({ status: 201, body: { orderId: order?.body['id'], text: 'a' } });
    expect(patched).toMatchObject({ status: 200, body: { title: 'b', lines: [{ text: 'a' }] } });
    expect(deleted).toEqual({ status: 204, headers: {}, body: null });
    expect(code).toMatchObject({
      status: 201,
      body: { id: 'x' },
      headers: { location: '/api/v1/codes/x' },
    });
    const read = await both.get(`/api/v1/orders/${String(order?.body['id'])}`);
    expect(read.headers.get('etag')).toBe(patched?.headers['etag']);
  });

  test.each(['/api/_batch', '/api/v1/_batch', '/api/v2/_batch'])('is at %s', async (path) => {
    const member = path.includes('v1') ? 'title' : 'name';
    const answer = await batch(
      [{ method: 'POST', path: '/orders', body: { [member]: 'v' } }],
      {},
      path,
    );
    expect(answer.body[0], answer.text).toMatchObject({ status: 201, body: { [member]: 'v' } });
  });

  test('paths may name the base path and a version', async () => {
    const answer = await batch([
      { method: 'POST', path: '/v1/orders', body: { title: 'v' } },
      { method: 'POST', path: '/api/v2/orders', body: { name: 'v' } },
      { method: 'POST', path: '/api/orders', body: { name: 'v' } },
    ]);
    expect((answer.body as { status: number }[]).map(({ status }) => status)).toEqual([
      201, 201, 201,
    ]);
  });

  test('keeps exact numbers, and takes upserts, increments, nested records and return=minimal', async () => {
    const answer = await both.send(
      'POST',
      '/api/v1/_batch',
      `[
      {"method":"POST","path":"/orders?onConflict=code","body":{"title":"u","code":"U","big":{"n":12345678901234567890.5},"lines":{"create":[{"text":"1"}]}},"as":"one"},
      {"method":"POST","path":"/orders?onConflict=code","body":{"title":"w","code":"U"}},
      {"method":"PATCH","path":"/orders/{one.id}","body":{"total":{"increment":"1.50"}},"headers":{"Prefer":"return=minimal"}},
      {"method":"POST","path":"/orders","body":{"title":"x","big":"{one.big}"}}]`,
      { 'content-type': 'application/json' },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text.match(/12345678901234567890\.5/gu)?.length).toBe(3);
    const parsed = JSON.parse(answer.text) as { status: number; body: unknown }[];
    expect(parsed.map(({ status }) => status)).toEqual([201, 200, 204, 201]);
    expect(parsed[2]?.body).toBeNull();
  });

  type Failure = readonly [string, object, number, string, number, ...string[]];
  const good = { method: 'POST', path: '/orders', body: { title: 'ok' }, as: 'ok' };
  test.each<Failure>([
    [
      'a missing field',
      { method: 'POST', path: '/orders', body: {} },
      400,
      'VALIDATION_FAILED',
      2,
      'title: is required',
    ],
    [
      'a taken value',
      { method: 'POST', path: '/orders', body: { title: 'a', code: 'T' } },
      422,
      'INVALID_VALUE',
      2,
      'code: is taken: it must be unique',
    ],
    [
      'a record that is not there',
      { method: 'PATCH', path: '/orders/4711', body: {} },
      404,
      'RESOURCE_NOT_FOUND',
      2,
    ],
    [
      'a resource that is not there',
      { method: 'POST', path: '/zzz', body: {} },
      404,
      'UNKNOWN_RESOURCE',
      2,
    ],
    [
      'a failed precondition',
      { method: 'DELETE', path: '/orders/{ok.id}', headers: { 'If-Match': '"x"' } },
      412,
      'PRECONDITION_FAILED',
      2,
    ],
    [
      'an unknown name',
      { method: 'POST', path: '/lines', body: { orderId: '{nobody.id}' } },
      422,
      'INVALID_VALUE',
      2,
      'orderId: {nobody.id}: no earlier operation is named nobody',
    ],
    [
      'an unknown field of an answer',
      { method: 'DELETE', path: '/orders/{ok.zzz}' },
      422,
      'INVALID_VALUE',
      2,
      'path: {ok.zzz}: the answer of ok has no zzz',
    ],
    ['a missing body', { method: 'POST', path: '/orders' }, 400, 'INVALID_BODY', 2],
    [
      'an unknown parameter',
      { method: 'POST', path: '/orders?zzz=1', body: { title: 'a' } },
      400,
      'INVALID_PARAMETER',
      2,
    ],
    [
      'a change of many',
      { method: 'PATCH', path: '/orders?title=ok', body: {} },
      400,
      'INVALID_PARAMETER',
      2,
    ],
    [
      'a batch in a batch',
      { method: 'POST', path: '/_batch', body: [] },
      400,
      'INVALID_PARAMETER',
      2,
    ],
  ])('%s ends it, and nothing is written', async (...row) => {
    const [, operation, status, code, at, ...problems] = row as unknown as Failure;
    await both.send('POST', '/api/v1/orders?onConflict=code', { title: 't', code: 'T' });
    const before = await state();
    const answer = await batch(
      [good, { ...good, as: undefined }, operation, good].map((one, index) =>
        index === 3 ? { ...one, as: 'last' } : one,
      ),
      {},
      '/api/v1/_batch',
    );
    expect([answer.status, answer.body.code], answer.text).toEqual([status, code]);
    expect(answer.body.operation).toBe(at);
    if (problems.length > 0) expect(problemsOf(answer)).toEqual(problems);
    expect(await state()).toEqual(before);
  });

  test('a refused operation is told before anything is done', async () => {
    const before = await state();
    const answer = await batch([
      { method: 'GET', path: '/orders' },
      { method: 'POST', path: 'orders', body: {}, as: 'a' },
      { method: 'POST', path: '/orders', as: 'a', headers: { Accept: '*/*', Prefer: 1 }, extra: 1 },
      5,
    ]);
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      400,
      '[0].method: must be one of POST, PUT, PATCH, DELETE',
      '[1].path: must be the path of a resource or record, such as "/orders/1"',
      '[2].extra: only method, path, headers, body, as can stand here',
      '[2].as: a is the name of another operation, too',
      '[2].headers.Accept: only If-Match, If-None-Match, Prefer and Content-Type can stand here',
      '[2].headers.Prefer: must be a string',
      '[3]: must be an object with method and path',
    ]);
    expect(await state()).toEqual(before);
  });

  test.each<readonly [string, unknown, string]>([
    ['an object', {}, 'INVALID_BODY'],
    ['an empty list', [], 'INVALID_BODY'],
    ['too many', Array.from({ length: 9 }, () => good), 'LIMIT_EXCEEDED'],
  ])('%s is 400', async (_, body, code) => {
    const answer = await batch(body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });

  test('an Idempotency-Key covers the whole', async () => {
    const key = { 'idempotency-key': 'batch-1' };
    const body = [
      { method: 'POST', path: '/orders', body: { title: 'once' }, as: 'one' },
      { method: 'POST', path: '/lines', body: { orderId: '{one.id}' } },
      { method: 'PATCH', path: '/orders/{one.id}', body: { title: 'twice' } },
    ];
    const first = await batch(body, key, '/api/v1/_batch');
    const before = await state();
    const second = await batch(body, key, '/api/v1/_batch');
    expect(await state()).toEqual(before);
    expect([second.status, (second.body as unknown[]).slice(1)]).toEqual([
      200,
      (first.body as unknown[]).slice(1),
    ]);
    // The records are shown as they are now.
    expect(second.body[0].body.title).toBe('twice');
    const other = await batch([good], key, '/api/v1/_batch');
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const failing = { 'idempotency-key': 'batch-2' };
    expect((await batch([{ method: 'DELETE', path: '/orders/4711' }], failing)).status).toBe(404);
    expect((await batch([good], failing, '/api/v1/_batch')).status).toBe(200);
  });

  test('other methods are 405', async () => {
    const answer = await both.get('/api/_batch');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

test('a batch of a caller has its rights, and its changes are recorded', async () => {
  const ann = caller({ sub: 'ann', roles: [] });
  const guarded = await serveBoth(
    `
${withTokens}
audit: { resources: [notes], roles: [auditor] }
resources:
  notes:
    access: { create: authenticated, read: authenticated, update: [{ role: authenticated, where: "owner={user.sub}" }], delete: none }
    fields: { owner: { type: string }, text: { type: string, nullable: true } }
`,
    {},
    () => new Date('2026-03-01T12:00:00Z'),
  );
  try {
    const create = (owner: string): object => ({
      method: 'POST',
      path: '/notes',
      body: { owner },
      as: owner,
    });
    const change = (owner: string): object => ({
      method: 'PATCH',
      path: `/notes/{${owner}.id}`,
      body: { text: 'a' },
    });
    const refused = await guarded.send(
      'POST',
      '/_batch',
      [create('ann'), create('bob'), change('ann'), change('bob')],
      ann,
    );
    expect([refused.status, refused.body.operation]).toEqual([403, 3]);
    expect((await guarded.get('/v1/notes', ann)).body).toEqual([]);
    const anonymous = await guarded.send('POST', '/_batch', [create('ann')]);
    expect([anonymous.status, anonymous.body.operation]).toEqual([401, 0]);
    const deleted = await guarded.send(
      'POST',
      '/_batch',
      [create('ann'), { method: 'DELETE', path: '/notes/{ann.id}' }],
      ann,
    );
    expect([deleted.status, deleted.body.operation]).toEqual([403, 1]);
    expect(
      (await guarded.send('POST', '/_batch', [create('ann'), change('ann')], ann)).status,
    ).toBe(200);
    const log = await guarded.get(
      '/_audit?fields=operation,resource&sort=id',
      caller({ sub: 'eve', roles: ['auditor'] }),
    );
    expect(log.body).toMatchObject([{ operation: 'create' }, { operation: 'update' }]);
  } finally {
    await guarded.stop();
  }
});

test('batches at once, some of which fail, leave nothing half done', async () => {
  for (const side of both.sides) {
    const count = async (name: string): Promise<number> =>
      Number((await side.get(`/api/v1/${name}?limit=1`)).headers.get('x-total-count'));
    const before = [await count('orders'), await count('lines')];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        side.send('POST', '/api/v1/_batch', [
          { method: 'POST', path: '/orders', body: { title: 'many' }, as: 'o' },
          { method: 'POST', path: '/lines', body: { orderId: '{o.id}' } },
          { method: 'POST', path: '/lines', body: { orderId: index % 2 === 0 ? '{o.id}' : 0 } },
        ]),
      ),
    );
    const done = answers.filter(({ status }) => status === 200).length;
    expect(done).toBe(10);
    expect([await count('orders'), await count('lines')]).toEqual([
      Number(before[0]) + 10,
      Number(before[1]) + 20,
    ]);
  }
});
