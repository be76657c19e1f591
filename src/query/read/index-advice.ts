import { operators } from '../../model/operators.ts';
import {
  isRelatedToOne,
  type ComputedOfRelated,
  type ComputedValue,
  type FieldRef,
  type Predicate,
} from '../filter/predicate.ts';
import { isToMany, type Field, type Resource } from '../../model/api.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import { beginsIndex, isConverted, tellsFew } from '../../model/indexes.ts';
import type { GroupsPlan, ReadPlan, SortKey } from '../plan.ts';

type ListPlan = Extract<ReadPlan, { kind: 'list' }>;

/** What the database's query plan of a list, or of its count, shows. */
interface PlanFindings {
  /** It is the count, which needs no order. */
  readonly counts: boolean;
  /** It reads the whole table. */
  readonly scans: boolean;
  /** It sorts without an index. */
  readonly sorts: boolean;
}

/**
 * The index that would help a list, written as in the specification file; undefined if none is needed, none would help,
 * or it exists already.
 */
export function adviseIndex(
  plan: ReadPlan | GroupsPlan,
  { counts, scans, sorts }: PlanFindings,
): string | undefined {
  if (plan.kind === 'one' || (!scans && !sorts)) return undefined;
  return adviseOwn(plan, { counts, scans, sorts }) ?? adviseComputed(plan, counts);
}

/** The index by which the records of the list are found, or come in their order. */
function adviseOwn(
  plan: ListPlan | GroupsPlan,
  { counts, scans, sorts }: PlanFindings,
): string | undefined {
  const { resource } = plan;
  const equal = equalFields(plan.where);
  const ranged = ownFields(plan.where, 'range');
  if (scans && equal.length + ranged.length === 0) {
    const behind = adviseBehind(plan.where);
    if (behind !== undefined) return behind;
  }
  // With equality fields first, the index for the list serves its count as well.
  const isOrdered = plan.kind === 'list' && !(counts && equal.length === 0);
  const order = isOrdered ? orderFields(plan.order, resource) : [];
  // Without a filter, reading all records is what was asked for.
  const isFiltered = plan.where.length > 0;
  if (!sorts && !isFiltered) return undefined;
  const following = order.length > 0 ? order : ranged.slice(0, 1);
  const fields = [...new Set([...equal, ...following])];
  if (fields.length === 0 || fields[0] === resource.id || isIndexed(resource, fields))
    return undefined;
  return written(resource, fields);
}

/** An index as the specification file has it. */
function written({ name }: Resource, fields: readonly Field[]): string {
  const names = fields.map((field) => field.name);
  return names.length === 1
    ? `${name}.${names[0]}: index: true`
    : `${name}: indexes: [[${names.join(', ')}]]`;
}

/**
 * The index by which related records are found together with the conditions on them, if every record of the list needs a
 * value that is computed from them. The key alone always has an index.
 */
function adviseComputed(plan: ListPlan | GroupsPlan, counts: boolean): string | undefined {
  const shown =
    plan.kind === 'groups' ? plan.columns.flatMap(({ source }) => source?.ref ?? []) : [];
  const ordered = plan.kind === 'list' && !counts ? plan.order.map(({ ref }) => ref) : [];
  const refs = [...plan.where.flatMap(refsOf), ...shown, ...ordered];
  for (const { value } of refs) {
    if (value === undefined) continue;
    const advice = relatedOf(value).flatMap(adviseRelated)[0];
    if (advice !== undefined) return advice;
  }
  return undefined;
}

/** The values that a condition compares, of related records too. */
function refsOf(predicate: Predicate): readonly FieldRef[] {
  switch (predicate.kind) {
    case 'compare':
    case 'null':
      return [predicate.ref];
    case 'or':
    case 'and':
    case 'not':
      return predicate.parts.flatMap(refsOf);
    case 'related':
      return predicate.branches.flatMap(({ where }) => where.flatMap(refsOf));
    case 'indexed':
    case 'items':
    case 'link':
      return [];
    default:
      return predicate satisfies never;
  }
}

