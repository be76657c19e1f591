import { setTimeout as delay } from 'node:timers/promises';
import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import type { WritePlan } from '../../query/plan.ts';
import type { ServiceSettings } from '../../model/service-table.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import type { Requester } from '../../sql/statement.ts';
import { keyStatements, type KeyStatements } from '../../sql/compile/idempotency.ts';
import {
  ConstraintError,
  DatabaseFailure,
  type Database,
  type FailureKind,
  type Transaction,
} from '../../databases/database.ts';
import { ApiFailure } from '../api-failure.ts';
import { isRecorded } from './audit/trail.ts';
import { formerRowsOf } from './checks/former-rows.ts';
import { createWithLinks } from './direct/create-with-links.ts';
import { ExpiredRows } from './expired-rows.ts';
import { Writer } from './writer.ts';
import { readWritten } from './read-back.ts';
import type { AroundWrite, WriteContext, Written, WrittenRow } from './result.ts';

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  /** The digest of key, caller, version and path. */
  readonly scope: string;
  /** The digest of the whole request. */
  readonly request: string;
  readonly at: Date;
  /** The database of the keys, possibly wrapped for tracing. */
  readonly database: Database;
  /** When to stop waiting for another request with the same key, on the clock of `performance.now()`. */
  readonly end: number;
  readonly status: number;
  /** The Location of the new record without its id; undefined if there are several records. */
  readonly locationPrefix: string | undefined;
}

/** The records that were created now or earlier with the same key; only the id of a record deleted since. */
export interface KeptResult {
  readonly written: Written;
  readonly location: string | undefined;
}

/** What is kept of the first request under a key. */
interface Kept {
  readonly ids: readonly JsonValue[];
  readonly location: string | undefined;
  readonly isNew: boolean;
}

/** How long a result is kept, in ms. */
const retention = 24 * 60 * 60 * 1_000;
/** The lock timeout of the single-statement create, in ms. */
const shortWait = 50;

const inProgress: ApiError = apiError(
  'IDEMPOTENCY_IN_PROGRESS',
  'The first request under this Idempotency-Key still runs; try again later',
);
const mismatch: ApiError = apiError(
  'IDEMPOTENCY_MISMATCH',
  'Another request was made under this Idempotency-Key; use a new key for each request',
);

const unsupported: ApiError = apiError(
  'NOT_SUPPORTED',
  'This database has no table for Idempotency-Keys; leave the header out, or have the table created with "plinth migrate --apply"',
);

/** For a request that has run already: if what was kept is gone since, nothing is written without its hooks. */
export const onlyKept: AroundWrite = {
  begin: () => Promise.reject(new ApiFailure(inProgress)),
  created: () => undefined,
  found: () => Promise.resolve(),
  end: () => Promise.resolve(),
};

/** Runs creates with an Idempotency-Key, each once across all servers of the database. */
export class IdempotencyKeys {
  private readonly database: Database;
  private readonly statements: KeyStatements;
  /** The running requests of this process by scope. A request that waits for one of them holds no connection. */
  private readonly running = new Map<string, Promise<unknown>>();
  private readonly expired: ExpiredRows;

  /** Whether its table is known to be there: that of an unmanaged database may be missing. */
  private isThere: boolean;

  constructor(database: Database, mayBeMissing: boolean, settings?: ServiceSettings) {
    this.database = database;
    this.isThere = !mayBeMissing;
    this.statements = keyStatements(database.dialect, settings);
    this.expired = new ExpiredRows(database, this.statements.deleteExpired);
  }

  /**
   * Creates the planned records, or returns those that were created with this key before. Fails like the write, with
   * `IDEMPOTENCY_MISMATCH` if the key belongs to a different request, and with `IDEMPOTENCY_IN_PROGRESS` if another request
   * with the key runs beyond `end`. Call it within `inTurn`.
   */
  async once(
    plan: WritePlan,
    statements: WriteStatements,
    context: WriteContext,
    keyed: KeyedRequest,
  ): Promise<Result<KeptResult>> {
    if (!this.isThere && !(await this.findTable())) return fail(unsupported);
    await this.expired.deleteBefore(expiry(keyed.at));
    await context.audited?.log.deleteOld(keyed.at);
    return this.run(plan, statements, context, keyed);
  }

