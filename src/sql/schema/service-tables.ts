import type { Resource } from '../../model/api.ts';
import type { Dialect } from '../dialect.ts';
import { idempotencyTable } from '../compile/idempotency.ts';
import type { TableSchema } from './table.ts';

/** What the name of each table of the service starts with; no resource may have such a name. */
export const servicePrefix = '_plinth_';

/**
 * The tables that the service keeps for itself beside those of the resources. They are made and compared by the same
 * mechanism. What a migration remembers (`databases/existing/schema-record.ts`) is none of them: a database can be served without.
 */
export function serviceTables(
  resources: readonly Resource[],
  dialect: Dialect,
): readonly TableSchema[] {
  return idempotencyTable(resources, dialect);
}
