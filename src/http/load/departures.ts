import process from 'node:process';

/** An answer waits for others for so long at most, in ms. */
const longestWait = 2;

/**
 * Sends what is answered in one turn of the event loop together, once all that came in it was read: writes one after the
 * other cost much less than each of them between two reads, and who is answered does not come back within the turn, so
 * that the next one again brings many, which share what a turn costs.
 */
export class Departures {
  private waiting: (() => void)[] = [];
  private since = 0;
  /** What `timesRead` gave when a turn had last ended. */
  private ended = -1;
  private readonly clock: () => number;
  private readonly timesRead: () => number;
  private readonly atTurnEnd = (): void => this.endTurn();
  private readonly atOnce = (): void => this.leave();

  /** `clock`: a time that only grows, in ms; `timesRead`: what tells that something may have come in since. */
  constructor(clock: () => number, timesRead: () => number) {
    this.clock = clock;
    this.timesRead = timesRead;
  }

  /** Does the work with that of the others; gives what it gives, or rejects with what it throws. */
  join<Value>(work: () => Value): Promise<Value> {
    const now = this.clock();
    if (this.waiting.length === 0) {
      this.since = now;
      // What is answered behind the end of a turn, as writes are that were committed together, would wait for the whole of
      // the next one, in which its client may be heard to have nothing more to say, and be taken for gone.
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
    if (now - this.since > longestWait) this.leave();
    return promise;
  }

  /** All that had come in was read. */
  endTurn(): void {
    this.ended = this.timesRead();
    this.leave();
  }

  /** Does at once what waits. */
  leave(): void {
    if (this.waiting.length === 0) return;
    const { waiting } = this;
    this.waiting = [];
    for (const work of waiting) work();
  }
}
