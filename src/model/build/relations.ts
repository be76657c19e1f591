import { lost, lostByUnknown } from '../../specification/parsers/left-out.ts';
import type { Report } from '../../specification/problems.ts';
import { buildMorphs } from './morphs.ts';
import type { Field } from '../api.ts';
import { baseOf, type Declared, type DraftResource, type Drafts } from './draft.ts';
import { addField } from './fields.ts';
import { buildReferences, findKey, keyType, ownKey } from './keys.ts';
import { reportUnknown } from './names.ts';
import { junctionBetween, otherKeyName } from '../../specification/keys/common.ts';

/**
 * Finds the keys of every relation, adds those that are not declared, and links the resources. belongsTo comes first,
 * since the others look at its keys. Relations to what does not exist are left out, with all that they would have
 * added. See docs/contract/1-specification-file.md#relations and docs/contract/1-specification-file.md#foreign-keys.
 */
export function buildRelations(
  resources: Drafts,
  report: Report,
  leaveOut: (what: readonly string[]) => void,
): void {
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
  const known = declared.filter((relation) => namesExist(relation, resources, report));
  for (const relation of declared) {
    const { name, owner, source } = relation;
    const named = [source.typeField, source.idField, ...[source.foreignKey].flat()];
    if (!known.includes(relation)) leaveOut(lostByUnknown(owner.name, name, named));
  }
  const of = (...kinds: string[]): Declared[] =>
    known.filter(({ source }) => kinds.includes(source.relation ?? ''));

  for (const resource of resources.values()) buildReferences(resource, resources, report);
  for (const relation of of('belongsTo')) buildBelongsTo(relation, resources, report);
  for (const relation of of('hasOne', 'hasMany')) buildHas(relation, resources, report);
  for (const relation of of('belongsToMany')) buildBelongsToMany(relation, resources, report);
  buildMorphs(of('morphTo'), of('morphMany'), resources, report);
}

/** Whether every resource that a relation names is there. */
function namesExist(relation: Declared, resources: Drafts, report: Report): boolean {
  const { name, owner, source, path } = relation;
  let exist = true;
  const check = (resource: string | undefined, ...key: (string | number)[]): void => {
    if (resource === undefined) return;
    const other = resources.get(resource);
    if (other?.hasKey === true) return;
    exist = false;
    if (other !== undefined) {
      report([...path, ...key], `${resource} has no key, so that no relation leads to it`);
      return;
    }
    const lines = `; add it to the resources, such as \`${resource}: { fields: { name: { type: string } } }\``;
    reportUnknown([...path, ...key], 'resource', resource, resources.keys(), report, lines);
  };
  check(source.resource, 'resource');
  const { through, resource: target = '' } = source;
  if (through !== undefined && !resources.has(through)) {
    exist = false;
    const typeOf = (name: string): string => typeLines(resources.get(name)?.id);
    const { resource } = junctionBetween(owner.name, target, through, typeOf);
    const lines = resources.has(target) ? `; add it to the resources: \`${resource}\`` : '';
    reportUnknown([...path, 'through'], 'resource', through, resources.keys(), report, lines);
  }
  for (const [index, resource] of (source.resources ?? []).entries())
    check(resource, 'resources', index);
  // The key is there all the same, so that its other uses are not called unknown.
  if (!exist && source.relation === 'belongsTo')
    for (const key of [source.foreignKey ?? `${name}Id`].flat()) {
      const field =
        owner.fields.get(key) ?? addField(owner, key, { type: 'integer' }, path, report);
      field.isMeantAsKey = true;
    }
  return exist;
}

/** The type of a key to a field, as the file has it. */
function typeLines(target: Field | undefined): string {
  const type = target === undefined ? { type: 'integer' } : keyType(target);
  return Object.entries(type)
    .map(([key, value]) => `${key}: ${String(value)}`)
    .join(', ');
}

function resourceOf(name: string | undefined, resources: Drafts): DraftResource {
  const resource = resources.get(name ?? '');
  if (resource === undefined) throw new TypeError(`A relation to ${name} was built unchecked`);
  return resource;
}

