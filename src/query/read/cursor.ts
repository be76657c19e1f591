import { crc32 } from 'node:zlib';
import type { JsonValue } from '../../specification/specification.ts';

/** Where a page of a list ended: its order, and the values of the last record under each key of that order. */
export interface Cursor {
  readonly version: number;
  readonly resource: string;
  /** The keys of the order, without the last `id`; empty for the order by id. */
  readonly sort: string;
  /** The keys by which that `sort` ordered expanded collections; empty or left out where it did not. */
  readonly collectionSort?: string | undefined;
  /** What `nulls` said; empty where it said nothing. */
  readonly nulls: string;
  readonly values: readonly JsonValue[];
  /** Where values were too long to be carried. */
  readonly long?: LongValues | undefined;
}

/** A cursor that does not carry long texts: it names the records where its page ended, which still have them. */
export interface LongValues {
  /** Under which keys only the beginning of a text stands among the values. */
  readonly cut: readonly number[];
  /** The last records of the page, the very last one first, each by its id and the digest of its values. */
  readonly ends: readonly CursorEnd[];
}

/** A record at the end of a page, as a cursor names it. */
export interface CursorEnd {
  readonly id: JsonValue;
  readonly digest: string;
}

/** What a list's `cursor` says: nothing (its first page), where to go on, or nothing that could be read. */
export type CursorText = Cursor | 'first' | 'damaged';

/** How many records a cursor names. */
export const mostEnds = 4;

const checkLength = 8;

function checkOf(payload: string): string {
  return crc32(payload).toString(16).padStart(checkLength, '0');
}

/** Writes a cursor as the client carries it: base64url of JSON, with a check against damage before it. */
export function encodeCursor(cursor: Cursor): string {
  const { version, resource, sort, collectionSort = '', nulls, values, long } = cursor;
  const sorts = collectionSort === '' ? sort : [sort, collectionSort];
  const items: JsonValue[] = [version, resource, sorts, nulls, values];
  if (long !== undefined) items.push(long.cut, ...long.ends.map(({ id, digest }) => [id, digest]));
  const payload = JSON.stringify(items);
  return Buffer.from(checkOf(payload) + payload).toString('base64url');
}

/** Reads a cursor. Nothing in it is believed: names are resolved and values read as those of a request. */
export function decodeCursor(text: string): CursorText {
  if (text === '') return 'first';
  const whole = Buffer.from(text, 'base64url');
  // The decoder passes over what is not of its alphabet, and over bits that are too many.
  if (whole.toString('base64url') !== text) return 'damaged';
  const payload = whole.toString('utf8', checkLength);
  if (whole.toString('utf8', 0, checkLength) !== checkOf(payload)) return 'damaged';
  const parsed = parse(payload);
  if (!Array.isArray(parsed)) return 'damaged';
  const [version, resource, sorts, nulls, values, ...more] = parsed as unknown[];
  const [sort, collectionSort = '']: unknown[] = Array.isArray(sorts) ? sorts : [sorts];
  if (typeof version !== 'number' || typeof resource !== 'string') return 'damaged';
  if (typeof sort !== 'string' || typeof collectionSort !== 'string') return 'damaged';
  if (typeof nulls !== 'string' || !Array.isArray(values)) return 'damaged';
  const cursor = { version, resource, sort, collectionSort, nulls, values: values as JsonValue[] };
  if (more.length === 0) return cursor;
  const long = readLong(more, values.length);
  return long === undefined ? 'damaged' : { ...cursor, long };
}

/** The check tells damage, not malice: anyone can write a cursor that passes it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readLong([cut, ...ends]: readonly unknown[], keys: number): LongValues | undefined {
  if (!Array.isArray(cut) || cut.length === 0 || cut.length > keys) return undefined;
  if (!cut.every((index) => Number.isInteger(index) && index >= 0 && index < keys))
    return undefined;
  if (ends.length === 0 || ends.length > mostEnds) return undefined;
  const read: CursorEnd[] = [];
  for (const end of ends) {
    if (!Array.isArray(end) || end.length !== 2) return undefined;
    const [id, digest] = end as unknown[];
    if (typeof digest !== 'string') return undefined;
    if (typeof id !== 'string' && typeof id !== 'number') return undefined;
    read.push({ id, digest });
  }
  return { cut: cut as number[], ends: read };
}

/** What of a cursor decides the statements of its page; of a request without one nothing does. */
export function cursorShape(cursor: CursorText | undefined): string {
  if (cursor === undefined || typeof cursor === 'string') return cursor ?? '';
  const { version, resource, sort, collectionSort, nulls, values, long } = cursor;
  const isNull = values.map((value) => value !== null);
  const isLong = long !== undefined;
  return JSON.stringify([version, resource, sort, collectionSort, nulls, isNull, isLong]);
}
