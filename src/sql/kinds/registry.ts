import { any, json, structured } from './json.ts';
import type { Kind } from './kind.ts';
import { date, datetime, time } from './moments.ts';
import { bigint, decimal, integer, number, numeric } from './numbers.ts';
import { baseOf, type KindName, type StoredKind } from './stored-kind.ts';
import { boolean, bytes, string, uuid } from './texts.ts';

/** All kinds. Of two with the same column, the first is what a column of others is taken for. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  string,
  integer,
  bigint,
  number,
  decimal,
  numeric,
  boolean,
  date,
  time,
  datetime,
  uuid,
  bytes,
  json,
  object: structured,
  array: structured,
  any,
};

/** Whether any value of one kind can become one of another; all else is lost. */
export function canBecome(from: StoredKind, to: StoredKind): boolean {
  const [source, target] = [baseOf(from), baseOf(to)];
  if (target === 'json') return source !== 'json';
  if (target === 'string') return !['string', 'object', 'array'].includes(source);
  const isText = source === 'string' || source === 'any';
  if (isText && kinds[target].sqlite.fromText !== undefined) return true;
  return kinds[source].becomes.includes(target);
}
