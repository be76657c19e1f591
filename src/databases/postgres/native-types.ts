import type {
  Codec,
  ColumnLimits,
  Field,
  FieldType,
  NativeColumn,
  ValueKind,
} from '../../model/api.ts';
import type { FieldSpecification, JsonValue } from '../../specification/specification.ts';
import { heldAs } from '../../model/field-types/stored-as.ts';
import { milliseconds } from '../../model/field-types/moments/datetime.ts';
import type { SqlValue } from '../../model/values.ts';
import { formatOfType, isOtherType } from '../../specification/keys/formats.ts';

type Sql = (text: string) => string;

/**
 * How PostgreSQL serves columns of a type, and what introspection makes of them: all that the service knows of the type of an
 * existing column, one row each. See docs/contract/8-existing-databases.md#types.
 */
interface NativeType {
  /** As `format_type` writes them, without length and precision. */
  readonly names: readonly string[];
  /** The kinds of fields that it serves. */
  readonly kinds: readonly ValueKind[];
  /** The field that introspection makes of it, by its digits in parentheses; absent: a string. */
  readonly field?: (digits: readonly number[]) => FieldSpecification;
  /** Whether a string has to name the type as its `format`: it is the text of the values otherwise. */
  readonly isFormatted?: true;
  /** Whether `introspect --managed` takes such columns, and arrays of it: `migrate` can convert them. */
  readonly isTaken?: 'column' | 'array';
  /** The form of the field's type that its values have; absent: as in own tables. */
  readonly form?: string;
  /** The type that values are compared as; absent: its own. A wider one takes values that the column cannot hold. */
  readonly operand?: string;
  /** The column as it is read; absent: as it is. */
  readonly read?: Sql;
  /** The column as it is compared and sorted; absent: as it is. */
  readonly compared?: Sql;
  /** What a column is set to, from its placeholder and its type; absent: the placeholder. */
  readonly assigned?: Assigned;
  /** The values that the type has, if fields have more, by its digits in parentheses. */
  readonly limits?: (digits: readonly number[]) => ColumnLimits;
  /** Whether values compare by a collation. */
  readonly isText?: boolean;
  /** What is bound for a number. */
  readonly number?: (value: number) => SqlValue;
  /** What is different of arrays of it; each of these is of the whole array. */
  readonly inArrays?: ArraySql;
}

type Assigned = (placeholder: string, type: string) => string;

type ArraySql = Partial<Pick<NativeSql, 'read' | 'compared' | 'operand'>> & {
  readonly assigned?: Assigned;
};

const asText: Sql = (column) => `${column}::text`;

/**
 * An array of a type that has no equality of its own, or of which a text may be none: its items are compared as texts, and
 * cast one by one. The text of an array may have other separators.
 */
const itemsAsTexts: ArraySql = {
  compared: (column) => `${column}::text[]`,
  operand: 'text[]',
  assigned: (placeholder, type) => `${placeholder}::text[]::${type}`,
};

/** What an hstore is made of the JSON of an object. */
const hstoreOf: Sql = (json) =>
  `(SELECT coalesce(hstore(array_agg(key), array_agg(value)), '') FROM jsonb_each_text(${json}))`;

/** The greatest value of a `real`, as a double. */
const greatestReal = 3.4028234663852886e38;

/** A moment with the digits of a second that the column keeps. */
const moment = ([precision = 6]: readonly number[]): FieldSpecification => ({
  type: 'datetime',
  ...(precision === milliseconds ? {} : { precision }),
});
const momentLimits = ([precision = 6]: readonly number[]): ColumnLimits => ({ precision });

const lengthLimits = ([maxLength]: readonly number[]): ColumnLimits =>
  maxLength === undefined ? {} : { maxLength };

