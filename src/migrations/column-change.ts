import { counted } from '../model/values.ts';
import { quote, quoteTable } from '../sql/dialect.ts';
import type { MigrationStep } from '../sql/schema/schema.ts';
import { canBecome } from '../sql/kinds/registry.ts';
import { baseOf, digitsOf, type StoredKind } from '../sql/kinds/stored-kind.ts';
import type { ColumnSchema } from '../sql/schema/table.ts';
import type {
  ActualColumn,
  ActualTable,
  Conversion,
  Counting,
  SchemaRules,
} from '../databases/existing/actual-schema.ts';
import {
  isNumberForm,
  type NumberForm,
  type RecordRow,
} from '../databases/existing/schema-record.ts';
import { countOf, rowsWith } from './counting.ts';
import { keepsValues, referenceOf, shownFill, step, type ColumnChange } from './changes.ts';
import { changedValues, lostValues, narrowing, together, weakerUnique } from './losses.ts';

/** An existing column beside the wanted one. */
interface Compared {
  /** Its name in steps. */
  readonly name: string;
  readonly table: ActualTable;
  readonly actual: ActualColumn;
  /** Whether a migration made it. Its default, if any, is then from a migration too. */
  readonly isMade: boolean;
  /** The form of its whole numbers in the record. */
  readonly wasForm: NumberForm | undefined;
  readonly wantedTable: string;
  readonly wanted: ColumnSchema;
  readonly rules: SchemaRules;
  /** Collects the steps. */
  readonly steps: MigrationStep[];
}

/** What a column holds now, and how that differs from what is wanted. */
interface Held {
  readonly kind: StoredKind;
  /** Whether its type fits. */
  readonly isLike: boolean;
  /** Whether its collation is the only difference. */
  readonly comparesOtherwise: boolean;
}

/**
 * The change of an existing column. Values come first, because the checks of the key and of null count converted
 * values. `recordedKind` is the kind in the record.
 */
export function* changeColumn(
  compared: Compared,
  recordedKind: RecordRow['kind'] | undefined,
): Counting<ColumnChange> {
  const { name, table, actual, wanted, rules, steps } = compared;
  const held = yield* heldIn(compared, recordedKind);
  const isConverted = !held.isLike || held.kind !== wanted.kind;
  const conversion = isConverted
    ? yield* convertValues(compared, held.kind)
    : changeCollation(compared, held);
  const value = conversion?.value(quote(actual.name)) ?? quote(actual.name);
  yield* expectForm(compared, value);
  const becomesKey = wanted.isKey && !actual.isPrimary;
  if (becomesKey) yield* becomeKey(compared, value);
  // If the column refers to another table, a generated number would be that of an unrelated row there.
  const isKey = referenceOf(table, actual, rules) !== undefined;
  const becomesGenerated = wanted.type.includes('GENERATED') && !actual.fills && !isKey;
  // SQLite's integer keys generate ids without a declaration.
  if (becomesGenerated) steps.push(step(`change ${name} to be given by the database`));
  const needsNoNull = !wanted.nullable && !wanted.isKey;
  const fill = needsNoNull && wanted.fill ? rules.fillSql(wanted.fill, wanted.kind) : undefined;
  const mayBeNull = wanted.nullable && !wanted.isKey && !isInKey(compared);
  if (mayBeNull && !actual.nullable)
    steps.push(step(`change ${name} to allow null`, refusalOf(actual, conversion)));
  if (needsNoNull && (actual.nullable || conversion !== undefined))
    yield* refuseNull(compared, value, fill);
  return {
    name: rules.fold(actual.name) === rules.fold(wanted.name) ? actual.name : wanted.name,
    actual,
    wanted,
    isDropped: false,
    keepsType: !isConverted && !held.comparesOtherwise,
    conversion,
    fill,
    nullable: wanted.isKey || isInKey(compared) ? actual.nullable : wanted.nullable,
    becomesKey,
    becomesGenerated,
    losesDefault:
      compared.isMade && conversion !== undefined && !keepsValues(quote(actual.name), conversion),
    // Compared later, once all renames are known.
    reference: {
      actual: referenceOf(table, actual, rules),
      wanted: wanted.reference,
      change: 'none',
    },
  };
}

/** The reason why null is refused by the domain that a column keeps. */
function refusalOf(
  { name, domain }: ActualColumn,
  conversion: Conversion | undefined,
): Partial<MigrationStep> {
  const stays = conversion === undefined || keepsValues(name, conversion);
  return domain?.refusesNull === true && !domain.isOfItems && stays
    ? { obstacle: `its type ${domain.name} refuses it; change that, or the type of the column` }
    : {};
}

