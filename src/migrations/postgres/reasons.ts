import { DatabaseFailure } from '../../databases/database.ts';
import type { PostgresDatabase } from '../../databases/postgres/database.ts';
import { isDependedOn } from '../../databases/postgres/errors.ts';
import { postgres } from '../../databases/postgres/dialect.ts';
import { quoteTable } from '../../sql/dialect.ts';

/** Why the server refused a statement, without a full stop. */
export function reasonOf(error: unknown): string {
  // The error of a constraint that rows violate has the server's own words in its cause.
  const { message, detail } = ((error as Error).cause ?? error) as Error & { detail?: string };
  const reason =
    detail === undefined
      ? message
      : `${message} (${detail.replace(/\.$/u, '').replaceAll('\n', ', ')})`;
  return isDependedOn(error)
    ? `${reason}. Drop what depends on it before, and make it again afterwards`
    : reason;
}

/** The failure of a step that has waited too long for a table, with the sessions that hold it. */
export async function lockFailure(
  database: PostgresDatabase,
  table: string,
): Promise<DatabaseFailure> {
  const holders = await database
    .inspect((ask) =>
      ask(
        `SELECT DISTINCT pid::text, application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE relation = to_regclass(${postgres.text(quoteTable(table))}) AND granted AND pid <> pg_backend_pid()
         ORDER BY pid::text LIMIT 3`,
      ),
    )
    .catch(() => []);
  const named = holders.map(
    ([pid, name]) => `${String(pid)}${name === '' || name === null ? '' : ` (${String(name)})`}`,
  );
  const by = named.length === 0 ? '' : ` by the server process ${named.join(', ')}`;
  // Without the error as its cause, whose code says less to users.
  return new DatabaseFailure(
    `Nothing was changed: the table ${table} stays locked${by}. End that transaction, or run it again later.`,
    { kind: 'busy' },
  );
}
