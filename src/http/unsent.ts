import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { cut, untilTaken } from './streaming.ts';

/** What an answer that waits holds beside its bytes, about: many short ones may wait behind each other on a connection. */
const eachHolds = 16 * 1024;

/**
 * The answers that their clients have not taken yet. Together they may hold so many bytes; then the connection that holds
 * most is cut, so that clients which ask for much and read nothing of it leave the memory to others.
 */
export class Unsent {
  private readonly held = new Map<Socket, number>();
  private total = 0;
  private readonly maxBytes: number;
  private readonly stallTimeout: number;

  /** `stallTimeout`: how long a client may take nothing, in ms. */
  constructor(maxBytes: number, stallTimeout: number) {
    this.maxBytes = maxBytes;
    this.stallTimeout = stallTimeout;
  }

  /** Waits until an answer that was sent is taken, its client has gone away or is cut off. */
  async untilTaken(response: ServerResponse): Promise<void> {
    const { socket } = response.req;
    if (socket.destroyed) return;
    const bytes = response.writableLength + eachHolds;
    this.set(socket, (this.held.get(socket) ?? 0) + bytes);
    while (this.total > this.maxBytes) this.cutLargest();
    await untilTaken(response, 'finish', this.stallTimeout);
    const held = this.held.get(socket);
    // What was cut holds nothing any more.
    if (held !== undefined) this.set(socket, held - bytes);
  }

  private cutLargest(): void {
    let [largest, most]: [Socket | undefined, number] = [undefined, 0];
    for (const [socket, bytes] of this.held) if (bytes > most) [largest, most] = [socket, bytes];
    if (largest === undefined) return;
    this.set(largest, 0);
    cut(largest);
  }

  private set(socket: Socket, bytes: number): void {
    this.total += bytes - (this.held.get(socket) ?? 0);
    if (bytes === 0) this.held.delete(socket);
    else this.held.set(socket, bytes);
  }
}
