import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamedBody } from '../response/response.ts';
import { cut, untilTaken } from '../response/streaming.ts';

/** What an answer that waits holds beside its bytes, about: many short ones may wait behind each other on a connection. */
const eachHolds = 16 * 1024;
/** Bytes of a streamed body that the socket gets at a time; each time tells whether the reader still takes any. */
const pieceLength = 64 * 1024;

/** What one connection holds: several answers where it asks on without reading. */
interface Held {
  readonly bytes: number;
  readonly answers: number;
}

/**
 * The answers that their clients have not taken yet. Beside the longest, which may be of any length, they may hold so many bytes
 * together; then the connection that holds most is cut, so that clients which ask for much and read nothing of it leave the memory
 * to others.
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
    await this.holding(socket, bytes, () => untilTaken(response, 'finish', this.stallTimeout));
  }

  /** Does work for which so many bytes are held; where that is too much with all others, the connection with most is cut. */
  private async holding(socket: Socket, bytes: number, work: () => Promise<void>): Promise<void> {
    this.add(socket, bytes, 1);
    this.cutUntilFits();
    try {
      await work();
    } finally {
      this.add(socket, -bytes, -1);
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
            await untilTaken(response, 'drain', this.stallTimeout);
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

  private cutUntilFits(): void {
    while (this.total > this.maxBytes) {
      const [largest] = [...this.held].sort(([, one], [, other]) => other.bytes - one.bytes);
      if (largest === undefined) return;
      const [socket, { bytes, answers }] = largest;
      if (answers === 1 && this.total - bytes <= this.maxBytes) return;
      this.total -= bytes;
      this.held.delete(socket);
      cut(socket);
    }
  }

  /** Counts an answer more or less on a connection; what was cut holds nothing any more. */
  private add(socket: Socket, bytes: number, answers: number): void {
    const held = this.held.get(socket);
    if (held === undefined && answers < 0) return;
    this.total += bytes;
    const now = { bytes: (held?.bytes ?? 0) + bytes, answers: (held?.answers ?? 0) + answers };
    if (now.answers === 0) this.held.delete(socket);
    else this.held.set(socket, now);
  }
}
