/**
 * How many connections or processes each caller uses: at most half of them at a time, and at least one. The service itself,
 * without a name, has no limit. See docs/contract/6-operation.md#shares, rule 1.
 */
export class CallerShares {
  private readonly most: number;
  private readonly used = new Map<string, number>();

  /** `size`: the number of connections or processes. */
  constructor(size: number) {
    this.most = Math.max(1, Math.floor(size / 2));
  }

  isUsedUp(caller: string | undefined): boolean {
    return caller !== undefined && (this.used.get(caller) ?? 0) >= this.most;
  }

  take(caller: string | undefined): void {
    if (caller !== undefined) this.used.set(caller, (this.used.get(caller) ?? 0) + 1);
  }

  giveBack(caller: string | undefined): void {
    if (caller === undefined) return;
    const left = (this.used.get(caller) ?? 0) - 1;
    if (left > 0) this.used.set(caller, left);
    else this.used.delete(caller);
  }
}