const types: readonly NativeType[] = [
  {
    names: ['smallint'],
    kinds: ['integer', 'bigint', 'number'],
    field: () => ({ type: 'integer' }),
    isTaken: 'array',
    operand: 'bigint',
    limits: () => ({ minimum: -32_768, maximum: 32_767 }),
  },
  {
    names: ['integer'],
    kinds: ['integer', 'bigint', 'number'],
    field: () => ({ type: 'integer' }),
    isTaken: 'array',
    operand: 'bigint',
    limits: () => ({ minimum: -2_147_483_648, maximum: 2_147_483_647 }),
  },
  {
    names: ['bigint'],
    kinds: ['integer', 'bigint', 'number'],
    field: () => ({ type: 'integer' }),
    isTaken: 'array',
  },
  // Compared as the nearest value that the type has, so that the number that is shown is found.
  {
    names: ['real'],
    kinds: ['number'],
    field: () => ({ type: 'number' }),
    limits: () => ({ minimum: -greatestReal, maximum: greatestReal }),
    number: (value) => String(Math.fround(value)),
  },
  {
    names: ['double precision'],
    kinds: ['number'],
    field: () => ({ type: 'number' }),
    isTaken: 'array',
  },
  // Without a scale only the rows show how many digits there are.
  {
    names: ['numeric'],
    kinds: ['decimal', 'numeric'],
    field: ([precision = Infinity, scale = 0]) =>
      precision <= 18 && scale >= 0 && scale <= precision
        ? { type: 'decimal', precision, scale }
        : { type: 'decimal', scale: 'any' },
    limits: ([precision, scale = 0]) => (precision === undefined ? {} : { precision, scale }),
    isTaken: 'column',
  },
  // How a text of money is read depends on a setting of the server; a number has one meaning.
  {
    names: ['money'],
    kinds: ['decimal'],
    field: () => ({ type: 'decimal', scale: 2 }),
    operand: 'numeric',
    read: (column) => `${column}::numeric`,
    compared: (column) => `${column}::numeric`,
    assigned: (placeholder) => `${placeholder}::numeric::money`,
    limits: () => ({ scale: 2 }),
    inArrays: {
      read: (column) => `${column}::numeric[]::text[]`,
      compared: (column) => `${column}::numeric[]`,
      operand: 'numeric[]',
      assigned: (placeholder) => `${placeholder}::numeric[]::money[]`,
    },
  },
  {
    names: ['boolean'],
    kinds: ['boolean'],
    field: () => ({ type: 'boolean' }),
    isTaken: 'array',
  },
  { names: ['bytea'], kinds: ['bytes'], field: () => ({ type: 'string', format: 'base64' }) },
  {
    names: ['text', 'character varying'],
    kinds: ['string'],
    limits: lengthLimits,
    isTaken: 'array',
    operand: 'text',
    isText: true,
  },
  // As text it has no padding.
  {
    names: ['character', 'bpchar'],
    kinds: ['string'],
    limits: lengthLimits,
    isTaken: 'column',
    read: asText,
    isText: true,
  },
  { names: ['name'], kinds: ['string'], read: asText, isText: true },
  { names: ['citext'], kinds: ['string'], isTaken: 'column', read: asText, isText: true },
  // The texts of these are checked before they are compared (`model/field-types/texts/native-text.ts`).
  {
    names: ['inet', 'cidr'],
    kinds: ['string'],
    isFormatted: true,
    operand: 'inet',
    // Cast one by one, addresses would get a prefix length.
    inArrays: { read: (column) => `${column}::text::text[]` },
  },
  { names: ['macaddr'], kinds: ['string'], isFormatted: true },
  { names: ['macaddr8'], kinds: ['string'], isFormatted: true },
  { names: ['interval'], kinds: ['string'], isFormatted: true },
  {
    names: ['time with time zone'],
    kinds: ['string'],
    isFormatted: true,
    operand: 'timetz',
  },
  { names: ['uuid'], kinds: ['uuid'], field: () => ({ type: 'uuid' }), isTaken: 'array' },
  { names: ['date'], kinds: ['date'], field: () => ({ type: 'date' }), isTaken: 'array' },
  {
    names: ['time without time zone'],
    kinds: ['time'],
    field: () => ({ type: 'time' }),
    isTaken: 'column',
    operand: 'time',
  },
  {
    names: ['timestamp with time zone'],
    kinds: ['datetime'],
    field: moment,
    limits: momentLimits,
    isTaken: 'column',
    operand: 'timestamptz',
  },
  // Taken as UTC: PostgreSQL ignores the zone of a text that it reads as such a value.
  {
    names: ['timestamp without time zone'],
    kinds: ['datetime'],
    field: moment,
    limits: momentLimits,
    isTaken: 'column',
    form: 'timestamp',
    operand: 'timestamp',
  },
  {
    names: ['json'],
    kinds: ['json', 'object', 'array'],
    field: () => ({ type: 'json' }),
    isTaken: 'column',
    operand: 'jsonb',
    compared: (column) => `${column}::jsonb`,
    inArrays: { compared: (column) => `${column}::jsonb[]`, operand: 'jsonb[]' },
  },
  {
    names: ['jsonb'],
    kinds: ['json', 'object', 'array'],
    field: () => ({ type: 'json' }),
    isTaken: 'column',
  },
  {
    names: ['hstore'],
    kinds: ['object', 'json'],
    field: () => ({ type: 'object' }),
    operand: 'jsonb',
    read: (column) => `hstore_to_json(${column})`,
    compared: (column) => `hstore_to_jsonb(${column})`,
    assigned: (placeholder) =>
      `CASE WHEN ${placeholder}::jsonb IS NOT NULL THEN ${hstoreOf(`${placeholder}::jsonb`)} END`,
    inArrays: {
      read: (column) => `${column}::json[]::text[]`,
      assigned: (placeholder) =>
        `CASE WHEN ${placeholder}::jsonb[] IS NOT NULL THEN (SELECT coalesce(array_agg(CASE WHEN item IS NOT NULL THEN ${hstoreOf('item')} END ORDER BY place), '{}') FROM unnest(${placeholder}::jsonb[]) WITH ORDINALITY AS items (item, place)) END`,
    },
  },
];

