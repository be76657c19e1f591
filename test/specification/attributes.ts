import { flag, names, prose, text } from './keys.ts';

/** Rows for `structure.test.ts`: values as YAML text, for each attribute of a field. */
export interface AttributeRow {
  readonly attribute: string;
  /** A type, or `relation <kind>`, perhaps with more attributes behind a comma. */
  readonly types: readonly string[];
  readonly good: readonly string[];
  readonly bad: readonly string[];
  readonly contradictions?: readonly string[];
}

const texts = ['string', 'text', 'email', 'url'];
const field = {
  good: ['ownerId', 'a_1'],
  bad: ['a-b', '1', '""', 'null', '[a]', 'a.b'],
};
const resource = { good: ['users', 'blog-posts'], bad: ['v2', 'a.b', '1', '""', 'null', '[a]'] };
const count = { good: ['0', '5'], bad: ['-1', '1.5', '"5"', 'null'] };

export const attributeRows: readonly AttributeRow[] = [
  { attribute: 'description', types: ['string', 'id', 'relation hasMany'], ...prose },
  { attribute: 'example', types: ['json', 'id'], good: ['1', 'null', '[a, { b: 1 }]'], bad: [] },
  {
    attribute: 'format',
    types: ['string'],
    good: ['email', 'url', 'slug', 'hostname', 'ipv4', 'ipv6', 'uuid', 'base64'],
    bad: ['e-mail', 'true', 'null'],
    contradictions: ['emial'],
  },
  {
    attribute: 'format',
    types: ['id'],
    good: ['uuid', 'string', 'bigint'],
    bad: ['email', 'integer', '1'],
  },
  { attribute: 'format', types: ['integer'], good: ['bigint'], bad: ['uuid', 'int64', '1'] },
  { attribute: 'required', types: ['string', 'relation belongsTo'], ...flag },
  { attribute: 'nullable', types: ['array', 'relation belongsTo'], ...flag },
  { attribute: 'default', types: ['string'], good: ['a', 'null', '1', '{ a: [] }'], bad: [] },
  { attribute: 'unique', types: ['enum, values: [a]', 'boolean'], ...flag },
  { attribute: 'index', types: ['datetime'], ...flag },
  { attribute: 'minLength', types: texts, ...count },
  { attribute: 'maxLength', types: texts, ...count },
  {
    attribute: 'pattern',
    types: texts,
    good: ['"^[a-z]+$"', String.raw`'^\p{Lu}'`],
    bad: ['""', '1', 'null'],
    contradictions: ['"("', String.raw`'\-'`],
  },
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].flatMap((attribute) => [
    { attribute, types: ['integer'], good: ['-5', '0'], bad: ['1.5', '"1"', 'a', 'null'] },
    { attribute, types: ['number'], good: ['-5', '1.5', '1e300'], bad: ['"1"', 'a', 'null'] },
    {
      attribute,
      types: ['decimal'],
      good: ['-5', '1.5', '"19.90"', '"-0.01"'],
      bad: ['"1e3"', '"+1"', '".5"', 'a', 'null'],
    },
  ]),
  { attribute: 'multipleOf', types: ['integer'], good: ['1', '5'], bad: ['0', '-1', '0.5'] },
  { attribute: 'multipleOf', types: ['number'], good: ['0.5', '3'], bad: ['0', '-1', '"1"'] },
  {
    attribute: 'multipleOf',
    types: ['decimal'],
    good: ['0.05', '"0.05"'],
    bad: ['0', '"0.00"', '-1', '"-1"'],
  },
  {
    attribute: 'enum',
    types: ['string', 'enum'],
    good: ['[a]', '[a, "1", ""]'],
    bad: ['[]', 'a', '[1]', '[a, a]', '[null]', '[[a]]'],
  },
  {
    attribute: 'enum',
    types: ['integer'],
    good: ['[1, -2]'],
    bad: ['[1.5]', '[a]', '[1, 1]', '[]'],
  },
  { attribute: 'enum', types: ['number'], good: ['[1, 1.5]'], bad: ['[a]', '[1.5, 1.5]', '["1"]'] },
  { attribute: 'values', types: ['enum'], good: ['[a, b]'], bad: ['[]', '[1]', '[a, a]', 'a'] },
  {
    attribute: 'values',
    types: ['string', 'integer', 'object'],
    good: ['[a, 1, null]', '[[a], { b: 1 }]', '[a, a]'],
    bad: ['[]', 'a', '{}'],
  },
  { attribute: 'minItems', types: ['array'], ...count },
  { attribute: 'maxItems', types: ['array'], ...count },
  { attribute: 'uniqueItems', types: ['array'], ...flag },
  {
    attribute: 'storedAs',
    types: ['datetime'],
    good: [
      'isoText',
      'isoSeconds',
      'sqlText',
      'sqlMicroseconds',
      'sqlMixed',
      'sqlUtc',
      'sqlOffset',
      'isoOffset',
      'unixSeconds',
      'unixMilliseconds',
    ],
    bad: ['plain', 'real', 'Y/N', '1', 'null'],
  },
  {
    attribute: 'storedAs',
    types: ['decimal'],
    good: ['scaled', 'real', 'text'],
    bad: ['numeric', 'isoText', 'true'],
  },
  {
    attribute: 'storedAs',
    types: ['boolean'],
    good: ['Y/N', '"1/0"', 'yes/no'],
    bad: ['N/Y', 'on/off', 'true', '[Y, N]'],
  },
  { attribute: 'precision', types: ['datetime'], good: ['0', '6'], bad: ['-1', '7', '1.5'] },
  { attribute: 'precision', types: ['decimal'], good: ['1', '18'], bad: ['0', '19', '1.5'] },
  { attribute: 'scale', types: ['decimal'], good: ['0', '18', 'any'], bad: ['-1', '19', 'a'] },
  {
    attribute: 'properties',
    types: ['object'],
    good: [
      '{}',
      '{ weight: { type: number, minimum: 0, required: true, default: 1 } }',
      '{ a: { type: object, properties: { b: { type: array, items: { type: string } } } } }',
      '{ a: { type: string, values: [x], example: y, description: z, nullable: true, generator: a.b, template: "{{a}}", transform: [trim] } }',
      '{ id: { type: integer } }',
      '{ x-own: 1, a: { type: string, x-own: [] } }',
      '{ aB: { type: string }, ab: { type: string } }',
    ],
    bad: [
      '[]',
      '{ a: string }',
      '{ a: {} }',
      '{ a-b: { type: string } }',
      '{ "a.b": { type: string } }',
      '{ a: { type: relation, relation: hasMany, resource: b } }',
      '{ a: { type: id } }',
      ...['unique: true', 'index: true', 'reference: a.id', 'column: b', 'access: c'].map(
        (attribute) => `{ a: { type: string, ${attribute} } }`,
      ),
      '{ a: { type: string, readOnly: true } }',
      '{ a: { type: string, writeOnly: true } }',
      '{ a: { type: string, immutable: true } }',
      '{ a: { type: object, properties: { b: { type: integer, minLength: 1 } } } }',
    ],
  },
  { attribute: 'additionalProperties', types: ['object'], ...flag },
  {
    attribute: 'items',
    types: ['array'],
    good: ['{ type: string, nullable: true, maxLength: 3 }', '{ type: enum, values: [a] }'],
    bad: [
      'string',
      '{}',
      '{ type: id }',
      '{ type: relation, relation: hasMany, resource: a }',
      '{ type: string, required: true }',
      '{ type: string, default: a }',
      '{ type: string, unique: true }',
      '{ type: integer, maxLength: 3 }',
      '{ type: enum }',
    ],
  },
  { attribute: 'readOnly', types: ['string', 'json'], ...flag },
  { attribute: 'writeOnly', types: ['string'], ...flag },
  { attribute: 'immutable', types: ['string'], ...flag },
  { attribute: 'column', types: ['string', 'id'], ...text },
  {
    attribute: 'reference',
    types: ['integer', 'uuid', 'string'],
    good: ['users.id', 'blog-posts.owner_id'],
    bad: ['users', 'users.', '.id', 'users.a-b', 'a.b.c', 'v1.id', '1', 'null'],
  },
  {
    attribute: 'onDelete',
    types: [
      'integer',
      'relation belongsTo',
      'relation hasOne',
      'relation hasMany',
      'relation morphMany',
    ],
    good: ['restrict', 'cascade', 'setNull'],
    bad: ['set null', 'Cascade', 'true', 'null'],
  },
  {
    attribute: 'access',
    types: ['string', 'relation morphTo', 'relation belongsToMany'],
    good: ['admin', '[admin, editor]', '{ read: a, create: [b], update: c, write: d }', '{}'],
    bad: ['[]', '[{ role: a }]', '{ delete: a }', '{ read: { role: a, where: b } }', 'true', '""'],
  },
  {
    attribute: 'generator',
    types: ['string', 'object'],
    good: ['internet.email', '"./generators.ts#sku"', '{ name: number.int, args: { min: 1 } }'],
    bad: [
      '""',
      'internet email',
      '"./a.ts"',
      '{}',
      '{ args: {} }',
      '{ name: a, arguments: 1 }',
      '1',
    ],
  },
  {
    attribute: 'template',
    types: ['string', 'decimal', 'date'],
    good: ['"{{a.b}}"'],
    bad: ['""', '1'],
  },
  {
    attribute: 'transform',
    types: ['string', 'number'],
    good: [
      '[lowercase, uppercase, trim, slug]',
      '[round(2), "prefix(A-)", truncate(9), "../m.ts#f"]',
    ],
    bad: ['[]', 'trim', '[round]', '[round(x)]', '[lower]', '[truncate(-1)]', '[1]'],
  },
  {
    attribute: 'locale',
    types: ['string', 'object'],
    good: ['de', 'de_AT', 'ja'],
    bad: ['german', '1', '[de]'],
  },
  {
    attribute: 'resource',
    types: ['hasOne', 'belongsTo', 'hasMany', 'belongsToMany', 'morphMany'].map(
      (kind) => `relation ${kind}`,
    ),
    ...resource,
  },
  {
    attribute: 'resources',
    types: ['relation morphTo'],
    good: ['[users]', '[users, blog-posts]'],
    bad: ['[]', 'users', '[v1]', '[users, users]', '[1]'],
  },
  {
    attribute: 'foreignKey',
    types: ['relation belongsTo', 'relation hasOne', 'relation hasMany', 'relation belongsToMany'],
    good: [...field.good, '[a]', '[a, b]'],
    bad: [...field.bad.filter((one) => one !== '[a]'), '[]', '[a, a]', '[1]'],
  },
  { attribute: 'through', types: ['relation belongsToMany'], ...resource },
  {
    attribute: 'withPivot',
    types: ['relation belongsToMany'],
    ...names,
    bad: [...names.bad, '[a, a]'],
  },
  {
    attribute: 'sort',
    types: ['relation hasMany', 'relation belongsToMany', 'relation morphMany'],
    ...text,
  },
  { attribute: 'typeField', types: ['relation morphTo', 'relation morphMany'], ...field },
  { attribute: 'idField', types: ['relation morphTo', 'relation morphMany'], ...field },
  { attribute: 'typeValue', types: ['relation morphMany'], ...text },
];