type RelatedRecords = Pick<ComputedOfRelated, 'relation' | 'where'>;

/** The related records that a value is computed from, or by which a condition of it holds. */
function relatedOf(value: ComputedValue): readonly RelatedRecords[] {
  switch (value.kind) {
    case 'related':
      return [value];
    case 'where':
      return value.where.flatMap((part) => {
        if (part.kind !== 'related' || !isToMany(part.relation)) return [];
        const { relation } = part;
        return part.branches.map(({ where }) => ({ relation, where }));
      });
    case 'join':
      return [];
    default:
      return value satisfies never;
  }
}

function adviseRelated({ relation, where }: RelatedRecords): readonly string[] {
  // The key of a junction is in another table than the fields that are compared.
  if (relation.kind === 'belongsToMany') return [];
  const { target } = relation;
  const keys =
    relation.kind === 'morphMany'
      ? [relation.typeField, relation.idField]
      : keyFields(relation.key);
  const found = [...new Set([...keys, ...equalFields(where)])];
  const ranged = ownFields(where, 'range').find((field) => !found.includes(field));
  const fields = ranged === undefined ? found : [...found, ranged];
  const isServed = [...target.indexes, ...target.unique].some(
    (list) =>
      found.every((field) => list.slice(0, found.length).includes(field)) &&
      (ranged === undefined || list[found.length] === ranged),
  );
  return fields.length === keys.length || isServed ? [] : [written(target, fields)];
}

/** The index by which few related records would be found; undefined if it exists or none would help. */
function adviseBehind(where: readonly Predicate[]): string | undefined {
  for (const predicate of where) {
    if (!isRelatedToOne(predicate)) continue;
    const [branch] = predicate.branches;
    const fields = ownFields(branch.where, 'equal').filter(tellsFew);
    const [field] = fields;
    if (field === undefined) {
      const farther = adviseBehind(branch.where);
      if (farther !== undefined) return farther;
    } else if (!fields.some(beginsIndex))
      return `${field.resource.name}.${field.name}: index: true`;
  }
  return undefined;
}

/**
 * Whether an index may be advised for a value: a scalar field of the record itself, not long prose. See
 * docs/contract/1-specification-file.md#field-types, rule 6.
 */
function isAdvisedIn({ field, members, isPivot }: FieldRef): boolean {
  const { type, items } = field;
  const isOwn = members.length === 0 && !isPivot && field.computed === undefined;
  const isScalar = type.sortable && items === undefined;
  return isOwn && isScalar && type.text !== 'long' && !isConverted(field);
}

/** The fields that are compared for equality or with null. */
function equalFields(where: readonly Predicate[]): readonly Field[] {
  return where.flatMap((predicate) =>
    predicate.kind === 'null' && predicate.isNull && isAdvisedIn(predicate.ref)
      ? [predicate.ref.field]
      : ownFields([predicate], 'equal'),
  );
}

function ownFields(where: readonly Predicate[], index: 'equal' | 'range'): readonly Field[] {
  return where.flatMap((predicate) =>
    predicate.kind === 'compare' &&
    operators[predicate.operator].index === index &&
    isAdvisedIn(predicate.ref)
      ? [predicate.ref.field]
      : [],
  );
}

/** The fields of an order that one index can serve; empty if none can. The id is omitted, since every index ends with it. */
function orderFields(order: readonly SortKey[], { id }: Resource): readonly Field[] {
  const isPlain = order.every(
    ({ steps, ref, descending, nulls }) =>
      steps.length === 0 &&
      isAdvisedIn(ref) &&
      descending === order[0]?.descending &&
      (nulls === undefined || (nulls === 'last') === descending),
  );
  return isPlain ? order.map(({ ref }) => ref.field).filter((field) => field !== id) : [];
}

function isIndexed(resource: Resource, fields: readonly Field[]): boolean {
  const [first, ...more] = fields;
  if (first === undefined) return true;
  const isAlone = more.length === 0 && beginsIndex(first);
  const lists = [...resource.indexes, ...resource.unique];
  return isAlone || lists.some((list) => fields.every((field, index) => list[index] === field));
}
