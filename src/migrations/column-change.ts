import { counted } from '../model/values.ts';
import { quote } from '../sql/dialect.ts';
import type { MigrationStep } from '../sql/schema/schema.ts';
import { canBecome, digitsOf, type StoredKind } from '../sql/stored-kind.ts';
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
import { keepsValues, referenceOf, shownFill, step, type ColumnChange } from './changes.ts';

/** A column that is there, beside what the file wants it to be. */
interface Compared {
  /** As steps name it. */
  readonly name: string;
  readonly table: ActualTable;
  readonly actual: ActualColumn;
  /** Whether a migration has made it; then its default, if any, is from there too. */
  readonly isMade: boolean;
  /** What a migration has written down of its whole numbers. */
  readonly wasForm: NumberForm | undefined;
  readonly wantedTable: string;
  readonly wanted: ColumnSchema;
  readonly rules: SchemaRules;
  /** Gets the steps as they are found. */
  readonly steps: MigrationStep[];
}

/** What a column holds now, and what of that does for what is wanted. */
interface Held {
  readonly kind: StoredKind;
  /** Whether its type does. */
  readonly isLike: boolean;
  /** Whether only its collation does not. */
  readonly comparesOtherwise: boolean;
}

/**
 * What changes of a column that is there: its values first, since what they become is what is counted for the key and
 * for null. `recordedKind` is what a migration has written down of them.
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
  // A number drawn for a row that says more of one of another table would be that of any row there.
  const isKey = referenceOf(table, actual, rules) !== undefined;
  const becomesGenerated = wanted.type.includes('GENERATED') && !actual.fills && !isKey;
  // SQLite's integer keys need no word for it.
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
    // Compared once it is known what else is renamed.
    reference: {
      actual: referenceOf(table, actual, rules),
      wanted: wanted.reference,
      change: 'none',
    },
  };
}

/** A domain that a column goes on to be of may refuse null for it. */
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
  // Forms have the same order in any collation.
  const comparesOtherwise =
    isLike &&
    wanted.form === undefined &&
    wanted.type.includes('COLLATE') &&
    actual.byCodePoint === false;
  return { kind, isLike, comparesOtherwise };
}

/** Values of another type or kind; those that cannot become one of the wanted kind are lost, and counted. */
function* convertValues(
  { name, table, actual, isMade, wasForm, wantedTable, wanted, rules, steps }: Compared,
  kind: StoredKind,
): Counting<Conversion> {
  const type = rules.typeName(wanted.type);
  const conversion: Conversion =
    kind === wanted.kind || canBecome(kind, wanted.kind)
      ? rules.convert(kind, wanted.kind, actual.type, type)
      : { value: () => `CAST(NULL AS ${type})` };
  const [from, old] = [quote(table.name), quote(actual.name)];
  // The point of a decimal that is scaled is not in its number: 1990 does not become 19.90.
  const isScaled = wanted.kind === 'integer' && wanted.form?.name === 'scaled';
  const lost =
    kind === wanted.kind || (wasForm === 'scaled') === isScaled
      ? [`(${conversion.value(old)}) IS NULL`, conversion.isInexact?.(old) ?? '']
      : [`${old} IS NOT NULL`];
  const count =
    yield `SELECT count(*) FROM ${from} WHERE ${old} IS NOT NULL AND (${lost.filter((one) => one !== '').join(' OR ')})`;
  // Where the file says the same of it as before, the database is what differs.
  const isOther = kind !== wanted.kind && kind !== 'any';
  const declared = declaredType(actual);
  // More digits than any column has: nobody has said how many.
  const isUnbounded = digitsOf(kind)?.precision === 1_000;
  const was = isOther && !isUnbounded ? kind : declared === '' ? 'no type' : declared;
  const ofRules = lostRules(actual, isMade, conversion, rules);
  const ofValues = count === 0 || wanted.isMadeAnew === true ? [] : [counted(count, 'value')];
  const losses = [...ofValues, ...ofRules];
  const loses = losses.length === 0 ? undefined : losses.join(' and ');
  const areValuesAlone = ofValues.length > 0 && ofRules.length === 0 && !wanted.isKey;
  const missing = wanted.isKey
    ? yield `SELECT count(*) FROM ${from} WHERE (${conversion.value(old)}) IS NULL`
    : 0;
  const obstacle =
    missing === 0
      ? undefined
      : `${counted(missing, 'record')} would have no id; export the records, and import them into a new database under ids that fit`;
  steps.push(
    step(`change ${name} from ${was} to ${isOther ? wanted.kind : type}`, {
      loses,
      obstacle,
      ...(areValuesAlone ? { lacking: { table: wantedTable, column: wanted.name } } : {}),
    }),
  );
  return conversion;
}

