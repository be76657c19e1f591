import { messageOf } from '../../lib/message-of.ts';
import {
  list,
  object,
  oneOf,
  required,
  scalarOrList,
  scalarOrMap,
} from '../parsers/collections.ts';
import { exactly, refined, type Definition } from '../parsers/definition.ts';
import { anyJson, boolean, choice, decimal, integer, number, text } from '../parsers/scalars.ts';
import type { JsonValue, OnDelete, RelationKind, StoredAs } from '../specification.ts';
import { booleanForms, decimalForms, momentForms } from '../stored-forms.ts';
import { fieldAccess } from './access.ts';
import { fits, relationKinds, type Place } from './attribute.ts';
import { computed } from './computed.ts';
import { stringFormat } from './formats.ts';
import { collation, fieldName, fieldNameItem, locale, resourceName } from './common.ts';

/** In a resource as well as inside objects and arrays. */
export const anywhere: readonly Place[] = ['field', 'property', 'item'];
const withName: readonly Place[] = ['field', 'property'];

const scaleDigits = integer({
  description: 'Digits after the point.',
  minimum: 0,
  maximum: 18,
  default: 2,
});
const anyScale = choice(['any'], { description: 'Any number of digits, before the point too.' });

const length = (description: string) => integer({ description, minimum: 0 });

/** A bound of a number: whole for integers, exact text where wanted for decimals. */
function bound(description: string) {
  return [
    ...fits(integer({ description }), { sets: ['wholeNumber'], places: anywhere }),
    ...fits(number({ description }), { sets: ['number'], places: anywhere }),
    ...fits(decimal({ description }), { sets: ['decimal'], places: anywhere }),
  ] as const;
}

function allowed<T>(item: Definition<T>) {
  return list(item, {
    description: 'The only values that are allowed.',
    minimum: 1,
    distinct: true,
  });
}

const pattern = refined(
  text({ description: 'A regular expression (JavaScript, `u` flag) that the text has to match.' }),
  (source, report) => {
    const fault = faultOf(source);
    if (fault !== undefined) report([], `\`pattern\` is not a valid regular expression: ${fault}`);
  },
);

function faultOf(source: string): string | undefined {
  try {
    RegExp(source, 'u');
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    return message.slice(message.lastIndexOf(': ') + 2).toLowerCase();
  }
}

const moduleFunction = String.raw`\.{1,2}\/[^#]+#[A-Za-z_$][\w$]*`;
const generatorName = text({
  description: 'A function of the faker library, or one of a module.',
  expects: 'a name such as internet.email or ./generators.ts#sku',
  pattern: new RegExp(String.raw`^([A-Za-z]\w*(\.[A-Za-z]\w*)*|${moduleFunction})$`),
});
const transformName = text({
  expects: 'lowercase, uppercase, trim, slug, round(2), prefix(…), truncate(…) or ./module.ts#name',
  pattern: new RegExp(
    String.raw`^(lowercase|uppercase|trim|slug|round\(\d{1,2}\)|truncate\(\d{1,9}\)|prefix\(.*\)|${moduleFunction})$`,
  ),
});

/** What people call kinds of relations elsewhere. */
const otherKinds = new Map<string, RelationKind>([
  ['onetoone', 'hasOne'],
  ['manytoone', 'belongsTo'],
  ['onetomany', 'hasMany'],
  ['manytomany', 'belongsToMany'],
  ['hasandbelongstomany', 'belongsToMany'],
  ['polymorphic', 'morphTo'],
]);

const storedAs = { description: 'The form in which an existing column holds the values.' };

/**
 * The one table of attributes (`field.ts` adds those that hold further fields): what each means and which types of
 * field take it. The check, the messages and the JSON Schema are made from it. See
 * docs/contract/1-specification-file.md#constraint-attributes and docs/contract/1-specification-file.md#relations.
 */
