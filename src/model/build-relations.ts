import type { Report } from '../spec/problems.ts';
import type { OnDelete } from '../spec/specification.ts';
import type { Field, Resource } from './api.ts';
import { addField } from './build-fields.ts';
import { buildMorphMany, buildMorphTo } from './build-morphs.ts';
import { keyType, type Declared, type Draft, type DraftResource, type Drafts } from './draft.ts';
import { recordName, unknownName } from './names.ts';

/**
 * Finds the keys of every relation, adds those that are not declared, and links the resources. belongsTo comes
 * first, since the others look at its keys. Contract 1, Relations.
 */
export function buildRelations(resources: Drafts, report: Report): void {
  const declared = [...resources.values()].flatMap((owner) =>
    Object.entries(owner.source.fields)
      .filter(([, source]) => source.type === 'relation')
      .map(([name, source]): Declared => ({
        name,
        owner,
        source,
        path: [...owner.path, 'fields', name],
      })),
  );
  for (const relation of declared) checkNames(relation, resources, report);
  const known = declared.filter(({ source }) =>
    [source.resource, source.through, ...(source.resources ?? [])].every(
      (name) => name === undefined || resources.has(name),
    ),
  );
  const of = (...kinds: string[]): Declared[] =>
    known.filter(({ source }) => kinds.includes(source.relation ?? ''));

  for (const resource of resources.values()) buildReferences(resource, resources, report);
  for (const relation of of('belongsTo')) buildBelongsTo(relation, resources, report);
  for (const relation of of('hasOne', 'hasMany')) buildHas(relation, resources, report);
  for (const relation of of('belongsToMany')) buildBelongsToMany(relation, resources, report);
  const morphMany = of('morphMany');
  for (const relation of of('morphTo')) buildMorphTo(relation, morphMany, resources, report);
  for (const relation of morphMany) buildMorphMany(relation, resources, report);
  for (const resource of resources.values()) finish(resource, resources, report);
}

function checkNames({ source, path }: Declared, resources: Drafts, report: Report): void {
  const check = (name: string | undefined, ...key: (string | number)[]): void => {
    if (name !== undefined && !resources.has(name))
      report([...path, ...key], unknownName('resource', name, resources.keys()));
  };
  check(source.resource, 'resource');
  check(source.through, 'through');
  for (const [index, name] of (source.resources ?? []).entries()) check(name, 'resources', index);
}

/** Fields with `reference: posts.id`: foreign keys, whether or not a relation uses them. */
function buildReferences(resource: DraftResource, resources: Drafts, report: Report): void {
  for (const field of resource.fields.values()) {
    const { reference } = field.attributes;
    if (reference === undefined) continue;
    const path = [...resource.path, 'fields', field.name, 'reference'];
    const [name = '', fieldName = ''] = reference.split('.');
    const target = resources.get(name);
    const targetField = target?.fields.get(fieldName);
    if (target === undefined) report(path, unknownName('resource', name, resources.keys()));
    else if (targetField === undefined)
      report(
        path,
        unknownName(
          'field',
          reference,
          [...target.fields.keys()].map((key) => `${name}.${key}`),
        ),
      );
    else if (targetField !== target.id && !targetField.unique)
      report(path, `${reference} is not unique, so a key cannot point to it`);
    else pointTo(field, target, targetField, field.attributes.onDelete, path, report);
  }
}

/** Makes `field` a foreign key; an earlier reference to the same field stays as it is. */
function pointTo(
  field: Draft<Field>,
  target: Resource,
  targetField: Field,
  onDelete: OnDelete | undefined,
  path: readonly (string | number)[],
  report: Report,
): void {
  const { reference } = field;
  if (reference !== undefined && reference.field !== targetField)
    report(
      path,
      `${field.name} already refers to ${reference.resource.name}.${reference.field.name}, not to ${target.name}.${targetField.name}`,
    );
  else if (field.type.name !== keyType(targetField))
    report(
      path,
      `${field.name} must be of type ${keyType(targetField)}, as ${target.name}.${targetField.name} is`,
    );
  const fallback = field.nullable ? 'setNull' : 'restrict';
  field.reference = {
    resource: target,
    field: targetField,
    onDelete: onDelete ?? field.attributes.onDelete ?? reference?.onDelete ?? fallback,
  };
}

