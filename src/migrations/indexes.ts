import { counted } from '../model/values.ts';
import { quoteTable } from '../sql/dialect.ts';
import { indexNames, withoutSchema, type MigrationStep } from '../sql/schema/schema.ts';
import type { IndexSchema } from '../sql/schema/table.ts';
import type { ActualIndex, Counting, SchemaRules } from '../databases/existing/actual-schema.ts';
import { countOf } from './counting.ts';
import {
  hasRows,
  newValue,
  step,
  type ColumnChange,
  type IndexDrop,
  type Pair,
} from './changes.ts';

interface Compared {
  readonly steps: readonly MigrationStep[];
  readonly drop: readonly IndexDrop[];
  readonly create: readonly NewIndex[];
}

interface NewIndex {
  readonly index: IndexSchema;
  readonly isLater: boolean;
}

/**
 * Compares the indexes of a table. Obsolete indexes of Plinth's own are dropped first, because a new one may need
 * their name, and those that an interrupted migration has left unfinished. Other indexes are never touched. A unique index
 * over repeated values is an obstacle. `isTarget`: whether foreign keys need a unique index of these columns.
 */
export function* compareIndexes(
  { wanted: table, actual, change }: Pair,
  rules: SchemaRules,
  isTarget: (table: string, columns: readonly string[]) => boolean,
): Counting<Compared> {
  const { fold } = rules;
  // An order that does not depend on the database.
  const there = (actual?.indexes ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const columns = change?.columns ?? [];
  /** The name of a column after the migration. */
  const renamed = new Map(
    columns.flatMap(({ name, actual }) =>
      actual === undefined ? [] : [[fold(actual.name), name]],
    ),
  );
  const keyOf = (names: readonly (string | null)[]): string =>
    JSON.stringify(names.map((name) => (name === null ? null : fold(name))));
  const namesIn = (index: ActualIndex): readonly (string | null)[] =>
    index.columns.map((name) => (name === null ? null : (renamed.get(fold(name)) ?? name)));
  const serves = (index: ActualIndex, wanted: IndexSchema): boolean => {
    const names = namesIn(index);
    // Unique values are unique in any order; an index for sorting must have the wanted order.
    return (
      index.unique === wanted.unique &&
      (index.unique || index.isInOrder) &&
      [wanted.columns, rules.indexColumns(table, wanted)].some((one) => keyOf(one) === keyOf(names))
    );
  };
  /** Whether it would be created the same way. The order depends on the id and on nullable columns. */
  const isAsMade = (index: ActualIndex, wanted: IndexSchema): boolean => {
    const names = namesIn(index);
    return (
      serves(index, wanted) &&
      keyOf(names) === keyOf(rules.indexColumns(table, wanted)) &&
      names.every(
        (name, place) =>
          index.nullsFirst === undefined ||
          index.nullsFirst[place] === rules.putsNullsFirst?.(table, name ?? ''),
      )
    );
  };
  /** Whether its name no longer follows from the names of its table and columns. */
  const isMisnamed = ({ columns }: ActualIndex): boolean =>
    (actual !== undefined && fold(actual.name) !== fold(table.name)) ||
    columns.some((name) => name !== null && fold(renamed.get(fold(name)) ?? name) !== fold(name));
  const left = there.filter(
    (index) =>
      actual !== undefined &&
      isOwn(actual.name, index, rules) &&
      (isMisnamed(index) || !table.indexes.some((wanted) => isAsMade(index, wanted))),
  );
  const remaining = there.filter((index) => !left.includes(index));
  const create = table.indexes.filter(
    (wanted) => !remaining.some((index) => serves(index, wanted)),
  );
  const broken = (actual?.brokenIndexes ?? []).filter(
    (index) => actual !== undefined && isOwn(actual.name, index, rules),
  );
  const finishesLater =
    create.length > 0 && actual !== undefined && (yield* hasRows(actual, rules));
  /** While a unique index is missing, values could repeat, and no foreign key can refer to them. */
  const isLater = ({ unique, columns: names }: IndexSchema): boolean =>
    finishesLater &&
    !(
      unique &&
      (isTarget(table.name, names) ||
        left.some((one) => one.unique && keyOf(namesIn(one)) === keyOf(names)))
    );
  /** Clients that follow the file never write this column, so it is null in new rows, and nulls are distinct. */
  const staysNull = (name: string | null): boolean => {
    const column = columns.find(({ actual }) => name !== null && actual?.name === name);
    return column?.wanted === undefined && column?.actual?.default === undefined;
  };
  const steps = left.map(({ name, unique, columns }) =>
    step(`drop index ${name}`, { canWait: !unique || columns.some(staysNull) }),
  );
  for (const { name } of broken)
    steps.push(
      step(`drop index ${name}, which an interrupted migration has left unfinished`, {
        canWait: true,
      }),
    );
  for (const index of table.indexes) {
    const isNew = create.includes(index);
    const parts = index.columns.map((name) =>
      columns.find((column) => fold(column.name) === fold(name)),
    );
    const isMoved = parts.some((part) => part?.conversion !== undefined);
    if (!isNew && !isMoved) continue;
    const repeated =
      index.unique && actual !== undefined ? yield* countOf(repeatedQuery(actual.name, parts)) : 0;
    const obstacle =
      repeated === 0
        ? undefined
        : `${counted(repeated, 'value')} would be there more than once; change all but one of each first${index.otherwise === undefined ? '' : `, or ${index.otherwise}`}`;
    if (isNew || obstacle !== undefined)
      steps.push(step(creationOf(table.name, index), { obstacle }));
  }
  return {
    steps,
    drop: [...left, ...broken].map(({ name }) => ({ name, table: actual?.name ?? table.name })),
    create: create.map((index) => ({ index, isLater: isLater(index) })),
  };
}

/** The step that creates an index. */
export function creationOf(table: string, { unique, columns }: IndexSchema): string {
  return `create ${unique ? 'unique ' : ''}index on ${table} (${columns.join(', ')})`;
}

/** Counts the values that occur in more than one row. */
function repeatedQuery(table: string, columns: readonly (ColumnChange | undefined)[]): string {
  const values = columns.map(
    (column, index) => `${column === undefined ? 'NULL' : newValue(column)} AS c${index}`,
  );
  const names = columns.map((_, index) => `c${index}`);
  const filled = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  return (
    `SELECT count(*) FROM (SELECT 1 AS one FROM (SELECT ${values.join(', ')} FROM ${quoteTable(table)}) AS each` +
    ` WHERE ${filled} GROUP BY ${names.join(', ')} HAVING count(*) > 1) AS repeated`
  );
}

/**
 * Whether Plinth made the index: its name follows from its columns, and its definition is written as Plinth writes
 * it.
 */
function isOwn(table: string, index: ActualIndex, rules: SchemaRules): boolean {
  const { name, columns, unique, sql } = index;
  const names = columns.filter((column) => column !== null);
  if (sql === undefined || names.length < columns.length) return false;
  // The id may have been appended to the wanted columns.
  const wanted = [names, names.slice(0, -1)];
  return (
    wanted.some((one) => indexNames(withoutSchema(table), one, unique).includes(name)) &&
    rules.isAsWritten(table, index)
  );
}
