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
import { nearest } from '../../lib/text/nearest.ts';
import { recordName } from '../../lib/text/singular.ts';
import { anyJson, boolean, choice } from '../parsers/scalars.ts';
import { quote, type MapNode } from '../yaml/node.ts';
import type { FieldSpecification, RelationKind } from '../specification.ts';
import {
  fits,
  misfit,
  relationKinds,
  variantFor,
  type AttributeTable,
  type AttributeType,
  type Place,
  type TypeKeys,
  type Words,
} from './attribute.ts';
import { anywhere, attributes } from './attributes.ts';
import { stringFormats } from './formats.ts';
import { junctionBetween } from './common.ts';
import { advised, otherFieldWords } from './other-words.ts';

const expects = 'a definition such as { type: string }';

/** The attributes that hold further definitions, which depend on the types that there are. */
function tableOf(property: Definition<FieldSpecification>, item: Definition<FieldSpecification>) {
  return {
    ...attributes,
    properties: fits(
      map(propertyNames, property, {
        description: 'The members of the object; without it any are taken.',
        expects: 'a map of property name to definition',
        partial: true,
      }),
      { sets: ['members'], places: anywhere },
    ),
    additionalProperties: fits(
      boolean({
        description: 'Whether the object takes members that `properties` does not declare.',
        default: false,
      }),
      { sets: ['members'], places: anywhere },
    ),
    items: fits(described('What every item has to be.', item), {
      sets: ['items'],
      places: anywhere,
    }),
  } as const;
}

/** What the compiler makes of the table; it has to be `FieldSpecification`. */
type Table = ReturnType<typeof tableOf>;
type FieldOfTable = Flat<
  { readonly type: string } & {
    readonly [K in keyof Table]?: AttributeType<Table[K]>;
  }
>;

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

const relationType = 'relation';
const relation = attributes.relation[0].definition;

/** What people call types elsewhere: other name → type. */
function otherTypeNames(types: readonly TypeKeys[]): ReadonlyMap<string, string> {
  return new Map(
    types.flatMap(({ name, otherNames = [] }) => otherNames.map((other) => [other, name] as const)),
  );
}

function asRelation(kind: string): string {
  return `${quote(kind)} is a kind of relation: write { type: relation, relation: ${kind}, … }`;
}

