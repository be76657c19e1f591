import type Driver from 'better-sqlite3';
import { exact, type ConvertedValue, type StoredValue } from '../../sql/kinds/kind.ts';
import { canBecome, kinds } from '../../sql/kinds/registry.ts';
import { baseOf, type StoredKind } from '../../sql/kinds/stored-kind.ts';

/** A value as SQLite passes it to a function. */
type Stored = StoredValue | null;

/** The names of the migration's functions in SQL. */
export const valueFunction = '_plinth_value';
export const inexactFunction = '_plinth_inexact';

/** Adds `_plinth_value(from, to, value)` to a connection; it gives null if the value cannot be converted. */
export function addValueFunctions(driver: Driver.Database): void {
  const options = { deterministic: true, directOnly: true, safeIntegers: true };
  const convert = (from: unknown, to: unknown, value: unknown): ConvertedValue | undefined =>
    convertValue(String(from) as StoredKind, String(to) as StoredKind, value as Stored);
  driver.function(valueFunction, options, (from: unknown, to: unknown, value: unknown) => {
    const converted = convert(from, to, value)?.value;
    return converted ?? null;
  });
  driver.function(inexactFunction, options, (from: unknown, to: unknown, value: unknown) =>
    convert(from, to, value)?.isExact === false ? 1n : 0n,
  );
}

/** Converts a stored value of one kind to another as SQLite stores it; undefined if it cannot be. */
export function convertValue(
  from: StoredKind,
  to: StoredKind,
  stored: Stored,
): ConvertedValue | undefined {
  if (stored === null || Buffer.isBuffer(stored) !== (from === 'bytes')) return undefined;
  if (from === 'any') return convertAny(to, stored);
  if (!canBecome(from, to)) return undefined;
  const { sqlite: source } = kinds[baseOf(from)];
  const { sqlite: target } = kinds[baseOf(to)];
  const text = source.text?.(stored, from) ?? String(stored);
  if (to === 'json') return exact(source.json?.(text) ?? JSON.stringify(text));
  if (to === 'string' && from !== 'json') return exact(text);
  return from === 'string' ? target.fromText?.(text, to) : source.convert?.(text, to);
}

/** Converts a value of an undeclared kind by what it looks like. */
function convertAny(to: StoredKind, stored: StoredValue): ConvertedValue | undefined {
  const from: StoredKind =
    typeof stored === 'bigint' ? 'integer' : typeof stored === 'number' ? 'number' : 'string';
  const base = baseOf(to);
  if (from !== 'string') return from === to ? exact(stored) : convertValue(from, to, stored);
  if (base === 'string') return exact(stored);
  if (base === 'object' || base === 'array') return kinds.json.sqlite.convert?.(String(stored), to);
  const moment = String(stored).replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/u, '$1T$2Z');
  return convertValue('string', to, base === 'datetime' ? moment : stored);
}
