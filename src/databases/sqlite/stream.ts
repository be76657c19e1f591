import { ownTurn } from '../../lib/event-loop.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import type { Row, Take } from '../database.ts';
import { SqliteConnection } from './connection.ts';
import { meaningOf, onceFree } from './errors.ts';

/** How many rows are read in one turn of the event loop. */
const portionLength = 2_000;
/** Pages that such a connection may keep, and what it may sort in memory, in bytes. */
const cacheSize = 16 * 1024 * 1024;

/** How many are read at once: each holds its pages until it has come to its end, which for all together is no later so. */
const most = 4;
let reading = 0;
const waiting: (() => void)[] = [];

/**
 * Reads rows over a connection of its own, so that the one that reads for all others stays free; where some are read
 * already it waits. See `Database.stream`.
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

/** Once the snapshot is taken, nobody else's lock is met any more. */
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
