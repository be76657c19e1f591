/** How many requests use something, and who waits until none does. */
export class InFlight {
  private count = 0;
  private waiting: (() => void)[] = [];

  get isNone(): boolean {
    return this.count === 0;
  }

  enter(): void {
    this.count += 1;
  }

  leave(): void {
    this.count -= 1;
    if (this.count > 0 || this.waiting.length === 0) return;
    const told = this.waiting;
    this.waiting = [];
    for (const tell of told) tell();
  }

  /** Resolves when nobody uses it. */
  async none(): Promise<void> {
    while (this.count > 0)
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
  }
}
