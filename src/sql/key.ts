import type { Codec, Field } from '../model/api.ts';
import { isComposite, joined, partsOf, partValues } from '../model/field-types/composite-id.ts';
import type { SqlValue } from '../model/values.ts';
import type { JsonValue } from '../specification/specification.ts';
import { codecOf, quote, type StoredForms } from './dialect.ts';

/**
 * The columns of a key. An id of several has none of its own: its `column` is empty, so that what names it with its table is
 * `t.""`, from which the columns of its parts follow.
 */
export function keyColumns(column: string, key: Field): readonly string[] {
  if (!isComposite(key)) return [column];
  const table = column.slice(0, -quote(key.column).length);
  return partsOf(key).map((part) => `${table}${quote(part.column)}`);
}

/** How a composite id is bound and selected: as the JSON text of a list of the stored values of its parts. */
export function compositeCodec(dialect: StoredForms, id: Field): Codec {
  const parts = partsOf(id);
  return {
    encode: (value) => {
      const values = partValues(String(value), id) ?? [];
      return dialect.keyText(
        parts.map((part, index): SqlValue => {
          const { encode } = codecOf(dialect, part);
          const own = values[index] ?? null;
          return own === null || encode === undefined ? (own as SqlValue) : encode(own, part);
        }),
        parts,
      );
    },
    decode: (stored) => {
      const values = JSON.parse(String(stored)) as readonly SqlValue[];
      return joined(parts.map((part, index) => decodePart(dialect, values[index] ?? null, part)));
    },
  };
}

/** All stored values but booleans, numbers and null are texts there, and numbers of which a double would lose digits as well. */
function decodePart(dialect: StoredForms, stored: SqlValue, part: Field): JsonValue {
  const { decode } = codecOf(dialect, part);
  if (stored === null || decode === undefined) return stored as JsonValue;
  return decode(stored, part);
}
