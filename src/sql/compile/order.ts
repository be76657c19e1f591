import { isToMany } from '../../model/api.ts';
import type { SortKey } from '../../query/plan.ts';
import type { Dialect } from '../dialect.ts';
import { computedSql, relatedConditions } from './predicate.ts';
import { refSql, relatedTo, type Scope } from './scope.ts';
import type { Add } from '../statement.ts';

/** The parts of a sort key that its value depends on. */
type KeyPath = Pick<SortKey, 'steps' | 'ref' | 'descending'>;

/** The expression of a sort key; through a to-many relation the smallest value, or the largest if descending. */
export function keySql(key: KeyPath, scope: Scope, dialect: Dialect, add: Add): string {
  const sorted = (value: string): string => dialect.sortKey(value, key.ref.leaf);
  return pathSql(key, sorted, scope, dialect, add);
}

/** As `keySql`, but the value as it is stored. */
export function valueSql(key: KeyPath, scope: Scope, dialect: Dialect, add: Add): string {
  return pathSql(key, (value) => value, scope, dialect, add);
}

function pathSql(
  key: KeyPath,
  shown: (value: string) => string,
  scope: Scope,
  dialect: Dialect,
  add: Add,
): string {
  const { steps, ref, descending } = key;
  const [step, ...rest] = steps;
  if (step === undefined)
    return shown(
      ref.value === undefined
        ? refSql(ref, scope, dialect)
        : computedSql(ref.value, scope, dialect, add),
    );
  const related = relatedTo(scope, step.relation, step.target, undefined, dialect);
  const value = pathSql({ ...key, steps: rest }, shown, related.scope, dialect, add);
  const { join, scope: within } = related;
  const where = [related.where, ...relatedConditions(step.where ?? [], join, within, dialect, add)];
  const extreme = isToMany(step.relation)
    ? ` ORDER BY 1${descending ? ' DESC' : ''}${dialect.nulls('last')} LIMIT 1`
    : '';
  return `(SELECT ${value} ${related.from} ${where.join(' AND ')}${extreme})`;
}

/** A sort key for ORDER BY. */
export function orderSql(key: SortKey, scope: Scope, dialect: Dialect, add: Add): string {
  return orderTerm(keySql(key, scope, dialect, add), key, dialect);
}

/** An expression for ORDER BY, with direction and order of nulls. */
export function orderTerm(
  value: string,
  { descending, nulls }: Pick<SortKey, 'descending' | 'nulls'>,
  dialect: Dialect,
): string {
  // Databases differ in the default order of nulls.
  const placed = nulls === undefined ? '' : dialect.nulls(nulls);
  return `${value}${descending ? ' DESC' : ''}${placed}`;
}