  /** Whether a request with this key has run, so that it is not run again. */
  async hasRun({ scope, at }: Pick<KeyedRequest, 'scope' | 'at'>): Promise<boolean> {
    if (!this.isThere && !(await this.findTable())) return false;
    const [row] = await this.database.all(this.statements.kept, { bound: [scope] });
    return row !== undefined && String(row[4]) >= expiry(at);
  }

  /** Runs a request, with all that it does before its transaction, once no other request of this process runs under its key. */
  async inTurn<Value>(
    { scope, end }: Pick<KeyedRequest, 'scope' | 'end'>,
    run: () => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    for (;;) {
      const first = this.running.get(scope);
      if (first === undefined) break;
      if (!(await settlesWithin(first, end - performance.now()))) return fail(inProgress);
    }
    const running = run();
    const ended = running.then(
      () => undefined,
      () => undefined,
    );
    this.running.set(scope, ended);
    try {
      return await running;
    } finally {
      this.running.delete(scope);
    }
  }

  private async findTable(): Promise<boolean> {
    try {
      await this.database.all(this.statements.kept, { bound: [null] });
      this.isThere = true;
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || error.kind !== 'changed') throw error;
    }
    return this.isThere;
  }

  private async run(
    plan: WritePlan,
    statements: WriteStatements,
    context: WriteContext,
    keyed: KeyedRequest,
  ): Promise<Result<KeptResult>> {
    const atOnce =
      context.around === undefined
        ? await createAtOnce(plan, statements, this.statements.table, context, keyed)
        : undefined;
    if (atOnce !== undefined) return ok(atOnce);
    const done = await this.claiming(keyed, context.requester, async (transaction, kept) => {
      if (kept !== undefined)
        return {
          rows: kept.ids.map((id) => ({ id, row: undefined })),
          location: kept.location,
          isNew: kept.isNew,
        };
      const writer = new Writer(
        transaction,
        this.database.dialect,
        statements,
        context,
        formerRowsOf(plan, context.former),
      );
      return this.keep(transaction, keyed, await writer.run(plan));
    });
    if (!done.ok) return done;
    const { rows, location, isNew } = done.value;
    const written = await readWritten(rows, context, keyed.database);
    return ok({ written: { ...written, isNew }, location });
  }

  /** Runs work in a transaction that has claimed the key; `kept` is what an earlier request has kept. */
  private async claiming<Value>(
    keyed: KeyedRequest,
    requester: Requester,
    work: (transaction: Transaction, kept: Kept | undefined) => Promise<Value>,
  ): Promise<Result<Value>> {
    for (;;) {
      let isClaiming = false;
      try {
        return ok(
          await keyed.database.write(async (transaction) => {
            isClaiming = true;
            const kept = await this.claim(transaction, keyed);
            isClaiming = false;
            return work(transaction, kept);
          }, requester),
        );
      } catch (error) {
        if (error instanceof ApiFailure) return fail(error.error);
        const hasWaited =
          isClaiming && error instanceof DatabaseFailure && lockFailures.has(error.kind);
        // The timeout of a statement may be shorter, so try again.
        if (!hasWaited) throw error;
        if (performance.now() >= keyed.end) return fail(inProgress);
      }
    }
  }

  /**
   * Runs work in a transaction once under the key, and keeps what it returns, as JSON. Resolves with what was kept if it ran
   * before. Fails like `once`. Call it within `inTurn`.
   */
  async onceIn<Value extends JsonValue>(
    keyed: KeyedRequest,
    requester: Requester,
    work: (transaction: Transaction) => Promise<readonly Value[]>,
  ): Promise<Result<{ readonly kept: readonly Value[]; readonly isRepeated: boolean }>> {
    if (!this.isThere && !(await this.findTable())) return fail(unsupported);
    await this.expired.deleteBefore(expiry(keyed.at));
    return this.claiming(keyed, requester, async (transaction, before) => {
      if (before !== undefined) return { kept: before.ids as readonly Value[], isRepeated: true };
      const kept = await work(transaction);
      const bound = [String(keyed.status), JSON.stringify(kept), null, keyed.scope];
      await transaction.service.run(this.statements.keep, { bound });
      return { kept, isRepeated: false };
    });
  }

  /** Claims the key; returns the kept result if it was claimed before. */
  private async claim(
    { service: { all } }: Transaction,
    { scope, request, at, end }: KeyedRequest,
  ): Promise<Kept | undefined> {
    const wait = String(milliseconds(end));
    const bound = [scope, request, at.toISOString(), expiry(at), wait];
    const [claimed] = await all(this.statements.claim, { bound });
    if (claimed !== undefined) return undefined;
    const [row] = await all(this.statements.kept, { bound: [scope] });
    // The key is gone since: rolled back, or expired on a server whose clock is ahead.
    if (row === undefined) throw new ApiFailure(inProgress);
    const [known, ids, location, status] = row;
    if (known !== request) throw new ApiFailure(mismatch);
    return {
      ids: JSON.parse(String(ids)) as readonly JsonValue[],
      location: typeof location === 'string' ? location : undefined,
      isNew: Number(status) === 201,
    };
  }

  private async keep(
    { service: { run } }: Transaction,
    { scope, status, locationPrefix }: KeyedRequest,
    rows: readonly WrittenRow[],
  ): Promise<{
    readonly rows: readonly WrittenRow[];
    readonly location: string | undefined;
    readonly isNew: boolean;
  }> {
    const isNew = !rows.some(({ isOld }) => isOld === true);
    const location = isNew ? locationOf(locationPrefix, rows) : undefined;
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const kept = String(isNew ? status : 200);
    await run(this.statements.keep, { bound: [kept, ids, location ?? null, scope] });
    return { rows, location, isNew };
  }
}

