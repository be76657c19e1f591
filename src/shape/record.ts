import type { SqlValue } from '../model/values.ts';
import type { Member } from '../plan/plan.ts';
import type { JsonValue } from '../spec/specification.ts';
import { matchesPattern } from '../plan/wildcard.ts';
import type { Column } from '../sql/compile-read.ts';

/** A record on its way to the client: members in the order in which they are shown. */
export type RecordValue = Record<string, unknown>;

/** Makes the record of one row: each column decoded to its value on the wire. On the hot path of every read. */
export function shapeRecord(row: readonly SqlValue[], columns: readonly Column[]): RecordValue {
  const record: RecordValue = {};
  for (const column of columns) {
    const stored = row[column.position] as JsonValue;
    const { decode } = column;
    const value =
      decode === undefined || stored === null ? stored : decode(stored as SqlValue, column.field);
    if (!column.isCut) record[column.name] = value;
    else {
      const shown = cut(value, column.member);
      if (shown !== undefined) record[column.name] = shown;
    }
  }
  return record;
}

/** The paths of an object that `fields` names, or all but those that `exclude` names. */
function cut(value: JsonValue, { only, without }: Member): JsonValue | undefined {
  if (only !== undefined) return keepPaths(value, only);
  return (without ?? []).reduce(dropPath, value);
}

function isObject(value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path into null gives that null; what is not there stays away, as does what is no object. */
function keepPaths(value: JsonValue, paths: readonly (readonly string[])[]): JsonValue | undefined {
  if (value === null || paths.some((path) => path.length === 0)) return value;
  if (!isObject(value)) return undefined;
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const below = paths
      .filter(([head = '']) => matchesPattern(name, head))
      .map((path) => path.slice(1));
    const shown = below.length === 0 ? undefined : keepPaths(member, below);
    return shown === undefined ? [] : [[name, shown] as const];
  });
  return Object.fromEntries(kept);
}

function dropPath(value: JsonValue, [head, ...rest]: readonly string[]): JsonValue {
  if (!isObject(value) || head === undefined) return value;
  const left = Object.entries(value).flatMap(([name, member]) => {
    if (!matchesPattern(name, head)) return [[name, member] as const];
    return rest.length === 0 ? [] : [[name, dropPath(member, rest)] as const];
  });
  return Object.fromEntries(left);
}
