import type { Place, Predicate } from '../filter/predicate.ts';
import type { Field, Resource } from '../model/api.ts';
import type { ReadPlan, SortKey } from './plan.ts';

/** What the database's plan of a list shows. */
interface Found {
  /** It reads all records. */
  readonly scans: boolean;
  /** It sorts what no index has in order. */
  readonly sorts: boolean;
}

/**
 * The index that a list lacks, in the words of the file: undefined where the plan shows no lack, or no index of the
 * resource's own fields would help, or it is there already.
 */
export function adviseIndex(plan: ReadPlan, { scans, sorts }: Found): string | undefined {
  if (plan.kind !== 'list' || (!scans && !sorts)) return undefined;
  const { resource } = plan;
  const equal = ownFields(plan.where, ['eq', 'in']);
  const ranged = ownFields(plan.where, ['gt', 'gte', 'lt', 'lte']);
  const order = orderFields(plan.order, resource);
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

function isOwn({ members, isPivot }: Place): boolean {
  return members.length === 0 && !isPivot;
}

function ownFields(where: readonly Predicate[], operators: readonly string[]): readonly Field[] {
  return where.flatMap((predicate) =>
    predicate.kind === 'compare' &&
    isOwn(predicate.place) &&
    operators.includes(predicate.operator) &&
    predicate.place.field.items === undefined
      ? [predicate.place.field]
      : [],
  );
}

/** The fields of an order that one index can have; none where it cannot. An index ends with the id anyway. */
function orderFields(order: readonly SortKey[], { id }: Resource): readonly Field[] {
  const isPlain = order.every(
    ({ steps, place, descending, nulls }) =>
      steps.length === 0 &&
      isOwn(place) &&
      place.field.items === undefined &&
      descending === order[0]?.descending &&
      (nulls === undefined || (nulls === 'last') === descending),
  );
  return isPlain ? order.map(({ place }) => place.field).filter((field) => field !== id) : [];
}

function isIndexed(resource: Resource, fields: readonly Field[]): boolean {
  const [first, ...more] = fields;
  if (first === undefined) return true;
  const isAlone =
    more.length === 0 &&
    (first.unique || first.reference !== undefined || first.attributes.index === true);
  const lists = [...resource.indexes, ...resource.unique];
  return isAlone || lists.some((list) => fields.every((field, index) => list[index] === field));
}