function* heldIn(compared: Compared, recordedKind: RecordRow['kind'] | undefined): Counting<Held> {
  const { actual, wanted, rules } = compared;
  const type = rules.typeName(wanted.type);
  const isLike =
    actual.type === type ||
    rules.isLike(actual.type, type, wanted.isKey) ||
    (!wanted.isKey && (yield* holdsAlready(compared)));
  const kind = actualKind(wanted, actual, isLike, recordedKind, rules);
  // Forms sort the same in any collation.
  const comparesOtherwise =
    isLike &&
    wanted.form === undefined &&
    wanted.type.includes('COLLATE') &&
    actual.byCodePoint === false;
  return { kind, isLike, comparesOtherwise };
}

/** Converts values of another type or kind, and counts those that cannot be converted, which are lost. */
function* convertValues(
  { name, table, actual, isMade, wasForm, wantedTable, wanted, rules, steps }: Compared,
  kind: StoredKind,
): Counting<Conversion> {
  const type = rules.typeName(wanted.type);
  const conversion: Conversion =
    kind === wanted.kind || canBecome(kind, wanted.kind)
      ? rules.convert(kind, wanted.kind, actual.type, type)
      : { value: () => `CAST(NULL AS ${type})` };
  const [from, old] = [quoteTable(table.name), quote(actual.name)];
  // The number of a scaled decimal has no decimal point: 1990 does not become 19.90.
  const isScaled = wanted.kind === 'integer' && wanted.form?.name === 'scaled';
  const lost =
    kind === wanted.kind || (wasForm === 'scaled') === isScaled
      ? [`(${conversion.value(old)}) IS NULL`, conversion.isInexact?.(old) ?? '']
      : [`${old} IS NOT NULL`];
  const isKept = isWritten(table, wanted, rules);
  const counting = (conditions: readonly string[]): string =>
    `SELECT count(*) FROM ${from} WHERE ${old} IS NOT NULL AND (${conditions.filter((one) => one !== '').join(' OR ')})${isKept}`;
  const count = yield* countOf(counting(lost));
  const changed =
    count > 0 && lost.length > 1 ? count - (yield* countOf(counting(lost.slice(0, 1)))) : 0;
  // If the file says the same as before, the database is what differs.
  // Where the types differ, they say how many digits a moment has.
  const isFiner = baseOf(kind) === 'datetime' && baseOf(wanted.kind) === 'datetime';
  const isOther =
    kind !== wanted.kind && kind !== 'any' && !(isFiner && declaredType(actual) !== type);
  const declared = declaredType(actual);
  // Higher than any column's precision: the column declares none.
  const isUnbounded = digitsOf(kind)?.precision === 1_000;
  const was = isOther && !isUnbounded ? kind : declared === '' ? 'no type' : declared;
  const ofRules = [
    ...lostRules(actual, isMade, conversion, rules),
    ...weakerUnique(actual, table, wanted),
  ];
  const ofValues =
    count === 0
      ? narrowing(kind, wanted.kind, isMade)
      : [...lostValues(count - changed), ...changedValues(wanted.kind, changed)];
  const areValuesAlone = count > 0 && ofRules.length === 0 && !wanted.isKey;
  const missing = wanted.isKey
    ? yield* countOf(`SELECT count(*) FROM ${from} WHERE (${conversion.value(old)}) IS NULL`)
    : 0;
  const obstacle =
    missing === 0
      ? undefined
      : `${counted(missing, 'record')} would have no id; export the records, and import them into a new database under ids that fit`;
  steps.push(
    step(`change ${name} from ${was} to ${isOther ? wanted.kind : type}`, {
      loses: together([...ofValues, ...ofRules]),
      obstacle,
      ...(areValuesAlone ? { lacking: { table: wantedTable, column: wanted.name } } : {}),
    }),
  );
  return conversion;
}

/** The SQL condition of the rows whose value is no generated one, behind another condition. */
function isWritten(
  { columns }: ActualTable,
  { written = 'all' }: ColumnSchema,
  { dialect }: SchemaRules,
): string {
  if (written === 'all') return '';
  const key = [...columns.values()].find(({ isPrimary }) => isPrimary);
  if (key === undefined) return '';
  const ids = written.map((id) => (typeof id === 'number' ? String(id) : dialect.text(String(id))));
  return ` AND ${ids.length === 0 ? 'FALSE' : `${quote(key.name)} IN (${ids.join(', ')})`}`;
}

/** The type of a column as its table declares it. */
function declaredType({ type, domain }: ActualColumn): string {
  return domain === undefined ? type : `${domain.name}${domain.isOfItems ? '[]' : ''}`;
}

/** The rules that a column or its domain applied to its values and cannot apply to the converted ones. */
function lostRules(
  { name, domain, default: value, isPrimary }: ActualColumn,
  isMade: boolean,
  conversion: Conversion,
  { rebuilds }: SchemaRules,
): readonly string[] {
  // A rebuilt table has the defaults of the old one.
  const keepsDefault =
    conversion.default !== undefined ||
    keepsValues(quote(name), conversion) ||
    rebuilds ||
    isPrimary ||
    isMade;
  const keepsChecks = conversion.default !== undefined && domain?.isOfItems === false;
  return [
    ...(keepsDefault || value === undefined ? [] : ['loses its default']),
    ...(keepsChecks || domain === undefined || domain.checks.length === 0
      ? []
      : [`loses the CHECK of ${domain.name}`]),
  ];
}