/** A type without a row: texts as PostgreSQL writes them, compared as texts. */
const other: NativeType = {
  names: [],
  kinds: ['string'],
  isFormatted: true,
  operand: 'text',
  compared: asText,
  inArrays: itemsAsTexts,
};

const bits: NativeType = { ...other, names: ['bit', '"bit"', 'bit varying'], limits: lengthLimits };

const enums: NativeType = { names: [], kinds: ['string'], read: asText };

const byName = new Map(
  [...types, bits].flatMap((type) => type.names.map((name) => [name, type] as const)),
);

/** The names of types that SQL writes in two words or more, or in quotes. */
const formatNames: Readonly<Record<string, string>> = {
  'time with time zone': 'timetz',
  'bit varying': 'varbit',
  '"bit"': 'bit',
};

/** Whether a `format` names a type, which `format_type` writes with its schema if the search path lacks that. */
function isFormatOf(format: string, type: string): boolean {
  const [named, own] = [format, formatNames[type] ?? type].map((name) => name.replaceAll('"', ''));
  return named === own || named?.endsWith(`.${own}`) === true;
}

/** A type as `format_type` writes it, taken apart: `numeric(10,2)` is `numeric` with its digits. */
export interface DeclaredType {
  readonly name: string;
  readonly digits: readonly number[];
}

