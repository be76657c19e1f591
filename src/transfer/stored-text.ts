import type { Field, Resource } from '../model/api.ts';
import type { Database } from '../databases/database.ts';
import { ExactNumber, exactNumber } from '../model/exact-number.ts';
import type { JsonValue } from '../specification/specification.ts';
import { quote, quoteTable } from '../sql/dialect.ts';
import { buildStatement } from '../sql/statement.ts';

/** A stored value that cannot be carried to another place. */
export interface UnfitValue {
  readonly id: JsonValue;
  readonly field: Field;
  /** What is wrong with it, after "which". */
  readonly reason: string;
}

/** A record by its id, with the values of its fields. */
export interface StoredRecord {
  readonly id: JsonValue;
  readonly valueOf: (field: Field) => unknown;
}

const replacement = '\uFFFD';

/**
 * Finds the first text that is not UTF-8, if the database may hold one. The driver reads such bytes as U+FFFD. As valid texts
 * may contain this character too, values with it are read again as bytes. See
 * docs/contract/6-operation.md#import-and-export, rule 13.
 */
export async function misencoded(
  { table, id, fields }: Resource,
  records: readonly StoredRecord[],
  database: Database,
): Promise<UnfitValue | undefined> {
  const { dialect } = database;
  const { textBytes } = dialect;
  if (textBytes === undefined) return undefined;
  for (const { id: value, valueOf } of records)
    for (const field of fields.values()) {
      if (field.parts !== undefined || !hasText(valueOf(field), replacement)) continue;
      const column = quote(id.column);
      const statement = buildStatement(
        dialect,
        (add) =>
          `SELECT ${textBytes(quote(field.column))} FROM ${quoteTable(table)}` +
          ` WHERE ${dialect.compare(column, 'in', add(0), id)}`,
      );
      const [row] = await database.all(statement, { bound: [dialect.operand([value], 'in', id)] });
      if (!isUtf8(String(row?.[0])))
        return { id: value, field, reason: 'is not text in UTF-8; convert it there' };
    }
  return undefined;
}

/** The first value with a NUL character or a number of JSON that PostgreSQL does not hold as it is. */
export function unfitForPostgres(
  { fields }: Resource,
  records: readonly StoredRecord[],
): UnfitValue | undefined {
  for (const { id, valueOf } of records)
    for (const field of fields.values()) {
      const value = valueOf(field);
      if (hasText(value, '\0'))
        return { id, field, reason: 'has a NUL character, which PostgreSQL cannot hold' };
      const number = numberWithExponent(value);
      if (number !== undefined)
        return { id, field, reason: `has the number ${number}, which PostgreSQL cannot hold so` };
    }
  return undefined;
}

/** A number of JSON that is too long to be kept without an exponent, which PostgreSQL writes out. */
function numberWithExponent(value: unknown): string | undefined {
  if (value instanceof ExactNumber) {
    const number = exactNumber(value.text);
    return number instanceof ExactNumber && /e/iu.test(number.text) ? number.text : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const item of Object.values(value)) {
    const number = numberWithExponent(item);
    if (number !== undefined) return number;
  }
  return undefined;
}

/** Whether a part of a text is in a value, or in any text or name within it. */
function hasText(value: unknown, part: string): boolean {
  if (typeof value === 'string') return value.includes(part);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasText(item, part));
  return Object.entries(value).some(([name, item]) => name.includes(part) || hasText(item, part));
}

function isUtf8(hex: string): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(hex, 'hex'));
    return true;
  } catch {
    return false;
  }
}
