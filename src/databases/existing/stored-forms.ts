import type { StoredAs } from '../../specification/specification.ts';
import type { Api, ColumnHolder, Field, Resource } from '../../model/api.ts';
import type { FoundForms } from '../../model/field-types/stored-as.ts';
import type { SqlValue } from '../../model/values.ts';
import { quote, type StoredForms } from '../../sql/dialect.ts';
import type { ActualColumn, Found } from './actual-schema.ts';

/** In what a column may hold moments: a range of numbers that hardly anything else is in. */
export const momentRanges = {
  /** 1973 to 2100. */
  unixSeconds: [100_000_000, 4_102_444_800],
  unixMilliseconds: [100_000_000_000, 4_102_444_800_000],
} as const satisfies Partial<Record<StoredAs, readonly [number, number]>>;

/** What is looked at, and in what databases differ for it. */
export interface StoredColumns extends Found {
  readonly fold: (name: string) => string;
  readonly dialect: StoredForms;
  /** Undefined for a type that holds nothing in a form of others. */
  readonly holderOf: (type: string) => ColumnHolder | undefined;
}

/** A question to the database, SQL with one row for its answer. */
export type Looking<Answer> = Generator<string, Answer, readonly SqlValue[]>;

/** A column whose form is asked for. */
interface Asked {
  readonly resource: Resource;
  readonly field: Field;
  readonly column: ActualColumn;
  readonly forms: readonly StoredAs[];
}

/** How many columns one statement asks about: a result has at most 1,664 columns on PostgreSQL. */
const columnsAtOnce = 50;

/**
 * Finds in which form existing tables store datetimes, decimals and booleans, where the file does not say and no
 * migration has made the column. Where the values are in several forms or in none, it is the most frequent one, so that
 * the migration refuses the others with their count. Reads each of these tables once.
 */
export function* findForms(api: Api, stored: StoredColumns): Looking<FoundForms> {
  const found = new Map<string, Map<string, StoredAs>>();
  const empty = new Map<Field, readonly StoredAs[]>();
  for (const resource of api.resources.values()) {
    const asked = columnsOf(api, resource, stored);
    const forms = new Map<string, StoredAs>();
    for (let from = 0; from < asked.length; from += columnsAtOnce) {
      const some = asked.slice(from, from + columnsAtOnce);
      const [{ table }] = some as [(typeof some)[0], ...typeof some];
      const answer = yield question(
        table,
        some.map(({ one }) => one),
        stored.dialect,
      );
      let at = 0;
      for (const { one } of some) {
        const [values = 0, ...counts] = answer.slice(at, at + 1 + one.forms.length).map(Number);
        at += 1 + one.forms.length;
        const form = formOf(one.forms, values, counts, stored.dialect.storage(one.field).form);
        if (form !== undefined) forms.set(one.field.name, form);
        if (values === 0) empty.set(one.field, one.forms);
      }
    }
    if (forms.size > 0) found.set(resource.name, forms);
  }
  for (const [field, forms] of empty) {
    const led = leadOf(field, empty);
    const form = found.get(led.resource.name)?.get(led.name);
    if (led !== field && form !== undefined && forms.includes(form))
      found.set(
        field.resource.name,
        new Map([...(found.get(field.resource.name) ?? []), [field.name, form]]),
      );
  }
  return found;
}

/** Where keys lead whose columns are `empty`, so that only what they point to can tell their form. */
function leadOf(key: Field, empty: ReadonlyMap<Field, unknown>): Field {
  const passed = new Set<Field>();
  let field = key;
  while (field.reference !== undefined && empty.has(field) && !passed.has(field)) {
    passed.add(field);
    field = field.reference.field;
  }
  return field;
}

/** The columns of a resource that are there and whose form nobody has said. */
function columnsOf(
  api: Api,
  resource: Resource,
  { tables, record, fold, holderOf }: StoredColumns,
): readonly { readonly table: string; readonly one: Asked }[] {
  const open = [...resource.fields.values()].filter(
    ({ type, attributes }) => type.existingForms !== undefined && attributes.storedAs === undefined,
  );
  if (open.length === 0) return [];
  // One that a migration is going to rename is still under its former name.
  const former = record.find(
    ({ column, owner, resource: name }) =>
      column === '' && owner === api.name && name === resource.name,
  );
  const table = (
    tables.get(fold(resource.table)) ??
    (former && tables.get(fold(former.table)))
  )?.();
  if (table === undefined) return [];
  const rows = record.filter((row) => fold(row.table) === fold(table.name));
  return open.flatMap((field) => {
    const before = rows.find((row) => row.column !== '' && row.field === field.name);
    const column =
      table.columns.get(fold(field.column)) ?? (before && table.columns.get(fold(before.column)));
    const known = rows.find((row) => fold(row.column) === fold(column?.name ?? ''));
    // What whole numbers are as decimals is told by what they have been, not by themselves.
    const isKnown =
      known?.kind !== 'scaled' &&
      (known?.isMade === true ||
        (field.type.number === 'exact' && /^(?:decimal|integer)/u.test(known?.kind ?? '')));
    const holder = column === undefined || isKnown ? undefined : holderOf(column.type);
    const forms = holder && field.type.existingForms?.[holder];
    return column === undefined || forms === undefined
      ? []
      : [{ table: table.name, one: { resource, field, column, forms } }];
  });
}

/** How many values each column has, and how many are in each of its forms. */
function question(table: string, asked: readonly Asked[], dialect: StoredForms): string {
  const counts = asked.flatMap(({ field, column, forms }) => {
    const name = quote(column.name);
    return [
      `count(${name})`,
      ...forms.map(
        (form) => `count(CASE WHEN ${looksLike(name, form, field, dialect)} THEN 1 END)`,
      ),
    ];
  });
  return `SELECT ${counts.join(', ')} FROM ${quote(table)}`;
}

/** Numbers of this size are seconds from 1973 to 5138, or else milliseconds of a few weeks around 1970. */
const seconds = [100_000_000, 100_000_000_000] as const;

/** Whether a value is taken for one in a form, which is less than it may be once that is known. */
function looksLike(name: string, form: StoredAs, field: Field, dialect: StoredForms): string {
  const condition = dialect.isStoredAs(name, form, field);
  const [least, most] = seconds;
  if (form === 'unixSeconds') return `(${condition} AND ${name} BETWEEN -${most} AND ${most})`;
  if (form === 'unixMilliseconds')
    return `(${condition} AND NOT (${name} BETWEEN ${least} AND ${most} OR ${name} BETWEEN -${most} AND -${least}))`;
  return condition;
}

/** The form of a column from its counts; undefined for the `usual` one of all of its values. */
function formOf(
  forms: readonly StoredAs[],
  values: number,
  counts: readonly number[],
  usual: string,
): StoredAs | undefined {
  const whole = forms.findIndex((_, index) => counts[index] === values);
  const most = counts.indexOf(Math.max(...counts));
  const likely = forms[whole === -1 ? most : whole];
  // Milliseconds among seconds are no moments there; seconds among milliseconds would be some.
  const form = whole === -1 && likely === 'unixMilliseconds' ? 'unixSeconds' : likely;
  const names: Readonly<Record<string, StoredAs>> = { plain: 'isoText', zeroOne: '1/0' };
  return whole !== -1 && form === (names[usual] ?? usual) ? undefined : form;
}