/** Which attributes beside `type` each type takes; written out, so that the table of the parser is checked. */
const everywhere =
  'description example required nullable default readOnly writeOnly immutable column access';
const generated = 'values generator transform locale';
const column = `${everywhere} ${generated}`;
const key = 'unique index reference onDelete';
const lengths = 'minLength maxLength pattern';
const numbers = 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf';

export const fitting: Readonly<Record<string, string>> = {
  id: 'description example format required column',
  string: `${column} ${key} ${lengths} format enum template`,
  text: `${column} ${key} ${lengths} template`,
  integer: `${column} ${key} ${numbers} enum format`,
  number: `${column} ${key} ${numbers} enum`,
  decimal: `${column} ${key} ${numbers} precision scale template storedAs`,
  boolean: `${column} ${key} storedAs`,
  date: `${column} ${key} template`,
  time: `${column} ${key} template`,
  datetime: `${column} ${key} precision template storedAs`,
  uuid: `${column} ${key} template`,
  email: `${column} ${key} ${lengths} template`,
  url: `${column} ${key} ${lengths} template`,
  enum: `${column} ${key} enum template`,
  object: `${column} properties additionalProperties`,
  array: `${column} items minItems maxItems uniqueItems`,
  json: `${column} template`,
  'relation hasOne': 'description relation access resource foreignKey onDelete',
  'relation belongsTo':
    'description relation access resource foreignKey onDelete required nullable',
  'relation hasMany': 'description relation access resource foreignKey onDelete sort',
  'relation belongsToMany':
    'description relation access resource foreignKey through withPivot sort',
  'relation morphTo': 'description relation access resources typeField idField',
  'relation morphMany':
    'description relation access resource typeField idField typeValue onDelete sort',
};

