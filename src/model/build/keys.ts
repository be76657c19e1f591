import { lost } from '../../specification/parsers/left-out.ts';
import { nearest } from '../../lib/text/nearest.ts';
import type { Report } from '../../specification/problems.ts';
import type { FieldSpecification, StoredAs } from '../../specification/specification.ts';
import type { Field, FieldType, Resource, ValueKind } from '../api.ts';
import { addField, adviseDeclared } from './fields.ts';
import type { Declared, DraftField, DraftResource, Drafts, Path } from './draft.ts';
import { isComposite, keyFields } from '../field-types/composite-id.ts';
import { compositeKeyOn } from './composite-keys.ts';
import type { fieldTypes } from '../field-types/registry.ts';
import { reportUnknown, unknownName } from './names.ts';
import { recordName } from '../../lib/text/singular.ts';

/** The type that a key to this field has to have. */
export function keyType({ type }: Field): FieldSpecification {
  return typeOfKind(type.kind);
}

/** The types of kinds that are named otherwise than a type. */
const typesOfKinds: Readonly<Partial<Record<ValueKind, FieldSpecification>>> = {
  bigint: { type: 'integer', format: 'bigint' },
  numeric: { type: 'decimal', scale: 'any' },
  bytes: { type: 'string', format: 'base64' },
} satisfies Readonly<Record<Exclude<ValueKind, keyof typeof fieldTypes>, FieldSpecification>>;

/** The simplest type with values of this kind. */
export function typeOfKind(kind: ValueKind): FieldSpecification {
  return typesOfKinds[kind] ?? { type: kind };
}

/** Whether values of this kind may be keys. */
export function canBeKeys(kind: ValueKind): boolean {
  return kind !== 'bytes' && kind !== 'numeric';
}

/** A type as messages name it. */
export function typeName({ kind }: Pick<FieldType, 'kind'>, name: string = kind): string {
  return kind === 'bigint' ? 'integer with format: bigint' : name;
}

/** Keys are compared as they are stored, so equal values have to be stored alike. */
function checkStorage(key: Field, target: Field, path: Path, report: Report): void {
  const asKey = `as a key to ${placeOf(target)} it must have`;
  if (key.type.number === 'exact' && key.scale !== target.scale)
    report(path, `${placeOf(key)} has scale ${key.scale}; ${asKey} scale ${target.scale}`);
  const [own, wanted] = [key.attributes.storedAs, target.attributes.storedAs];
  if (own !== wanted)
    report(
      path,
      `${placeOf(key)} has ${formName(own)}; ${asKey} ${formName(wanted)}, so that equal values are stored alike`,
    );
}

const formName = (form: StoredAs | undefined): string =>
  form === undefined ? 'no storedAs' : `storedAs: ${form}`;

/** A key as the file names it. */
const written = (key: Field): string =>
  isComposite(key) ? `[${key.name.replaceAll(',', ', ')}]` : key.name;

const placeOf = (field: Field): string => `${field.resource.name}.${written(field)}`;

/** Fields with `reference: posts.id`: foreign keys, whether or not a relation uses them. */
export function buildReferences(resource: DraftResource, resources: Drafts, report: Report): void {
  for (const field of resource.fields.values()) {
    const { reference } = field.attributes;
    if (reference === undefined) continue;
    const path = referencePath(field, resource);
    const [name = '', fieldName = ''] = reference.split('.');
    const target = resources.get(name);
    const targetField = target?.fields.get(fieldName);
    if (target === undefined) reportUnknown(path, 'resource', name, resources.keys(), report);
    else if (targetField === undefined) {
      const known = [...target.fields.keys()].map((key) => `${name}.${key}`);
      const near = nearest(reference, known);
      report(path, unknownName('field', reference, known, near), 'error', [lost.name(fieldName)], {
        rule: 'unknown-name',
        instead: near === undefined ? undefined : { of: reference, by: near },
      });
    } else pointTo(field, target, targetField, path, report);
  }
}

/** The problem of one field that is to refer to a resource whose key has several fields. */
export function compositeTarget({ name }: Resource): string {
  return `the key of ${name} has several fields, and one field cannot refer to it; give the relation as many (foreignKey: [<field>, <field>]), or refer to a unique field: reference: ${name}.<field>`;
}

function referencePath({ name }: Field, resource: DraftResource): Path {
  return [...resource.path, 'fields', name, 'reference'];
}

/** Makes `key` point to `targetField`; reports when it points elsewhere already or is of another type. */
function pointTo(
  key: DraftField,
  target: Resource,
  targetField: Field,
  path: Path,
  report: Report,
): void {
  const { reference } = key;
  if (reference !== undefined) {
    if (reference.field !== targetField)
      report(
        path,
        `${placeOf(key)} refers to ${placeOf(reference.field)}, so it cannot be a key to ${placeOf(targetField)}`,
      );
    return;
  }
  if (isComposite(targetField)) report(path, compositeTarget(target));
  else if (key.type.isOfId === true) report(path, 'id cannot be a foreign key; name another field');
  else if (key.type.kind === 'bytes')
    report(path, `${placeOf(key)} holds bytes, which cannot be a key`);
  else if (key.type.kind === 'numeric')
    report(path, `${placeOf(key)} has scale: any, which a key cannot have`);
  else if (key.type.kind !== targetField.type.kind)
    report(
      path,
      `${placeOf(key)} is of type ${typeName(key.type, key.type.name)}; as a key to ${placeOf(targetField)} it must be of type ${typeName(targetField.type)}`,
      'error',
      [lost.field(target.name, targetField.name)],
    );
  else checkStorage(key, targetField, path, report);
  // What becomes of it on delete is decided when every relation has spoken.
  key.reference = { resource: target, field: targetField, onDelete: 'restrict' };
}

