import type { Resource } from '../../model/api.ts';
import { quote, type Dialect, type StoredForms } from '../dialect.ts';
import { buildStatement, type Statement } from '../statement.ts';
import type { ColumnSchema, TableSchema } from '../schema/table.ts';

const table = '_plinth_idempotency';
/** Its name in SQL. */
export const keyTable = quote(table);

/**
 * The table in which the answers under an Idempotency-Key are kept: the requests of one key by `scope`, the digest of
 * caller, version, path and key; `request` is the digest of what was asked, `at` when. The rest is null until it is
 * answered. Absent where nobody may create anything.
 */
export function idempotencyTable(
  resources: readonly Resource[],
  { textType }: StoredForms,
): readonly TableSchema[] {
  const isUsed = resources.some(({ access }) => access.create.some(({ role }) => role !== 'none'));
  if (!isUsed) return [];
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
      name: table,
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
      indexes: [{ name: `${table}_at`, columns: ['at'], unique: false }],
    },
  ];
}

/** How many expired keys go at a time. */
export const portion = 1_000;

/** What is done with that table; times are written so that their texts are in the order of the times. */
export interface KeyStatements {
  /**
   * Claims the scope bound as 0 for the request 1 at the time 2, if it is free or was claimed before the time 3: gives
   * a row then. Waits for a transaction that has claimed it at most the milliseconds bound as 4.
   */
  readonly claim: Statement;
  /** What is kept under the scope bound as 0: request, ids and location. */
  readonly kept: Statement;
  /** Keeps under the scope bound as 3 the status 0, the ids 1 and the location 2. */
  readonly keep: Statement;
  /** Forgets some of what was claimed before the time bound as 0; gives a row for each. */
  readonly forget: Statement;
}

/** Makes the statements of one dialect. */
export function keyStatements(dialect: Dialect): KeyStatements {
  const name = keyTable;
  return {
    claim: buildStatement(dialect, (add) => {
      const [scope, request, at] = [add(0), add(1), add(2)];
      const waiting = dialect.lockTimeout?.(add(4));
      // Worked out before anybody is waited for. Citus takes no SELECT here where another node has the table.
      const value = waiting === undefined ? at : `CASE WHEN ${waiting} IS NOT NULL THEN ${at} END`;
      return (
        `INSERT INTO ${name} (scope, request, at) VALUES (${scope}, ${request}, ${value})` +
        ` ON CONFLICT (scope) DO UPDATE SET request = excluded.request, at = excluded.at,` +
        ` status = NULL, ids = NULL, location = NULL WHERE ${name}.at < ${add(3)} RETURNING 1`
      );
    }),
    kept: buildStatement(
      dialect,
      (add) => `SELECT request, ids, location FROM ${name} WHERE scope = ${add(0)}`,
    ),
    keep: buildStatement(
      dialect,
      (add) =>
        `UPDATE ${name} SET status = ${add(0)}, ids = ${add(1)}, location = ${add(2)} WHERE scope = ${add(3)}`,
    ),
    forget: buildStatement(
      dialect,
      (add) =>
        `DELETE FROM ${name} WHERE scope IN (SELECT scope FROM ${name} WHERE at < ${add(0)}` +
        ` ORDER BY at LIMIT ${portion}) RETURNING 1`,
    ),
  };
}