/** The type of a column as its table says it. */
function declaredType({ type, domain }: ActualColumn): string {
  return domain === undefined ? type : `${domain.name}${domain.isOfItems ? '[]' : ''}`;
}

/** What a column, or its domain, has done with values, where it cannot do the same with what they become. */
function lostRules(
  { name, domain, default: value, isPrimary }: ActualColumn,
  isMade: boolean,
  conversion: Conversion,
  { rebuilds }: SchemaRules,
): readonly string[] {
  // A table that is made anew has the defaults of the old one.
  const keepsDefault =
    conversion.default !== undefined ||
    keepsValues(quote(name), conversion) ||
    rebuilds ||
    isPrimary ||
    isMade;
  const keepsChecks = conversion.default !== undefined && domain?.isOfItems === false;
  return [
    ...(keepsDefault || value === undefined ? [] : ['its default']),
    ...(keepsChecks || domain === undefined || domain.checks.length === 0
      ? []
      : [`the CHECK of ${domain.name}`]),
  ];
}

function changeCollation(
  { name, steps }: Compared,
  { comparesOtherwise }: Held,
): Conversion | undefined {
  if (!comparesOtherwise) return undefined;
  steps.push(step(`change ${name} to collation "C"`));
  return { value: (one) => one };
}

/**
 * Values that are not in the form of their column, or do not come to be in it, are an obstacle: nothing tells what they
 * mean.
 */
function* expectForm(
  { name, table, isMade, wasForm, wanted: { form }, steps }: Compared,
  value: string,
): Counting<void> {
  if (form === undefined) return;
  // Seconds and milliseconds look like each other; what others have made is what the file says now.
  const isOther = isMade && isUnix(wasForm) && isUnix(form.name) && wasForm !== form.name;
  const isMet = isOther ? 'FALSE' : form.isMet(`(${value})`);
  const others =
    yield `SELECT count(*) FROM ${quote(table.name)} WHERE (${value}) IS NOT NULL AND NOT ${isMet}`;
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

/** No column of a key may be null, as those of a junction's: it stays as it is. */
function isInKey({ table, actual }: Compared): boolean {
  return table.indexes.some(({ isPrimary, columns }) => isPrimary && columns.includes(actual.name));
}

function* becomeKey({ name, table, steps }: Compared, value: string): Counting<void> {
  const refused = yield `SELECT count(*) - count(DISTINCT ${value}) FROM ${quote(table.name)}`;
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
  const count = yield `SELECT count(*) FROM ${quote(table.name)} WHERE (${value}) IS NULL`;
  const obstacle =
    count === 0 || fill !== undefined
      ? undefined
      : `${counted(count, 'row')} would have no value; give each one that fits, or the field a default`;
  const filled = count > 0 && fill !== undefined ? ` (${shownFill(wanted)} where it is null)` : '';
  if (actual.nullable || obstacle !== undefined)
    steps.push(
      step(`change ${name} to refuse null${filled}`, {
        obstacle,
        ...(obstacle === undefined ? {} : { lacking: { table: wantedTable, column: wanted.name } }),
      }),
    );
}

/** Whether a column of another type keeps what is written to it, and holds each value in the wanted form. */
function* holdsAlready({ table, wanted, actual, rules }: Compared): Counting<boolean> {
  const one = quote(actual.name);
  const condition = rules.misfits?.(actual.type, wanted, one);
  if (condition === undefined) return false;
  const others =
    yield `SELECT count(*) FROM ${quote(table.name)} WHERE ${one} IS NOT NULL AND ${condition}`;
  return others === 0;
}

/** What a column holds: as it was recorded, unless its type was changed since by others. */
function actualKind(
  column: ColumnSchema,
  { type }: ActualColumn,
  isLike: boolean,
  recorded: RecordRow['kind'] | undefined,
  rules: SchemaRules,
): StoredKind {
  const known = knownKind(recorded);
  if (
    known !== undefined &&
    (rules.typeOfKind(known) === type ||
      rules.isLike(type, rules.typeOfKind(known), false) ||
      (isLike && known === column.kind))
  )
    return known;
  return isLike ? column.kind : rules.kindOfType(type);
}

/** The kind that was written down; what scaled decimals are follows from what is wanted of them. */
function knownKind(recorded: RecordRow['kind'] | undefined): StoredKind | undefined {
  if (recorded === undefined || recorded === '' || recorded === 'scaled') return undefined;
  return isNumberForm(recorded) ? 'integer' : recorded;
}
