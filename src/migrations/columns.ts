import { counted } from '../model/values.ts';
import { quote, quoteTable } from '../sql/dialect.ts';
import type { MigrationStep } from '../sql/schema/schema.ts';
import type { ColumnSchema, TableSchema } from '../sql/schema/table.ts';
import type {
  ActualColumn,
  ActualTable,
  Counting,
  SchemaRules,
} from '../databases/existing/actual-schema.ts';
import { countOf } from './counting.ts';
import {
  keptColumn,
  referenceOf,
  shownFill,
  step,
  type ColumnChange,
  type TableChange,
} from './changes.ts';
import { changeColumn } from './column-change.ts';
import { isNumberForm, recordedKind, type RecordRow } from '../databases/existing/schema-record.ts';

interface Compared {
  readonly steps: readonly MigrationStep[];
  readonly change: TableChange;
}

type Recorded = ReadonlyMap<string, RecordRow>;

/** Compares the columns of an existing table, without its indexes. */
export function* compareColumns(
  table: TableSchema,
  actual: ActualTable,
  recorded: Recorded,
  rules: SchemaRules,
  allowDataLoss: boolean,
): Counting<Compared> {
  const { fold } = rules;
  const steps: MigrationStep[] = [];
  const sources = sourcesOf(table, actual, recorded, rules);
  const taken = new Set(sources.values());
  const changes: ColumnChange[] = [];
  for (const column of table.columns) {
    const source = sources.get(column);
    if (source === undefined) changes.push(yield* addColumn(table, actual, column, rules, steps));
    else {
      if (fold(source.name) !== fold(column.name))
        steps.push(step(`rename column ${table.name}.${source.name} to ${column.name}`));
      const known = recorded.get(fold(source.name));
      // The form is read from the values in the column now, whatever it was before.
      const isRead =
        known?.isMade === false &&
        (column.form !== undefined || ['datetime', 'boolean'].includes(column.kind));
      const change = {
        name: `${table.name}.${column.name}`,
        table: actual,
        actual: source,
        isMade: known?.isMade === true,
        wasForm: isNumberForm(known?.kind) ? known.kind : undefined,
        wantedTable: table.name,
        wanted: column,
        rules,
        steps,
      };
      const changed = yield* changeColumn(change, isRead ? undefined : known?.kind);
      if (source.isComputed) steps.push(...computedRefuses(change.name, changed, column));
      changes.push(changed);
    }
  }
  for (const column of actual.columns.values())
    if (!taken.has(column))
      changes.push(
        yield* leaveColumn(table, actual, column, recorded, rules, allowDataLoss, steps),
      );
  pointOutRename(table, changes, recorded, rules, steps);
  const byColumn = Map.groupBy(changes, (change) => change.actual);
  const columns = [...actual.columns.values(), undefined].flatMap((one) => byColumn.get(one) ?? []);
  const name = fold(actual.name) === fold(table.name) ? actual.name : table.name;
  return { steps, change: { name, actual, columns, isValidatedLater: false } };
}

/**
 * If one column is added and one of the same kind is dropped, it is likely the same under another name: the step of the
 * drop says how to keep its values. See docs/contract/6-operation.md#migrate.
 */
function pointOutRename(
  table: TableSchema,
  changes: readonly ColumnChange[],
  recorded: Recorded,
  rules: SchemaRules,
  steps: MigrationStep[],
): void {
  for (const [index, { summary }] of steps.entries()) {
    const dropped = changes.find(
      ({ actual }) =>
        actual !== undefined && summary === `drop column ${table.name}.${actual.name}`,
    )?.actual;
    const kind = dropped && recorded.get(rules.fold(dropped.name))?.kind;
    const alike = changes.flatMap(({ actual, wanted }) =>
      actual === undefined && wanted !== undefined && recordedKind(wanted) === kind ? [wanted] : [],
    );
    const [added, another] = alike;
    const current = steps[index];
    if (dropped === undefined || added === undefined || another !== undefined) continue;
    if (current !== undefined)
      steps[index] = {
        ...current,
        hint: `if ${added.field} is its new name, write column: ${dropped.name} there, and its values stay`,
      };
  }
}

/**
 * Why a table with a primary key of several columns cannot be used: no id tells its rows apart. A junction can be
 * used, through its two keys. Undefined when the table can be used. See
 * docs/contract/1-specification-file.md#existing-tables, rule 2.
 */
export function refusedKey(
  table: TableSchema,
  actual: ActualTable,
  recorded: Recorded,
  rules: SchemaRules,
): MigrationStep | undefined {
  const key = actual.indexes.find(({ isPrimary, columns }) => isPrimary && columns.length > 1);
  if (key === undefined) return undefined;
  const names = key.columns.flatMap((name) => name ?? []);
  const isLinked = (name: string): boolean =>
    [...sourcesOf(table, actual, recorded, rules)].some(
      ([{ reference }, source]) =>
        reference !== undefined && rules.fold(source.name) === rules.fold(name),
    );
  if (names.length === 2 && names.every(isLinked)) return undefined;
  return step(`use table ${actual.name}`, {
    obstacle: `its primary key is of several columns (${names.join(', ')}), which only a junction may have; give its rows a key of one column`,
  });
}

