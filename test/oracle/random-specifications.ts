import type { Definition, Document, ResourceDefinition } from '../support/oracle-model.ts';
import { isReferable, oddTables, randomFields } from './random-fields.ts';
import { fieldNames, keyNames, Names, relationNames, resourceNames } from './random-names.ts';
import type { Draw } from './draw.ts';

/** Random specifications in which every key of a relation is written out, as the oracle reads them. */

interface Draft {
  readonly name: string;
  readonly fields: Record<string, Definition>;
  readonly names: Names;
  readonly timestamps: boolean;
  readonly pagination: string | undefined;
}

function randomLimits(draw: Draw): Record<string, number> {
  const maxLimit = 5 + draw.below(40);
  return {
    defaultLimit: 1 + draw.below(Math.min(maxLimit, 12)),
    maxLimit,
    defaultDepth: 2 + draw.below(2),
    maxDepth: 4,
    expandedItems: 1 + draw.below(6),
    responseItems: maxLimit + draw.below(300),
    inItems: 6,
    sorts: 40,
    filters: 200,
  };
}

const keyTypes: Readonly<Record<string, string>> = {
  '': 'integer',
  uuid: 'uuid',
  string: 'string',
};

const idType = ({ fields }: Draft): string => keyTypes[fields['id']?.format ?? ''] ?? 'integer';

/** The definition of a key that points to a field, which is the id where nothing else is said. */
function keyTo(target: Draft, field = 'id'): Definition {
  const reference = `${target.name}.${field}`;
  const { type = 'id', scale = 2, precision = 18 } = target.fields[field] ?? {};
  if (field === 'id') return { type: idType(target), reference };
  const isText = ['string', 'text', 'email', 'url', 'enum'].includes(type);
  const isUuid = target.fields[field]?.format === 'uuid';
  return {
    type: isUuid ? 'uuid' : isText ? 'string' : type,
    reference,
    ...(type === 'decimal' ? { scale, precision } : {}),
  };
}

const singular = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/gu, '');

/** A belongsTo, and most often the other side of it. */
function addBelongsTo(draw: Draw, owner: Draft, target: Draft, isEarlier: boolean): void {
  const referable = Object.entries(target.fields)
    .filter(([, one]) => isReferable(one))
    .map(([name]) => name);
  const field = referable.length > 0 && draw.chance(30) ? draw.pick(referable) : 'id';
  const name = owner.names.from(relationNames);
  const key = owner.names.from(draw.chance(50) ? keyNames : fieldNames, [`${name}Id`]);
  const isRequired = isEarlier && owner !== target && draw.chance(25);
  const inverse = draw.pick(['hasMany', 'hasMany', 'hasOne', 'neither']);
  owner.fields[key] = {
    ...keyTo(target, field),
    ...(isRequired ? { required: true } : {}),
    ...(draw.chance(20)
      ? { onDelete: draw.pick(['restrict', 'cascade', ...(isRequired ? [] : ['setNull'])]) }
      : {}),
  };
  owner.fields[name] = {
    type: 'relation',
    relation: 'belongsTo',
    resource: target.name,
    foreignKey: key,
  };
  if (inverse === 'neither') return;
  target.fields[target.names.from(relationNames, [owner.name])] = {
    type: 'relation',
    relation: inverse,
    resource: owner.name,
    foreignKey: key,
  };
}

function addBelongsToMany(draw: Draw, a: Draft, b: Draft, through: Draft): void {
  const [own, other] = [
    through.names.from(keyNames, [`${singular(a.name)}Id`]),
    through.names.from(keyNames, [`${singular(b.name)}Id`]),
  ];
  const isRequired = draw.chance(70) ? { required: true } : {};
  const pivot = Object.entries(through.fields)
    .filter(([name, { type, writeOnly }]) => type !== 'id' && name !== 'id' && writeOnly !== true)
    .map(([name]) => name)
    .filter(() => draw.chance(60));
  through.fields[own] = { ...keyTo(a), ...isRequired };
  through.fields[other] = { ...keyTo(b), ...isRequired };
  const side = (owner: Draft, target: Draft, foreignKey: string): void => {
    owner.fields[owner.names.from(relationNames, [target.name.replaceAll('-', '_')])] = {
      type: 'relation',
      relation: 'belongsToMany',
      resource: target.name,
      through: through.name,
      foreignKey,
      ...(pivot.length > 0 && draw.chance(70) ? { withPivot: pivot } : {}),
    };
  };
  side(a, b, own);
  if (draw.chance(60)) side(b, a, other);
}

