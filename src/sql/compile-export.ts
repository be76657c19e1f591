import type { ReadPlan } from '../plan/plan.ts';
import {
  ColumnList,
  compileRead,
  compileSelection,
  type Column,
  type CompiledRead,
} from './compile-read.ts';
import { quote, type Dialect } from './dialect.ts';
import { buildStatement, type Statement } from './statement.ts';

/** A list that is read in two steps: the ids in their order, then the records by their ids. */
export interface CompiledExport {
  readonly plan: ReadPlan;
  /** The list with the id alone for its records, which stands first in a row. */
  readonly list: CompiledRead;
  /** The rows whose ids are among `keys`, in any order; their ids stand first too. */
  readonly rows: Statement;
  readonly columns: readonly Column[];
}

/** Compiles a list without expansions for reading it in portions. */
export function compileExport(plan: ReadPlan, dialect: Dialect): CompiledExport {
  const { id, table, name } = plan.resource;
  const members = [{ name: id.name, field: id }];
  const list = compileRead({ ...plan, selection: { members, expand: [] } }, dialect);
  const columns = new ColumnList(dialect, 't');
  columns.position(id);
  const selection = compileSelection(plan.selection, columns, dialect);
  if (selection.expand.length > 0) throw new TypeError(`An export of ${name} expands nothing`);
  const rows = buildStatement(
    dialect,
    (add) =>
      `SELECT ${columns.sql()} FROM ${quote(table)} AS t` +
      ` WHERE ${dialect.compare(`t.${quote(id.column)}`, 'in', add('keys'), id)}`,
  );
  return { plan, list, rows, columns: selection.columns };
}
