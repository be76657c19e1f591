import type { Definition, Shape, Value } from '../support/oracle-model.ts';
import { compare } from '../support/oracle-values.ts';

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
/** Decimals that filters ask for: of any scale, beside those that are stored, and beyond them. */
const decimals = [
  ['0', '-0.00', '0.01', '0.010', '0.005', '-0.005', '9.9', '9.90', '9.901', '10', '0.0001'],
  ['10.0000000001', '99999999.99', '99999999.991', '-99999999.995', '-0.00005', '1'.repeat(60)],
  ['99999999999999.9999', '100000000000000'],
].flat();

const integers: Pool = {
  stored: [0, 1, 2, 3, -1, 10, 9, 9007199254740991, -9007199254740991],
  asked: [
    ['0', '-0', '1', '1.0', '10e-1', '-1', '2', '3', '9', '10'],
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

/** Every decimal of this form that is at an edge, and some between. */
function decimalsOf(precision: number, scale: number): readonly Value[] {
  const most = 10n ** BigInt(precision) - 1n;
  const one = 10n ** BigInt(scale);
  return [0n, 1n, -1n, most, -most, one, 10n * one, (99n * one) / 10n, -5n * one]
    .filter((value) => value <= most && value >= -most)
    .map((value) => {
      const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
      const whole = digits.slice(0, digits.length - scale);
      const text = scale === 0 ? whole : `${whole}.${digits.slice(-scale)}`;
      return value < 0n ? `-${text}` : text;
    });
}

const formats: Readonly<Record<string, readonly string[]>> = {
  slug: ['a', 'a-b', 'x1', 'long-slug-2'],
  hostname: ['a.example', 'localhost', 'x-1.b.example'],
  ipv4: ['127.0.0.1', '0.0.0.0', '255.255.255.255', '10.0.0.9'],
  ipv6: ['::1', '::', '2001:db8::1', 'fe80::a:b'],
};

/** Values that fields of this shape hold, and values that filters ask them for. */
export function poolOf({ type, kind, values = [], definition }: Shape): Pool {
  if (type === 'id') return kind === 'uuid' ? uuid : kind === 'text' ? text : integers;
  if (type === 'enum') return { stored: values, asked: values };
  const { enum: some } = definition;
  // What takes certain values only is asked for no other.
  if (some !== undefined) return { stored: some, asked: some.map(String) };
  const { stored, asked } = ofType(type, definition);
  return {
    stored: stored.filter((value) => value !== null && isAllowed(definition, value)),
    asked,
  };
}

function ofType(type: string, { format, precision = 18, scale = 2 }: Definition): Pool {
  if (type === 'decimal') return { stored: decimalsOf(precision, scale), asked: decimals };
  const texts = formats[format ?? ''];
  return texts === undefined ? (pools[type] ?? text) : { stored: texts, asked: texts };
}

/** Whether a value that is not null keeps the rules of its field. */
function isAllowed(definition: Definition, value: Value): boolean {
  const { type, minLength = 0, maxLength = Infinity, pattern = '', multipleOf } = definition;
  if (typeof value === 'string' && type !== 'decimal') {
    const length = Array.from(value).length;
    return length >= minLength && length <= maxLength && new RegExp(pattern, 'u').test(value);
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = definition;
  const isWithin = (bound: number | string | undefined, holds: (sign: number) => boolean) =>
    bound === undefined ||
    holds(compare(type === 'decimal' ? 'decimal' : 'number', value, String(bound)));
  return (
    isWithin(minimum, (sign) => sign >= 0) &&
    isWithin(maximum, (sign) => sign <= 0) &&
    isWithin(exclusiveMinimum, (sign) => sign > 0) &&
    isWithin(exclusiveMaximum, (sign) => sign < 0) &&
    (multipleOf === undefined || Number(value) % Number(multipleOf) === 0)
  );
}
