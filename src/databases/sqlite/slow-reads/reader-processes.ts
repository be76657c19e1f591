import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import Driver from 'better-sqlite3';
import type { SqlValue } from '../../../model/values.ts';
import { FairQueue } from '../../../lib/fair-queue.ts';
import type { Requester } from '../../../sql/statement.ts';
import { CallerShares } from '../../caller-shares.ts';
import { ClientGone, DatabaseFailure, type Row, type Take } from '../../database.ts';
import { packageModule } from '../../../lib/modules/package-files.ts';
import { busyPatience, meaningOf } from '../errors.ts';

/** The most processes, and how long an idle one beside the last is kept, in ms. */
const most = 4;
const idleTime = 30_000;
/** The memory of the server under many requests, and of each process, in bytes. */
export const ownMemory = 160 * 1024 * 1024;
const eachMemory = 80 * 1024 * 1024;
/** The share of the remaining memory that the processes take together. */
const processesShare = 1 / 4;

const program = packageModule('databases/sqlite/slow-reads/reader-process');

/** A statement that a reader process runs. */
export interface Job {
  readonly file: string;
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** Integers come as bigints. */
  readonly isExact?: boolean;
}

/** A message of a reader process: it can begin; rows of its job; the end of the job. `took` in ms. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'done'; readonly took: number }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string };

/** A statement, and the caller that waits for its rows. */
interface Task extends Job {
  /** In whose share it counts; undefined for the service itself. */
  readonly caller: string | undefined;
  readonly take: Take;
  /** Whether the deadline applies to each portion. */
  readonly isStream: boolean;
  readonly resolve: (took: number) => void;
  readonly reject: (error: unknown) => void;
  /** The timeout of waiting for a process. */
  wait?: NodeJS.Timeout;
  /**
   * Whether a process ended during this task before it returned rows. The task is retried once; a second end may be
   * the statement's fault.
   */
  isRetry?: boolean;
  hasRows?: boolean;
}

/** One process and its task. */
interface ReaderProcess {
  readonly child: ChildProcess;
  isReady: boolean;
  /** Killed at a deadline, so another process may be needed soon. */
  isLate: boolean;
  task: Task | undefined;
  /** The last file that it read, which it keeps open. */
  file: string | undefined;
  timer: NodeJS.Timeout | undefined;
}

const unreachable = (options?: ErrorOptions): DatabaseFailure =>
  new DatabaseFailure('A process that reads the database has ended.', options);

/** How many processes fit beside the server into `memory` bytes; beyond that the system would kill the server. */
export function mostReaders(memory: number): number {
  const fitting = Math.floor(((memory - ownMemory) * processesShare) / eachMemory);
  return Math.min(most, Math.max(1, fitting));
}

/**
 * Processes that read SQLite files and are killed at a deadline. They are started on demand, up to a limit; then
 * reads wait in a queue.
 */
export class ReaderProcesses {
  private readonly name: string;
  private readonly deadline: number;
  /** How long a read waits for a process, in ms. */
  private readonly longestWait: number;
  private readonly limit: number;
  private readonly processes = new Set<ReaderProcess>();
  private idle: ReaderProcess[] = [];
  private readonly waiting = new FairQueue<Task>();
  private readonly shares: CallerShares;
  private isClosed = false;

  /**
   * `name` identifies the processes in process listings. `deadline` of a statement in ms. `memory` in bytes: the limit of
   * the server and the processes together.
   */
  constructor(name: string, deadline: number, memory = Infinity) {
    this.name = name;
    this.deadline = deadline;
    this.longestWait = Math.max(deadline, busyPatience);
    this.limit = mostReaders(memory);
    this.shares = new CallerShares(this.limit);
  }

  /**
   * Runs a statement and hands over its rows in portions as long as `take` wants more. Returns the milliseconds that
   * the statement itself took. Rejects with a DatabaseFailure: `timeout` at the deadline, `crowded` if no process
   * became free in time. A requester waits while its caller has its share of the processes; the read ends with `ClientGone`
   * if its client goes away.
   */
  async read(
    job: Job,
    take: Take,
    { signal, requester }: { signal?: AbortSignal; requester?: Requester | undefined } = {},
  ): Promise<number> {
    if (this.isClosed) throw unreachable();
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const isStream = signal !== undefined;
    const task: Task = { ...job, caller: requester?.caller, take, isStream, resolve, reject };
    signal?.addEventListener('abort', () => this.abandon(task, signal.reason), { once: true });
    this.waiting.push(task.caller ?? '', task);
    this.startWaiting(task);
    const stay = requester?.onGone(() => this.abandon(task, new ClientGone()));
    this.assignTasks();
    return promise.finally(stay);
  }

  /** Ends all processes, busy or not. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const task of this.waiting.removeAll()) this.reject(task, unreachable());
    await Promise.all([...this.processes].map((reader) => this.endAndWait(reader)));
  }

  /** Ends the reads of one file. Afterwards no process has the file open. */
  async leave(file: string): Promise<void> {
    const isOfFile = (task: Task): boolean => task.file === file;
    for (const task of this.waiting.removeAll(isOfFile)) this.reject(task, unreachable());
    const holding = [...this.processes].filter((reader) => reader.file === file);
    await Promise.all(holding.map((reader) => this.endAndWait(reader)));
  }

  private async endAndWait(reader: ReaderProcess): Promise<void> {
    const { child } = reader;
    this.end(reader, unreachable());
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    await once(child, 'exit');
  }

