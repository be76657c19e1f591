import { quote } from '../sql/dialect.ts';
import type { MigrationStep } from '../sql/schema.ts';
import { canBecome, type StoredKind } from '../sql/stored-kind.ts';
import type { ColumnSchema, TableSchema } from '../sql/table-schema.ts';
import type {
  ActualColumn,
  ActualReference,
  ActualTable,
  Conversion,
  Counting,
  SchemaRules,
} from './schema-actual.ts';
import {
  counted,
  keptColumn,
  step,
  type ColumnChange,
  type TableChange,
} from './schema-changes.ts';
import type { RecordRow } from './schema-record.ts';

interface Compared {
  readonly steps: readonly MigrationStep[];
  readonly change: TableChange;
}

type Recorded = ReadonlyMap<string, RecordRow>;

/** Compares the columns of a table that is there, but for indexes. */
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
  const changes = new Map<ActualColumn | undefined, ColumnChange[]>();
  const put = (change: ColumnChange): void => {
    changes.set(change.actual, [...(changes.get(change.actual) ?? []), change]);
  };
  for (const column of table.columns) {
    const source = sources.get(column);
    const summary = `${table.name}.${column.name}`;
    if (source === undefined) put(yield* addColumn(table, actual, column, rules, steps));
    else {
      if (fold(source.name) !== fold(column.name))
        steps.push(step(`rename column ${table.name}.${source.name} to ${column.name}`));
      const known = recorded.get(fold(source.name));
      // Their forms are read from what is in them now, whatever that was before.
      const isRead =
        known?.isMade === false &&
        (column.form !== undefined || column.kind === 'datetime' || column.kind === 'boolean');
      const kind = isRead ? undefined : known?.kind;
      put(yield* changeColumn(summary, actual, column, source, kind, rules, steps));
    }
  }
  for (const column of actual.columns.values())
    if (!taken.has(column))
      put(yield* leaveColumn(table, actual, column, recorded, rules, allowDataLoss, steps));
  const columns = [...actual.columns.values(), undefined].flatMap((one) => changes.get(one) ?? []);
  const name = fold(actual.name) === fold(table.name) ? actual.name : table.name;
  return { steps, change: { name, actual, columns } };
}

/** The column in which each field is now: that of its name, or the one it was in before the file said another. */
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

