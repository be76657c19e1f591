import { operators } from '../../model/operators.ts';
import { isRelatedToOne, type Place, type Predicate } from '../filter/predicate.ts';
import type { Field, Resource } from '../../model/api.ts';
import { beginsIndex, isConverted, tellsFew } from '../../model/indexes.ts';
import type { ReadPlan, SortKey } from '../plan.ts';

/** What the database's plan of a list, or of its count, shows. */
interface Found {
  /** It counts, so that its records have no order. */
  readonly counts: boolean;
  /** It reads all records. */
  readonly scans: boolean;
  /** It sorts what no index has in order. */
  readonly sorts: boolean;
}

/**
 * The index that a list lacks, in the words of the file: undefined where the plan shows no lack, or no index of the
 * resource's own fields would help, or it is there already.
 */
export function adviseIndex(plan: ReadPlan, { counts, scans, sorts }: Found): string | undefined {
  if (plan.kind !== 'list' || (!scans && !sorts)) return undefined;
  const { resource } = plan;
  const equal = equalFields(plan.where);
  const ranged = ownFields(plan.where, 'range');
  if (scans && equal.length + ranged.length === 0) {
    const behind = adviseBehind(plan.where);
    if (behind !== undefined) return behind;
  }
  // Behind what is equal, the index that the list needs serves its count as well.
  const order = counts && equal.length === 0 ? [] : orderFields(plan.order, resource);
  // Where nothing is filtered, all records are read because all are wanted.
  const isFiltered = plan.where.length > 0;
  if (!sorts && !isFiltered) return undefined;
  const following = order.length > 0 ? order : ranged.slice(0, 1);
  const fields = [...new Set([...equal, ...following])];
  if (fields.length === 0 || fields[0] === resource.id || isIndexed(resource, fields))
    return undefined;
  const names = fields.map(({ name }) => name);
  return names.length === 1
    ? `${resource.name}.${names[0]}: index: true`
    : `${resource.name}: indexes: [[${names.join(', ')}]]`;
}

/** The index by which few related records would be found; undefined where there is one, or none would help. */
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
 * Whether an index may be advised for a field of the record itself; long prose is left out. See
 * docs/contract/1-specification-file.md#field-types, rule 6.
 */
function isAdvisedIn({ field, members, isPivot }: Place): boolean {
  const { type, items } = field;
  const isOwn = members.length === 0 && !isPivot;
  const isScalar = type.sortable && items === undefined;
  return isOwn && isScalar && type.text !== 'long' && !isConverted(field);
}

/** The fields that have to have one value, or none. */
function equalFields(where: readonly Predicate[]): readonly Field[] {
  return where.flatMap((predicate) =>
    predicate.kind === 'null' && predicate.isNull && isAdvisedIn(predicate.place)
      ? [predicate.place.field]
      : ownFields([predicate], 'equal'),
  );
}

function ownFields(where: readonly Predicate[], index: 'equal' | 'range'): readonly Field[] {
  return where.flatMap((predicate) =>
    predicate.kind === 'compare' &&
    operators[predicate.operator].index === index &&
    isAdvisedIn(predicate.place)
      ? [predicate.place.field]
      : [],
  );
}

/** The fields of an order that one index can have; none where it cannot. An index ends with the id anyway. */
function orderFields(order: readonly SortKey[], { id }: Resource): readonly Field[] {
  const isPlain = order.every(
    ({ steps, place, descending, nulls }) =>
      steps.length === 0 &&
      isAdvisedIn(place) &&
      descending === order[0]?.descending &&
      (nulls === undefined || (nulls === 'last') === descending),
  );
  return isPlain ? order.map(({ place }) => place.field).filter((field) => field !== id) : [];
}

function isIndexed(resource: Resource, fields: readonly Field[]): boolean {
  const [first, ...more] = fields;
  if (first === undefined) return true;
  const isAlone = more.length === 0 && beginsIndex(first);
  const lists = [...resource.indexes, ...resource.unique];
  return isAlone || lists.some((list) => fields.every((field, index) => list[index] === field));
}
