/** A change of a specification with rows in the tables, and what comes of it on both databases. */
export interface MigrationCase {
  readonly name: string;
  /** The fields of `things`, a line each; or, where it starts with `resources:`, all of a file. */
  readonly before: string;
  /** Records of `things`, or by resource. */
  readonly rows: readonly object[] | Readonly<Record<string, readonly object[]>>;
  readonly after: string;
  /** `- 3 values` where that is lost, `! why` where it cannot be; a step behind `postgres:` is one there alone. */
  readonly steps: readonly string[];
  /** What `/v1/things?sort=id` gives afterwards, without the ids where they stay; absent: nothing has changed. */
  readonly answer?: readonly object[];
  readonly allowDataLoss?: true;
}

/** A column `a` from one type to another: its values, and what they become, with data loss allowed. */
export const conversions: readonly (readonly [
  from: string,
  to: string,
  values: readonly unknown[],
  become: readonly unknown[],
  lost: number,
])[] = [
  ['integer', 'string', [0, -7, 9007199254740991, null], ['0', '-7', '9007199254740991', null], 0],
  ['integer', 'number', [0, -7, null], [0, -7, null], 0],
  ['integer', 'decimal', [0, -7, 12, null], ['0.00', '-7.00', '12.00', null], 0],
  ['integer', 'decimal, precision: 4', [99, 100, -100], ['99.00', null, null], 2],
  ['integer', 'boolean', [0, 1, 2, null], [false, true, null, null], 1],
  ['integer', 'json', [7, null], [7, null], 0],
  ['integer', 'date', [7, null], [null, null], 1],
  ['number', 'integer', [1, 1.5, -2.5, 1e300, null], [1, 2, -3, null, null], 3],
  [
    'number',
    'string',
    [1, 1.5, 1e21, 1e-7, -0.25],
    ['1', '1.5', '1000000000000000000000', '0.0000001', '-0.25'],
    0,
  ],
  ['number', 'decimal', [1.5, 0.125, 1e300], ['1.50', '0.13', null], 2],
  ['number', 'json', [1.5, 1e-7], [1.5, 1e-7], 0],
  ['decimal', 'string', ['19.90', '-0.05', '0.00'], ['19.90', '-0.05', '0.00'], 0],
  ['decimal', 'integer', ['19.00', '19.50', '-19.50'], [19, 20, -20], 2],
  ['decimal', 'number', ['19.90', '1234567890123456.78'], [19.9, 1234567890123456.8], 1],
  ['decimal', 'decimal, scale: 3', ['19.90', '-0.05'], ['19.900', '-0.050'], 0],
  ['decimal', 'decimal, scale: 1', ['19.90', '19.95', '-19.95'], ['19.9', '20.0', '-20.0'], 2],
  ['decimal', 'decimal, precision: 3', ['9.99', '10.00'], ['9.99', null], 1],
  ['decimal', 'json', ['19.90'], ['19.90'], 0],
  ['boolean', 'integer', [true, false, null], [1, 0, null], 0],
  ['boolean', 'number', [true, false], [1, 0], 0],
  ['boolean', 'string', [true, false], ['true', 'false'], 0],
  ['boolean', 'json', [true, null], [true, null], 0],
  ['boolean', 'uuid', [true, null], [null, null], 1],
  ['string', 'text', ['x', ''], ['x', ''], 0],
  [
    'string',
    'integer',
    ['7', '-7', '0', '007', '-0', ' 7', '7.0', '9007199254740991', '9007199254740992', '', null],
    [7, -7, 0, null, null, null, null, 9007199254740991, null, null, null],
    6,
  ],
  ['string', 'number', ['1.50', '-7', '1e3', '.5', 'x'], [1.5, -7, null, null, null], 3],
  [
    'string',
    'decimal',
    ['1.5', '-7', '1.255', 'x', '12345678901234567'],
    ['1.50', '-7.00', '1.26', null, null],
    3,
  ],
  ['string', 'boolean', ['true', 'false', 'TRUE', '1'], [true, false, null, null], 2],
  [
    'string',
    'date',
    ['2026-02-28', '2024-02-29', '2026-02-29', '2026-13-01', '0000-01-01', '2026-1-1', 'x'],
    ['2026-02-28', '2024-02-29', null, null, null, null, null],
    5,
  ],
  ['string', 'time', ['14:05:00', '24:00:00', '14:05'], ['14:05:00', null, null], 2],
  [
    'string',
    'datetime',
    [
      '2026-03-01T14:05:00Z',
      '2026-03-01T14:05:00.5+02:00',
      '2026-02-30T00:00:00Z',
      '2026-03-01',
      '2026-03-01T14:05:00',
    ],
    ['2026-03-01T14:05:00.000Z', '2026-03-01T12:05:00.500Z', null, null, null],
    3,
  ],
  [
    'string',
    'uuid',
    ['0190A000-0000-7000-8000-00000000000A', 'x'],
    ['0190a000-0000-7000-8000-00000000000a', null],
    1,
  ],
  ['string', 'json', ['x', 'q"\\', ''], ['x', 'q"\\', ''], 0],
  ['string', 'object', ['{}', null], [null, null], 1],
  [
    'date',
    'datetime',
    ['2026-03-01', '0001-01-01', null],
    ['2026-03-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z', null],
    0,
  ],
  ['date', 'string', ['2026-03-01'], ['2026-03-01'], 0],
  ['date', 'integer', ['2026-03-01'], [null], 1],
  ['time', 'string', ['14:05:00'], ['14:05:00'], 0],
  [
    'datetime',
    'date',
    ['2026-03-01T00:00:00Z', '2026-03-01T23:59:59.999Z'],
    ['2026-03-01', '2026-03-01'],
    1,
  ],
  ['datetime', 'time', ['2026-03-01T23:59:59.999Z', null], ['23:59:59', null], 1],
  ['datetime', 'string', ['2026-03-01T14:05:00.120Z'], ['2026-03-01T14:05:00.120Z'], 0],
  ['datetime', 'json', ['2026-03-01T14:05:00.120Z'], ['2026-03-01T14:05:00.120Z'], 0],
  [
    'uuid',
    'string',
    ['0190a000-0000-7000-8000-00000000000a'],
    ['0190a000-0000-7000-8000-00000000000a'],
    0,
  ],
  ['json', 'string', ['x', 7, { a: 1 }, [1]], ['x', null, null, null], 3],
  ['json', 'object', [{ a: [1, 'x'] }, [1], 'x', 1], [{ a: [1, 'x'] }, null, null, null], 3],
  ['json', 'array, items: { type: json }', [{ a: 1 }, [1, 'x']], [null, [1, 'x']], 1],
  ['object', 'json', [{ b: 1, a: 'x' }], [{ a: 'x', b: 1 }], 0],
  ['array, items: { type: integer }', 'json', [[1, 2]], [[1, 2]], 0],
  ['array, items: { type: integer }', 'object', [[1, 2], null], [null, null], 1],
];

