import { describe, expect, test } from 'vitest';
import { fieldWith, readJsonText } from './model.ts';

/** The attributes, a JSON text, and what is wrong with it: nothing, or the message of a 422. */
type Row = readonly [attributes: string, json: string, wrong?: string];

function expectVerdicts(rows: readonly Row[]): void {
  test.each(rows.map(([attributes, json, wrong]) => ({ attributes, json, wrong })))(
    '$attributes: $json',
    ({ attributes, json, wrong }) => {
      const result = readJsonText(fieldWith(attributes), json);
      if (wrong === undefined) expect(result).not.toMatch(/^(?:value|type)/u);
      else expect(result).toBe(`value: ${wrong}`);
    },
  );
}

describe('length, in code points', () => {
  expectVerdicts([
    ['type: string, minLength: 2', '"ab"'],
    ['type: string, minLength: 2', '"😀"', 'must have at least 2 characters'],
    ['type: string, minLength: 1', '""', 'must have at least 1 character'],
    ['type: string, maxLength: 2', '"😀😀"'],
    ['type: string, maxLength: 2', '"abc"', 'must have at most 2 characters'],
    ['type: string, maxLength: 1', '"e\\u0301"', 'must have at most 1 character'],
    ['type: string, maxLength: 0', '""'],
    ['type: text, maxLength: 1', '"ab"', 'must have at most 1 character'],
    ['type: email, maxLength: 4', '"a@bcd"', 'must have at most 4 characters'],
    ['type: url, minLength: 20', '"http://a"', 'must have at least 20 characters'],
  ]);
});

describe('bounds', () => {
  expectVerdicts([
    ['type: integer, minimum: 3', '3'],
    ['type: integer, minimum: 3', '2', 'must be at least 3'],
    ['type: integer, maximum: -3', '-3'],
    ['type: integer, maximum: -3', '-2', 'must be at most -3'],
    ['type: integer, exclusiveMinimum: 3', '4'],
    ['type: integer, exclusiveMinimum: 3', '3', 'must be greater than 3'],
    ['type: integer, exclusiveMaximum: 3', '3', 'must be less than 3'],
    ['type: integer, minimum: 0', '-0'],
    ['type: number, minimum: 0.1', '0.1'],
    ['type: number, minimum: 0.1', '0.09999999999999999', 'must be at least 0.1'],
    ['type: number, exclusiveMaximum: 1e-7', '1e-7', 'must be less than 0.0000001'],
    ['type: decimal, minimum: 0.1', '"0.10"'],
    ['type: decimal, minimum: "0.11"', '"0.10"', 'must be at least 0.11'],
    ['type: decimal, minimum: 0.005', '"0.00"', 'must be at least 0.005'],
    ['type: decimal, minimum: 0.005', '"0.01"'],
    ['type: decimal, exclusiveMinimum: 1e-7', '"0.00"', 'must be greater than 0.0000001'],
    ['type: decimal, exclusiveMinimum: 1e-7', '"0.01"'],
    ['type: decimal, maximum: 1e21', '"9999999999999999.99"'],
    [
      'type: decimal, maximum: "9999999999999999.98"',
      '"9999999999999999.99"',
      'must be at most 9999999999999999.98',
    ],
    ['type: decimal, maximum: "9999999999999999.99"', '"9999999999999999.99"'],
    ['type: number, maximum: 1e21', '2e21', 'must be at most 1000000000000000000000'],
    [
      'type: number, enum: [1e21, -1e-7, 2]',
      '3',
      'must be one of 1000000000000000000000, -0.0000001, 2',
    ],
    ['type: decimal, exclusiveMaximum: 10', '"9.99"'],
    ['type: decimal, exclusiveMaximum: 9', '"10.00"', 'must be less than 9'],
  ]);
});

describe('multipleOf', () => {
  const wrong = (of: string): string => `must be a multiple of ${of}`;
  expectVerdicts([
    ['type: integer, multipleOf: 5', '-15'],
    ['type: integer, multipleOf: 5', '0'],
    ['type: integer, multipleOf: 5', '7', wrong('5')],
    ['type: number, multipleOf: 0.1', '0.3'],
    ['type: number, multipleOf: 0.1', '1.1'],
    ['type: number, multipleOf: 0.01', '4.35'],
    ['type: number, multipleOf: 0.1', '0.35', wrong('0.1')],
    ['type: number, multipleOf: 1e-7', '3e-7'],
    ['type: number, multipleOf: 1e-7', '3.5e-7', wrong('0.0000001')],
    ['type: number, multipleOf: 1e-7', '1e300'],
    ['type: number, multipleOf: 3', '1e300', wrong('3')],
    ['type: decimal, multipleOf: 0.05', '"19.95"'],
    ['type: decimal, multipleOf: "0.05"', '"19.99"', wrong('0.05')],
    ['type: decimal, multipleOf: 0.25', '"9999999999999999.75"'],
    ['type: decimal, multipleOf: 0.003', '"0.03"'],
    ['type: decimal, multipleOf: 0.003', '"0.01"', wrong('0.003')],
  ]);
});

