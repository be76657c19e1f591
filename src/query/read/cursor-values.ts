import { hash } from 'node:crypto';
import type { Field, Resource } from '../../model/api.ts';
import { idIn } from '../../model/field-types/composite-id.ts';
import { readText } from '../../model/field-types/texts/string.ts';
import { jsonBytes } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { maxEnds, type Cursor, type CursorEnd } from './cursor.ts';
import type { SortKey } from '../plan.ts';
import { orderedFields } from './sort.ts';

/** The id of a record by its values of a total order. */
export function idOf(order: readonly SortKey[], { id }: Resource): IdOfValues {
  const indexOf = (field: Field): number =>
    order.findIndex(({ steps, ref }) => steps.length === 0 && ref.leaf === field);
  const indexes = new Map(orderedFields(id).map((field) => [field, indexOf(field)]));
  return {
    isPart: (index) => [...indexes.values()].includes(index),
    of: (values) => idIn(id, (field) => values[indexes.get(field) ?? indexOf(field)]) ?? null,
  };
}

interface IdOfValues {
  /** Whether a value is the id or a part of it. */
  readonly isPart: (index: number) => boolean;
  readonly of: (values: readonly JsonValue[]) => JsonValue;
}

/** The placeholder in a cursor for a value that is not a text and cannot be carried. */
export const noPrefix = '';

/** The most bytes of values in a cursor, as JSON. The cursor has to fit into a URL with the rest of the request. */
const maxValueBytes = 1_024;
/** The most bytes for the prefixes of texts, if the values are too long. */
const maxPrefixBytes = 512;
/** The most bytes for the ids of the records that a cursor names besides the last one. */
const maxIdBytes = 256;

/**
 * The values that a cursor carries: the sort values of the page's last record. Values that are too long, or would not be
 * parsed back to the same value, are replaced by their prefixes, and the cursor also names the last records of the page
 * by id and digest. `valuesAt(n)` returns the values of the nth row from the end.
 */
export function cursorValues(
  valuesAt: (back: number) => readonly JsonValue[] | undefined,
  order: readonly SortKey[],
  resource: Resource,
): Pick<Cursor, 'values' | 'long'> | undefined {
  const values = valuesAt(0);
  if (values === undefined) return undefined;
  const id = idOf(order, resource);
  const isLong = mayBeLong(values) && jsonBytes(values) > maxValueBytes;
  const most = Math.floor(maxPrefixBytes / values.length);
  const cut = order.flatMap((key, index) => {
    const value = values[index] ?? null;
    const isCut = isLong && typeof value === 'string' && jsonBytes(value) > most;
    return !id.isPart(index) && (isCut || !isReadBack(value, fieldOf(key))) ? [index] : [];
  });
  if (cut.length === 0) return { values };
  const ends: CursorEnd[] = [];
  let bytes = 0;
  for (let back = 0; back < maxEnds; back += 1) {
    const own = valuesAt(back);
    // Which values are null is part of the plan key, so the named records must have the same nulls.
    if (own?.some((value, index) => (value === null) !== (values[index] === null)) !== false) break;
    const named = id.of(own);
    if (back > 0) bytes += jsonBytes(named);
    if (bytes > maxIdBytes) break;
    ends.push({ id: named, digest: digestOf(own) });
  }
  const carried = order.map((key, index) => {
    const value = values[index] ?? null;
    if (!cut.includes(index)) return value;
    return isText(fieldOf(key)) ? prefixOf(String(value), most) : noPrefix;
  });
  return { values: carried, long: { cut, ends } };
}

/** The compared field of a key; for an array, the field of its items. */
export function fieldOf({ ref: { leaf } }: SortKey): Field {
  return leaf.items ?? leaf;
}

/** Whether a value is parsed back unchanged. Existing tables may hold an invalid date or a UUID in capitals. */
function isReadBack(value: JsonValue, field: Field): boolean {
  return value === null || readCursorValue(value, field) === value;
}

/** A cheap test before measuring the values as JSON. */
function mayBeLong(values: readonly JsonValue[]): boolean {
  let units = 0;
  for (const value of values) if (typeof value === 'string') units += value.length;
  return units > 100;
}

/** The longest prefix of a text within `most` bytes that can be sent. */
function prefixOf(text: string, most: number): string {
  let bytes = jsonBytes('');
  let beginning = '';
  for (const character of text) {
    bytes += jsonBytes(character) - jsonBytes('');
    if (bytes > most || !readText(character).ok) break;
    beginning += character;
  }
  return beginning;
}

/** A digest that shows whether a record's sort values have changed. */
export function digestOf(values: readonly JsonValue[]): string {
  return hash('sha256', JSON.stringify(values), 'base64url').slice(0, 22);
}

/** The smallest text that is greater than all texts with this prefix; undefined if there is none. */
export function textAfterPrefix(beginning: string): string | undefined {
  const characters = Array.from(beginning, (character) => character.codePointAt(0) ?? 0);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    if (last === 0x10_ff_ff) continue;
    // Skip the surrogates, which never occur alone.
    const next = last === 0xd7_ff ? 0xe0_00 : last + 1;
    return String.fromCodePoint(...characters, next);
  }
  return undefined;
}

/** Whether a field is compared as plain text. */
export function isText({ type }: Field): boolean {
  return type.kind === 'string' && type.columnType === undefined;
}

/**
 * A field's value in a cursor; undefined if it is none. Anyone can write a cursor, and a statement that compares what is no
 * value of the column's type fails. Texts in existing tables need not match the format that new values must have.
 */
export function readCursorValue(value: JsonValue, field: Field): JsonValue | undefined {
  const { type, native } = field;
  if (type.isUnchecked === true || native?.labels?.includes(String(value)) === false)
    return undefined;
  const parsed = isText(field) ? readText(value) : type.read(value, field);
  return parsed.ok ? parsed.value : undefined;
}
