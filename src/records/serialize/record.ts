import { hash } from 'node:crypto';
import { isJsonObject, type SqlValue } from '../../model/values.ts';
import type { Member } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { matchesPattern } from '../../query/read/selection.ts';
import type { Column } from '../../sql/compile/read.ts';

/** A record as it is sent to the client, with its members in order. */
export type RecordValue = Record<string, unknown>;

/** Makes the record of a row. */
type Serializer = (row: readonly SqlValue[]) => RecordValue;

const serializers = new WeakMap<readonly Column[], Serializer>();

/**
 * A function that makes the record of a row, with each column decoded to its value on the wire. It is generated as one
 * object literal, which is seven times as fast as setting members one by one, on the hot path of every read. The only
 * names in the generated code are those of the model, as JSON.
 */
export function serializerOf(columns: readonly Column[]): Serializer {
  let serializer = serializers.get(columns);
  if (serializer === undefined) {
    serializer = makeSerializer(columns);
    serializers.set(columns, serializer);
  }
  return serializer;
}

function makeSerializer(columns: readonly Column[]): Serializer {
  const cuts = columns.filter(({ isCut }) => isCut);
  const members = columns.map((column, index) => {
    const stored = column.position === undefined ? 'null' : `row[${column.position}]`;
    const value =
      column.position === undefined || column.decode === undefined
        ? stored
        : `${stored} === null ? null : columns[${index}].decode(${stored}, columns[${index}].field)`;
    return `${JSON.stringify(column.name)}: ${value}`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- see serializerOf
  const write = new Function('columns', `return (row) => ({ ${members.join(', ')} });`) as (
    columns: readonly Column[],
  ) => Serializer;
  const serialize = write(columns);
  if (cuts.length === 0) return serialize;
  return (row) => {
    const record = serialize(row);
    for (const { name, member } of cuts) {
      const shown = cut(record[name] as JsonValue, member);
      if (shown === undefined) delete record[name];
      else record[name] = shown;
    }
    return record;
  };
}

/** The value with only the paths that `fields` names, or without those that `exclude` names. */
function cut(value: JsonValue, { only, without }: Member): JsonValue | undefined {
  if (only !== undefined) return keepPaths(value, only);
  return (without ?? []).reduce(dropPath, value);
}

/** A path into null keeps the null. A path into a value that is missing or not an object is omitted. */
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

/**
 * The strong entity tag of a response: a hash of the body, and separately the relevant headers as `beside`, so that a long
 * body need not be copied to append them.
 */
export function entityTag(shown: string, beside = ''): string {
  return `"${hash('sha1', shown, 'base64url')}${beside === '' ? '' : `-${beside}`}"`;
}
