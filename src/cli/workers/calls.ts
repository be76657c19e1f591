import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { SerializedMetric, WorkerCalls, Workers } from '../../http/server/workers.ts';
import { LastingCounters } from './counters.ts';
import { sendTo, type Call, type FromWorker } from './messages.ts';

/** How long a worker may take to respond to a call, in ms. */
const callTimeout = 1_000;

/** In the primary: forwards a worker's call to all others, and returns their results to it. */
export class CallForwarder {
  private readonly pending = new Map<number, (result: unknown) => void>();
  private lastId = 0;
  private readonly counters = new LastingCounters();

  async forward(caller: Worker, { id, name, argument }: Call): Promise<void> {
    const others = Object.values(cluster.workers ?? {}).filter(
      (worker) => worker !== undefined && worker !== caller && worker.isConnected(),
    ) as Worker[];
    const results = new Map<number, unknown>();
    const callOne = async (worker: Worker): Promise<void> => {
      const result = await this.call(worker, name, argument);
      if (result === undefined) return;
      results.set(worker.id, result);
      if (name === 'metrics')
        this.counters.update(worker.id, result as readonly SerializedMetric[]);
    };
    if (name === 'metrics')
      this.counters.update(caller.id, argument as readonly SerializedMetric[]);
    await Promise.all(others.map(callOne));
    const all =
      name === 'metrics'
        ? this.counters.others(
            caller.id,
            results as ReadonlyMap<number, readonly SerializedMetric[]>,
          )
        : [...results.values()];
    sendTo(caller, { plinth: 'results', id, results: all });
  }

  /** A worker has responded. */
  result(id: number, result: unknown): void {
    this.pending.get(id)?.(result);
  }

  /** A worker has ended. */
  remove(worker: Worker): void {
    this.counters.remove(worker.id);
  }

  /** Undefined if the worker does not respond: it has just started, stops or hangs. */
  private async call(worker: Worker, name: Call['name'], argument: unknown): Promise<unknown> {
    this.lastId += 1;
    const id = this.lastId;
    const over = new AbortController();
    const response = new Promise<unknown>((resolve) => {
      this.pending.set(id, resolve);
      sendTo(worker, { plinth: 'call', id, name, argument });
    });
    const timeout = delay(callTimeout, undefined, { signal: over.signal }).catch(() => undefined);
    const result = await Promise.race([response, timeout]);
    over.abort();
    this.pending.delete(id);
    return result;
  }
}

/** In a worker: its calls to the others, and its responses to theirs. */
export class WorkerCallChannel implements Pick<Workers, 'respond' | 'callOthers'> {
  private readonly send: (message: FromWorker) => boolean;
  private readonly responses = new Map<string, (argument: unknown) => Promise<unknown>>();
  private readonly pending = new Map<number, (results: readonly unknown[]) => void>();
  private lastId = 0;

  /** `send` returns whether the primary is there. */
  constructor(send: (message: FromWorker) => boolean) {
    this.send = send;
  }

  respond<Name extends keyof WorkerCalls>(
    name: Name,
    respond: (argument: WorkerCalls[Name]['argument']) => Promise<WorkerCalls[Name]['result']>,
  ): void {
    this.responses.set(name, respond as (argument: unknown) => Promise<unknown>);
  }

  async callOthers<Name extends keyof WorkerCalls>(
    name: Name,
    argument: WorkerCalls[Name]['argument'],
  ): Promise<readonly WorkerCalls[Name]['result'][]> {
    this.lastId += 1;
    const id = this.lastId;
    const results = await new Promise<readonly unknown[]>((resolve) => {
      this.pending.set(id, resolve);
      if (!this.send({ plinth: 'call', id, name, argument })) resolve([]);
    });
    this.pending.delete(id);
    return results as never;
  }

  results(id: number, results: readonly unknown[]): void {
    this.pending.get(id)?.(results);
  }

  /** A worker that does not serve yet, or fails to respond, returns undefined and is left out. */
  async respondTo({ id, name, argument }: Call): Promise<void> {
    const result = await this.responses
      .get(name)?.(argument)
      .catch(() => undefined);
    this.send({ plinth: 'result', id, result });
  }
}
