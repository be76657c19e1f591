import type { BrokenRule } from '../problem-rules.ts';
import type { JsonValue } from '../specification/specification.ts';
import { ExactNumber, plainText } from './exact-number.ts';

/** A value as the database driver takes and gives it. */
export type SqlValue = null | number | bigint | string | boolean;

/** Why a value is refused: of the wrong JSON type (400), or of the right one but wrong (422). */
export interface ValueIssue extends BrokenRule {
  readonly kind: 'type' | 'value';
  readonly message: string;
  /** Below the field: `.weight`, `[2]`; empty for the field itself. */
  readonly path: string;
}

/** How many problems of a body are told: what is behind them is not looked at, since each takes as much as many good values. */
export const mostIssues = 10_000;

/** A value that was read, or all that is wrong with it. */
export type ParsedValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly issues: readonly ValueIssue[] };

/** A value that is taken. */
export function accept(value: JsonValue): ParsedValue {
  return { ok: true, value };
}

/** A value that is refused with 400: it is of the wrong JSON type, null or missing. */
export function wrongType(message: string, broken: BrokenRule): ParsedValue {
  return { ok: false, issues: [{ kind: 'type', message, path: '', ...broken }] };
}

/** A value that is refused with 422: it is of the right type, and not allowed. */
export function wrongValue(message: string, broken: BrokenRule): ParsedValue {
  return { ok: false, issues: [{ kind: 'value', message, path: '', ...broken }] };
}

/** The bytes of values in JSON. */
export function jsonBytes(value: JsonValue | readonly JsonValue[]): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** `3 values`, `1 row`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** `one of a, b`: what a value may be. Where one of them could be taken for two, or for nothing, each has quotes. */
export function oneOf(values: readonly JsonValue[]): string {
  const shown = values.map(plainText);
  const isClear = shown.every((text) => text !== '' && text.trim() === text && !text.includes(','));
  return `one of ${(isClear ? shown : shown.map((text) => JSON.stringify(text))).join(', ')}`;
}

/** Whether a value of JSON is an object; a number of a body that is kept exactly is none. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  );
}

/** How many levels a record may be nested, itself the first one. See docs/contract/3-writing.md#bodies, rule 4. */
export const deepestRecord = 32;

/** Whether a value of a field makes its record one that no request could write; what leads back into itself does. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(deepestRecord - 1, value);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(levels - 1, part));
}
