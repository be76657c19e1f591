import { describe, expect, test } from 'vitest';
import type { Api } from '../../src/model/api.ts';
import { buildApi } from '../../src/model/build/api.ts';
import { loadSpecification } from '../../src/model/load-specification.ts';
import { expectErrors, fieldIn, fieldWith, modelOf, resources, validModel } from './model.ts';

const at = 'resources.r.fields.x';
/** A field `x` with these attributes; `¦` marks errors. */
const x = (attributes: string): string => resources({ r: `x: { ${attributes} }` });

describe('contradictions', () => {
  expectErrors([
    ['equal bounds', x('type: integer, minimum: 3, maximum: 3')],
    ['equal lengths', x('type: string, minLength: 3, maxLength: 3')],
    ['equal numbers of items', x('type: array, minItems: 3, maxItems: 3')],
    ['a scale as large as the precision', x('type: decimal, precision: 3, scale: 3')],
    [
      'minLength over maxLength',
      x('type: string, minLength: ¦4, maxLength: 3'),
      `${at}.minLength: minLength 4 leaves no value under maxLength 3`,
    ],
    [
      'minItems over maxItems',
      x('type: array, minItems: ¦2, maxItems: 1'),
      `${at}.minItems: minItems 2 leaves no value under maxItems 1`,
    ],
    [
      'minimum over maximum',
      x('type: number, minimum: ¦0.2, maximum: 0.1'),
      `${at}.minimum: minimum 0.2 leaves no value under maximum 0.1`,
    ],
    [
      'minimum over maximum, exactly',
      x('type: decimal, minimum: ¦"9999999999999999.02", maximum: "9999999999999999.01"'),
      `${at}.minimum: minimum 9999999999999999.02 leaves no value under maximum 9999999999999999.01`,
    ],
    ['decimals in order', x('type: decimal, minimum: "9.5", maximum: 10')],
    [
      'exclusive bounds that meet',
      x('type: integer, exclusiveMinimum: ¦3, exclusiveMaximum: 3'),
      `${at}.exclusiveMinimum: exclusiveMinimum 3 leaves no value under exclusiveMaximum 3`,
    ],
    [
      'an exclusive bound that meets another',
      x('type: integer, minimum: ¦3, exclusiveMaximum: 3'),
      `${at}.minimum: minimum 3 leaves no value under exclusiveMaximum 3`,
    ],
    [
      'an exclusive minimum at the maximum',
      x('type: integer, exclusiveMinimum: ¦3, maximum: 3'),
      `${at}.exclusiveMinimum: exclusiveMinimum 3 leaves no value under maximum 3`,
    ],
    ['bounds that meet at a whole number', x('type: integer, exclusiveMinimum: 2, maximum: 3')],
    ['bounds that meet at a multiple', x('type: integer, minimum: -9, maximum: 4, multipleOf: 5')],
    ['numbers between whole ones', x('type: number, exclusiveMinimum: 3, exclusiveMaximum: 4')],
    [
      'a decimal between bounds of more places',
      x('type: decimal, minimum: "0.005", maximum: "0.011"'),
    ],
    [
      'no whole number between exclusive bounds',
      x('type: integer, exclusiveMinimum: ¦-4, exclusiveMaximum: -3'),
      `${at}.exclusiveMinimum: exclusiveMinimum -4 leaves no value under exclusiveMaximum -3`,
    ],
    [
      'no multiple between bounds',
      x('type: integer, minimum: ¦-9, maximum: -6, multipleOf: 5'),
      `${at}.minimum: minimum -9 leaves no value under maximum -6 by multipleOf 5`,
    ],
    [
      'no multiple of a number between bounds',
      x('type: number, minimum: ¦0.1, exclusiveMaximum: 0.3, multipleOf: 0.3'),
      `${at}.minimum: minimum 0.1 leaves no value under exclusiveMaximum 0.3 by multipleOf 0.3`,
    ],
    [
      'no decimal of its scale between bounds',
      x('type: decimal, minimum: ¦"0.011", maximum: "0.019"'),
      `${at}.minimum: minimum 0.011 leaves no value under maximum 0.019`,
    ],
    [
      'no multiple of its scale between bounds',
      x('type: decimal, scale: 1, minimum: ¦"0.1", maximum: "0.4", multipleOf: "0.25"'),
      `${at}.minimum: minimum 0.1 leaves no value under maximum 0.4 by multipleOf 0.25`,
    ],
    [
      'a whole number over all',
      x('type: integer, exclusiveMinimum: ¦9007199254740991'),
      `${at}.exclusiveMinimum: exclusiveMinimum 9007199254740991 leaves no value: they end at 9007199254740991`,
    ],
    ['the last whole number', x('type: integer, minimum: 9007199254740991')],
    [
      'a bound of more digits than the decimal',
      x('type: decimal, precision: 4, minimum: ¦100'),
      `${at}.minimum: minimum 100 leaves no value: they end at 99.99`,
    ],
    [
      'a bound under all that it holds',
      x('type: decimal, precision: 2, scale: 2, maximum: ¦"-0.995"'),
      `${at}.maximum: maximum -0.995 leaves no value: they end at -0.99`,
    ],
    ['the last decimals', x('type: decimal, precision: 3, scale: 0, minimum: 999, maximum: 1e9')],
    [
      'more distinct items than there are',
      x('type: array, items: { type: boolean, nullable: false }, minItems: ¦3, uniqueItems: true'),
      `${at}.minItems: minItems 3 leaves no value: there are 2 items, of which none may come twice`,
    ],
    [
      'as many distinct items as there are',
      x(
        'type: array, items: { type: enum, values: [x, y], nullable: true }, minItems: 3, uniqueItems: true',
      ),
    ],
    [
      'inside objects and arrays',
      x(
        'type: object, properties: { a: { type: array, items: { type: string, minLength: ¦2, maxLength: 1 } } }',
      ),
      `${at}.properties.a.items.minLength: minLength 2 leaves no value under maxLength 1`,
    ],
    [
      'readOnly with writeOnly',
      x('type: string, readOnly: true, writeOnly: ¦true'),
      `${at}.writeOnly: a field cannot be both readOnly and writeOnly`,
    ],
    [
      'required with readOnly',
      x('type: string, required: true, readOnly: ¦true'),
      `${at}.readOnly: nobody could set it: a required readOnly field needs a default`,
    ],
    [
      'required with readOnly and a default',
      x('type: datetime, required: true, readOnly: true, default: now'),
    ],
    [
      'scale over precision',
      x('type: decimal, precision: 3, scale: ¦4'),
      `${at}.scale: scale 4 is over precision 3; lower it`,
    ],
    [
      'the scale that is taken by default over precision',
      resources({ r: '¦x: { type: decimal, precision: 1 }' }),
      `${at}.scale: scale 2 is over precision 1; lower it`,
    ],
    [
      'a value twice in an enum',
      x('type: enum, values: [a, ¦a]'),
      `${at}.values[1]: \`a\` stands in \`values\` twice`,
    ],
  ]);
});

