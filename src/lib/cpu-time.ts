/**
 * A stopwatch that leaves out what the system gave to others meanwhile: where there is much to do, a short read may take
 * long by the clock. Waiting for the disk counts, since it holds up others as much as work does.
 */
export class OwnTime {
  private readonly begin = performance.now();
  private readonly used = process.resourceUsage();

  /** In ms since it was made. */
  get passed(): number {
    const passed = performance.now() - this.begin;
    const { used } = this;
    const now = process.resourceUsage();
    if (now.involuntaryContextSwitches === used.involuntaryContextSwitches) return passed;
    const microseconds =
      now.userCPUTime - used.userCPUTime + now.systemCPUTime - used.systemCPUTime;
    return Math.min(passed, microseconds / 1000);
  }
}
