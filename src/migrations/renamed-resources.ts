import type { Api } from '../model/api.ts';
import type { TableSchema } from '../sql/schema/table.ts';
import type { ActualTable, Found, SchemaRules } from '../databases/existing/actual-schema.ts';
import { referenceOf } from './changes.ts';

/** A table whose resource has another name now. */
export interface RenamedTable {
  readonly actual: ActualTable;
  /** The name that the resource had. */
  readonly resource: string;
}

/**
 * The tables of resources that seem to have been renamed, by the wanted table. A resource was renamed if a key of another
 * table that led to the table of the former name leads to the new one, or else if both have the same fields. If more than
 * one pair is possible, none is taken.
 */
export function renamedTables(
  api: Api,
  schema: readonly TableSchema[],
  found: Found,
  rules: SchemaRules,
): ReadonlyMap<TableSchema, RenamedTable> {
  const { fold } = rules;
  const isTable = (name: string): boolean => found.tables.has(fold(name));
  const names = new Set(schema.map(({ name }) => fold(name)));
  const former = found.record.filter(
    ({ table, column, owner, resource, isMade }) =>
      column === '' &&
      isMade &&
      owner === api.name &&
      isTable(table) &&
      !names.has(fold(table)) &&
      !api.resources.has(resource),
  );
  const added = schema.filter(({ name, resource }) => resource !== undefined && !isTable(name));
  const pairs = added.flatMap((wanted) => {
    const likely = [keyMoves, hasSameFields].map((isLikely) =>
      former.filter(({ table }) => isLikely(table, wanted, schema, found, rules)),
    );
    const one = likely.find((rows) => rows.length > 0) ?? [];
    const [row] = one;
    const actual = row && found.tables.get(fold(row.table))?.();
    return one.length === 1 && row !== undefined && actual !== undefined
      ? [[wanted, { actual, resource: row.resource }] as const]
      : [];
  });
  const isAlone = ({ actual }: RenamedTable): boolean =>
    pairs.filter(([, other]) => other.actual.name === actual.name).length === 1;
  return new Map(pairs.filter(([, renamed]) => isAlone(renamed)));
}

function keyMoves(
  former: string,
  wanted: TableSchema,
  schema: readonly TableSchema[],
  { tables }: Found,
  rules: SchemaRules,
): boolean {
  const { fold } = rules;
  return schema.some(({ name, columns }) => {
    const actual = tables.get(fold(name))?.();
    if (actual === undefined) return false;
    return columns.some((column) => {
      if (column.reference?.table !== wanted.name) return false;
      const there = actual.columns.get(fold(column.name));
      const reference = there && referenceOf(actual, there, rules);
      return reference !== undefined && fold(reference.table) === fold(former);
    });
  });
}

function hasSameFields(
  former: string,
  { columns }: TableSchema,
  _schema: readonly TableSchema[],
  { record }: Found,
  { fold }: SchemaRules,
): boolean {
  const fields = record
    .filter(({ table, column }) => column !== '' && fold(table) === fold(former))
    .map(({ field }) => field);
  return fields.length > 1 && sorted(fields) === sorted(columns.map(({ field }) => field));
}

const sorted = (names: readonly string[]): string => JSON.stringify(names.toSorted());
