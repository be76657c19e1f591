import { describe, expect, test } from 'vitest';
import { buildValid } from '../support/api.ts';
import { things, withLoader } from './import-loader.ts';

/** Content of a file → the records, as id and name; or what is said of it. */
const files: readonly (readonly [
  name: string,
  content: string | Uint8Array,
  result: readonly (readonly [number, string])[] | readonly string[],
])[] = [
  ['nothing', '', []],
  ['a header alone', 'id,name,must', []],
  [
    'LF',
    'id,name,must\n1,a,\n2,b,\n',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  [
    'CRLF, and no newline at the end',
    'id,name,must\r\n1,a,\r\n2,b,',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  ['a byte order mark', '\uFEFFid,name,must\n1,a,\n', [[1, 'a']]],
  ['a byte order mark before a quote', '\uFEFF"id",name,must\n1,a,\n', [[1, 'a']]],
  [
    'blank lines',
    '\n\r\nid,name,must\n\n1,a,\n\r\n2,b,\n\n',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  ['everything in quotes', '"id","name","must"\r\n"1","a","m"\r\n', [[1, 'a']]],
  [
    'quotes, commas and newlines in quotes',
    'id,name,must\n1,"a,""b""\r\n",\n2,"""",\n',
    [
      [1, 'a,"b"\r\n'],
      [2, '"'],
    ],
  ],
  ['an empty text', 'id,name,must\n1,"",\n', [[1, '']]],
  ['blanks are kept', 'id,name,must\n1, a ,\n', [[1, ' a ']]],
  ['letters of all kinds', 'id,name,must\n1,é漢😀,\n', [[1, 'é漢😀']]],
  ['columns in any order', 'must,name,id\n,a,1\n', [[1, 'a']]],
  [
    'no id',
    'name,must\na,\nb,\n',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  [
    'an empty id',
    'id,name,must\n7,a,\n,b,\n',
    [
      [7, 'a'],
      [8, 'b'],
    ],
  ],
  ['a name that is missing', 'id,name,must\n1,,\n', [':2 name is required']],
  ['an unknown field', 'id,nam,must\n1,a,\n', [':1 there is no field nam; did you mean name?']],
  ['a field without a name', 'id,name,must,\n1,a,,\n', [':1 the name of a field is missing']],
  ['columns without a name', 'id,name,must,,,\n', [':1 the name of a field is missing']],
  [
    'lines as they ended on the first Macs',
    'id,name,must\r1,a,\r2,b,\r',
    [':1 the lines must end with LF or CRLF, not with CR alone'],
  ],
  ['a field twice', 'id,name,must,name\n1,a,,b\n', [':1 the column name stands twice']],
  [
    'a required field that is no column',
    'id,name\n1,a\n',
    [':1 must is required, and is no column'],
  ],
  ['semicolons', 'id;name;must\n1;a;\n', [':1 the values must be separated by commas']],
  ['a header in no quotes that close', '"id,name\n1,a', [':1 a value in quotes is not closed']],
  ['too few values', 'id,name,must\n1,a\n', [':2 the record has 2 values, and the header 3 names']],
  [
    'too many values',
    'id,name,must\n1,a,,,\n',
    [':2 the record has 5 values, and the header 3 names'],
  ],
  [
    'a quote in a value',
    'id,name,must\n1,a"b,\n2,"a"b,\n',
    [
      ':2 a value with a quote in it must stand in quotes, with "" for each of its own',
      ':3 a comma must follow the quote that closes a value; a quote in it is written ""',
    ],
  ],
  [
    'lines are counted in quotes too',
    'id,name,must\n1,"a\n\nb",\nx,b,\n',
    [':5 id must be a number'],
  ],
  [
    'a quote that is not closed',
    'id,name,must\n1,a,\n2,"b,\n3,c,\n',
    [':3 a value in quotes is not closed'],
  ],
  [
    'no UTF-8',
    Buffer.concat([
      Buffer.from('id,name,must\n1,'),
      Buffer.from([0xff]),
      Buffer.from(',\n2,b,c,d'),
    ]),
    [':2 the record is not valid UTF-8', ':3 the record has 4 values, and the header 3 names'],
  ],
];

describe('files of CSV', () => {
  test.each(files.map(([name, content, result]) => ({ name, content, result })))(
    '$name',
    ({ content, result }) =>
      withLoader(things, async ({ load, rows }) => {
        const loaded = await load({ 'things.csv': content });
        if (Array.isArray(loaded))
          expect(loaded).toEqual(result.map((problem) => `things.csv${problem as string}`));
        else
          expect((rows('SELECT id, name FROM things') as object[]).map(Object.values)).toEqual(
            result,
          );
      }),
  );

  test('records on the edges of what is read at once', () =>
    withLoader(things, async ({ load, rows }) => {
      const more = JSON.stringify({ long: `"漢,\n`.repeat(50) }).replaceAll('"', '""');
      const text = Array.from({ length: 5_000 }, (_, index) => `${index + 1},é漢😀,,"${more}"\r\n`);
      const all = { 'things.csv': `id,name,must,more\r\n${text.join('')}` };
      await load(all);
      expect(
        rows(
          "SELECT count(*) AS n, sum(name = 'é漢😀') AS good, count(DISTINCT more) AS kinds FROM things",
        ),
      ).toEqual([{ n: 5_000, good: 5_000, kinds: 1 }]);
      expect(await load(all)).toEqual({ things: 0, skipped: 5_000 });
    }));

  test('every bad record is listed, up to 100', () =>
    withLoader(things, async ({ load }) => {
      const bad = (count: number): Promise<object> =>
        load({ 'things.csv': `name,must\n${'12345678901,\n'.repeat(count)}` });
      expect(await bad(150)).toHaveLength(100);
      expect(await bad(99)).toMatchObject({
        98: 'things.csv:100 name must have at most 10 characters',
      });
    }));
});

const typed = buildValid(`resources:
  typed:
    fields:
      string: { type: string }
      integer: { type: integer }
      number: { type: number }
      decimal: { type: decimal, precision: 18, scale: 6 }
      boolean: { type: boolean }
      date: { type: date }
      time: { type: time }
      datetime: { type: datetime }
      uuid: { type: uuid }
      enum: { type: enum, values: [a, b] }
      array: { type: array, items: { type: decimal } }
      object: { type: object, properties: { size: { type: integer }, free: { type: json } } }
      json: { type: json }
      counted: { type: integer, nullable: false, default: 3 }
`);

/** A field and the text of its cell → what is stored, or what is said of it. */
const values: readonly (readonly [field: string, text: string, result: unknown])[] = [
  ['string', '', null],
  ['string', '""', ''],
  ['string', 'null', 'null'],
  ['string', '007', '007'],
  ['integer', '', null],
  ['integer', '-9007199254740991', -9007199254740991],
  ['integer', '1e3', 1000],
  ['integer', '1.0', 1],
  ['integer', '-0', 0],
  ['integer', '9007199254740993', 'must be between -9007199254740991 and 9007199254740991'],
  ['integer', '1.5', 'must be a whole number'],
  ['integer', '1.00000000000000001', 'must be a whole number'],
  ['integer', '""', 'must be a number'],
  ['integer', '" 1"', 'must be a number'],
  ['number', '1e-7', 1e-7],
  ['number', '1E+21', 1e21],
  ['number', '5e-324', 5e-324],
  ['number', '0.1', 0.1],
  ['number', '1e999', 'is too large for a number'],
  ['number', '"1,5"', 'must be a number'],
  ['decimal', '123456789012.345678', 123456789012345678n],
  ['decimal', '-0.000001', -1n],
  ['decimal', '1e2', 100000000n],
  ['decimal', '0.0000001', 'must have at most 6 decimal places'],
  ['decimal', 'x', 'must be a plain decimal number such as "19.90"'],
  ['boolean', 'true', 1],
  ['boolean', 'yes', 'must be true or false'],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '29.2.2024', 'must be a date such as 2026-03-01'],
  ['time', '14:05:00', '14:05:00'],
  ['datetime', '2026-03-01T14:05:00.120+02:00', '2026-03-01T12:05:00.120Z'],
  ['datetime', '2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ['uuid', '7', 'must be a UUID'],
  ['enum', 'b', 'b'],
  ['enum', 'c', 'must be one of a, b'],
  ['array', '', null],
  ['array', '[]', '[]'],
  ['array', '"[1.5,""2""]"', '["1.50","2.00"]'],
  ['array', 'a', "is not valid JSON: unexpected token 'a'; a text is written as JSON too"],
  ['array', '{}', 'must be an array'],
  ['object', '"{""size"":1e2,""free"":[null]}"', '{"size":100,"free":[null]}'],
  ['object', '"{""size"":1.00000000000000001}"', '.size must be a whole number'],
  [
    'object',
    `"{""free"":${'['.repeat(29)}${']'.repeat(29)}}"`,
    `{"free":${'['.repeat(29)}${']'.repeat(29)}}`,
  ],
  [
    'object',
    `"{""free"":${'['.repeat(31)}${']'.repeat(31)}}"`,
    'is nested deeper than 32 levels; a text is written as JSON too',
  ],
  ['json', '"""5"""', '"5"'],
  ['json', '5', '5'],
  ['json', 'null', null],
  ['json', '""""""', '""'],
  ['json', '""', 'is not valid JSON: it ends too early; a text is written as JSON too'],
  ['counted', '', 3],
  ['counted', '0', 0],
];

describe('values of CSV', () => {
  test.each(values.map(([field, text, result]) => ({ field, text, result })))(
    '$field $text',
    ({ field, text, result }) =>
      withLoader(typed, async ({ load, rows }) => {
        const loaded = await load({ 'typed.csv': `id,${field}\n1,${text}\n` });
        if (Array.isArray(loaded)) {
          const [, path = '', message = ''] = /^(\.\S+ )?(.*)$/u.exec(String(result)) ?? [];
          expect(loaded).toEqual([`typed.csv:2 ${field}${path === '' ? ' ' : path}${message}`]);
        } else {
          const [row] = rows(
            `SELECT "${field}" AS value, CAST("${field}" AS TEXT) AS text FROM typed`,
          );
          expect(row).toMatchObject(
            typeof result === 'bigint' ? { text: String(result) } : { value: result },
          );
        }
      }),
  );

  test('keys that wait, and a second run', () => {
    const api = buildValid(`resources:
  people: { fields: { name: { type: string }, bossId: { type: integer, reference: people.id } } }
`);
    return withLoader(api, async ({ load, rows }) => {
      const all = { 'people.csv': 'id,name,bossId\n1,"A\nB",2\n2,,1\n3,"",\n' };
      expect(await load(all)).toEqual({ people: 3, skipped: 0 });
      expect(rows('SELECT * FROM people')).toEqual([
        { id: 1, name: 'A\nB', bossId: 2 },
        { id: 2, name: null, bossId: 1 },
        { id: 3, name: '', bossId: null },
      ]);
      expect(await load(all)).toEqual({ people: 0, skipped: 3 });
      expect(await load({ 'people.csv': 'id,name\n2,""\n' })).toEqual([
        'people.csv:2 id is taken: the record that has it differs in name',
      ]);
    });
  });
});
