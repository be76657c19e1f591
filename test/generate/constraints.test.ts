import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readValue } from '../../src/model/validation/read-value.ts';
import type { JsonValue } from '../../src/specification/specification.ts';
import { buildValid } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';
import { generated, problemsOf, valuesOf } from './generate.ts';

/** Constraints of one field; every value of many rows has to satisfy them. */
const constrained: readonly string[] = [
  '{ type: string, minLength: 300, maxLength: 301 }',
  '{ type: string, maxLength: 1 }',
  '{ type: string, maxLength: 0 }',
  '{ type: text, minLength: 2000 }',
  '{ type: email, maxLength: 8 }',
  '{ type: email, minLength: 90 }',
  '{ type: url, maxLength: 9 }',
  '{ type: url, minLength: 120 }',
  '{ type: string, format: slug, maxLength: 4 }',
  '{ type: string, format: slug, minLength: 70 }',
  '{ type: string, format: hostname, minLength: 100 }',
  '{ type: string, format: hostname, maxLength: 3 }',
  '{ type: string, format: ipv4, maxLength: 8 }',
  '{ type: string, format: ipv6 }',
  '{ type: string, format: ipv6, maxLength: 6 }',
  String.raw`{ type: string, pattern: '^[A-Z]{3}-\d{4}$' }`,
  String.raw`{ type: string, pattern: '^(red|green|b+lue)( [a-z]+){1,3}$' }`,
  String.raw`{ type: string, pattern: '^[^aeiou\s]{5,}$', maxLength: 12 }`,
  String.raw`{ type: string, pattern: '^\p{Lu}\p{Ll}+$', minLength: 8 }`,
  String.raw`{ type: email, pattern: '@example\.org$' }`,
  String.raw`{ type: string, format: slug, pattern: '^x-' }`,
  '{ type: integer, minimum: 5000, maximum: 5001 }',
  '{ type: integer, minimum: -5, exclusiveMaximum: -4 }',
  '{ type: integer, multipleOf: 7, minimum: 100, maximum: 110 }',
  '{ type: integer, minimum: 9007199254740990 }',
  '{ type: integer, maximum: -1000000 }',
  '{ type: number, exclusiveMinimum: 0, maximum: 0.0005 }',
  '{ type: number, multipleOf: 0.125 }',
  '{ type: decimal, precision: 3, scale: 3 }',
  '{ type: decimal, precision: 18, scale: 0, minimum: "900000000000000000" }',
  '{ type: decimal, scale: 2, multipleOf: 0.05 }',
  '{ type: decimal, scale: 2, multipleOf: 0.125 }',
  '{ type: string, enum: [aa, bb, ccc], minLength: 2 }',
  '{ type: integer, enum: [1, 5], maximum: 5 }',
  '{ type: array, items: { type: integer, minimum: 1, maximum: 4 }, minItems: 4, uniqueItems: true }',
  '{ type: array, items: { type: string }, maxItems: 0 }',
  '{ type: array, items: { type: object, properties: { a: { type: email } } }, minItems: 2 }',
  '{ type: object, properties: { a: { type: decimal }, b: { type: array, items: { type: date } } } }',
  '{ type: object }',
  '{ type: json }',
  '{ type: array }',
  '{ type: time }',
  '{ type: uuid }',
  '{ type: boolean, default: true }',
];

describe('every value passes the validation of its field', () => {
  test.each(constrained)('%s', async (definition) => {
    for (const name of ['anything', 'email', 'price']) {
      const spec = `resources:\n  things:\n    fields:\n      ${name}: ${definition}\n`;
      const field = buildValid(spec).resources.get('things')?.fields.get(name);
      if (field === undefined) throw new Error('no field');
      for (const value of await valuesOf(name, definition, 200))
        expect([value, readValue(value, field)]).toEqual([value, { ok: true, value }]);
    }
  });
});