/**
 * Creates the record and keeps its key in one statement, if possible. Undefined if it is not possible, if the key is known,
 * or if the database rejected it; the transaction then finds out why.
 */
async function createAtOnce(
  plan: WritePlan,
  statements: WriteStatements,
  table: string,
  context: WriteContext,
  { scope, request, at, status, locationPrefix, database, end }: KeyedRequest,
): Promise<KeptResult | undefined> {
  if (locationPrefix === undefined || isRecorded(plan, context.audited)) return undefined;
  // One statement has the rights of one role, and the keys belong to the service.
  if (database.isOfCaller === true) return undefined;
  // The statement locks the record before the key, and the holder of the key may wait for that record: wait briefly.
  const wait = Math.min(shortWait, milliseconds(end));
  try {
    const kept = { table, scope, request, at, status, wait, locationPrefix };
    const whole = await createWithLinks(plan, context, database, statements, kept);
    return (
      whole && {
        written: { records: [whole], isUnread: false },
        location: locationOf(locationPrefix, [whole]),
      }
    );
  } catch (error) {
    const hasWaited = error instanceof DatabaseFailure && lockFailures.has(error.kind);
    if (hasWaited || error instanceof ConstraintError) return undefined;
    throw error;
  }
}

/** The kinds of failures that may come from waiting for a lock. */
const lockFailures: ReadonlySet<FailureKind> = new Set(['timeout', 'busy', 'crowded']);

/** The time until `end`, at least 1 ms. */
function milliseconds(end: number): number {
  return Math.max(1, Math.ceil(end - performance.now()));
}

/** The Location of a single created record: `prefix` and its id. */
export function locationOf(
  prefix: string | undefined,
  [first]: readonly Pick<WrittenRow, 'id'>[],
): string | undefined {
  return prefix === undefined ? undefined : prefix + encodeURIComponent(String(first?.id));
}

/** Keys that were claimed before this time have expired. */
function expiry(at: Date): string {
  return new Date(at.getTime() - retention).toISOString();
}

/** Whether a promise settles within some ms. */
async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  if (milliseconds <= 0) return false;
  const over = new AbortController();
  const late = delay(milliseconds, false, { signal: over.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), late]);
  over.abort();
  return settled;
}
