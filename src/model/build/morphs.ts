import { enumType } from '../field-types/enum.ts';
import { integerType } from '../field-types/numbers/integer.ts';
import { stringType } from '../field-types/texts/string.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import { lost } from '../../specification/parsers/left-out.ts';
import type { Report } from '../../specification/problems.ts';
import type { Field } from '../api.ts';
import { addField, adviseDeclared } from './fields.ts';
import {
  baseOf,
  type Declared,
  type DraftField,
  type DraftResource,
  type Drafts,
} from './draft.ts';
import { compositeTarget, keyType, typeName } from './keys.ts';
import { isComposite } from '../field-types/composite-id.ts';
import { readValue } from '../validation/read-value.ts';

/** The two fields of a resource that say to which record of which resource it belongs, and who uses them. */
interface Pair {
  readonly resource: DraftResource;
  readonly typeField: string;
  readonly idField: string;
  readonly morphTo: Declared[];
  readonly morphMany: Declared[];
  /** Some morphMany may have meant it; that is reported already. */
  isUnclear: boolean;
}

/**
 * Builds every morphTo and morphMany, with the fields and the targets that they share. See
 * docs/contract/1-specification-file.md#polymorphic-relations.
 */
export function buildMorphs(
  morphTo: readonly Declared[],
  morphMany: readonly Declared[],
  resources: Drafts,
  report: Report,
): void {
  const pairs: Pair[] = [];
  const pairOf = (resource: DraftResource, typeField: string, idField: string): Pair => {
    const isIt = (pair: Pair): boolean =>
      pair.resource === resource && pair.typeField === typeField && pair.idField === idField;
    const known = pairs.find(isIt);
    if (known !== undefined) return known;
    const uses = { morphTo: [], morphMany: [], isUnclear: false };
    const pair: Pair = { resource, typeField, idField, ...uses };
    pairs.push(pair);
    return pair;
  };
  for (const relation of morphTo) {
    const { name, owner, source } = relation;
    const [typeField, idField] = [source.typeField ?? `${name}Type`, source.idField ?? `${name}Id`];
    pairOf(owner, typeField, idField).morphTo.push(relation);
  }
  for (const relation of morphMany) {
    const { typeField, idField } = relation.source;
    const target = resources.get(relation.source.resource ?? '');
    if (target === undefined) throw new TypeError('A morphMany was built unchecked');
    const all = pairs.filter((pair) => pair.resource === target && pair.morphTo.length > 0);
    const fitting = all.filter(
      (pair) =>
        (typeField ?? pair.typeField) === pair.typeField &&
        (idField ?? pair.idField) === pair.idField,
    );
    const [only, another] = fitting;
    if (only !== undefined && another === undefined) only.morphMany.push(relation);
    else if (only === undefined && typeField !== undefined && idField !== undefined)
      pairOf(target, typeField, idField).morphMany.push(relation);
    else {
      for (const pair of all) pair.isUnclear = true;
      report(
        relation.path,
        all.length === 0
          ? `${target.name} has no morphTo; add one to its fields, such as \`${morphName(relation.source, target)}: { type: relation, relation: morphTo }\`, or name typeField and idField`
          : `it must name typeField and idField of one morphTo of ${target.name}: ${all
              .map((pair) => `${pair.typeField} and ${pair.idField}`)
              .join(', or ')}`,
        'error',
        all.length === 0 ? [lost.aRelationOf(target.name)] : [],
      );
    }
  }
  for (const pair of pairs) buildPair(pair, resources, report);
}

/** A name for the morphTo that a morphMany lacks: that of the fields it names, or that the target has. */
function morphName({ typeField, idField }: Declared['source'], target: DraftResource): string {
  const isPair = (name: string): boolean => target.fields.has(`${name}Id`);
  const names = [
    typeField?.replace(/Type$/u, ''),
    idField?.replace(/Id$/u, ''),
    ...[...target.fields.keys()]
      .map((name) => /^(.+)Type$/u.exec(name)?.[1])
      .filter((name) => name !== undefined && isPair(name)),
  ];
  return names.find((name) => name !== undefined) ?? 'owner';
}

/** A resource of the file that a morphTo may lead to. */
function targetNamed(resource: DraftResource, resources: Drafts): string {
  const other = [...resources.values()].find(
    ({ hasKey, name }) => hasKey && name !== resource.name,
  );
  return (other ?? resource).name;
}

const typeValueOf = ({ owner, source }: Declared): string => source.typeValue ?? owner.name;

