import { setTimeout as delay } from 'node:timers/promises';
import type Driver from 'better-sqlite3';
import { DatabaseFailure, type Transaction } from './database.ts';

interface Job {
  readonly work: (transaction: Transaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** The most writes that one transaction takes, so that none waits long for its neighbours. */
const batchSize = 256;
/** How long a file that another process has locked is tried again, in ms. */
const busyPatience = 5_000;

function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}

/**
 * Group commit: all writes that wait go into one transaction, each in a savepoint of its own, and are answered
 * after the commit. A write that fails takes only itself back.
 */
export class WriteQueue {
  private readonly driver: Driver.Database;
  private readonly transaction: Transaction;
  private waiting: Job[] = [];
  private running: Promise<void> | undefined;

  constructor(driver: Driver.Database, transaction: Transaction) {
    this.driver = driver;
    this.transaction = transaction;
  }

  /** Runs `work` in the next transaction; resolves once that is committed. */
  add<Value>(work: (transaction: Transaction) => Promise<Value>): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.running ??= this.drain();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async drain(): Promise<void> {
    // What arrives in the same turn of the event loop shares the first transaction.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const jobs = this.waiting.splice(0, batchSize);
      const outcomes = await this.runTogether(jobs);
      for (const [index, job] of jobs.entries()) {
        const outcome = outcomes?.[index] ?? (await this.runTogether([job]))?.[0];
        if (outcome === undefined)
          job.reject(new DatabaseFailure('The database could not keep this write.'));
        else if ('value' in outcome) job.resolve(outcome.value);
        else job.reject(outcome.error);
      }
    }
    this.running = undefined;
  }

  /**
   * Runs jobs in one transaction; undefined when the whole of it was lost (a full disk, an I/O error), so that
   * nothing of it has happened and each may be tried alone.
   */
  private async runTogether(jobs: readonly Job[]): Promise<readonly Outcome[] | undefined> {
    const outcomes: Outcome[] = [];
    try {
      await this.begin();
      for (const job of jobs) {
        outcomes.push(await this.runOne(job));
        if (!this.driver.inTransaction) return this.lost(jobs, outcomes.at(-1));
      }
      this.driver.exec('COMMIT');
      return outcomes;
    } catch (error) {
      if (this.driver.inTransaction) this.driver.exec('ROLLBACK');
      return this.lost(jobs, { error });
    }
  }

  private lost(jobs: readonly Job[], last: Outcome | undefined): readonly Outcome[] | undefined {
    // Alone, the error is the job's own.
    return jobs.length === 1 && last !== undefined && 'error' in last ? [last] : undefined;
  }

  private async runOne(job: Job): Promise<Outcome> {
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

  private async begin(): Promise<void> {
    const end = performance.now() + busyPatience;
    for (let pause = 1; ; pause = Math.min(pause * 2, 100)) {
      try {
        this.driver.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > end) throw error;
        await delay(pause);
      }
    }
  }
}
