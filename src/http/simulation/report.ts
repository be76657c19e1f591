/** What the network simulation did to one request, as `_network` shows it. Times in ms, sizes in bytes. */
export interface NetworkReport {
  readonly latency: {
    readonly applied: boolean;
    readonly min: number;
    readonly max: number;
    /** The delay that was measured. */
    readonly actual: number;
  };
  readonly errorRate: {
    readonly applied: boolean;
    readonly rate: number;
    readonly triggered: boolean;
  };
  readonly throttling: {
    readonly applied: boolean;
    /** Bytes a second. */
    readonly rate: number;
    readonly originalSize: number;
    readonly additionalDelay: number;
  };
}

/** The report of a request that nothing was done to. */
export function untouched(originalSize: number): NetworkReport {
  return {
    latency: { applied: false, min: 0, max: 0, actual: 0 },
    errorRate: { applied: false, rate: 0, triggered: false },
    throttling: { applied: false, rate: 0, originalSize, additionalDelay: 0 },
  };
}
