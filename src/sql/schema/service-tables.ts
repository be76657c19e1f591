import type { Resource } from '../../model/api.ts';
import type { Dialect } from '../dialect.ts';
import { idempotencyTable } from '../compile/idempotency.ts';
import type { TableSchema } from './table.ts';

/** The prefix of the service's own tables, which resource tables must not have. */
export const servicePrefix = '_plinth_';

/**
 * The service's own tables beside the audit log, which migrations create and compare like those of resources. The record of migrations
 * (`databases/existing/schema-record.ts`) is not among them, since a database can be served without it.
 */
export function serviceTables(
  resources: readonly Resource[],
  dialect: Dialect,
): readonly TableSchema[] {
  return idempotencyTable(resources, dialect);
}