  private startWaiting(task: Task): void {
    task.wait = setTimeout(() => {
      const busy = 'All processes that read the database stayed busy.';
      this.abandon(task, new DatabaseFailure(busy, { kind: 'crowded' }));
    }, this.longestWait);
  }

  /** Assigns waiting tasks to idle processes, and starts more if needed. */
  private assignTasks(): void {
    for (;;) {
      const reader = this.idle.at(-1);
      if (reader === undefined) break;
      const task = this.waiting.shift((_, { caller }) => !this.shares.isUsedUp(caller));
      if (task === undefined) return;
      this.idle.pop();
      this.assign(reader, task);
    }
    const starting = [...this.processes].filter(({ isReady }) => !isReady).length;
    const wanted = Math.min(this.waiting.size - starting, this.limit - this.processes.size);
    for (let count = 0; count < wanted; count += 1) this.start();
  }

  private start(): void {
    const child = fork(program, [this.name, String(process.pid)], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const reader: ReaderProcess = {
      child,
      isReady: false,
      isLate: false,
      task: undefined,
      file: undefined,
      timer: undefined,
    };
    this.processes.add(reader);
    child.on('message', (report: Report) => this.receive(reader, report));
    child.once('error', (error) => this.ended(reader, error));
    child.once('exit', () => this.ended(reader));
    // Callers have timers that keep the server running; an idle process must not.
    child.unref();
    child.channel?.unref();
  }

  private assign(reader: ReaderProcess, task: Task): void {
    clearTimeout(reader.timer);
    clearTimeout(task.wait);
    this.shares.take(task.caller);
    reader.task = task;
    reader.file = task.file;
    this.startDeadline(reader);
    const { file, sql, parameters, isExact = false } = task;
    reader.child.send({ file, sql, parameters, isExact } satisfies Job, (error) => {
      if (error !== null) this.handleLoss(reader, error);
    });
  }

  private startDeadline(reader: ReaderProcess): void {
    clearTimeout(reader.timer);
    reader.timer = setTimeout(() => {
      reader.isLate = true;
      const late = new DatabaseFailure('The statement took too long.', { kind: 'timeout' });
      this.end(reader, late);
    }, this.deadline);
  }

  private receive(reader: ReaderProcess, report: Report): void {
    if (reader.child.killed) return;
    if (report.kind === 'ready') {
      reader.isReady = true;
      this.setIdle(reader);
      return;
    }
    const { task } = reader;
    if (task === undefined) return;
    if (report.kind === 'rows') {
      if (task.isStream) this.startDeadline(reader);
      this.handOver(reader, task, report.rows);
      return;
    }
    this.endTask(reader);
    if (report.kind === 'done') task.resolve(report.took);
    else task.reject(errorOf(report.message, report.code));
    this.setIdle(reader);
  }

  private handOver(reader: ReaderProcess, task: Task, rows: Parameters<Take>[0]): void {
    task.hasRows = true;
    try {
      if (task.take(rows)) return;
      task.resolve(0);
      this.end(reader);
    } catch (error) {
      this.end(reader, error);
    }
  }

  private setIdle(reader: ReaderProcess): void {
    clearTimeout(reader.timer);
    this.idle.push(reader);
    reader.timer = setTimeout(() => {
      if (this.processes.size > 1) this.end(reader);
    }, idleTime).unref();
    this.assignTasks();
  }

  /** Ends a task, waiting or running. */
  private abandon(task: Task, error: unknown): void {
    const reader = [...this.processes].find((one) => one.task === task);
    if (reader !== undefined) this.end(reader, error);
    else if (this.waiting.remove(task.caller ?? '', task)) this.reject(task, error);
  }

  private reject(task: Task, error: unknown): void {
    clearTimeout(task.wait);
    task.reject(error);
  }

  /** The process has no task any more. */
  private endTask(reader: ReaderProcess): void {
    if (reader.task !== undefined) this.shares.giveBack(reader.task.caller);
    reader.task = undefined;
  }

  /** Kills a process and rejects its task with `error`, if given. */
  private end(reader: ReaderProcess, error?: unknown): void {
    const { child, task } = reader;
    clearTimeout(reader.timer);
    this.endTask(reader);
    this.idle = this.idle.filter((one) => one !== reader);
    child.kill('SIGKILL');
    if (task !== undefined && error !== undefined) task.reject(error);
  }

  /** A process ended unexpectedly. Another one retries its task if it has returned no rows. */
  private handleLoss(reader: ReaderProcess, cause: unknown): void {
    const { task } = reader;
    if (task !== undefined && task.hasRows !== true && task.isRetry !== true && !this.isClosed) {
      task.isRetry = true;
      this.endTask(reader);
      this.waiting.unshift(task.caller ?? '', task);
      this.startWaiting(task);
    }
    this.end(reader, unreachable({ cause }));
  }

  /** A process ended before it was ready. After a second time its cause would stop the next one as well. */
  private failStarting(cause: unknown): void {
    for (const task of this.waiting.removeAll()) {
      if (task.isRetry === true) this.reject(task, unreachable({ cause }));
      else this.waiting.push(task.caller ?? '', task);
      task.isRetry = true;
    }
  }

  private ended(reader: ReaderProcess, cause?: unknown): void {
    if (!this.processes.delete(reader)) return;
    this.handleLoss(reader, cause);
    if (this.isClosed) return;
    if (!reader.isReady) this.failStarting(cause);
    if (reader.isLate && this.processes.size === 0) this.start();
    this.assignTasks();
  }
}

/** An error of SQLite from another process. */
function errorOf(message: string, code: string): unknown {
  return code === '' ? new Error(message) : meaningOf(new Driver.SqliteError(message, code));
}