export function declaredType(type: string): DeclaredType {
  const [whole = '', inside = ''] = /\(([^()"]*)\)/u.exec(type) ?? [];
  const digits = /^-?\d+(?:,-?\d+)?$/u.test(inside) ? inside.split(',').map(Number) : [];
  return { name: type.replace(whole, ''), digits };
}

/** The field that introspection makes of a column of the type. */
export function introspectedField({ name, digits }: DeclaredType): FieldSpecification {
  const { field, isFormatted = false } = byName.get(name) ?? other;
  if (field !== undefined) return field(digits);
  return {
    type: 'string',
    ...(isFormatted ? { format: formatNames[name] ?? formatOfType(name) } : {}),
  };
}

/** Whether columns of the type, or arrays of it, may become managed. */
export function isTaken({ name }: DeclaredType, where: 'column' | 'array'): boolean {
  const { isTaken: most } = byName.get(name) ?? other;
  return most === 'array' || most === where;
}

/**
 * What the column of a field is to the service; undefined for text, which PostgreSQL writes of any value. A string is so
 * served from a column whose type has other fields, from one whose type it does not name as its format, and from an enum that
 * lacks a value of the field.
 */
function typeOf(field: Field, native: NativeColumn): NativeType | undefined {
  const isText = valueKindOf(field) === 'string' && field.attributes.storedAs === undefined;
  if (native.labels !== undefined) {
    const { labels } = native;
    return field.values?.every((value) => labels.includes(String(value))) === true
      ? enums
      : isText
        ? undefined
        : other;
  }
  const type = byName.get(native.type) ?? other;
  const isFormat =
    type.isFormatted !== true || isFormatOf(field.type.columnType ?? '', native.type);
  return isText && !(type.kinds.includes('string') && isFormat) ? undefined : type;
}

/** How an unmanaged column is read, compared and written. */
export interface NativeSql {
  readonly read: Sql;
  /** For comparisons of whole values and for sorts. */
  readonly compared: Sql;
  /** For comparisons with a part of a text, which collations do not have. */
  readonly searched: Sql;
  /** The type of operands. */
  readonly operand: string;
  readonly assigned: Sql;
  /** What it is sorted by, and the type of the values that this is compared with; absent: as it is compared. */
  readonly sorted?: { readonly value: Sql; readonly operand: string };
  /** Whether it is an array of the database, not one in JSON. */
  readonly isArray: boolean;
}

const made = new WeakMap<Field, NativeSql>();

/** The SQL of an unmanaged column; undefined for a managed one. */
export function nativeSql(field: Field): NativeSql | undefined {
  const { native, items } = field;
  if (native === undefined) return undefined;
  let sql = made.get(field);
  if (sql === undefined) {
    sql =
      native.items === undefined || items === undefined
        ? { ...scalarSql(native, typeOf(field, native)), ...orderOf(field, native) }
        : arraySql(native, native.items, typeOf(items, native.items));
    made.set(field, sql);
  }
  return sql;
}

const same: Sql = (text) => text;
const byCodePoint: Sql = (column) => `(${column}::text COLLATE "C")`;

/** The order of a type of which only the database knows the values. */
function orderOf({ type }: Field, { type: name }: NativeColumn): Pick<NativeSql, 'sorted'> {
  // A domain over an enum has no operators. To its own type, a cast of any other column changes nothing.
  const value: Sql = (column) => `${column}::${name}`;
  return type.isUnchecked === true ? { sorted: { value, operand: name } } : {};
}

function scalarSql(native: NativeColumn, nativeType: NativeType | undefined): NativeSql {
  const shared = { searched: byCodePoint, isArray: false };
  if (nativeType === undefined)
    return {
      ...shared,
      read: asText,
      compared: byCodePoint,
      operand: 'text',
      assigned: (placeholder) => `${placeholder}::text::${native.type}`,
    };
  const { read = same, operand = native.type, isText = false } = nativeType;
  const assigned: Sql = (placeholder) =>
    nativeType.assigned?.(placeholder, native.type) ?? placeholder;
  if ((isText || nativeType === enums) && !native.isCollated)
    return { ...shared, read, compared: byCodePoint, operand: 'text', assigned };
  // A domain over an enum has no operators; an index of it serves the cast as well.
  const asEnum: Sql = (column) => `${column}::${native.type}`;
  const { compared = nativeType === enums ? asEnum : same } = nativeType;
  return { ...shared, read, compared, operand, assigned };
}

/** Each item as text, so that none loses digits. */
function arraySql(
  { type }: NativeColumn,
  items: NativeColumn,
  itemType: NativeType | undefined,
): NativeSql {
  const { inArrays = {} } = itemType ?? { inArrays: itemsAsTexts };
  const { read = (column: string) => `${column}::text[]` } = inArrays;
  const { operand = `${items.type}[]` } = inArrays;
  // Of items that are a domain a filter takes values that its CHECK refuses.
  const isOfDomain = type !== `${items.type}[]`;
  const { compared = isOfDomain ? (column: string) => `${column}::${operand}` : same } = inArrays;
  return {
    read: (column) => `array_to_json(${read(column)})`,
    compared,
    searched: same,
    operand,
    assigned: (placeholder) => inArrays.assigned?.(placeholder, type) ?? placeholder,
    isArray: true,
  };
}

/** How a field's values are in its unmanaged column; undefined if its type is not served from such a column. */
export function nativeCodec(field: Field): Codec | undefined {
  const { native, type, items } = field;
  if (native === undefined) return undefined;
  if (native.items !== undefined && items !== undefined) return arrayCodec(items);
  const { kinds, form = type.postgres.form, number } = typeOf(field, native) ?? other;
  const codec = kinds.includes(valueKindOf(field)) ? type.forms[form] : undefined;
  if (codec === undefined || type.number !== 'double') return codec;
  return {
    // JSON has no NaN.
    decode: (stored) => (Number.isFinite(stored) ? (stored as number) : String(stored)),
    ...(number === undefined ? {} : { encode: (value) => number(Number(value)) }),
  };
}

/** What the column of a field holds: a stored form of others is a text or a number. */
function valueKindOf({ type, attributes: { storedAs } }: Field): ValueKind {
  return storedAs === undefined ? type.kind : heldAs[storedAs];
}

/** Items as texts in JSON (`arraySql`), and as an array's text. */
function arrayCodec(items: Field): Codec {
  const codec = nativeCodec(items);
  const decoded = (item: JsonValue): JsonValue => {
    if (item === null) return null;
    if (Array.isArray(item)) return item.map(decoded);
    const stored = storedItem(String(item), items.type);
    return codec?.decode === undefined ? stored : codec.decode(stored, items);
  };
  return {
    decode: (stored) => decoded(JSON.parse(String(stored)) as JsonValue),
    encode: (value) =>
      arrayText(
        (value as readonly JsonValue[]).map((item) =>
          item === null ? null : (codec?.encode?.(item, items) ?? (item as SqlValue)),
        ),
      ),
  };
}

/** An item as a column of its own would give it; a number that is none (NaN), or is not exact, stays the text. */
function storedItem(text: string, { json, number }: FieldType): string | number | boolean {
  if (json === 'boolean') return text === 'true';
  if (json !== 'integer' && json !== 'number') return text;
  const value = Number(text);
  const isExact = number === 'double' || Number.isSafeInteger(value);
  return Number.isFinite(value) && isExact ? value : text;
}

/** The text of an array: `{1,NULL,"a"}`. */
export function arrayText(values: readonly SqlValue[]): string {
  return `{${values.map(itemText).join(',')}}`;
}

function itemText(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return String(value);
  return `"${/["\\]/u.test(value) ? value.replaceAll(/["\\]/gu, String.raw`\$&`) : value}"`;
}

/** The values that a column of a type takes, by its digits in parentheses. */
export function limitsOf(type: string, digits: readonly number[]): ColumnLimits {
  return byName.get(type)?.limits?.(digits) ?? {};
}

/** Whether a field is served from a column, whatever migrations would make of it. */
export function isServed(field: Field): boolean {
  const { native, type } = field;
  const { columnType } = type;
  const isOther = columnType !== undefined && isOtherType(columnType);
  if (native !== undefined && isOther && !isFormatOf(columnType, native.type)) return false;
  return (
    nativeCodec(field) !== undefined &&
    (field.items === undefined || field.native?.items === undefined || isServed(field.items))
  );
}
