import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../../../lib/message-of.ts';
import type { Exchange } from '../exchange.ts';

/**
 * What one call of a function of own code does with `db`. The request waits for all of it, awaited or not: otherwise it would
 * mix with what follows in an open transaction. See docs/contract/10-own-code.md#context, rule 8.
 */
export class DbCalls {
  private readonly exchange: Exchange;
  private readonly place: string;
  private readonly requests = new Set<Promise<unknown>>();
  /** Those that have not ended, or whose result nobody has asked for. */
  private readonly left = new Set<DbCall<unknown>>();
  private last: Promise<unknown> = Promise.resolve();
  private isOver = false;

  /** `place`: the function, for the log. */
  constructor(exchange: Exchange, place: string) {
    this.exchange = exchange;
    this.place = place;
  }

  /** Makes a request; in an open transaction once those before it have ended, and before the function has. */
  request<Value>(work: () => Promise<Value>): Promise<Value> {
    let made: Promise<Value>;
    if (this.exchange.database.isInTransaction !== true) made = work();
    else if (this.isOver)
      return Promise.reject(
        new TypeError(`${this.place} has ended; await what it does with db in the transaction`),
      );
    else made = this.last.then(work);
    const ended = made.then(
      () => undefined,
      () => undefined,
    );
    this.last = ended;
    this.requests.add(ended);
    void ended.then(() => this.requests.delete(ended));
    return made;
  }

  /** Follows what a method of `db` gives. A failure that nobody asks for is logged, and ends no process. */
  follow<Value>(name: string, given: Promise<Value>): Promise<Value> {
    const call: DbCall<Value> = new DbCall<Value>(name, given, () => void this.left.delete(call));
    if (!this.isOver) this.left.add(call);
    else void call.ended?.then(nextTurn).then(() => call.failure && this.tell([call]));
    return call;
  }

  /** Whether the function has left something that `settle` waits for, or that nobody has asked for. */
  get areLeft(): boolean {
    return this.left.size > 0 || this.requests.size > 0;
  }

  /** Waits for what the function has begun; the log tells what it has not awaited. Then the function is over. */
  async end(): Promise<void> {
    const unawaited = [...this.left];
    await this.settle();
    this.tell(unawaited);
    this.leave();
  }

  /** Waits for what the function has begun. */
  async settle(): Promise<void> {
    const pending = (): Promise<unknown>[] =>
      [...this.left].flatMap(({ ended }) => (ended === undefined ? [] : [ended]));
    for (let all = pending(); all.length + this.requests.size > 0; all = pending()) {
      await Promise.all([...all, ...this.requests]);
      // What was to follow a call begins now.
      await nextTurn();
    }
  }

  /** The function is over. */
  leave(): void {
    this.isOver = true;
    this.left.clear();
  }

  private tell(calls: readonly DbCall<unknown>[]): void {
    const { note, requestId } = this.exchange;
    for (const { name, failure, isTaken } of calls) {
      const message = `${this.place} has not awaited ${name}`;
      if (failure === undefined) note({ level: 'warn', requestId, message });
      else if (!isTaken)
        note({
          level: 'error',
          requestId,
          message: `${message}, which failed: ${messageOf(failure.error)}`,
          error: failure.error,
        });
    }
  }
}

/** A promise that knows whether somebody asks for its result. */
class DbCall<Value> extends Promise<Value> {
  readonly name: string;
  failure: { readonly error: unknown } | undefined;
  /** Resolves when it has ended; undefined once it has. */
  ended: Promise<void> | undefined;
  isTaken = false;
  private readonly onDone: () => void;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(name: string, given: Promise<Value>, onDone: () => void) {
    super((resolve, reject) => void given.then(resolve, reject));
    this.name = name;
    this.onDone = onDone;
    // Its failure is handled so: it would end the process.
    this.ended = super.then(
      () => this.end(),
      (error: unknown) => this.end({ error }),
    );
  }

  private end(failure?: { readonly error: unknown }): void {
    this.failure = failure;
    this.ended = undefined;
    if (this.isTaken) this.onDone();
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<Fulfilled = Value, Rejected = never>(
    ...given: Parameters<Promise<Value>['then']>
  ): Promise<Fulfilled | Rejected> {
    this.isTaken = true;
    if (this.ended === undefined) this.onDone();
    return super.then(...given) as Promise<Fulfilled | Rejected>;
  }
}
