import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf } from '../server/exchanges.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

const specification = `
resources:
  things:
    timestamps: true
    fields:
      stock: { type: integer, default: 5, minimum: 0, maximum: 100 }
      huge: { type: integer, default: 9007199254740990 }
      wide: { type: integer, format: bigint, default: "9223372036854775806" }
      price: { type: decimal, default: 19.90, precision: 6, scale: 2 }
      weight: { type: number, default: 1.5 }
      even: { type: integer, default: 2, multipleOf: 2 }
      empty: { type: integer, nullable: true }
      free: { type: json, nullable: true }
      born: { type: integer, default: 7, immutable: true }
      hits: { type: integer, default: 7, readOnly: true }
      hidden: { type: integer, default: 7, writeOnly: true }
      rank: { type: integer, nullable: true, unique: true }
      parentId: { type: integer, nullable: true, reference: things.id }
  notes:
    fields:
      owner: { type: relation, relation: morphTo, resources: [things] }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
});
afterAll(() => both?.stop());

const make = async (record: object = {}): Promise<string> =>
  (await both.send('POST', '/v1/things', record)).headers.get('location') ?? '';

const add = (increment: unknown): object => ({ increment });
const types = ['application/json', 'application/merge-patch+json'];

describe.each(types)('as %s', (type) => {
  const patch = (path: string, body: unknown): ReturnType<Both['send']> =>
    both.send('PATCH', path, body, { 'content-type': type });

  test.each<readonly [string, object, object]>([
    ['takes away', { stock: add(-1) }, { stock: 4 }],
    ['adds', { stock: add(2) }, { stock: 7 }],
    ['adds nothing', { stock: add(0) }, { stock: 5 }],
    ['reaches a bound', { stock: add(-5) }, { stock: 0 }],
    ['adds to a decimal exactly', { price: add('0.20') }, { price: '20.10' }],
    ['adds a number to a decimal', { price: add(0.1) }, { price: '20.00' }],
    ['takes from a decimal below zero', { price: add(-20) }, { price: '-0.10' }],
    ['adds to a double', { weight: add(0.25) }, { weight: 1.75 }],
    ['adds to the largest integer but one', { huge: add(1) }, { huge: 9007199254740991 }],
    ['adds to 64 bits', { wide: add('1') }, { wide: '9223372036854775807' }],
    [
      'takes several fields',
      { stock: add(1), price: add(1), even: 8 },
      { stock: 6, price: '20.90', even: 8 },
    ],
    ['leaves a json field a value', { free: add(1) }, { free: add(1) }],
    ['ignores a readOnly field', { hits: add(1), stock: 1 }, { hits: 7, stock: 1 }],
  ])('%s', async (_, body, changed) => {
    const path = await make();
    const { status, body: record, text, headers } = await patch(path, body);
    expect(status, text).toBe(200);
    expect(record).toMatchObject(changed);
    const read = await both.get(path);
    expect(read.text).toBe(text);
    expect(read.headers.get('etag')).toBe(headers.get('etag'));
  });

  test.each<readonly [string, object, number, ...string[]]>([
    ['below the minimum', { stock: add(-6) }, 422, 'stock: must be at least 0'],
    ['above the maximum', { stock: add(96) }, 422, 'stock: must be at most 100'],
    ['no multiple', { even: add(1) }, 422, 'even: must be a multiple of 2'],
    [
      'more than a double keeps',
      { huge: add(2) },
      422,
      'huge: must be between -9007199254740991 and 9007199254740991',
    ],
    [
      'beyond 64 bits',
      { wide: add(2) },
      422,
      'wide: must be a whole number from -9223372036854775808 to 9223372036854775807',
    ],
    ['too many digits', { price: add('9990') }, 422, 'price: must be between -9999.99 and 9999.99'],
    ['null', { empty: add(1) }, 422, 'empty: is null and cannot be incremented'],
    [
      'several at once',
      { stock: add(-6), empty: add(1) },
      422,
      'stock: must be at least 0',
      'empty: is null and cannot be incremented',
    ],
    ['half a step', { stock: add(0.5) }, 422, 'stock.increment: must be a whole number'],
    [
      'a step of too many places',
      { price: add('0.001') },
      422,
      'price.increment: must have at most 2 decimal places',
    ],
    ['a text', { stock: add('1') }, 400, 'stock.increment: must be a number'],
    ['nothing to add', { stock: add(null) }, 400, 'stock.increment: must not be null'],
    [
      'another member',
      { stock: { increment: 1, by: 2 } },
      400,
      'stock.by: only increment can stand here',
    ],
    ['another word', { stock: { decrement: 1 } }, 400, 'stock: must be a number'],
    ['an immutable field', { born: add(0) }, 400, 'born: must be a number'],
    [
      'a field that nobody reads',
      { hidden: add(1) },
      400,
      'hidden: cannot be incremented by callers who may not read it',
    ],
    ['a key', { parentId: add(1) }, 400, 'parentId: must be a number'],
    [
      'an unknown field',
      { stok: add(1) },
      400,
      'stok: there is no field stok; did you mean stock?',
    ],
    [
      'its problem and others',
      { stock: add('1'), even: 3 },
      400,
      'even: must be a multiple of 2',
      'stock.increment: must be a number',
    ],
  ])('refuses %s', async (_, body, status, ...problems) => {
    const path = await make();
    const before = (await both.get(path)).text;
    const answer = await patch(path, body);
    expect(answer.status, answer.text).toBe(status);
    expect(problemsOf(answer)).toEqual(problems);
    expect((await both.get(path)).text).toBe(before);
  });

  test('does not increment a taken value into place', async () => {
    const rank = type.length;
    await make({ rank: rank + 1 });
    const path = await make({ rank });
    const answer = await patch(path, { rank: add(1) });
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      422,
      'rank: is taken: it must be unique',
    ]);
    expect((await patch(path, { rank: add(2) })).body).toMatchObject({ rank: rank + 2 });
  });
});

test.each(['POST', 'PUT'])('%s has nothing to add to', async (method) => {
  const path = method === 'POST' ? '/v1/things' : await make();
  const answer = await both.send(method, path, { stock: add(1) });
  expect([answer.status, ...problemsOf(answer)]).toEqual([400, 'stock: must be a number']);
});

test('a morph pair is not counted with', async () => {
  const note = (await both.send('POST', '/v1/notes', {})).headers.get('location') ?? '';
  const answer = await both.send('PATCH', note, { ownerId: add(1) });
  expect([answer.status, ...problemsOf(answer)]).toEqual([400, 'ownerId: must be a number']);
});

test('If-Match is compared before', async () => {
  const path = await make();
  const { headers } = await both.get(path);
  const match = { 'if-match': headers.get('etag') ?? '' };
  expect((await both.send('PATCH', path, { stock: add(1) }, match)).status).toBe(200);
  expect((await both.send('PATCH', path, { stock: add(1) }, match)).status).toBe(412);
  expect((await both.get(path)).body.stock).toBe(6);
});

test('many at once lose nothing', async () => {
  const path = await make({ stock: 0 });
  for (const side of both.sides) {
    const all = Array.from({ length: 40 }, () => side.send('PATCH', path, { stock: add(1) }));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
    expect((await side.get(path)).body.stock).toBe(40);
  }
});

describe('under access rules', () => {
  let guarded: Both;
  const ann = caller({ sub: 'ann', roles: [] });
  beforeAll(async () => {
    guarded = await serveBoth(
      `
${withTokens}
audit: { resources: [accounts], roles: [auditor] }
resources:
  accounts:
    access: { create: authenticated, read: authenticated, update: [{ role: authenticated, where: "balance_gte=0" }] }
    fields:
      balance: { type: integer, default: 10 }
`,
      {},
      () => new Date('2026-03-01T12:00:00Z'),
    );
  });
  afterAll(() => guarded?.stop());

  test('the result is judged, and the change recorded', async () => {
    const made = await guarded.send('POST', '/v1/accounts', {}, ann);
    const path = made.headers.get('location') ?? '';
    expect((await guarded.send('PATCH', path, { balance: add(-11) }, ann)).status).toBe(403);
    const { body } = await guarded.send('PATCH', path, { balance: add(-10) }, ann);
    expect(body.balance).toBe(0);
    const log = await guarded.get(
      '/_audit?operation=update&fields=before,after',
      caller({ sub: 'eve', roles: ['auditor'] }),
    );
    expect(log.body).toMatchObject([{ before: { balance: 10 }, after: { balance: 0 } }]);
  });
});