function* addColumn(
  table: TableSchema,
  actual: ActualTable,
  column: ColumnSchema,
  rules: SchemaRules,
  steps: MigrationStep[],
): Counting<ColumnChange> {
  const fill = column.fill && rules.fillSql(column.fill, column.kind);
  const summary = `add column ${table.name}.${column.name}`;
  if (fill !== undefined) steps.push(step(`${summary} (${shown(column)} where a row is there)`));
  else if (column.nullable && !column.isKey) steps.push(step(summary));
  else {
    const rows = yield `SELECT count(*) FROM ${quote(actual.name)}`;
    const needsValues = rows > 0 && !column.type.includes('GENERATED');
    steps.push(
      step(
        `${summary} (not null)`,
        needsValues
          ? {
              obstacle: `${counted(rows, 'row')} would have no value; give the field a default, or let it be null until they have one`,
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
    reference: { actual: undefined, wanted: column.reference, change: 'none' },
  };
}

/** How a default is told: what is drawn for each row by its name. */
function shown({ fill }: ColumnSchema): string {
  if (fill?.kind === 'literal') return fill.shown;
  return fill?.kind === 'now' ? 'the time' : 'a UUID of its own';
}

function* changeColumn(
  name: string,
  table: ActualTable,
  column: ColumnSchema,
  actual: ActualColumn,
  recordedKind: StoredKind | '' | undefined,
  rules: SchemaRules,
  steps: MigrationStep[],
): Counting<ColumnChange> {
  const type = rules.typeName(column.type);
  const isLike =
    actual.type === type ||
    rules.isLike(actual.type, type, column.isKey) ||
    (!column.isKey && (yield* holdsAlready(table, column, actual, rules)));
  const kind = actualKind(column, actual, isLike, recordedKind, rules);
  // Forms have the same order in any collation.
  const comparesOtherwise =
    isLike &&
    column.form === undefined &&
    column.type.includes('COLLATE') &&
    actual.byCodePoint === false;
  const keepsType = isLike && kind === column.kind && !comparesOtherwise;
  const from = quote(table.name);
  const old = quote(actual.name);
  let conversion: Conversion | undefined;
  const needsNoNull = !column.nullable && !column.isKey;
  const fill = needsNoNull && column.fill ? rules.fillSql(column.fill, column.kind) : undefined;
  if (!keepsType && (!isLike || kind !== column.kind)) {
    conversion =
      kind === column.kind || canBecome(kind, column.kind)
        ? rules.convert(kind, column.kind, actual.type, type)
        : { value: () => `CAST(NULL AS ${type})` };
    const lost = [`(${conversion.value(old)}) IS NULL`, conversion.isInexact?.(old) ?? ''];
    const count =
      yield `SELECT count(*) FROM ${from} WHERE ${old} IS NOT NULL AND (${lost.filter((one) => one !== '').join(' OR ')})`;
    // Where the file says the same of it as before, the database is what differs.
    const isOther = kind !== column.kind && kind !== 'any';
    const was = isOther ? kind : actual.type === '' ? 'no type' : actual.type;
    const loses = count === 0 ? undefined : counted(count, 'value');
    const missing = column.isKey
      ? yield `SELECT count(*) FROM ${from} WHERE (${conversion.value(old)}) IS NULL`
      : 0;
    const obstacle =
      missing === 0
        ? undefined
        : `${counted(missing, 'record')} would have no id; export the records, and import them into a new database under ids that fit`;
    steps.push(
      step(`change ${name} from ${was} to ${isOther ? column.kind : type}`, { loses, obstacle }),
    );
  } else if (comparesOtherwise) {
    conversion = { value: (one) => one };
    steps.push(step(`change ${name} to collation "C"`));
  }
  const { form } = column;
  if (form !== undefined && kind === column.kind) {
    const others =
      yield `SELECT count(*) FROM ${from} WHERE ${old} IS NOT NULL AND NOT ${form.isMet(old)}`;
    const verb = others === 1 ? 'is' : 'are';
    if (others > 0)
      steps.push(
        step(`read ${name} as ${form.name}`, {
          obstacle: `${counted(others, 'value')} ${verb} not stored so; change them, or say of the field what they are`,
        }),
      );
  }
  const becomesKey = column.isKey && !actual.isPrimary;
  const becomesGenerated = column.type.includes('GENERATED') && !actual.fills;
  const value = conversion?.value(old) ?? old;
  if (becomesKey) {
    const refused = yield `SELECT count(*) - count(DISTINCT ${value}) FROM ${from}`;
    const isOther = [...table.columns.values()].some(({ isPrimary }) => isPrimary);
    const obstacle = isOther
      ? 'another column is; change this table by hand'
      : refused > 0
        ? `${counted(refused, 'row')} have no value of their own there; give them one first`
        : undefined;
    steps.push(step(`change ${name} to be the primary key`, { obstacle }));
  }
  // SQLite's integer keys need no word for it.
  if (becomesGenerated) steps.push(step(`change ${name} to be given by the database`));
  const allowsNull = column.nullable && !column.isKey && !actual.nullable;
  if (allowsNull) {
    const isInKey = table.indexes.some(
      ({ isPrimary, columns }) => isPrimary && columns.includes(actual.name),
    );
    const obstacle = isInKey
      ? 'it is in the primary key, which takes no null; say `required: true` of the field'
      : undefined;
    steps.push(step(`change ${name} to allow null`, { obstacle }));
  }
  const refusesNull = needsNoNull && actual.nullable;
  if (refusesNull || (conversion !== undefined && needsNoNull)) {
    const count = yield `SELECT count(*) FROM ${from} WHERE (${value}) IS NULL`;
    const obstacle =
      count === 0 || fill !== undefined
        ? undefined
        : `${counted(count, 'row')} would have no value; give each one that fits, or the field a default`;
    const filled = count > 0 && fill !== undefined ? ` (${shown(column)} where it is null)` : '';
    if (refusesNull || obstacle !== undefined)
      steps.push(step(`change ${name} to refuse null${filled}`, { obstacle }));
  }
  return {
    name: rules.fold(actual.name) === rules.fold(column.name) ? actual.name : column.name,
    actual,
    wanted: column,
    isDropped: false,
    keepsType,
    conversion,
    fill,
    nullable: column.isKey ? actual.nullable : column.nullable,
    becomesKey,
    becomesGenerated,
    // Compared once it is known what else is renamed.
    reference: {
      actual: referenceOf(table, actual, rules),
      wanted: column.reference,
      change: 'none',
    },
  };
}

/** Whether a column of another type keeps what is written to it, and holds each value in the wanted form. */
function* holdsAlready(
  { name }: ActualTable,
  wanted: ColumnSchema,
  { name: column, type }: ActualColumn,
  { misfits }: SchemaRules,
): Counting<boolean> {
  const condition = misfits?.(type, wanted, quote(column));
  if (condition === undefined) return false;
  const one = quote(column);
  return (
    (yield `SELECT count(*) FROM ${quote(name)} WHERE ${one} IS NOT NULL AND ${condition}`) === 0
  );
}

/** The foreign key of a column. */
export function referenceOf(
  table: ActualTable,
  column: ActualColumn,
  { fold }: SchemaRules,
): ActualReference | undefined {
  return table.references.find((one) => fold(one.column) === fold(column.name));
}

/** What a column holds: as it was recorded, unless its type was changed since by others. */
function actualKind(
  column: ColumnSchema,
  { type }: ActualColumn,
  isLike: boolean,
  recorded: StoredKind | '' | undefined,
  rules: SchemaRules,
): StoredKind {
  const known = recorded === '' ? undefined : recorded;
  if (
    known !== undefined &&
    (rules.typeOfKind(known) === type ||
      rules.isLike(type, rules.typeOfKind(known), false) ||
      (isLike && known === column.kind))
  )
    return known;
  return isLike ? column.kind : rules.kindOfType(type);
}

/** A column that the file does not name: Plinth's own goes when it may; any has to let rows be written without it. */
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
  const mustBeThere = !column.nullable && !column.fills;
  if (!isMade) {
    if (mustBeThere)
      steps.push(
        step(`write rows without ${name}, which may not be null and is not in the file`, {
          obstacle: 'name it as a field, let it be null, or give it a default in the database',
        }),
      );
    return kept;
  }
  const isReleased = kept.reference.change === 'drop';
  if (!allowDataLoss) {
    const why = 'since the file no longer names it';
    if (mustBeThere) steps.push(step(`change ${name} to allow null, ${why}`));
    if (isReleased) steps.push(step(`change ${name} to refer to nothing, ${why}`));
  }
  const count = yield `SELECT count(${quote(column.name)}) FROM ${quote(actual.name)}`;
  steps.push(step(`drop column ${name}`, { loses: counted(count, 'value'), isOptional: true }));
  return {
    ...kept,
    isDropped: allowDataLoss,
    nullable: column.nullable || mustBeThere,
  };
}
