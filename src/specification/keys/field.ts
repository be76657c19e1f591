import { map, object, required, type Flat, type Members } from '../parsers/collections.ts';
import {
  check,
  described,
  either,
  exactly,
  invalid,
  named,
  recursive,
  refined,
  refuse,
  withSchema,
  type Define,
  type Definition,
  type JsonSchema,
} from '../parsers/definition.ts';
import { propertyNames } from '../parsers/names.ts';
import { nearest } from '../../lib/nearest.ts';
import { anyJson, choice } from '../parsers/scalars.ts';
import { quote, type MapNode } from '../yaml/node.ts';
import type { FieldSpecification, RelationKind, TypeName } from '../specification.ts';
import {
  fits,
  misfit,
  relationKinds,
  typeNames,
  variantFor,
  type AttributeTable,
  type AttributeType,
  type Place,
} from './attribute.ts';
import { anywhere, attributes, stringFormats } from './attributes.ts';

const expects = 'a definition such as { type: string }';
const property = recursive('property', expects, () => fieldAt('property'));
const item = recursive('item', expects, () => fieldAt('item'));

const table = {
  ...attributes,
  properties: fits(
    map(propertyNames, property, {
      description: 'The members of the object; without it any are taken.',
      expects: 'a map of property name to definition',
      partial: true,
    }),
    { types: ['object'], places: anywhere },
  ),
  items: fits(described('What every item has to be.', item), {
    types: ['array'],
    places: anywhere,
  }),
} as const;

/** What the compiler makes of the table; it has to be `FieldSpecification`. */
type FieldOfTable = Flat<
  { readonly type: TypeName } & {
    readonly [K in keyof typeof table]?: AttributeType<(typeof table)[K]>;
  }
>;

const known: AttributeTable = table;
const attributeNames = ['type', ...Object.keys(known)];
const everyAttribute: Members = Object.fromEntries(
  Object.keys(known).map((name) => [name, anyJson()]),
);

const placeTypes: Readonly<Record<Place, readonly TypeName[]>> = {
  id: ['id'],
  field: typeNames.filter((type) => type !== 'id'),
  property: typeNames.filter((type) => type !== 'id' && type !== 'relation'),
  item: typeNames.filter((type) => type !== 'id' && type !== 'relation'),
};

/** What people call types elsewhere. */
const otherNames = new Map<string, TypeName>([
  ...['float', 'double', 'real'].map((name) => [name, 'number'] as const),
  ...['bigint', 'long', 'smallint', 'tinyint', 'int4', 'int8', 'serial', 'bigserial'].map(
    (name) => [name, 'integer'] as const,
  ),
  ...['numeric', 'money', 'currency'].map((name) => [name, 'decimal'] as const),
  ...['char', 'varchar', 'nvarchar', 'password', 'phone'].map((name) => [name, 'string'] as const),
  ...['longtext', 'mediumtext', 'markdown', 'html'].map((name) => [name, 'text'] as const),
  ...['timestamp', 'timestamptz'].map((name) => [name, 'datetime'] as const),
  ['bit', 'boolean'],
  ['guid', 'uuid'],
  ['uri', 'url'],
  ['list', 'array'],
  ...['map', 'dict', 'struct', 'record'].map((name) => [name, 'object'] as const),
  ...['any', 'mixed'].map((name) => [name, 'json'] as const),
]);

/** What people call attributes elsewhere. */
const otherAttributes = new Map<string, readonly string[]>([
  ...['options', 'choices', 'oneOf'].map((name) => [name, ['values', 'enum']] as const),
  ['fields', ['properties']],
  ['of', ['items', 'resource']],
  ...['ref', 'references'].map((name) => [name, ['reference']] as const),
  ...['model', 'target', 'to', 'table', 'entity'].map((name) => [name, ['resource']] as const),
  ...['junction', 'joinTable', 'pivotTable', 'via'].map((name) => [name, ['through']] as const),
  ['pivot', ['withPivot']],
  ['kind', ['relation']],
  ['regex', ['pattern']],
  ...['length', 'size', 'max'].map((name) => [name, ['maxLength', 'maximum', 'maxItems']] as const),
  ['min', ['minLength', 'minimum', 'minItems']],
  ['notNull', ['required']],
  ['optional', ['nullable']],
  ['faker', ['generator']],
  ['comment', ['description']],
]);