describe('values that fail the rules of their field', () => {
  expectErrors([
    [
      'defaults of every type',
      resources({
        r: 'a: { type: string, default: ¦1 }, b: { type: integer, default: ¦1.5 }, c: { type: decimal, default: ¦1.234 }, d: { type: date, default: ¦2026-02-30 }, e: { type: datetime, default: ¦2026-02-03 }, f: { type: uuid, default: ¦now }, g: { type: enum, values: [m], default: ¦n }, h: { type: array, items: { type: integer }, ¦default: [a] }, i: { type: object, properties: { n: { type: string } }, ¦default: { n: 1 } }',
      }),
      'resources.r.fields.a.default: 1 must be a string',
      'resources.r.fields.b.default: 1.5 must be a whole number',
      'resources.r.fields.c.default: 1.234 must have at most 2 decimal places',
      'resources.r.fields.d.default: "2026-02-30" must be a date such as 2026-03-01, or the word `now`',
      'resources.r.fields.e.default: "2026-02-03" must be an RFC 3339 date and time with an offset, no finer than ms, such as 2026-03-01T14:05:00.000Z, or the word `now`',
      'resources.r.fields.f.default: "now" must be a UUID, or the word `uuid`',
      'resources.r.fields.g.default: "n" must be one of m',
      'resources.r.fields.h.default: ["a"], at [0], must be a number',
      'resources.r.fields.i.default: {"n":1}, at n, must be a string',
    ],
    [
      'a default against constraints, each',
      x('type: string, minLength: 3, pattern: "^b", default: ¦¦a'),
      `${at}.default: "a" must have at least 3 characters`,
      `${at}.default: "a" must match the pattern ^b`,
    ],
    ['null where it is allowed', x('type: string, default: null')],
    [
      'null where it is not allowed',
      x('type: string, nullable: false, default: ¦null'),
      `${at}.default: null must not be null`,
    ],
    [
      'a default below a field',
      x('type: object, properties: { a: { type: integer, minimum: 2, default: ¦1 } }'),
      `${at}.properties.a.default: 1 must be at least 2`,
    ],
    [
      'a default of a property that would have to be drawn',
      x('type: object, properties: { a: { type: datetime, default: ¦now } }'),
      `${at}.properties.a.default: only a field of a resource takes now, uuid or a claim; give a value`,
    ],
    [
      'allowed values',
      resources({
        r: 'a: { type: string, maxLength: 1, enum: [m, ¦nn] }, b: { type: integer, minimum: 2, enum: [¦1, 2] }, c: { type: string, format: email, enum: [¦x] }, d: { type: array, items: { type: integer, maximum: 1, enum: [¦2] } }',
      }),
      'resources.r.fields.a.enum[1]: "nn" must have at most 1 character',
      'resources.r.fields.b.enum[0]: 1 must be at least 2',
      'resources.r.fields.c.enum[0]: "x" must be an e-mail address',
      'resources.r.fields.d.items.enum[0]: 2 must be at most 1',
    ],
    [
      'values to generate',
      x('type: decimal, maximum: 5, values: ["1.50", ¦9, ¦x, null]'),
      `${at}.values[1]: 9 must be at most 5`,
      `${at}.values[2]: "x" must be a plain decimal number such as "19.90"`,
    ],
  ]);

  test.each([
    ['type: decimal, default: 19.9', { kind: 'value', value: '19.90' }],
    [
      'type: datetime, default: 2026-03-01T02:00:00+02:00',
      { kind: 'value', value: '2026-03-01T00:00:00.000Z' },
    ],
    ['type: datetime, default: now', { kind: 'now' }],
    ['type: date, default: now', { kind: 'now' }],
    ['type: time, default: now', { kind: 'now' }],
    ['type: string, default: now', { kind: 'value', value: 'now' }],
    ['type: uuid, default: uuid', { kind: 'uuid' }],
    ['type: string, format: uuid, default: uuid', { kind: 'uuid' }],
    ['type: string, default: uuid', { kind: 'value', value: 'uuid' }],
    ['type: string, default: null', { kind: 'value', value: null }],
    ['type: boolean, default: false', { kind: 'value', value: false }],
  ])('%s is kept as it would be read', (attributes, expected) => {
    expect(fieldWith(attributes).default).toEqual(expected);
  });

  test('so is the default of an object', () => {
    const field = fieldWith(
      'type: object, properties: { b: { type: decimal }, a: { type: integer, default: 1 } }, default: { b: 1 }',
    );
    expect(JSON.stringify(field.default)).toBe('{"kind":"value","value":{"b":"1.00","a":1}}');
  });
});

