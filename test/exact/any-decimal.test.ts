import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareDecimals, parseDecimal } from '../../src/model/exact-number.ts';
import { serveGenerated, type Row } from '../generate/generate.ts';
import { expectErrors, expectReadings, expectTexts } from '../model/model.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { seed } from '../support/seed.ts';
import { expectBodies, expectRefusals, expectRows } from '../support/tables.ts';

const specification = `
resources:
  rates:
    fields:
      value: { type: decimal, scale: any }
      code: { type: decimal, scale: any, unique: true, minimum: 0, maximum: "100000000000000000000.5" }
      rest: { type: decimal, scale: any, nullable: false, default: "1.50" }
      many: { type: array, items: { type: decimal, scale: any } }
      more: { type: object, properties: { part: { type: decimal, scale: any } } }
      parent: { type: relation, relation: belongsTo, resource: rates }
`;

const far = '-123456789012345678901234567890.12345678901234567890';

describe('what is taken', () => {
  const refused =
    'value: must be a plain decimal number such as "19.90", with at most 400 digits before and behind the point';
  const digits = '7'.repeat(400);
  expectReadings('type: decimal, scale: any', [
    ['"19.90"', '"19.9"'],
    ['19.90', '"19.9"'],
    ['"007"', '"7"'],
    ['"-0.00"', '"0"'],
    ['"100"', '"100"'],
    ['1e3', '"1000"'],
    ['1e-7', '"0.0000001"'],
    ['0.12345678901234567890123', '"0.12345678901234567890123"'],
    [`"${digits}.${digits}"`, `"${digits}.${digits}"`],
    [`"${digits}1"`, refused],
    ['1e400', refused],
    ['1e-401', refused],
    ['"1e3"', refused],
    ['".5"', refused],
    ['"NaN"', refused],
    ['true', 'type: must be a decimal in a string, such as "19.90", or a number'],
  ]);
  expectReadings('type: decimal, scale: any, multipleOf: 0.25, maximum: 9', [
    ['"1.25"', '"1.25"'],
    ['"1.2"', 'value: must be a multiple of 0.25'],
    ['"9.25"', 'value: must be at most 9'],
  ]);
  expectTexts('type: decimal, scale: any', { '1.50': '1.5', '-0': '0', '007': '7' }, [
    '1e3',
    '.5',
    'x',
    '',
  ]);
  expectErrors([
    [
      'with a precision',
      'resources: { a: { fields: { x: { type: decimal, scale: any, precision: ¦9 } } } }',
      'resources.a.fields.x.precision: precision does not go with scale: any; leave one of them out',
    ],
    [
      'a key',
      `resources:
  a: { fields: { x: { type: decimal, scale: any, unique: true } } }
  b: { fields: { y: { type: decimal, scale: any, reference: ¦a.x } } }`,
      'resources.b.fields.y.reference: b.y has scale: any, which a key cannot have',
    ],
    [
      'another word',
      'resources: { a: { fields: { x: { type: decimal, scale: ¦all } } } }',
      'resources.a.fields.x.scale: `scale` must be a whole number from 0 to 18 or any, not `all`',
    ],
  ]);
});

let api: Both;
const source = (): Both => api;
beforeAll(async () => {
  api = await serveBoth(specification, {
    rates: [
      {
        value: '1.5',
        code: '100000000000000000000.4',
        many: ['10', '9.5'],
        more: { part: '1.50' },
      },
      { value: '1.50000000000000000001', code: 3, many: ['-10'] },
      { value: far, many: [] },
      { value: `${far}1`, parentId: 1 },
      { value: '-9.5' },
      { value: '10' },
      { value: '-10' },
      { value: '0' },
      {},
    ],
  });
});
afterAll(() => api.stop());

expectBodies(source, [
  [
    'all digits are read',
    '/v1/rates?fields=value,rest,many&id_in=1,3',
    [
      { id: 1, value: '1.5', rest: '1.5', many: ['10', '9.5'] },
      { id: 3, value: far.slice(0, -1), rest: '1.5', many: [] },
    ],
  ],
  ['in members', '/v1/rates/1?fields=more', { id: 1, more: { part: '1.5' } }],
]);

