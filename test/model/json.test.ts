import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/specification/specification.ts';
import { inBody } from '../../src/lib/body-bounds.ts';
import { readValue } from '../../src/model/validation/read-value.ts';
import { seed } from '../support/seed.ts';
import { expectReadings, fieldWith } from './model.ts';

describe('json', () => {
  expectReadings('type: json', [
    ['"a"', '"a"'],
    ['1e2', '100'],
    ['-0', '0'],
    ['[[], {}, null, true]', '[[],{},null,true]'],
    ['null', 'null'],
    // Integer-like keys first, then shorter ones, then by bytes.
    ['{"b":1,"aa":2,"a":3,"10":4,"9":5}', '{"9":5,"10":4,"a":3,"b":1,"aa":2}'],
    ['{"A":1,"a":2,"_":3,"Z":4}', '{"A":1,"Z":4,"_":3,"a":2}'],
    ['{"ä":1,"zz":2,"é":3,"z":4}', '{"z":4,"zz":2,"ä":1,"é":3}'],
    ['{"😀":1,"abcd":2,"￿":3,"abc":4}', '{"abc":4,"￿":3,"abcd":2,"😀":1}'],
    ['{"01":1,"1":2,"-1":3,"1.5":4}', '{"1":2,"-1":3,"01":1,"1.5":4}'],
    ['{"b":{"d":1,"c":2},"a":[{"f":1,"e":2}]}', '{"a":[{"e":2,"f":1}],"b":{"c":2,"d":1}}'],
    ['{"__proto__":{"a":1},"constructor":2}', '{"__proto__":{"a":1},"constructor":2}'],
    ['{"":1}', '{"":1}'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['0.10000000000000000000', '0.1'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['-90071992547409930e-1', '-9007199254740993'],
    ['[1, -1e16, 1e21]', '[1,-10000000000000000,1e+21]'],
    ['1e400', 'value: is too large for a number'],
    [`1${'0'.repeat(400)}`, 'value: is too large for a number'],
    ['1e-400', 'value: must have at most 400 digits'],
    ['1e-9999', 'value: must have at most 400 digits'],
    ['{"a":[{"b":1e999}]}', 'value.a[0].b: is too large for a number'],
    ['"\\u0000"', 'value: must not hold a NUL character'],
    ['["\\udc00"]', 'value[0]: must not hold half of a surrogate pair'],
    ['{"a\\u0000":1}', 'value.a\0: must not hold a NUL character'],
    [
      '[1e999, "\\u0000"]',
      'value[0]: is too large for a number; value[1]: must not hold a NUL character',
    ],
  ]);
  expectReadings('type: json, nullable: false', [['null', 'type: must not be null']]);

  test('the same value in any order of members is read as the same text', () => {
    const field = fieldWith('type: json');
    const text = (value: unknown): string => {
      const parsed = readValue(value, field);
      return parsed.ok ? JSON.stringify(parsed.value) : 'refused';
    };
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      const members = Object.entries(value).map(([name, member]) => [name, shuffled(member)]);
      return Object.fromEntries(members.reverse());
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(text(shuffled(value))).toBe(text(value));
      }),
      { seed },
    );
  });

  test('what was read is read as itself', () => {
    const field = fieldWith('type: json');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const parsed = readValue(value, field);
        if (!parsed.ok) return;
        const text = JSON.stringify(parsed.value);
        const again = readValue(JSON.parse(text) as JsonValue, field);
        expect(again.ok && JSON.stringify(again.value)).toBe(text);
      }),
      { seed },
    );
  });
});

