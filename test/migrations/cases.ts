/** A change of a specification with rows in the tables, and what comes of it on both databases. */
export interface MigrationCase {
  readonly name: string;
  /** The fields of `things`, a line each; or, where it starts with `resources:`, all of a file. */
  readonly before: string;
  /** Records of `things`, or by resource. */
  readonly rows: readonly object[] | Readonly<Record<string, readonly object[]>>;
  readonly after: string;
  /** `- 3 values` where that is lost, `! why` where it cannot be; a step behind `postgres:` or `sqlite:` is one there alone. */
  readonly steps: readonly string[];
  /** What `/v1/things?sort=id` gives afterwards, without the ids where they stay; absent: nothing has changed. */
  readonly answer?: readonly object[];
  readonly allowDataLoss?: true;
}

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
    rows: [{ a: 'x' }, { a: null }, {}, {}, {}],
    after: 'a: { type: string, required: true }',
    steps: [
      'change things.a to refuse null ! 4 rows (id 2, 3, 4, …) would have no value; give each one that fits, or the field a default',
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
      'change things.a to refuse null ! 1 row (id 2) would have no value; give each one that fits, or the field a default',
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
      'change things.a from datetime to date - drops the time of 2 values',
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
    name: 'columns whose names SQLite gives to the key of a row',
    before: 'a: { type: string, column: rowid }\nb: { type: integer }',
    rows: [{ a: 'x', b: 1 }],
    after: 'a: { type: string }\nb: { type: integer, column: oid }',
    steps: ['rename column things.rowid to a', 'rename column things.b to oid'],
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
    before: two('{ type: integer, reference: users.id }'),
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
      'refer things.a to users.id ! 2 rows (id 2, 3) would refer to records of users that are not there; fix or empty them first',
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
      'refer things.a to users.id ! 1 row (id 1) would refer to records of users that are not there; fix or empty them first',
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
    name: 'an index has the order in which nulls are sorted, whatever may be null now',
    before: 'a: { type: string, nullable: false, index: true }\nb: { type: integer, unique: true }',
    rows: [{ a: 'x', b: 1 }],
    after: 'a: { type: string, index: true }\nb: { type: integer, nullable: false, unique: true }',
    steps: [
      'change things.a to allow null',
      'change things.b to refuse null',
      'postgres: drop index things_a_index',
      'postgres: drop index things_b_unique',
      'postgres: create unique index on things (b)',
      'postgres: create index on things (a)',
    ],
  },
  {
    name: 'ids of another type stand behind the columns of an index',
    before: 'a: { type: string, index: true }',
    rows: [{ a: 'x' }, { a: 'x' }],
    after: 'id: { type: id, format: string }\na: { type: string, index: true }',
    steps: [
      'change things.id from integer to string',
      'sqlite: drop index things_a_index',
      'sqlite: create index on things (a)',
    ],
    answer: [
      { id: '1', a: 'x' },
      { id: '2', a: 'x' },
    ],
  },
  {
    name: 'a table by another name while keys refer to a unique field of it',
    before: two('{ type: string, reference: users.name }').replace(
      'name: { type: string }',
      'name: { type: string, unique: true }',
    ),
    rows: { users: [{ name: 'u' }], things: [{ a: 'u' }] },
    after: two('{ type: string, reference: users.name }')
      .replace('name: { type: string }', 'name: { type: string, unique: true }')
      .replace('users: {', 'users: { table: people,'),
    steps: [
      'rename table users to people',
      'drop index users_name_unique',
      'create unique index on people (name)',
    ],
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
