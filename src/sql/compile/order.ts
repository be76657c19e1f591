import { isToMany } from '../../model/api.ts';
import type { SortKey } from '../../query/plan.ts';
import type { Dialect } from '../dialect.ts';
import { relatedConditions } from './predicate.ts';
import { placeSql, relatedTo, type Scope } from './scope.ts';
import type { Add } from '../statement.ts';

/** What a sort key compares; of a to-many path the smallest value, descending the largest. */
export function keySql(key: SortKey, scope: Scope, dialect: Dialect, add: Add): string {
  const { steps, place, descending } = key;
  const [step, ...rest] = steps;
  if (step === undefined) return dialect.sortKey(placeSql(place, scope, dialect), place.leaf);
  const related = relatedTo(scope, step.relation, step.target, undefined, dialect);
  const value = keySql({ ...key, steps: rest }, related.scope, dialect, add);
  const { join, scope: within } = related;
  const where = [related.where, ...relatedConditions(step.where ?? [], join, within, dialect, add)];
  const extreme = isToMany(step.relation)
    ? ` ORDER BY 1${descending ? ' DESC' : ''}${dialect.nulls('last')} LIMIT 1`
    : '';
  return `(SELECT ${value} ${related.from} ${where.join(' AND ')}${extreme})`;
}

/** A sort key as it stands in ORDER BY. */
export function orderSql(key: SortKey, scope: Scope, dialect: Dialect, add: Add): string {
  return orderTerm(keySql(key, scope, dialect, add), key, dialect);
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