describe('object', () => {
  const noObject = 'type: must be an object';
  expectReadings('type: object', [
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['{}', '{}'],
    ['[]', noObject],
    ['"a"', noObject],
    ['1', noObject],
    ['1e5', noObject],
    ['9007199254740993', noObject],
    ['true', noObject],
  ]);
  const sized =
    'type: object, properties: { unit: { type: enum, values: [cm, in] }, size: { type: decimal, required: true }, note: { type: string, default: none }, at: { type: datetime, nullable: false } }';
  expectReadings(sized, [
    ['{"size":1,"unit":"cm"}', '{"unit":"cm","size":"1.00","note":"none"}'],
    ['{"note":null,"size":"2.5"}', '{"size":"2.50","note":null}'],
    [
      '{"at":"2026-03-01T02:00:00+02:00","size":1}',
      '{"size":"1.00","note":"none","at":"2026-03-01T00:00:00.000Z"}',
    ],
    [
      '{"z":1,"size":1,"unti":"cm"}',
      'type.z: there is no member z; type.unti: there is no member unti; did you mean unit?',
    ],
    ['{"size":1,"__proto__":1}', 'type.__proto__: there is no member __proto__'],
    ['{}', 'type.size: is required'],
    ['{"size":null}', 'type.size: must not be null'],
    ['{"size":1,"at":null}', 'type.at: must not be null'],
    [
      '{"size":"x","unit":"m","note":1,"z":"\\u0000"}',
      'value.unit: must be one of cm, in; value.size: must be a plain decimal number such as "19.90"; type.note: must be a string; type.z: there is no member z',
    ],
    ['[]', noObject],
    ['1e5', noObject],
  ]);
  test('of many undeclared members of a body the first are told what they may have been meant to be', () => {
    const field = fieldWith(`type: array, items: { ${sized} }`);
    const items = Array.from({ length: 300 }, () => ({ size: 1, nots: 1 }));
    const parsed = inBody(() => readValue(items, field));
    const messages = parsed.ok ? [] : parsed.issues.map(({ message }) => message);
    const plain = 'there is no member nots';
    expect(messages.filter((one) => one === `${plain}; did you mean note?`)).toHaveLength(100);
    expect(messages.filter((one) => one === plain)).toHaveLength(200);
  });
  // Members that are not declared may be anything, and come after those that are.
  expectReadings(`${sized}, additionalProperties: true`, [
    [
      '{"z":1,"size":1,"b":{"d":1,"c":2},"7":1}',
      '{"7":1,"size":"1.00","note":"none","b":{"c":2,"d":1},"z":1}',
    ],
    ['{"size":1,"__proto__":1}', '{"size":"1.00","note":"none","__proto__":1}'],
    ['{"size":1,"z":"\\u0000"}', 'value.z: must not hold a NUL character'],
  ]);
  expectReadings(
    'type: object, properties: { in: { type: object, properties: { a: { type: integer, default: 1 } } } }',
    [
      ['{}', '{}'],
      ['{"in":{}}', '{"in":{"a":1}}'],
      ['{"in":{"a":"x"}}', 'type.in.a: must be a number'],
      ['{"in":[]}', 'type.in: must be an object'],
    ],
  );
});

describe('array', () => {
  expectReadings('type: array', [
    ['[1,"a",null,{"b":1,"a":2}]', '[1,"a",null,{"a":2,"b":1}]'],
    ['{}', 'type: must be an array'],
    ['"a"', 'type: must be an array'],
    ['1e5', 'type: must be an array'],
  ]);
  expectReadings('type: array, items: { type: integer }', [
    ['[1, 2.0]', '[1,2]'],
    ['[]', '[]'],
    [
      '[1, "a", 1.5, null]',
      'type[1]: must be a number; value[2]: must be a whole number; type[3]: must not be null',
    ],
  ]);
  expectReadings('type: array, items: { type: integer, nullable: true }', [['[null]', '[null]']]);
  expectReadings('type: array, items: { type: json }', [['[null]', 'type[0]: must not be null']]);
  expectReadings('type: array, items: { type: array, items: { type: uuid } }', [
    ['[["0198C5F0-7E2A-7B3C-8D4E-5F6A7B8C9D0E"]]', '[["0198c5f0-7e2a-7b3c-8d4e-5f6a7b8c9d0e"]]'],
    ['[["x"]]', 'value[0][0]: must be a UUID'],
  ]);
  expectReadings(
    'type: array, items: { type: object, properties: { n: { type: string, minLength: 2 } } }',
    [['[{"n":"ab"},{"n":"a"}]', 'value[1].n: must have at least 2 characters']],
  );
});
