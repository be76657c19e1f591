import { computedFunctions } from '../../specification/keys/computed.ts';
import type { Report } from '../../specification/problems.ts';
import type {
  ComputedSpecification,
  FieldSpecification,
} from '../../specification/specification.ts';
import type { Rule } from '../access.ts';
import { hasExtremes, isToMany, type Computed, type Field, type RelationToMany } from '../api.ts';
import type { DraftField, DraftResource, Path } from './draft.ts';
import { makeField } from './fields.ts';
import { reportUnknown } from './names.ts';

type Related = Extract<Computed, { kind: 'related' }>;

/** What a computed field can say beside how it is computed. */
const known: ReadonlySet<string> = new Set<keyof FieldSpecification>([
  'type',
  'format',
  'precision',
  'scale',
  'enum',
  'values',
  'description',
  'example',
  'properties',
  'items',
  'access',
  'computed',
]);

/** Builds the fields of a resource that have no column, after all fields and relations. `hasCode`: the file names a module. */
export function buildComputed(resource: DraftResource, hasCode: boolean, report: Report): void {
  for (const [name, attributes] of Object.entries(resource.source.fields)) {
    const { computed } = attributes;
    if (computed === undefined) continue;
    const path = [...resource.path, 'fields', name];
    for (const key of Object.keys(attributes))
      if (!known.has(key) && !key.startsWith('x-'))
        report([...path, key], `\`${key}\` says nothing of a field that is computed; leave it out`);
    const place = [...path, 'computed'];
    if (computed === true && !hasCode)
      report(place, 'a function of own code computes it: add `code: ./api.ts` to the file');
    const field = makeField(resource, name, attributes, path);
    const how = computationOf(resource, computed, place, report);
    if (how === undefined) continue;
    const misfit = misfitOf(field, how);
    if (misfit !== undefined) report([...path, 'type'], `${name} ${misfit}`);
    resource.computed.set(name, asComputed(field, how));
  }
}

/** The field, with the values of the one that it has the least or the greatest of. */
function asComputed(field: DraftField, computed: Computed): Field {
  const nullable = !(
    computed.kind === 'where' ||
    (computed.kind === 'related' && computed.function === 'count')
  );
  const made = { ...field, column: '', readOnly: true, nullable, computed };
  const source = computed.kind === 'related' ? extremeOf(computed) : undefined;
  if (source === undefined) return made;
  const { type, values, native, precision, scale, attributes } = source;
  const { storedAs } = attributes;
  const own = storedAs === undefined ? {} : { storedAs };
  return {
    ...made,
    type,
    values,
    native,
    precision,
    scale,
    attributes: { ...field.attributes, ...own },
  };
}

function extremeOf({ function: name, field }: Related): Field | undefined {
  return name === 'min' || name === 'max' ? field : undefined;
}

/** How a field is computed; undefined if a problem was reported. */
function computationOf(
  resource: DraftResource,
  computed: true | ComputedSpecification,
  path: Path,
  report: Report,
): Computed | undefined {
  if (computed === true) return { kind: 'code' };
  const where = computed.where === undefined ? undefined : ruleOf(computed.where, path);
  if (computed.join !== undefined) {
    const fields = computed.join.flatMap((name, index) => {
      const field = resource.fields.get(name);
      const place = [...path, 'join', index];
      if (field === undefined) {
        refuseName(resource, name, place, report);
        return [];
      }
      const isText = field.type.kind === 'string' && field.items === undefined;
      if (!isText || field.parts !== undefined || field.writeOnly)
        report(
          place,
          `${name} is ${field.writeOnly ? 'writeOnly' : `of type ${field.type.name}`}; \`join\` takes texts that are read`,
        );
      return [field];
    });
    if (fields.length < computed.join.length) return undefined;
    return { kind: 'join', fields, between: computed.with ?? '' };
  }
  const name = computedFunctions.find((one) => computed[one] !== undefined);
  if (name === undefined) return where && { kind: 'where', where };
  const [relationName = '', ...rest] = (computed[name] ?? '').split('.');
  const place = [...path, name];
  const relation = resource.relations.get(relationName);
  if (relation === undefined) {
    refuseName(resource, relationName, place, report);
    return undefined;
  }
  if (!isToMany(relation)) {
    report(place, `${relationName} leads to one record; a computed field is of a relation to many`);
    return undefined;
  }
  if (name === 'count')
    return { kind: 'related', function: name, relation, field: undefined, isPivot: false, where };
  const found = fieldOf(relation, rest, place, report);
  return found && { kind: 'related', function: name, relation, ...found, where };
}

