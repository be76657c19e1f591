import { setImmediate as nextTurn } from 'node:timers/promises';
import type Driver from 'better-sqlite3';
import { DatabaseFailure, type Transaction } from '../database.ts';
import { busyPatience, meaningOf, onceFree } from './errors.ts';

interface Job {
  readonly work: (transaction: Transaction) => Promise<unknown>;
  readonly extent: Extent;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When to stop waiting for a locked file. */
  readonly end: number;
}

/** A failed single statement undoes itself; more than one needs a savepoint. */
type Extent = 'statement' | 'statements';

type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface Hooks {
  /** Called before each transaction; throws to prevent it. */
  readonly onBegin: () => void;
  /** Called within each transaction before its first write; throws to prevent it. */
  readonly onBegun: () => void;
  /** Called within each transaction after its last write; must not throw. If the transaction is lost in it, each job is retried. */
  readonly onEnd: () => void;
  /** Called after each commit, before the callers get their results. */
  readonly onCommit: () => void;
}

/** The most writes in one transaction, so that none waits long for the others. */
const batchSize = 256;
/** How long a transaction accepts further writes, in ms: meanwhile the event loop is blocked. */
const batchTime = 50;

/**
 * Group commit: all waiting writes go into one transaction, each in its own savepoint, and resolve after the commit.
 * A failed write undoes only itself.
 */
export class WriteQueue {
  private readonly driver: Driver.Database;
  private readonly transaction: Transaction;
  private readonly hooks: Hooks;
  private waiting: Job[] = [];
  private running: Promise<void> | undefined;

  constructor(driver: Driver.Database, transaction: Transaction, hooks: Hooks) {
    this.driver = driver;
    this.transaction = transaction;
    this.hooks = hooks;
  }

  /** Runs `work` in the next transaction; resolves once that is committed. */
  add<Value>(
    work: (transaction: Transaction) => Promise<Value>,
    extent: Extent = 'statements',
  ): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.waiting.push({
        work,
        extent,
        resolve: resolve as (value: unknown) => void,
        reject,
        end: performance.now() + busyPatience,
      });
      this.running ??= this.drain();
    });
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      // Writes that arrive in the same turn of the event loop share the transaction.
      await nextTurn();
      const jobs = this.waiting.splice(0, batchSize);
      const outcomes = (await this.runTogether(jobs)) ?? (await this.runEach(jobs));
      this.waiting.unshift(...jobs.slice(outcomes.length));
      for (const [index, outcome] of outcomes.entries()) {
        const job = jobs[index];
        if ('value' in outcome) job?.resolve(outcome.value);
        else job?.reject(outcome.error);
      }
    }
    this.running = undefined;
  }

  /** Runs each job in its own transaction, so that one that breaks its transaction does not affect the others. */
  private async runEach(jobs: readonly Job[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const job of jobs) {
      const [outcome] = (await this.runTogether([job])) ?? [];
      outcomes.push(
        outcome ?? { error: new DatabaseFailure('The database could not keep this write.') },
      );
    }
    return outcomes;
  }

  /**
   * Runs as many jobs in one transaction as its time allows. Undefined if the whole transaction was lost (a full
   * disk, an I/O error): then nothing has happened, and each job can be retried alone.
   */
  private async runTogether(jobs: readonly Job[]): Promise<readonly Outcome[] | undefined> {
    try {
      await this.begin(jobs[0]?.end);
    } catch (error) {
      // These have waited until their end; the others go on waiting.
      const now = performance.now();
      const over = jobs.filter((job, index) => index === 0 || job.end <= now);
      return over.map(() => ({ error }));
    }
    const end = performance.now() + batchTime;
    const outcomes: Outcome[] = [];
    try {
      for (const job of jobs) {
        outcomes.push(await this.runOne(job));
        if (!this.driver.inTransaction) return this.lost(jobs, outcomes.at(-1));
        if (performance.now() > end) break;
      }
      this.hooks.onEnd();
      if (!this.driver.inTransaction) return undefined;
      this.driver.exec('COMMIT');
      this.hooks.onCommit();
      return outcomes;
    } catch (error) {
      this.rollBack();
      return this.lost(jobs, { error: meaningOf(error) });
    }
  }

  private lost(jobs: readonly Job[], last: Outcome | undefined): readonly Outcome[] | undefined {
    // If the job was alone, the error is its own.
    return jobs.length === 1 && last !== undefined && 'error' in last ? [last] : undefined;
  }

  private async runOne(job: Job): Promise<Outcome> {
    if (job.extent === 'statement') {
      try {
        return { value: await job.work(this.transaction) };
      } catch (error) {
        return { error };
      }
    }
    this.driver.exec('SAVEPOINT one');
    let outcome: Outcome;
    try {
      outcome = { value: await job.work(this.transaction) };
    } catch (error) {
      outcome = { error };
      if (!this.driver.inTransaction) return outcome;
      this.driver.exec('ROLLBACK TO one');
    }
    this.driver.exec('RELEASE one');
    return outcome;
  }

  private async begin(end: number | undefined): Promise<void> {
    // A transaction is left over only if its rollback failed.
    this.rollBack();
    this.hooks.onBegin();
    await onceFree(() => this.driver.exec('BEGIN IMMEDIATE'), end);
    try {
      this.hooks.onBegun();
    } catch (error) {
      this.rollBack();
      throw meaningOf(error);
    }
  }

  private rollBack(): void {
    try {
      if (this.driver.inTransaction) this.driver.exec('ROLLBACK');
    } catch {
      // The error that led here is reported; the next transaction rolls back again.
    }
  }
}
