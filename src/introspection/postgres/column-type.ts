import type { FieldTypes } from '../../model/api.ts';
import { booleanType } from '../../model/field-types/boolean.ts';
import { typeOf } from '../../model/field-types/registry.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import { momentTexts, wordForms } from '../../specification/stored-forms.ts';
import { quote, quoteTable } from '../../sql/dialect.ts';
import type { ActualColumn, ActualTable } from '../../databases/existing/actual-schema.ts';
import type { Bounds } from '../../databases/existing/expressions.ts';
import { momentRanges } from '../../databases/existing/stored-forms.ts';
import type { Ask } from '../../databases/postgres/database.ts';
import { postgres } from '../../databases/postgres/dialect.ts';
import { hintsOf, momentIn } from '../forms.ts';
import type { ColumnType } from '../table.ts';
import type { Condition, TableCounts } from './counts.ts';
import { misfitIn, wideInteger } from './misfits.ts';
import { decimalBounds, fieldFor, managedField, type Enums } from './types.ts';

/** What the types of a table's columns are found with. */
interface Context {
  readonly ask: Ask;
  readonly counts: TableCounts;
  readonly table: ActualTable;
  readonly enums: Enums;
  readonly types: FieldTypes;
  readonly isManaged: boolean;
}

/**
 * The type of a column: by what it is declared as, then by values that this type does not have or its sequence will give
 * (`isWide`), then by the stored form that all values have.
 */
export async function columnType(
  context: Context,
  column: ActualColumn,
  bounds: Bounds,
  isWide = false,
): Promise<ColumnType> {
  const { counts, enums, types, isManaged } = context;
  const found: ColumnType = isManaged
    ? managedField(column.type, enums)
    : { attributes: fieldFor(column.type, enums), notes: [] };
  if ('left' in found) return found;
  const { attributes, notes } = found;
  if (isManaged && attributes.scale === 'any') return countedDecimal(context, column);
  if (isWide && !isManaged && column.type === 'bigint')
    return { attributes: wideInteger, notes: [] };
  const misfit = await misfitIn(column.type, isManaged, (condition) =>
    counts.count(column.name, condition),
  );
  if (misfit !== undefined) return misfit;
  const { kind, text } = typeOf(attributes, types);
  if (kind === 'integer' || (text !== undefined && attributes.format === undefined)) {
    const form = await formOf(context, column, kind === 'integer', bounds);
    if (form !== undefined) return { attributes: form, notes };
  }
  if (isManaged && kind === 'datetime') {
    const finer = await counts.count(
      column.name,
      (c) => `date_trunc('milliseconds', ${c}) <> ${c}`,
    );
    if (finer > 0) return { attributes, notes: [...notes, rounded(finer)] };
  }
  return found;
}

function rounded(count: number): string {
  return `${count === 1 ? '1 value is' : `${count} values are`} finer than a millisecond; migrate --apply rounds them, and only with --allow-data-loss.`;
}

/** A managed decimal whose column declares no scale. */
async function countedDecimal({ ask, table }: Context, column: ActualColumn): Promise<ColumnType> {
  const name = quote(column.name);
  const [row = []] = await ask(
    `SELECT max(scale(${name}))::int, max(length(rtrim(split_part(${name}::text, '.', 2), '0')))::int,` +
      ` max(length(trunc(abs(${name}))::text))::int, count(*) FILTER (WHERE ${name} IN ('NaN', 'Infinity', '-Infinity'))::int FROM ${quoteTable(table.name)}`,
  );
  const [scale, filled, whole, odd] = row;
  return decimalBounds(
    { scale: Number(scale ?? 2), filled: Number(filled ?? 0), whole: Number(whole ?? 1) },
    Number(odd),
  );
}

/** The type that numbers or texts are a stored form of, if all of them have one form. */
async function formOf(
  { counts, table }: Context,
  { name, isPrimary }: ActualColumn,
  isNumber: boolean,
  bounds: Bounds,
): Promise<FieldSpecification | undefined> {
  const isKey = isPrimary || table.references.some(({ column }) => column === name);
  const { isFlag, isMoment } = hintsOf(name, bounds, isKey);
  if (isKey || (isNumber && !isFlag && !isMoment)) return undefined;
  const none = { precision: 1, scale: 0 };
  const conditions: (readonly [FieldSpecification, Condition])[] = [];
  if (!isNumber)
    for (const form of momentTexts)
      conditions.push([momentIn(form), (c) => postgres.isStoredAs(c, form, none)]);
  const words = isNumber ? (['1/0'] as const) : wordForms;
  if (isFlag)
    for (const storedAs of words)
      conditions.push([
        { type: booleanType.name, storedAs },
        (c) => postgres.isStoredAs(c, storedAs, none),
      ]);
  if (isNumber && isMoment)
    for (const form of ['unixSeconds', 'unixMilliseconds'] as const)
      conditions.push([momentIn(form), (c) => `${c} BETWEEN ${momentRanges[form].join(' AND ')}`]);
  if (conditions.length === 0) return undefined;
  const [all, ...found] = await Promise.all(
    [(c: string) => `${c} IS NOT NULL`, ...conditions.map(([, condition]) => condition)].map(
      (condition) => counts.count(name, condition),
    ),
  );
  const index = found.findIndex((count) => count > 0 && count === all);
  return conditions[index]?.[0];
}
