import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectBodies, expectRows, refusalOf } from '../support/tables.ts';

const specification = `
limits: { batchItems: 3000 }
resources:
  boxes:
    fields:
      parts: { type: relation, relation: hasMany, resource: parts, foreignKey: boxId }
      pieces: { type: integer, computed: { sum: parts.pieces } }
      price: { type: decimal, precision: 18, scale: 2, computed: { sum: parts.price } }
      weight: { type: number, computed: { sum: parts.weight } }
      meanPieces: { type: number, computed: { avg: parts.pieces } }
      meanPrice: { type: number, computed: { avg: parts.price } }
      meanWeight: { type: number, computed: { avg: parts.weight } }
  parts:
    fields:
      kind: { type: string }
      pieces: { type: integer }
      serial: { type: integer, format: bigint }
      price: { type: decimal, precision: 18, scale: 2 }
      any: { type: decimal, scale: any }
      weight: { type: number }
      specs: { type: object, properties: { weight: { type: number } } }
      boxId: { type: integer, reference: boxes.id }
`;

/** The greatest and the least value of each type. */
const high = {
  pieces: 9_007_199_254_740_991,
  serial: '9223372036854775807',
  price: '9999999999999999.99',
};
const low = {
  pieces: -9_007_199_254_740_991,
  serial: '-9223372036854775808',
  price: '-9999999999999999.99',
};
const numbers = (weight: number): object => ({ weight, specs: { weight } });
const parts = [
  // 1,030 of them are beyond 2⁶³ even as integers of 53 bits.
  ...Array.from({ length: 1030 }, () => ({ boxId: 1, kind: 'high', ...high })),
  ...Array.from({ length: 1030 }, () => ({ boxId: 2, kind: 'low', ...low })),
  { boxId: 3, kind: 'least', ...low, ...numbers(-1) },
  { boxId: 4, kind: 'cent', pieces: 1, price: '1234567890123456.78', ...numbers(1.7e308) },
  { boxId: 4, kind: 'cent', pieces: 2, price: '-1234567890123456.77', ...numbers(1.7e308) },
  { boxId: 4, kind: 'cent', any: '99999999999999999999999999999999999999', ...numbers(-1.7e308) },
  { boxId: 5, kind: 'large', ...numbers(1.7e308) },
  { boxId: 5, kind: 'large', ...numbers(1.7e308) },
  { kind: 'squared', ...numbers(1e200) },
  { kind: 'squared', ...numbers(3e200) },
];

let api: Both;
beforeAll(async () => {
  api = await serveBoth(specification, { boxes: [{}, {}, {}, {}, {}] });
  const { status, text } = await api.send('POST', '/v1/parts', parts);
  expect(status, text.slice(0, 500)).toBe(201);
});
afterAll(() => api.stop());
const source = (): Both => api;

const highSums = {
  pieces: '9277415232383220730',
  serial: '9500073197960419081210',
  price: '10299999999999999989.70',
};

