/** What a worker tells the process that has started it. Metrics are as the library for them has them as JSON. */
export type FromWorker =
  | { readonly plinth: 'failed'; readonly message: string; readonly exitCode: 1 | 2 }
  | { readonly plinth: 'collect'; readonly id: number }
  | { readonly plinth: 'given'; readonly id: number; readonly metrics: readonly object[] }
  | ToDoor;

/** What a worker asks of the door: connections of a port, and to close it. `taken` answers each connection. */
export type ToDoor =
  | { readonly plinth: 'open'; readonly host: string; readonly port: number }
  | { readonly plinth: 'taken' }
  | { readonly plinth: 'close' };

/** What a worker is told. */
export type FromPrimary =
  | { readonly plinth: 'stop' }
  | { readonly plinth: 'give'; readonly id: number }
  | {
      readonly plinth: 'collected';
      readonly id: number;
      readonly metrics: readonly (readonly object[])[];
    }
  | FromDoor;

/** What comes through the door. */
export type FromDoor =
  | { readonly plinth: 'opened'; readonly port: number }
  | { readonly plinth: 'refused'; readonly error: SystemError }
  /** With a socket. */
  | { readonly plinth: 'connection' }
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

export function isFromWorker(message: unknown): message is FromWorker {
  return isOurs(message);
}

export function isFromPrimary(message: unknown): message is FromPrimary {
  return isOurs(message);
}