/** The name of a type that may stand there. */
function typeAt(place: Place): Definition<TypeName> {
  const types = placeTypes[place];
  const expects = either(types);
  return {
    expects,
    check: (node, path, collector) => {
      const value = node.kind === 'scalar' ? node.value : null;
      if (typeof value !== 'string' || value === '') return refuse(expects, node, path, collector);
      const type = typeNames.find((name) => name === value);
      if (type !== undefined && types.includes(type)) return type;
      collector.report(
        path,
        type === undefined ? unknownType(value, types) : wrongPlace(type, place),
      );
      // Read on as what was meant, so that whatever else is wrong is said in the same run.
      return (type === undefined ? nearType(value, types) : undefined) ?? invalid;
    },
    schema: (define) => choice(types, { description: 'The type of the field.' }).schema(define),
  };
}

/** The type that an unknown name may have been meant to be. */
function nearType(value: string, types: readonly TypeName[]): TypeName | undefined {
  // As in `varchar(255)`.
  const word = value.replace(/\s*\(.*\)$/u, '').toLowerCase();
  const name = otherNames.get(word) ?? nearest(word, types);
  return types.find((type) => type === name);
}

function unknownType(value: string, types: readonly TypeName[]): string {
  const near = nearType(value, types);
  const kind = relationKinds.find((name) => name === value);
  if (kind !== undefined && types.includes('relation')) return asRelation(kind);
  const format = stringFormats.find((one) => one === value);
  if (format !== undefined)
    return `${quote(value)} is a format of strings: write { type: string, format: ${format} }`;
  const [, item] = /^(\w+)\[\]$/u.exec(value) ?? [];
  const items = item === undefined ? undefined : nearType(item, types);
  if (items !== undefined)
    return `unknown type ${quote(value)}; write { type: array, items: { type: ${items} } }`;
  return near === undefined
    ? `unknown type ${quote(value)}; the types are ${types.join(', ')}`
    : `unknown type ${quote(value)}; did you mean ${quote(near)}?`;
}

function asRelation(kind: string): string {
  return `${quote(kind)} is a kind of relation: write { type: relation, relation: ${kind}, … }`;
}

function wrongPlace(type: TypeName, place: Place): string {
  if (place === 'id') {
    return `\`id\` has to be of type id, not ${type}; its \`format\` may be uuid or string`;
  }
  if (place === 'field') {
    return 'type id is for the field `id` alone; a foreign key to an integer id is of type integer, with `reference`';
  }
  const where = place === 'property' ? 'a property of an object' : 'the items of an array';
  return `type ${type} does not fit ${where}; it fits a resource's own fields`;
}

/** The members of a definition of this type; for a relation of unknown kind those of every kind. */
function membersOf(type: TypeName, kind: RelationKind | undefined, place: Place): Members {
  const kinds = type === 'relation' && kind === undefined ? relationKinds : [kind];
  const members: Record<string, Definition<unknown>> = {
    // Which types there are is said once, above the branches of the JSON Schema.
    type: required({ ...typeAt(place), schema: () => ({ const: type }) }),
  };
  for (const [name, attribute] of Object.entries(known)) {
    const variant = kinds
      .map((candidate) => variantFor(attribute, type, candidate, place))
      .find((found) => found !== undefined);
    if (variant === undefined) continue;
    const index = attribute.indexOf(variant);
    const shared = `attribute-${name}${index === 0 ? '' : `-${index + 1}`}`;
    const definition = named(shared, variant.definition);
    const isRequired = kinds.every((one) => one !== undefined && variant.requiredBy.includes(one));
    members[name] = isRequired ? required(definition) : definition;
  }
  if (type === 'relation' && kind === undefined) members['relation'] = required(relation);
  return members;
}

const relation = attributes.relation[0].definition;

/** The definitions of one type (and kind of relation) in one place, made when they are first needed. */
const made = new Map<string, Definition<unknown>>();

