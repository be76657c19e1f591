import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { EventStreamParser, type StreamEvent } from '../../dashboard/src/live/event-stream.ts';
import { usual } from './http.ts';

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

/**
 * Opens a stream of events on a connection of its own. (`fetch` makes another one when it is left, on which nothing is asked:
 * a server that stops waits half a second for that.)
 */
export async function readEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> {
  const outgoing = request(url, { agent: false, headers: { ...usual, ...headers } });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const pieces = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  const parser = new EventStreamParser();
  const waiting: StreamEvent[] = [];
  let id = '';
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(response.headers as Record<string, string>),
    next: async (name) => {
      for (;;) {
        const event = waiting.shift();
        if (event === undefined) {
          const piece = await pieces.next();
          if (piece.done === true) return undefined;
          waiting.push(...parser.push(piece.value));
        } else {
          ({ id } = event);
          if (event.name === name) return JSON.parse(event.data) as unknown;
        }
      }
    },
    lastId: () => id,
    close: () => void response.destroy(),
  };
}
