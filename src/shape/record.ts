import type { SqlValue } from '../model/values.ts';
import type { Member } from '../plan/plan.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { Column } from '../sql/compile-read.ts';

/** A record on its way to the client: members in the order in which they are shown. */
export type RecordValue = Record<string, unknown>;

/** Makes the record of one row: each column decoded to its value on the wire. */
export function shapeRecord(row: readonly SqlValue[], columns: readonly Column[]): RecordValue {
  const record: RecordValue = {};
  for (const { member, position, decode } of columns) {
    const stored = row[position] ?? null;
    const value =
      stored === null || decode === undefined
        ? (stored as JsonValue)
        : decode(stored, member.field);
    record[member.name] =
      member.only === undefined && member.without === undefined ? value : cut(value, member);
  }
  return record;
}

/** The paths of an object that `fields` names, or all but those that `exclude` names. */
function cut(value: JsonValue, { only, without }: Member): JsonValue {
  if (only !== undefined) return keepPaths(value, only);
  return (without ?? []).reduce(dropPath, value);
}

function isObject(value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path into null gives that null; members that are not there stay away. */
function keepPaths(value: JsonValue, paths: readonly (readonly string[])[]): JsonValue {
  if (!isObject(value) || paths.some((path) => path.length === 0)) return value;
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const below = paths
      .filter(([head]) => head === name || head === '*')
      .map((path) => path.slice(1));
    return below.length === 0 ? [] : [[name, keepPaths(member, below)] as const];
  });
  return Object.fromEntries(kept);
}

function dropPath(value: JsonValue, [head, ...rest]: readonly string[]): JsonValue {
  if (!isObject(value) || head === undefined) return value;
  const left = Object.entries(value).flatMap(([name, member]) => {
    if (name !== head && head !== '*') return [[name, member] as const];
    return rest.length === 0 ? [] : [[name, dropPath(member, rest)] as const];
  });
  return Object.fromEntries(left);
}