/** The field behind a relation: of the related records, or with `pivot` of the links. */
function fieldOf(
  relation: RelationToMany,
  rest: readonly string[],
  place: Path,
  report: Report,
): { readonly field: Field; readonly isPivot: boolean } | undefined {
  const isPivot = rest.length === 2;
  const [first = '', second = ''] = rest;
  if (isPivot && (first !== 'pivot' || relation.kind !== 'belongsToMany')) {
    report(
      place,
      `${rest.join('.')} is no field of ${relation.target.name}; write ${relation.name}.field`,
    );
    return undefined;
  }
  const fields = new Map(
    isPivot && relation.kind === 'belongsToMany'
      ? relation.pivot.map((one) => [one.name, one])
      : relation.target.fields,
  );
  const name = isPivot ? second : first;
  const field = fields.get(name);
  if (field === undefined) {
    reportUnknown(place, isPivot ? 'pivot field' : 'field', name, fields.keys(), report);
    return undefined;
  }
  if (field.writeOnly)
    report(place, `${name} is writeOnly, so nothing that is read may follow from it`);
  return { field, isPivot };
}

function refuseName(resource: DraftResource, name: string, place: Path, report: Report): void {
  const isComputed = resource.source.fields[name]?.computed !== undefined;
  if (isComputed) report(place, `${name} is computed itself; name fields that are stored`);
  else
    reportUnknown(
      place,
      'field',
      name,
      [...resource.fields.keys(), ...resource.relations.keys()],
      report,
    );
}

/** Filters of the file are read as those of access rules are, as the owner of the data. */
function ruleOf(where: string, path: Path): Rule {
  return { role: 'public', where, path: [...path, 'where'] };
}

/** Why a type does not fit how its values are computed; undefined if it does. */
function misfitOf({ type, scale }: Field, computed: Computed): string | undefined {
  const needs = (name: string): string => `is of type ${type.name}; what is computed is ${name}`;
  if (computed.kind === 'join') return type.kind === 'string' ? undefined : needs('a string');
  if (computed.kind === 'code') return undefined;
  if (computed.kind === 'where') return type.kind === 'boolean' ? undefined : needs('a boolean');
  const { function: name, field } = computed;
  if (field === undefined) return type.kind === 'integer' ? undefined : needs('an integer');
  const { kind } = field.type;
  const isNumber = kind === 'integer' || kind === 'number' || kind === 'decimal';
  if (field.attributes.storedAs === 'text')
    return `is computed from ${field.name}, whose decimals are stored as text`;
  if (name === 'avg') {
    if (!isNumber) return `is the average of ${field.name}, which is of type ${field.type.name}`;
    return type.kind === 'number' ? undefined : needs('a number');
  }
  if (name === 'sum') {
    if (!isNumber) return `is the sum of ${field.name}, which is of type ${field.type.name}`;
    if (type.kind !== kind) return needs(`of type ${field.type.name}`);
    return kind === 'decimal' && scale !== field.scale
      ? `has scale ${scale}; the decimals that it adds up have scale ${field.scale}`
      : undefined;
  }
  // SQLite computes without the order of decimals of any scale.
  if (!hasExtremes(field) || kind === 'numeric')
    return `is the ${name} of ${field.name}, which is of type ${field.type.name}`;
  return type.kind === kind ? undefined : needs(`of type ${field.type.name}`);
}