describe('groups beyond the range of a type', () => {
  expectBodies(source, [
    [
      'sums',
      '/v1/parts?group=kind&kind_in=high,low&aggregate=sum:pieces,sum:serial,sum:price',
      [
        { group: { kind: 'high' }, sum: highSums },
        {
          group: { kind: 'low' },
          sum: {
            pieces: '-9277415232383220730',
            serial: '-9500073197960419082240',
            price: '-10299999999999999989.70',
          },
        },
      ],
    ],
    [
      'averages',
      '/v1/parts?group=kind&kind_in=high,low&aggregate=avg:pieces,avg:serial,avg:price',
      [
        {
          group: { kind: 'high' },
          avg: {
            pieces: '9007199254740991.000000',
            serial: '9223372036854775807.000000',
            price: '9999999999999999.99000000',
          },
        },
        {
          group: { kind: 'low' },
          avg: {
            pieces: '-9007199254740991.000000',
            serial: '-9223372036854775808.000000',
            price: '-9999999999999999.99000000',
          },
        },
      ],
    ],
    [
      'a sum that comes back into the range',
      '/v1/parts?kind_in=high,low,least&aggregate=sum:pieces,sum:serial,sum:price',
      [
        {
          group: {},
          sum: {
            pieces: -9_007_199_254_740_991,
            serial: '-9223372036854776838',
            price: '-9999999999999999.99',
          },
        },
      ],
    ],
    [
      'numbers whose sum overflows on its way alone',
      '/v1/parts?kind=cent&aggregate=sum:weight,avg:weight,sum:specs.weight',
      [
        {
          group: {},
          sum: { weight: 1.7e308, 'specs.weight': 1.7e308 },
          avg: { weight: 1.7e308 / 3 },
        },
      ],
    ],
    [
      'numbers whose squares alone are beyond a double',
      '/v1/parts?kind=squared&aggregate=avg:weight,avg:specs.weight',
      [{ group: {}, avg: { weight: 2e200, 'specs.weight': 2e200 } }],
    ],
  ]);

  const kinds = (query: string): Promise<unknown> =>
    api
      .get(`/v1/parts?group=kind&kind_in=high,low,least&${query}`)
      .then(({ status, body, text }) => {
        expect(status, text).toBe(200);
        return (body as unknown as { group: { kind: string } }[]).map(({ group }) => group.kind);
      });
  const digits = '9'.repeat(38);

  test.each([
    ['sort=sum.pieces', ['low', 'least', 'high']],
    ['sort=-sum.serial', ['high', 'least', 'low']],
    ['sort=sum.price', ['low', 'least', 'high']],
    ['sort=-avg.serial', ['high', 'least', 'low']],
    ...(['pieces', 'serial', 'price'] as const).map((name) => [
      `having=sum.${name}:${highSums[name]}`,
      ['high'],
    ]),
    ['having=sum.serial_gt:9223372036854775807', ['high']],
    ['having=sum.serial_lt:-9223372036854775808', ['low']],
    ['having=sum.serial:-9223372036854775808', ['least']],
    ['having=sum.price_gt:10299999999999999989.699', ['high']],
    ['having=sum.price_gt:10299999999999999989.70', []],
    ...['sum.pieces', 'sum.serial', 'sum.price', 'avg.pieces', 'avg.serial', 'avg.price'].flatMap(
      (name) => [
        [`having=${name}:-${digits}`, []],
        [`having=${name}_neq:-${digits}`, ['high', 'least', 'low']],
        [`having=${name}_gt:-${digits}`, ['high', 'least', 'low']],
        [`having=${name}_lte:-${digits}`, []],
        [`having=${name}_lt:${digits}`, ['high', 'least', 'low']],
        [`having=${name}_gte:${digits}.5`, []],
      ],
    ),
    ['having=avg.serial:-9223372036854775809', []],
    ['having=avg.serial_gt:-9223372036854775809', ['high', 'least', 'low']],
    ['having=avg.serial_lte:-9223372036854775808', ['least', 'low']],
    ['having=avg.serial_gte:9223372036854775807.5', []],
  ])('%s', async (query, expected) => {
    expect(await kinds(query as string)).toEqual(expected);
  });

  test.each([
    'aggregate=sum:weight',
    'aggregate=avg:specs.weight',
    'having=sum.weight_gt:0',
    'having=avg.weight_lt:0',
    'having=kind:cent,sum.specs.weight_exists:true',
    'sort=-sum.weight',
    'sort=avg.weight&limit=1&offset=9',
    'sort=sum.weight&limit=0',
  ])(
    'a sum of numbers that no double holds is refused, whatever is shown of it: %s',
    async (rest) => {
      const answer = await api.get(`/v1/parts?group=kind&${rest}`);
      expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });
      expect((await api.get(`/v1/parts?group=kind&kind_neq=large&${rest}`)).status).toBe(200);
    },
  );

  test('a decimal of any scale has an extreme, but no sum', async () => {
    const { body } = await api.get(`/v1/parts?aggregate=max:any&any_gt=1`);
    expect(body).toEqual([{ group: {}, max: { any: digits } }]);
    expect((await api.get('/v1/parts?aggregate=sum:any')).status).toBe(400);
  });
});

describe('computed fields beyond the range of a type', () => {
  expectBodies(source, [
    [
      'are null, and averages as near as a double comes',
      '/v1/boxes?fields=pieces,price,meanPieces,meanPrice',
      [
        { id: 1, pieces: null, price: null, meanPieces: 9_007_199_254_740_990, meanPrice: 1e16 },
        { id: 2, pieces: null, price: null, meanPieces: -9_007_199_254_740_990, meanPrice: -1e16 },
        {
          id: 3,
          pieces: low.pieces,
          price: low.price,
          meanPieces: low.pieces,
          meanPrice: -1e16,
        },
        { id: 4, pieces: 3, price: '0.01', meanPieces: 1.5, meanPrice: 0.005 },
        { id: 5, pieces: null, price: null, meanPieces: null, meanPrice: null },
      ],
    ],
    [
      'of numbers',
      '/v1/boxes?fields=weight,meanWeight&id_gt=2',
      [
        { id: 3, weight: -1, meanWeight: -1 },
        { id: 4, weight: 1.7e308, meanWeight: 1.7e308 / 3 },
        { id: 5, weight: null, meanWeight: null },
      ],
    ],
    [
      'in groups',
      '/v1/boxes?aggregate=sum:pieces,sum:price,countDistinct:weight',
      [
        {
          group: {},
          sum: { pieces: -9_007_199_254_740_988, price: '-9999999999999999.98' },
          countDistinct: { weight: 2 },
        },
      ],
    ],
  ]);
  expectRows(source, '/v1/boxes', [
    ['sorted by a sum', 'sort=pieces', [1, 2, 5, 3, 4]],
    ['sorted by decimals', 'sort=-price', [4, 3, 5, 2, 1]],
    ['sorted by numbers', 'sort=-weight', [4, 3, 5, 2, 1]],
    ['null', 'pieces_null=true&price_null=true', [1, 2, 5]],
    ['above the greatest', 'pieces_gt=9007199254740991', []],
    ['beyond all', `price_lt=${'9'.repeat(38)}`, [3, 4]],
    ['the least', 'price=-9999999999999999.99', [3]],
    ['an average between two decimals', 'meanPrice_gt=0&meanPrice_lt=0.01', [4]],
    ['a sum that overflows on its way alone', 'weight_gt=1e308', [4]],
  ]);
});
