import type { Report } from '../spec/problems.ts';
import type { FieldSpecification } from '../spec/specification.ts';
import type { Field, MorphTo } from './api.ts';
import { addField } from './build-fields.ts';
import { keyType, type Declared, type Draft, type DraftResource, type Drafts } from './draft.ts';

/** The names of the two fields of a morph pair: as written, else after the relation. */
function pairOf({ name, source }: Declared): { typeField: string; idField: string } {
  return {
    typeField: source.typeField ?? `${name}Type`,
    idField: source.idField ?? `${name}Id`,
  };
}

/** Finds which morphTo of its resource a morphMany speaks of; undefined where none or several fit. */
function counterpart(many: Declared, other: DraftResource): Declared | undefined {
  const candidates = Object.entries(other.source.fields)
    .filter(([, source]) => source.type === 'relation' && source.relation === 'morphTo')
    .map(([name, source]): Declared => ({ name, source, owner: other, path: [] }))
    .filter((one) => {
      const pair = pairOf(one);
      const { typeField, idField } = many.source;
      return (
        (typeField === undefined || typeField === pair.typeField) &&
        (idField === undefined || idField === pair.idField)
      );
    });
  return candidates.length === 1 ? candidates[0] : undefined;
}

const typeValueOf = ({ owner, source }: Declared): string => source.typeValue ?? owner.name;

/** Builds a morphTo with its two fields and its targets. Contract 1, Relations. */
export function buildMorphTo(
  relation: Declared,
  morphMany: readonly Declared[],
  resources: Drafts,
  report: Report,
): void {
  const { name, owner, source, path } = relation;
  const claims = morphMany.filter(
    (many) =>
      many.source.resource === owner.name && counterpart(many, owner)?.name === relation.name,
  );
  const targets = new Map<string, DraftResource>();
  for (const many of claims) {
    const value = typeValueOf(many);
    const other = targets.get(value);
    if (other !== undefined && other !== many.owner)
      report(
        [...many.path, 'typeValue'],
        `${value} already means ${other.name}; give each owner of ${owner.name}.${name} its own typeValue`,
      );
    targets.set(value, many.owner);
    if (source.resources !== undefined && !source.resources.includes(many.owner.name))
      report(many.path, `${owner.name}.${name} does not list ${many.owner.name} in its resources`);
  }
  const named = new Set([...targets.values()].map((target) => target.name));
  for (const other of source.resources ?? []) {
    const target = resources.get(other);
    if (target !== undefined && !named.has(other)) targets.set(other, target);
  }
  if (targets.size === 0)
    report(path, `no resource has a morphMany to ${owner.name}; name the targets as resources`);
  const idTypes = new Set([...targets.values()].map((target) => keyType(target.id)));
  const [only] = idTypes;
  const idType = idTypes.size === 1 && only !== undefined ? only : 'string';
  const pair = pairOf(relation);
  const common: Partial<FieldSpecification> = {
    ...(source.required === undefined ? {} : { required: source.required }),
    ...(source.nullable === undefined ? {} : { nullable: source.nullable }),
  };
  const field = (key: string, type: 'integer' | 'uuid' | 'string'): Draft<Field> => {
    const declared = owner.fields.get(key) ?? addField(owner, key, { type, ...common });
    const fits =
      declared.type.name === type || (type === 'string' && declared.type.name === 'enum');
    if (!fits)
      report([...owner.path, 'fields', key], `must be of type ${type} for ${owner.name}.${name}`);
    return declared;
  };
  const typeField = field(pair.typeField, 'string');
  const idField = field(pair.idField, idType);
  if (typeField.nullable !== idField.nullable)
    report(path, `${typeField.name} and ${idField.name} must both be nullable, or neither`);
  typeField.values ??= [...targets.keys()];
  const { description } = source;
  owner.relations.set(name, {
    kind: 'morphTo',
    name,
    owner,
    description,
    typeField,
    idField,
    targets,
  });
}

/** Builds a morphMany on the pair of its morphTo, or on two declared fields. */
export function buildMorphMany(relation: Declared, resources: Drafts, report: Report): void {
  const { name, owner, source, path } = relation;
  const target = resources.get(source.resource ?? '');
  if (target === undefined) throw new TypeError('A morphMany without a known resource was built');
  const one = counterpart(relation, target);
  const morphTo = one && (target.relations.get(one.name) as MorphTo | undefined);
  const typeField = morphTo?.typeField ?? target.fields.get(source.typeField ?? '');
  const idField = morphTo?.idField ?? target.fields.get(source.idField ?? '');
  if (typeField === undefined || idField === undefined) {
    const several = Object.values(target.source.fields).filter(
      ({ relation: kind }) => kind === 'morphTo',
    );
    report(
      path,
      several.length > 1
        ? `${target.name} has more than one morphTo; name its typeField and idField`
        : `${target.name} has no morphTo with these fields; declare one, or name typeField and idField`,
    );
    return;
  }
  owner.relations.set(name, {
    kind: 'morphMany',
    name,
    owner,
    description: source.description,
    target,
    typeField,
    idField,
    typeValue: typeValueOf(relation),
    onDelete: source.onDelete ?? 'restrict',
  });
}