/** The names of the fields of a key, as the file gives them. */
export type ForeignKey = string | readonly string[];

/** The key `names` on `resource`, added if it is one field and not declared, made to point to `target`. */
function keyOn(
  resource: DraftResource,
  names: ForeignKey,
  target: DraftResource,
  relation: Declared,
  report: Report,
): DraftField {
  const { source, path } = relation;
  const [name = '', another] = typeof names === 'string' ? [names] : names;
  const key =
    typeof names === 'string' || another === undefined
      ? singleKeyOn(resource, name, target, relation, report)
      : compositeKeyOn(resource, names, target, [...path, 'foreignKey'], report);
  if (source.onDelete !== undefined) {
    const other = key.onDelete?.action ?? source.onDelete;
    const place = [...path, 'onDelete'];
    if (other !== source.onDelete)
      report(place, `${placeOf(key)} has onDelete ${other} already; say it once`);
    key.onDelete = { action: source.onDelete, path: place };
  }
  return key;
}

/** The key of one field. */
function singleKeyOn(
  resource: DraftResource,
  name: string,
  target: Resource,
  { source, path }: Declared,
  report: Report,
): DraftField {
  const declared = resource.fields.get(name);
  if (declared === undefined && source.foreignKey === name)
    adviseDeclared(resource, name, [...path, 'foreignKey'], report);
  const key = declared ?? addField(resource, name, keyType(target.id), path, report);
  const { reference } = key;
  const targetField = reference?.resource === target ? reference.field : target.id;
  pointTo(key, target, targetField, path, report);
  return key;
}

/** The key of a belongsTo, which may say `required` and `nullable` in the key's place. */
export function ownKey(relation: Declared, target: DraftResource, report: Report): DraftField {
  const { name, owner, source, path } = relation;
  const key = keyOn(owner, source.foreignKey ?? `${name}Id`, target, relation, report);
  const { attributes } = key;
  for (const word of ['required', 'nullable'] as const) {
    const [own, said] = [attributes[word], source[word]];
    if (own !== undefined && said !== undefined && own !== said)
      report([...path, word], `${placeOf(key)} says ${word}: ${own}; say it once`);
  }
  if (source.required !== undefined || source.nullable !== undefined) {
    key.required = attributes.required ?? source.required ?? key.required;
    key.nullable = attributes.nullable ?? source.nullable ?? !key.required;
  }
  return key;
}

interface KeySearch {
  /** The name that the file gives. */
  readonly foreignKey: ForeignKey | undefined;
  /** A key that is taken by the other side of a junction. */
  readonly except?: Field | undefined;
  /** Where the file may name one of several. */
  readonly place?: string;
  /** What may have named one that was not understood. */
  readonly unless?: readonly string[];
}

/**
 * The key on `other` that points to `target`. The order of the search is
 * docs/contract/1-specification-file.md#foreign-keys, rule 2.
 */
export function findKey(
  other: DraftResource,
  target: DraftResource,
  relation: Declared,
  { foreignKey, except, place = 'foreignKey', unless = [] }: KeySearch,
  report: Report,
): DraftField {
  if (foreignKey !== undefined) return keyOn(other, foreignKey, target, relation, report);
  const referring = [...other.fields.values()].filter(
    ({ attributes, reference }) =>
      attributes.reference !== undefined && reference?.resource === target,
  );
  const belonging = [...other.relations.values()].flatMap((candidate) =>
    candidate.kind === 'belongsTo' && candidate.target === target ? [candidate.key] : [],
  );
  const isFree = (key: Field): boolean => key !== except;
  const declared = referring.some(isFree) ? referring : belonging;
  const candidates = [...new Set<Field>(declared)].filter(isFree);
  if (candidates.length > 1)
    report(
      relation.path,
      `${other.name} has more than one key to ${target.name}: ${candidates
        .map(written)
        .join(
          ', ',
        )}; ${place === 'foreignKey' ? `write \`foreignKey: ${candidates.slice(0, 1).map(written).join('')}\`, or another of them` : `name one as ${place}`}`,
      'error',
      unless,
    );
  const [found] = candidates;
  const names = found?.name.split(',') ?? `${recordName(target.name)}Id`;
  return keyOn(other, names, target, relation, report);
}

/**
 * Decides, once all relations are known, what points where and what a delete does to it. See
 * docs/contract/1-specification-file.md#on-delete.
 */
export function finishKeys(resource: DraftResource, resources: Drafts, report: Report): void {
  for (const key of [...resource.fields.values(), ...resource.compositeKeys]) {
    const { reference, onDelete } = key;
    if (reference === undefined) {
      const isMeant = key.isMeantAsKey === true || key.attributes.reference !== undefined;
      if (onDelete !== undefined && !isMeant)
        report(
          onDelete.path,
          `${placeOf(key)} is not a foreign key; give it a reference`,
          'error',
          [lost.aRelationOf(resource.name), ...lost.aRelationTo(resource.name)],
        );
      continue;
    }
    const { field } = reference;
    if (field !== reference.resource.id && !field.unique)
      report(
        referencePath(key, resource),
        `${placeOf(field)} is not unique, so no key can point to it`,
      );
    const isEmptied = keyFields(key).every(({ nullable }) => nullable);
    const fallback = key.ofJunction === true ? 'cascade' : isEmptied ? 'setNull' : 'restrict';
    const action = onDelete?.action ?? fallback;
    if (onDelete?.action === 'setNull' && !key.nullable)
      report(
        onDelete.path,
        `${placeOf(key)} cannot become null; make it nullable, or choose restrict or cascade`,
      );
    key.reference = { ...reference, onDelete: action };
    // What a view shows keeps no record from being deleted.
    if (!resource.isReadOnly) resources.get(reference.resource.name)?.incoming.push(key);
  }
}
