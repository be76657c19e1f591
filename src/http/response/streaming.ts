import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ClientGone } from '../../databases/database.ts';
import { isEncrypted } from '../edge/client.ts';

/** Ends a connection so that the client does not take what it has for a complete response. */
export function cut(socket: Socket): void {
  // TLS cannot be reset; a missing close_notify tells the client.
  if (isEncrypted(socket)) socket.destroy();
  else socket.resetAndDestroy();
}

/** Whether the client of a request still waits for the response. */
export interface Presence {
  readonly isGone: boolean;
  /** Calls `leave` once if the client goes, at once if it has gone; returns a function after which it does not. */
  readonly onGone: (leave: () => void) => () => void;
}

/** Runs work whose `signal` aborts when the client goes; it fails with `ClientGone` then. */
export async function whileThere<Value>(
  client: Presence,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const gone = new AbortController();
  const stay = client.onGone(() => gone.abort());
  try {
    return await work(gone.signal);
  } catch (error) {
    throw gone.signal.aborted ? new ClientGone({ cause: error }) : error;
  } finally {
    stay();
  }
}

/** Waits until the client has taken what was written, has disconnected or is cut off after `stallTimeout`. */
export function untilTaken(
  response: ServerResponse,
  event: 'drain' | 'finish',
  stallTimeout: number,
): Promise<void> {
  const { socket } = response.req;
  // Already finished: what the socket holds belongs to the next response.
  if (socket.destroyed || response.writableFinished) return Promise.resolve();
  return new Promise((resolve) => {
    // A pipelined response that waits has no socket yet; the one before it has a timer of its own.
    const watch = setInterval(() => {
      if (response.socket !== null) cut(socket);
    }, stallTimeout);
    const done = (): void => {
      clearInterval(watch);
      response.off(event, done);
      socket.off('close', done);
      resolve();
    };
    response.once(event, done);
    socket.once('close', done);
  });
}
