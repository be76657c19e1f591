import type { ToldMetric } from '../../http/server/fleet.ts';

/**
 * What workers have counted that do not tell it now: those that are too busy to answer, as they told it last, and those
 * that have ended. Without them a sum would fall and rise again, which whoever reads counters takes for a new beginning.
 */
export class KeptCounts {
  /** By the number of the worker. */
  private readonly last = new Map<number, readonly ToldMetric[]>();
  private ended: readonly ToldMetric[] = [];

  /** To be called as it is heard: after its end, what a worker has counted is among the sums. */
  told(worker: number, metrics: readonly ToldMetric[]): void {
    this.last.set(worker, metrics.filter(isCount));
  }

  /** A worker has ended; its place is another one's, which begins at 0. */
  end(worker: number): void {
    const last = this.last.get(worker);
    if (last !== undefined) this.ended = summed([...this.ended, ...last]);
    this.last.delete(worker);
  }

  /** What one worker is to add to its own: the answers of others, and what those have counted that gave none. */
  others(
    asker: number,
    answers: ReadonlyMap<number, readonly ToldMetric[]>,
  ): readonly (readonly ToldMetric[])[] {
    // Who has ended since it answered is among the sums.
    const told = [...answers].filter(([worker]) => this.last.has(worker));
    const silent = [...this.last].filter(([worker]) => worker !== asker && !answers.has(worker));
    const kept = summed([...this.ended, ...silent.flatMap(([, last]) => last)]);
    return [...told.map(([, metrics]) => metrics), kept];
  }
}

/** What is no count is of one moment. */
function isCount({ type }: ToldMetric): boolean {
  return type === 'counter' || type === 'histogram';
}

/** Metrics of the same name as one, in which what has the same labels is added up. */
function summed(metrics: readonly ToldMetric[]): readonly ToldMetric[] {
  const byName = new Map<string, ToldMetric>();
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

function keyOf({ metricName, labels }: ToldMetric['values'][number]): string {
  return JSON.stringify([metricName, labels]);
}
