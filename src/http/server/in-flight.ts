/** Counts the requests that use something, and waits until there are none. */
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
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when there are none. */
  async none(): Promise<void> {
    while (this.count > 0)
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
  }
}