/** What cannot be changed about a computed column. */
function computedRefuses(
  name: string,
  { conversion }: ColumnChange,
  { type, isKey, isReadOnly }: ColumnSchema,
): readonly MigrationStep[] {
  const steps: MigrationStep[] = [];
  if (!isReadOnly && !isKey)
    steps.push(
      step(`write ${name}, which the database computes`, {
        obstacle: 'say readOnly: true of the field, without a default, or take it out of the file',
      }),
    );
  if (conversion !== undefined)
    steps.push(
      step(`change ${name}, which the database computes`, {
        obstacle: `make it anew by hand, as ${type}`,
      }),
    );
  return steps;
}

/** The current column of each field: the one with its name, or the one it had in an earlier version of the file. */
function sourcesOf(
  table: TableSchema,
  actual: ActualTable,
  recorded: Recorded,
  { fold }: SchemaRules,
): ReadonlyMap<ColumnSchema, ActualColumn> {
  const wanted = new Set(table.columns.map(({ name }) => fold(name)));
  const sources = new Map<ColumnSchema, ActualColumn>();
  for (const column of table.columns) {
    const former = [...recorded.values()].find(
      (row) => row.column !== '' && row.field === column.field && !wanted.has(fold(row.column)),
    );
    const source =
      actual.columns.get(fold(column.name)) ?? (former && actual.columns.get(fold(former.column)));
    if (source !== undefined) sources.set(column, source);
  }
  return sources;
}

/** Why existing rows cannot get a value for a column that is not null, and how to fix that. */
function noValue(column: ColumnSchema, { columns }: ActualTable): string {
  if (!column.isKey)
    return 'would have no value; give the field a default, or let it be null until they have one';
  const keys = [...columns.values()].filter(({ isPrimary }) => isPrimary);
  const [key, another] = keys.filter(({ fills }) => keys.length === 1 || fills);
  return key === undefined || another !== undefined
    ? 'would have no id; say of the id which column it is'
    : `would have no id; say which column it is: { type: id, column: ${key.name} }`;
}

function* addColumn(
  table: TableSchema,
  actual: ActualTable,
  column: ColumnSchema,
  rules: SchemaRules,
  steps: MigrationStep[],
): Counting<ColumnChange> {
  const fill = column.fill && rules.fillSql(column.fill, column.kind);
  const summary = `add column ${table.name}.${column.name}`;
  const lacking = { table: table.name, column: column.name };
  if (fill !== undefined)
    steps.push(step(`${summary} (${shownFill(column)} where a row is there)`));
  else if (column.nullable && !column.isKey) steps.push(step(summary, { lacking }));
  else {
    const rows = yield* countOf(`SELECT count(*) FROM ${quoteTable(actual.name)}`);
    const needsValues = rows > 0 && !column.type.includes('GENERATED');
    steps.push(
      step(
        `${summary} (not null)`,
        needsValues
          ? {
              obstacle: `${counted(rows, 'row')} ${noValue(column, actual)}`,
              ...(column.isKey ? {} : { lacking }),
            }
          : {},
      ),
    );
  }
  return {
    name: column.name,
    actual: undefined,
    wanted: column,
    isDropped: false,
    keepsType: false,
    conversion: undefined,
    fill,
    nullable: column.nullable && !column.isKey,
    becomesKey: column.isKey,
    becomesGenerated: false,
    losesDefault: false,
    reference: { actual: undefined, wanted: column.reference, change: 'none' },
  };
}

/**
 * Handles a column that the file does not name. Columns that a migration made are dropped if data loss is allowed;
 * any other must not prevent inserts.
 */
function* leaveColumn(
  table: TableSchema,
  actual: ActualTable,
  column: ActualColumn,
  recorded: Recorded,
  rules: SchemaRules,
  allowDataLoss: boolean,
  steps: MigrationStep[],
): Counting<ColumnChange> {
  const name = `${table.name}.${column.name}`;
  const isMade = recorded.get(rules.fold(column.name))?.isMade === true;
  const kept = keptColumn(column, referenceOf(actual, column, rules), () => isMade);
  const mustBeThere = !column.nullable && !column.fills && !actual.mayFill;
  if (!isMade) {
    if (mustBeThere && table.takesRows)
      steps.push(
        step(`write rows without ${name}, which may not be null and is not in the file`, {
          obstacle:
            'name it as a field, let it be null, give it a default in the database, or let no request make records: access: { create: none }',
        }),
      );
    return kept;
  }
  const isReleased = kept.reference.change === 'drop';
  if (!allowDataLoss) {
    const why = 'since the file no longer names it';
    if (mustBeThere) steps.push(step(`change ${name} to allow null, ${why}`));
    if (isReleased)
      steps.push(step(`change ${name} to refer to nothing, ${why}`, { canWait: true }));
  }
  const count = yield* countOf(
    `SELECT count(${quote(column.name)}) FROM ${quoteTable(actual.name)}`,
  );
  steps.push(
    step(`drop column ${name}`, { loses: `loses ${counted(count, 'value')}`, isOptional: true }),
  );
  return {
    ...kept,
    isDropped: allowDataLoss,
    nullable: column.nullable || mustBeThere,
  };
}