function buildPair(pair: Pair, resources: Drafts, report: Report): void {
  const { resource } = pair;
  const targets = targetsOf(pair, resources, report);
  const ids = [...targets.values()].map(({ id }) => id);
  const kinds = new Set(ids.map(({ type }) => type.kind));
  const idType = kinds.size > 1 ? { type: stringType.name } : ids[0] && keyType(ids[0]);
  const typeField = fieldOf(pair, pair.typeField, typeFields, report);
  const idField = fieldOf(pair, pair.idField, [idType ?? { type: integerType.name }], report);
  if (typeField.nullable !== idField.nullable)
    report(
      [...resource.path, 'fields', idField.name],
      `${typeField.name} and ${idField.name} must both be nullable, or neither`,
    );
  resource.morphKeys.push([typeField, idField]);
  if (targets.size > 0) typeField.values = [...targets.keys()];
  for (const [typeValue, target] of targets)
    if (!pair.morphMany.some(({ owner }) => owner === target))
      target.pairs.push({ target: resource, typeField, idField, typeValue });
  for (const relation of pair.morphTo) {
    const { name, owner } = relation;
    owner.relations.set(name, {
      kind: 'morphTo',
      ...baseOf(relation),
      typeField,
      idField,
      targets,
    });
  }
  for (const relation of pair.morphMany) {
    const { name, owner, source, path } = relation;
    const onDelete = source.onDelete ?? 'restrict';
    if (onDelete === 'setNull' && !idField.nullable)
      report(
        [...path, 'onDelete'],
        `${resource.name}.${idField.name} cannot become null; make it nullable, or choose restrict or cascade`,
      );
    owner.relations.set(name, {
      kind: 'morphMany',
      ...baseOf(relation),
      target: resource,
      typeField,
      idField,
      typeValue: typeValueOf(relation),
      onDelete,
    });
  }
}

/** The resources that a pair may lead to, by what the type field holds for them. */
function targetsOf(
  { resource, typeField, morphTo, morphMany, isUnclear }: Pair,
  resources: Drafts,
  report: Report,
): ReadonlyMap<string, DraftResource> {
  const targets = new Map<string, DraftResource>();
  const declared = resource.fields.get(typeField);
  const add = (value: string, target: DraftResource, path: Declared['path']): void => {
    if (declared !== undefined) checkTypeValue(value, declared, path, report);
    if (isComposite(target.id)) report(path, compositeTarget(target));
    const other = targets.get(value);
    if (other === undefined) targets.set(value, target);
    else
      report(
        path,
        `${JSON.stringify(value)} stands for ${other.name} already; give each morphMany to ${resource.name} its own typeValue`,
      );
  };
  for (const many of morphMany) {
    add(typeValueOf(many), many.owner, [...many.path, 'typeValue']);
    for (const { name, source } of morphTo)
      if (source.resources?.includes(many.owner.name) === false)
        report(
          many.path,
          `${resource.name}.${name} does not list ${many.owner.name} in its resources`,
        );
  }
  for (const { source, path } of morphTo) {
    for (const [index, name] of (source.resources ?? []).entries()) {
      const target = resources.get(name);
      if (target !== undefined && ![...targets.values()].includes(target))
        add(name, target, [...path, 'resources', index]);
    }
    if (targets.size === 0 && !isUnclear)
      report(
        path,
        `no resource has a morphMany to ${resource.name}; name those that it may lead to, such as \`resources: [${targetNamed(resource, resources)}]\`, or give each of them \`${resource.name}: { type: relation, relation: morphMany, resource: ${resource.name} }\``,
        'error',
        lost.aRelationTo(resource.name),
      );
  }
  return targets;
}

/** The types that the type field of a pair may have; one that is added has the first. */
const typeFields = [{ type: stringType.name }, { type: enumType.name }] as const;

/** What stands for a resource has to pass the rules that the type field was given, or no record could hold it. */
function checkTypeValue(value: string, field: Field, path: Declared['path'], report: Report): void {
  const isFitting = typeFields.some((fitting) => isOfType(field, fitting));
  const reading = isFitting ? readValue(value, field) : undefined;
  if (reading?.ok === false)
    for (const { message } of reading.issues)
      report(
        path,
        `${field.resource.name}.${field.name} cannot hold ${JSON.stringify(value)}: it ${message}`,
      );
}

function nameOf({ type, format }: FieldSpecification): string {
  return format === undefined ? type : `${type} with format: ${format}`;
}

function isOfType({ type: { name, kind } }: Field, { type, format }: FieldSpecification): boolean {
  return name === type && (kind === 'bigint') === (format !== undefined);
}

/** A field of a pair, added where it is not declared; it has to be of one of `types`. */
function fieldOf(
  { resource, morphTo, morphMany }: Pair,
  name: string,
  types: readonly [FieldSpecification, ...FieldSpecification[]],
  report: Report,
): DraftField {
  const declared = resource.fields.get(name);
  if (declared === undefined) {
    for (const { source, path } of [...morphTo, ...morphMany])
      for (const word of ['typeField', 'idField'] as const)
        if (source[word] === name) adviseDeclared(resource, name, [...path, word], report);
    const path = [...morphTo, ...morphMany][0]?.path ?? resource.path;
    return addField(resource, name, types[0], path, report);
  }
  const owners = [
    ...morphMany.map(({ owner }) => owner.name),
    ...morphTo.flatMap(({ source }) => source.resources ?? []),
  ];
  if (!types.some((type) => isOfType(declared, type)))
    report(
      [...resource.path, 'fields', name],
      `${resource.name}.${name} is of type ${typeName(declared.type, declared.type.name)}; in a morph pair it must be of type ${nameOf(types[0])}`,
      'error',
      [...lost.aRelationTo(resource.name), ...owners.map((owner) => lost.field(owner, 'id'))],
    );
  return declared;
}
