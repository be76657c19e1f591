import type { StoredAs } from '../../specification/specification.ts';
import type { Api, ColumnHolder, Field, Resource } from '../../model/api.ts';
import {
  plainTable,
  storedIn,
  type FieldForms,
  type FoundForm,
  type FoundForms,
} from '../../model/field-types/stored-as.ts';
import type { SqlValue } from '../../model/values.ts';
import { milliseconds } from '../../model/field-types/moments/datetime.ts';
import { quote, type StoredForms } from '../../sql/dialect.ts';
import type { ActualColumn, Found } from './actual-schema.ts';

/** Ranges in which numbers of a column are taken for moments. */
export const momentRanges = {
  /** 1973 to 2100. */
  unixSeconds: [100_000_000, 4_102_444_800],
  unixMilliseconds: [100_000_000_000, 4_102_444_800_000],
} as const satisfies Partial<Record<StoredAs, readonly [number, number]>>;

/** The columns to examine, and the differences between the databases. */
export interface StoredColumns extends Found {
  readonly fold: (name: string) => string;
  readonly dialect: StoredForms;
  /** Undefined for a type that holds nothing in a form of others. */
  readonly holderOf: (type: string) => ColumnHolder | undefined;
}

/** A generator that yields SQL with one row as its result. */
export type Looking<Answer> = Generator<string, Answer, readonly SqlValue[]>;

/** A column whose form is to be found. */
interface Asked {
  readonly resource: Resource;
  readonly field: Field;
  readonly column: ActualColumn;
  readonly forms: readonly StoredAs[];
}

/** The columns in one statement: a result of PostgreSQL has at most 1,664. */
const columnsAtOnce = 50;

/**
 * Finds the stored form of datetimes, decimals and booleans in existing tables, if the file does not name it and no
 * migration made the column. If the values are in several forms or in none, it is the most frequent one, so that the
 * migration rejects the others with their count. Reads each table once.
 */
export function* findForms(
  api: Api,
  stored: StoredColumns,
): Looking<ReadonlyMap<string, FieldForms>> {
  const found = new Map<string, Map<string, FoundForm>>();
  const empty = new Map<Field, readonly StoredAs[]>();
  for (const resource of api.resources.values()) {
    const asked = columnsOf(api, resource, stored);
    const forms = new Map<string, FoundForm>();
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
        const form = formOf(one, values, counts, stored.dialect.storage(one.field).form);
        if (form !== undefined) forms.set(one.field.name, { storedAs: form });
        if (values === 0) empty.set(one.field, one.forms);
      }
    }
    if (forms.size > 0) found.set(resource.name, forms);
  }
  for (const [field, forms] of empty) {
    const led = leadOf(field, empty);
    const form = found.get(led.resource.name)?.get(led.name)?.storedAs;
    if (led !== field && form !== undefined && forms.includes(form))
      found.set(
        field.resource.name,
        new Map([...(found.get(field.resource.name) ?? []), [field.name, { storedAs: form }]]),
      );
  }
  return found;
}

/** Follows foreign keys whose columns are `empty`, because only the key they refer to can tell their form. */
function leadOf(key: Field, empty: ReadonlyMap<Field, unknown>): Field {
  const passed = new Set<Field>();
  let field = key;
  while (field.reference !== undefined && empty.has(field) && !passed.has(field)) {
    passed.add(field);
    field = field.reference.field;
  }
  return field;
}

/** The existing columns of a resource whose form is unknown. */
function columnsOf(
  api: Api,
  resource: Resource,
  { tables, record, fold, holderOf }: StoredColumns,
): readonly { readonly table: string; readonly one: Asked }[] {
  const open = [...resource.fields.values()].filter(
    ({ type, attributes }) => type.existingForms !== undefined && attributes.storedAs === undefined,
  );
  if (open.length === 0) return [];
  // Before a rename, the column still has its former name.
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
    // The record tells what whole numbers mean as decimals; the numbers do not.
    const isKnown =
      known?.kind !== 'scaled' &&
      (known?.isMade === true ||
        (field.type.number === 'exact' && /^(?:decimal|integer)/u.test(known?.kind ?? '')));
    const holder = column === undefined || isKnown ? undefined : holderOf(column.type);
    const forms = holder && field.type.existingForms?.[holder]?.filter(holdsDigits(field));
    return column === undefined || forms === undefined || forms.length === 0
      ? []
      : [{ table: table.name, one: { resource, field, column, forms } }];
  });
}

/** Tells of the forms of moments whether they have as many digits as the file says; all fit a field of milliseconds. */
function holdsDigits({ type, precision }: Field): (form: StoredAs) => boolean {
  return (form) =>
    type.kind !== 'datetime' ||
    precision === milliseconds ||
    storedIn(type, form).digits?.precision === precision;
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

/** Numbers in this range are seconds from 1973 to 5138, or milliseconds of a few weeks around 1970. */
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

/** The form of a column by its counts; undefined if all values have the `usual` one. */
function formOf(
  { forms, field }: Asked,
  values: number,
  counts: readonly number[],
  usual: string,
): StoredAs | undefined {
  // They may be in the usual form, which is none of these if the file says how many digits moments have.
  if (field.type.kind === 'datetime' && field.precision !== milliseconds && !counts.some(Boolean))
    return undefined;
  const whole = forms.findIndex((_, index) => counts[index] === values);
  const most = counts.indexOf(Math.max(...counts));
  const likely = forms[whole === -1 ? most : whole];
  // As seconds, milliseconds would be out of range; as milliseconds, seconds would be valid moments.
  const form = whole === -1 && likely === 'unixMilliseconds' ? 'unixSeconds' : likely;
  const names: Readonly<Record<string, StoredAs>> = { plain: 'isoText', zeroOne: '1/0' };
  return whole !== -1 && form === (names[usual] ?? usual) ? undefined : form;
}

/** Adds the stored forms of fields to what is known of the tables that are not managed. */
export function withForms(
  unmanaged: FoundForms,
  stored: ReadonlyMap<string, FieldForms>,
): FoundForms {
  const names = new Set([...stored.keys(), ...unmanaged.keys()]);
  return new Map(
    Array.from(names, (name) => {
      const table = unmanaged.get(name) ?? plainTable;
      const fields = new Map(stored.get(name));
      for (const [field, form] of table.fields)
        fields.set(field, { ...fields.get(field), ...form });
      return [name, { ...table, fields }];
    }),
  );
}
