import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Field } from '../../model/api.ts';
import type { RowsPlan } from '../../query/access/row-rules.ts';
import { quote, type Dialect } from '../dialect.ts';
import { rowConditions, whereSql } from './predicate.ts';
import { ownScope } from './scope.ts';
import { buildStatement, type Statement } from '../statement.ts';

const compiled = new WeakMap<RowsPlan, Map<Dialect, Map<Field, Statement>>>();

/** Of the values among `keys`, those that `key` has in a row that rules leave; built once for a plan. */
export function compileRows(plan: RowsPlan, key: Field, dialect: Dialect): Statement {
  const ofPlan = getOrInsert(compiled, plan, () => new Map<Dialect, Map<Field, Statement>>());
  const ofDialect = getOrInsert(ofPlan, dialect, () => new Map<Field, Statement>());
  return getOrInsert(ofDialect, key, () => {
    const column = `t.${quote(key.column)}`;
    return buildStatement(dialect, (add) => {
      const isWanted = dialect.compare(column, 'in', add('keys'), key);
      const where = [isWanted, ...rowConditions(plan.access, ownScope, dialect, add)];
      return `SELECT ${column} FROM ${quote(plan.resource.table)} AS t${whereSql(where)}`;
    });
  });
}
