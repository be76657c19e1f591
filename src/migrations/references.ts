import { quoteTable } from '../sql/dialect.ts';
import { deleteActions, type MigrationStep } from '../sql/schema/schema.ts';
import type { ReferenceSchema } from '../sql/schema/table.ts';
import type {
  ActualReference,
  ActualTable,
  Counting,
  SchemaRules,
} from '../databases/existing/actual-schema.ts';
import { rowsWith } from './counting.ts';
import {
  hasRows,
  newValue,
  step,
  type ColumnChange,
  type Pair,
  type ReferenceChange,
  type Validation,
} from './changes.ts';

interface Compared {
  readonly pairs: readonly Pair[];
  readonly steps: readonly MigrationStep[];
}

/** The tables by name, before and after the migration. */
interface Targets {
  readonly byFormerName: ReadonlyMap<string, Pair>;
  readonly byName: ReadonlyMap<string, Pair>;
  readonly rules: SchemaRules;
  readonly droppedIndexes: ReadonlySet<string>;
}

/**
 * Compares the foreign keys of all tables, after renames, value conversions and dropped indexes are known. A key that
 * refers to a missing record is an obstacle.
 */
export function* compareReferences(
  pairs: readonly Pair[],
  rules: SchemaRules,
  droppedIndexes: readonly string[],
): Counting<Compared> {
  const { fold } = rules;
  const targets: Targets = {
    byFormerName: new Map(pairs.map((pair) => [fold(pair.actual?.name ?? pair.wanted.name), pair])),
    byName: new Map(pairs.map((pair) => [fold(pair.wanted.name), pair])),
    rules,
    droppedIndexes: new Set(droppedIndexes),
  };
  const steps: MigrationStep[] = [];
  const compared: Pair[] = [];
  for (const pair of pairs) {
    const { wanted: table, actual, change } = pair;
    if (actual === undefined || change === undefined) {
      // A key that is added as a constraint of its own is a separate step.
      for (const { name, reference } of table.columns)
        if (reference !== undefined && !rules.rebuilds)
          steps.push(addition(`${table.name}.${name}`, reference));
      compared.push(pair);
      continue;
    }
    const columns: ColumnChange[] = [];
    const isValidatedLater =
      change.columns.some(({ wanted }) => wanted?.reference !== undefined) &&
      (yield* hasRows(actual, rules));
    for (const column of change.columns) {
      const { wanted, reference } = column;
      if (wanted === undefined) {
        columns.push(column);
        continue;
      }
      const isMade = pair.recorded.get(fold(column.actual?.name ?? column.name))?.isMade === true;
      // A file cannot declare a foreign key of an id, so an existing one stays.
      const isOwn = isMade || !wanted.isKey;
      const isKept = reference.wanted === undefined && !isOwn;
      const wantedChange = isKept ? 'none' : changeOf(reference, isMade, targets);
      const kind =
        wantedChange === 'validate' &&
        !isMade &&
        (yield* orphansOf(actual, column, targets)).count > 0
          ? 'none'
          : wantedChange;
      const changed = { ...column, reference: { ...reference, change: kind } };
      // A key that is dropped and added again only because an index changes is not shown.
      columns.push(
        kind === 'none' && isHeld(reference, targets)
          ? { ...column, reference: { ...reference, change: 'replace' } }
          : changed,
      );
      const name = `${table.name}.${column.name}`;
      steps.push(...(yield* referenceSteps(name, actual, changed, targets)));
    }
    compared.push({ ...pair, change: { ...change, columns, isValidatedLater } });
  }
  return { pairs: compared, steps };
}

/**
 * The steps of a column's key. `name` is the column in messages. A key that stays is checked if values are converted.
 */
function* referenceSteps(
  name: string,
  table: ActualTable,
  column: ColumnChange,
  targets: Targets,
): Counting<readonly MigrationStep[]> {
  const { wanted, change } = column.reference;
  const { rebuilds } = targets.rules;
  if (wanted === undefined)
    return change === 'drop' ? [step(`change ${name} to refer to nothing`)] : [];
  const { key } = targetOf(wanted, targets);
  const isMoved = column.conversion !== undefined || key?.conversion !== undefined;
  if (change === 'none' && !isMoved) return [];
  const orphans = yield* orphansOf(table, column, targets);
  const obstacle =
    orphans.count === 0
      ? undefined
      : `${orphans.text} would refer to records of ${wanted.table} that are not there; fix or empty them first`;
  if (change === 'validate') return [{ ...addition(name, wanted), obstacle, canWait: true }];
  if (change === 'add') {
    const isUnlisted = column.actual === undefined && rebuilds && obstacle === undefined;
    return isUnlisted ? [] : [{ ...addition(name, wanted), obstacle }];
  }
  if (change === 'none' && obstacle === undefined) return [];
  const summary = `change ${name} to refer to ${shown(wanted)} on delete ${wanted.onDelete}`;
  return [step(summary, { obstacle })];
}