describe('pattern', () => {
  const long = 'a'.repeat(40);
  const wrong = (pattern: string): string => `must match the pattern ${pattern}`;
  const nested = String.raw`^(a+)+$`;
  const alternatives = '^(a|a)*$';
  const options = `^${'a?'.repeat(30)}${'a'.repeat(30)}$`;
  const ranges = '^a{0,400}a{0,400}a{0,400}a{0,400}$';
  const choices = `^${'(a|a)'.repeat(30)}$`;
  expectVerdicts([
    ['type: string, pattern: "b"', '"abc"'],
    ['type: string, pattern: "^b"', '"abc"', wrong('^b')],
    ['type: string, pattern: "^.$"', '"😀"'],
    [String.raw`type: string, pattern: '^\p{Lu}{2}-\d{3,}$'`, '"ÄÖ-1234"'],
    [String.raw`type: string, pattern: '^-?\d+(\.\d+)?$'`, '"-12.5"'],
    [String.raw`type: string, pattern: '^-?\d+(\.\d+)?$'`, `"${'1'.repeat(5000)}"`],
    [
      String.raw`type: string, pattern: '^-?\d+(\.\d+)?$'`,
      `"${'1'.repeat(5000)}x"`,
      wrong(String.raw`^-?\d+(\.\d+)?$`),
    ],
    ['type: string, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$"', '"a-b-c"'],
    [
      'type: string, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$"',
      '"a-b-"',
      wrong('^[a-z0-9]+(-[a-z0-9]+)*$'),
    ],
    // Patterns that backtracking would try for ever on some values.
    [`type: string, pattern: "${nested}"`, `"${long}"`],
    [`type: string, pattern: "${nested}"`, `"${long}!"`, wrong(nested)],
    [`type: string, pattern: "${alternatives}"`, `"${long}!"`, wrong(alternatives)],
    [`type: string, pattern: "${options}b"`, `"${'a'.repeat(30)}"`, wrong(`${options}b`)],
    [`type: string, pattern: "${ranges}"`, `"${'a'.repeat(400)}!"`, wrong(ranges)],
    [`type: string, pattern: "${choices}"`, `"${'a'.repeat(29)}!"`, wrong(choices)],
    ['type: string, pattern: "^(?=(a+)+$).*b"', `"${long}!"`, wrong('^(?=(a+)+$).*b')],
    ['type: email, pattern: "@example"', '"a@b"', wrong('@example')],
  ]);
});

describe('items', () => {
  const twice = 'must not have the same item twice';
  expectVerdicts([
    ['type: array, minItems: 1', '[1]'],
    ['type: array, minItems: 2', '[1]', 'must have at least 2 items'],
    ['type: array, maxItems: 1', '[1]'],
    ['type: array, maxItems: 1', '[1, 2]', 'must have at most 1 item'],
    ['type: array, uniqueItems: false', '[1, 1]'],
    ['type: array, uniqueItems: true', '[1, "1", true, "true", null, "null"]'],
    ['type: array, uniqueItems: true', '[1, 1.0]', twice],
    ['type: array, uniqueItems: true', '[0, -0]', twice],
    [
      'type: array, uniqueItems: true',
      '[{"a":1,"b":[{"c":1,"d":2}]},{"b":[{"d":2,"c":1}],"a":1}]',
      twice,
    ],
    ['type: array, uniqueItems: true', '[[1,2],[2,1]]'],
    ['type: array, uniqueItems: true', '[[1,2],[1,2]]', twice],
    ['type: array, uniqueItems: true, items: { type: decimal }', '["1.5", 1.50]', twice],
    [
      'type: array, uniqueItems: true, items: { type: datetime }',
      '["2026-03-01T00:00:00Z", "2026-03-01T01:00:00+01:00"]',
      twice,
    ],
    [
      'type: array, uniqueItems: true, items: { type: object, properties: { a: { type: integer }, b: { type: integer, default: 2 } } }',
      '[{"b":2,"a":1},{"a":1}]',
      twice,
    ],
  ]);
});

test('every constraint that is broken is told', () => {
  const field = fieldWith('type: string, minLength: 4, pattern: "^b", enum: [bbbb]');
  expect(readJsonText(field, '"aaa"')).toBe(
    'value: must have at least 4 characters; value: must match the pattern ^b; value: must be one of bbbb',
  );
});

test('what is wrong with an array as a whole is told beside what is wrong with its items', () => {
  const field = fieldWith(
    'type: array, maxItems: 2, uniqueItems: true, items: { type: string, minLength: 2 }',
  );
  expect(readJsonText(field, '["a", "a", 1]')).toBe(
    [
      'value: must have at most 2 items',
      'value: must not have the same item twice',
      'value[0]: must have at least 2 characters',
      'value[1]: must have at least 2 characters',
      'type[2]: must be a string',
    ].join('; '),
  );
});
