import type { Socket } from 'node:net';

/** What can be told to give no more bytes for a while. */
export type Readable = Pick<Socket, 'pause' | 'resume'>;

/** How many want that nothing is read of a connection. */
const halts = new WeakMap<Readable, number>();

/** Nothing more is read of a connection until it goes on as often as it was halted. */
export function halt(connection: Readable): void {
  halts.set(connection, (halts.get(connection) ?? 0) + 1);
  connection.pause();
}

/** One who had it halted does so no more. */
export function goOn(connection: Readable): void {
  const left = (halts.get(connection) ?? 1) - 1;
  if (left > 0) {
    halts.set(connection, left);
    return;
  }
  halts.delete(connection);
  connection.resume();
}
