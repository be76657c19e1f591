/** What a worker tells the process that has started it. Metrics are as the library for them has them as JSON. */
export type FromWorker =
  | { readonly plinth: 'failed'; readonly message: string; readonly exitCode: 1 | 2 }
  | { readonly plinth: 'collect'; readonly id: number }
  | { readonly plinth: 'given'; readonly id: number; readonly metrics: readonly object[] };

/** What a worker is told. */
export type FromPrimary =
  | { readonly plinth: 'stop' }
  | { readonly plinth: 'give'; readonly id: number }
  | {
      readonly plinth: 'collected';
      readonly id: number;
      readonly metrics: readonly (readonly object[])[];
    };

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
