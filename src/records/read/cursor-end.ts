import { fail, ok, type Result } from '../../errors.ts';
import type { Bound } from '../../query/bind.ts';
import {
  digestOf,
  fieldOf,
  idOf,
  isText,
  textAfterPrefix,
} from '../../query/read/cursor-values.ts';
import type { LongValues } from '../../query/read/cursor.ts';
import type { SortKey } from '../../query/plan.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Database } from '../../databases/database.ts';
import { encode, keyValues } from './read.ts';

/**
 * The position of a cursor that does not carry its values: after the first of its records that still has the same values,
 * which is the last record of the page or one before it. If none has, the position is the start of the text prefixes: no
 * record is missed, but records with the same prefix may be returned again. Fails if there is no such position.
 */
export async function resolveLongCursor(
  { cut, ends }: LongValues,
  compiled: CompiledRead,
  bound: Bound,
  database: Database,
): Promise<Result<Bound, string>> {
  const { plan } = compiled;
  if (plan.kind !== 'list') return ok(bound);
  const { order, resource } = plan;
  const { dialect } = database;
  // A forged cursor must not depend on records that the caller may not see.
  const rows = await database.all(compiled.among().rows, {
    bound: encode(compiled, { ...bound, after: [] }, dialect),
    keys: dialect.keys(ends.map(({ id }) => encodeValue(dialect, id, resource.id))),
  });
  const idOfRow = idOf(order, resource);
  const found = new Map(
    rows.map((row) => {
      const values = keyValues(row, compiled);
      return [idOfRow.of(values), values] as const;
    }),
  );
  for (const { id, digest } of ends) {
    const after = found.get(id);
    if (after === undefined || digestOf(after) !== digest || !hasSameNulls(after, bound.after))
      continue;
    const isExact = after.every((value, index) => isExactAt(value, order[index]));
    if (isExact) return ok({ ...bound, after });
    return fail('ends at a whole number beyond 2^53; use page or offset there');
  }
  const after: JsonValue[] = [];
  for (const [index, value] of bound.after.entries()) {
    const key = order[index];
    const isCut = key !== undefined && cut.includes(index);
    const from = isCut ? startOfPrefix(value, key) : value;
    if (from === undefined) return fail('names records that are gone or have changed since');
    after.push(from);
  }
  return ok({ ...bound, after });
}

/** A value before all values with this prefix, in the order of a key; undefined if there is none. */
function startOfPrefix(beginning: JsonValue, key: SortKey): JsonValue | undefined {
  if (!isText(fieldOf(key))) return undefined;
  return key.descending ? textAfterPrefix(String(beginning)) : beginning;
}

/** Whether a value is exactly the stored one. A whole number beyond 2^53 was rounded, so no position follows from it. */
function isExactAt(value: JsonValue, key: SortKey | undefined): boolean {
  const isWhole = key !== undefined && fieldOf(key).type.number === 'whole';
  return !isWhole || !Number.isInteger(value) || Number.isSafeInteger(value);
}

/** Whether the same keys are null. The statements of the page are compiled for these nulls. */
function hasSameNulls(after: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return after.every((value, index) => (value === null) === (other[index] === null));
}
