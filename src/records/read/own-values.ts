import { after, inTurn, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { CompiledOwn } from '../../sql/compile/read.ts';
import type { Requester } from '../../sql/statement.ts';
import type { RecordValue } from '../serialize/record.ts';

/**
 * Sets the members of records that own code computes, a page at a time. `readNeeded` reads what they are made of, in the
 * order of the records. Without a requester they stay null.
 */
export function setOwnValues(
  records: readonly RecordValue[],
  all: readonly CompiledOwn[],
  requester: Requester | undefined,
  readNeeded: (one: CompiledOwn) => MaybePromise<readonly RecordValue[]>,
): MaybePromise<readonly RecordValue[]> {
  const compute = requester?.ownValues;
  if (compute === undefined || records.length === 0) return records;
  const setAll = (own: CompiledOwn): MaybePromise<unknown> =>
    after(readNeeded(own), async (needed) => {
      for (const { name, field } of own.members) {
        const values = await compute(field, needed);
        for (const [index, record] of records.entries()) record[name] = values[index] ?? null;
      }
    });
  return after(inTurn(all, setAll), () => records);
}
