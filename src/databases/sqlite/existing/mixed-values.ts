import type Driver from 'better-sqlite3';
import type { Codec, Field } from '../../../model/api.ts';
import { operators, type Comparison } from '../../../model/operators.ts';
import { getOrInsert } from '../../../lib/get-or-insert.ts';
import type { SqlValue } from '../../../model/values.ts';

// SQLite stores values of any kind in any column, and converts what a column takes by its affinity. A string that is served
// from such a column is the text of each value. See docs/contract/8-existing-databases.md#types, rule 8.

const textFunction = '_plinth_text';

const exactText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a value that is none: of bytes their UTF-8, or if they are none, the literal of SQL: `x'FF'`. */
export function textOfValue(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    const text = exactText.decode(value);
    if (!text.includes('\0')) return text;
  } catch {
    // It is no UTF-8.
  }
  return `x'${Buffer.from(value).toString('hex').toUpperCase()}'`;
}

/** Adds the function that gives the text of fractions, with all their digits, and of bytes. */
export function addTextFunction(driver: Driver.Database): void {
  driver.function(textFunction, { deterministic: true, directOnly: true }, textOfValue);
}

/** Whether the texts of a field are those of values of any kind. */
export function isMixed({ native, type, items, attributes }: Field): boolean {
  return (
    native?.isMixed === true &&
    items === undefined &&
    type.kind === 'string' &&
    attributes.storedAs === undefined
  );
}

/** The text of each value of a column. */
export function textOf(column: string): string {
  return (
    `(CASE typeof(${column}) WHEN 'text' THEN ${column} WHEN 'integer' THEN CAST(${column} AS TEXT)` +
    ` WHEN 'null' THEN NULL ELSE ${textFunction}(${column}) END)`
  );
}

/** What may be stored for a text `wanted.value`, one row each: itself, a number, and bytes. */
const storedFor =
  `SELECT CASE way.value WHEN 0 THEN wanted.value WHEN 1 THEN CASE wanted.value WHEN 'Infinity' THEN 9e999` +
  ` WHEN '-Infinity' THEN -9e999 ELSE CAST(wanted.value AS NUMERIC) END WHEN 2 THEN CAST(wanted.value AS BLOB)` +
  ` ELSE unhex(substr(wanted.value, 3, length(wanted.value) - 3)) END, wanted.value`;
const ways = `json_each('[0,1,2,3]') AS way`;

/**
 * Whether the text of a column's value equals a text, or one of a list. An index of the column serves: it is asked for each
 * value that may be stored for the text.
 */
export function equalsText(
  column: string,
  operator: Comparison,
  placeholder: string,
): string | undefined {
  if (operator !== 'eq' && operator !== 'in') return undefined;
  const wanted =
    operators[operator].operand === 'list'
      ? `json_each(${placeholder})`
      : `(SELECT ${placeholder} AS value)`;
  return `(${column}, ${textOf(column)}) IN (${storedFor} FROM ${wanted} AS wanted CROSS JOIN ${ways})`;
}

const tolerantCodecs = new WeakMap<Field, Codec>();

/** Reads a value of an unmanaged column as the field's own form does, and bytes, which none of them has, as text. */
export function nativeCodec(field: Field): Codec | undefined {
  if (field.native === undefined) return undefined;
  const codec = field.type.forms[field.type.sqlite.form];
  if (codec === undefined || codec.isBytes === true) return codec;
  return getOrInsert(tolerantCodecs, field, () => tolerant(codec));
}

function tolerant(codec: Codec): Codec {
  const { decode } = codec;
  return {
    ...codec,
    decode: (stored, field) =>
      isBytes(stored)
        ? textOfValue(stored)
        : decode === undefined
          ? (stored as string)
          : decode(stored, field),
  };
}

/** The driver gives bytes for a BLOB. */
function isBytes(stored: SqlValue): boolean {
  return typeof stored === 'object' && (stored as unknown) instanceof Uint8Array;
}
