import type { ReadPlan } from '../../query/plan.ts';
import { ColumnList } from '../columns.ts';
import {
  compileRead,
  compileSelection,
  rowsAmong,
  type Column,
  type CompiledOwn,
  type CompiledRead,
} from './read.ts';
import { quote, quoteTable, type Dialect } from '../dialect.ts';
import { listConditions, whereSql } from './predicate.ts';
import { orderSql } from './order.ts';
import { ownScope } from './scope.ts';
import { buildStatement, type Add, type Statement } from '../statement.ts';

/** A list that is read in two steps: the ids in their order, then the records by their ids. */
export interface CompiledExport {
  readonly plan: ReadPlan;
  /** The list itself, for its values and its total. */
  readonly list: CompiledRead;
  /** The ids of a page. */
  readonly ids: Statement;
  /** The ids without LIMIT, if a long page is read faster that way. */
  readonly allIds: Statement | undefined;
  /** The rows whose ids are among `keys`, in any order; the id is the first column. */
  readonly rows: Statement;
  readonly columns: readonly Column[];
  readonly own: readonly CompiledOwn[] | undefined;
}

/** Compiles a list without expansions for reading it in portions. */
export function compileExport(plan: ReadPlan, dialect: Dialect): CompiledExport {
  const { id, table, name } = plan.resource;
  if (plan.kind !== 'list') throw new TypeError(`An export of ${name} is a list`);
  const order = (add: Add): string =>
    plan.order.map((key) => orderSql(key, ownScope, dialect, add)).join(', ');
  const ids = (add: Add): string =>
    `SELECT ${dialect.select(`t.${quote(id.column)}`, id)} FROM ${quoteTable(table)} AS t${whereSql(
      listConditions([...plan.where, ...plan.access], dialect, add),
    )} ORDER BY ${order(add)}`;
  const columns = new ColumnList(dialect, 't');
  columns.position(id);
  const selection = compileSelection(plan.selection, columns, dialect);
  if (selection.expand.length > 0) throw new TypeError(`An export of ${name} expands nothing`);
  return {
    plan,
    list: compileRead(plan, dialect),
    ids: buildStatement(
      dialect,
      (add) => `${ids(add)} LIMIT ${add('limit')} OFFSET ${add('offset')}`,
    ),
    allIds: dialect.limitSlowsSort ? buildStatement(dialect, ids) : undefined,
    // A record may change after its id was read, so check again that the caller may see it.
    rows: rowsAmong(plan, columns, dialect),
    columns: selection.columns,
    own: selection.own,
  };
}