function buildBelongsTo(relation: Declared, resources: Drafts, report: Report): void {
  const { name, owner, source } = relation;
  const target = resourceOf(source.resource, resources);
  const key = ownKey(relation, target, report);
  const targetField = key.reference?.field ?? target.id;
  owner.relations.set(name, { kind: 'belongsTo', ...baseOf(relation), target, key, targetField });
}

function buildHas(relation: Declared, resources: Drafts, report: Report): void {
  const { name, owner, source } = relation;
  const target = resourceOf(source.resource, resources);
  const key = findKey(target, owner, relation, { foreignKey: source.foreignKey }, report);
  const kind = source.relation === 'hasOne' ? 'hasOne' : 'hasMany';
  if (kind === 'hasOne') key.unique = true;
  const ownerField = key.reference?.field ?? owner.id;
  owner.relations.set(name, { kind, ...baseOf(relation), target, key, ownerField });
}

/**
 * What the other side of a belongsToMany, a relation of the target back through the same junction, names as its own
 * key; undefined where none does, or several differ.
 */
function otherSideKey(
  { owner, source: { through } }: Declared,
  target: DraftResource,
  ownerKey: string,
): readonly string[] | undefined {
  const keys = Object.values(target.source.fields).flatMap((field) =>
    field.relation === 'belongsToMany' &&
    field.through === through &&
    field.resource === owner.name &&
    field.foreignKey !== undefined
      ? [field.foreignKey].flat().join(',')
      : [],
  );
  const [key, another] = new Set(keys.filter((name) => owner !== target || name !== ownerKey));
  return another === undefined ? key?.split(',') : undefined;
}

function buildBelongsToMany(relation: Declared, resources: Drafts, report: Report): void {
  const { name, owner, source, path } = relation;
  const target = resourceOf(source.resource, resources);
  const through = resourceOf(source.through, resources);
  const ownerKey = findKey(through, owner, relation, { foreignKey: source.foreignKey }, report);
  const targetKey = findKey(
    through,
    target,
    relation,
    {
      foreignKey: otherSideKey(relation, target, ownerKey.name),
      except: owner === target ? ownerKey : undefined,
      unless: [lost.aRelationOf(target.name)],
      place: `foreignKey of a belongsToMany of ${target.name} through ${through.name}`,
    },
    report,
  );
  if (ownerKey === targetKey)
    report(
      path,
      `${through.name} has ${ownerKey.name} alone as a key to ${owner.name}; it needs one to each side: add a field such as \`${otherKeyName(ownerKey.name)}: { ${typeLines(owner.id)}, required: true, reference: ${owner.name}.${owner.id.name} }\``,
      'error',
      [lost.aFieldOf(through.name)],
    );
  ownerKey.ofJunction = true;
  targetKey.ofJunction = true;
  owner.relations.set(name, {
    kind: 'belongsToMany',
    ...baseOf(relation),
    target,
    through,
    ownerKey,
    ownerField: ownerKey.reference?.field ?? owner.id,
    targetKey,
    targetField: targetKey.reference?.field ?? target.id,
    pivot: [],
  });
}

/** Finds the pivot fields of every belongsToMany, once all that is added to their junctions is there. */
export function buildPivots({ path, source, relations }: DraftResource, report: Report): void {
  for (const [name, relation] of relations) {
    if (relation.kind !== 'belongsToMany') continue;
    const place = [...path, 'fields', name, 'withPivot'];
    const { target, through } = relation;
    const pivot = (source.fields[name]?.withPivot ?? []).flatMap((pivotName, index) => {
      const field = through.fields.get(pivotName);
      if (field === undefined)
        reportUnknown([...place, index], 'field', pivotName, through.fields.keys(), report);
      return field ?? [];
    });
    if (pivot.length > 0 && target.fields.has('pivot'))
      report(
        place,
        `${target.name} has a field \`pivot\`, which the pivot data of this relation hides where it is expanded`,
        'warning',
      );
    relations.set(name, { ...relation, pivot });
  }
}
