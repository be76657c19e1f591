import { describe, expect, test } from 'vitest';
import { readValue } from '../../src/model/validation.ts';
import type { JsonValue } from '../../src/spec/specification.ts';
import { buildValid } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';
import { generated, generatorOf, problemsOf, rowsOf, valuesOf } from './4-generate.ts';

const people = `resources:
  people:
    fields:
      firstName: { type: string, required: true }
      lastName: { type: string, required: true }
      email: { type: email, unique: true }
      city: { type: string }
      balance: { type: decimal, scale: 2 }
      createdAt: { type: datetime }
      updatedAt: { type: datetime }
`;

describe('the same specification, seed and locale', () => {
  test('give these values on every machine', async () => {
    const { people: rows = [] } = await generated(people);
    expect(rows.slice(0, 2)).toMatchInlineSnapshot(`
      [
        {
          "balance": "5461.58",
          "city": "Oakland Park",
          "createdAt": "2024-03-19T22:59:51.000Z",
          "email": "calista.pfeffer1@example.com",
          "firstName": "Calista",
          "id": 1,
          "lastName": "Pfeffer",
          "updatedAt": "2024-05-26T17:47:34.000Z",
        },
        {
          "balance": "907.05",
          "city": "Rancho Cordova",
          "createdAt": "2024-12-24T06:29:46.000Z",
          "email": "sanford.glover2@example.net",
          "firstName": "Sanford",
          "id": 2,
          "lastName": "Glover",
          "updatedAt": "2025-10-07T08:01:53.000Z",
        },
      ]
    `);
    expect(rows).toHaveLength(25);
  });

  test('give the same rows in any order, and again', async () => {
    const [first, second] = await Promise.all([generatorOf(people), generatorOf(people)]);
    const forwards = rowsOf(first.api, first.generator);
    const [resource] = second.api.resources.values();
    if (resource === undefined) throw new Error('no resource');
    const rows = second.generator.rowsOf(resource);
    for (let number = 25; number > 0; number -= 1) {
      const row = rows.row(number);
      // Fields backwards as well: what one draws is no matter of another.
      for (const [position, { name }] of [...rows.fields.entries()].reverse())
        expect([name, row.at(position)]).toEqual([name, forwards['people']?.[number - 1]?.[name]]);
    }
  });

  test('another seed gives others', async () => {
    const [one, other] = await Promise.all([generated(people), generated(people, { seed: 2 })]);
    expect(one['people']?.map(({ city }) => city)).not.toEqual(
      other['people']?.map(({ city }) => city),
    );
  });

  const additions: readonly (readonly [what: string, text: string])[] = [
    ['a field at the end', `${people}      title: { type: string }\n`],
    [
      'a field before others',
      people.replace('      email', '      name: { type: string }\n      email'),
    ],
    [
      'a field that others speak of',
      people.replace(
        '    fields:\n',
        '    fields:\n      birthDate: { type: date }\n      username: { type: string, unique: true }\n',
      ),
    ],
    ['a resource', `${people}  cities:\n    fields:\n      name: { type: string }\n`],
    [
      'a resource before it',
      people.replace(
        'resources:\n',
        'resources:\n  cities:\n    fields:\n      name: { type: string }\n',
      ),
    ],
  ];
  test.each(additions)('adding %s leaves the values of the others', async (_, text) => {
    const [before, after] = await Promise.all([generated(people), generated(text)]);
    expect(after['people']).toMatchObject(before['people'] ?? []);
  });

  test('adding the names leaves the e-mail addresses', async () => {
    const bare = 'resources:\n  people:\n    fields:\n      email: { type: email, unique: true }\n';
    const named = people.replace(/ {6}(?:city|balance|createdAt|updatedAt).*\n/gu, '');
    const [before, after] = await Promise.all([generated(bare), generated(named)]);
    expect(after['people']).toMatchObject(before['people'] ?? []);
  });
});

