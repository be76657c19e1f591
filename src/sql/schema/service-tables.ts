import type { Api } from '../../model/api.ts';
import type { Dialect } from '../dialect.ts';
import { idempotencyTable } from '../compile/idempotency.ts';
import type { TableSchema } from './table.ts';

/**
 * The service's own tables beside the audit log, which migrations create and compare like those of resources. The record of migrations
 * (`databases/existing/schema-record.ts`) is not among them, since a database can be served without it.
 */
export function serviceTables(
  api: Pick<Api, 'resources' | 'settings'>,
  dialect: Dialect,
): readonly TableSchema[] {
  return idempotencyTable(api, dialect);
}