const unique: readonly string[] = [
  String.raw`{ type: string, pattern: '@acme\.com$', unique: true, required: true }`,
  '{ type: string, unique: true }',
  '{ type: string, unique: true, maxLength: 5 }',
  '{ type: email, unique: true, maxLength: 14 }',
  '{ type: email, unique: true }',
  '{ type: url, unique: true }',
  '{ type: text, unique: true, minLength: 80, maxLength: 90 }',
  '{ type: string, format: slug, unique: true }',
  '{ type: string, format: hostname, unique: true }',
  String.raw`{ type: string, unique: true, pattern: '^[a-c]{2}\d{3}$' }`,
  '{ type: integer, unique: true }',
  '{ type: integer, unique: true, minimum: 1, maximum: 2000 }',
  '{ type: decimal, unique: true, minimum: 0 }',
  '{ type: number, unique: true }',
  '{ type: date, unique: true }',
  '{ type: datetime, unique: true }',
  '{ type: time, unique: true }',
  '{ type: uuid, unique: true }',
  '{ type: string, unique: true, generator: person.firstName }',
  '{ type: integer, unique: true, generator: { name: number.int, args: { min: 1, max: 2000 } } }',
  '{ type: integer, unique: true, generator: { name: number.int, args: 1999 } }',
  '{ type: integer, unique: true, minimum: 5, maximum: 10004, generator: { name: number.int, args: { multipleOf: 5 } } }',
  '{ type: decimal, unique: true, generator: { name: number.float, args: { min: -10, max: 9.99 } } }',
  '{ type: number, unique: true, generator: { name: number.float, args: { max: 2, fractionDigits: 3 } } }',
  '{ type: string, unique: true, template: "{{person.firstName}}", transform: [lowercase] }',
];

