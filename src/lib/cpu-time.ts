/**
 * A stopwatch that leaves out the time in which the system ran other processes: on a busy machine a short read takes long by
 * the clock. Time spent waiting for the disk counts, since it delays other requests as work does.
 */
export class OwnTime {
  private readonly begin = performance.now();
  private readonly used = process.resourceUsage();

  /** In ms. */
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