/** The rows whose key refers to no row after the migration. */
function* orphansOf(
  table: ActualTable,
  column: ColumnChange,
  targets: Targets,
): ReturnType<typeof rowsWith> {
  const { wanted } = column.reference;
  if (wanted === undefined || (column.actual === undefined && column.fill === undefined))
    return { count: 0, text: '' };
  const { target, key } = targetOf(wanted, targets);
  return yield* rowsWith(table, isOrphan(column, target?.actual?.name, key));
}

/** The table that a key refers to, and its column. */
function targetOf(
  { table, column }: ReferenceSchema,
  { byName, rules: { fold } }: Targets,
): { readonly target: Pair | undefined; readonly key: ColumnChange | undefined } {
  const target = byName.get(fold(table));
  const key = target?.change?.columns.find((one) => fold(one.name) === fold(column));
  return { target, key };
}

function changeOf(
  { actual, wanted }: ReferenceChange,
  isMade: boolean,
  targets: Targets,
): ReferenceChange['change'] {
  if (wanted === undefined) {
    // A key made by others to a table that the file does not name does no harm.
    const isNamed =
      actual !== undefined && targets.byFormerName.has(targets.rules.fold(actual.table));
    return actual === undefined || (!isMade && !isNamed) ? 'none' : 'drop';
  }
  if (actual === undefined) return 'add';
  if (!fits(actual, wanted, targets)) return 'replace';
  return actual.isValid ? 'none' : 'validate';
}

/** Whether a key that stays prevents dropping an index: on PostgreSQL, foreign keys depend on a unique index. */
function isHeld(
  { actual, wanted }: ReferenceChange,
  { byFormerName, rules: { fold, rebuilds }, droppedIndexes }: Targets,
): boolean {
  if (rebuilds || actual === undefined || wanted === undefined) return false;
  const indexes = byFormerName.get(fold(actual.table))?.actual?.indexes ?? [];
  return indexes.some(
    ({ name, unique, columns: [column, another] }) =>
      unique && column === actual.target && another === undefined && droppedIndexes.has(name),
  );
}

function fits(
  actual: ActualReference,
  wanted: ReferenceSchema,
  { byFormerName, rules: { fold } }: Targets,
): boolean {
  const target = byFormerName.get(fold(actual.table));
  const column =
    actual.target === undefined
      ? wanted.column
      : (target?.change?.columns.find(
          (one) => one.actual !== undefined && fold(one.actual.name) === fold(actual.target ?? ''),
        )?.name ?? actual.target);
  return (
    fold(target?.wanted.name ?? actual.table) === fold(wanted.table) &&
    fold(column) === fold(wanted.column) &&
    // Without an action, a delete is refused as well.
    (actual.onDelete === 'NO ACTION' ? 'RESTRICT' : actual.onDelete) ===
      deleteActions[wanted.onDelete]
  );
}

function shown({ table, column }: ReferenceSchema): string {
  return `${table}.${column}`;
}

/** The keys that are held against the rows that are there. A key that is made anew is validated after that. */
export function validationsOf(pairs: readonly Pair[]): readonly Validation[] {
  return pairs.flatMap(({ wanted, change }) =>
    (change?.columns ?? []).flatMap(({ name, conversion, reference }) => {
      const { actual, wanted: key, change: kind } = reference;
      if (kind !== 'validate' || conversion !== undefined || change === undefined) return [];
      if (actual?.name === undefined || key === undefined) return [];
      const { summary } = addition(`${wanted.name}.${name}`, key);
      return [{ summary, table: change.name, constraint: actual.name }];
    }),
  );
}

function addition(name: string, reference: ReferenceSchema): MigrationStep {
  return step(`refer ${name} to ${shown(reference)}`);
}

/** Whether the key of a row refers to no row; a table that does not exist yet has no rows. */
function isOrphan(
  column: ColumnChange,
  target: string | undefined,
  key: ColumnChange | undefined,
): string {
  const own = `(${newValue(column)})`;
  const isLost =
    target === undefined || key === undefined
      ? ''
      : ` AND ${own} NOT IN (SELECT target FROM (SELECT ${newValue(key)} AS target FROM ${quoteTable(target)}) AS targets WHERE target IS NOT NULL)`;
  return `${own} IS NOT NULL${isLost}`;
}
