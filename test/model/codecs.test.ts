import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Codec, Field } from '../../src/model/api.ts';
import type { Operator } from '../../src/model/operators.ts';
import { readValue } from '../../src/model/validation/read-value.ts';
import type { JsonValue } from '../../src/specification/specification.ts';
import { seed } from '../support/seed.ts';
import { fieldIn, fieldWith, resources, validModel } from './model.ts';

function codecOf(field: Field, form: string): Codec {
  const codec = field.type.forms[form];
  if (codec === undefined) throw new Error(`${field.type.name} has no form ${form}`);
  return codec;
}

function storedAs(value: JsonValue, field: Field, form: string): unknown {
  const { encode } = codecOf(field, form);
  return encode === undefined ? value : encode(value, field);
}

/** The value that comes back from a database after it was stored in a form. */
function roundTrip(value: JsonValue, field: Field, form: string): unknown {
  const stored = storedAs(value, field, form) as never;
  const { decode } = codecOf(field, form);
  return decode === undefined ? stored : decode(stored, field);
}

const two = (number: number): string => String(number).padStart(2, '0');
const date = fc
  .record({
    year: fc.integer({ min: 1, max: 9999 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
  })
  .map(({ year, month, day }) => `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`);
const datetime = fc
  .integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') })
  .map((ms) => new Date(ms).toISOString());
const wholeSecond = (moment: string): string => moment.replace(/\.\d+/u, '.000');
const text = fc.string({ unit: 'grapheme' });
const whole = fc.maxSafeInteger();
/** JSON with numbers that every database can hold. */
const json = fc
  .jsonValue()
  .map(
    (value) =>
      JSON.parse(JSON.stringify(value), (_, part: unknown) =>
        typeof part === 'number' && !(Math.abs(part) <= Number.MAX_SAFE_INTEGER) ? 1 / part : part,
      ) as unknown,
  );
/** Decimals that a double can tell apart. */
const decimal = fc
  .integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 })
  .map((digits) => (digits / 100).toFixed(2));

/** The fields of each type, with values that are right for them. */
const samples: readonly (readonly [attributes: string, fc.Arbitrary<unknown>])[] = [
  ['type: string', text],
  ['type: text', text],
  ['type: email', fc.emailAddress()],
  ['type: url', fc.webUrl()],
  ['type: integer', whole],
  ['type: number', fc.double({ noNaN: true, noDefaultInfinity: true })],
  ['type: decimal, precision: 15', decimal],
  ['type: boolean', fc.boolean()],
  ['type: date', date],
  ['type: time', datetime.map((moment) => moment.slice(11, 19))],
  ['type: datetime', datetime],
  ['type: uuid', fc.uuid()],
  ['type: enum, values: [a, "ä 1"]', fc.constantFrom('a', 'ä 1')],
  ['type: json', json],
  ['type: object', fc.dictionary(text, json)],
  [
    'type: object, properties: { zz: { type: decimal }, a: { type: array, items: { type: datetime } } }, additionalProperties: true',
    fc.record({ a: fc.array(datetime), zz: decimal, b: json }),
  ],
  ['type: array', fc.array(json)],
  ['type: array, items: { type: decimal, precision: 15 }', fc.array(decimal)],
];

