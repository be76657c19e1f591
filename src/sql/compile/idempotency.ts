import { isForSomebody } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import { serviceTable, type ServiceSettings } from '../../model/service-table.ts';
import { quoteTable, type Dialect, type StoredForms } from '../dialect.ts';
import { buildStatement, type Statement } from '../statement.ts';
import { deleteExpired } from './expired.ts';
import type { ColumnSchema, TableSchema } from '../schema/table.ts';

/** The table of Idempotency-Keys. */
function keyTable(settings: ServiceSettings | undefined): string {
  return serviceTable('idempotency', settings);
}

/**
 * The table of Idempotency-Keys: `scope` is the digest of caller, version, path and key, `request` the digest of the
 * request, `at` its time. The other columns are null until the request has finished. Omitted if nobody may create records.
 */
export function idempotencyTable(
  { resources, settings }: Pick<Api, 'resources' | 'settings'>,
  { textType }: StoredForms,
): readonly TableSchema[] {
  if (!takesCreates({ resources })) return [];
  const column = (name: string, nullable: boolean): ColumnSchema => ({
    name,
    type: name === 'scope' ? `${textType} NOT NULL PRIMARY KEY` : textType,
    nullable,
    isKey: name === 'scope',
    reference: undefined,
    isReadOnly: false,
    field: name,
    kind: 'string',
    fill: undefined,
    form: undefined,
  });
  return [
    {
      name: keyTable(settings.database),
      resource: undefined,
      takesRows: true,
      columns: [
        column('scope', false),
        column('request', false),
        column('at', false),
        column('status', true),
        column('ids', true),
        column('location', true),
      ],
      indexes: [
        { name: `${serviceTable('idempotency', undefined)}_at`, columns: ['at'], unique: false },
      ],
    },
  ];
}

/** The statements on that table. Times are ISO texts, which sort like the times. */
export interface KeyStatements {
  /** The table as SQL names it. */
  readonly table: string;
  /**
   * Claims scope 0 for request 1 at time 2 and returns a row, if the scope is free or was claimed before time 3. Waits for a
   * transaction that holds the claim, for at most 4 ms (the bound value with that number).
   */
  readonly claim: Statement;
  /** Reads the request, ids, location, status and time of scope 0. */
  readonly kept: Statement;
  /** Stores status 0, ids 1 and location 2 for scope 3. */
  readonly keep: Statement;
  /** Deletes some keys that were claimed before time 0; returns a row for each. */
  readonly deleteExpired: Statement;
}

/** Makes the statements for a dialect. */
export function keyStatements(
  dialect: Dialect,
  settings: ServiceSettings | undefined,
): KeyStatements {
  const table = keyTable(settings);
  const name = quoteTable(table);
  return {
    table: name,
    claim: buildStatement(dialect, (add) => {
      const [scope, request, at] = [add(0), add(1), add(2)];
      const waiting = dialect.lockTimeout?.(add(4));
      // Evaluated before waiting for a lock. Citus allows no SELECT here if another node has the table.
      const value = waiting === undefined ? at : `CASE WHEN ${waiting} IS NOT NULL THEN ${at} END`;
      return (
        `INSERT INTO ${name} (scope, request, at) VALUES (${scope}, ${request}, ${value})` +
        ` ON CONFLICT (scope) DO UPDATE SET request = excluded.request, at = excluded.at,` +
        ` status = NULL, ids = NULL, location = NULL WHERE ${name}.at < ${add(3)} RETURNING 1`
      );
    }),
    kept: buildStatement(
      dialect,
      (add) => `SELECT request, ids, location, status, at FROM ${name} WHERE scope = ${add(0)}`,
    ),
    keep: buildStatement(
      dialect,
      (add) =>
        `UPDATE ${name} SET status = ${add(0)}, ids = ${add(1)}, location = ${add(2)} WHERE scope = ${add(3)}`,
    ),
    deleteExpired: deleteExpired(dialect, table, 'scope'),
  };
}

/** Whether some request can create a record, under an `Idempotency-Key` or not. */
export function takesCreates({ resources }: Pick<Api, 'resources'>): boolean {
  return [...resources.values()].some(({ access }) => isForSomebody(access.create));
}