describe('unique holds', () => {
  test.each(unique)('%s', async (definition) => {
    for (const name of ['label', 'name', 'category', 'email', 'code']) {
      const values = await valuesOf(name, definition, 2_000);
      expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(2_000);
      expect(values).not.toContain(null);
    }
  });

  test.each([
    ['{ template: "SN-{{row}}", transform: [lowercase] }', 'sn-2'],
    ['{ template: " SN {{row}} ", transform: [trim, slug, uppercase, prefix(x-)] }', 'x-SN-2'],
    ['{ template: "SN-{{self.id}}" }', 'SN-2'],
    ['{ template: "{{self.id}}-Ä", transform: [slug] }', '2-a-2'],
    ['{ template: "SN-{{row}}", transform: [truncate(4)] }', 'SN-2'],
  ])('%s has one number of its row', async (definition, expected) => {
    const [, value] = await valuesOf(
      'serial',
      `{ type: string, unique: true, ${definition.slice(1)}`,
    );
    expect(value).toBe(expected);
  });

  test('where there are fewer values, as many records are made as can be told apart', async () => {
    expect(await valuesOf('flag', '{ type: boolean, required: true, unique: true }')).toHaveLength(
      2,
    );
    expect(await valuesOf('flag', '{ type: boolean, unique: true }', 5)).toHaveLength(5);
    const drawn = 'generator: { name: number.int, args: { min: 1, max: 100 } }';
    expect(
      new Set(
        await valuesOf(
          'lot',
          `{ type: integer, required: true, unique: true, multipleOf: 25, ${drawn} }`,
        ),
      ),
    ).toEqual(new Set([25, 50, 75, 100]));
    const kinds = '{ type: enum, values: [a, b, c], required: true, unique: true }';
    expect(new Set(await valuesOf('kind', kinds))).toEqual(new Set(['a', 'b', 'c']));
  });

  test.each([
    ['a number that is drawn', ['shelfId', 'number']],
    ['a text, and values that are changed', ['size', 'label']],
    ['a text, and a date that may come twice', ['day', 'label']],
    ['a key, and a date that may come twice', ['shelfId', 'day']],
    ['more than another list has', ['shelfId', 'size', 'number']],
  ])('together: %s', async (_, list) => {
    const { books = [] } = await generated(`generate: { count: 12 }
resources:
  shelves: { fields: { name: { type: string } } }
  books:
    unique: [[${list.join(', ')}], [number, shelfId]]
    fields:
      shelfId: { type: integer, required: true, reference: shelves.id }
      number: { type: integer, generator: { name: number.int, args: { min: 1, max: 2 } } }
      size: { type: string, values: [s, m], transform: [uppercase] }
      label: { type: string }
      day: { type: date, generator: { name: date.recent, args: { days: 2 } } }
`);
    expect(books).toHaveLength(12);
    for (const fields of [list, ['number', 'shelfId']]) {
      const told = books.map((book) => JSON.stringify(fields.map((name) => book[name])));
      expect([fields, new Set(told).size]).toEqual([fields, 12]);
    }
  });

  const years = 'type: date, generator: { name: date.past, args: { years: 3 } }';
  test.each([
    ['moments that a function draws', 'type: datetime, generator: date.soon', '[doctorId, day]'],
    ['days that may come twice', years, '[doctorId, day, hour]'],
    ['days of one, and numbers', years, '[doctorId, day], [doctorId, number]'],
    ['numbers of one, and days', years, '[doctorId, number], [doctorId, day]'],
    ['several of each', years, '[doctorId, hour], [patientId, number], [doctorId, patientId]'],
  ])('together, more than there are others: %s', async (_, day, lists) => {
    const { visits = [] } = await generated(`resources:
  doctors: { generate: { count: 20 }, fields: { name: { type: string } } }
  patients: { generate: { count: 20 }, fields: { name: { type: string } } }
  visits:
    unique: [${lists}]
    generate: { count: 40 }
    fields:
      doctorId: { type: integer, required: true, reference: doctors.id }
      patientId: { type: integer, required: true, reference: patients.id }
      day: { ${day} }
      hour: { type: integer, values: [8, 9, 10, 11] }
      number: { type: integer, minimum: 1, maximum: 50 }
`);
    expect(visits).toHaveLength(40);
    for (const list of lists.slice(1, -1).split('], [')) {
      const fields = list.split(', ');
      const told = visits.map((visit) => JSON.stringify(fields.map((name) => visit[name])));
      expect([fields, new Set(told).size]).toEqual([fields, 40]);
    }
  });

  test('together, of rows that are counted by a key: what may come twice takes what is left', async () => {
    const { visits = [] } = await generated(`resources:
  doctors: { generate: { count: 2 }, fields: { name: { type: string } } }
  rooms: { generate: { count: 2 }, fields: { name: { type: string } } }
  visits:
    unique: [[doctorId, kind, day], [roomId, kind]]
    generate: { per: doctor, min: 3, max: 3 }
    fields:
      doctorId: { type: integer, required: true, reference: doctors.id }
      doctor: { type: relation, relation: belongsTo, resource: doctors }
      roomId: { type: integer, required: true, reference: rooms.id }
      kind: { type: enum, values: [x, y, z] }
      day: { type: date, generator: { name: date.recent, args: { days: 3 } } }
`);
    expect(new Set(visits.map(({ roomId, kind }) => JSON.stringify([roomId, kind]))).size).toBe(6);
  });

  test.each(['', 'generate: { per: author, min: 4, max: 4 }'])(
    'links and two lists that place all of their keys: %s',
    async (counted) => {
      const { writes = [] } = await generated(`generate: { count: 12 }
resources:
  authors:
    generate: { count: 3 }
    fields: { books: { type: relation, relation: belongsToMany, resource: books, through: writes } }
  books: { fields: { title: { type: string } } }
  writes:
    unique: [[authorId, position], [bookId, role]]
    ${counted}
    fields:
      authorId: { type: integer, required: true, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
      bookId: { type: integer, required: true, reference: books.id }
      position: { type: integer, required: true, minimum: 1, maximum: 9 }
      role: { type: enum, required: true, values: [main, other] }
`);
      expect(writes).toHaveLength(12);
      for (const fields of [
        ['authorId', 'bookId'],
        ['authorId', 'position'],
        ['bookId', 'role'],
      ]) {
        const told = writes.map((row) => JSON.stringify(fields.map((name) => row[name])));
        expect([fields, new Set(told).size]).toEqual([fields, 12]);
      }
    },
  );

  test('null only where the file says so', async () => {
    const isNull = (value: JsonValue): boolean => value === null;
    expect((await valuesOf('note', '{ type: string }', 200)).some(isNull)).toBe(false);
    expect((await valuesOf('note', '{ type: string, nullable: true }', 200)).some(isNull)).toBe(
      true,
    );
    expect((await valuesOf('note', '{ type: string, nullable: true }', 200)).every(isNull)).toBe(
      false,
    );
  });
});

const field = (definition: string, name = 'code'): string =>
  `resources:\n  things:\n    fields:\n      ${name}: ${definition}\n`;
