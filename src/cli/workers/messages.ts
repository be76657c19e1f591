import type { Worker } from 'node:cluster';
import type { Questions } from '../../http/server/fleet.ts';
import type { Certificate } from '../../http/server/listener.ts';

type Kind = keyof Questions;

/** What a worker serves with: as it was when the first process began, whatever has become of the files since. */
export interface Outset {
  readonly specification: { readonly path: string; readonly text: string };
  /** The latest of its files that could be used. */
  readonly certificate?: Certificate | undefined;
}

/** What a worker tells the process that has started it: among others its questions to the other workers. */
export type FromWorker =
  | { readonly plinth: 'failed'; readonly message: string; readonly exitCode: 1 | 2 }
  | { readonly plinth: 'ask'; readonly id: number; readonly kind: Kind; readonly question: unknown }
  | { readonly plinth: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly plinth: 'pong' }
  /** It can hear what it is to serve with. */
  | { readonly plinth: 'here' }
  /** It has taken this certificate into use. */
  | { readonly plinth: 'certificate'; readonly certificate: Certificate }
  | ToDoor;

/**
 * What a worker asks of the door: connections of a port, and to close it. `taken` answers each connection; `ended` tells
 * how many more of them have ended.
 */
export type ToDoor =
  | { readonly plinth: 'open'; readonly host: string; readonly port: number }
  | { readonly plinth: 'taken' }
  | { readonly plinth: 'ended'; readonly count: number }
  | { readonly plinth: 'close' };

/** What a worker is told. */
export type FromPrimary =
  | { readonly plinth: 'stop' }
  /** The answer to `here`. */
  | { readonly plinth: 'begin'; readonly outset: Outset }
  /** To be answered by `pong`, whatever else there is to do. */
  | { readonly plinth: 'ping' }
  | {
      readonly plinth: 'asked';
      readonly id: number;
      readonly kind: Kind;
      readonly question: unknown;
    }
  | { readonly plinth: 'answers'; readonly id: number; readonly answers: readonly unknown[] }
  | FromDoor;

/** What comes through the door. */
export type FromDoor =
  | { readonly plinth: 'opened'; readonly port: number }
  | { readonly plinth: 'refused'; readonly error: SystemError }
  /** With a socket. */
  | { readonly plinth: 'connection' }
  /** How many connections this worker was given in all, so that it knows of those that have not reached it. */
  | { readonly plinth: 'given'; readonly count: number }
  | { readonly plinth: 'closed' };

/** An error of the system, as another process can be told of it. */
export interface SystemError {
  readonly message: string;
  readonly code?: string | undefined;
  readonly syscall?: string | undefined;
}

/** Other messages on the same channel are those of libraries. */
function isOurs(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'plinth' in message;
}

/** Whether a message that a worker has sent is one of ours. */
export function isFromWorker(message: unknown): message is FromWorker {
  return isOurs(message);
}

/** Whether a message that the first process has sent is one of ours. */
export function isFromPrimary(message: unknown): message is FromPrimary {
  return isOurs(message);
}

/** Tells a worker something, unless it has gone. */
export function tell(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(message);
}
