import { boundFor } from '../../query/bind.ts';
import type { Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { Database, Transaction } from '../../databases/database.ts';
import { asService, transactionAsDatabase } from '../../databases/transaction-as-database.ts';
import type { Limits } from '../../model/api.ts';
import { RowBudget } from '../row-budget.ts';
import { readAmong } from '../read/read.ts';
import type { RecordValue } from '../serialize/record.ts';

/** Records as own code has seen them. */
export interface SeenRecords {
  readonly resource: Resource;
  /** The read of all stored fields. */
  readonly compiled: CompiledRead;
  /** By id, as JSON; undefined: there was none. */
  readonly texts: ReadonlyMap<JsonValue, string | undefined>;
}

/** A record is not as own code has seen it: the request begins again. */
export class ChangedSince extends Error {}

/** Records by id, in the order of the ids. */
export async function readStored(
  compiled: CompiledRead,
  ids: readonly JsonValue[],
  database: Database,
  limits: Limits,
): Promise<readonly (RecordValue | undefined)[]> {
  if (ids.length === 0) return [];
  const bound = boundFor({}, () => new Date(0));
  return readAmong(compiled, ids, bound, database, limits, new RowBudget());
}

/** Records by id in an open transaction, in the order of the ids, locked as far as the database can. */
export async function readLocked(
  compiled: CompiledRead,
  ids: readonly JsonValue[],
  transaction: Transaction,
  database: Database,
  statements: WriteStatements,
  limits: Limits,
): Promise<readonly (RecordValue | undefined)[]> {
  const { dialect } = database;
  const { resource } = compiled.plan;
  const service = asService(transaction);
  if (dialect.forUpdateMany !== '' && ids.length > 0) {
    const keys = dialect.keys(ids.map((id) => encodeValue(dialect, id, resource.id)));
    await service.all(statements.currentOf(resource, [], true), { bound: [], keys });
  }
  return readStored(compiled, ids, transactionAsDatabase(service, database), limits);
}

/** Locks records and checks that they are as own code has seen them; throws a `ChangedSince` if one is not. */
export async function checkUnchanged(
  seen: readonly SeenRecords[],
  transaction: Transaction,
  database: Database,
  statements: WriteStatements,
  limits: Limits,
): Promise<void> {
  for (const { compiled, texts } of seen) {
    const ids = [...texts.keys()];
    const records = await readLocked(compiled, ids, transaction, database, statements, limits);
    for (const [index, id] of ids.entries())
      if (textOf(records[index]) !== texts.get(id)) throw new ChangedSince();
  }
}

/** A record as JSON. */
export function textOf(record: RecordValue | undefined): string | undefined {
  return record === undefined ? undefined : JSON.stringify(record);
}
