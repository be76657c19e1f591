import { keyType } from '../attributes.ts';
import { fieldName } from '../names/words.ts';
import type { FoundColumn, FoundTable } from '../table.ts';

/** A table and the name of its resource. */
export interface NamedTable {
  readonly table: FoundTable;
  readonly resource: string;
  /** What one of its records is called: `mediaType` of `media-types`. */
  readonly record: string;
}

/** A column that refers to a column of another table, which may not be served. */
export interface Reference {
  readonly column: string;
  readonly table: string;
  /** Undefined for the primary key, whatever its name. */
  readonly target: string | undefined;
  /** In SQL: `SET NULL`. */
  readonly onDelete: string;
  /** Whether only the name of the column says so. */
  readonly isGuess: boolean;
}

/**
 * The references of a table: those that the database declares, and in an unmanaged one those that columns are named after.
 * See docs/contract/8-existing-databases.md#names.
 */
export function referencesOf(
  own: NamedTable,
  all: readonly NamedTable[],
  isManaged: boolean,
  fold: (name: string) => string,
): readonly Reference[] {
  const { table } = own;
  // A key in a view that takes writes would keep records from being deleted.
  if (table.isView)
    return table.closed.length === 3 || table.primary.length === 0 ? guessed(own, all, fold) : [];
  const declared = [
    ...table.actual.references.map((one) => ({ ...one, isGuess: false })),
    ...reduced(table, all, fold),
  ];
  return isManaged ? declared : [...declared, ...guessed(own, all, fold)];
}

export function tableNamed<Table extends NamedTable>(
  name: string,
  all: readonly Table[],
  fold: (name: string) => string,
): Table | undefined {
  return all.find(({ table }) => fold(table.actual.name) === fold(name));
}

/**
 * The keys of several columns of which one alone refers to the whole key of its table, as (tenant_id, project_id) to
 * UNIQUE (tenant_id, id) where `id` is the primary key: the relation goes by that column.
 */
function reduced(
  { actual }: FoundTable,
  all: readonly NamedTable[],
  fold: (name: string) => string,
): readonly Reference[] {
  return actual.wideReferences.flatMap(({ columns, table, targets = [], onDelete }) => {
    const [key, ...more] = tableNamed(table, all, fold)?.table.primary ?? [];
    const column = columns[targets.findIndex((name) => fold(name) === fold(key ?? ''))];
    const isKnown = actual.references.some((one) => fold(one.column) === fold(column ?? ''));
    if (column === undefined || key === undefined || more.length > 0 || isKnown) return [];
    // Of several columns a delete empties others as well.
    const action = onDelete === 'SET NULL' ? 'NO ACTION' : onDelete;
    return [{ column, table, target: key, onDelete: action, isGuess: false }];
  });
}

/** The columns without a foreign key that are named after the record of a table whose key has their type. */
function guessed(
  { table, resource }: NamedTable,
  all: readonly NamedTable[],
  fold: (name: string) => string,
): readonly Reference[] {
  const { columns, actual, primary, isView } = table;
  const names = new Set(columns.map((column) => fieldName(column.actual.name)));
  const known = new Set(
    [
      ...actual.references.map(({ column }) => column),
      ...actual.wideReferences.flatMap((key) => key.columns),
      // A table numbers its rows itself.
      ...(isView || primary.length > 1 ? [] : primary),
    ].map(fold),
  );
  return columns.flatMap((column): readonly Reference[] => {
    const { name } = column.actual;
    const [, stem] = /^(.+)Id$/u.exec(fieldName(name)) ?? [];
    // A pair with a type leads to several tables.
    if (stem === undefined || known.has(fold(name)) || names.has(`${stem}Type`)) return [];
    const others = all.filter((one) => one.resource !== resource && !one.table.isView);
    const target =
      others.find(({ record }) => record === stem)?.table ??
      (stem === 'parent' && !isView ? table : undefined);
    const [key, ...more] = target?.primary ?? [];
    if (target === undefined || key === undefined || more.length > 0) return [];
    return isAlike(column, target, key)
      ? [
          {
            column: name,
            table: target.actual.name,
            target: key,
            onDelete: isView ? 'SET NULL' : 'NO ACTION',
            isGuess: true,
          },
        ]
      : [];
  });
}

/** Whether a column has the type of the key that it leads to. */
export function isAlike(
  { type }: FoundColumn,
  { columns, types }: FoundTable,
  key: string,
): boolean {
  const there = columns.find(({ actual }) => actual.name.toLowerCase() === key.toLowerCase())?.type;
  if (there === undefined || 'left' in there || 'left' in type) return false;
  return keyType(there.attributes, types) === keyType(type.attributes, types);
}
