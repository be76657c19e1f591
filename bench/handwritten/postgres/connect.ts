import driver from 'postgres';

/** `2026-03-01 14:05:00.12+00`, as PostgreSQL writes it → `2026-03-01T14:05:00.120Z`. */
function toInstant(text: string): string {
  const fraction = text.charAt(19) === '.' ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

const types = {
  bigint: { to: 20, from: [20], serialize: String, parse: Number },
  instant: { to: 1184, from: [1184], serialize: (text: string) => text, parse: toInstant },
};

/** Runs a statement, which stays prepared under its text, and gives its rows. */
export type Query = <Row extends object>(
  text: string,
  values: readonly unknown[],
) => driver.PendingQuery<Row[]>;

/** Runs statements in one transaction. */
export type Transaction = <Value>(work: (query: Query) => Promise<Value>) => Promise<Value>;

/** Opens a pool of connections to a database of the blog. */
export function connect(
  url: string,
  connections: number,
): {
  readonly query: Query;
  readonly transaction: Transaction;
  readonly close: () => Promise<void>;
} {
  const sql = driver(url, { max: connections, connection: { TimeZone: 'UTC' }, types });
  const queryOf =
    (on: driver.Sql | driver.TransactionSql): Query =>
    (text, values) =>
      on.unsafe(text, values as driver.ParameterOrJSON<never>[], { prepare: true });
  const transaction: Transaction = async (work) => {
    // What the driver gives is an array only where the work gives one of queries.
    const done = await sql.begin(async (on) => [await work(queryOf(on))] as const);
    return done[0];
  };
  return { query: queryOf(sql), transaction, close: () => sql.end() };
}
