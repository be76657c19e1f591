import { fail, ok, type Result } from '../../../errors.ts';
import { serverDefaults } from '../../../specification/keys/server.ts';
import type { CodeRun, Exchange } from '../exchange.ts';
import { DbCalls } from './db-calls.ts';
import { CodeTimeout, errorOfCode, TooDeep } from './failing.ts';
import { checkHold, unwatch, watch } from './held-loop.ts';

/** How often own code may be called by what own code does. See docs/contract/10-own-code.md#hooks, rule 13. */
const mostDepth = 5;

/** When the own code of an exchange has to end. */
class RunEnd {
  readonly until: number;
  private readonly exchange: Exchange;
  private controller: AbortController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isMet = false;
  private aborted: Error | undefined;

  /** `until`: on the clock of `performance.now()`. */
  constructor(exchange: Exchange, until: number) {
    this.exchange = exchange;
    this.until = until;
  }

  /** Made when it is first asked for. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.aborted === undefined) this.watch();
      else this.controller.abort(this.aborted);
    }
    return this.controller.signal;
  }

  abort(reason: string): void {
    this.aborted ??= new Error(`The request is over: ${reason}`);
    this.controller?.abort(this.aborted);
  }

  meet(): void {
    this.isMet = true;
    clearTimeout(this.timer);
  }

  private watch(): void {
    if (!this.isMet) {
      const left = Math.max(0, this.until - performance.now());
      this.timer = setTimeout(() => this.abort('its deadline has passed'), left).unref();
    }
    const stay = this.exchange.onGone(() => this.abort('the client has gone'));
    this.exchange.onEnd(() => {
      clearTimeout(this.timer);
      stay();
    });
  }
}

/**
 * A run, and where its time ends. A class: V8 makes a hidden class for each object literal with a getter, in the old
 * generation, where it keeps the whole request until a full collection (a create with a hook took twice its processor time).
 */
class Run implements CodeRun {
  readonly chain: CodeRun['chain'];
  private readonly end: RunEnd;

  constructor(end: RunEnd, chain: CodeRun['chain']) {
    this.end = end;
    this.chain = chain;
  }

  get until(): number {
    return this.end.until;
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }

  abort(reason: string): void {
    this.end.abort(reason);
  }

  meetDeadline(): void {
    this.end.meet();
  }

  below(place: string): Run {
    return new Run(this.end, [...this.chain, place]);
  }
}

/**
 * The run of an exchange that own code is about to run in. `timeout` in ms; default: that of a request. `chain`: the functions
 * that led to a run of its own.
 */
export function codeRunOf(
  exchange: Exchange,
  timeout?: number,
  chain: CodeRun['chain'] = [],
): CodeRun {
  if (exchange.codeRun !== undefined) return exchange.codeRun;
  const { requestTimeout = serverDefaults.requestTimeout } =
    exchange.servedApi.api.settings.server ?? {};
  return new Run(new RunEnd(exchange, exchange.trace.begin + (timeout ?? requestTimeout)), chain);
}

/** The exchange of requests that a function of a run makes, one level deeper. */
export function below(exchange: Exchange, run: CodeRun, place: string): Exchange {
  return { ...exchange, codeRun: run.below(place) };
}

/** The run for a part of a streamed answer, which has the time of a request to itself. */
export function partRunOf(exchange: Exchange): CodeRun {
  const { requestTimeout = serverDefaults.requestTimeout } =
    exchange.servedApi.api.settings.server ?? {};
  return codeRunOf(exchange, performance.now() - exchange.trace.begin + requestTimeout);
}

/** One call of a function of own code. */
export interface CodeCall {
  readonly exchange: Exchange;
  readonly run: CodeRun;
  /** The function, for logs: `beforeCreate of orders`. */
  readonly place: string;
  /** What it does with `db`. */
  readonly calls: DbCalls;
}

export function codeCall(exchange: Exchange, run: CodeRun, place: string): CodeCall {
  return { exchange, run, place, calls: new DbCalls(exchange, place) };
}

/**
 * Runs a function of own code, and what it does with `db`, within the time of its run. What it throws becomes the error of
 * the request. `isOver`: whether the function has ended with this value; a stream goes on.
 */
export async function runCode<Value>(
  call: CodeCall,
  work: () => Value,
  isOver: (value: Awaited<Value>) => boolean = () => true,
): Promise<Result<Awaited<Value>>> {
  const { exchange, run, place, calls } = call;
  if (run.chain.length >= mostDepth)
    return fail(
      errorOfCode(
        new TooDeep(
          `Own code is called ${run.chain.length + 1} levels deep: ${[...run.chain, place].join(' → ')}`,
        ),
        place,
        exchange,
      ),
    );
  const begin = performance.now();
  const ended = (outcome: 'done' | 'failed'): void =>
    exchange.metrics.ranCode(place, outcome, performance.now() - begin);
  try {
    const value = work();
    checkHold(call, begin);
    const result = isThenable(value) ? await watched(call, value) : (value as Awaited<Value>);
    if (isOver(result)) {
      if (calls.areLeft) await within(calls.end(), run, place);
      calls.leave();
    }
    ended('done');
    return ok(result);
  } catch (error) {
    ended('failed');
    if (!(error instanceof CodeTimeout) && calls.areLeft)
      await within(calls.settle(), run, place).catch(() => undefined);
    calls.leave();
    return fail(errorOfCode(error, place, exchange));
  }
}

/** What a function resolves with within the time of its run, and whether it holds the event loop meanwhile. */
async function watched<Value>(call: CodeCall, value: Value): Promise<Awaited<Value>> {
  watch(call);
  try {
    return await within(value, call.run, call.place);
  } finally {
    unwatch(call);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

/** What a promise resolves with; fails when the time of the run is up. What it does later is passed over. */
async function within<Value>(value: Value, run: CodeRun, place: string): Promise<Awaited<Value>> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => {
      run.abort('its deadline has passed');
      reject(new CodeTimeout(`${place} did not end within the deadline of its request`));
    },
    Math.max(0, run.until - performance.now()),
  );
  try {
    return await Promise.race([value, promise]);
  } finally {
    clearTimeout(timer);
  }
}