const two = (a: string, b = ''): string =>
  `resources:\n  users: { fields: { name: { type: string } } }\n  things:\n    fields:\n      a: ${a}\n${b}`;

export const cases: readonly MigrationCase[] = [
  {
    name: 'null is refused where none is there',
    before: 'a: { type: string }',
    rows: [{ a: 'x' }, { a: '' }],
    after: 'a: { type: string, required: true }',
    steps: ['change things.a to refuse null'],
  },
  {
    name: 'null is refused where there is some',
    before: 'a: { type: string }',
    rows: [{ a: 'x' }, { a: null }, {}],
    after: 'a: { type: string, required: true }',
    steps: [
      'change things.a to refuse null ! 2 rows would have no value; give each one that fits, or the field a default',
    ],
  },
  {
    name: 'null gives way to a default',
    before: 'a: { type: decimal }',
    rows: [{ a: '1.50' }, { a: null }],
    after: 'a: { type: decimal, nullable: false, default: "9.90" }',
    steps: ['change things.a to refuse null ("9.90" where it is null)'],
    answer: [{ a: '1.50' }, { a: '9.90' }],
  },
  {
    name: 'what does not convert gives way to a default',
    before: 'a: { type: string }',
    rows: [{ a: '5' }, { a: 'x' }, {}],
    after: 'a: { type: integer, nullable: false, default: 0 }',
    steps: [
      'change things.a from string to integer - 1 value',
      'change things.a to refuse null (0 where it is null)',
    ],
    answer: [{ a: 5 }, { a: 0 }, { a: 0 }],
    allowDataLoss: true,
  },
  {
    name: 'what does not convert and has to be there',
    before: 'a: { type: string, required: true }',
    rows: [{ a: '5' }, { a: 'x' }],
    after: 'a: { type: integer, required: true }',
    steps: [
      'change things.a from string to integer - 1 value',
      'change things.a to refuse null ! 1 row would have no value; give each one that fits, or the field a default',
    ],
    allowDataLoss: true,
  },
  {
    name: 'without leave nothing is lost',
    before: 'a: { type: string }\nb: { type: integer }',
    rows: [
      { a: '5', b: 1 },
      { a: 'x', b: 2 },
    ],
    after: 'a: { type: integer }\nb: { type: integer, unique: true }',
    steps: [
      'change things.a from string to integer - 1 value',
      'create unique index on things (b)',
    ],
  },
  {
    name: 'unique',
    before: 'a: { type: string }',
    rows: [{ a: 'x' }, { a: 'y' }, {}, {}],
    after: 'a: { type: string, unique: true }',
    steps: ['create unique index on things (a)'],
  },
  {
    name: 'unique over what repeats',
    before: 'a: { type: string }',
    rows: [{ a: 'x' }, { a: 'x' }, { a: 'x' }, { a: 'y' }, { a: 'y' }, {}, {}],
    after: 'a: { type: string, unique: true }',
    steps: [
      'create unique index on things (a) ! 2 values would be there more than once; change all but one of each first',
    ],
  },
  {
    name: 'unique over what a conversion makes equal',
    before: 'a: { type: datetime, unique: true }',
    rows: [{ a: '2026-03-01T01:00:00Z' }, { a: '2026-03-01T02:00:00Z' }],
    after: 'a: { type: date, unique: true }',
    steps: [
      'change things.a from datetime to date - 2 values',
      'create unique index on things (a) ! 1 value would be there more than once; change all but one of each first',
    ],
    allowDataLoss: true,
  },
  {
    name: 'no longer unique, and an index no more',
    before: 'a: { type: string, unique: true }\nb: { type: string, index: true }',
    rows: [{ a: 'x', b: 'x' }],
    after: 'a: { type: string }\nb: { type: string }',
    steps: ['drop index things_a_unique', 'drop index things_b_index'],
  },
  {
    name: 'a field with a default for the rows that are there',
    before: 'a: { type: string }',
    rows: [{ a: 'x' }],
    after: `a: { type: string }
      b: { type: string, default: "it's" }
      c: { type: boolean, nullable: false, default: true }
      d: { type: object, default: { k: 1 } }
      e: { type: decimal, required: true, default: "1.5" }`,
    steps: [
      `add column things.b ("it's" where a row is there)`,
      'add column things.c (true where a row is there)',
      'add column things.d ({"k":1} where a row is there)',
      'add column things.e ("1.50" where a row is there)',
    ],
    answer: [{ a: 'x', b: "it's", c: true, d: { k: 1 }, e: '1.50' }],
  },
  {
    name: 'a field that has to be there where rows are',
    before: 'a: { type: string }',
    rows: [{}, {}],
    after: 'a: { type: string }\nb: { type: string, required: true }',
    steps: [
      'add column things.b (not null) ! 2 rows would have no value; give the field a default, or let it be null until they have one',
    ],
  },
  {
    name: 'a field that has to be there where none are',
    before: 'a: { type: string }',
    rows: [],
    after: 'a: { type: string }\nb: { type: string, required: true }',
    steps: ['add column things.b (not null)'],
    answer: [],
  },
  {
    name: 'a column by another name',
    before: 'a: { type: string, index: true }\nb: { type: integer }',
    rows: [{ a: 'x', b: 1 }],
    after: 'a: { type: string, index: true, column: letter }\nb: { type: integer }',
    steps: [
      'rename column things.a to letter',
      'drop index things_a_index',
      'create index on things (letter)',
    ],
  },
  {
    name: 'a field by another name keeps its column',
    before: 'a: { type: string, index: true }',
    rows: [{ a: 'x' }],
    after: 'b: { type: string, index: true, column: a }',
    steps: [],
    answer: [{ b: 'x' }],
  },
  {
    name: 'a column by another name and of another type',
    before: 'a: { type: string }',
    rows: [{ a: '7' }],
    after: 'a: { type: integer, column: number }',
    steps: ['rename column things.a to number', 'change things.number from string to integer'],
    answer: [{ a: 7 }],
  },
  {
    name: 'a column that another field takes over',
    before: 'a: { type: string }\nb: { type: integer }',
    rows: [{ a: 'x', b: 1 }],
    after: 'a: { type: string }\nc: { type: string, column: b }',
    steps: ['change things.b from integer to string'],
    answer: [{ a: 'x', c: '1' }],
  },
  {
    name: 'a field that is gone stays in the table',
    before: 'a: { type: string }\nb: { type: string, required: true, unique: true }',
    rows: [{ a: 'x', b: 'y' }],
    after: 'a: { type: string }',
    steps: [
      'change things.b to allow null, since the file no longer names it',
      'drop column things.b - 1 value',
      'drop index things_b_unique',
    ],
    answer: [{ a: 'x' }],
  },
  {
    name: 'and goes when it may',
    before: 'a: { type: string }\nb: { type: string, required: true, unique: true }',
    rows: [{ a: 'x', b: 'y' }],
    after: 'a: { type: string }',
    steps: ['drop column things.b - 1 value', 'drop index things_b_unique'],
    answer: [{ a: 'x' }],
    allowDataLoss: true,
  },
  {
    name: 'a resource that is gone keeps nobody from anything',
    before: two(
      '{ type: string }',
      '  notes: { fields: { thingId: { type: integer, reference: things.id, onDelete: restrict } } }\n',
    ),
    rows: { things: [{ a: 'x' }], notes: [{ thingId: 1 }, {}] },
    after: two('{ type: string }'),
    steps: [
      'change notes.thingId to refer to nothing, since the file no longer names it',
      'drop table notes - 2 rows',
    ],
    answer: [{ a: 'x' }],
  },
  {
    name: 'and goes when it may, whatever refers to it',
    before: `${two('{ type: integer, reference: users.id }')}`,
    rows: { users: [{ name: 'u' }], things: [{ a: 1 }] },
    after: 'a: { type: integer }',
    steps: [
      'drop table users - 1 row',
      'drop index things_a_index',
      'change things.a to refer to nothing',
    ],
    answer: [{ a: 1 }],
    allowDataLoss: true,
  },
  {
    name: 'a table by another name',
    before:
      'resources:\n  things: { fields: { a: { type: string, index: true }, b: { type: integer, reference: things.id } } }\n',
    rows: [{ a: 'x' }, { a: 'y', b: 1 }],
    after:
      'resources:\n  things: { table: stuff, fields: { a: { type: string, index: true }, b: { type: integer, reference: things.id } } }\n',
    steps: [
      'rename table things to stuff',
      'drop index things_a_index',
      'drop index things_b_index',
      'create index on stuff (a)',
      'create index on stuff (b)',
    ],
  },
  {
    name: 'a key',
    before: two('{ type: integer }'),
    rows: { users: [{ name: 'u' }], things: [{ a: 1 }, { a: null }] },
    after: two('{ type: integer, reference: users.id }'),
    steps: ['create index on things (a)', 'refer things.a to users.id'],
  },
  {
    name: 'a key to what is not there',
    before: two('{ type: integer }'),
    rows: { users: [{ name: 'u' }], things: [{ a: 1 }, { a: 7 }, { a: 8 }] },
    after: two('{ type: integer, reference: users.id }'),
    steps: [
      'create index on things (a)',
      'refer things.a to users.id ! 2 rows would refer to records of users that are not there; mend or empty them first',
    ],
  },
  {
    name: 'a key to what does not come with the table',
    before: 'a: { type: integer }',
    rows: [{ a: 1 }],
    after: two('{ type: integer, reference: users.id }'),
    steps: [
      'create table users (id, name)',
      'create index on things (a)',
      'refer things.a to users.id ! 1 row would refer to records of users that are not there; mend or empty them first',
    ],
  },
  {
    name: 'a key no more',
    before: two('{ type: integer, reference: users.id }'),
    rows: { users: [{ name: 'u' }], things: [{ a: 1 }] },
    after: two('{ type: integer, index: true }'),
    steps: ['change things.a to refer to nothing'],
  },
  {
    name: 'another on delete',
    before: two('{ type: integer, reference: users.id }'),
    rows: { users: [{ name: 'u' }], things: [{ a: 1 }, {}] },
    after: two('{ type: integer, reference: users.id, onDelete: cascade }'),
    steps: ['change things.a to refer to users.id on delete cascade'],
  },
  {
    name: 'ids and the keys to them',
    before: `resources:
  users: { fields: { name: { type: string } } }
  things: { fields: { a: { type: integer, reference: users.id } } }
`,
    rows: { users: [{ name: 'u' }, { name: 'v' }], things: [{ a: 2 }, {}] },
    after: `resources:
  users: { fields: { id: { type: id, format: string }, name: { type: string } } }
  things: { fields: { a: { type: string, reference: users.id } } }
`,
    steps: ['change users.id from integer to string', 'change things.a from integer to string'],
    answer: [{ a: '2' }, { a: null }],
  },
  {
    name: 'ids of text to ids that are given',
    before: 'id: { type: id, format: string }\na: { type: string }',
    rows: [
      { id: '7', a: 'x' },
      { id: '12', a: 'y' },
    ],
    after: 'a: { type: string }',
    steps: [
      'change things.id from string to integer',
      'postgres: change things.id to be given by the database',
    ],
    answer: [
      { id: 7, a: 'x' },
      { id: 12, a: 'y' },
    ],
  },
  {
    name: 'ids that cannot become others',
    before: 'a: { type: string }',
    rows: [{ a: 'x' }],
    after: 'id: { type: id, format: uuid }\na: { type: string }',
    steps: [
      'change things.id from integer to uuid ! 1 record would have no id; export the records, and import them into a new database under ids that fit',
    ],
    allowDataLoss: true,
  },
  {
    name: 'timestamps',
    before: 'resources:\n  things: { fields: { a: { type: string } } }\n',
    rows: [{ a: 'x' }],
    after: 'resources:\n  things: { timestamps: true, fields: { a: { type: string } } }\n',
    steps: [
      'add column things.createdAt (the time where a row is there)',
      'add column things.updatedAt (the time where a row is there)',
    ],
    answer: [{ a: 'x', createdAt: 'a moment', updatedAt: 'a moment' }],
  },
  {
    name: 'what a request alone knows is no matter of the database',
    before: 'a: { type: string }\nb: { type: integer }',
    rows: [{ a: 'x@y.de', b: 5 }],
    after:
      'a: { type: email, maxLength: 9, description: d }\nb: { type: integer, minimum: 7, default: 9 }',
    steps: [],
  },
];