export const attributes = {
  description: fits(text({ description: 'What the field holds, for readers.', allowEmpty: true }), {
    sets: ['described'],
    relations: relationKinds,
    places: ['id', ...anywhere],
  }),
  example: fits(anyJson({ description: 'A value for the documentation.' }), {
    sets: ['described'],
    places: ['id', ...anywhere],
  }),
  format: [
    ...fits<string>(stringFormat, { sets: ['stringFormat'], places: anywhere }),
    ...fits<string>(
      choice(['bigint'], {
        description: '64 bits instead of 53; on the wire a string, such as "9007199254740993".',
      }),
      { sets: ['integerFormat'], places: anywhere },
    ),
    ...fits<string>(
      choice(['uuid', 'string', 'bigint'], {
        description:
          'The kind of id; a counted integer if left out. With `bigint` it is counted as well, and a string on the wire.',
      }),
      { sets: ['idFormat'] },
    ),
  ],
  required: [
    ...fits(boolean({ description: 'Whether the value has to be sent.', default: false }), {
      sets: ['column'],
      relations: ['belongsTo'],
      places: withName,
    }),
    ...fits(
      boolean({
        description:
          'Whether a create has to give the id, since the database does not. Only in a table that Plinth does not manage.',
        default: false,
      }),
      { sets: ['idFormat'] },
    ),
  ],
  nullable: fits(
    boolean({ description: 'Whether null is allowed; by default where it is not required.' }),
    { sets: ['column'], relations: ['belongsTo'], places: anywhere },
  ),
  default: fits(
    anyJson({
      description:
        'What an omitted value becomes: a value, `now`, `uuid`, or a claim of the caller such as `{user.sub}`.',
    }),
    { sets: ['column'], places: withName },
  ),
  unique: fits(
    boolean({ description: 'Whether no two records may have the same value.', default: false }),
    { sets: ['scalar'] },
  ),
  index: fits(boolean({ description: 'Whether the database keeps an index.', default: false }), {
    sets: ['scalar'],
  }),
  minLength: fits(length('The fewest characters (Unicode code points).'), {
    sets: ['length'],
    places: anywhere,
  }),
  maxLength: fits(length('The most characters (Unicode code points).'), {
    sets: ['length'],
    places: anywhere,
  }),
  pattern: fits(pattern, { sets: ['length'], places: anywhere }),
  minimum: bound('The least value.'),
  maximum: bound('The greatest value.'),
  exclusiveMinimum: bound('The value has to be greater than this.'),
  exclusiveMaximum: bound('The value has to be less than this.'),
  multipleOf: [
    ...fits(integer({ description: 'The value has to be a multiple of this.', minimum: 1 }), {
      sets: ['wholeNumber'],
      places: anywhere,
    }),
    ...fits(number({ description: 'The value has to be a multiple of this.', over: 0 }), {
      sets: ['number'],
      places: anywhere,
    }),
    ...fits(decimal({ description: 'The value has to be a multiple of this.', over: 0 }), {
      sets: ['decimal'],
      places: anywhere,
    }),
  ],
  enum: [
    ...fits(allowed<string | number>(text({ allowEmpty: true })), {
      sets: ['textEnum'],
      places: anywhere,
    }),
    ...fits(allowed<string | number>(integer()), { sets: ['wholeNumber'], places: anywhere }),
    ...fits(allowed<string | number>(number()), { sets: ['number'], places: anywhere }),
  ],
  values: [
    ...fits(allowed<JsonValue>(text({ allowEmpty: true })), {
      sets: ['allowedValues'],
      places: anywhere,
    }),
    ...fits(list(anyJson(), { description: 'What generated data draws from.', minimum: 1 }), {
      sets: ['drawnValues'],
      places: anywhere,
    }),
  ],
  minItems: fits(length('The fewest items.'), { sets: ['items'], places: anywhere }),
  maxItems: fits(length('The most items.'), { sets: ['items'], places: anywhere }),
  uniqueItems: fits(boolean({ description: 'Whether no item may come twice.', default: false }), {
    sets: ['items'],
    places: anywhere,
  }),
  precision: [
    ...fits(integer({ description: 'Digits in all.', minimum: 1, maximum: 18, default: 18 }), {
      sets: ['decimal'],
      places: anywhere,
    }),
    ...fits(
      integer({
        description: 'Digits behind the second: 3 are milliseconds, 6 microseconds.',
        minimum: 0,
        maximum: 6,
        default: 3,
      }),
      { sets: ['momentDigits'], places: anywhere },
    ),
  ],
  scale: fits<number | 'any'>(
    oneOf(
      [scaleDigits, anyScale],
      (node) =>
        node.kind === 'scalar' && typeof node.value === 'string' && node.value.startsWith('a')
          ? anyScale
          : scaleDigits,
      { description: 'Digits after the point; `any` for any number of digits.' },
    ),
    { sets: ['decimal'], places: anywhere },
  ),
  readOnly: fits(boolean({ description: 'Never written by a client.', default: false }), {
    sets: ['column'],
  }),
  writeOnly: fits(boolean({ description: 'Never returned.', default: false }), {
    sets: ['column'],
  }),
  immutable: fits(boolean({ description: 'Set on create only.', default: false }), {
    sets: ['column'],
  }),
  column: fits(text({ description: "An existing column's name." }), { sets: ['described'] }),
  collation: fits(
    collation(
      "How the values compare: by code point, or in the collation of the column; the database's if left out.",
    ),
    { sets: ['collated'] },
  ),
  storedAs: [
    ...fits<StoredAs>(choice(momentForms, storedAs), { sets: ['momentForms'] }),
    ...fits<StoredAs>(choice(decimalForms, storedAs), { sets: ['decimalForms'] }),
    ...fits<StoredAs>(choice(booleanForms, storedAs), { sets: ['booleanForms'] }),
  ],
  reference: fits(
    text({
      description: 'Makes this a foreign key: `<resource>.<field>`.',
      expects: 'of the form <resource>.<field>, such as users.id',
      pattern: /^(?!v\d+\.)[A-Za-z][A-Za-z0-9_-]{0,62}\.[A-Za-z][A-Za-z0-9_]{0,62}$/,
    }),
    { sets: ['scalar'] },
  ),
  onDelete: fits(
    exactly<OnDelete>()(
      choice(['restrict', 'cascade', 'setNull'], {
        description:
          'What happens when the record that the foreign key points to is deleted; if left out, `setNull` where the key may be null, else (and for a morphMany) `restrict`; `cascade` for the keys of a junction.',
      }),
    ),
    { sets: ['scalar'], relations: ['belongsTo', 'hasOne', 'hasMany', 'morphMany'] },
  ),
  access: fits(fieldAccess, { sets: ['column'], relations: relationKinds }),
  generator: fits(
    scalarOrMap(
      generatorName,
      object({
        name: required(generatorName),
        args: anyJson({ description: 'What the function is called with.' }),
      }),
      { description: 'The function that generates values.' },
    ),
    { sets: ['column'], places: anywhere },
  ),
  computed: fits(computed, { sets: ['column'], places: ['field'] }),
  template: fits(
    text({
      description: 'Generated text with `{{…}}`, such as "{{person.firstName}} <{{self.email}}>".',
    }),
    { sets: ['template'], places: anywhere },
  ),
  transform: fits(
    list(transformName, {
      description: 'What is done to generated values, in this order.',
      minimum: 1,
    }),
    { sets: ['column'], places: anywhere },
  ),
  locale: fits(locale('The language of generated names and texts.'), {
    sets: ['column'],
    places: anywhere,
  }),
  relation: fits(
    exactly<RelationKind>()(
      choice(
        relationKinds,
        { description: 'Which records of the other resource belong to one.' },
        otherKinds,
      ),
    ),
    { relations: relationKinds, requiredBy: relationKinds },
  ),
  resource: fits(resourceName('The resource that the relation leads to.'), {
    relations: ['hasOne', 'belongsTo', 'hasMany', 'belongsToMany', 'morphMany'],
    requiredBy: ['hasOne', 'belongsTo', 'hasMany', 'belongsToMany', 'morphMany'],
  }),
  resources: fits(
    list(resourceName('A resource.'), {
      description:
        'The resources that the relation may lead to; those with a morphMany to it, if left out.',
      expects: "a list of resources' names",
      minimum: 1,
      distinct: true,
    }),
    { relations: ['morphTo'] },
  ),
  foreignKey: fits(
    scalarOrList(
      fieldNameItem,
      list(fieldNameItem, {
        expects: "a list of fields' names",
        minimum: 1,
        distinct: true,
      }),
      {
        description:
          'The field that holds the key, or the fields of a key to a resource whose key has several; if left out, the field whose `reference` says so, else one named after the relation.',
        expects: "a field's name or a list of them, such as [orderId, lineNo]",
      },
    ),
    {
      relations: ['belongsTo', 'hasOne', 'hasMany', 'belongsToMany'],
    },
  ),
  through: fits(resourceName('The resource of the links (junction).'), {
    relations: ['belongsToMany'],
    requiredBy: ['belongsToMany'],
  }),
  withPivot: fits(
    list(fieldNameItem, {
      description: 'Fields of the junction that are shown as `pivot`.',
      expects: "a list of fields' names",
      distinct: true,
    }),
    { relations: ['belongsToMany'] },
  ),
  sort: fits(
    text({
      description:
        'The order of the related records where a request asks for none, as the parameter `sort` is written; `pivot.position` sorts by a field of the links.',
    }),
    { relations: ['hasMany', 'belongsToMany', 'morphMany'] },
  ),
  typeField: fits(
    fieldName("The field that holds the owner's type; `<relation>Type` if left out."),
    {
      relations: ['morphTo', 'morphMany'],
    },
  ),
  idField: fits(fieldName("The field that holds the owner's id; `<relation>Id` if left out."), {
    relations: ['morphTo', 'morphMany'],
  }),
  typeValue: fits(
    text({
      description: "What the type field holds for this owner; the resource's name if left out.",
    }),
    {
      relations: ['morphMany'],
    },
  ),
} as const;
