import { fail, ok, type Result } from '../../errors.ts';
import type { Bound } from '../../query/bind.ts';
import { digestOf, fieldOf, idIn, isText, textBehind } from '../../query/read/carried.ts';
import type { LongValues } from '../../query/read/cursor.ts';
import type { SortKey } from '../../query/plan.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Database } from '../../databases/database.ts';
import { encode, keyValues } from './read.ts';

/**
 * Where a long cursor goes on: behind the first of the records that it names which still has its values, be it the last
 * of the page or one before it. Where none has, from the beginnings of the texts, so that nothing is missed, although
 * records that begin alike may come again; the failure says that there is no such place either, or why none can be had.
 */
export async function boundBehind(
  { cut, ends }: LongValues,
  compiled: CompiledRead,
  bound: Bound,
  database: Database,
): Promise<Result<Bound, string>> {
  const { plan, ends: statement } = compiled;
  if (plan.kind !== 'list' || statement === undefined) return ok(bound);
  const { order, resource } = plan;
  const { dialect } = database;
  const rows = await database.all(statement, {
    bound: encode(compiled, { ...bound, after: [] }, dialect),
    keys: dialect.keys(ends.map(({ id }) => encodeValue(dialect, id, resource.id))),
  });
  const idAt = idIn(order);
  const found = new Map(
    rows.map((row) => {
      const values = keyValues(row, compiled);
      return [values[idAt] ?? null, values] as const;
    }),
  );
  for (const { id, digest } of ends) {
    const after = found.get(id);
    if (after === undefined || digestOf(after) !== digest || !isAlike(after, bound.after)) continue;
    const isExact = after.every((value, index) => isExactAt(value, order[index]));
    if (isExact) return ok({ ...bound, after });
    return fail('ends at a whole number beyond 2^53, behind which only page and offset lead');
  }
  const after: JsonValue[] = [];
  for (const [index, value] of bound.after.entries()) {
    const key = order[index];
    const isCut = key !== undefined && cut.includes(index);
    const from = isCut ? beforeAll(value, key) : value;
    if (from === undefined) return fail('names records that are gone or have changed since');
    after.push(from);
  }
  return ok({ ...bound, after });
}

/** What lies before all values that begin so, in the order of a key; undefined where that is not known. */
function beforeAll(beginning: JsonValue, key: SortKey): JsonValue | undefined {
  if (!isText(fieldOf(key))) return undefined;
  return key.descending ? textBehind(String(beginning)) : beginning;
}

/** Whether a value is what the database compares: a larger whole number was rounded, and would lead nowhere. */
function isExactAt(value: JsonValue, key: SortKey | undefined): boolean {
  const isWhole = key !== undefined && fieldOf(key).type.number === 'whole';
  return !isWhole || !Number.isInteger(value) || Number.isSafeInteger(value);
}

/** Whether the same keys are null: the statements of the page are made for those. */
function isAlike(after: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return after.every((value, index) => (value === null) === (other[index] === null));
}
