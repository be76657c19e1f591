import type { Column, Kind, Value } from '../support/oracle.ts';

/** Every scalar type, nulls allowed, and names that look like parameters and operators. */
export const specification = `
resources:
  rows:
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      prose: { type: text }
      mail: { type: email }
      site: { type: url }
      whole: { type: integer }
      real: { type: number }
      price: { type: decimal, precision: 10, scale: 2 }
      large: { type: decimal, precision: 18, scale: 4 }
      flag: { type: boolean }
      day: { type: date }
      clock: { type: time }
      moment: { type: datetime }
      token: { type: uuid }
      kind: { type: enum, values: [draft, live, "old one"] }
      size: { type: string, enum: [s, m, l] }
      words: { type: array, items: { type: string } }
      numbers: { type: array, nullable: false, required: true, items: { type: integer } }
      prices: { type: array, items: { type: decimal, scale: 2 } }
      price_gt: { type: decimal }
      logged: { type: string }
      logged_in: { type: string }
      limit: { type: integer }
      limit_eq: { type: integer }
      sort: { type: string }
`;

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

/** A field with values to store in it and values to ask it for. */
export interface Field extends Column {
  /** What is stored, in the form in which it comes back. */
  readonly stored: readonly Value[];
  /** What a filter may ask for, as written by a client. */
  readonly asked: readonly string[];
  readonly operators: 'equality' | 'ordered' | 'textual' | 'array';
}

function field(
  kind: Kind,
  operators: Field['operators'],
  stored: readonly Value[],
  asked: readonly string[],
): Field {
  return { kind, operators, stored, asked, isArray: operators === 'array' };
}

const text = field('string', 'textual', strings, [...strings, 'zz', 'a%', 'B']);
const whole = field(
  'number',
  'ordered',
  [0, 1, -1, 2, 10, 9, 9007199254740991, -9007199254740991],
  ['0', '-0', '1', '01', '-1', '2', '3', '9', '10', '9007199254740991', '-9007199254740991'],
);
const price = field(
  'decimal',
  'ordered',
  ['0.00', '0.01', '-0.01', '9.90', '10.00', '99999999.99', '-99999999.99'],
  [
    '0',
    '-0.00',
    '0.01',
    '0.010',
    '0.005',
    '-0.005',
    '9.9',
    '9.90',
    '9.901',
    '10',
    '10.0000000001',
    '99999999.99',
    '99999999.991',
    '-99999999.995',
    '1'.repeat(60),
  ],
);

export const fields: Readonly<Record<string, Field>> = {
  id: field('uuid', 'ordered', [], uuids),
  name: text,
  prose: text,
  mail: field(
    'string',
    'textual',
    ['a@b.example', 'A@b.example', 'z@b.example'],
    ['a@b.example', '@B', 'z', 'A'],
  ),
  site: field(
    'string',
    'textual',
    ['https://a.example/', 'https://a.example/?q=1&r=%20#x'],
    ['https://a.example/', '?q', '%20', 'HTTPS', '#x'],
  ),
  whole,
  real: field(
    'number',
    'ordered',
    [
      0, 0.1, 0.2, 0.30000000000000004, -1.5, 1e21, 5e-324, 85240860012317540,
      1.7976931348623157e308,
    ],
    [
      '0',
      '0.1',
      '0.10',
      '0.3',
      '0.30000000000000004',
      '-1.5',
      '1000000000000000000000',
      '85240860012317540',
      '85240860012317536',
      '2',
    ],
  ),
  price,
  large: field(
    'decimal',
    'ordered',
    ['12345678901234.5678', '12345678901234.5679', '-0.0001', '0.0000', '99999999999999.9999'],
    [
      '12345678901234.5678',
      '12345678901234.56785',
      '12345678901234.56790',
      '-0.00005',
      '0',
      '99999999999999.9999',
      '100000000000000',
    ],
  ),
  flag: field('boolean', 'equality', [true, false], ['true', 'false']),
  day: field(
    'string',
    'ordered',
    ['2024-02-29', '2024-03-01', '0001-01-01', '9999-12-31'],
    ['2024-02-29', '2024-03-01', '2024-02-28', '0001-01-01', '9999-12-31'],
  ),
  clock: field(
    'string',
    'ordered',
    ['00:00:00', '09:30:00', '23:59:59'],
    ['00:00:00', '09:30:00', '09:30:01', '23:59:59'],
  ),
  moment: field(
    'datetime',
    'ordered',
    [
      '2024-02-29T00:00:00.000Z',
      '2024-02-29T12:00:00.001Z',
      '2024-02-28T23:59:59.999Z',
      '0001-01-01T00:00:00.000Z',
    ],
    [
      '2024-02-29',
      '2024-02-29T00:00:00Z',
      '2024-02-29t12:00:00.001z',
      '2024-02-29T14:00:00.001+02:00',
      '2024-02-28T22:59:59.999-01:00',
      '0001-01-01',
    ],
  ),
  token: field('uuid', 'ordered', uuids, [
    ...uuids,
    ...uuids.map((uuid) => uuid.toUpperCase()),
    '00000000-0000-0000-0000-000000000000',
  ]),
  kind: field('string', 'equality', ['draft', 'live', 'old one'], ['draft', 'live', 'old one']),
  size: field('string', 'textual', ['s', 'm', 'l'], ['s', 'm', 'l']),
  words: field('string', 'array', strings, strings),
  numbers: field('number', 'array', [0, 1, 2, -1, 10], ['0', '1', '2', '-1', '10', '3']),
  prices: field(
    'decimal',
    'array',
    ['0.00', '9.90', '10.00', '-5.00'],
    ['0', '9.9', '10.000', '-5', '9.905'],
  ),
  price_gt: price,
  logged: text,
  logged_in: text,
  limit: whole,
  limit_eq: whole,
  sort: text,
};