function addMorph(draw: Draw, owner: Draft, targets: readonly Draft[]): void {
  const name = owner.names.from(relationNames);
  const [typeField, idField] = [
    owner.names.from(keyNames, [`${name}Type`]),
    owner.names.from(keyNames, [`${name}Id`]),
  ];
  const types = new Set(targets.map(idType));
  const [type = 'integer', another] = types;
  owner.fields[typeField] = { type: 'string', nullable: true };
  owner.fields[idField] = { type: another === undefined ? type : 'string', nullable: true };
  const many = targets.filter(() => draw.chance(70));
  owner.fields[name] = {
    type: 'relation',
    relation: 'morphTo',
    typeField,
    idField,
    ...(many.length < targets.length ? { resources: targets.map((one) => one.name) } : {}),
  };
  const values = ['t1', 'T1', 'a b', 'x,y', 'q"', 'ü', ':', ''];
  for (const target of many)
    target.fields[target.names.from(relationNames, [singular(owner.name)])] = {
      type: 'relation',
      relation: 'morphMany',
      resource: owner.name,
      typeField,
      idField,
      ...(draw.chance(40) ? { typeValue: `${draw.pick(values)}${target.name}` } : {}),
      ...(draw.chance(20) ? { onDelete: draw.pick(['cascade', 'setNull', 'restrict']) } : {}),
    };
}

function randomResource(draw: Draw, name: string): Draft {
  const format = draw.pick([undefined, undefined, 'uuid', 'string']);
  const timestamps = draw.chance(25);
  const names = new Names(draw, ['id', 'pivot', 'createdAt', 'updatedAt']);
  return {
    name,
    names,
    fields: {
      id: {
        type: 'id',
        ...(format === undefined ? {} : { format }),
        ...(draw.chance(10) ? { column: 'the key' } : {}),
      },
      ...randomFields(draw, names, 7),
    },
    timestamps,
    pagination: draw.chance(10) ? 'cursor' : undefined,
  };
}

/** A whole resource: with groups, indexes, and uniqueness over several fields. */
function finished(
  draw: Draw,
  { fields, timestamps, pagination }: Draft,
  tables: Names,
): ResourceDefinition {
  const all = ['id', ...Object.keys(fields)];
  const indexable = Object.entries(fields)
    .filter(([, { type }]) => !['id', 'relation', 'object', 'array', 'json'].includes(type))
    .map(([name]) => name);
  const isLong = indexable.length > 2;
  return {
    fields,
    ...(timestamps ? { timestamps } : {}),
    ...(pagination === undefined ? {} : { pagination }),
    ...(draw.chance(60) ? { groups: { brief: all.filter(() => draw.chance(40)) } } : {}),
    ...(isLong && draw.chance(25) ? { indexes: [indexable.slice(0, 2)] } : {}),
    ...(isLong && draw.chance(10) ? { unique: [indexable.slice(-2)] } : {}),
    ...(draw.chance(12) ? { table: tables.from(oddTables) } : {}),
  };
}

/**
 * A specification of two to six resources, related in every way that there is. See
 * docs/contract/1-specification-file.md#relations.
 */
export function randomSpecification(draw: Draw): Document {
  const resources = new Names(draw, []);
  const drafts: Draft[] = Array.from({ length: 2 + draw.below(4) }, () =>
    randomResource(draw, resources.from(resourceNames)),
  );
  const any = (): number => draw.below(drafts.length);
  for (let more = 1 + draw.below(4); more > 0; more -= 1) {
    const [from, to] = [any(), any()];
    const [owner, target] = [drafts[from], drafts[to]];
    if (owner !== undefined && target !== undefined) addBelongsTo(draw, owner, target, to < from);
  }
  for (let more = draw.below(3); more > 0; more -= 1) {
    const through = randomResource(draw, resources.from(resourceNames));
    addBelongsToMany(draw, draw.pick(drafts), draw.pick(drafts), through);
    drafts.push(through);
  }
  for (let more = draw.below(3); more > 0; more -= 1) {
    const targets = new Set([draw.pick(drafts), draw.pick(drafts), draw.pick(drafts)]);
    addMorph(draw, draw.pick(drafts), [...targets]);
  }
  const tables = new Names(draw, []);
  return {
    limits: randomLimits(draw),
    groups: { brief: ['name', 'title', 'a', 'order', 'id'] },
    resources: Object.fromEntries(
      drafts.map((one) => [one.name, finished(draw, one, tables)] as const),
    ),
  };
}
