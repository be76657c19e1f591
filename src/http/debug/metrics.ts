import { performance } from 'node:perf_hooks';
import type { Metric, Registry } from 'prom-client';
import type { Database, ServerState } from '../../databases/database.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Workers, SerializedMetric } from '../server/workers.ts';
import { routeName, type DependencyEvent } from '../../observability/events.ts';

/** The upper bounds of the latency histogram, in ms. */
const bounds = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/** The counts of one endpoint. */
interface Series {
  readonly route: string;
  readonly byStatus: Map<number, number>;
  /** Requests by bound; the last item counts those above all bounds. */
  readonly buckets: number[];
  sum: number;
}

interface CodeCalls {
  readonly name: string;
  readonly outcome: 'done' | 'failed' | 'dropped';
  count: number;
  time: number;
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How workers' values are combined; by default the sum. */
  readonly together?: 'max';
  readonly samples: () => readonly Sample[];
}

/**
 * The metrics of `/_metrics`. Requests are counted in plain numbers, which costs next to nothing; the library is loaded
 * by the first scrape. See docs/contract/6-operation.md#metrics.
 */
export class Metrics {
  private readonly series = new Map<string, Map<string, Series>>();
  private readonly databases = new WeakMap<Database, Database>();
  private database: Database | undefined;
  private readonly dependencies = new Map<DependencyEvent['name'], 0 | 1>([
    ['signing keys', 0],
    ['rate limit store', 0],
  ]);
  private inFlight = 0;
  private databaseTime = 0;
  private databaseCalls = 0;
  private rateLimited = 0;
  private shed = 0;
  /** Calls of functions of own code, and their time in ms, by function and outcome. */
  private readonly code = new Map<string, CodeCalls>();
  private registry: Promise<Registry> | undefined;
  private readonly workers: Workers | undefined;
  private readonly keyUses: () => ReadonlyMap<string, { readonly at: number }>;

  /** With workers, each answers with the metrics of all. `keyUses`: when each API key was last used, in ms since 1970. */
  constructor(workers?: Workers, keyUses: Metrics['keyUses'] = () => new Map()) {
    this.workers = workers;
    this.keyUses = keyUses;
    workers?.respond('metrics', async () => {
      this.registry ??= this.makeRegistry();
      return summable(await (await this.registry).getMetricsAsJSON());
    });
  }

  began(): void {
    this.inFlight += 1;
  }

  /** A request has ended; `route` and `operation` are bounded in number. */
  ended(
    { route, operation }: { readonly route: string; readonly operation: string },
    status: number,
    code: string | undefined,
    duration: number,
  ): void {
    this.inFlight -= 1;
    const series = this.seriesOf(route, operation);
    const { byStatus, buckets } = series;
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    let index = 0;
    while (index < bounds.length && duration > (bounds[index] ?? 0)) index += 1;
    buckets[index] = (buckets[index] ?? 0) + 1;
    series.sum += duration;
    if (status === 429) this.rateLimited += 1;
    else if (code === 'OVERLOADED') this.shed += 1;
  }

  /** A function of own code has ended, or an `afterCommit` was dropped. */
  ranCode(name: string, outcome: CodeCalls['outcome'], duration: number): void {
    const key = `${outcome} ${name}`;
    const calls = this.code.get(key);
    if (calls === undefined) this.code.set(key, { name, outcome, count: 1, time: duration });
    else {
      calls.count += 1;
      calls.time += duration;
    }
  }

  private seriesOf(route: string, operation: string): Series {
    let byOperation = this.series.get(route);
    if (byOperation === undefined) {
      byOperation = new Map();
      this.series.set(route, byOperation);
    }
    let series = byOperation.get(operation);
    if (series === undefined) {
      series = {
        route: routeName({ route, operation }),
        byStatus: new Map(),
        buckets: Array(bounds.length + 1).fill(0),
        sum: 0,
      };
      byOperation.set(operation, series);
    }
    return series;
  }

  /** A database whose calls are timed. The same database gives the same object. */
  measured(database: Database): Database {
    this.database = database;
    return this.sameMeasured(database);
  }

  private sameMeasured(database: Database): Database {
    let measured = this.databases.get(database);
    if (measured === undefined) {
      measured = this.measure(database);
      this.databases.set(database, measured);
    }
    return measured;
  }

