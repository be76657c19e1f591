/**
 * In a crowd a turn serves for so long, in ms, and refuses who else has come, who hears it soon therefore. Beside a long
 * answer refusing costs nothing, but beside a short one it does: each ms of serving makes room for a share of one of
 * refusing, which is kept until it is needed, up to `mostRoom` ms; without room a turn goes on serving.
 */
const serving = 16;
const share = 1 / 6;
const mostRoom = 100;
/**
 * More come than are answered where `growth` times as many come in each turn as in the one before it. Turns will be too long
 * then, which is acted on once one took so many ms, and the one before it `grown` ms.
 */
const growth = 1.5;
const foreseen = 30;
const grown = 5;
/** Turns that are further apart have nothing to do with each other, in ms. */
const apart = 5;
/** So few are never too many: each takes long then, and refusing others would not help them. */
export const few = 64;
/**
 * A crowd is over when all who could ask wait for so much of the longest delay at most, lest it be found out again and again
 * where they wait for about that long, each time by refusing late. And after so long without a refusal, in ms.
 */
const calm = 0.5;
const over = 500;

/**
 * Finds out from how long turns of the event loop take that more requests come than can be answered in time, and which of
 * them to refuse then. Times are in ms.
 */
export class Crowd {
  /** How many have come in this turn; 0 between two. */
  come = 0;
  private began = 0;
  /** When the one before it ended, how many had come in it, and whether that was `growth`. */
  private ended = 0;
  private lastCome = 0;
  private hasGrown = false;
  private isCrowded = false;
  /** In a crowd: whether those are refused who come from `since` to `until`. */
  private isRefusing = false;
  private since = 0;
  private until = 0;
  private lastRefusal = -Infinity;
  /** How long refusing may take. */
  private room = mostRoom;
  /** How many this turn has served, and how long that took. */
  private served = 0;
  private servedFor = 0;
  private readonly maxDelay: number;
  private readonly askers: () => number;

  /** `maxDelay`: how long a turn may take; `askers`: how many could ask, each of whom has one request at a time. */
  constructor(maxDelay: number, askers: () => number) {
    this.maxDelay = maxDelay;
    this.askers = askers;
  }

  beginTurn(now: number): void {
    if (now - this.lastRefusal > over) this.isCrowded = false;
    if (!this.isCrowded) this.room = mostRoom;
    if (now - this.ended > apart) this.hasGrown = false;
    [this.began, this.served, this.servedFor] = [now, 0, 0];
    [this.isRefusing, this.since, this.until] = [false, now, now + serving];
  }

  /** Whether one more is served, which comes now. */
  takes(now: number): boolean {
    if (!this.isCrowded) this.isCrowded = this.isTooLong(now - this.began);
    if (this.isCrowded && now >= this.until) {
      this.settle(now);
      this.isRefusing = !this.isRefusing && this.room > 0;
      this.until = now + (this.isRefusing ? this.room : serving);
    }
    this.come += 1;
    if (this.isRefusing) this.lastRefusal = now;
    else this.served += 1;
    return !this.isRefusing;
  }

  /** Gives how long it took. */
  endTurn(now: number): number {
    this.settle(now);
    const took = now - this.began;
    this.hasGrown = this.grows && took >= grown;
    [this.ended, this.lastCome, this.come] = [now, this.come, 0];
    // Those who are refused come again at once: that they are many does not show that they are too many. What little a
    // short turn has served says nothing of how long each takes.
    if (this.isCrowded && this.servedFor >= serving)
      this.isCrowded = this.waitFor(this.servedFor / this.served) > calm * this.maxDelay;
    return took;
  }

  private isTooLong(took: number): boolean {
    if (took > this.maxDelay) return this.come >= few;
    const goesOn = this.hasGrown && took > foreseen && this.grows;
    return goesOn && this.waitFor(took / this.come) > this.maxDelay;
  }

  private get grows(): boolean {
    return this.come > this.lastCome * growth;
  }

  /** How long all who could ask would have to wait, where each takes so long; a few do not count. */
  private waitFor(each: number): number {
    const askers = this.askers();
    return askers > few ? each * askers : 0;
  }

  /** Counts the time since the last change between serving and refusing. */
  private settle(now: number): void {
    const passed = now - this.since;
    this.since = now;
    if (this.isRefusing) this.room -= passed;
    else {
      this.servedFor += passed;
      this.room = Math.min(mostRoom, this.room + passed * share);
    }
  }
}