describe('templates', () => {
  expectErrors([
    [
      'that use each other without a circle',
      resources({
        r: 'a: { type: string, template: "{{self.b}} {{ self.c }}" }, b: { type: string, template: "{{self.c}}" }, c: { type: string, template: "{{person.firstName}}" }',
      }),
    ],
    [
      'that use added fields',
      `${resources({ r: '' })}\n  s: { timestamps: true, fields: { a: { type: string, template: "{{self.id}} {{self.createdAt}}" } } }`,
    ],
    [
      'that use unknown fields',
      resources({
        r: 'name: { type: string }, a: { type: string, template: ¦"{{self.nme}}" }, b: { type: object, properties: { c: { type: string, template: ¦"{{self.c}}" } } }',
      }),
      'resources.r.fields.a.template: there is no field nme; did you mean name?',
      'resources.r.fields.b.properties.c.template: there is no field c',
    ],
    [
      'in circles, each told once',
      resources({
        r: 'a: { type: string, template: ¦"{{self.b}}" }, b: { type: string, template: "{{self.c}}" }, c: { type: string, template: "{{self.a}}" }, d: { type: string, template: ¦"{{self.d}}" }, e: { type: string, template: "{{self.d}}" }',
      }),
      'resources.r.fields.a.template: templates run in a circle: a → b → c → a',
      'resources.r.fields.d.template: templates run in a circle: d → d',
    ],
  ]);
});

