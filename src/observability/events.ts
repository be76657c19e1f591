import type { Recording } from './recording.ts';

/** What a step of the service tells those who watch it at once. */
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

/** Something outside that the service needs beside its database begins to fail, or works again. */
export interface DependencyEvent {
  readonly kind: 'dependency';
  readonly name: 'signing keys' | 'rate limit store' | 'trace collector';
  /** Undefined: it works again. */
  readonly error: unknown;
}

/**
 * Of the results of something that is tried again and again, hands on what is news: the error with which it begins to fail,
 * and undefined when it works again.
 */
export function turnsOf(tell: (error: unknown) => void): (error: unknown) => void {
  let isFailing = false;
  return (error) => {
    if (isFailing === (error !== undefined)) return;
    isFailing = !isFailing;
    tell(error);
  };
}

/** A reader of events. Absent, nothing is made for it. */
export type Trace = (event: TraceEvent) => void;

/** What a request says of itself before anything looks at it. */
export interface RequestStart {
  readonly requestId: string;
  readonly method: string;
  /** As sent: path and query string, undecoded. */
  readonly url: string;
  readonly path: string;
  /** Raw, without `?`. */
  readonly search: string;
}

/** A request while it runs: its steps write into it what they find, its readers get it when it has ended. */
export class RequestTrace {
  readonly start: RequestStart;
  /** On the clock of `performance.now()`. */
  readonly begin: number;
  /** Steps and statements; absent where nobody watches this request so closely. */
  readonly recording: Recording | undefined;
  /** What it has met: a resource by its name, or one of the service's own paths. Their number is bounded. */
  route = 'unknown';
  /** What it does to a resource: `list`, `read`, `create`, …; empty for the service's own paths. */
  operation = '';
  /** The address of the client. */
  client: string | undefined;
  /** The name that the caller's credential gives. */
  caller: string | undefined;
  /** An error that no rule foresaw. */
  failure: unknown;
  /** The body that was read, where a reader wants bodies. */
  body: Buffer | undefined;

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

/** What a request has met, in one word: `posts.list`, or one of the service's own paths. */
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
  /** The code of the error, where it is one. */
  readonly code: string | undefined;
  /** From its arrival until its answer was handed to the connection, in ms. */
  readonly duration: number;
  readonly requestHeaders: HeaderValues;
  readonly responseHeaders: HeaderValues;
  /** The body sent; absent where there is none or it was streamed. */
  readonly body: string | Buffer | undefined;
}

/** Headers by their names in lower case. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A specification was read again while it was served. */
export interface ReloadEvent {
  /** As messages name it. */
  readonly file: string;
  /** Why it is not in use, the last good one is instead; none where it is. */
  readonly problems: readonly ReloadProblem[];
  /** What has to be answered in the terminal before it can be. */
  readonly question?: string;
}

export interface ReloadProblem {
  readonly message: string;
  /** Where in the specification, as names with dots, and in the file, from 1; absent where it is no single place. */
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Reads requests that have ended: a log, the exporter of traces. What it wants may change from request to request. */
export interface TraceReader {
  /** Whether steps and statements are recorded for it. */
  readonly wantsSteps: boolean;
  /** Whether the bodies of requests are kept for it. */
  readonly wantsBodies: boolean;
  readonly ended: (request: RequestTrace, end: RequestEnd) => void;
  /** Is told each time that the specification was read again. */
  readonly reloaded?: (event: ReloadEvent) => void;
}
