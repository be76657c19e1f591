import { crc32 } from 'node:zlib';
import type { JsonValue } from '../spec/specification.ts';

/** Where a page of a list ended: its order, and the values of the last record under each key of that order. */
export interface Cursor {
  readonly version: number;
  readonly resource: string;
  /** The keys of the order, without the last `id`; empty for the order by id. */
  readonly sort: string;
  /** What `nulls` said; empty where it said nothing. */
  readonly nulls: string;
  readonly values: readonly JsonValue[];
}

/** What a list's `cursor` says: nothing (its first page), where to go on, or nothing that could be read. */
export type CursorText = Cursor | 'first' | 'damaged';

const checkLength = 8;

function checkOf(payload: string): string {
  return crc32(payload).toString(16).padStart(checkLength, '0');
}

/** Writes a cursor as the client carries it: base64url of JSON, with a check against damage before it. */
export function encodeCursor({ version, resource, sort, nulls, values }: Cursor): string {
  const payload = JSON.stringify([version, resource, sort, nulls, values]);
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
  if (!Array.isArray(parsed) || parsed.length !== 5) return 'damaged';
  const [version, resource, sort, nulls, values] = parsed as unknown[];
  if (typeof version !== 'number' || typeof resource !== 'string') return 'damaged';
  if (typeof sort !== 'string' || typeof nulls !== 'string') return 'damaged';
  if (!Array.isArray(values)) return 'damaged';
  return { version, resource, sort, nulls, values: values as JsonValue[] };
}

/** The check tells damage, not malice: anyone can write a cursor that passes it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What of a cursor decides the statements of its page; of a request without one nothing does. */
export function cursorShape(cursor: CursorText | undefined): string {
  if (cursor === undefined || typeof cursor === 'string') return cursor ?? '';
  const { version, resource, sort, nulls, values } = cursor;
  return JSON.stringify([version, resource, sort, nulls, values.map((value) => value !== null)]);
}