function changeCollation(
  { name, table, actual, wanted, steps }: Compared,
  { comparesOtherwise }: Held,
): Conversion | undefined {
  if (!comparesOtherwise) return undefined;
  const loses = together(weakerUnique(actual, table, wanted));
  steps.push(step(`change ${name} to collation "C"`, { loses }));
  return { value: (one) => one };
}

/**
 * Values that are not in the form of their column, and are not converted to it, are an obstacle, because nothing
 * tells what they mean.
 */
function* expectForm(
  { name, table, isMade, wasForm, wanted: { form }, steps }: Compared,
  value: string,
): Counting<void> {
  if (form === undefined) return;
  // Unix seconds and milliseconds look alike. In a column that no migration made, the file's form counts.
  const isOther = isMade && isUnix(wasForm) && isUnix(form.name) && wasForm !== form.name;
  const isMet = isOther ? 'FALSE' : form.isMet(`(${value})`);
  const others = yield* countOf(
    `SELECT count(*) FROM ${quoteTable(table.name)} WHERE (${value}) IS NOT NULL AND NOT ${isMet}`,
  );
  const verb = others === 1 ? 'is' : 'are';
  if (others > 0)
    steps.push(
      step(`read ${name} as ${form.name}`, {
        obstacle: `${counted(others, 'value')} ${verb} not stored so; change them, or say of the field what they are`,
      }),
    );
}

function isUnix(form: string | undefined): boolean {
  return form === 'unixSeconds' || form === 'unixMilliseconds';
}

/** Key columns may not be null, as in a junction's primary key, so the column stays as it is. */
function isInKey({ table, actual }: Compared): boolean {
  return table.indexes.some(({ isPrimary, columns }) => isPrimary && columns.includes(actual.name));
}

function* becomeKey({ name, table, steps }: Compared, value: string): Counting<void> {
  const refused = yield* countOf(
    `SELECT count(*) - count(DISTINCT ${value}) FROM ${quoteTable(table.name)}`,
  );
  const isOther = [...table.columns.values()].some(({ isPrimary }) => isPrimary);
  const obstacle = isOther
    ? 'another column is; change this table by hand'
    : refused > 0
      ? `${counted(refused, 'row')} have no value of their own there; give them one first`
      : undefined;
  steps.push(step(`change ${name} to be the primary key`, { obstacle }));
}

function* refuseNull(
  { name, table, actual, wantedTable, wanted, steps }: Compared,
  value: string,
  fill: string | undefined,
): Counting<void> {
  const { count, text } = yield* rowsWith(table, `(${value}) IS NULL`);
  const obstacle =
    count === 0 || fill !== undefined
      ? undefined
      : `${text} would have no value; give each one that fits, or the field a default`;
  const filled = count > 0 && fill !== undefined ? ` (${shownFill(wanted)} where it is null)` : '';
  if (actual.nullable || obstacle !== undefined)
    steps.push(
      step(`change ${name} to refuse null${filled}`, {
        obstacle,
        ...(obstacle === undefined ? {} : { lacking: { table: wantedTable, column: wanted.name } }),
      }),
    );
}

/**
 * Whether a column of another type stores written values unchanged and already holds each value in the wanted form.
 */
function* holdsAlready({ table, wanted, actual, rules }: Compared): Counting<boolean> {
  const one = quote(actual.name);
  const condition = rules.misfits?.(actual.type, wanted, one);
  if (condition === undefined) return false;
  const others = yield* countOf(
    `SELECT count(*) FROM ${quoteTable(table.name)} WHERE ${one} IS NOT NULL AND ${condition}`,
  );
  return others === 0;
}

/** The kind that a column holds: the recorded one, unless its type was changed outside of a migration since. */
function actualKind(
  column: ColumnSchema,
  { type }: ActualColumn,
  isLike: boolean,
  recorded: RecordRow['kind'] | undefined,
  rules: SchemaRules,
): StoredKind {
  const known = knownKind(recorded);
  // Every integer is a bigint, in the same column.
  if (isLike && known === 'integer' && column.kind === 'bigint') return column.kind;
  if (
    known !== undefined &&
    (rules.typeOfKind(known) === type ||
      rules.isLike(type, rules.typeOfKind(known), false) ||
      (isLike && known === column.kind))
  )
    return known;
  return isLike ? column.kind : rules.kindOfType(type);
}

/** The recorded kind; scaled decimals follow from the wanted kind. */
function knownKind(recorded: RecordRow['kind'] | undefined): StoredKind | undefined {
  if (recorded === undefined || recorded === '' || recorded === 'scaled') return undefined;
  return isNumberForm(recorded) ? 'integer' : recorded;
}
