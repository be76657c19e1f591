import { fail, ok, type Result } from '../errors.ts';
import type { Bound } from '../plan/bind.ts';
import { digestOf, idIn, textBehind } from '../plan/carried.ts';
import type { LongValues } from '../plan/cursor.ts';
import { encodeValue } from '../sql/dialect.ts';
import type { CompiledRead } from '../sql/compile-read.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { Database } from './database.ts';
import { encode, keyValues } from './read.ts';

/**
 * Where a long cursor goes on: behind the first of the records that it names which still has its values, be it the last
 * of the page or one before it. Where none has, from the beginnings of the texts, so that nothing is missed, although
 * records that begin alike may come again; the failure says that there is no such place either.
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
    if (after !== undefined && digestOf(after) === digest && isAlike(after, bound.after))
      return ok({ ...bound, after });
  }
  const after: JsonValue[] = [];
  for (const [index, value] of bound.after.entries()) {
    const isBehind = cut.includes(index) && order[index]?.descending === true;
    const from = isBehind ? textBehind(String(value)) : value;
    if (from === undefined) return fail('names records that are gone or have changed since');
    after.push(from);
  }
  return ok({ ...bound, after });
}

/** Whether the same keys are null: the statements of the page are made for those. */
function isAlike(after: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return after.every((value, index) => (value === null) === (other[index] === null));
}