describe('a file with many mistakes', () => {
  expectErrors([
    [
      'has every one of them reported',
      `resources:
  posts:
    table: ¦sqlite_posts
    timestamps: true
    unique: [[¦titel]]
    indexes: [[¦meta]]
    groups: { card: [¦tilte] }
    generate: { per: ¦writer }
    fields:
      title: { type: string, minLength: ¦9, maxLength: 3, default: ¦ab }
      rating: { type: integer, minimum: ¦5, maximum: 1 }
      meta: { type: object, readOnly: true, writeOnly: ¦true }
      state: { type: enum, values: [a], default: ¦b }
      author: { type: relation, relation: belongsTo, resource: ¦user }
      ownerId: { type: string, reference: ¦users.id }
      tags: { type: relation, relation: belongsToMany, resource: posts, through: ¦tagging }
  users:
    fields:
      ¦posts: { type: relation, relation: hasMany, resource: posts, foreignKey: state }
      bio: { type: text, template: ¦"{{self.name}}", ¦foo: 1 }
api:
  versions: { 1: { resources: { post: ¦false, users: { fields: { bioo: ¦false } } } } }
`,
      'resources.posts.table: sqlite_posts is a name that databases keep for themselves; name another table',
      'resources.posts.unique[0][0]: there is no field titel; did you mean title?',
      'resources.posts.indexes[0][0]: meta cannot be indexed: it is of type object',
      'resources.posts.groups.card[0]: there is no field tilte; did you mean title?',
      'resources.posts.generate.per: there is no belongsTo relation writer',
      'resources.posts.fields.title.minLength: minLength 9 leaves no value under maxLength 3',
      'resources.posts.fields.title.default: "ab" must have at least 9 characters',
      'resources.posts.fields.rating.minimum: minimum 5 leaves no value under maximum 1',
      'resources.posts.fields.meta.writeOnly: a field cannot be both readOnly and writeOnly',
      'resources.posts.fields.state.default: "b" must be one of a',
      'resources.posts.fields.author.resource: there is no resource user; did you mean users?',
      'resources.posts.fields.ownerId.reference: posts.ownerId is of type string; as a key to users.id it must be of type integer',
      'resources.posts.fields.tags.through: there is no resource tagging; add it to the resources: `tagging: { fields: { postId: { type: integer, required: true, reference: posts.id }, otherPostId: { type: integer, required: true, reference: posts.id } } }`',
      'resources.users.fields.posts: posts.state is of type enum; as a key to users.id it must be of type integer',
      'resources.users.fields.bio.template: there is no field name',
      'resources.users.fields.bio.foo: unknown key `foo`',
      'api.versions.1.resources.post: there is no resource post; did you mean posts?',
      'api.versions.1.resources.users.fields.bioo: there is no field bioo; did you mean bio?',
    ],
  ]);
});

test('there is no model of a file with a problem', () => {
  const build = (text: string): Api | undefined => {
    const { specification } = loadSpecification({ file: 'a', text, environment: {} });
    return specification && buildApi(specification, () => undefined);
  };
  expect(build(x('type: string, maxLength: 3, default: abcd'))).toBeUndefined();
  expect(build(x('type: string, maxLength: 3, default: abc'))).toBeDefined();
});

test('the model keeps nothing that a later one changes', () => {
  const text = resources({ r: 'x: { type: string, enum: [a] }' });
  const first = validModel(text);
  modelOf(resources({ r: 'x: { type: string, enum: [b] }' }));
  expect(fieldIn(first, 'r.x').values).toEqual(['a']);
  expect(validModel(text)).toEqual(first);
});