  private measure(database: Database): Database {
    const count = (begin: number): void => {
      this.databaseTime += performance.now() - begin;
      this.databaseCalls += 1;
    };
    const timed = <Answer>(begin: number, answer: Promise<Answer>): Promise<Answer> => {
      const end = (): void => count(begin);
      void answer.then(end, end);
      return answer;
    };
    const counted = <Answer>(ask: () => MaybePromise<Answer>): MaybePromise<Answer> => {
      const begin = performance.now();
      let answer: MaybePromise<Answer> | undefined;
      try {
        answer = ask();
        return answer;
      } finally {
        // A synchronous result blocked only this request.
        if (answer instanceof Promise) void timed(begin, answer);
        else count(begin);
      }
    };
    const { inSession, page, replication, server } = database;
    const measured: Database = {
      dialect: database.dialect,
      asksAtOnce: database.asksAtOnce,
      isOfCaller: database.isOfCaller === true,
      ...(server !== undefined && { server }),
      ...(replication && {
        replication: {
          ...replication,
          reader: (after) => {
            const reader = replication.reader(after);
            return reader.server === undefined ? measured : this.sameMeasured(reader);
          },
        },
      }),
      ...(inSession && { inSession: (settings) => this.measure(inSession(settings)) }),
      all: (statement, values) => counted(() => database.all(statement, values)),
      runGiven: (statement, values) =>
        timed(performance.now(), database.runGiven(statement, values)),
      ...(page && {
        page: (...request) => timed(performance.now(), page(...request)),
      }),
      count: (statement, values) => counted(() => database.count(statement, values)),
      writeOne: (statement, values) =>
        timed(performance.now(), database.writeOne(statement, values)),
      stream: (...request) => timed(performance.now(), database.stream(...request)),
      write: (...request) => timed(performance.now(), database.write(...request)),
      ping: () => database.ping(),
      close: () => database.close(),
    };
    return measured;
  }

  /** The total time that requests have waited for the database, in ms. */
  get totalDatabaseTime(): number {
    return this.databaseTime;
  }

  /** A dependency beside the database has begun to fail, or works again. */
  told({ name, error }: DependencyEvent): void {
    this.dependencies.set(name, error === undefined ? 0 : 1);
  }

  /** The text of `/_metrics` and its media type. */
  async text(): Promise<{ readonly contentType: string; readonly body: string }> {
    this.registry ??= this.makeRegistry();
    const registry = this.workers
      ? await this.together(await this.registry, this.workers)
      : await this.registry;
    return { contentType: registry.contentType, body: await registry.metrics() };
  }

  private async together(
    own: Registry,
    workers: Workers,
  ): Promise<Pick<Registry, 'contentType' | 'metrics'>> {
    const { AggregatorRegistry } = await import('prom-client');
    const first = summable(await own.getMetricsAsJSON());
    const others = await workers.callOthers('metrics', first);
    return AggregatorRegistry.aggregate([first, ...others] as object[]);
  }

  private async makeRegistry(): Promise<Registry> {
    const { Registry: MetricRegistry, collectDefaultMetrics } = await import('prom-client');
    const registry = new MetricRegistry();
    collectDefaultMetrics({ register: registry });
    for (const { name, help, type, samples, together = 'sum' } of this.families())
      registry.registerMetric({
        name,
        get: async () => ({ name, help, type, values: samples(), aggregator: together }),
        // The library accepts any object of this form; only its types require its own classes.
      } as unknown as Metric);
    return registry;
  }

  private get all(): readonly Series[] {
    return [...this.series.values()].flatMap((byOperation) => [...byOperation.values()]);
  }

