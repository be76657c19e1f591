import { ownMemory } from '../../databases/sqlite/slow-reads/reader-processes.ts';

const mebibyte = 1024 * 1024;

/**
 * Bytes that requests may hold together. A budget within another one is a share of it: its reservations count in both, so
 * that one use cannot take the bytes of all others.
 */
export class MemoryBudget {
  /** In bytes. */
  readonly capacity: number;
  /** Called after each release of this budget or of a share of it. */
  onRelease: (() => void) | undefined;
  private readonly whole: MemoryBudget | undefined;
  private held = 0;

  constructor(capacity: number, whole?: MemoryBudget) {
    this.capacity = capacity;
    this.whole = whole;
  }

  /** How many bytes are reserved. */
  get reserved(): number {
    return this.held;
  }

  /** How many bytes other shares of the whole have reserved. */
  get othersHold(): number {
    return this.whole === undefined ? 0 : this.whole.held - this.held;
  }

  /** Whether `reserve` went beyond the capacity. */
  get isExceeded(): boolean {
    return this.held > this.capacity;
  }

  /** Reserves bytes that are there already, whether they fit or not. */
  reserve(bytes: number): void {
    this.held += bytes;
    this.whole?.reserve(bytes);
  }

  /** Reserves bytes if they fit. */
  tryReserve(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.reserve(bytes);
    return true;
  }

  /** Whether so many more bytes fit. Into an empty budget any number fits: else a large request would never be served. */
  fits(bytes: number): boolean {
    const isWithin = this.held === 0 || this.held + bytes <= this.capacity;
    return isWithin && (this.whole === undefined || this.whole.fits(bytes));
  }

  release(bytes: number): void {
    this.held -= bytes;
    this.whole?.release(bytes);
    this.onRelease?.();
  }
}

/**
 * What one request has reserved, released as a whole: of the budget of small requests, unless it needs more than one of
 * those may have, or that budget is full.
 */
export class Reservation {
  /** Called once all is released. */
  onRelease: (() => void) | undefined;
  private readonly small: MemoryBudget;
  private readonly large: MemoryBudget;
  private budget: MemoryBudget;
  private bytes = 0;

  constructor(small: MemoryBudget, large: MemoryBudget) {
    this.small = small;
    this.large = large;
    this.budget = small;
  }

  /** How many bytes are reserved. */
  get reserved(): number {
    return this.bytes;
  }

  /** Whether `tryGrow` would reserve the bytes. */
  mayGrow(bytes: number): boolean {
    return this.budgetFor(bytes) !== undefined;
  }

  /** Reserves more bytes if they fit. */
  tryGrow(bytes: number): boolean {
    const budget = this.budgetFor(bytes);
    if (budget === undefined) return false;
    if (budget !== this.budget) this.moveTo(budget);
    this.grow(bytes);
    return true;
  }

  /** Another reservation in the same budgets. */
  another(): Reservation {
    return new Reservation(this.small, this.large);
  }

  /** Reserves bytes that are there already. */
  grow(bytes: number): void {
    this.budget.reserve(bytes);
    this.bytes += bytes;
  }

  release(): void {
    if (this.bytes > 0) this.budget.release(this.bytes);
    this.bytes = 0;
    this.budget = this.small;
    const { onRelease } = this;
    this.onRelease = undefined;
    onRelease?.();
  }

  /**
   * The budget with room for these bytes and those already reserved. The large budget takes any number of bytes while no
   * other request uses it and others hold at most half of the whole: otherwise a large request would never be served.
   */
  private budgetFor(bytes: number): MemoryBudget | undefined {
    const { small, large } = this;
    const isSmall = this.budget === small;
    const all = this.bytes + bytes;
    if (isSmall && all <= small.capacity * mostOfSmall && small.fits(bytes)) return small;
    const own = isSmall ? 0 : this.bytes;
    const isSole = large.reserved === own && large.othersHold <= large.capacity / 2;
    return isSole || large.fits(all - own) ? large : undefined;
  }

  private moveTo(budget: MemoryBudget): void {
    this.budget.release(this.bytes);
    budget.reserve(this.bytes);
    this.budget = budget;
  }
}

/**
 * How many bytes a byte of a body takes: it is there as bytes, as text, as parsed records, as the values that are written and
 * as the response, and the garbage collector comes late. Measured with long arrays of records: 16 times, half of which is the
 * half of the memory that the budget leaves.
 */
export const bytesPerBodyByte = 8;
/**
 * How many bytes a character of a row takes, by the count of `lengthOf`: it is there as a value, in its record, in the text
 * of the response and as bytes for the socket.
 */
export const bytesPerCharacter = 4;
/** However much memory there is, and in however little. */
const mostBytes = 1024 * mebibyte;
const fewestBytes = 16 * mebibyte;
/** The share of unsent responses, of exports, and of what waits for own code: what is slow cannot keep bodies out. */
const share = 1 / 4;
/** So many bodies of the longest length fit, if nothing else is reserved. */
const longestBodies = 4;
/** What is kept for small requests, which large ones would keep waiting until slow clients have read them. */
const smallShare = 1 / 8;
/** The most that one request may hold of what is kept for small ones. */
const mostOfSmall = 1 / 16;

/** What requests may hold together, and the shares of it. */
export interface MemoryBudgets {
  /** All but what is kept for small requests. */
  readonly all: MemoryBudget;
  readonly small: MemoryBudget;
  /** Responses from the first row that is read until they are sent. */
  readonly reads: MemoryBudget;
  readonly unsent: MemoryBudget;
  readonly exports: MemoryBudget;
  /** Records whose `afterCommit` is yet to end. */
  readonly commits: MemoryBudget;
}

/** The budget's share of what a server does not take for itself. A quarter is for processes that read, and as much as the budget for garbage. */
const budgetShare = 3 / 8;

/** The budgets of a server whose process may take `memory` bytes; `chosen`: how many bytes the file gives them. */
export function memoryBudgets(memory: number, bodyLimit: number, chosen?: number): MemoryBudgets {
  const own = Math.floor((memory - ownMemory) * budgetShare);
  const bytes = chosen ?? Math.max(fewestBytes, Math.min(mostBytes, own));
  const forLarge = bytes * (1 - smallShare);
  const all = new MemoryBudget(Math.max(forLarge, longestBodies * bodyLimit * bytesPerBodyByte));
  return {
    all,
    small: new MemoryBudget(bytes * smallShare),
    reads: new MemoryBudget(all.capacity, all),
    unsent: new MemoryBudget(bytes * share, all),
    exports: new MemoryBudget(bytes * share, all),
    commits: new MemoryBudget(bytes * share, all),
  };
}
