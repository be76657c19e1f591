import { setTimeout as delay } from 'node:timers/promises';
import type { Committed } from '../../../extensions/code.ts';
import { RequestTrace } from '../../../observability/events.ts';
import type { MemoryBudget } from '../../load/memory-budget.ts';
import type { AfterCommits, Commit, Exchange } from '../exchange.ts';
import { OwnCodeContext } from './context.ts';
import type { CodeRecord } from './records.ts';
import { codeCall, codeRunOf, runCode } from './run.ts';

/** How many run at a time, and how many wait; more are dropped. */
const mostRunning = 100;
const mostWaiting = 10_000;

/** What one holds besides its records: mostly its request. */
const ownBytes = 4 * 1_024;
/** The most bytes of a character. */
const perCharacter = 2;

interface Work {
  readonly run: () => Promise<void>;
  readonly bytes: number;
}

/** Runs the `afterCommit`s of a server. Best effort: what waits is lost with the process. */
export class AfterCommitQueue implements AfterCommits {
  private readonly budget: MemoryBudget;
  private readonly waiting: Work[] = [];
  private running = 0;
  private waitingForAll: (() => void)[] = [];

  constructor(budget: MemoryBudget) {
    this.budget = budget;
  }

  add(run: () => Promise<void>, bytes: number): boolean {
    if (this.waiting.length >= mostWaiting || !this.budget.tryReserve(bytes)) return false;
    const work = { run, bytes };
    if (this.running < mostRunning) void this.run(work);
    else this.waiting.push(work);
    return true;
  }

  /** Resolves when all have run, those too that they have caused. */
  async settled(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => this.waitingForAll.push(resolve));
  }

  /** Resolves when all have run, or after so many ms; returns how many have not. */
  async end(timeout: number): Promise<number> {
    if (this.running > 0) {
      const over = new AbortController();
      const late = delay(timeout, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([this.settled(), late]);
      over.abort();
    }
    return this.running + this.waiting.length;
  }

  private async run({ run, bytes }: Work): Promise<void> {
    this.running += 1;
    try {
      await run();
    } catch {
      // The work reports its own errors.
    }
    this.budget.release(bytes);
    this.running -= 1;
    const next = this.waiting.shift();
    if (next !== undefined) void this.run(next);
    else if (this.running === 0) for (const resolve of this.waitingForAll.splice(0)) resolve();
  }
}

/** Has the `afterCommit`s of what a request has written run: once a transaction that it is a part of is committed. */
export function announce(commits: readonly Commit[], exchange: Exchange): void {
  if (exchange.commits !== undefined) {
    exchange.commits.push(...commits);
    return;
  }
  for (const commit of commits) {
    const place = `afterCommit of ${commit.resource.name}`;
    const { inFlight } = exchange.servedApi;
    const { before = '', after = '' } = commit;
    const bytes = ownBytes + perCharacter * (before.length + after.length);
    // A reload releases the code and its database only after them.
    inFlight.enter();
    const isTaken = exchange.afterCommits.add(async () => {
      // The answer goes first.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        await runOne(commit, place, exchange);
      } finally {
        inFlight.leave();
      }
    }, bytes);
    if (isTaken) continue;
    inFlight.leave();
    exchange.metrics.ranCode(place, 'dropped', 0);
    exchange.note({
      level: 'error',
      requestId: exchange.requestId,
      message: `${place} was dropped: ${mostWaiting} others wait, or their records take the memory that there is for them`,
    });
  }
}

async function runOne(
  { caller, code, operation, before, after }: Commit,
  place: string,
  exchange: Exchange,
): Promise<void> {
  const ends: (() => void)[] = [];
  let failure: unknown;
  const { trace } = exchange;
  const own: Exchange = {
    ...exchange,
    trace: new RequestTrace(trace.start, performance.now(), undefined),
    watching: undefined,
    commits: undefined,
    codeRun: undefined,
    holdsTurns: false,
    reservation: exchange.reservation.another(),
    // Its client need not be there any more.
    onGone: () => () => undefined,
    whileThere: (work) => work(new AbortController().signal),
    onEnd: (work) => ends.push(work),
    sendEarly: () => undefined,
    failed: (error) => {
      failure = error;
      return exchange.failed(error);
    },
  };
  // What an `afterCommit` writes is followed by others: without the chain they would never end.
  const run = codeRunOf(own, undefined, exchange.codeRun?.chain);
  // The operation tells which of them there are.
  const change = { operation, before: parsed(before), after: parsed(after) } as Committed;
  const call = codeCall(own, run, place);
  const done = await runCode(call, () =>
    code.afterCommit?.(change, new OwnCodeContext(call, caller)),
  );
  own.reservation.release();
  for (const end of ends) end();
  if (!done.ok)
    exchange.note({
      level: 'error',
      requestId: exchange.requestId,
      message: `${place} failed: ${done.error.message}`,
      ...(failure === undefined ? {} : { error: failure }),
    });
}

function parsed(text: string | undefined): CodeRecord | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as CodeRecord);
}
