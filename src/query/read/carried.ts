import { hash } from 'node:crypto';
import type { Field } from '../../model/api.ts';
import { readText } from '../../model/field-types/string.ts';
import type { ParsedValue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { mostEnds, type Cursor, type CursorEnd } from './cursor.ts';
import type { SortKey } from '../plan.ts';

/** Where `id` is among the keys of a total order. */
export function idIn(order: readonly SortKey[]): number {
  return order.findIndex(({ steps, place }) => steps.length === 0 && place.leaf.type.name === 'id');
}

/** What stands for a value that is no text and is not carried. */
export const noBeginning = '';

/** How many bytes of values a cursor carries, as JSON: with the rest of a request it has to fit into a URL. */
const room = 1_024;
/** How many bytes the beginnings of texts have together, where values are longer than that. */
const roomOfBeginnings = 512;
/** How many bytes the ids have of the records that a cursor names besides the last one. */
const roomOfIds = 256;

/**
 * What a cursor carries of where its page ended: the values of the last record; or, where they are too long or will not
 * be read as what they are, the records that have them, and how texts among them begin. `valuesAt` gives the values of
 * the last record but so many.
 */
export function carriedValues(
  valuesAt: (back: number) => readonly JsonValue[] | undefined,
  order: readonly SortKey[],
): Pick<Cursor, 'values' | 'long'> | undefined {
  const values = valuesAt(0);
  if (values === undefined) return undefined;
  const idAt = idIn(order);
  const isLong = mayBeLong(values) && sizeOf(values) > room;
  const most = Math.floor(roomOfBeginnings / values.length);
  const cut = order.flatMap((key, index) => {
    const value = values[index] ?? null;
    const isCut = isLong && typeof value === 'string' && sizeOf(value) > most;
    return index !== idAt && (isCut || !isReadBack(value, fieldOf(key))) ? [index] : [];
  });
  if (cut.length === 0) return { values };
  const ends: CursorEnd[] = [];
  let bytes = 0;
  for (let back = 0; back < mostEnds; back += 1) {
    const own = valuesAt(back);
    // Which of them are null is part of the shape of the request.
    if (own?.some((value, index) => (value === null) !== (values[index] === null)) !== false) break;
    const id = own[idAt] ?? null;
    if (back > 0) bytes += sizeOf(id);
    if (bytes > roomOfIds) break;
    ends.push({ id, digest: digestOf(own) });
  }
  const carried = order.map((key, index) => {
    const value = values[index] ?? null;
    if (!cut.includes(index)) return value;
    return isText(fieldOf(key)) ? beginningOf(String(value), most) : noBeginning;
  });
  return { values: carried, long: { cut, ends } };
}

/** What a key compares: the field, or the items of an array. */
export function fieldOf({ place: { leaf } }: SortKey): Field {
  return leaf.items ?? leaf;
}

/** Tables of others may hold what no client could send: a date that is none, a UUID in capitals. */
function isReadBack(value: JsonValue, field: Field): boolean {
  if (value === null) return true;
  const reading = readCarried(value, field);
  return reading.ok && reading.value === value;
}

/** Writing all of them as JSON, to see how long they are, is left to those that have long texts. */
function mayBeLong(values: readonly JsonValue[]): boolean {
  let units = 0;
  for (const value of values) if (typeof value === 'string') units += value.length;
  return units > 100;
}

function sizeOf(value: JsonValue | readonly JsonValue[]): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** As many characters of a text as have room and can be sent. */
function beginningOf(text: string, most: number): string {
  let bytes = sizeOf('');
  let beginning = '';
  for (const character of text) {
    bytes += sizeOf(character) - sizeOf('');
    if (bytes > most || !readText(character).ok) break;
    beginning += character;
  }
  return beginning;
}

/** What tells whether a record still has the values that it had. */
export function digestOf(values: readonly JsonValue[]): string {
  return hash('sha256', JSON.stringify(values), 'base64url').slice(0, 22);
}

/** The least text that is greater than all that begin so; undefined where there is none. */
export function textBehind(beginning: string): string | undefined {
  const characters = Array.from(beginning, (character) => character.codePointAt(0) ?? 0);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    if (last === 0x10_ff_ff) continue;
    // Between these two lie the surrogates, which no text has alone.
    const next = last === 0xd7_ff ? 0xe0_00 : last + 1;
    return String.fromCodePoint(...characters, next);
  }
  return undefined;
}

/** Whether any text is compared with a field as it is. */
export function isText({ type }: Field): boolean {
  return type.kind === 'string';
}

/** Reads what a cursor carries of a field: what tables of others hold need not have the format that new values need. */
export function readCarried(value: JsonValue, field: Field): ParsedValue {
  return isText(field) ? readText(value) : field.type.read(value, field);
}
