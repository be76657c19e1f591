import { describe, expect, test } from 'vitest';
import { isGenerated } from '../../src/model/field-types/id.ts';
import {
  expectReadings,
  expectTexts,
  fieldIn,
  fieldWith,
  readJsonText,
  resources,
  validModel,
} from './model.ts';

describe('string', () => {
  const noString = 'type: must be a string';
  expectReadings('type: string', [
    ['"a"', '"a"'],
    ['""', '""'],
    ['"😀"', '"😀"'],
    ['"\\ud83d\\ude00"', '"😀"'],
    ['"a\\u0000"', 'value: must not hold a NUL character'],
    ['"\\ud83d"', 'value: must not hold half of a surrogate pair'],
    ['"\\ude00\\ud83d"', 'value: must not hold half of a surrogate pair'],
    ['1', noString],
    ['1e5', noString],
    ['true', noString],
    ['["a"]', noString],
    ['{}', noString],
  ]);
  expectReadings('type: text', [
    ['"a\\nb"', '"a\\nb"'],
    ['1', noString],
  ]);
  expectTexts('type: string', { a: 'a', '': '', ' a ': ' a ' }, ['a\0', '\ud800']);
});

describe('formats', () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    [
      'email',
      ['a@b', 'a.b+c@example.org', 'jürgen@bücher.example', '用户@例え.jp', `${'a'.repeat(64)}@b`],
      [
        'a',
        '@b',
        'a@',
        'a b@c',
        'a@b c',
        'a@-b',
        'a@b..c',
        'a@b@c',
        `${'a'.repeat(65)}@b`,
        'a@b\n',
      ],
    ],
    [
      'url',
      ['https://example.com', 'http://a/b?c=d#e', 'ftp://x', 'https://bücher.example/ä'],
      [
        'example.com',
        '/a',
        'javascript:alert(1)',
        'http://',
        'http:///a',
        'http://a b',
        'mailto:a@b',
      ],
    ],
    ['slug', ['a', 'a-1', '2026'], ['A', 'a--b', '-a', 'a-', 'a_b', '', 'ä']],
    [
      'hostname',
      ['a', 'example.com', 'xn--bcher-kva.example', 'A-1.b'],
      ['-a', 'a-', 'a..b', 'a_b', '', 'a.', 'a'.repeat(64), `${'a.'.repeat(127)}a`],
    ],
    [
      'ipv4',
      ['1.2.3.4', '255.255.255.255'],
      ['1.2.3', '1.2.3.256', '01.2.3.4', '::1', '1.2.3.4/8'],
    ],
    [
      'ipv6',
      ['::1', '2001:db8::1', '::ffff:1.2.3.4'],
      ['1.2.3.4', ':::', '2001:db8::g', '[::1]', 'fe80::1%eth0'],
    ],
  ];
  const types = new Set(['email', 'url']);
  for (const [format, good, bad] of rows) {
    const fields = [
      fieldWith(`type: string, format: ${format}`),
      ...(types.has(format) ? [fieldWith(`type: ${format}`)] : []),
    ];
    test.each(good)(`${format} %s`, (text) => {
      for (const field of fields)
        expect(readJsonText(field, JSON.stringify(text))).toBe(JSON.stringify(text));
    });
    test.each(bad)(`no ${format} %j`, (text) => {
      for (const field of fields)
        expect(readJsonText(field, JSON.stringify(text))).toMatch(/^value: must be an? /u);
    });
  }

  test('a filter may ask for any text', () => {
    const field = fieldWith('type: email');
    expect(field.type.parse('@example', field)).toBe('@example');
  });
});

