import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamedBody } from '../response/response.ts';
import { cut, untilTaken } from '../response/streaming.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** What a waiting response holds beside its bytes, about: many short ones may wait behind each other on a connection. */
const bytesEach = 16 * 1024;
/** Bytes of a streamed body that the socket gets at a time. Each time shows whether the client still reads. */
const pieceLength = 64 * 1024;

/**
 * How long a client may read a response before its connection may be cut for others, in ms. Until then new reads wait for
 * memory.
 */
const grace = 5_000;

/** What one connection holds. A client that pipelines without reading has several responses. */
interface Held {
  readonly bytes: number;
  readonly responses: number;
  /** Since when it holds anything. */
  readonly since: number;
}

/**
 * Responses that their clients have not read yet. When they exceed their budget, the connection that holds most is cut, once
 * it has held something for `grace`. A single response may be of any length.
 */
export class UnsentResponses {
  private readonly held = new Map<Socket, Held>();
  private readonly budget: MemoryBudget;
  private readonly stallTimeout: number;
  private timer: NodeJS.Timeout | undefined;

  /** `stallTimeout`: how long a client may read nothing before its connection is cut, in ms. */
  constructor(budget: MemoryBudget, stallTimeout: number) {
    this.budget = budget;
    this.stallTimeout = stallTimeout;
  }

  /** Waits until a response that was sent is read, its client has gone or its connection is cut. */
  async untilTaken(response: ServerResponse): Promise<void> {
    const { socket } = response.req;
    if (socket.destroyed) return;
    const bytes = response.writableLength + bytesEach;
    await this.holding(socket, bytes, () => untilTaken(response, 'finish', this.stallTimeout));
  }

  /**
   * Writes a body as fast as it is read and ends the response. If the client reads nothing for too long, or if the body
   * fails, the connection is cut, so that half of a response is never taken for a whole one; an error of the body is thrown.
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

  private async holding(socket: Socket, bytes: number, work: () => Promise<void>): Promise<void> {
    this.add(socket, bytes, 1);
    this.cutUntilWithinBudget();
    try {
      await work();
    } finally {
      this.add(socket, -bytes, -1);
    }
  }

  private cutUntilWithinBudget(): void {
    const { budget } = this;
    while (budget.isExceeded) {
      const [largest] = [...this.held].sort(([, one], [, other]) => other.bytes - one.bytes);
      if (largest === undefined) return;
      const [socket, { bytes, responses, since }] = largest;
      if (performance.now() - since < grace) return this.cutLater();
      if (responses === 1 && budget.reserved - bytes <= budget.capacity) return;
      budget.release(bytes);
      this.held.delete(socket);
      cut(socket);
    }
  }

  private cutLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.cutUntilWithinBudget();
    }, grace / 5).unref();
  }

  /** Counts a response more or less on a connection. A cut connection holds nothing any more. */
  private add(socket: Socket, bytes: number, responses: number): void {
    const held = this.held.get(socket);
    if (held === undefined && responses < 0) return;
    this.budget.reserve(bytes);
    const sum = {
      bytes: (held?.bytes ?? 0) + bytes,
      responses: (held?.responses ?? 0) + responses,
      since: held?.since ?? performance.now(),
    };
    if (sum.responses === 0) this.held.delete(socket);
    else this.held.set(socket, sum);
  }
}