function wrongPlace(type: string, place: Place): string {
  if (place === 'id') {
    return `\`id\` has to be of type id, not ${type}; its \`format\` may be uuid, string or bigint`;
  }
  if (place === 'field') {
    return 'type id is for the field `id` alone; a foreign key to an integer id is of type integer, with `reference`';
  }
  const where = place === 'property' ? 'a property of an object' : 'the items of an array';
  return `type ${type} does not fit ${where}; it fits a resource's own fields`;
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

function textAt({ entries }: MapNode, key: string): string | undefined {
  const value = entries.get(key)?.value;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}

const adviceOn = advised(otherFieldWords);

/** What a `through` is, with the lines to write. */
function junctionLines(owner: string, target: string | undefined): string {
  if (target === undefined) return 'the resource of the links (junction)';
  const { name, resource } = junctionBetween(owner, target);
  return `the resource of the links; write \`through: ${name}\`, and among the resources \`${resource}\``;
}

/** The kinds of a relation, and the line to write for the one that its name speaks of. */
function relationLine(name: string, node: MapNode): string | undefined {
  const target = textAt(node, 'resource');
  if (target === undefined) return undefined;
  const through = textAt(node, 'through');
  const kind =
    through !== undefined ? 'belongsToMany' : name === recordName(name) ? 'belongsTo' : 'hasMany';
  const more = through === undefined ? '' : `, through: ${through}`;
  return `${relation.expects}; write \`{ type: relation, relation: ${kind}, resource: ${target}${more} }\`, if that is meant`;
}

function when(name: string, value: string, then: JsonSchema): JsonSchema {
  // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
  return { if: { properties: { [name]: { const: value } }, required: [name] }, then };
}

/** The definitions of the field `id` of a resource, and of any other field of it. */
export interface FieldDefinitions {
  readonly idField: Definition<FieldSpecification>;
  readonly field: Definition<FieldSpecification>;
}

/** The definitions of fields that may be of these types. */
export function fieldDefinitions(words: Words): FieldDefinitions {
  const property = recursive('property', expects, () => fieldAt('property'));
  const item = recursive('item', expects, () => fieldAt('item'));
  const known: AttributeTable = tableOf(property, item);
  const attributeNames = ['type', ...Object.keys(known)];
  const everyAttribute: Members = Object.fromEntries(
    Object.keys(known).map((name) => [name, anyJson()]),
  );
  const all = Object.values(words.types);
  const ids = all.filter(({ isOfId = false }) => isOfId).map(({ name }) => name);
  const values = all.filter(({ isOfId = false }) => !isOfId).map(({ name }) => name);
  const placeTypes: Readonly<Record<Place, readonly string[]>> = {
    id: ids,
    field: [...values, relationType],
    property: values,
    item: values,
  };
  const otherNames = otherTypeNames(all);

  /** The name of a type that may stand there. */
  function typeAt(place: Place): Definition<string> {
    const types = placeTypes[place];
    const expects = either(types);
    return {
      expects,
      check: (node, path, collector) => {
        const value = node.kind === 'scalar' ? node.value : null;
        if (typeof value !== 'string' || value === '')
          return refuse(expects, node, path, collector);
        const type = [...Object.keys(words.types), relationType].find((name) => name === value);
        if (type !== undefined && types.includes(type)) return type;
        const near = type === undefined ? nearType(value, types) : undefined;
        collector.report(
          path,
          type === undefined ? unknownType(value, types) : wrongPlace(type, place),
          'error',
          { rule: 'value', instead: near === undefined ? undefined : { by: near } },
        );
        // Read on as what was meant, so that whatever else is wrong is said in the same run.
        return near ?? invalid;
      },
      schema: (define) => choice(types, { description: 'The type of the field.' }).schema(define),
    };
  }

  /** The type that an unknown name may have been meant to be. */
  function nearType(value: string, types: readonly string[]): string | undefined {
    // As in `varchar(255)`.
    const word = value.replace(/\s*\(.*\)$/u, '').toLowerCase();
    const name = otherNames.get(word) ?? nearest(word, types);
    return types.find((type) => type === name);
  }

  function unknownType(value: string, types: readonly string[]): string {
    const near = nearType(value, types);
    const kind = relationKinds.find((name) => name === value);
    if (kind !== undefined && types.includes(relationType)) return asRelation(kind);
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

  /** The members of a definition of this type; for a relation of unknown kind those of every kind. */
  function membersOf(type: string, kind: RelationKind | undefined, place: Place): Members {
    const kinds = type === relationType && kind === undefined ? relationKinds : [kind];
    const members: Record<string, Definition<unknown>> = {
      // Which types there are is said once, above the branches of the JSON Schema.
      type: required({ ...typeAt(place), schema: () => ({ const: type }) }),
    };
    for (const [name, attribute] of Object.entries(known)) {
      const variant = kinds
        .map((candidate) => variantFor(attribute, words.types[type], candidate, place))
        .find((found) => found !== undefined);
      if (variant === undefined) continue;
      const index = attribute.indexOf(variant);
      const shared = `attribute-${name}${index === 0 ? '' : `-${index + 1}`}`;
      const definition = named(shared, variant.definition);
      const isRequired = kinds.every(
        (one) => one !== undefined && variant.requiredBy.includes(one),
      );
      members[name] = isRequired ? required(definition) : definition;
    }
    if (type === relationType && kind === undefined) members['relation'] = required(relation);
    return members;
  }

  /** The definitions of one type (and kind of relation) in one place, made when they are first needed. */
  const made = new Map<string, Definition<unknown>>();

  function definitionOf(
    type: string,
    kind: RelationKind | undefined,
    place: Place,
  ): Definition<unknown> {
    const key = [place, type, ...(kind === undefined ? [] : [kind])].join('-');
    const found = made.get(key);
    if (found !== undefined) return found;
    const members = membersOf(type, kind, place);
    const plain = object(members, {
      expects,
      unknown: (name, node, path) => {
        const attribute = Object.hasOwn(known, name) ? known[name] : undefined;
        if (attribute === undefined) return adviceOn(name, node, path);
        return misfit(name, attribute, words.types[type], kind, place, all);
      },
      missing: (name, node, path) =>
        name === 'through'
          ? junctionLines(String(path[1]), textAt(node, 'resource'))
          : name === 'relation'
            ? relationLine(String(path.at(-1)), node)
            : undefined,
      candidates: [...Object.keys(members), ...attributeNames],
      otherNames: otherAttributes,
    });
    const definition = named(
      key,
      words.types[type]?.attributes.includes('allowedValues') === true ? withValues(plain) : plain,
    );
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
        unknown: (name, node, path) => {
          const kind = relationKinds.find((one) => one === name);
          return kind === undefined || place !== 'field'
            ? adviceOn(name, node, path)
            : asRelation(kind);
        },
        otherNames: new Map(place === 'field' ? relationKinds.map((kind) => [kind, ['type']]) : []),
      },
    );
  }

  /** The definition of a field, by its type. */
  function fieldAt(place: Place): Definition<FieldSpecification> {
    const byType: Definition<unknown> = {
      expects,
      members: new Map(Object.entries(everyAttribute)),
      check: (node, path, collector) => {
        if (node.kind !== 'map') {
          const types = placeTypes[place].filter((type) => type !== relationType);
          const meant =
            node.kind === 'scalar' && typeof node.value === 'string'
              ? nearType(node.value, types)
              : undefined;
          const instead = meant === undefined ? undefined : { by: `{ type: ${meant} }` };
          return refuse(expects, node, path, collector, '', instead);
        }
        const type = wordAt(node, 'type', placeTypes[place]);
        if (type === undefined) return check(untyped(place), node, path, collector);
        const kind = type === relationType ? wordAt(node, 'relation', relationKinds) : undefined;
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
            type === relationType ? byKind(define) : branch(type, undefined, place, define),
          ),
        ),
      }),
    };
    return exactly<FieldSpecification>()(byType as Definition<FieldOfTable>);
  }

  function branch(
    type: string,
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
        when('relation', kind, branch(relationType, kind, 'field', define)),
      ),
    };
  }

  return {
    idField: described(
      'The id; of a counted integer, unless `format` says otherwise.',
      named('id', fieldAt('id')),
    ),
    field: named('field', fieldAt('field')),
  };
}
