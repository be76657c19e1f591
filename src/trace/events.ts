/** What a step of the service tells those who watch it. */
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
  readonly name: 'signing keys' | 'rate limit store';
  /** Undefined: it works again. */
  readonly error: unknown;
}

/** A reader of events. Absent, nothing is made for it. */
export type Trace = (event: TraceEvent) => void;
