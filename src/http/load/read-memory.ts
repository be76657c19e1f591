import { FairQueue } from '../../lib/fair-queue.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import { ClientGone } from '../../databases/database.ts';
import { ApiFailure } from '../../records/api-failure.ts';
import { maxCharacters, RowBudget, RowShortage, type RowMemory } from '../../records/row-budget.ts';
import type { Requester, Statement } from '../../sql/statement.ts';
import { overloaded } from './admission.ts';
import { bytesPerCharacter, type MemoryBudgets, type Reservation } from './memory-budget.ts';

/** The request that a read is made for. */
export interface ReadRequest {
  readonly reservation: Reservation;
  readonly requester: Requester;
  /** Until when it may wait for memory, on the clock of `performance.now()`. */
  readonly until: number;
  /** The most characters of its rows; absent: as many as there is memory for. */
  readonly most: number | undefined;
}

/** What is known of the length of the rows of a read. */
export interface MeasuredRead {
  readonly rows: readonly Statement[];
  /** Absent if it expands nothing. */
  readonly selection?: { readonly expand: readonly unknown[] };
}

/** A read that waits for memory. */
interface Waiter {
  readonly reservation: Reservation;
  readonly bytes: number;
  readonly isLarge: boolean;
  readonly begin: () => void;
}

/** The most characters that a record of an unknown read is taken to have. */
const mostGuessed = 500;
/** An unknown read of more records, or with expansions, is taken for so much of the memory. */
const fewRecords = 100;
const unknownShare = 1 / 4;
/** A read of more bytes, or of such a share of the memory, is large: it keeps the thread busy for some 20 ms and more. */
const largeBytes = 4 * 1024 * 1024;
const largeShare = 1 / 16;
/**
 * The pause after a large read, in which other reads run: this multiple of the time that the read and its response took, up
 * to `longestPause` ms, since part of that time may have been spent waiting for the database.
 */
const othersShare = 3;
const longestPause = 2_000;

/**
 * Admits reads by the memory that their responses are expected to take: the number of records times the average length of
 * those of earlier responses of the same plan. Others wait, and callers take turns. A read that meets longer rows reserves
 * more; if there is none, it drops its rows, waits and runs again. See docs/contract/6-operation.md#memory.
 */
export class ReadMemory {
  private readonly budgets: MemoryBudgets;
  private readonly largeBytes: number;
  /** The average length of a record with its expansions, in characters. */
  private readonly lengths = new WeakMap<MeasuredRead, number>();
  private readonly waiting = new FairQueue<Waiter>();
  private isScheduled = false;
  private timer: NodeJS.Timeout | undefined;
  /** How many large reads have begun whose response is not made, and when the next may begin. */
  private large = 0;
  private nextLargeAt = 0;
  /** How many other reads began since a large one has ended. */
  private others = 0;

  constructor(budgets: MemoryBudgets) {
    this.budgets = budgets;
    this.largeBytes = Math.min(largeBytes, budgets.reads.capacity * largeShare);
    for (const budget of [budgets.all, budgets.small]) budget.onRelease = () => this.schedule();
  }

  /**
   * Runs a read of at most `records` records. The memory stays reserved until the reservation is released. `isAgain`: the read
   * had to give up its rows, and counts as large.
   */
  run<Value>(
    request: ReadRequest,
    compiled: MeasuredRead,
    records: number,
    read: (budget: RowBudget) => MaybePromise<Value>,
    isAgain = false,
  ): MaybePromise<Value> {
    const known = this.lengths.get(compiled);
    const expected =
      known === undefined ? this.guess(compiled, records) : Math.ceil(records * known);
    const { reservation, requester } = request;
    const most = request.most ?? this.mostCharacters;
    const bytes = Math.min(expected, most) * bytesPerCharacter;
    // A further read of a request goes on with the first.
    const isFurther = reservation.onRelease !== undefined;
    const isKnown = known !== undefined;
    const isLarge = (isAgain || (isKnown && bytes > this.largeBytes)) && !isFurther;
    const mostSmall = Math.max(this.largeBytes, bytes);
    if (!isLarge) this.others += 1;
    return after(this.admit(request, bytes, isLarge), () => {
      const memory: RowMemory = {
        tryGrow: (characters) => {
          const more = characters * bytesPerCharacter;
          // What turns out to be large begins anew, in its turn.
          const mayGrow = isLarge || isFurther || reservation.reserved + more <= mostSmall;
          return mayGrow && reservation.tryGrow(more);
        },
        madeLonger: (characters) => {
          reservation.grow(characters * bytesPerCharacter);
          this.learn(compiled, budget);
        },
      };
      const budget = new RowBudget({ most, memory, expected, isLearned: isKnown, requester });
      const again = (error: unknown): MaybePromise<Value> => {
        this.learn(compiled, budget);
        if (!(error instanceof RowShortage)) throw error;
        reservation.release();
        return this.run(request, compiled, records, read, true);
      };
      let value: MaybePromise<Value>;
      try {
        value = read(budget);
      } catch (error) {
        return again(error);
      }
      if (value instanceof Promise)
        return value.then((result) => {
          this.learn(compiled, budget);
          return result;
        }, again);
      this.learn(compiled, budget);
      return value;
    });
  }

