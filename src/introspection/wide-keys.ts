import { typeOf } from '../model/field-types/registry.ts';
import type { FieldTypes } from '../model/api.ts';
import type { FoundColumn, FoundTable } from './table.ts';

/** A foreign key from one column to another, as their places in the tables. */
type Link = readonly [from: FoundColumn, to: FoundColumn];

/**
 * Gives the columns that foreign keys connect one width: if the values of one need all digits of `bigint`, the others get
 * them as well, since a key has the type of what it refers to.
 */
export function withWideKeys(
  tables: readonly FoundTable[],
  types: FieldTypes,
  fold: (name: string) => string,
): readonly FoundTable[] {
  const links = tables.flatMap((table) => linksOf(table, tables, fold));
  const wide = new Set(
    tables.flatMap(({ columns }) =>
      columns.filter((column) => valueKindOf(column, types) === 'bigint'),
    ),
  );
  const next = [...wide];
  for (let column = next.pop(); column !== undefined; column = next.pop())
    for (const link of links.filter((one) => column !== undefined && one.includes(column)))
      for (const other of link)
        if (!wide.has(other) && valueKindOf(other, types) === 'integer') {
          wide.add(other);
          next.push(other);
        }
  if (wide.size === 0) return tables;
  return tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) =>
      wide.has(column) && !('left' in column.type)
        ? { ...column, type: { ...column.type, attributes: { type: 'integer', format: 'bigint' } } }
        : column,
    ),
  }));
}

function valueKindOf({ type }: FoundColumn, types: FieldTypes): string | undefined {
  return 'left' in type ? undefined : typeOf(type.attributes, types).kind;
}

function linksOf(
  table: FoundTable,
  tables: readonly FoundTable[],
  fold: (name: string) => string,
): readonly Link[] {
  const named = ({ columns }: FoundTable, name: string | undefined): FoundColumn | undefined =>
    columns.find(({ actual }) => fold(actual.name) === fold(name ?? ''));
  const { references, wideReferences } = table.actual;
  const keys = [
    ...references.map(({ column, target, ...key }) => ({
      ...key,
      columns: [column],
      targets: target === undefined ? undefined : [target],
    })),
    ...wideReferences,
  ];
  return keys.flatMap((key) => {
    const target = tables.find(({ actual }) => fold(actual.name) === fold(key.table));
    if (target === undefined) return [];
    const { targets = target.primary } = key;
    return key.columns.flatMap((name, index): readonly Link[] => {
      const [from, to] = [named(table, name), named(target, targets[index])];
      return from === undefined || to === undefined ? [] : [[from, to]];
    });
  });
}
