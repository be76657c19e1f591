import { apiError, type ApiError } from '../../errors.ts';
import type { Field, Limits, Resource } from '../../model/api.ts';
import type { RecordValue } from '../serialize/record.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decoderOf, encodeValue, type StoredForms } from '../../sql/dialect.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { Access, Names } from './conflicts.ts';
import { skippedByTrigger, type Row } from '../../databases/database.ts';
import { Refusal } from '../refusal.ts';
import type { RowRights } from './row-rights.ts';

/** How the answer of a write is made, from what it leaves in the write's own transaction. */
export interface Answering {
  /** The read of the written record, with what the request selects and expands. */
  readonly compiled: CompiledRead;
  /** The plain read, where the request asked for another: its digest is the entity tag. */
  readonly plain: CompiledRead | undefined;
  readonly limits: Limits;
  readonly names: Names;
  /** Which rows are left to the caller. */
  readonly rights: RowRights;
}

/** One record as it is after a write. */
export interface Written {
  readonly id: JsonValue;
  readonly record: RecordValue | undefined;
  /** What a plain read shows, where `record` is not that. */
  readonly plain: RecordValue | undefined;
}

/** The answer when a record is not there. */
export function notFound({ name }: Resource, id: JsonValue | string): ApiError {
  return apiError(
    'RESOURCE_NOT_FOUND',
    `There is no record in ${name} with id ${JSON.stringify(id)}`,
  );
}

/** What to throw where a change has reached no record: it is not there, or a trigger of others has left it out. */
export async function notReached(
  { transaction, statements, dialect }: Access,
  resource: Resource,
  id: JsonValue,
): Promise<Error> {
  const values = { bound: [], id: encodeValue(dialect, id, resource.id) };
  const [row] = await transaction.all(statements.current(resource, []), values);
  return row === undefined ? new Refusal(notFound(resource, id)) : skippedByTrigger();
}

/** The answer when a record is not the one that `If-Match` names. */
export function hasChanged(): ApiError {
  return apiError(
    'PRECONDITION_FAILED',
    'The record has changed since it was read; read it again and repeat the change',
  );
}

/** The answer when a record has an entity tag that `If-None-Match` names. */
export function isAsNamed(): ApiError {
  return apiError(
    'PRECONDITION_FAILED',
    'If-None-Match asks that no such record is there, or that it has changed; neither is so',
  );
}

/** Reads the id that stands behind a row. */
export function idReader(id: Field, dialect: StoredForms): (row: Row) => JsonValue {
  const decode = decoderOf(dialect, id);
  return (row) => decode(row.at(-1) ?? null);
}