/** A right value for every attribute, whatever the type. */
export const anyValue: Readonly<Record<string, string>> = {
  description: 'a',
  example: 'a',
  format: 'uuid',
  required: 'true',
  nullable: 'true',
  default: 'a',
  unique: 'true',
  index: 'true',
  minLength: '1',
  maxLength: '1',
  pattern: 'a',
  minimum: '1',
  maximum: '1',
  exclusiveMinimum: '1',
  exclusiveMaximum: '1',
  multipleOf: '1',
  enum: '[a]',
  values: '[a]',
  minItems: '1',
  maxItems: '1',
  uniqueItems: 'true',
  precision: '1',
  scale: '1',
  properties: '{}',
  additionalProperties: 'true',
  items: '{ type: string }',
  readOnly: 'true',
  writeOnly: 'true',
  immutable: 'true',
  column: 'a',
  storedAs: 'real',
  reference: 'a.id',
  onDelete: 'cascade',
  access: 'a',
  generator: 'a.b',
  template: 'a',
  transform: '[trim]',
  locale: 'de',
  relation: 'hasMany',
  resource: 'a',
  resources: '[a]',
  foreignKey: 'a',
  through: 'a',
  withPivot: '[a]',
  sort: 'a',
  typeField: 'a',
  idField: 'a',
  typeValue: 'a',
};
