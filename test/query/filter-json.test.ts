import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { compareDecimals, parseDecimal, parseJsonNumber } from '../../src/model/exact-number.ts';
import { serveBoth } from '../support/both.ts';

/** Values of every kind under one key; their ids count from 1. */
const values: readonly unknown[] = [
  0,
  1,
  -1,
  10,
  9,
  0.1,
  1.5,
  -0.5,
  1.5e-7,
  9007199254740991,
  -9007199254740991,
  '0',
  '1',
  '1.0',
  '01',
  '-1',
  '10',
  '9',
  '1e3',
  '',
  ' ',
  'a',
  'A',
  'ä',
  '\u{ffff}',
  '😀',
  'true',
  'null',
  '"a"',
  'a,b',
  "it's",
  'back\\slash',
  'two\nlines',
  true,
  false,
  null,
  {},
  [],
  [1],
  { v: 1 },
];

const operands = [
  '0 -0 1 1.0 01 -1 10 9 0.1 0.10 0.10000000000000001 1.5 -0.5 0.00000015 1e3'.split(' '),
  '1000000000000000000000 9007199254740991 9007199254740992 9007199254740991.1'.split(' '),
  '-9007199254740991 +1 0x1 .5 1. NaN a A ä 😀 true false TRUE null {} [] [1]'.split(' '),
  ['', ' ', '\u{ffff}', '"a"', 'a,b', "it's", 'back\\slash', 'two\nlines'],
  '9'.repeat(400),
].flat();

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth('resources: { items: { fields: { any: { type: json } } } }');
  const records = [...values.map((v) => ({ any: { v } })), { any: {} }, { any: 1 }, {}];
  const answer = await api.send('POST', '/v1/items', records);
  expect(answer.status, answer.text).toBe(201);
});
afterAll(() => api.stop());

type Order = (sign: number) => boolean;

const orders: Readonly<Record<string, Order>> = {
  '': (sign) => sign === 0,
  _eq: (sign) => sign === 0,
  _gt: (sign) => sign > 0,
  _gte: (sign) => sign >= 0,
  _lt: (sign) => sign < 0,
  _lte: (sign) => sign <= 0,
};

/** Where a value stands beside an operand; undefined where the two cannot be compared. */
function compare(value: unknown, operand: string, isOrder: boolean): number | undefined {
  if (typeof value === 'string') return Buffer.compare(Buffer.from(value), Buffer.from(operand));
  if (typeof value === 'boolean') return !isOrder && String(value) === operand ? 0 : undefined;
  if (typeof value !== 'number' || !/^-?\d+(?:\.\d+)?(?:e\d+)?$/u.test(operand)) return undefined;
  const [one, other] = [
    parseJsonNumber(String(value)),
    parseJsonNumber(operand) ?? parseDecimal(operand),
  ];
  if (one === undefined || other === undefined || !Number.isFinite(Number(operand)))
    return undefined;
  return Math.sign(compareDecimals(one, other));
}

function matching(operator: string, operand: string): readonly number[] {
  const order = orders[operator] ?? (() => false);
  const isOrder = operator !== '' && operator !== '_eq';
  return values.flatMap((value, index) => {
    const sign = compare(value, operand, isOrder);
    return sign !== undefined && order(sign) ? [index + 1] : [];
  });
}

async function found(name: string, value: string): Promise<readonly number[]> {
  const target = `/v1/items?fields=id&limit=100&any.v${name}=${encodeURIComponent(value)}`;
  const { status, body, text } = await api.get(target);
  expect(status, `${target} ${text}`).toBe(200);
  return (body as { id: number }[]).map(({ id }) => id);
}

const all = Array.from({ length: values.length + 3 }, (_, index) => index + 1);
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;

test.each(operands.map((operand) => ({ operand, title: JSON.stringify(operand).slice(0, 40) })))(
  'JSON compared with $title',
  async ({ operand }) => {
    for (const operator of Object.keys(orders))
      expect(await found(operator, operand), operator).toEqual(matching(operator, operand));
    const equal = matching('', operand);
    const others = all.filter((id) => !equal.includes(id));
    expect(await found('_neq', operand)).toEqual(others);
    expect(await found('_in', quoted(operand))).toEqual(equal);
    expect(await found('_nin', quoted(operand))).toEqual(others);
  },
);

test('a list of several', async () => {
  const wanted = ['1', 'true', 'ä'];
  const equal = all.filter((id) => wanted.some((operand) => matching('', operand).includes(id)));
  expect(await found('_in', wanted.join(','))).toEqual(equal);
  expect(await found('_nin', wanted.join(','))).toEqual(all.filter((id) => !equal.includes(id)));
});

test('_exists and _null', async () => {
  const there = values.flatMap((value, index) => (value === null ? [] : [index + 1]));
  const absent = all.filter((id) => !there.includes(id));
  expect(await found('_exists', 'true')).toEqual(there);
  expect(await found('_null', 'false')).toEqual(there);
  expect(await found('_exists', 'false')).toEqual(absent);
  expect(await found('_null', 'true')).toEqual(absent);
});

test.each(['a', 'A', '1', 'e', '%', '_', '"', '\\', '\n', 'Ä', '😀', ''])(
  'searched for %j',
  async (part) => {
    const texts = (fold: (text: string) => string): readonly number[] =>
      values.flatMap((value, index) =>
        typeof value === 'string' && fold(value).includes(fold(part)) ? [index + 1] : [],
      );
    expect(await found('_like', part)).toEqual(texts((text) => text));
    expect(await found('_ilike', part)).toEqual(texts((text) => text.toLowerCase()));
  },
);
