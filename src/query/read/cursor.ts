import { crc32 } from 'node:zlib';
import type { JsonValue } from '../../specification/specification.ts';

/** The end of a page: its order, and the last record's value for each key of that order. */
export interface Cursor {
  readonly version: number;
  readonly resource: string;
  /** The keys of the order, without the last `id`; empty for the order by id. */
  readonly sort: string;
  /** The keys by which `sort` orders expanded collections; empty or undefined for none. */
  readonly collectionSort?: string | undefined;
  /** The `nulls` parameter; empty if it was not sent. */
  readonly nulls: string;
  readonly values: readonly JsonValue[];
  /** Set if values were too long to carry. */
  readonly long?: LongValues | undefined;
}

/** The part of a cursor that replaces long texts: the last records of the page, whose values are read again. */
export interface LongValues {
  /** The indexes of the keys whose value is only a prefix. */
  readonly cut: readonly number[];
  /** The last records of the page, the last one first, each with its id and the digest of its values. */
  readonly ends: readonly CursorEnd[];
}

/** A record at the end of a page. */
export interface CursorEnd {
  readonly id: JsonValue;
  readonly digest: string;
}

/** The parsed `cursor` of a list: the first page, a position, or damaged. */
export type CursorText = Cursor | 'first' | 'damaged';

/** The most records that a cursor names. */
export const maxEnds = 4;

const checkLength = 8;

function checkOf(payload: string): string {
  return crc32(payload).toString(16).padStart(checkLength, '0');
}

/** Encodes a cursor for the client: base64url of a checksum and JSON. */
export function encodeCursor(cursor: Cursor): string {
  const { version, resource, sort, collectionSort = '', nulls, values, long } = cursor;
  const sorts = collectionSort === '' ? sort : [sort, collectionSort];
  const items: JsonValue[] = [version, resource, sorts, nulls, values];
  if (long !== undefined) items.push(long.cut, ...long.ends.map(({ id, digest }) => [id, digest]));
  const payload = JSON.stringify(items);
  return Buffer.from(checkOf(payload) + payload).toString('base64url');
}

/** Decodes a cursor. Its content is not trusted: names are resolved and values validated like those of a request. */
export function decodeCursor(text: string): CursorText {
  if (text === '') return 'first';
  const whole = Buffer.from(text, 'base64url');
  // Buffer skips characters outside the alphabet and surplus bits.
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

/** The checksum detects damage, not forgery, so the JSON may still be invalid. */
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
  if (ends.length === 0 || ends.length > maxEnds) return undefined;
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

/** The part of the plan key that depends on the cursor; empty without one. */
export function cursorKey(cursor: CursorText | undefined): string {
  if (cursor === undefined || typeof cursor === 'string') return cursor ?? '';
  const { version, resource, sort, collectionSort, nulls, values, long } = cursor;
  const isNull = values.map((value) => value !== null);
  const isLong = long !== undefined;
  return JSON.stringify([version, resource, sort, collectionSort, nulls, isNull, isLong]);
}
