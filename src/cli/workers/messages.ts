import type { Worker } from 'node:cluster';
import type { Certificate } from '../../http/server/listener.ts';
import type { WorkerCalls } from '../../http/server/workers.ts';

/** What a worker needs in order to serve. It comes from the primary, since the files may have changed meanwhile. */
export interface StartState {
  readonly specification: { readonly path: string; readonly text: string };
  /** The last valid certificate that a worker has loaded. */
  readonly certificate: Certificate | undefined;
  readonly port: number;
  /** See `Workers.token`. */
  readonly token: string;
  /** Whether this worker reports what concerns all workers, such as a renewed certificate. */
  readonly isReporter: boolean;
}

/** Messages from a worker to the primary. */
export type FromWorker =
  /** It has started and waits for `begin`. */
  | { readonly plinth: 'started' }
  /** It takes connections from now on. */
  | { readonly plinth: 'serving' }
  /** It has received the next of the connections that it was sent, or knows that this one was lost. */
  | { readonly plinth: 'received' }
  /** Connections of this worker have ended. */
  | { readonly plinth: 'ended'; readonly count: number }
  /** It stops, and wants no new connections; the response is `left`. */
  | { readonly plinth: 'leave' }
  /** It has loaded this certificate. */
  | { readonly plinth: 'certificate'; readonly certificate: Certificate }
  | { readonly plinth: 'failed'; readonly message: string; readonly exitCode: 1 | 2 }
  | { readonly plinth: 'pong' }
  | Call
  | { readonly plinth: 'result'; readonly id: number; readonly result: unknown };

/** Messages from the primary to a worker. */
export type FromPrimary =
  | { readonly plinth: 'begin'; readonly state: StartState }
  /** With a socket as its handle. */
  | { readonly plinth: 'connection' }
  /**
   * Follows each connection: how many this worker was sent in all. Node drops the message with the socket when the
   * worker has no free file descriptor, so this is how the worker learns of it.
   */
  | { readonly plinth: 'sent'; readonly count: number }
  /** No connections follow. */
  | { readonly plinth: 'left' }
  | { readonly plinth: 'stop' }
  /** A new text of the specification, which the primary has checked. */
  | { readonly plinth: 'specification'; readonly text: string }
  /** The response is `pong`. */
  | { readonly plinth: 'ping' }
  | Call
  | { readonly plinth: 'results'; readonly id: number; readonly results: readonly unknown[] };

/** A call to the other workers, or, from the primary, to one of them. */
export interface Call {
  readonly plinth: 'call';
  readonly id: number;
  readonly name: keyof WorkerCalls;
  readonly argument: unknown;
}

/** Libraries send messages on the same channel. */
function isOurs(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'plinth' in message;
}

export function isFromWorker(message: unknown): message is FromWorker {
  return isOurs(message);
}

export function isFromPrimary(message: unknown): message is FromPrimary {
  return isOurs(message);
}

/** Sends a message to a worker, unless it has gone. */
export function sendTo(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(message);
}
