import { apiError, type ApiError } from '../../errors.ts';
import type { Field, Limits, Resource } from '../../model/api.ts';
import type { RecordValue } from '../serialize/record.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decoderOf, encodeValue, type StoredForms } from '../../sql/dialect.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { Requester } from '../../sql/statement.ts';
import type { DataAccess, Names } from './checks/conflicts.ts';
import {
  refusedByPolicy,
  skippedByTrigger,
  type Row,
  type Transaction,
} from '../../databases/database.ts';
import { ApiFailure } from '../api-failure.ts';
import type { RunRead } from '../row-budget.ts';
import type { AuditedRequest } from './audit/trail.ts';
import type { FormerRows } from './checks/former-rows.ts';
import type { RowRights } from './checks/row-rights.ts';

/** What a write needs besides its plan: the reads for its response, and the caller's names and rights. */
export interface WriteContext {
  /** The read of the written record, with the request's selection and expansions. */
  readonly compiled: CompiledRead;
  /** The default read, if the request asked for a different one; the entity tag is that of the default read. */
  readonly plain: CompiledRead | undefined;
  readonly limits: Limits;
  /** Runs the reads after the commit. */
  readonly runRead: RunRead;
  readonly requester: Requester;
  /** The longest value that a merge patch may make of a field, in bytes of JSON. */
  readonly bodyLimit: number;
  readonly names: Names;
  readonly rights: RowRights;
  /** Undefined if no changes are recorded. */
  readonly audited: AuditedRequest | undefined;
  /** What the transaction has written for the same request before; undefined if each write is a request of its own. */
  readonly former?: FormerRows | undefined;
  /** What own code does in the transaction; undefined if it does nothing. */
  readonly around?: AroundWrite | undefined;
}

/** What is done in the transaction of a write besides it. The transaction may be run again from the start. */
export interface AroundWrite {
  readonly begin: (transaction: Transaction) => Promise<void>;
  /** Told the id of each record that was created, by its path in the body. */
  readonly created: (path: string, id: JsonValue) => void;
  /** Told the ids of the records of an upsert that exist, or of a change of many, before the first is written. */
  readonly found: (
    ids: readonly (JsonValue | undefined)[],
    transaction: Transaction,
  ) => Promise<void>;
  readonly end: (transaction: Transaction) => Promise<void>;
}

/** What a transaction has written: the id of a record, and the row for the response if the statement returned it. */
export interface WrittenRow {
  readonly id: JsonValue;
  readonly row: Row | undefined;
  /** The record was there before: a create has changed it, or left it as it is. */
  readonly isOld?: boolean;
}

/** What a write has done, as its response shows it. */
export interface Written {
  readonly records: readonly WrittenRecord[];
  /** Every record is new. */
  readonly isNew?: boolean;
  /** The records could not be read after the commit, or not in time: only their ids are known. */
  readonly isUnread: boolean;
}

/** One record after a write. */
export interface WrittenRecord {
  readonly id: JsonValue;
  readonly record: RecordValue | undefined;
  /** The default read of the record, if `record` is different. */
  readonly plain: RecordValue | undefined;
}

export function notFound({ name }: Resource, id: JsonValue | string): ApiError {
  return apiError(
    'RESOURCE_NOT_FOUND',
    `There is no record in ${name} with id ${JSON.stringify(id)}`,
  );
}

/**
 * The exception for a write that changed no row: the record does not exist, a policy of row level security keeps the caller
 * from changing it, or a trigger prevented the change.
 */
export async function unchangedError(
  { transaction, statements, dialect }: DataAccess,
  resource: Resource,
  id: JsonValue,
): Promise<Error> {
  const values = { bound: [], id: encodeValue(dialect, id, resource.id) };
  const [row] = await transaction.all(statements.current(resource, []), values);
  if (row === undefined) return new ApiFailure(notFound(resource, id));
  return transaction.isOfCaller === true ? refusedByPolicy() : skippedByTrigger();
}

export function ifMatchFailed(): ApiError {
  return apiError(
    'PRECONDITION_FAILED',
    'The record has changed since it was read; read it again and repeat the change',
  );
}

export function ifNoneMatchFailed(): ApiError {
  return apiError(
    'PRECONDITION_FAILED',
    'If-None-Match: the record exists, or has one of the named entity tags',
  );
}

/** Decodes the id in the last column of a row. */
export function idReader(id: Field, dialect: StoredForms): (row: Row) => JsonValue {
  const decode = decoderOf(dialect, id);
  return (row) => decode(row.at(-1) ?? null);
}

/** Whether a write can return the row of its response: it has stored fields alone, and no trigger changes the row later. */
export function isReturned({ selection }: CompiledRead, { fields }: Resource): boolean {
  return (
    selection.isStored && ![...fields.values()].some(({ native }) => native?.isSetLater === true)
  );
}
