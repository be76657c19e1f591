import { EventStreamParser, type StreamEvent } from '../../dashboard/src/live/event-stream.ts';

/** A stream of server-sent events that is read, over real HTTP. */
export interface EventReader {
  readonly status: number;
  readonly headers: Headers;
  /** The data of the next event of this name, other events left out; undefined when the stream ends before it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into data of every shape
  readonly next: (name: string) => Promise<any>;
  /** The id that came with the last event. */
  readonly lastId: () => string;
  readonly close: () => void;
}

/** Opens a stream of events. */
export async function readEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> {
  const over = new AbortController();
  const response = await fetch(url, { headers, signal: over.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventStreamParser();
  const waiting: StreamEvent[] = [];
  let id = '';
  return {
    status: response.status,
    headers: response.headers,
    next: async (name) => {
      for (;;) {
        const event = waiting.shift();
        if (event === undefined) {
          const piece = await reader?.read();
          if (piece === undefined || piece.done) return undefined;
          waiting.push(...parser.push(piece.value));
        } else {
          ({ id } = event);
          if (event.name === name) return JSON.parse(event.data) as unknown;
        }
      }
    },
    lastId: () => id,
    close: () => over.abort(),
  };
}