function definitionOf(
  type: TypeName,
  kind: RelationKind | undefined,
  place: Place,
): Definition<unknown> {
  const key = [place, type, ...(kind === undefined ? [] : [kind])].join('-');
  const found = made.get(key);
  if (found !== undefined) return found;
  const members = membersOf(type, kind, place);
  const plain = object(members, {
    expects,
    unknown: (name) => {
      const attribute = Object.hasOwn(known, name) ? known[name] : undefined;
      return attribute && misfit(name, attribute, type, kind, place);
    },
    candidates: [...Object.keys(members), ...attributeNames],
    otherNames: otherAttributes,
  });
  const definition = named(key, type === 'enum' ? withValues(plain) : plain);
  made.set(key, definition);
  return definition;
}

/** Where the type is missing, unknown or misplaced: beside it only names that no type has are reported. */
function untyped(place: Place): Definition<unknown> {
  return object(
    { type: required(typeAt(place)) },
    {
      expects,
      ignored: everyAttribute,
      candidates: attributeNames,
      unknown: (name) => {
        const kind = relationKinds.find((one) => one === name);
        return kind === undefined || place !== 'field' ? undefined : asRelation(kind);
      },
      otherNames: new Map(place === 'field' ? relationKinds.map((kind) => [kind, ['type']]) : []),
    },
  );
}

/** An enum says its values once: as `values` or as `enum`. */
function withValues<T extends object>(definition: Definition<T>): Definition<T> {
  const once = { oneOf: [{ required: ['values'] }, { required: ['enum'] }] };
  return refined(withSchema(definition, once), (value, report) => {
    if ('values' in value && 'enum' in value) {
      report(['enum'], '`values` and `enum` say the same of an enum; keep one');
    } else if (!('values' in value) && !('enum' in value)) {
      report([], 'an enum needs `values`: a list of the values that are allowed');
    }
  });
}

/** The word that stands at a key, if it is one of some words. */
function wordAt<T extends string>(node: MapNode, key: string, words: readonly T[]): T | undefined {
  const value = node.entries.get(key)?.value;
  return words.find((word) => value?.kind === 'scalar' && value.value === word);
}

/** The definition of a field, by its type. */
function fieldAt(place: Place): Definition<FieldSpecification> {
  const byType: Definition<unknown> = {
    expects,
    members: new Map(Object.entries(everyAttribute)),
    check: (node, path, collector) => {
      if (node.kind !== 'map') return refuse(expects, node, path, collector);
      const type = wordAt(node, 'type', placeTypes[place]);
      if (type === undefined) return check(untyped(place), node, path, collector);
      const kind = type === 'relation' ? wordAt(node, 'relation', relationKinds) : undefined;
      const checked = check(definitionOf(type, kind, place), node, path, collector);
      const isOwn = place === 'id' || place === 'field';
      if (checked === invalid || !isOwn || !node.entries.has('format')) return checked;
      // A format may make another type of it: of one that was refused nobody knows what could point to it.
      return Object.hasOwn(checked as object, 'format') ? checked : invalid;
    },
    schema: (define) => ({
      type: 'object',
      required: ['type'],
      properties: { type: typeAt(place).schema(define) },
      allOf: placeTypes[place].map((type) =>
        when(
          'type',
          type,
          type === 'relation' ? byKind(define) : branch(type, undefined, place, define),
        ),
      ),
    }),
  };
  return exactly<FieldSpecification>()(byType as Definition<FieldOfTable>);
}

function branch(
  type: TypeName,
  kind: RelationKind | undefined,
  place: Place,
  define: Define,
): JsonSchema {
  return definitionOf(type, kind, place).schema(define);
}

/** A relation in the JSON Schema: what else it takes is said by its kind. */
function byKind(define: Define): JsonSchema {
  return {
    required: ['relation'],
    properties: { relation: relation.schema(define) },
    allOf: relationKinds.map((kind) =>
      when('relation', kind, branch('relation', kind, 'field', define)),
    ),
  };
}

function when(name: string, value: string, then: JsonSchema): JsonSchema {
  // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
  return { if: { properties: { [name]: { const: value } }, required: [name] }, then };
}

/** The definition of the field `id`. */
export const idField = described(
  'The id; of a counted integer, unless `format` says otherwise.',
  named('id', fieldAt('id')),
);

/** The definition of any other field of a resource. */
export const field = named('field', fieldAt('field'));
