import { hash } from 'node:crypto';
import type { Field } from '../model/api.ts';
import { readText } from '../model/field-types/string.ts';
import type { Reading } from '../model/values.ts';
import type { JsonValue } from '../spec/specification.ts';
import { mostEnds, type Cursor, type CursorEnd } from './cursor.ts';
import type { SortKey } from './plan.ts';

/** Where `id` is among the keys of a total order. */
export function idIn(order: readonly SortKey[]): number {
  return order.findIndex(({ steps, place }) => steps.length === 0 && place.leaf.type.name === 'id');
}

/** How many bytes of values a cursor carries, as JSON: with the rest of a request it has to fit into a URL. */
const room = 1_024;
/** How many bytes the beginnings of texts have together, where values are longer than that. */
const roomOfBeginnings = 512;
/** How many bytes the ids of the records have that a cursor names, where it names more than one. */
const roomOfIds = 256;

/**
 * What a cursor carries of where its page ended: the values of the last record, or the beginnings of its long texts and
 * the records that have them. `valuesAt` gives the values of the last record but so many; `idAt` is where their id is.
 */
export function carriedValues(
  valuesAt: (back: number) => readonly JsonValue[] | undefined,
  idAt: number,
): Pick<Cursor, 'values' | 'long'> | undefined {
  const values = valuesAt(0);
  if (values === undefined || sizeOf(values) <= room) return values && { values };
  const most = Math.floor(roomOfBeginnings / values.length);
  const cut = values.flatMap((value, index) =>
    index !== idAt && typeof value === 'string' && sizeOf(value) > most ? [index] : [],
  );
  // The id alone is that long.
  if (cut.length === 0) return { values };
  const ends: CursorEnd[] = [];
  let bytes = 0;
  for (let back = 0; back < mostEnds; back += 1) {
    const own = valuesAt(back);
    // Which of them are null is part of the shape of the request.
    if (own?.some((value, index) => (value === null) !== (values[index] === null)) !== false) break;
    const id = own[idAt] ?? null;
    bytes += sizeOf(id);
    if (back > 0 && bytes > roomOfIds) break;
    ends.push({ id, digest: digestOf(own) });
  }
  const carried = values.map((value, index) =>
    cut.includes(index) ? beginningOf(String(value), most) : value,
  );
  return { values: carried, long: { cut, ends } };
}

function sizeOf(value: JsonValue | readonly JsonValue[]): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** As many characters of a text as have room. */
function beginningOf(text: string, most: number): string {
  let bytes = sizeOf('');
  let beginning = '';
  for (const character of text) {
    bytes += sizeOf(character) - sizeOf('');
    if (bytes > most) break;
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

const texts: ReadonlySet<string> = new Set(['string', 'text', 'email', 'url', 'enum']);

/** Whether any text is compared with a field as it is. */
export function isText({ type, attributes }: Field): boolean {
  return texts.has(type.name) || (type.name === 'id' && attributes.format === 'string');
}

/** Reads what a cursor carries of a field: what tables of others hold need not have the format that new values need. */
export function readCarried(value: JsonValue, field: Field): Reading {
  return isText(field) ? readText(value) : field.type.read(value, field);
}
