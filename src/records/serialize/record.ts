import { isJsonObject, type SqlValue } from '../../model/values.ts';
import type { Member } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { matchesPattern } from '../../query/read/wildcard.ts';
import type { Column } from '../../sql/compile/read.ts';

/** A record on its way to the client: members in the order in which they are shown. */
export type RecordValue = Record<string, unknown>;

/** Makes the record of one row. */
type Shaper = (row: readonly SqlValue[]) => RecordValue;

const shapers = new WeakMap<readonly Column[], Shaper>();

/**
 * What makes the record of a row: each column decoded to its value on the wire. On the hot path of every read, so
 * the whole members are written out as one object literal, which is seven times as fast as setting them one by one.
 * The only names in that code are those of the model, as JSON.
 */
export function serializerOf(columns: readonly Column[]): Shaper {
  let shaper = shapers.get(columns);
  if (shaper === undefined) {
    shaper = makeShaper(columns);
    shapers.set(columns, shaper);
  }
  return shaper;
}

function makeShaper(columns: readonly Column[]): Shaper {
  const cuts = columns.filter(({ isCut }) => isCut);
  const members = columns.map((column, index) => {
    const stored = `row[${column.position}]`;
    const value =
      column.decode === undefined
        ? stored
        : `${stored} === null ? null : columns[${index}].decode(${stored}, columns[${index}].field)`;
    return `${JSON.stringify(column.name)}: ${value}`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- see shaperOf
  const write = new Function('columns', `return (row) => ({ ${members.join(', ')} });`) as (
    columns: readonly Column[],
  ) => Shaper;
  const shape = write(columns);
  if (cuts.length === 0) return shape;
  return (row) => {
    const record = shape(row);
    for (const { name, member } of cuts) {
      const shown = cut(record[name] as JsonValue, member);
      if (shown === undefined) delete record[name];
      else record[name] = shown;
    }
    return record;
  };
}

/** The paths of an object that `fields` names, or all but those that `exclude` names. */
function cut(value: JsonValue, { only, without }: Member): JsonValue | undefined {
  if (only !== undefined) return keepPaths(value, only);
  return (without ?? []).reduce(dropPath, value);
}

/** A path into null gives that null; what is not there stays away, as does what is no object. */
function keepPaths(value: JsonValue, paths: readonly (readonly string[])[]): JsonValue | undefined {
  if (value === null || paths.some((path) => path.length === 0)) return value;
  if (!isJsonObject(value)) return undefined;
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
  if (!isJsonObject(value) || head === undefined) return value;
  const left = Object.entries(value).flatMap(([name, member]) => {
    if (!matchesPattern(name, head)) return [[name, member] as const];
    return rest.length === 0 ? [] : [[name, dropPath(member, rest)] as const];
  });
  return Object.fromEntries(left);
}