describe('where a value comes from', () => {
  test('values come before all else', async () => {
    const values = await valuesOf(
      'email',
      '{ type: string, values: [a, b], template: "x", generator: internet.email }',
    );
    expect(new Set(values)).toEqual(new Set(['a', 'b']));
  });
  test('then a template', async () => {
    const values = await valuesOf(
      'email',
      '{ type: string, template: "x{{row}}", generator: internet.email }',
      2,
    );
    expect(values).toEqual(['x1', 'x2']);
  });
  test('then a generator', async () => {
    const values = await valuesOf(
      'email',
      '{ type: integer, generator: { name: number.int, args: { min: 3, max: 5 } } }',
    );
    expect(new Set(values)).toEqual(new Set([3, 4, 5]));
  });
  test('a template speaks of other fields of its row', async () => {
    const text = `resources:
  people:
    fields:
      label: { type: string, template: "{{self.name}} <{{self.email}}>, {{person.firstName}}, {{self.place.city}}" }
      name: { type: string }
      email: { type: email }
      place: { type: object, properties: { city: { type: string } } }
`;
    const { people: rows = [] } = await generated(text);
    for (const row of rows) {
      const { city } = row['place'] as { city: string };
      const label = String(row['label']);
      expect(label.startsWith(`${String(row['name'])} <${String(row['email'])}>, `)).toBe(true);
      expect(label.endsWith(`, ${city}`)).toBe(true);
    }
  });

  test('functions of modules beside the file', async () => {
    const folder = makeFolder({
      'generators.ts': `export const sku = ({ row, random, args }: { row: number; random: () => number; args: { prefix: string } }) => \`\${args.prefix}\${row}\${random() < 2}\`;
export const shout = ({ value, self }: { value: string; self: Record<string, unknown> }) => \`\${value}!\${self['size']}\`;
`,
    });
    const text = `resources:
  things:
    fields:
      sku: { type: string, unique: true, generator: { name: ./generators.ts#sku, args: { prefix: P } } }
      cry: { type: string, values: [oh], transform: [uppercase, "./generators.ts#shout"] }
      size: { type: integer, values: [7] }
`;
    const { things = [] } = await generated(text, { count: 2 }, folder.path);
    expect(things).toMatchObject([
      { sku: 'P1true', cry: 'OH!7' },
      { sku: 'P2true', cry: 'OH!7' },
    ]);
  });

  const transforms: readonly (readonly [transform: string, value: string, expected: string])[] = [
    ['lowercase', 'ÄB c', 'äb c'],
    ['uppercase', 'straße', 'STRASSE'],
    ['trim', '  a ', 'a'],
    ['slug', 'Ça va, Øre & Co.?', 'ca-va-ore-co'],
    ['prefix(no. )', '7', 'no. 7'],
    ['truncate(5)', 'one two', 'one'],
    ['truncate(2)', '🎹🎹🎹', '🎹🎹'],
    ['round(1)', '1.25', '1.3'],
    ['round(0)', '-2.5', '-3'],
  ];
  test.each(transforms)('transform %s makes of %j %j', async (transform, value, expected) => {
    const definition = `{ type: string, values: [${JSON.stringify(value)}], transform: ["${transform}"] }`;
    expect(await valuesOf('note', definition, 1)).toEqual([expected]);
  });
  test('round on a number, and transforms in their order', async () => {
    expect(
      await valuesOf('n', '{ type: number, values: [1.005], transform: [round(2)] }', 1),
    ).toEqual([1.01]);
    expect(
      await valuesOf(
        's',
        '{ type: string, values: [" A B "], transform: [trim, slug, prefix(x-)] }',
        1,
      ),
    ).toEqual(['x-a-b']);
  });

  const names: readonly (readonly [name: string, type: string, pattern: RegExp])[] = [
    ['email', 'string', /^[\w.]+@example\.(?:com|net|org)$/u],
    ['username', 'string', /^[a-z0-9._]+$/u],
    ['phone', 'string', /^\+\d{6,}$/u],
    ['billingZipCode', 'string', /\d/u],
    ['slug', 'string', /^[a-z0-9]+(?:-[a-z0-9]+)*$/u],
    ['avatarUrl', 'string', /^https:\/\//u],
    ['website', 'url', /^https:\/\//u],
    ['hexColor', 'string', /^#[0-9a-f]{6}$/u],
    ['ipAddress', 'string', /^203\.0\.113\.\d+$/u],
    ['version', 'string', /^\d+\.\d+\.\d+$/u],
    ['currency', 'string', /^[A-Z]{3}$/u],
    ['isbn', 'string', /^978\d{10}$/u],
    ['uuid', 'string', /^[0-9a-f]{8}-[0-9a-f]{4}-4/u],
    ['price', 'decimal', /^\d+\.\d{2}$/u],
    ['title', 'string', /^\S.{5,}$/u],
    ['publishedAt', 'datetime', /^202[45]-.*\.000Z$/u],
    ['birthDate', 'date', /^(?:19|200)\d/u],
    ['dueDate', 'date', /^2026-/u],
  ];
  test.each(names)('%s of type %s is plausible', async (name, type, pattern) => {
    for (const value of await valuesOf(name, `{ type: ${type} }`)) expect(value).toMatch(pattern);
  });

  const ranges: readonly (readonly [name: string, type: string, least: number, most: number])[] = [
    ['age', 'integer', 18, 85],
    ['rating', 'number', 1, 5],
    ['percentage', 'integer', 0, 100],
    ['latitude', 'number', -90, 90],
    ['releaseYear', 'integer', 1980, 2025],
  ];
  test.each(ranges)('%s of type %s lies where it usually does', async (name, type, least, most) => {
    for (const value of await valuesOf(name, `{ type: ${type} }`)) {
      expect(value).toBeGreaterThanOrEqual(least);
      expect(value).toBeLessThanOrEqual(most);
    }
  });

  test.each(['de', 'de-AT', 'fr', 'ja', 'ar', 'pt_BR', 'zh_CN'])(
    'the locale %s has its own names',
    async (locale) => {
      const [english, own] = await Promise.all([
        generated(people),
        generated(`generate: { locale: ${locale} }\n${people}`),
      ]);
      expect(own['people']?.map(({ lastName }) => lastName)).not.toEqual(
        english['people']?.map(({ lastName }) => lastName),
      );
    },
  );

  test('later moments of a row come after earlier ones', async () => {
    const text = `resources:
  events:
    timestamps: true
    fields:
      startsAt: { type: datetime }
      endsAt: { type: datetime }
      publishedAt: { type: datetime }
`;
    const { events = [] } = await generated(text, { count: 300 });
    for (const { createdAt, updatedAt, startsAt, endsAt, publishedAt } of events) {
      expect(String(updatedAt) >= String(createdAt)).toBe(true);
      expect(String(publishedAt) >= String(createdAt)).toBe(true);
      expect(String(endsAt) >= String(startsAt)).toBe(true);
    }
  });
});

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
  '{ type: string, unique: true, template: "{{person.firstName}}", transform: [lowercase] }',
];

describe('unique holds', () => {
  test.each(unique)('%s', async (definition) => {
    for (const name of ['label', 'name', 'email', 'code']) {
      const values = await valuesOf(name, definition, 2_000);
      expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(2_000);
      expect(values).not.toContain(null);
    }
  });

  test('where there are fewer values, as many records are made as can be told apart', async () => {
    expect(await valuesOf('flag', '{ type: boolean, required: true, unique: true }')).toHaveLength(
      2,
    );
    expect(await valuesOf('flag', '{ type: boolean, unique: true }', 5)).toHaveLength(5);
    expect(
      (
        await valuesOf('kind', '{ type: enum, values: [a, b, c], required: true, unique: true }')
      ).sort(),
    ).toEqual(['a', 'b', 'c']);
  });

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
    'resources.things.fields.code.template {{1 + 1}} is no name',
  ],
  [
    'arguments that are no JSON',
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
    field('{ type: integer, multipleOf: 10, minimum: 1, maximum: 9 }'),
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

test('all problems are told at once', async () => {
  const text = `${field('{ type: string, generator: a.b }')}      other: { type: string, generator: c.d }\n`;
  expect(await problemsOf(text)).toHaveLength(2);
});
