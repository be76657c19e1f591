import { ownTurn } from '../../lib/event-loop.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import type { Row, Take } from '../database.ts';
import { SqliteConnection } from './connection.ts';
import { meaningOf, onceFree } from './errors.ts';

/** The rows read in one turn of the event loop. */
const portionLength = 2_000;
/** The page cache and sort memory of a stream's connection, in bytes. */
const cacheSize = 16 * 1024 * 1024;

/** The most streams at once. Each holds its page cache until it ends, and with more of them none would end sooner. */
const most = 4;
let reading = 0;
const waiting: (() => void)[] = [];

/**
 * Streams rows over a connection of its own, so that the shared one stays free. Waits if `most` streams run. See
 * `Database.stream`.
 */
export async function streamRows(
  file: string,
  statement: Statement,
  values: Values,
  signal: AbortSignal,
  take: Take,
): Promise<void> {
  if (reading < most) reading += 1;
  else await new Promise<void>((begin) => waiting.push(begin));
  try {
    await ownTurn();
    signal.throwIfAborted();
    await readRows(await onceFree(() => openSnapshot(file)), statement, values, signal, take);
  } finally {
    const begin = waiting.shift();
    if (begin === undefined) reading -= 1;
    else begin();
  }
}

async function readRows(
  connection: SqliteConnection,
  statement: Statement,
  values: Values,
  signal: AbortSignal,
  take: Take,
): Promise<void> {
  try {
    let portion: Row[] = [];
    for (const row of connection.prepare(statement).iterate(...valuesFor(statement, values))) {
      portion.push(row);
      if (portion.length === portionLength) {
        if (!take(portion)) return;
        portion = [];
        await ownTurn();
        signal.throwIfAborted();
      }
    }
    if (portion.length > 0) take(portion);
  } catch (error) {
    throw meaningOf(error);
  } finally {
    connection.driver.close();
  }
}

/** Takes the snapshot, after which locks of other connections no longer matter. */
function openSnapshot(file: string): SqliteConnection {
  const connection = new SqliteConnection(file, { readonly: true }, cacheSize);
  try {
    connection.driver.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    return connection;
  } catch (error) {
    connection.driver.close();
    throw error;
  }
}
