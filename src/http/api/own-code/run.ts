import { fail, ok, type Result } from '../../../errors.ts';
import { serverDefaults } from '../../../specification/keys/server.ts';
import type { CodeRun, Exchange } from '../exchange.ts';
import { CodeTimeout, errorOfCode, TooDeep } from './failing.ts';

/** How often own code may be called by what own code does. See docs/contract/10-own-code.md#hooks, rule 13. */
const mostDepth = 5;

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
  const until = exchange.trace.begin + (timeout ?? requestTimeout);
  let controller: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isMet = false;
  let aborted: Error | undefined;
  const abort = (reason: string): void => {
    aborted ??= new Error(`The request is over: ${reason}`);
    controller?.abort(aborted);
  };
  return {
    until,
    chain,
    abort,
    meetDeadline: () => {
      isMet = true;
      clearTimeout(timer);
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (aborted !== undefined) {
          controller.abort(aborted);
          return controller.signal;
        }
        if (!isMet) {
          const left = Math.max(0, until - performance.now());
          timer = setTimeout(() => abort('its deadline has passed'), left).unref();
        }
        const stay = exchange.onGone(() => abort('the client has gone'));
        exchange.onEnd(() => {
          clearTimeout(timer);
          stay();
        });
      }
      return controller.signal;
    },
  };
}

/** The exchange of requests that a function of a run makes, one level deeper. */
export function below(exchange: Exchange, run: CodeRun, place: string): Exchange {
  const deeper: CodeRun = {
    until: run.until,
    chain: [...run.chain, place],
    abort: run.abort,
    meetDeadline: run.meetDeadline,
    get signal() {
      return run.signal;
    },
  };
  return { ...exchange, codeRun: deeper };
}

/** The run for a part of a streamed answer, which has the time of a request to itself. */
export function partRunOf(exchange: Exchange): CodeRun {
  const { requestTimeout = serverDefaults.requestTimeout } =
    exchange.servedApi.api.settings.server ?? {};
  return codeRunOf(exchange, performance.now() - exchange.trace.begin + requestTimeout);
}

/**
 * Runs a function of own code, within the time of its run. `place` is its name for logs: `beforeCreate of orders`. What it
 * throws becomes the error of the request.
 */
export async function runCode<Value>(
  exchange: Exchange,
  run: CodeRun,
  place: string,
  work: () => Value,
): Promise<Result<Awaited<Value>>> {
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
    // A synchronous loop cannot be ended: the log tells who held the event loop.
    const held = performance.now() - begin;
    if (held > longestTurn)
      exchange.note({
        level: 'warn',
        requestId: exchange.requestId,
        message: `${place} held the event loop for ${Math.round(held)} ms`,
      });
    const result = isThenable(value) ? await within(value, run, place) : (value as Awaited<Value>);
    ended('done');
    return ok(result);
  } catch (error) {
    ended('failed');
    return fail(errorOfCode(error, place, exchange));
  }
}

/** How long a function may run without a break before the log tells, in ms. */
const longestTurn = 200;

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
