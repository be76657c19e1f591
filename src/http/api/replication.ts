import type { Result } from '../../errors.ts';
import { DatabaseFailure, type Database, type Replication } from '../../databases/database.ts';
import {
  positionText,
  readPosition,
  unreachable,
  type Position,
} from '../../databases/position.ts';
import { networkOf } from '../callers/rate-limit.ts';
import type { Response } from '../response/response.ts';
import type { Exchange } from './exchange.ts';

/** The header of a position in the log of the database. See docs/contract/6-operation.md#replicas. */
export const positionHeader = 'plinth-position';

/** The database for the reads of a GET: perhaps a replica, which has what the caller has written. */
export function readerOf(exchange: Exchange): Database {
  const { database, trace } = exchange;
  const { replication } = database;
  if (replication === undefined) return database;
  const seen = Math.max(replication.remembered(callerOf(exchange)), mustSee(exchange));
  const reader = replication.reader(seen);
  trace.server = reader.server ?? 'primary';
  return reader;
}

/** The position that the reads of a request and its parts must see: its own writes, and what its client has named. */
export function mustSee({ headers, trace }: Exchange): Position {
  if (trace.after === undefined) {
    const named = headers[positionHeader];
    trace.after = named === undefined ? 0 : readPosition(String(named));
  }
  return Math.max(trace.after, trace.position ?? 0);
}

/** Remembers the position of a write of a request, once it is committed. */
export function afterWrite(
  exchange: Exchange,
  written: Promise<Result<Response>>,
): Promise<Result<Response>> {
  const { replication } = exchange.database;
  return replication === undefined ? written : thenRemember(exchange, replication, written);
}

async function thenRemember(
  exchange: Exchange,
  replication: Replication,
  written: Promise<Result<Response>>,
): Promise<Result<Response>> {
  const remember = async (): Promise<void> => {
    const position = await replication.position();
    exchange.trace.position = Math.max(exchange.trace.position ?? 0, position);
    replication.remember(callerOf(exchange), position);
  };
  try {
    const result = await written;
    if (result.ok) await remember();
    return result;
  } catch (error) {
    // It may be committed.
    if (error instanceof DatabaseFailure && error.kind === 'outcomeUnknown')
      replication.remember(callerOf(exchange), unreachable);
    throw error;
  }
}

/** Who has sent the request that this one may be a part of. */
function callerOf({ trace, client }: Exchange): string {
  return trace.callerId ?? `address:${networkOf(client.address)}`;
}

/** The response of a request with the position of its last write, if it has written and there are replicas. */
export function withPosition(response: Response, { trace }: Exchange): Response {
  if (trace.position === undefined) return response;
  const headers = { ...response.headers, [positionHeader]: positionText(trace.position) };
  return { ...response, headers };
}