  private families(): readonly Family[] {
    const one =
      (value: () => number): Family['samples'] =>
      () => [{ labels: {}, value: value() }];
    const latency = 'plinth_request_duration_seconds';
    return [
      {
        name: 'plinth_requests_total',
        help: 'Requests by endpoint and status.',
        type: 'counter',
        samples: () =>
          this.all.flatMap(({ route, byStatus }) =>
            [...byStatus].map(([status, value]) => ({ labels: { route, status }, value })),
          ),
      },
      {
        name: latency,
        help: 'Time from the arrival of a request until its answer was handed to the connection.',
        type: 'histogram',
        samples: () => this.all.flatMap((series) => histogram(latency, series)),
      },
      {
        name: 'plinth_requests_in_flight',
        help: 'Requests that are being answered.',
        type: 'gauge',
        samples: one(() => this.inFlight),
      },
      {
        name: 'plinth_processes',
        help: 'Processes that serve together; fewer than --workers while one is being replaced.',
        type: 'gauge',
        samples: one(() => 1),
      },
      {
        name: 'plinth_requests_rate_limited_total',
        help: 'Requests that a rate limit has refused.',
        type: 'counter',
        samples: one(() => this.rateLimited),
      },
      {
        name: 'plinth_requests_shed_total',
        help: 'Requests refused because there were too many at once.',
        type: 'counter',
        samples: one(() => this.shed),
      },
      {
        name: 'plinth_dependency_failing',
        help: 'Whether something outside cannot be reached, beside the database; quotas are then counted by each server alone.',
        type: 'gauge',
        together: 'max',
        samples: () =>
          [...this.dependencies].map(([dependency, value]) => ({ labels: { dependency }, value })),
      },
      {
        name: 'plinth_key_last_used_seconds',
        help: 'When each API key was last used, in seconds since 1970; 0 if not since the server started.',
        type: 'gauge',
        together: 'max',
        samples: () =>
          [...this.keyUses()].map(([key, { at }]) => ({ labels: { key }, value: at / 1000 })),
      },
      {
        name: 'plinth_own_code_calls_total',
        help: 'Calls of functions of own code by outcome; an afterCommit is dropped if too many wait.',
        type: 'counter',
        samples: () =>
          [...this.code.values()].map(({ name, outcome, count }) => ({
            labels: { function: name, outcome },
            value: count,
          })),
      },
      {
        name: 'plinth_own_code_seconds_total',
        help: 'Time from the beginning to the end of functions of own code.',
        type: 'counter',
        samples: () =>
          [...this.code.values()].map(({ name, outcome, time }) => ({
            labels: { function: name, outcome },
            value: time / 1000,
          })),
      },
      {
        name: 'plinth_database_seconds_total',
        help: 'Time that requests have waited for the database.',
        type: 'counter',
        samples: one(() => this.databaseTime / 1000),
      },
      {
        name: 'plinth_database_calls_total',
        help: 'Reads and transactions that requests have asked of the database.',
        type: 'counter',
        samples: one(() => this.databaseCalls),
      },
      {
        name: 'plinth_database_connections',
        help: 'Connections of the pool by state; waiting are the requests that wait for one.',
        type: 'gauge',
        samples: () =>
          Object.entries(this.database?.connections?.() ?? {}).map(([state, value]) => ({
            labels: { state },
            value: Number(value),
          })),
      },
      {
        name: 'plinth_database_server_used',
        help: 'The processes that use a server of the database, if it has replicas.',
        type: 'gauge',
        samples: () => this.servers(({ use }) => (use === 'used' ? 1 : 0)),
      },
      {
        name: 'plinth_database_server_lag_seconds',
        help: 'By how much time a server of the database is behind the primary.',
        type: 'gauge',
        together: 'max',
        samples: () => this.servers(({ lag }) => lag && lag / 1_000),
      },
      {
        name: 'plinth_database_server_reads_total',
        help: 'Requests whose reads went to a server of the database.',
        type: 'counter',
        samples: () => this.servers(({ reads }) => reads),
      },
    ];
  }

  /** A sample of each server of the database, if it has replicas. */
  private servers(valueOf: (state: ServerState) => number | undefined): readonly Sample[] {
    return (this.database?.replication?.servers() ?? []).flatMap((state) => {
      const value = valueOf(state);
      return value === undefined ? [] : [{ labels: { server: state.server }, value }];
    });
  }
}

/** Counters are rounded to this: a power of two, so that sums are exact. */
const grain = 2 ** -20;

/**
 * Rounds counters so that their sum does not depend on the order of workers. Otherwise a sum could fall in its last
 * digit, which Prometheus takes for a counter reset.
 */
function summable(metrics: readonly SerializedMetric[]): readonly SerializedMetric[] {
  return metrics.map((metric) => {
    if (metric.type !== 'counter' && metric.type !== 'histogram') return metric;
    const values = metric.values.map((sample) => ({
      ...sample,
      value: Math.floor(sample.value / grain) * grain,
    }));
    return { ...metric, values };
  });
}

function histogram(name: string, { route, buckets, sum }: Series): readonly Sample[] {
  let count = 0;
  const samples: Sample[] = buckets.map((value, index) => {
    const bound = bounds[index];
    count += value;
    return {
      metricName: `${name}_bucket`,
      labels: { le: bound === undefined ? '+Inf' : bound / 1000, route },
      value: count,
    };
  });
  return [
    ...samples,
    { metricName: `${name}_sum`, labels: { route }, value: sum / 1000 },
    { metricName: `${name}_count`, labels: { route }, value: count },
  ];
}