/** The key `name` on `resource`, added where it is not declared, made to point to `target`. */
function keyOn(
  resource: DraftResource,
  name: string,
  target: Resource,
  relation: Declared,
  report: Report,
): Draft<Field> {
  const { source } = relation;
  let field = resource.fields.get(name);
  if (field === undefined) {
    const onOwner = source.relation === 'belongsTo';
    field = addField(resource, name, {
      type: keyType(target.id),
      ...(onOwner && source.required !== undefined ? { required: source.required } : {}),
      ...(onOwner && source.nullable !== undefined ? { nullable: source.nullable } : {}),
    });
  }
  const targetField = field.reference?.resource === target ? field.reference.field : target.id;
  pointTo(field, target, targetField, source.onDelete, relation.path, report);
  return field;
}

function targetOf({ source }: Declared, resources: Drafts): DraftResource {
  const target = resources.get(source.resource ?? '');
  if (target === undefined) throw new TypeError('A relation without a known resource was built');
  return target;
}

function buildBelongsTo(relation: Declared, resources: Drafts, report: Report): void {
  const { name, owner, source } = relation;
  const target = targetOf(relation, resources);
  const key = keyOn(owner, source.foreignKey ?? `${name}Id`, target, relation, report);
  const targetKey = key.reference?.field ?? target.id;
  const { description } = source;
  owner.relations.set(name, {
    kind: 'belongsTo',
    name,
    owner,
    description,
    target,
    key,
    targetKey,
  });
}

/** The key on `other` that points to `target`: contract 1, "Which foreign key". */
function findKey(
  other: DraftResource,
  target: DraftResource,
  relation: Declared,
  explicit: string | undefined,
  except: Field | undefined,
  report: Report,
): Draft<Field> {
  if (explicit !== undefined) return keyOn(other, explicit, target, relation, report);
  const referring = [...other.fields.values()].filter(
    (field) =>
      field !== except &&
      field.attributes.reference !== undefined &&
      field.reference?.resource === target,
  );
  const belonging = [...other.relations.values()].flatMap((candidate) =>
    candidate.kind === 'belongsTo' && candidate.target === target && candidate.key !== except
      ? [candidate.key]
      : [],
  );
  const candidates = [...new Set(referring.length > 0 ? referring : belonging)];
  if (candidates.length > 1)
    report(
      relation.path,
      `${other.name} has more than one key to ${target.name}: ${candidates.map((key) => key.name).join(', ')}; name one as foreignKey`,
    );
  const name = candidates[0]?.name ?? `${recordName(target.name)}Id`;
  return keyOn(other, name, target, relation, report);
}

function buildHas(relation: Declared, resources: Drafts, report: Report): void {
  const { name, owner, source } = relation;
  const target = targetOf(relation, resources);
  const key = findKey(target, owner, relation, source.foreignKey, undefined, report);
  const kind = source.relation === 'hasOne' ? 'hasOne' : 'hasMany';
  if (kind === 'hasOne') key.unique = true;
  const ownerField = key.reference?.field ?? owner.id;
  const { description } = source;
  owner.relations.set(name, { kind, name, owner, description, target, key, ownerField });
}

function buildBelongsToMany(relation: Declared, resources: Drafts, report: Report): void {
  const { name, owner, source, path } = relation;
  const target = targetOf(relation, resources);
  const through = resources.get(source.through ?? '');
  if (through === undefined) throw new TypeError('A junction without a known resource was built');
  const ownerKey = findKey(through, owner, relation, source.foreignKey, undefined, report);
  const except = owner === target ? ownerKey : undefined;
  const targetKey = findKey(through, target, relation, undefined, except, report);
  if (ownerKey === targetKey)
    report(path, `${through.name} needs one key to each side; ${ownerKey.name} is the only one`);
  for (const key of [ownerKey, targetKey])
    if (key.reference !== undefined && key.attributes.onDelete === undefined)
      key.reference = { ...key.reference, onDelete: 'cascade' };
  const pivot = (source.withPivot ?? []).flatMap((pivotName, index) => {
    const field = through.fields.get(pivotName);
    if (field === undefined)
      report([...path, 'withPivot', index], unknownName('field', pivotName, through.fields.keys()));
    return field ?? [];
  });
  const { description } = source;
  owner.relations.set(name, {
    kind: 'belongsToMany',
    name,
    owner,
    description,
    target,
    through,
    ownerKey,
    targetKey,
    pivot,
  });
}

/** After all keys are known: what points where, and whether `setNull` can be done. */
function finish(resource: DraftResource, resources: Drafts, report: Report): void {
  for (const field of resource.fields.values()) {
    const { reference } = field;
    if (reference === undefined) continue;
    resources.get(reference.resource.name)?.incoming.push(field);
    if (reference.onDelete === 'setNull' && !field.nullable)
      report(
        [...resource.path, 'fields', field.name],
        `${field.name} cannot be set to null on delete: it is not nullable`,
      );
  }
}
