/** Lines of NDJSON; a string is a line as it is. */
export const lines = (...records: readonly unknown[]): string =>
  records
    .map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`)
    .join('');

/** A record of the resource `things` that has all it needs. */
export const thing = (id: number, more: object = {}): object => ({
  id,
  name: 'x',
  must: null,
  ...more,
});

/** What stands in a file of things → what is said of it. */
export const badRecords: readonly (readonly [name: string, text: string, ...problems: string[]])[] =
  [
    ['no JSON', 'hello', "the record is not valid JSON: unexpected token 'h'"],
    [
      'an open end',
      '{"id":1',
      "the record is not valid JSON: expected ',' or '}' after property value",
    ],
    ['nothing after a colon', '{"id":', 'the record is not valid JSON: it ends too early'],
    ['a list', '[]', 'the record is not a JSON object'],
    ['a number', '7', 'the record is not a JSON object'],
    ['a large number', '1e400', 'the record is not a JSON object'],
    ['null', 'null', 'the record is not a JSON object'],
    [
      'an unknown field',
      JSON.stringify(thing(1, { nam: 1 })),
      'there is no field nam; did you mean name?',
    ],
    [
      'a name of the language',
      '{"id":1,"name":"x","must":null,"__proto__":{}}',
      'there is no field __proto__',
    ],
    [
      'a member twice',
      '{"id":1,"name":"x","must":null,"name":"y"}',
      'the record has the member "name" twice in one object',
    ],
    ['a missing field', '{"id":1,"must":null}', 'name is required'],
    ['a missing field that may be null', '{"id":1,"name":"x"}', 'must is required'],
    ['null where it may not be', JSON.stringify(thing(1, { name: null })), 'name must not be null'],
    ['a wrong type', JSON.stringify(thing(1, { name: 5 })), 'name must be a string'],
    ['a wrong value', JSON.stringify(thing(1, { kind: 'c' })), 'kind must be one of a, b'],
    [
      'too long',
      JSON.stringify(thing(1, { name: 'x'.repeat(11) })),
      'name must have at most 10 characters',
    ],
    [
      'all at once',
      '{"id":"1","name":1,"kind":"c"}',
      'id must be a number',
      'name must be a string',
      'kind must be one of a, b',
      'must is required',
    ],
    ['an item', JSON.stringify(thing(1, { tags: ['a', 1] })), 'tags[1] must be a string'],
    ['a fraction', '{"id":1.5,"name":"x","must":null}', 'id must be a whole number'],
    [
      'a fraction that a double loses',
      '{"id":1.00000000000000001,"name":"x","must":null}',
      'id must be a whole number',
    ],
    [
      'an integer that a double loses',
      '{"id":9007199254740993,"name":"x","must":null}',
      'id must be between -9007199254740991 and 9007199254740991',
    ],
    [
      'a decimal with too many places',
      '{"id":1,"name":"x","must":null,"size":0.125}',
      'size must have at most 2 decimal places',
    ],
    [
      'a day that is none',
      JSON.stringify(thing(1, { on: '2026-02-30' })),
      'on must be a date such as 2026-03-01',
    ],
    ['NUL', JSON.stringify(thing(1, { name: '\0' })), 'name must not hold a NUL character'],
    [
      'half a surrogate pair',
      String.raw`{"id":1,"name":"\ud800","must":null}`,
      'name must not hold half of a surrogate pair',
    ],
    [
      'too deep',
      `{"id":1,"name":"x","must":null,"more":${'['.repeat(32)}${']'.repeat(32)}}`,
      'the record is nested deeper than 32 levels',
    ],
  ];

/** Bytes of a file → how many records they are, or what is said of them. */
export const badAndGoodFiles: readonly (readonly [
  name: string,
  file: string,
  content: string | Uint8Array,
  result: number | string,
])[] = [
  ['nothing', 'things.ndjson', '', 0],
  ['blank lines', 'things.ndjson', '\n \r\n\t\n', 0],
  ['no newline at the end', 'things.ndjson', JSON.stringify(thing(1)), 1],
  ['CRLF', 'things.ndjson', `${JSON.stringify(thing(1))}\r\n${JSON.stringify(thing(2))}\r\n`, 2],
  ['a byte order mark', 'things.ndjson', `\uFEFF${lines(thing(1), thing(2))}`, 2],
  ['the ending .jsonl', 'things.jsonl', lines(thing(1)), 1],
  ['the ending .NDJSON', 'things.NDJSON', lines(thing(1)), 1],
  ['letters of all kinds', 'things.ndjson', lines(thing(1, { name: 'é漢😀' })), 1],
  [
    'invalid UTF-8',
    'things.ndjson',
    Buffer.concat([Buffer.from(lines(thing(1))), Buffer.from([0x7b, 0xff, 0x7d, 0x0a])]),
    ':2 the record is not valid UTF-8',
  ],
  [
    'UTF-16',
    'things.ndjson',
    Buffer.from('\uFEFF{}', 'utf16le'),
    ':1 the record is not valid UTF-8',
  ],
  ['a list', 'things.json', JSON.stringify([thing(1), thing(2)], undefined, 2), 2],
  ['a list with a byte order mark', 'things.json', `\uFEFF${JSON.stringify([thing(1)])}`, 1],
  ['an empty list', 'things.json', ' [ ] \r\n', 0],
  [
    'strings with brackets',
    'things.json',
    JSON.stringify([thing(1, { name: '[{"\\,]}' }), thing(2, { name: '\\"' })]),
    2,
  ],
  ['an object of lists', 'all.json', JSON.stringify({ things: [thing(1)] }), 1],
  [
    'an object of lists with a schema before them',
    'all.json',
    JSON.stringify({ $schema: './a"\\b".json', things: [thing(1)] }),
    1,
  ],
  ['a schema alone', 'all.json', '{"$schema": "https://x.example"}', 0],
  ['a schema behind', 'all.json', '{"things": [], "$schema": "x" }', 0],
  [
    'a schema that is none',
    'all.json',
    '{"$schema": 1}',
    ':1 the file may hold lists of records only, and "$schema" is none',
  ],
  [
    'a text that is no schema',
    'all.json',
    '{"$schema": "x",\n"note": "x"}',
    ':2 the file may hold lists of records only, and "note" is none',
  ],
  [
    'something behind a schema',
    'all.json',
    '{"$schema": "x" "y"}',
    ':1 the file is not valid JSON: something stands where the name of a list should',
  ],
  ['its name is no matter', 'things.json', JSON.stringify({ things: [thing(1)] }), 1],
  ['an empty object', 'all.json', '{}', 0],
  [
    'an empty .json file',
    'things.json',
    '',
    ':1 the file is empty: it must hold a list of records',
  ],
  [
    'a .json file of blanks',
    'things.json',
    ' \n\n',
    ':3 the file is empty: it must hold a list of records',
  ],
  [
    'a value',
    'things.json',
    '"x"',
    ':1 the file must be a list of records, or an object of such lists',
  ],
  [
    'one record',
    'things.json',
    JSON.stringify(thing(1)),
    ':1 the file may hold lists of records only, and "id" is none',
  ],
  [
    'an open list',
    'things.json',
    `[${JSON.stringify(thing(1))}`,
    ':1 the file is not valid JSON: it ends before its list is closed',
  ],
  [
    'an open string',
    'things.json',
    '[{"id',
    ':1 the file is not valid JSON: it ends before its list is closed',
  ],
  [
    'an open object',
    'all.json',
    '{"things":[]',
    ':1 the file is not valid JSON: it ends before its list is closed',
  ],
  [
    'crossed brackets',
    'things.json',
    '[\n{"id":[1}]',
    ':2 the file is not valid JSON: the } here closes no {',
  ],
  [
    'something behind',
    'things.json',
    '[]\n]',
    ':2 the file is not valid JSON: something follows the end of the list',
  ],
  [
    'a comma too many',
    'things.json',
    `[${JSON.stringify(thing(1))},\n]`,
    ':2 a comma stands here without a record',
  ],
  [
    'two commas',
    'things.json',
    `[${JSON.stringify(thing(1))},\n,${JSON.stringify(thing(2))}]`,
    ':2 a comma stands here without a record',
  ],
  [
    'a comma too many outside',
    'all.json',
    '{"things":[],}',
    ':1 the file is not valid JSON: something stands where the name of a list should',
  ],
  [
    'no colon',
    'all.json',
    '{"things" []}',
    ':1 the file is not valid JSON: something stands where the name of a list should',
  ],
  [
    'a list without a name',
    'all.json',
    '{[]}',
    ':1 the file is not valid JSON: something stands where the name of a list should',
  ],
  [
    'an unknown list',
    'all.json',
    '{"things":[],\n"thongs":[]}',
    ':2 there is no resource thongs; did you mean things?',
  ],
  [
    'a list named after nothing',
    'thongs.json',
    '[]',
    ':1 there is no resource thongs; did you mean things?',
  ],
  [
    'no UTF-8 in a list',
    'things.json',
    Buffer.concat([Buffer.from('[\n'), Buffer.from([0x22, 0xff, 0x22, 0x5d])]),
    ':2 the record is not valid UTF-8',
  ],
];