const refusals: readonly (readonly [what: string, text: string, problem: string])[] = [
  [
    'an unknown generator',
    field('{ type: string, generator: internet.emial }'),
    'resources.things.fields.code.generator there is no generator internet.emial; did you mean internet.email?',
  ],
  [
    'a generator in a template',
    field('{ type: string, template: "{{person.frstName}}" }'),
    'resources.things.fields.code.template there is no generator person.frstName; did you mean person.firstName?',
  ],
  [
    'what is no name in a template',
    field('{ type: string, template: "{{1 + 1}}" }'),
    'resources.things.fields.code.template {{1 + 1}} is not a name such as',
  ],
  [
    'arguments that are not JSON',
    field('{ type: string, template: "{{number.int({min: 1})}}" }'),
    'resources.things.fields.code.template the arguments',
  ],
  [
    'values of another type',
    field('{ type: integer, generator: person.firstName }'),
    'resources.things.fields.code.generator person.firstName gives values that the field does not take: it must be a number',
  ],
  [
    'a template out of bounds',
    field('{ type: string, template: "abc", pattern: "^x" }'),
    'resources.things.fields.code.template template gives values that the field does not take: it must match the pattern ^x',
  ],
  [
    'a pattern with look-around',
    field("{ type: string, pattern: '^(?=a)b$' }"),
    'resources.things.fields.code no value was found that satisfies it: it must match the pattern',
  ],
  [
    'a pattern against the length',
    field("{ type: string, pattern: '^a{5}$', maxLength: 3 }"),
    'resources.things.fields.code no value was found',
  ],
  [
    'numbers with nothing between',
    field('{ type: number, exclusiveMinimum: 1, exclusiveMaximum: 1.0000000000000002 }'),
    'resources.things.fields.code its constraints leave no value',
  ],
  [
    'too few values',
    field('{ type: boolean, required: true, unique: true }').replace(
      '    fields',
      '    generate: { count: 3 }\n    fields',
    ),
    'resources.things.generate.count 3 records are wanted, but only 2 can be told apart',
  ],
  [
    'a locale',
    `generate: { locale: xx }\n${field('{ type: string }')}`,
    'generate.locale there are no names and texts for the locale xx',
  ],
  [
    'a module that is not there',
    field('{ type: string, generator: ./none.ts#a }'),
    'resources.things.fields.code.generator ./none.ts cannot be used: there is no such file',
  ],
  [
    'a module elsewhere',
    field('{ type: string, generator: ../secret.ts#a }'),
    'it must be in the folder of the specification',
  ],
  [
    'a function that is not exported',
    field('{ type: string, transform: ["./some.ts#b"] }'),
    'resources.things.fields.code.transform.0 ./some.ts cannot be used: it exports no function b',
  ],
  [
    'a function that throws',
    field('{ type: string, generator: ./some.ts#thrower }'),
    'resources.things.fields.code.generator ./some.ts#thrower failed: not today',
  ],
  [
    'a function that asks for itself',
    field('{ type: string, generator: ./some.ts#circle }'),
    'its generator asks for a value that is made from its own',
  ],
  [
    'a function that gives a promise',
    field('{ type: string, generator: ./some.ts#later }'),
    'gives a promise',
  ],
];

test.each(refusals)('%s is a problem with its place', async (_, text, problem) => {
  const folder = makeFolder({
    'some.ts': `export const thrower = () => { throw new Error('not today'); };
export const circle = ({ self }: { self: Record<string, unknown> }) => self['code'];
export const later = async () => 'x';
`,
  });
  const problems = await problemsOf(text, folder.path);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

test('a module that a link leads to elsewhere is a problem', async () => {
  const elsewhere = makeFolder({ 'own.ts': "export const a = () => 'x';" });
  const folder = makeFolder({ 'here/own.ts': "export const a = () => 'x';" });
  symlinkSync(elsewhere.at('own.ts'), folder.at('out.ts'));
  symlinkSync(folder.at('here/own.ts'), folder.at('in.ts'));
  const problems = async (file: string): Promise<string[]> =>
    problemsOf(field(`{ type: string, generator: ${file}#a }`), folder.path);
  expect(await problems('./in.ts')).toEqual([]);
  expect(await problems('./here/own.ts')).toEqual([]);
  expect(await problems('./out.ts')).toEqual([
    'resources.things.fields.code.generator ./out.ts cannot be used: it leads out of the folder of the specification',
  ]);
});

test('all problems are told at once', async () => {
  const text = `${field('{ type: string, generator: a.b }')}      other: { type: string, generator: c.d }\n`;
  expect(await problemsOf(text)).toHaveLength(2);
});
