import { setTimeout as delay } from 'node:timers/promises';
import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import type { WritePlan } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import { keyStatements, portion, type KeyStatements } from '../../sql/compile/idempotency.ts';
import {
  ConstraintError,
  DatabaseFailure,
  type Database,
  type FailureKind,
  type Transaction,
} from '../../databases/database.ts';
import { Refusal } from '../refusal.ts';
import { createWhole } from './whole-create.ts';
import { Writer } from './write.ts';
import type { Answering, Written } from './written.ts';

/** A request that names a key under which it is to happen once. */
export interface KeyedRequest {
  /** The digest of key, caller, version and path. */
  readonly scope: string;
  /** The digest of all that was asked. */
  readonly request: string;
  readonly at: Date;
  /** What it runs on: that of the keys, perhaps watched. */
  readonly database: Database;
  /** How long it waits for another request under the same key, in ms. */
  readonly patience: number;
  readonly status: number;
  /** Where the new record is, without its id; undefined where there are several. */
  readonly before: string | undefined;
}

/** What was created now or before under the same key; of a record that has gone since, the id alone. */
export interface KeptAnswer {
  readonly written: readonly Written[];
  readonly location: string | undefined;
}

/** How long an answer is kept, in ms. */
const keptFor = 24 * 60 * 60 * 1_000;
/** How often what has expired is looked for, in ms. */
const forgettingEvery = 60_000;
/** How long the locks of others are waited for where the key is not claimed first, in ms. */
const briefly = 50;

const inProgress: ApiError = apiError(
  'IDEMPOTENCY_IN_PROGRESS',
  'The first request under this Idempotency-Key still runs; try again later',
);
const mismatch: ApiError = apiError(
  'IDEMPOTENCY_MISMATCH',
  'Another request was made under this Idempotency-Key; use a new key for each request',
);

/** Runs creates that happen once under their key, whatever number of servers is asked. */
export class IdempotencyKeys {
  private readonly database: Database;
  private readonly statements: KeyStatements;
  /** The scopes of requests that run here: who waits for one of them holds no connection meanwhile. */
  private readonly running = new Map<string, Promise<unknown>>();
  private forgotAt = 0;

  constructor(database: Database) {
    this.database = database;
    this.statements = keyStatements(database.dialect);
  }

  /**
   * Creates what the plan says, or gives what was created under this key before. Fails as the write does, with
   * `IDEMPOTENCY_MISMATCH` where the key belongs to another request, and with `IDEMPOTENCY_IN_PROGRESS` where that runs
   * for longer than this one's patience.
   */
  async once(
    plan: WritePlan,
    statements: WriteStatements,
    answering: Answering,
    keyed: KeyedRequest,
  ): Promise<Result<KeptAnswer>> {
    const end = performance.now() + keyed.patience;
    await this.forget(keyed.at);
    for (;;) {
      const first = this.running.get(keyed.scope);
      if (first === undefined) break;
      if (!(await settles(first, end - performance.now()))) return fail(inProgress);
    }
    const run = this.run(plan, statements, answering, keyed, end);
    const ended = run.then(
      () => undefined,
      () => undefined,
    );
    this.running.set(keyed.scope, ended);
    try {
      return await run;
    } finally {
      this.running.delete(keyed.scope);
    }
  }

  private async run(
    plan: WritePlan,
    statements: WriteStatements,
    answering: Answering,
    keyed: KeyedRequest,
    end: number,
  ): Promise<Result<KeptAnswer>> {
    const atOnce = await createAtOnce(plan, statements, answering, keyed, end);
    if (atOnce !== undefined) return ok(atOnce);
    for (;;) {
      let isClaiming = false;
      try {
        const answer = await keyed.database.write(async (transaction) => {
          isClaiming = true;
          const kept = await this.claim(transaction, keyed, end);
          isClaiming = false;
          const writer = new Writer(transaction, this.database.dialect, statements, answering);
          if (kept !== undefined)
            return { written: await writer.answer(kept.ids), location: kept.location };
          const written = await writer.run(plan);
          return this.keep(transaction, keyed, written);
        });
        return ok(answer);
      } catch (error) {
        if (error instanceof Refusal) return fail(error.error);
        const hasWaited = isClaiming && error instanceof DatabaseFailure && waits.has(error.kind);
        // A statement's own deadline may come before the patience ends.
        if (!hasWaited) throw error;
        if (performance.now() >= end) return fail(inProgress);
      }
    }
  }