describe('filters and sorts', () => {
  expectRows(source, '/v1/rates', [
    ['equality', 'value=1.50', [1]],
    ['a neighbour', 'value=1.50000000000000000001', [2]],
    ['neq keeps null', 'value_neq=1.5', [2, 3, 4, 5, 6, 7, 8, 9]],
    ['in', `value_in=1.5,${far}`, [1, 3]],
    ['nin', `value_nin=1.5,${far}`, [2, 4, 5, 6, 7, 8, 9]],
    ['gt', 'value_gt=1.5', [2, 6]],
    ['gte', 'value_gte=1.5', [1, 2, 6]],
    ['lt of a negative number', 'value_lt=-9.5', [3, 4, 7]],
    ['lte', 'value_lte=-10', [3, 4, 7]],
    ['between far neighbours', `value_lt=${far}`, [4]],
    ['items', 'many_contains=9.50', [1]],
    ['a member', 'more.part=1.5', [1]],
    ['through a relation', 'parent.value_gt=1', [4]],
    ['by number', 'sort=value', [9, 4, 3, 7, 5, 8, 1, 2, 6]],
    ['descending', 'sort=-value', [6, 2, 1, 8, 5, 7, 3, 4, 9]],
    ['by the first item', 'sort=-many&nulls=last', [1, 2, 9, 8, 7, 6, 5, 4, 3]],
    ['by a path', 'sort=parent.value&nulls=last&limit=1', [4]],
  ]);
  expectRefusals(source, '/v1/rates', [
    [
      'no decimal',
      'value=1e',
      'INVALID_FILTER',
      'value: "1e" does not fit: it takes a plain decimal number such as 19.90',
    ],
  ]);

  test.each(['value', '-value', '-many', 'parent.value'])('pages by %s', async (sort) => {
    const all = await api.get(`/v1/rates?sort=${sort}&nulls=last`);
    const found: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await api.get(`/v1/rates?sort=${sort}&nulls=last&limit=2&cursor=${cursor}`);
      found.push(...body.data.map(({ id }: { id: number }) => id));
      cursor = body.next_cursor;
    }
    expect(found).toEqual(all.body.map(({ id }: { id: number }) => id));
  });
});

test('any decimals sort as numbers on both databases', async () => {
  const decimal = fc
    .tuple(
      fc.boolean(),
      fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/u),
      fc.stringMatching(/^\d{0,24}$/u),
    )
    .map(([minus, whole, part]) => `${minus ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`);
  const values = fc.sample(decimal, { numRuns: 200, seed });
  const both = await serveBoth(
    'resources: { a: { fields: { x: { type: decimal, scale: any } } } }',
    {
      a: values.map((x) => ({ x })),
    },
  );
  try {
    const { body } = await both.get('/v1/a?sort=x&limit=1000');
    const exact = (text: string) => parseDecimal(text) ?? { digits: 0n, scale: 0 };
    const sorted = values.toSorted((a, b) => compareDecimals(exact(a), exact(b)));
    const read = (body as Row[]).map(({ x }) => exact(String(x)));
    expect(read.map((one, at) => compareDecimals(one, exact(sorted[at] ?? '')))).toEqual(
      values.map(() => 0),
    );
  } finally {
    await both.stop();
  }
});

test('writes', async () => {
  const made = await api.send('POST', '/v1/rates', { value: '0.10', code: '42.0' });
  expect(made.body).toMatchObject({ value: '0.1', code: '42', rest: '1.5' });
  const path = `/v1/rates/${made.body.id}`;
  const changed = await api.send('PATCH', path, `{"value":12345678901234567890.123456789}`);
  expect(changed.body.value).toBe('12345678901234567890.123456789');
  const taken = await api.send('PATCH', path, { code: '3.000' });
  expect(taken.status).toBe(422);
  const large = await api.send('PATCH', path, { code: '100000000000000000000.6' });
  expect(large.body.errors).toEqual([
    {
      field: 'code',
      message: 'must be at most 100000000000000000000.5',
      rule: 'maximum',
      params: { max: '100000000000000000000.5' },
    },
  ]);
  const put = await api.send('PUT', path, changed.text);
  expect(put.text).toBe(changed.text);
  expect((await api.send('DELETE', path)).status).toBe(204);
});

test('what another program has stored is shown and compared as it is', async () => {
  await api.postgres.writeOne(
    {
      sql: `INSERT INTO rates (id, value, rest) OVERRIDING SYSTEM VALUE VALUES (99, '2.500', 1)`,
      parameters: [],
    },
    { bound: [] },
  );
  const { body } = (await api.sides[1]?.get('/v1/rates/99?fields=value')) ?? {};
  expect(body).toEqual({ id: 99, value: '2.500' });
  expect((await api.sides[1]?.get('/v1/rates?value=2.5'))?.body).toHaveLength(1);
  await api.postgres.writeOne(
    { sql: 'DELETE FROM rates WHERE id = 99', parameters: [] },
    { bound: [] },
  );
});

test('generated decimals fit', async () => {
  const both = await serveGenerated(specification);
  try {
    const { body } = await both.get('/v1/rates?limit=100');
    const codes = (body as Row[]).flatMap(({ code }) => (code === null ? [] : [String(code)]));
    expect(new Set(codes).size).toBe(codes.length);
  } finally {
    await both.stop();
  }
});
