import type { StreamedBody } from '../../response/response.ts';

/** How often an event stream that has nothing to say sends a comment, in ms, so that proxies keep it open. */
const heartbeat = 15_000;

/** A body of portions, which ends when its source does or when `over` aborts; then the source is closed. */
interface Portions<Value> {
  readonly source: AsyncIterator<Value>;
  /** The first of them, if it was read before. */
  readonly first?: IteratorResult<Value>;
  readonly over: AbortSignal;
  readonly write: (value: Value) => string | Buffer;
  /** What is sent when nothing was for `heartbeat`; undefined for nothing. */
  readonly beat?: string;
}

/** Values as newline-delimited JSON. */
export function ndjsonBody(portions: Omit<Portions<unknown>, 'write' | 'beat'>): StreamedBody {
  return bodyOf({ ...portions, write: (value) => `${jsonOf(value)}\n` });
}

/** Values as server-sent events, with a comment now and then. */
export function eventBody(portions: Omit<Portions<unknown>, 'write' | 'beat'>): StreamedBody {
  return bodyOf({ ...portions, write: (value) => `data: ${jsonOf(value)}\n\n`, beat: ':\n\n' });
}

/** The bytes of a body of Fetch. */
export function bytesBody(source: AsyncIterator<Uint8Array>, over: AbortSignal): StreamedBody {
  const write = (bytes: Uint8Array): Buffer => {
    // A stream of own code may give anything.
    if (!(bytes instanceof Uint8Array))
      throw new TypeError(`The body of a Response gave a ${typeof bytes}, and sends Uint8Arrays`);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  return bodyOf({ source, over, write });
}

/** The JSON of a value that a handler gives; throws for what has none. */
export function jsonOf(value: unknown): string {
  if (isRaw(value))
    throw new TypeError(
      'The endpoint gave bytes; return `new Response(bytes, { headers: { "content-type": … } })`',
    );
  const text = JSON.stringify(value) as string | undefined;
  if (text !== undefined) return text;
  throw new TypeError(`The endpoint gave a ${typeof value}, which is not JSON`);
}

/** Bytes and streams have a JSON, but nobody means it. */
function isRaw(value: unknown): boolean {
  return (
    value instanceof Uint8Array ||
    value instanceof ArrayBuffer ||
    value instanceof Blob ||
    value instanceof ReadableStream
  );
}

/**
 * A race of promises for each portion would keep all that it lost in memory: here the source, the end and the heartbeat wake
 * one waiter.
 */
async function* bodyOf<Value>({ source, first, over, write, beat }: Portions<Value>): StreamedBody {
  let arrived = first;
  let failure: { readonly error: unknown } | undefined;
  let isDue = false;
  let wake = (): void => undefined;
  const ask = async (): Promise<void> => {
    try {
      arrived = await source.next();
    } catch (error) {
      failure = { error };
    }
    wake();
  };
  const end = (): void => wake();
  over.addEventListener('abort', end);
  const timer =
    beat === undefined
      ? undefined
      : setInterval(() => {
          isDue = true;
          wake();
        }, heartbeat).unref();
  let isDone = false;
  try {
    if (arrived === undefined) void ask();
    while (!over.aborted) {
      if (failure !== undefined) {
        isDone = true;
        throw failure.error;
      }
      if (arrived !== undefined) {
        const { done, value } = arrived as IteratorResult<Value, Value>;
        isDone = done === true;
        if (isDone) return;
        arrived = undefined;
        isDue = false;
        yield write(value);
        void ask();
      } else if (isDue && beat !== undefined) {
        isDue = false;
        yield beat;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    clearInterval(timer);
    over.removeEventListener('abort', end);
    if (!isDone) close(source);
  }
}

/** Closes a source without waiting: a generator that waits for something ends when it goes on. */
export function close(source: AsyncIterator<unknown>): void {
  // An iterator that own code has written itself may throw here, or return no promise.
  (async () => source.return?.())().catch(() => undefined);
}
