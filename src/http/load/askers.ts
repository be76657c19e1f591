/**
 * How long who has not asked is still expected to, at least, in ms; at most twice as long. In a crowd some do not ask for
 * seconds, since others that were refused are asked with again.
 */
const expected = 10_000;

/**
 * The connections on which requests may come soon: those that were made or have asked lately. Others rest, as thousands may
 * for hours, and say nothing of how much there will be to do.
 */
export class Askers {
  private recent = new Set<object>();
  /** Those of the time before that have not asked since. */
  private former = new Set<object>();
  private readonly timer: NodeJS.Timeout;

  /** `interval`: how long who has not asked is expected to, in ms. */
  constructor(interval = expected) {
    this.timer = setInterval(() => this.age(), interval).unref();
  }

  /** How many there are. */
  get count(): number {
    return this.recent.size + this.former.size;
  }

  /** It was made, or asks. */
  note(connection: object): void {
    if (this.recent.has(connection)) return;
    this.recent.add(connection);
    this.former.delete(connection);
  }

  /** It has ended. */
  forget(connection: object): void {
    this.recent.delete(connection);
    this.former.delete(connection);
  }

  /** Who has not asked for so long rests. */
  age(): void {
    if (this.count === 0) return;
    this.former = this.recent;
    this.recent = new Set();
  }

  close(): void {
    clearInterval(this.timer);
  }
}
