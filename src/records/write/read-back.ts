import { boundFor } from '../../query/bind.ts';
import { DatabaseFailure, type Database } from '../../databases/database.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import { ApiFailure } from '../api-failure.ts';
import { readAmong } from '../read/read.ts';
import { serializerOf, type RecordValue } from '../serialize/record.ts';
import type { WriteContext, Written, WrittenRow } from './result.ts';

/**
 * The records of a response to a write, from the rows that its statements returned, otherwise read. All are read together
 * and after the commit, so that a long read holds neither locks nor the write queue; if that fails, the write has
 * happened all the same. See docs/contract/3-writing.md#answers-of-writes, rule 6.
 */
export async function readWritten(
  written: readonly WrittenRow[],
  { compiled, plain, limits, rights, runRead }: WriteContext,
  database: Database,
): Promise<Written> {
  const serialize = serializerOf(compiled.selection.columns);
  const rows = written.map(({ row }) => row);
  if (plain === undefined && rows.every((row) => row !== undefined)) {
    const records = rows.map((row, index) => ({
      id: written[index]?.id ?? null,
      record: serialize(row),
      plain: undefined,
    }));
    return { records, isUnread: false };
  }
  const ids = written.map(({ id }) => id);
  const read = (one: CompiledRead): Promise<readonly (RecordValue | undefined)[]> =>
    Promise.resolve(
      runRead(one, ids.length, (budget) =>
        readAmong(one, ids, boundFor(rights.claims, rights.now), database, limits, budget),
      ),
    );
  database.enter?.(`fetch_${compiled.plan.resource.name}`);
  try {
    const records = await read(compiled);
    const plainly = plain && (await read(plain));
    return {
      records: ids.map((id, index) => ({ id, record: records[index], plain: plainly?.[index] })),
      isUnread: false,
    };
  } catch (error) {
    // In a transaction that goes on, nothing has happened yet, and PostgreSQL rolls it back.
    const isLost = error instanceof DatabaseFailure || error instanceof ApiFailure;
    if (!isLost || database.isInTransaction === true) throw error;
    return {
      records: ids.map((id) => ({ id, record: undefined, plain: undefined })),
      isUnread: true,
    };
  }
}
