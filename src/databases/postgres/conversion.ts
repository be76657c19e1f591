import type { ConvertedColumn } from '../../sql/kinds/kind.ts';
import { kinds } from '../../sql/kinds/registry.ts';
import { baseOf, type StoredKind } from '../../sql/kinds/stored-kind.ts';

/** The SQL of a conversion between two kinds of which one can become the other, with the same results as on SQLite. */
export function convertColumn(from: StoredKind, to: StoredKind, column: string): ConvertedColumn {
  const [source, target] = [baseOf(from), baseOf(to)];
  const { text, json, convert } = kinds[source].postgres;
  const asText = text?.(column, from) ?? `${column}::text`;
  const none: ConvertedColumn = { value: 'NULL' };
  if (target === 'json') return { value: json?.(column) ?? `to_jsonb(${asText})` };
  if (target === 'string' && source !== 'json') return { value: asText };
  if (source === 'string') return kinds[target].postgres.fromText?.(column, to) ?? none;
  return convert?.(column, to) ?? none;
}

/** Escapes that `json` takes and `jsonb` refuses: NUL, and halves of surrogate pairs. */
const refusedEscapes = [
  String.raw`(?<!\\)(\\\\)*\\u0000`,
  String.raw`(?<!\\)(\\\\)*\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])`,
  String.raw`(?<!\\u[dD][89abAB][0-9a-fA-F]{2})(?<!\\)(\\\\)*\\u[dD][c-fC-F]`,
].join('|');

/** A string in JSON, and the colon behind it if it is the name of a member. */
const stringInJson = String.raw`"([^"\\]|\\.)*"(\s*:)?`;

/** The `jsonb` of a `json` value; null if it cannot hold that. */
export function jsonbOf(column: string): string {
  return `CASE WHEN ${column}::text !~ '${refusedEscapes}' THEN ${column}::jsonb END`;
}

/** Whether an object in a `json` value has a member twice, of which its `jsonb` keeps the last. */
export function repeatsMembers(column: string, converted: string): string {
  const names = (text: string): string =>
    `(SELECT count(found[2]) FROM regexp_matches(${text}, '${stringInJson}', 'g') AS found)`;
  return `${names(`${column}::text`)} <> ${names(`(${converted})::text`)}`;
}
