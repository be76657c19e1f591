import type { Recording } from './recording.ts';

/** Events that are reported at once. */
export type TraceEvent =
  | {
      /** An error that no rule foresaw; the client got 500 or 503 and the request id. */
      readonly kind: 'failure';
      readonly requestId: string;
      readonly method: string;
      readonly path: string;
      readonly error: unknown;
    }
  | DependencyEvent;

/** A dependency beside the database begins to fail, or works again. */
export interface DependencyEvent {
  readonly kind: 'dependency';
  readonly name: 'signing keys' | 'rate limit store' | 'trace collector';
  /** Undefined: it works again. */
  readonly error: unknown;
}

/**
 * Filters the results of something that is retried: passes on the error with which it begins to fail, and undefined when it
 * works again.
 */
export function turnsOf(tell: (error: unknown) => void): (error: unknown) => void {
  let isFailing = false;
  return (error) => {
    if (isFailing === (error !== undefined)) return;
    isFailing = !isFailing;
    tell(error);
  };
}

/** Receives events. */
export type Trace = (event: TraceEvent) => void;

export type NoteLevel = 'debug' | 'info' | 'warn' | 'error';

/** A line for the log that is no request: own code writes it, or it is about own code. */
export interface CodeNote {
  readonly level: NoteLevel;
  /** Undefined for a line that is about no request. */
  readonly requestId?: string;
  readonly message: string;
  readonly details?: object | undefined;
  /** An error that nobody else gets. */
  readonly error?: unknown;
}

/** A request before it is processed. */
export interface RequestStart {
  readonly requestId: string;
  readonly method: string;
  /** As sent: path and query string, undecoded. */
  readonly url: string;
  readonly path: string;
  /** Raw, without `?`. */
  readonly search: string;
}

/** A request while it runs: steps add what they find, readers get it when it has ended. */
export class RequestTrace {
  readonly start: RequestStart;
  /** On the clock of `performance.now()`. */
  readonly begin: number;
  /** Steps and statements; undefined if nobody wants them. */
  readonly recording: Recording | undefined;
  /** The name of a resource, or one of the service's own paths. Bounded in number. */
  route = 'unknown';
  /** `list`, `read`, `create`, …; empty for the service's own paths. */
  operation = '';
  /** The address of the client. */
  client: string | undefined;
  /** The caller's name, from its credential. */
  caller: string | undefined;
  /** What tells the caller from all others; undefined for anonymous requests. */
  callerId: string | undefined;
  /** An error that no rule foresaw. */
  failure: unknown;
  /** An error of the database that the response may not show. */
  databaseError: unknown;
  /** The server of the database that has answered its reads, if there are several: `primary`, `replica 1`, … */
  server: string | undefined;
  /** A position in the log of the database that its reads must see, as its client has named it. */
  after: number | undefined;
  /** The position in the log of the database of its last write, if that has replicas. */
  position: number | undefined;
  /** The request body, if a reader wants bodies. */
  body: Buffer | undefined;
  /** The function of own code that failed. */
  ownCode: string | undefined;
  /** Whether the simulated network delays, fails or slows down the request. */
  isSimulated = false;
  /** The sandbox that the request used. */
  sandbox: string | undefined;

  constructor(start: RequestStart, begin: number, recording: Recording | undefined) {
    this.start = start;
    this.begin = begin;
    this.recording = recording;
  }

  get routeName(): string {
    return routeName(this);
  }

  /** Ends the step before and begins another. */
  enter(stage: string): void {
    this.recording?.enter(stage);
  }
}

/** `posts.list`, or one of the service's own paths. */
export function routeName({
  route,
  operation,
}: {
  readonly route: string;
  readonly operation: string;
}): string {
  return operation === '' ? route : `${route}.${operation}`;
}

/** How a request ended. */
export interface RequestEnd {
  readonly status: number;
  /** The code of an error response. */
  readonly code: string | undefined;
  /** From arrival until the response was handed to the connection, in ms. */
  readonly duration: number;
  readonly requestHeaders: HeaderValues;
  readonly responseHeaders: HeaderValues;
  /** The response body; undefined if there is none or it was streamed. */
  readonly body: string | Buffer | undefined;
}

/** Headers by their names in lower case. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A specification was read again while it was served. */
export interface ReloadEvent {
  /** The file's name in messages. */
  readonly file: string;
  /** Why the last good version is still served; empty if the new one is. */
  readonly problems: readonly ReloadProblem[];
  /** A question that waits for an answer in the terminal. */
  readonly question?: string;
}

export interface ReloadProblem {
  readonly message: string;
  /** The dotted path in the specification, and line and column from 1; undefined for problems of the whole file. */
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Gets every request that has ended: the log, the trace exporter, the dashboard. What it wants may change at any time. */
export interface TraceReader {
  /** Whether it needs steps and statements. */
  readonly wantsSteps: boolean;
  /** Whether it needs request bodies. */
  readonly wantsBodies: boolean;
  readonly ended: (request: RequestTrace, end: RequestEnd) => void;
  readonly noted?: (note: CodeNote) => void;
  /** Called each time the specification was read again. */
  readonly reloaded?: (event: ReloadEvent) => void;
}