describe('what is stored comes back', () => {
  const cases = samples.flatMap(([attributes, arbitrary]) => {
    const field = fieldWith(attributes);
    // What PostgreSQL itself makes of a moment is tested with PostgreSQL.
    const forms = Object.keys(field.type.forms).filter((form) => form !== 'timestamptz');
    return forms.map((form) => ({
      attributes,
      form,
      field,
      arbitrary:
        form === 'unixSeconds' || form === 'isoSeconds' ? datetime.map(wholeSecond) : arbitrary,
    }));
  });
  test.each(cases)('$attributes as $form', ({ field, form, arbitrary }) => {
    let taken = 0;
    fc.assert(
      fc.property(arbitrary, (given) => {
        const parsed = readValue(given, field);
        if (!parsed.ok || parsed.value === null) return;
        taken += 1;
        expect(JSON.stringify(roundTrip(parsed.value, field, form))).toBe(
          JSON.stringify(parsed.value),
        );
      }),
      { numRuns: 300, seed },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test.each([
    ['integer', '', 7],
    ['uuid', 'id: { type: id, format: uuid }', '0198c5f0-7e2a-7b3c-8d4e-5f6a7b8c9d0e'],
    ['string', 'id: { type: id, format: string }', 'a/b'],
  ])('an id of kind %s', (_, id, value) => {
    const field = fieldIn(validModel(resources({ r: id })), 'r.id');
    for (const form of Object.keys(field.type.forms))
      expect(roundTrip(value, field, form)).toBe(value);
  });
});

describe('the stored form', () => {
  const moment = '2026-03-01T14:05:00.000Z';
  const fine = 'type: datetime, precision: 6';
  test.each([
    ['type: boolean', 'zeroOne', true, 1],
    ['type: boolean', 'zeroOne', false, 0],
    ['type: boolean', '1/0', true, 1],
    ['type: boolean', 'Y/N', true, 'Y'],
    ['type: boolean', 'true/false', false, 'false'],
    ['type: datetime', 'plain', moment, moment],
    ['type: datetime', 'sqlText', moment, '2026-03-01 14:05:00'],
    ['type: datetime', 'sqlText', '2026-03-01T14:05:00.120Z', '2026-03-01 14:05:00.120'],
    ['type: datetime', 'isoText', moment, moment],
    [fine, 'sqlMicroseconds', '2026-03-01T14:05:00.000000Z', '2026-03-01 14:05:00.000000'],
    [fine, 'sqlMicroseconds', '2026-03-01T14:05:00.120001Z', '2026-03-01 14:05:00.120001'],
    [fine, 'sqlMixed', '2026-03-01T14:05:00.000000Z', '2026-03-01 14:05:00'],
    [fine, 'sqlMixed', '2026-03-01T14:05:00.120000Z', '2026-03-01 14:05:00.120000'],
    ['type: datetime', 'sqlOffset', moment, '2026-03-01 14:05:00.000 +00:00'],
    ['type: datetime', 'sqlUtc', moment, '2026-03-01 14:05:00.000Z'],
    ['type: datetime', 'isoOffset', moment, '2026-03-01T14:05:00.000+00:00'],
    ['type: datetime', 'isoSeconds', moment, '2026-03-01T14:05:00Z'],
    ['type: datetime', 'isoSeconds', '2026-03-01T14:05:00.250Z', '2026-03-01T14:05:00Z'],
    ['type: datetime', 'unixSeconds', moment, 1_772_373_900],
    ['type: datetime', 'unixSeconds', '2026-03-01T14:05:00.250Z', 1_772_373_900],
    ['type: datetime', 'unixMilliseconds', moment, 1_772_373_900_000],
    ['type: decimal', 'scaled', '-19.90', -1990n],
    ['type: decimal', 'scaled', '9999999999999999.99', 999_999_999_999_999_999n],
    ['type: decimal, scale: 0', 'scaled', '7', 7n],
    ['type: decimal', 'real', '19.90', 19.9],
    ['type: decimal', 'text', '19.90', '19.90'],
    ['type: object', 'jsonText', { a: 1 }, '{"a":1}'],
    ['type: array', 'jsonText', [1, 'a'], '[1,"a"]'],
  ] as const)('%s as %s of %j', (attributes, form, value, stored) => {
    expect(storedAs(value, fieldWith(attributes), form)).toBe(stored);
  });

  test.each([
    ['type: decimal', 'scaled', 5, '0.05'],
    ['type: decimal', 'scaled', '-999999999999999999', '-9999999999999999.99'],
    ['type: decimal', 'real', 19.9, '19.90'],
    ['type: decimal', 'text', '19.9', '19.90'],
    ['type: decimal', 'text', '-5', '-5.00'],
    ['type: decimal', 'text', '1.255', '1.255'],
    ['type: decimal', 'text', 'much', 'much'],
    ['type: datetime', 'isoSeconds', '2026-03-01T14:05:00Z', moment],
    ['type: datetime', 'isoSeconds', 'soon', 'soon'],
    ['type: decimal', 'real', -0.001, '0.00'],
    ['type: boolean', 'Y/N', 'Y', true],
    ['type: boolean', 'Y/N', 'N', false],
    ['type: datetime', 'sqlText', 'soon', 'soon'],
    [fine, 'sqlMicroseconds', '2026-03-01 14:05:00.999999', '2026-03-01T14:05:00.999999Z'],
    [fine, 'sqlMixed', '2026-03-01 14:05:00.000001', '2026-03-01T14:05:00.000001Z'],
    [fine, 'sqlMixed', '2026-03-01 14:05:00.120', '2026-03-01T14:05:00.120000Z'],
    [fine, 'sqlMixed', '2026-03-01 14:05:00', '2026-03-01T14:05:00.000000Z'],
    [fine, 'sqlMixed', 'soon', 'soon'],
    ['type: datetime', 'sqlOffset', '2026-03-01 14:05:00.000 +00:00', moment],
    [
      'type: datetime',
      'sqlOffset',
      '2026-03-01 14:05:00.000 +02:00',
      '2026-03-01 14:05:00.000 +02:00',
    ],
    ['type: datetime', 'sqlUtc', 'soon, Z', 'soon, Z'],
    ['type: datetime', 'unixSeconds', 'soon', 'soon'],
    ['type: datetime', 'unixMilliseconds', 9e18, '9000000000000000000'],
    ['type: boolean', 'zeroOne', 2, true],
    ['type: datetime', 'sqlText', '2026-03-01 14:05:00', moment],
    ['type: datetime', 'unixSeconds', 1_772_373_900, moment],
  ] as const)('%s as %s is read from %j', (attributes, form, stored, value) => {
    const field = fieldWith(attributes);
    expect(codecOf(field, form).decode?.(stored, field)).toBe(value);
  });

  test('members come back in the order of the file, whatever the database makes of it', () => {
    const attributes =
      'type: object, properties: { zz: { type: array, items: { type: object, properties: { y: { type: string }, a: { type: json } } } }, b: { type: string }, c: { type: object } }';
    const field = fieldWith(attributes);
    const decoded = (stored: string): string =>
      JSON.stringify(codecOf(field, 'jsonb').decode?.(stored, field));
    expect(
      decoded(
        '{"a": 1, "b": null, "c": {"z": 1, "aa": 2}, "zz": [{"a": {"q": 1}, "x": 2, "y": "3"}, {"a": 1}]}',
      ),
    ).toBe('{"zz":[{"y":"3","a":{"q":1},"x":2},{"a":1}],"b":null,"c":{"z":1,"aa":2},"a":1}');
    expect(decoded('null')).toBe('null');
  });

  test('decimals that a double cannot hold are read as text', () => {
    const readAsText = (attributes: string): boolean | undefined => {
      const field = fieldWith(attributes);
      return codecOf(field, 'scaled').readAsText?.(field);
    };
    expect(readAsText('type: decimal')).toBe(true);
    expect(readAsText('type: decimal, precision: 16')).toBe(true);
    expect(readAsText('type: decimal, precision: 15')).toBe(false);
  });

  test('datetimes sort as text in the order of time', () => {
    const field = fieldWith('type: datetime');
    fc.assert(
      fc.property(datetime, datetime, fc.integer({ min: -999, max: 999 }), (a, other, near) => {
        const b = Math.abs(near) > 500 ? other : new Date(Date.parse(a) + near).toISOString();
        if (b.length > 24) return;
        for (const form of ['plain', 'sqlText', 'sqlUtc', 'sqlOffset', 'isoOffset']) {
          const [left, right] = [
            String(storedAs(a, field, form)),
            String(storedAs(b, field, form)),
          ];
          expect(Number(left > right) - Number(left < right)).toBe(
            Math.sign(Date.parse(a) - Date.parse(b)),
          );
        }
      }),
      { seed },
    );
  });
});

describe('decimals are compared as numbers', () => {
  /** What the database says, which compares whole numbers. */
  const answers: Partial<Record<Operator, (stored: bigint, operand: bigint) => boolean>> = {
    eq: (stored, operand) => stored === operand,
    neq: (stored, operand) => stored !== operand,
    in: (stored, operand) => stored === operand,
    nin: (stored, operand) => stored !== operand,
    gt: (stored, operand) => stored > operand,
    gte: (stored, operand) => stored >= operand,
    lt: (stored, operand) => stored < operand,
    lte: (stored, operand) => stored <= operand,
  };
  const operators = Object.keys(answers) as Operator[];

  function answer(field: Field, operator: Operator, stored: bigint, operand: string): boolean {
    const bound = codecOf(field, 'scaled').comparand?.(operand, operator, field);
    const compare = answers[operator];
    if (typeof bound !== 'bigint' || compare === undefined) throw new Error('no whole number');
    // SQLite's integers have 64 bits.
    expect(bound).toBe(BigInt.asIntN(64, bound));
    return compare(stored, bound);
  }

  test.each([
    // What is stored, the operand, and the operators that hold.
    [1990n, '19.9', 'eq in gte lte'],
    [1990n, '19.90', 'eq in gte lte'],
    [1990n, '19.900000', 'eq in gte lte'],
    [1990n, '19.901', 'neq nin lt lte'],
    [1990n, '19.899', 'neq nin gt gte'],
    [1991n, '19.901', 'neq nin gt gte'],
    [-1990n, '-19.901', 'neq nin gt gte'],
    [-1990n, '-19.899', 'neq nin lt lte'],
    [-1991n, '-19.901', 'neq nin lt lte'],
    [0n, '0.001', 'neq nin lt lte'],
    [0n, '-0.001', 'neq nin gt gte'],
    [0n, '-0', 'eq in gte lte'],
    [999_999_999_999_999_999n, '9999999999999999.999', 'neq nin lt lte'],
    [999_999_999_999_999_999n, '1000000000000000000000000000000', 'neq nin lt lte'],
    [999_999_999_999_999_999n, '-1000000000000000000000000000000', 'neq nin gt gte'],
    [-999_999_999_999_999_999n, '-1000000000000000000000000000000.5', 'neq nin gt gte'],
    [-999_999_999_999_999_999n, '1000000000000000000000000000000.5', 'neq nin lt lte'],
  ])('%s with %s: %s', (stored, operand, holding) => {
    const field = fieldWith('type: decimal');
    const held = operators.filter((operator) => answer(field, operator, stored, operand));
    expect(held.sort()).toEqual(holding.split(' ').sort());
  });

  test('of any scale and size', () => {
    const fields = [0, 2, 18].map((scale) => fieldWith(`type: decimal, scale: ${scale}`));
    const digits = fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n });
    fc.assert(
      fc.property(
        fc.constantFrom(...fields),
        digits,
        fc.oneof(
          fc.bigInt({ min: -99n, max: 99n }),
          fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
        ),
        fc.integer({ min: 0, max: 25 }),
        fc.boolean(),
        (field, stored, other, scale, isNear) => {
          // Near: the stored number and a bit, at a finer scale.
          const finer = 10n ** BigInt(scale);
          const wanted = isNear ? stored * finer + other : other;
          const places = isNear ? field.scale + scale : scale;
          const sign = wanted < 0n ? '-' : '';
          const padded = String(wanted < 0n ? -wanted : wanted).padStart(places + 1, '0');
          const point = padded.length - places;
          const operand = `${sign}${padded.slice(0, point)}${places === 0 ? '' : `.${padded.slice(point)}`}`;
          const parsed = field.type.parse(operand, field);
          if (typeof parsed !== 'string') throw new Error(`${operand} was refused`);
          const left = stored * 10n ** BigInt(places);
          const right = wanted * 10n ** BigInt(field.scale);
          for (const operator of operators)
            expect([operand, operator, answer(field, operator, stored, parsed)]).toEqual([
              operand,
              operator,
              answers[operator]?.(left, right),
            ]);
        },
      ),
      { numRuns: 2_000, seed },
    );
  });
});

/** As PostgreSQL writes it where the session's time zone is another one: Kolkata, New York long ago, South Georgia. */
test.each([
  ['2026-03-01 05:30:00.12+05:30', '2026-03-01T00:00:00.120Z'],
  ['2024-02-29 23:00:00-02', '2024-03-01T01:00:00.000Z'],
  ['0900-06-01 00:00:00-04:56:02', '0900-06-01T04:56:02.000Z'],
  ['10000-01-01 05:29:59.999+05:30', '9999-12-31T23:59:59.999Z'],
  ['0001-12-31 19:03:58-04:56:02 BC', '0001-01-01T00:00:00.000Z'],
])('a moment of another time zone is the same moment: %s', (stored, moment) => {
  const field = fieldWith('type: datetime');
  expect(codecOf(field, 'timestamptz').decode?.(stored, field)).toBe(moment);
});
