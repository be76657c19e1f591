import { apiError } from '../../errors.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { Limits } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { Bound, PageNumbers } from '../../query/bind.ts';
import type { Database, Row } from '../../databases/database.ts';
import type { CompiledGroupColumn, CompiledGroups } from '../../sql/compile/groups.ts';
import { ApiFailure } from '../api-failure.ts';
import type { RowBudget } from '../row-budget.ts';
import { encode } from './read.ts';

/** A page of groups. */
export interface GroupsResult {
  /** The values of each group: those of the keys, then those of the functions. */
  readonly groups: readonly Group[];
  readonly total: number;
  readonly page: PageNumbers;
}

export interface Group {
  readonly keys: readonly unknown[];
  readonly functions: readonly unknown[];
}

/** Reads a page of groups. */
export function readGroups(
  compiled: CompiledGroups,
  bound: Bound,
  database: Database,
  { groups: most }: Limits,
  budget: RowBudget,
): MaybePromise<GroupsResult> {
  const { page } = bound;
  const { plan, rows, counts, keys, functions } = compiled;
  const { limit, offset } = page;
  const { requester } = budget;
  const encoded = encode({ plan, keys: [] }, bound, database.dialect);
  const values = { bound: encoded, limit, offset, cap: most + 1, budget, requester };
  const pageRows = (): MaybePromise<readonly Row[]> =>
    limit === 0 ? [] : database.all(rows[0], values);
  return after(pageRows(), (found) => {
    budget.records = found.length;
    const [first] = found;
    const told = first?.slice(plan.columns.length) ?? oneRow(database.all(counts, values));
    return after(told, ([total, all, infinite]) => {
      if (Number(infinite) > 0) throw new ApiFailure(outOfRange);
      if (Number(all) > most)
        throw new ApiFailure(
          apiError(
            'LIMIT_EXCEEDED',
            `The records have more than ${most} groups (limits.groups): filter them, or group by fewer keys`,
          ),
        );
      const groups = found.map((row) => ({
        keys: valuesOf(row, keys),
        functions: valuesOf(row, functions),
      }));
      return { groups, total: Number(total), page };
    });
  });
}

const outOfRange = apiError(
  'LIMIT_EXCEEDED',
  'A sum of numbers is larger than a double: filter the records, or store decimals',
);

function oneRow(rows: MaybePromise<readonly Row[]>): MaybePromise<readonly SqlValue[]> {
  return after(rows, ([row = []]) => row);
}

function valuesOf(row: Row, columns: readonly CompiledGroupColumn[]): readonly unknown[] {
  return columns.map(({ column, position, decode }) => {
    const stored = row[position] ?? null;
    if (typeof stored === 'number' && !Number.isFinite(stored)) throw new ApiFailure(outOfRange);
    return stored === null || decode === undefined ? stored : decode(stored, column.field);
  });
}
