import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamedBody } from '../respond/response.ts';
import { cut, untilTaken } from './streaming.ts';

/** What an answer that waits holds beside its bytes, about: many short ones may wait behind each other on a connection. */
const eachHolds = 16 * 1024;
/** Bytes of a streamed body that the socket gets at a time; each time tells whether the reader still takes any. */
const pieceLength = 64 * 1024;
/** How many times its bytes a portion of such a body holds while it is sent: its text, and the records that it was made of. */
const portionHolds = 4;

/**
 * The answers that their clients have not taken yet. Together they may hold so many bytes; then the connection that holds
 * most is cut, so that clients which ask for much and read nothing of it leave the memory to others. One answer alone may be of any
 * length.
 */
export class Unsent {
  private readonly held = new Map<Socket, number>();
  private total = 0;
  /** How many answers are waited for. */
  private answers = 0;
  private readonly maxBytes: number;
  private readonly stallTimeout: number;

  /** `stallTimeout`: how long a client may take nothing, in ms. */
  constructor(maxBytes: number, stallTimeout: number) {
    this.maxBytes = maxBytes;
    this.stallTimeout = stallTimeout;
  }

  /**
   * Waits until an answer that was sent, or what was written of one, is taken, its client has gone away or is cut off.
   * `more`: what is held for the answer beside what was written, in bytes.
   */
  async untilTaken(
    response: ServerResponse,
    event: 'drain' | 'finish' = 'finish',
    more = 0,
  ): Promise<void> {
    const { socket } = response.req;
    if (socket.destroyed) return;
    const bytes = response.writableLength + eachHolds + more;
    await this.holding(socket, bytes, () => untilTaken(response, event, this.stallTimeout));
  }

  /** Does work for which so many bytes are held; where that is too much with all others, the connection with most is cut. */
  private async holding(socket: Socket, bytes: number, work: () => Promise<void>): Promise<void> {
    this.set(socket, (this.held.get(socket) ?? 0) + bytes);
    this.answers += 1;
    while (this.total > this.maxBytes && this.answers > 1) this.cutLargest();
    try {
      await work();
    } finally {
      this.answers -= 1;
      const held = this.held.get(socket);
      // What was cut holds nothing any more.
      if (held !== undefined) this.set(socket, held - bytes);
    }
  }

  /**
   * Writes a body as fast as it is read and ends the answer. A reader that takes nothing of it for too long is cut off. When
   * the body fails, the connection is cut, so that nobody takes half of an answer for a whole one, and the error is thrown.
   * `whole`: what the body holds from its beginning to its end, in bytes.
   */
  async sendStream(response: ServerResponse, body: StreamedBody, whole: number): Promise<void> {
    if (whole === 0) await this.sendPortions(response, body);
    else await this.holding(response.req.socket, whole, () => this.sendPortions(response, body));
  }

  private async sendPortions(response: ServerResponse, body: StreamedBody): Promise<void> {
    const { socket } = response.req;
    try {
      for await (const portion of body) {
        const bytes = typeof portion === 'string' ? Buffer.from(portion) : portion;
        for (let start = 0; start < bytes.length; start += pieceLength) {
          if (socket.destroyed) return;
          if (!response.write(bytes.subarray(start, start + pieceLength)))
            await this.untilTaken(response, 'drain', bytes.length * portionHolds);
        }
      }
    } catch (error) {
      cut(socket);
      throw error;
    }
    if (socket.destroyed) return;
    response.end();
    await this.untilTaken(response);
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
