import process from 'node:process';

/** How long a response waits for others at most, in ms. */
const longestWait = 2;
/**
 * After so many in one turn of the event loop, responses wait for its end: libuv polls up to 48 times in a turn as long as it
 * gets 1,024 events, and clients that are answered ask again, so a turn with very many connections would hardly end.
 */
const manyInTurn = 512;

/**
 * Sends the responses of one turn of the event loop together, after all that came in it was read: writes that follow each
 * other cost much less than each of them between two reads. The clients then ask together again, so that the next turn shares
 * its costs among many requests (on SQLite the snapshot).
 */
export class ResponseBatch {
  private waiting: (() => void)[] = [];
  private since = 0;
  private joined = 0;
  /** What `timesRead` gave at the end of the last turn. */
  private ended = -1;
  private readonly clock: () => number;
  private readonly timesRead: () => number;
  private readonly atTurnEnd = (): void => this.endTurn();
  private readonly atOnce = (): void => this.send();

  /** `clock`: a time that only grows, in ms; `timesRead`: see `lib/event-loop.ts`. */
  constructor(clock: () => number, timesRead: () => number) {
    this.clock = clock;
    this.timesRead = timesRead;
  }

  /** Does the work that sends a response with that of the others. Gives its result. */
  join<Value>(work: () => Value): Promise<Value> {
    const now = this.clock();
    if (this.waiting.length === 0) {
      this.since = now;
      // Behind the end of a turn, where writes are answered that were committed together, a response would wait for the
      // whole next turn. In that turn its client may be read to have closed, and be taken for gone.
      if (this.timesRead() === this.ended) process.nextTick(this.atOnce);
      else setImmediate(this.atTurnEnd);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    this.waiting.push(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
    this.joined += 1;
    if (now - this.since > longestWait) this.sendEarly();
    return promise;
  }

  /** Sends what waits before the end of the turn: to be called before work that takes some ms. */
  sendEarly(): void {
    if (this.joined <= manyInTurn) this.send();
  }

  /** All that had come in was read. */
  endTurn(): void {
    this.ended = this.timesRead();
    this.joined = 0;
    this.send();
  }

  private send(): void {
    if (this.waiting.length === 0) return;
    const { waiting } = this;
    this.waiting = [];
    for (const work of waiting) work();
  }
}
