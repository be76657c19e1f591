import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { cut, untilTaken } from './streaming.ts';

/** What an answer that waits holds beside its bytes, about: many short ones may wait behind each other on a connection. */
const eachHolds = 16 * 1024;

interface Held {
  bytes: number;
  isCut: boolean;
}

/**
 * The answers that their clients have not taken yet. Together they may hold so many bytes; then the connection that holds
 * most is cut, so that clients which ask for much and read nothing of it leave the memory to others.
 */
export class Unsent {
  private readonly held = new Map<Socket, Held>();
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
    const held = this.held.get(socket) ?? { bytes: 0, isCut: false };
    this.held.set(socket, held);
    held.bytes += bytes;
    this.total += bytes;
    while (this.total > this.maxBytes) this.cutLargest();
    await untilTaken(response, 'finish', this.stallTimeout);
    if (held.isCut) return;
    held.bytes -= bytes;
    this.total -= bytes;
    if (held.bytes === 0) this.held.delete(socket);
  }

  private cutLargest(): void {
    let largest: readonly [Socket, Held] | undefined;
    for (const one of this.held)
      if (largest === undefined || one[1].bytes > largest[1].bytes) largest = one;
    if (largest === undefined) return;
    const [socket, held] = largest;
    this.held.delete(socket);
    this.total -= held.bytes;
    held.isCut = true;
    cut(socket);
  }
}
