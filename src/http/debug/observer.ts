import { performance } from 'node:perf_hooks';
import type { Database } from '../../databases/database.ts';
import { recordStatements } from '../../databases/record-statements.ts';
import { anonymous } from '../../model/access.ts';
import { readDebugOptions } from '../../query/request/debug.ts';
import { isWhole, type Response } from '../response/response.ts';
import {
  type CodeNote,
  RequestTrace,
  type HeaderValues,
  type RequestStart,
  type TraceReader,
} from '../../observability/events.ts';
import { Recording, WallClock } from '../../observability/recording.ts';
import { mayDebug, isDebugOn } from './audience.ts';
import type { Mode } from '../edge/edge.ts';
import type { Exchange, Watching } from '../api/exchange.ts';
import type { ServedApi } from '../server/served-api.ts';
import type { Metrics } from './metrics.ts';

/** The database and trace of a request. */
export interface Observed extends Pick<Exchange, 'servedApi' | 'database' | 'trace' | 'watching'> {
  /** Called when the response was sent. */
  atEnd?: () => void;
}

/** Wraps the database of a sandbox as the request's own: timed, and recorded if the request is. */
export function seenBy(
  database: Database,
  { metrics, trace, watching, servedApi, mode }: Exchange,
): Database {
  const measured = metrics.measured(database);
  if (trace.recording === undefined) return measured;
  return recorded(measured, trace.recording, watching, servedApi, mode);
}

function recorded(
  database: Database,
  recording: Recording,
  watching: Watching | undefined,
  servedApi: ServedApi,
  mode: Mode,
): Database {
  if (watching === undefined || !isDebugOn(servedApi, mode))
    return recordStatements(database, recording, { isExact: () => false });
  // The caller is not known yet. For callers that may not debug, statements run as without debug parameters.
  const isExact = (): boolean => mayDebug({ servedApi, mode }, watching.caller);
  return recordStatements(database, recording, {
    isExact,
    keep: (ran) => void watching.ran.push(ran),
  });
}

/**
 * Begins and ends the trace of every request. Steps and statements are recorded only if a reader wants those of all
 * requests, or if the request has debug parameters and may use them.
 */
export class Observer {
  private readonly readers: readonly TraceReader[];
  private readonly metrics: Metrics;
  private readonly now: () => Date;
  private readonly wall = new WallClock(performance.timeOrigin);

  constructor(readers: readonly TraceReader[], metrics: Metrics, now: () => Date) {
    this.readers = readers;
    this.metrics = metrics;
    this.now = now;
  }

  begin(start: RequestStart, servedApi: ServedApi, mode: Mode): Observed {
    const begin = performance.now();
    this.metrics.began();
    const database = this.metrics.measured(servedApi.database);
    const options = start.search === '' ? undefined : readDebugOptions(start.search);
    const watching: Watching | undefined = options && {
      options,
      ran: [],
      caller: anonymous,
      params: {},
    };
    const mayShow = watching !== undefined && isDebugOn(servedApi, mode);
    if (!mayShow && !this.readers.some(wantsSteps)) {
      const trace = new RequestTrace(start, begin, undefined);
      return { servedApi, database, trace, watching };
    }
    const wallBegin = this.wall.at(begin, this.now().getTime(), performance.now());
    const recording = new Recording(wallBegin, begin);
    return {
      servedApi,
      database: recorded(database, recording, watching, servedApi, mode),
      trace: new RequestTrace(start, begin, recording),
      watching,
    };
  }

  /** Keeps the body if a reader wants it. */
  read(trace: RequestTrace, body: Buffer): void {
    if (this.readers.some(wantsBodies)) trace.body = body;
  }

  /** Passes a line of own code on. */
  readonly note = (note: CodeNote): void => {
    for (const reader of this.readers) reader.noted?.(note);
  };

  end(
    trace: RequestTrace,
    { status, headers, body, whole, code }: Response,
    requestHeaders: HeaderValues,
  ): void {
    const now = performance.now();
    const duration = now - trace.begin;
    this.metrics.ended(trace, status, code, duration);
    if (this.readers.length === 0) return;
    trace.recording?.sent(now);
    const end = {
      status,
      code,
      duration,
      requestHeaders,
      responseHeaders: headers,
      body: isWhole(body) ? body : whole,
    };
    for (const reader of this.readers) reader.ended(trace, end);
  }
}

const wantsSteps = (reader: TraceReader): boolean => reader.wantsSteps;
const wantsBodies = (reader: TraceReader): boolean => reader.wantsBodies;