describe('uuid and id', () => {
  const text = '0198C5F0-7E2A-7B3C-8D4E-5F6A7B8C9D0E';
  const lower = JSON.stringify(text.toLowerCase());
  for (const attributes of ['type: uuid', 'type: string, format: uuid']) {
    expectReadings(attributes, [
      [JSON.stringify(text), lower],
      [lower, lower],
      ['"0198c5f07e2a7b3c8d4e5f6a7b8c9d0e"', 'value: must be a UUID'],
      ['"{0198c5f0-7e2a-7b3c-8d4e-5f6a7b8c9d0e}"', 'value: must be a UUID'],
      ['""', 'value: must be a UUID'],
      ['1', 'type: must be a UUID in a string'],
    ]);
    expectTexts(attributes, { [text]: text.toLowerCase() }, ['', 'x', text.slice(1)]);
  }
  expectReadings(`type: string, format: uuid, enum: [${text}]`, [
    [JSON.stringify(text), lower],
    [lower, lower],
    ['"0198c5f0-0000-7000-8000-000000000000"', `value: must be one of ${text.toLowerCase()}`],
  ]);

  const idOf = (id: string) => fieldIn(validModel(resources({ r: id })), 'r.id');
  test.each([
    ['', '1', '1'],
    ['', '"1"', 'type: must be a number'],
    ['id: { type: id, format: uuid }', JSON.stringify(text), lower],
    ['id: { type: id, format: uuid }', '"x"', 'value: must be a UUID'],
    ['id: { type: id, format: string }', '"AB-1"', '"AB-1"'],
    ['id: { type: id, format: string }', '"a"', '"a"'],
    ['id: { type: id, format: string }', '""', 'value: must have 1 to 255 characters'],
    ['id: { type: id, format: string }', `"${'😀'.repeat(255)}"`, `"${'😀'.repeat(255)}"`],
    [
      'id: { type: id, format: string }',
      `"${'a'.repeat(256)}"`,
      'value: must have 1 to 255 characters',
    ],
    ['id: { type: id, format: string }', '1', 'type: must be a string'],
    ['', 'null', 'type: must not be null'],
  ])('the id %j reads %s', (id, json, result) => {
    expect(readJsonText(idOf(id), json)).toBe(result);
  });

  test.each([
    ['', '7', 7],
    ['', 'x', undefined],
    ['id: { type: id, format: uuid }', text, text.toLowerCase()],
    ['id: { type: id, format: string }', '7', '7'],
  ])('the id %j is found by the text %s', (id, source, value) => {
    const field = idOf(id);
    expect(field.type.parse(source, field)).toBe(value);
  });
});

test.each([
  ['', true],
  ['id: { type: id, format: uuid }', false],
  ['id: { type: id, format: string }', false],
])('the id %j is drawn by the database: %s', (id, expected) => {
  const api = validModel(resources({ r: `${id}${id && ', '}x: { type: integer }` }));
  expect(isGenerated(fieldIn(api, 'r.id'))).toBe(expected);
  expect(isGenerated(fieldIn(api, 'r.x'))).toBe(false);
});

describe('enum', () => {
  const allowed = 'value: must be one of a, b';
  for (const attributes of [
    'type: enum, values: [a, b]',
    'type: enum, enum: [a, b]',
    'type: string, enum: [a, b]',
  ])
    expectReadings(attributes, [
      ['"a"', '"a"'],
      ['"A"', allowed],
      ['""', allowed],
      ['1', 'type: must be a string'],
    ]);
  expectReadings('type: enum, values: [a, "a, b", ""]', [
    ['"a, b"', '"a, b"'],
    ['"b"', 'value: must be one of "a", "a, b", ""'],
  ]);
  expectReadings('type: integer, enum: [1, 2]', [
    ['2', '2'],
    ['2.0', '2'],
    ['3', 'value: must be one of 1, 2'],
  ]);
  expectReadings('type: number, enum: [0, 0.5]', [
    ['-0', '0'],
    ['5e-1', '0.5'],
    ['1', 'value: must be one of 0, 0.5'],
  ]);
  expectTexts('type: enum, values: [a, b]', { a: 'a' }, ['c', 'A', '']);
});
