import type { Shape, Value } from '../support/oracle-model.ts';

/** Values of each type: those that records have, in the form in which they come back, and those that filters ask for. */

const strings = [
  '',
  'a',
  'A',
  'b',
  'ab',
  'aB',
  ' a',
  'a ',
  'a,b',
  '"',
  'a"b',
  '\\',
  'a:b',
  '%',
  '_',
  '*',
  '?',
  '[a]',
  '^',
  '-',
  '.',
  '+',
  '&',
  '=',
  '#',
  'null',
  'true',
  '0',
  '10',
  '9',
  'é',
  'e\u0301',
  'É',
  'ß',
  'ẞ',
  'ss',
  'İ',
  'i',
  'I',
  'ı',
  'ſ',
  's',
  'S',
  'K',
  'k',
  '\u212A',
  'σ',
  'ς',
  'Σ',
  'Ꭰ',
  'ꭰ',
  '𐐀',
  '𐐨',
  '\uE000',
  '\uFFFD',
  '\uFFFF',
  '😀',
  '\u0390',
  '\u1FD3',
  'long '.repeat(20),
];
const uuids = [
  '0198c0de-0000-7000-8000-000000000001',
  '0198c0de-0000-7000-8000-00000000000a',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
];

interface Pool {
  readonly stored: readonly Value[];
  readonly asked: readonly string[];
}

const text: Pool = { stored: strings, asked: [...strings, 'zz', 'a%', 'B'] };
const decimals: Pool = {
  stored: ['0.00', '0.01', '-0.01', '9.90', '10.00', '99999999.99', '-99999999.99'],
  asked: [
    ['0', '-0.00', '0.01', '0.010', '0.005', '-0.005', '9.9', '9.90', '9.901', '10'],
    ['10.0000000001', '99999999.99', '99999999.991', '-99999999.995', '1'.repeat(60)],
  ].flat(),
};

const integers: Pool = {
  stored: [0, 1, 2, 3, -1, 10, 9, 9007199254740991, -9007199254740991],
  asked: [
    ['0', '-0', '1', '01', '-1', '2', '3', '9', '10'],
    ['9007199254740991', '-9007199254740991'],
  ].flat(),
};
const uuid: Pool = {
  stored: uuids,
  asked: [
    ...uuids,
    ...uuids.map((one) => one.toUpperCase()),
    '00000000-0000-0000-0000-000000000000',
  ],
};

/** Members that are not declared: of every type, and some texts that read like another. */
const found: readonly Value[] = [
  0,
  1,
  9,
  10,
  -1.5,
  0.1,
  1e-7,
  ...Array.from('aAb19é😀\uFFFD'),
  '',
  '10',
  '1.0',
  'true',
  true,
  false,
  null,
  [],
  [1, 'a'],
  {},
  { a: 1, é: 'x' },
];

const pools: Readonly<Record<string, Pool>> = {
  string: text,
  text,
  email: {
    stored: ['a@b.example', 'A@b.example', 'z@b.example'],
    asked: ['a@b.example', '@B', 'z', 'A'],
  },
  url: {
    stored: ['https://a.example/', 'https://a.example/?q=1&r=%20#x'],
    asked: ['https://a.example/', '?q', '%20', 'HTTPS', '#x'],
  },
  integer: integers,
  number: {
    stored: [
      [0, 0.1, 0.2, 0.30000000000000004, -1.5, 2, 1e21, 5e-324],
      [85240860012317540, 1.7976931348623157e308],
    ].flat(),
    asked: [
      ['0', '0.1', '0.10', '0.3', '0.30000000000000004', '-1.5', '2'],
      ['1000000000000000000000', '85240860012317540', '85240860012317536'],
    ].flat(),
  },
  decimal: decimals,
  boolean: { stored: [true, false], asked: ['true', 'false'] },
  date: {
    stored: ['2024-02-29', '2024-03-01', '0001-01-01', '9999-12-31'],
    asked: ['2024-02-29', '2024-03-01', '2024-02-28', '0001-01-01', '9999-12-31'],
  },
  time: {
    stored: ['00:00:00', '09:30:00', '23:59:59'],
    asked: ['00:00:00', '09:30:00', '09:30:01', '23:59:59'],
  },
  datetime: {
    stored: [
      '2024-02-29T00:00:00.000Z',
      '2024-02-29T12:00:00.001Z',
      '2024-02-28T23:59:59.999Z',
      '0001-01-01T00:00:00.000Z',
    ],
    asked: [
      '2024-02-29',
      '2024-02-29T00:00:00Z',
      '2024-02-29t12:00:00.001z',
      '2024-02-29T14:00:00.001+02:00',
      '2024-02-28T22:59:59.999-01:00',
      '0001-01-01',
    ],
  },
  uuid,
  json: {
    stored: found,
    asked: [
      ['0', '1', '1.0', '10', '9', '-1.5', '0.1', '0.0000001', '', 'a', 'A', 'b'],
      ['true', 'false', 'null', 'é', '😀', '\uFFFD', 'zz', '1e1', '0x1', '+1', ' 1'],
    ].flat(),
  },
};

/** A decimal of more digits than a double has. */
const large: Pool = {
  stored: [
    '12345678901234.5678',
    '12345678901234.5679',
    '-0.0001',
    '0.0000',
    '99999999999999.9999',
  ],
  asked: [
    ['12345678901234.5678', '12345678901234.56785', '12345678901234.56790', '-0.00005', '0'],
    ['99999999999999.9999', '100000000000000'],
  ].flat(),
};

/** The values of a field; its name decides where two fields of one type hold different ones. */
export function poolOf(name: string, { type, kind, values }: Shape): Pool {
  if (type === 'id') return kind === 'uuid' ? uuid : kind === 'text' ? text : integers;
  if (values !== undefined) return { stored: values, asked: values };
  if (name === 'large') return large;
  if (name === 'cost') return { stored: ['0.000', '9.900', '-5.125'], asked: decimals.asked };
  return pools[type] ?? text;
}