  /** The most characters of one response, so that a single one does not fill more than the memory. */
  private get mostCharacters(): number {
    return Math.min(maxCharacters, this.budgets.reads.capacity / bytesPerCharacter);
  }

  /** Reserves bytes, at once if they fit; otherwise resolves once they do. Fails with `OVERLOADED` if that takes too long. */
  private admit(
    { reservation, requester, until }: ReadRequest,
    bytes: number,
    isLarge: boolean,
  ): Promise<void> | undefined {
    if (this.mayBegin(isLarge) && reservation.tryGrow(bytes)) {
      if (isLarge) this.beginLarge(reservation);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const { caller } = requester;
      const end = (): void => {
        clearTimeout(timer);
        stay();
      };
      const refuse = (error: unknown): void => {
        if (!this.waiting.remove(caller, waiter)) return;
        end();
        reject(error);
      };
      const begin = (): void => {
        end();
        resolve();
      };
      const waiter: Waiter = { reservation, bytes, isLarge, begin };
      this.waiting.push(caller, waiter);
      if (isLarge) this.scheduleAt(this.nextLargeAt);
      const timer = setTimeout(
        () => refuse(new ApiFailure(overloaded)),
        Math.max(0, until - performance.now()),
      );
      const stay = requester.onGone(() => refuse(new ClientGone()));
    });
  }

  /**
   * Whether a read may begin, if there is memory for it. Large ones do not overtake those that wait.
   */
  private mayBegin(isLarge: boolean): boolean {
    return !isLarge || (this.waiting.size === 0 && this.mayBeginLarge(performance.now()));
  }

  /** If there are others, large reads run one at a time and take a quarter of the time. */
  private mayBeginLarge(now: number): boolean {
    return (this.large === 0 || this.others <= 1) && now >= this.nextLargeAt;
  }

  /** Counts a large read until its response is made: that takes longer than to read its rows. */
  private beginLarge(reservation: Reservation): void {
    const begin = performance.now();
    this.large += 1;
    reservation.onRelease = () => {
      this.large -= 1;
      const now = performance.now();
      const wait = this.others > 1 ? Math.min(longestPause, (now - begin) * othersShare) : 0;
      this.others = 0;
      this.nextLargeAt = now + wait;
      this.scheduleAt(this.nextLargeAt);
    };
  }

  /**
   * In the next turn of the event loop: sockets are written and closed between two turns, so that reads which follow each
   * other within one would pile up responses.
   */
  private schedule(): void {
    if (this.isScheduled || this.waiting.size === 0) return;
    this.isScheduled = true;
    setImmediate(() => this.beginWaiting());
  }

  private beginWaiting(): void {
    this.isScheduled = false;
    for (;;) {
      const now = performance.now();
      const mayBeginLarge = this.mayBeginLarge(now);
      const waiter = this.waiting.shift(
        (_, { reservation, bytes, isLarge }) =>
          (!isLarge || mayBeginLarge) && reservation.mayGrow(bytes),
      );
      if (waiter === undefined) {
        // A timer may come a fraction of a ms early.
        if (this.waiting.size > 0 && now < this.nextLargeAt) this.scheduleAt(this.nextLargeAt);
        return;
      }
      const { reservation, bytes, isLarge, begin } = waiter;
      reservation.tryGrow(bytes);
      if (isLarge) this.beginLarge(reservation);
      begin();
    }
  }

  private scheduleAt(time: number): void {
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.schedule();
      },
      Math.max(1, time - performance.now()),
    ).unref();
  }

  /** The length of a response of which nothing is known but what the model says. */
  private guess({ rows, selection }: MeasuredRead, records: number): number {
    const most = Math.max(...rows.map(({ rowLength }) => rowLength?.most ?? mostGuessed));
    const least = records * Math.min(most, mostGuessed);
    if (records <= fewRecords && (selection?.expand ?? []).length === 0) return least;
    const share = (this.budgets.reads.capacity * unknownShare) / bytesPerCharacter;
    return Math.max(least, Math.min(share, records * most));
  }

  /** Longer records count at once, shorter ones by and by: too much memory is safer than too little. */
  private learn(compiled: MeasuredRead, { used, records }: RowBudget): void {
    const length = used / Math.max(1, records);
    const known = this.lengths.get(compiled);
    if (known === undefined || length > known) this.lengths.set(compiled, length);
    else if (length < known / 2) this.lengths.set(compiled, known + (length - known) / 8);
  }
}
