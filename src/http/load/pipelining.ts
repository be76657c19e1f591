import type { Socket } from 'node:net';

/** So many requests of one connection are in progress at once: it counts like as many connections, not like hundreds. */
const mostInProgress = 8;

/**
 * The requests of one connection. A client may send hundreds before it reads the first response. Those beyond
 * `mostInProgress` wait in their order, and the socket is paused until all of them have begun.
 */
export class Pipeline {
  private readonly socket: Socket;
  private inProgress = 0;
  private readonly waiting: (() => void)[] = [];
  private isScheduled = false;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Begins a request, now or after those before it. */
  begin(work: () => void): void {
    if (this.inProgress < mostInProgress && this.waiting.length === 0) {
      this.inProgress += 1;
      work();
    } else {
      this.waiting.push(work);
      this.schedule();
    }
  }

  /** A response was sent. */
  end(): void {
    this.inProgress -= 1;
    if (this.waiting.length > 0) this.schedule();
  }

  /**
   * In the next turn of the event loop: other connections come first. It is also soon enough to pause the socket, which Node
   * resumes for each request that it has parsed and each response that was sent.
   */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.beginWaiting());
  }

  private beginWaiting(): void {
    this.isScheduled = false;
    while (this.inProgress < mostInProgress) {
      const work = this.waiting.shift();
      if (work === undefined) break;
      this.inProgress += 1;
      work();
    }
    if (this.waiting.length > 0) this.socket.pause();
    else this.socket.resume();
  }
}
