import type { Place } from '../filter/predicate.ts';
import { isToMany, type Field, type Relation, type Resource } from '../model/api.ts';
import type { SortKey } from '../plan/plan.ts';
import { quote, type Dialect } from './dialect.ts';
import { joinOf, parentField, type Join } from './join.ts';

/** The rows whose columns a predicate or a sort key speaks of. */
export interface Scope {
  /** Where a field of the resource can be read. */
  readonly column: (field: Field) => string;
  /** Where a field of the junction that led here can be read. */
  readonly pivot: (field: Field) => string;
  /** How the aliases of what is related to it end. */
  readonly below: string;
}

/** The rows of a list or a single read. */
export const ownScope: Scope = {
  column: (field) => `t.${quote(field.column)}`,
  pivot: () => {
    throw new TypeError('No junction led to the records of a list');
  },
  below: '_1',
};

/** The rows of a join under aliases that end in `suffix`. */
export function scopeOf(join: Join, suffix: string): Scope {
  const [name = '', depth = '0'] = suffix.split('_');
  return {
    column: (field) => join.column(field, suffix),
    pivot: (field) => `j${suffix}.${quote(field.column)}`,
    below: `${name}_${Number(depth) + 1}`,
  };
}

/** The records that a relation of the scope leads to: FROM and WHERE, and the scope of what is found there. */
export function relatedTo(
  scope: Scope,
  relation: Relation,
  target: Resource,
  typeValue: string | undefined,
  dialect: Dialect,
): { readonly from: string; readonly where: string; readonly scope: Scope } {
  const join = joinOf(relation, target, dialect);
  const suffix = scope.below;
  const above = parentField(relation);
  const key = dialect.convertKey(scope.column(above), above, join.keyField);
  const isOfType =
    relation.kind === 'morphTo' && typeValue !== undefined
      ? ` AND ${scope.column(relation.typeField)} = ${dialect.text(typeValue)}`
      : '';
  return {
    from: `FROM ${join.from(suffix)}`,
    where: `WHERE ${join.key(suffix)} = ${key}${isOfType}${join.conditions(suffix)}`,
    scope: scopeOf(join, suffix),
  };
}

/** The column in which a place is found. */
export function columnOf({ field, isPivot }: Place, scope: Scope): string {
  return isPivot ? scope.pivot(field) : scope.column(field);
}

/** What is compared at a place: the column, or a member in it. */
export function placeSql(place: Place, scope: Scope, dialect: Dialect): string {
  const { members, leaf } = place;
  const column = columnOf(place, scope);
  return members.length === 0 ? column : dialect.memberValue(dialect.member(column, members), leaf);
}

/** What a sort key compares; of a to-many path the smallest value, descending the largest. */
export function keySql(key: SortKey, scope: Scope, dialect: Dialect): string {
  const { steps, place, descending } = key;
  const [step, ...rest] = steps;
  if (step === undefined) return dialect.sortKey(placeSql(place, scope, dialect), place.leaf);
  const related = relatedTo(scope, step.relation, step.target, undefined, dialect);
  const value = keySql({ ...key, steps: rest }, related.scope, dialect);
  const extreme = isToMany(step.relation)
    ? ` ORDER BY 1${descending ? ' DESC' : ''}${dialect.nulls('last')} LIMIT 1`
    : '';
  return `(SELECT ${value} ${related.from} ${related.where}${extreme})`;
}

/** A sort key as it stands in ORDER BY. */
export function orderSql(key: SortKey, scope: Scope, dialect: Dialect): string {
  return orderTerm(keySql(key, scope, dialect), key, dialect);
}

/** What is sorted by, with its direction and the place of nulls. */
export function orderTerm(
  value: string,
  { descending, nulls }: Pick<SortKey, 'descending' | 'nulls'>,
  dialect: Dialect,
): string {
  // Said wherever there may be any: databases differ in what goes without saying.
  const placed = nulls === undefined ? '' : dialect.nulls(nulls);
  return `${value}${descending ? ' DESC' : ''}${placed}`;
}
