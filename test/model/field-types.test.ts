import { describe, expect, test } from 'vitest';
import { fieldTypes, typeOf } from '../../src/model/field-types/registry.ts';
import { operatorsOf } from '../../src/model/operators.ts';
import { expectReadings, expectTexts, fieldWith, modelOf, resources } from './model.ts';

describe('null', () => {
  expectReadings('type: string', [['null', 'null']]);
  expectReadings('type: string, nullable: false', [['null', 'type: must not be null']]);
  expectReadings('type: string, required: true', [['null', 'type: must not be null']]);
  expectReadings('type: string, required: true, nullable: true', [['null', 'null']]);
});

describe('integer', () => {
  const tooLarge = 'value: must be between -9007199254740991 and 9007199254740991';
  const notWhole = 'value: must be a whole number';
  const noNumber = 'type: must be a number';
  expectReadings('type: integer', [
    ['0', '0'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['1.0', '1'],
    ['1e2', '100'],
    ['120e-1', '12'],
    ['9007199254740991', '9007199254740991'],
    ['-9007199254740991', '-9007199254740991'],
    ['9007199254740991.0', '9007199254740991'],
    ['9007199254740992', tooLarge],
    ['9007199254740993', tooLarge],
    ['-9007199254740993', tooLarge],
    ['1e16', tooLarge],
    ['1e999', tooLarge],
    ['-1e9999', tooLarge],
    ['1.5', notWhole],
    ['1e-1', notWhole],
    ['1e-999', notWhole],
    ['1e-9999', notWhole],
    ['1.00000000000000000001', notWhole],
    [`0.${'0'.repeat(500)}1`, notWhole],
    ['"1"', noNumber],
    ['true', noNumber],
    ['[1]', noNumber],
    ['{}', noNumber],
  ]);
  expectTexts(
    'type: integer',
    { 0: 0, '-0': 0, '-12': -12, '007': 7, 9007199254740991: 2 ** 53 - 1 },
    ['', '1.0', '1e3', '+1', ' 1', '0x10', '9007199254740992', 'NaN', '--1', '1,2'],
  );
});

describe('integer with format: bigint', () => {
  const outside = 'value: must be a whole number from -9223372036854775808 to 9223372036854775807';
  const noNumber = 'type: must be a whole number in a string, such as "42", or a number';
  expectReadings('type: integer, format: bigint', [
    ['"0"', '"0"'],
    ['"-0"', '"0"'],
    ['"007"', '"7"'],
    ['7', '"7"'],
    ['-0', '"0"'],
    ['1.0', '"1"'],
    ['1e2', '"100"'],
    ['9007199254740993', '"9007199254740993"'],
    ['"9007199254740993"', '"9007199254740993"'],
    ['9223372036854775807', '"9223372036854775807"'],
    ['-9223372036854775808', '"-9223372036854775808"'],
    ['"-9223372036854775808"', '"-9223372036854775808"'],
    ['9223372036854775808', outside],
    ['"9223372036854775808"', outside],
    ['"-9223372036854775809"', outside],
    ['1e999', outside],
    ['1e9999', outside],
    ['1.5', 'value: must be a whole number'],
    ['9007199254740993.5', 'value: must be a whole number'],
    ['"1.5"', outside],
    ['"1e3"', outside],
    ['""', outside],
    ['" 1"', outside],
    ['true', noNumber],
    ['["1"]', noNumber],
  ]);
  expectReadings('type: integer, format: bigint, minimum: 5, multipleOf: 5', [
    ['"9223372036854775805"', '"9223372036854775805"'],
    ['"9223372036854775807"', 'value: must be a multiple of 5'],
    ['"-9223372036854775805"', 'value: must be at least 5'],
  ]);
  expectReadings('type: integer, format: bigint, enum: [1, 20]', [
    ['"20"', '"20"'],
    ['1', '"1"'],
    ['2', 'value: must be one of 1, 20'],
  ]);
  expectTexts(
    'type: integer, format: bigint',
    { 0: '0', '-0': '0', '007': '7', '9223372036854775807': '9223372036854775807' },
    ['', '1.0', '1e3', '+1', ' 1', '0x10', '9223372036854775808', 'NaN', '--1', '1,2'],
  );
});

describe('number', () => {
  expectReadings('type: number', [
    ['0.1', '0.1'],
    ['-0', '0'],
    ['-0.0e5', '0'],
    ['1e300', '1e+300'],
    ['5e-324', '5e-324'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.1000000000000000055511151231257827', '0.1'],
    ['9007199254740993', '9007199254740992'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['1e309', 'value: is too large for a number'],
    ['-1e999', 'value: is too large for a number'],
    ['"0.1"', 'type: must be a number'],
    ['false', 'type: must be a number'],
  ]);
  expectTexts(
    'type: number',
    { 0.1: 0.1, '-0': 0, '-0.0': 0, '007.50': 7.5, '9007199254740993': 2 ** 53 },
    ['', '.5', '5.', '1e3', '+1', 'NaN', 'Infinity', '0x1', ' 1', '1_000', '9'.repeat(400)],
  );
});

describe('decimal', () => {
  const noDecimal = 'value: must be a plain decimal number such as "19.90"';
  expectReadings('type: decimal', [
    ['"19.90"', '"19.90"'],
    ['"19.9"', '"19.90"'],
    ['19.9', '"19.90"'],
    ['20', '"20.00"'],
    ['"007"', '"7.00"'],
    ['"-0.00"', '"0.00"'],
    ['-0', '"0.00"'],
    ['"-0.05"', '"-0.05"'],
    ['"1.50000"', '"1.50"'],
    ['1.5e1', '"15.00"'],
    ['150e-2', '"1.50"'],
    ['1e15', '"1000000000000000.00"'],
    ['"9999999999999999.99"', '"9999999999999999.99"'],
    ['9999999999999999.99', '"9999999999999999.99"'],
    ['-9999999999999999.99', '"-9999999999999999.99"'],
    ['"10000000000000000"', 'value: must be between -9999999999999999.99 and 9999999999999999.99'],
    ['1e999', 'value: must be between -9999999999999999.99 and 9999999999999999.99'],
    ['"1.234"', 'value: must have at most 2 decimal places'],
    ['1.999', 'value: must have at most 2 decimal places'],
    ['1e-3', 'value: must have at most 2 decimal places'],
    ['0.30000000000000004', 'value: must have at most 2 decimal places'],
    ['1e9999', noDecimal],
    ['"abc"', noDecimal],
    ['"1e3"', noDecimal],
    ['""', noDecimal],
    ['"+1"', noDecimal],
    ['".5"', noDecimal],
    ['"1."', noDecimal],
    ['" 1"', noDecimal],
    ['"1\\n"', noDecimal],
    ['"1,5"', noDecimal],
    ['true', 'type: must be a decimal in a string, such as "19.90", or a number'],
    ['["1"]', 'type: must be a decimal in a string, such as "19.90", or a number'],
  ]);
  expectReadings('type: decimal, scale: 0', [
    ['"19"', '"19"'],
    ['999999999999999999', '"999999999999999999"'],
    ['"999999999999999999"', '"999999999999999999"'],
    ['"19.0"', '"19"'],
    ['1000000000000000000', 'value: must be between -999999999999999999 and 999999999999999999'],
    ['"19.5"', 'value: must be a whole number'],
  ]);
  expectReadings('type: decimal, scale: 1', [['1.55', 'value: must have at most 1 decimal place']]);
  expectReadings('type: decimal, precision: 4, scale: 4', [
    ['"0.9999"', '"0.9999"'],
    ['-0.0001', '"-0.0001"'],
    ['1', 'value: must be between -0.9999 and 0.9999'],
  ]);
  // Decimals of any scale can be compared; those of the field's stand as on the wire.
  expectTexts(
    'type: decimal',
    { '19.9': '19.90', '19.900': '19.90', '-0': '0.00', '1.999': '1.999', '007': '7.00' },
    ['', '1e3', '+1', '.5', '1.', ' 1', 'x', 'NaN'],
  );
});

describe('boolean', () => {
  expectReadings('type: boolean', [
    ['true', 'true'],
    ['false', 'false'],
    ['0', 'type: must be true or false'],
    ['"true"', 'type: must be true or false'],
  ]);
  expectTexts('type: boolean', { true: true, false: false }, ['', 'True', '1', '0', 'yes']);
});

describe('date and time', () => {
  const noDate = 'value: must be a date such as 2026-03-01';
  expectReadings('type: date', [
    ['"2026-03-01"', '"2026-03-01"'],
    ['"2024-02-29"', '"2024-02-29"'],
    ['"2000-02-29"', '"2000-02-29"'],
    ['"0001-01-01"', '"0001-01-01"'],
    ['"9999-12-31"', '"9999-12-31"'],
    ['"2026-02-29"', noDate],
    ['"1900-02-29"', noDate],
    ['"2026-04-31"', noDate],
    ['"2026-13-01"', noDate],
    ['"2026-00-10"', noDate],
    ['"2026-01-00"', noDate],
    ['"0000-01-01"', noDate],
    ['"10000-01-01"', noDate],
    ['"2026-3-1"', noDate],
    ['"2026-03-01T00:00:00Z"', noDate],
    ['"2026-03-01\\n"', noDate],
    ['20260301', 'type: must be a date in a string'],
  ]);
  const noTime = 'value: must be a time such as 14:05:00';
  expectReadings('type: time', [
    ['"00:00:00"', '"00:00:00"'],
    ['"23:59:59"', '"23:59:59"'],
    ['"24:00:00"', noTime],
    ['"12:60:00"', noTime],
    ['"12:00:60"', noTime],
    ['"14:05"', noTime],
    ['"14:05:00.5"', noTime],
    ['"14:05:00Z"', noTime],
    ['14', 'type: must be a time in a string'],
  ]);
  expectTexts('type: date', { '2026-03-01': '2026-03-01' }, ['2026-02-30', '2026-03', '']);
  expectTexts('type: time', { '14:05:00': '14:05:00' }, ['14:05', '25:00:00']);
});

describe('datetime', () => {
  const wrong =
    'value: must be an RFC 3339 date and time with an offset, no finer than ms, such as 2026-03-01T14:05:00.000Z';
  expectReadings('type: datetime', [
    ['"2026-03-01T14:05:00Z"', '"2026-03-01T14:05:00.000Z"'],
    ['"2026-03-01t14:05:00z"', '"2026-03-01T14:05:00.000Z"'],
    ['"2026-03-01T14:05:00.1Z"', '"2026-03-01T14:05:00.100Z"'],
    ['"2026-03-01T14:05:00.123000Z"', '"2026-03-01T14:05:00.123Z"'],
    ['"2026-03-01T14:05:00+02:00"', '"2026-03-01T12:05:00.000Z"'],
    ['"2026-03-01T00:05:00.5+05:30"', '"2026-02-28T18:35:00.500Z"'],
    ['"2023-12-31T23:00:00-23:59"', '"2024-01-01T22:59:00.000Z"'],
    ['"2026-03-01T14:05:00-00:00"', '"2026-03-01T14:05:00.000Z"'],
    ['"0001-01-01T00:00:00Z"', '"0001-01-01T00:00:00.000Z"'],
    ['"0001-01-01T00:00:00-01:00"', '"0001-01-01T01:00:00.000Z"'],
    ['"0099-06-01T00:00:00Z"', '"0099-06-01T00:00:00.000Z"'],
    ['"9999-12-31T23:59:59.999Z"', '"9999-12-31T23:59:59.999Z"'],
    ['"0001-01-01T00:00:00+00:01"', wrong],
    ['"9999-12-31T23:59:59-00:01"', wrong],
    ['"0000-12-31T23:59:59-01:00"', wrong],
    ['"2026-03-01T14:05:00.1234Z"', wrong],
    ['"2026-03-01T14:05:00"', wrong],
    ['"2026-03-01"', wrong],
    ['"2026-03-01 14:05:00Z"', wrong],
    ['"2026-03-01T14:05Z"', wrong],
    ['"2026-02-29T00:00:00Z"', wrong],
    ['"2026-03-01T24:00:00Z"', wrong],
    ['"2026-03-01T14:60:00Z"', wrong],
    ['"2026-03-01T14:05:60Z"', wrong],
    ['"2026-03-01T14:05:00.Z"', wrong],
    ['"2026-03-01T14:05:00+24:00"', wrong],
    ['"2026-03-01T14:05:00+02"', wrong],
    ['1772373900', 'type: must be a date and time in a string'],
  ]);
  expectTexts(
    'type: datetime',
    {
      '2026-03-01': '2026-03-01T00:00:00.000Z',
      '2026-03-01T14:05:00+02:00': '2026-03-01T12:05:00.000Z',
      '0001-01-01': '0001-01-01T00:00:00.000Z',
    },
    ['2026-02-30', '2026-03-01T14:05:00', '2026-03-01T14:05:00.1234Z', '2026-03-01T14:05:00 02:00'],
  );
});

describe('what a type is', () => {
  test.each(Object.entries(fieldTypes))('%s has the forms that it is stored in', (name, type) => {
    expect(type.name).toBe(name);
    expect(Object.keys(type.forms)).toContain(type.sqlite.form);
  });

  // They may be keys to each other, and migrations convert between them by the kind alone.
  test('types of one kind are stored and answered alike', () => {
    const ids = [undefined, 'uuid', 'string'].map((format) =>
      typeOf({ type: 'id', ...(format === undefined ? {} : { format }) }, fieldTypes),
    );
    const forms = new Map<string, Set<string>>();
    for (const { kind, json, sqlite, postgres } of [...Object.values(fieldTypes), ...ids]) {
      const seen = forms.get(kind) ?? new Set<string>();
      forms.set(kind, seen.add(`${json}, ${sqlite.form}, ${postgres.form}`));
    }
    expect([...forms].filter(([, seen]) => seen.size > 1)).toEqual([]);
  });

  const equality = ['eq', 'neq', 'in', 'nin'];
  const order = ['gt', 'gte', 'lt', 'lte'];
  const presence = ['exists', 'null'];
  const ordered = [...equality, ...order, ...presence];
  const parts = ['like', 'ilike', 'nlike', 'nilike', 'startsWith', 'endsWith', 'ieq'];
  test.each([
    ['string', [...ordered, ...parts]],
    ['text', [...ordered, ...parts]],
    ['email', [...ordered, ...parts]],
    ['url', [...ordered, ...parts]],
    ['integer', ordered],
    ['number', ordered],
    ['decimal', ordered],
    ['date', ordered],
    ['time', ordered],
    ['datetime', ordered],
    ['uuid', ordered],
    ['id', ordered],
    ['boolean', [...equality, ...presence]],
    ['enum', [...equality, ...presence]],
    ['array', ['contains', 'containsAll', 'containsAny', ...presence]],
    ['object', presence],
    ['json', presence],
  ] as const)('%s takes its operators', (name, operators) => {
    expect([...operatorsOf(fieldTypes[name].comparison)].sort()).toEqual([...operators].sort());
  });

  test('every type but json and object can be sorted by', () => {
    const names = Object.values(fieldTypes).filter(({ sortable }) => !sortable);
    expect(names.map(({ name }) => name)).toEqual(['object', 'json']);
  });

  test.each([
    ['string', 'text without a NUL character'],
    ['integer', 'a whole number'],
    ['number', 'a plain decimal number'],
    ['decimal', 'a plain decimal number such as 19.90'],
    ['boolean', 'true or false'],
    ['date', 'a date such as 2026-03-01'],
    ['time', 'a time such as 14:05:00'],
    ['datetime', 'a date and time such as 2026-03-01T14:05:00.000Z, or a date'],
    ['uuid', 'a UUID'],
    ['enum, values: [a, b]', 'one of a, b'],
    ['array, items: { type: boolean }', 'true or false'],
  ])('of %s a filter takes %s', (type, words) => {
    const field = fieldWith(`type: ${type}`);
    expect(field.type.expects(field)).toBe(words);
  });

  test('a type of the file has a type of the model', () => {
    const names = Object.keys(fieldTypes).filter((name) => name !== 'id' && name !== 'enum');
    const fields = names.map((name) => `f_${name}: { type: ${name} }`).join(', ');
    const { api, errors } = modelOf(resources({ r: fields }));
    expect(errors).toEqual([]);
    for (const name of names)
      expect(api?.resources.get('r')?.fields.get(`f_${name}`)?.type.name).toBe(name);
  });
});