  /** Claims the key; gives what is kept under it where it was claimed before. */
  private async claim(
    { all }: Transaction,
    { scope, request, at }: KeyedRequest,
    end: number,
  ): Promise<{ readonly ids: readonly JsonValue[]; readonly location: string | undefined } | void> {
    const wait = String(milliseconds(end));
    const bound = [scope, request, at.toISOString(), expiry(at), wait];
    const [claimed] = await all(this.statements.claim, { bound });
    if (claimed !== undefined) return undefined;
    const [row] = await all(this.statements.kept, { bound: [scope] });
    // Gone in between: it was taken back or has expired on a server whose clock is ahead.
    if (row === undefined) throw new Refusal(inProgress);
    const [known, ids, location] = row;
    if (known !== request) throw new Refusal(mismatch);
    return {
      ids: JSON.parse(String(ids)) as readonly JsonValue[],
      location: typeof location === 'string' ? location : undefined,
    };
  }

  private async keep(
    { run }: Transaction,
    { scope, status, before }: KeyedRequest,
    written: readonly Written[],
  ): Promise<KeptAnswer> {
    const location = locationOf(before, written);
    const ids = JSON.stringify(written.map(({ id }) => id));
    await run(this.statements.keep, { bound: [String(status), ids, location ?? null, scope] });
    return { written, location };
  }

  /** Now and then, forgets what has expired, some of it at a time. */
  private async forget(at: Date): Promise<void> {
    const now = performance.now();
    if (this.forgotAt !== 0 && now - this.forgotAt < forgettingEvery) return;
    this.forgotAt = now;
    try {
      const gone = await this.database.writeOne(this.statements.forget, { bound: [expiry(at)] });
      if (gone.length === portion) this.forgotAt = 0;
    } catch (error) {
      // It is tried again in a minute; the request itself is not to fail by it.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }
}

/**
 * Creates and keeps in one statement, where one can say it all. Undefined where not, where the key is known, and where
 * the database has refused it: what that is about is found out step by step.
 */
async function createAtOnce(
  plan: WritePlan,
  statements: WriteStatements,
  answering: Answering,
  { scope, request, at, status, before, database }: KeyedRequest,
  end: number,
): Promise<KeptAnswer | undefined> {
  if (before === undefined) return undefined;
  // It waits with the record in its hands: whoever has the key may wait for that.
  const wait = Math.min(briefly, milliseconds(end));
  try {
    const kept = { scope, request, at, status, wait, before };
    const whole = await createWhole(plan, answering, database, statements, kept);
    return whole && { written: [whole], location: locationOf(before, [whole]) };
  } catch (error) {
    const hasWaited = error instanceof DatabaseFailure && waits.has(error.kind);
    if (hasWaited || error instanceof ConstraintError) return undefined;
    throw error;
  }
}

/** How a failure is named after which others may have been waited for. */
const waits: ReadonlySet<FailureKind> = new Set(['timeout', 'busy', 'crowded']);

/** How long there is until `end`, in ms; at least one. */
function milliseconds(end: number): number {
  return Math.max(1, Math.ceil(end - performance.now()));
}

/** The Location of the only record; `before` is what stands before its id. */
export function locationOf(
  before: string | undefined,
  [first]: readonly Written[],
): string | undefined {
  return before === undefined ? undefined : before + encodeURIComponent(String(first?.id));
}

/** What was claimed before has expired. */
function expiry(at: Date): string {
  return new Date(at.getTime() - keptFor).toISOString();
}

/** Whether a promise settles in so many ms. */
async function settles(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  if (milliseconds <= 0) return false;
  const over = new AbortController();
  const late = delay(milliseconds, false, { signal: over.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), late]);
  over.abort();
  return settled;
}
