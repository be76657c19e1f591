import type { SerializedMetric } from '../../http/server/workers.ts';

type Metrics = readonly SerializedMetric[];

/**
 * Keeps the counters of workers that do not respond now: the last values of those that are too busy, and the sum of those
 * that have ended. Without them a total would fall, and monitoring takes a counter that falls for a restart.
 */
export class LastingCounters {
  /** The last values of each worker, by its id. */
  private readonly last = new Map<number, Metrics>();
  private ended: Metrics = [];

  /** Call it as soon as a worker has responded: when it ends, its last values go into the sum. */
  update(worker: number, metrics: Metrics): void {
    this.last.set(worker, metrics.filter(isCumulative));
  }

  /** A worker has ended. Its replacement starts at 0. */
  remove(worker: number): void {
    const last = this.last.get(worker);
    if (last !== undefined) this.ended = summed([...this.ended, ...last]);
    this.last.delete(worker);
  }

  /** What `caller` has to add to its own metrics: those of the others, and the kept counters of those that are missing. */
  others(caller: number, results: ReadonlyMap<number, Metrics>): readonly Metrics[] {
    // A worker that has ended since it responded is in the sum.
    const live = [...results].filter(([worker]) => this.last.has(worker));
    const silent = [...this.last].filter(([worker]) => worker !== caller && !results.has(worker));
    const kept = summed([...this.ended, ...silent.flatMap(([, last]) => last)]);
    return [...live.map(([, metrics]) => metrics), kept];
  }
}

function isCumulative({ type }: SerializedMetric): boolean {
  return type === 'counter' || type === 'histogram';
}

/** One metric for each name; values with the same labels are added. */
function summed(metrics: Metrics): Metrics {
  const byName = new Map<string, SerializedMetric>();
  for (const metric of metrics) {
    const values = new Map(byName.get(metric.name)?.values.map((one) => [keyOf(one), one]));
    for (const sample of metric.values) {
      const key = keyOf(sample);
      values.set(key, { ...sample, value: (values.get(key)?.value ?? 0) + sample.value });
    }
    byName.set(metric.name, { ...metric, values: [...values.values()] });
  }
  return [...byName.values()];
}

function keyOf({ metricName, labels }: SerializedMetric['values'][number]): string {
  return JSON.stringify([metricName, labels]);
}
