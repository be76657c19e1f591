import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isEncrypted } from '../edge/client.ts';

/** The client has gone away, and what was done for it came to an end: there is nobody to answer. */
export class ClientGone extends Error {}

/** Ends a connection so that its client does not take what it has for a whole answer. */
export function cut(socket: Socket): void {
  // TLS cannot be reset, and tells by the farewell that is missing.
  if (isEncrypted(socket)) socket.destroy();
  else socket.resetAndDestroy();
}

/** Does work that ends with its `signal` when the client goes away; it fails with `ClientGone` then. */
export async function whileThere<Value>(
  socket: Socket,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  if (socket.destroyed) leave();
  else socket.once('close', leave);
  try {
    return await work(gone.signal);
  } catch (error) {
    throw gone.signal.aborted ? new ClientGone('The client has gone', { cause: error }) : error;
  } finally {
    socket.off('close', leave);
  }
}

/** Waits until the reader has taken what was written, has gone away or is cut off. */
export function untilTaken(
  response: ServerResponse,
  event: 'drain' | 'finish',
  stallTimeout: number,
): Promise<void> {
  const { socket } = response.req;
  // It may have said so already: what stands in the socket then is the answer behind it.
  if (socket.destroyed || response.writableFinished) return Promise.resolve();
  return new Promise((resolve) => {
    // An answer whose turn has not come has no socket yet: whoever is before it is watched.
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
