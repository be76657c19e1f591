import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import type { SqlValue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { noPreconditions, type ChangeOfMany } from '../../query/plan.ts';
import { counted } from '../../model/values.ts';
import { decoderOf } from '../../sql/dialect.ts';
import type { CompiledExport } from '../../sql/compile/export.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import type { Database, Transaction } from '../../databases/database.ts';
import type { Pace } from '../../databases/pace.ts';
import { transactionAsDatabase } from '../../databases/transaction-as-database.ts';
import { ApiFailure } from '../api-failure.ts';
import { RowBudget } from '../row-budget.ts';
import { readAmong } from '../read/read.ts';
import { boundFor } from '../../query/bind.ts';
import { FormerRows } from './checks/former-rows.ts';
import { readWritten } from './read-back.ts';
import type { WriteContext, Written } from './result.ts';
import { Writer } from './writer.ts';

/** The records that a request changes: a list with its filters, as the caller sees it. */
export interface Targets {
  readonly list: CompiledExport;
  /** The values of the list. */
  readonly bound: readonly SqlValue[];
  /** The most records that may match. */
  readonly most: number;
}

/** What a change of many has done. */
export interface WrittenMany {
  readonly count: number;
  /** The records, of a delete as they were; undefined if the response does not show them. */
  readonly written: Written | undefined;
}

/**
 * Changes or deletes all records of a list in one transaction, each as if it had come alone. See
 * docs/contract/3-writing.md#many-at-once. `paceOf`: the pace of the transaction; `changeOf`: the change of one record, if
 * each has its own.
 */
export async function writeMany(
  change: ChangeOfMany,
  targets: Targets,
  database: Database,
  statements: WriteStatements,
  context: WriteContext,
  isShown: boolean,
  paceOf: () => Pace,
  changeOf: (id: JsonValue) => ChangeOfMany = () => change,
): Promise<Result<WrittenMany>> {
  const { audited, rights, requester } = context;
  if (audited !== undefined) await audited.log.deleteOld(audited.at);
  const { resource } = change;
  const { dialect } = database;
  try {
    const { ids, before } = await database.write(async (transaction) => {
      const writer = new Writer(transaction, dialect, statements, context, new FormerRows());
      const keys = await lockedKeys(targets, statements, database, transaction);
      const allowed = await rights.allowedKeys(resource.id, change.kind, keys, transaction);
      if (allowed !== undefined && allowed.size < keys.length) rights.reject();
      const idOf = decoderOf(dialect, resource.id);
      const found = keys.map(idOf);
      const { limits, compiled } = context;
      const gone =
        isShown && change.kind === 'delete'
          ? await readAmong(
              compiled,
              found,
              boundFor(rights.claims, rights.now),
              transactionAsDatabase(transaction, database),
              limits,
              new RowBudget(),
            )
          : [];
      const { around } = context;
      await around?.begin(transaction);
      await around?.found(found, transaction);
      const pace = paceOf();
      for (const id of found) {
        await pace.next();
        const own = changeOf(id);
        if (own.kind === 'delete') await writer.deleteIfThere(resource, id);
        else await writer.updateOne({ ...own, id, preconditions: noPreconditions }, undefined);
      }
      await around?.end(transaction);
      return { ids: found, before: gone };
    }, requester);
    const count = ids.length;
    if (!isShown) return ok({ count, written: undefined });
    if (change.kind === 'update') {
      const rows = ids.map((id) => ({ id, row: undefined }));
      return ok({ count, written: await readWritten(rows, context, database) });
    }
    const records = ids.map((id, index) => ({ id, record: before[index], plain: undefined }));
    return ok({ count, written: { records, isUnread: false } });
  } catch (error) {
    if (error instanceof ApiFailure) return fail(error.error);
    throw error;
  }
}

/** The ids of the records as they are now; at most one more than may match. */
export async function targetIds(
  { list, bound, most }: Targets,
  { all, dialect }: Database,
): Promise<readonly JsonValue[]> {
  const rows = await all(list.ids, { bound, limit: most + 1, offset: 0 });
  const idOf = decoderOf(dialect, list.plan.resource.id);
  // More are refused by the write, before any hook.
  return rows.length > most ? [] : rows.map(([key = null]) => idOf(key));
}

/** The ids of the records, locked as far as the database can. Throws an ApiFailure if there are too many. */
async function lockedKeys(
  { list, bound, most }: Targets,
  statements: WriteStatements,
  { dialect }: Database,
  transaction: Transaction,
): Promise<readonly SqlValue[]> {
  const { resource } = list.plan;
  const find = async (): Promise<readonly SqlValue[]> => {
    const rows = await transaction.all(list.ids, { bound, limit: most + 1, offset: 0 });
    return rows.map(([key = null]) => key);
  };
  const found = await find();
  if (found.length > most) {
    const { count } = list.list;
    const [row] = count === undefined ? [] : await transaction.all(count, { bound });
    throw new ApiFailure(tooMany(Number(row?.[0] ?? found.length), most));
  }
  if (dialect.forUpdateMany === '' || found.length === 0) return found;
  const lock = statements.currentOf(resource, [], true);
  await transaction.all(lock, { bound: [], keys: dialect.keys(found) });
  // A record may have changed before it was locked, so that the filters do not match it any more.
  const still = new Set(await find());
  return found.filter((key) => still.has(key));
}

function tooMany(count: number, most: number): ApiError {
  return apiError(
    'TOO_MANY_AFFECTED',
    `The filters match ${counted(count, 'record')}, and the request may affect at most ${most} (Prefer: max-affected, limits.bulkItems); nothing has changed`,
    { members: { count, maxAffected: most } },
  );
}
