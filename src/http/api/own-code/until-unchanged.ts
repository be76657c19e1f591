import { apiError, fail, ok, type ApiError, type Result } from '../../../errors.ts';
import { getOrInsert } from '../../../lib/get-or-insert.ts';
import type { Transaction } from '../../../databases/database.ts';
import { asService, transactionAsDatabase } from '../../../databases/transaction-as-database.ts';
import type { WrittenRecord } from '../../../query/write/written-records.ts';
import {
  ChangedSince,
  checkUnchanged,
  type SeenRecords,
} from '../../../records/write/unchanged.ts';
import type { Added, CodeRun, Exchange, FoundIds, Hooked, PlannedWrite } from '../exchange.ts';
import { atOperation } from '../operations.ts';
import { addedFailed, checkCount, planAdded } from './added-writes.ts';
import { ChangedRecords, recordKey, twiceError } from './changed-records.ts';
import { isGuarded, runHooks, serviceOf } from './hooks.ts';
import { codeRunOf } from './run.ts';
import { Turns } from './turns.ts';

/** How often a request runs its hooks if its records keep changing meanwhile. */
const mostTries = 5;

/**
 * Runs the hooks of a request and then its transaction, and both again if a record has changed between them. `write` begins
 * its transaction with `check`. See docs/contract/10-own-code.md#hooks, rule 8.
 */
export async function untilUnchanged<Answer>(
  exchange: Exchange,
  writes: readonly PlannedWrite[],
  write: (hooked: readonly Hooked[], attempt: Attempt) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const run = codeRunOf(exchange);
  const { isInTransaction } = exchange.database;
  const isAlone = exchange.holdsTurns !== true && isInTransaction !== true;
  const turns = isAlone ? getOrInsert(exchange.turns, exchange.keys, () => new Turns()) : undefined;
  const own = isAlone ? writes.map(holdingTurns) : writes;
  const attempt = async (held: ReadonlySet<string>): Promise<Result<Answer>> => {
    const one = new Attempt(exchange, run, turns, held);
    try {
      const hooked = await one.runAll(own);
      return hooked.ok ? await write(hooked.value, one) : hooked;
    } finally {
      one.end();
    }
  };
  const wanted = new Set<string>();
  for (let tries = 0; tries < mostTries;)
    try {
      if (turns === undefined) return await attempt(wanted);
      for (const one of writes)
        for (const record of one.records(await one.find?.(serviceOf(one.call))))
          if (isGuarded(exchange.servedApi, record)) wanted.add(recordKey(record));
      return await turns.hold([...wanted], () => attempt(wanted));
    } catch (error) {
      if (error instanceof TurnTaken) wanted.add(error.key);
      // In an open transaction its records cannot be seen otherwise.
      else if (!(error instanceof ChangedSince) || isInTransaction === true) throw error;
      else tries += 1;
    }
  return fail(keptChanging);
}

const keptChanging: ApiError = apiError(
  'CONFLICT',
  'The record kept changing while it was written; try again',
  { headers: { 'retry-after': '1' } },
);

/** Somebody else holds the turn of a record: the request begins again, and waits for it. */
class TurnTaken extends Error {
  readonly key: string;
  constructor(key: string) {
    super(`${key} is being written`);
    this.key = key;
  }
}

function holdingTurns(write: PlannedWrite): PlannedWrite {
  const { call } = write;
  return { ...write, call: { ...call, exchange: { ...call.exchange, holdsTurns: true } } };
}

/** One run of the hooks of a request. */
export class Attempt {
  private readonly exchange: Exchange;
  private readonly run: CodeRun;
  private readonly turns: Turns | undefined;
  private readonly held: ReadonlySet<string>;
  private readonly releases: (() => void)[] = [];
  private readonly changed: ChangedRecords;
  private readonly seen: SeenRecords[] = [];
  private readonly added: Added[] = [];
  private readonly finds: { readonly write: PlannedWrite; readonly found: FoundIds }[] = [];

  constructor(
    exchange: Exchange,
    run: CodeRun,
    turns: Turns | undefined,
    held: ReadonlySet<string>,
  ) {
    this.exchange = exchange;
    this.run = run;
    this.turns = turns;
    this.held = held;
    this.changed = new ChangedRecords(exchange.servedApi);
  }

  /** Whether something is to be checked. */
  get hasSeen(): boolean {
    return this.seen.length > 0;
  }

  async runAll(writes: readonly PlannedWrite[]): Promise<Result<readonly Hooked[]>> {
    const all: Hooked[] = [];
    const rest: (readonly [Hooked, PlannedWrite])[] = [];
    for (const write of writes) {
      const found = await write.find?.(serviceOf(write.call));
      const twice = this.changed.take(write.records(found));
      const hooked =
        twice === undefined ? await runHooks(write, found, this.run) : fail(twiceError(twice));
      if (!hooked.ok) {
        const { operation } = write;
        return operation === undefined ? hooked : fail(atOperation(operation, hooked.error));
      }
      this.note(write, hooked.value);
      all.push(hooked.value);
      rest.push([hooked.value, write]);
    }
    const whole: Hooked[] = [];
    for (const [hooked, write] of rest) whole.push(await this.withAdded(hooked, write));
    return ok(whole);
  }

  /** Checks in the transaction that the records are as the hooks have seen them; throws a `ChangedSince` if one is not. */
  async check(transaction: Transaction, findsAgain: boolean): Promise<void> {
    const { servedApi, database } = this.exchange;
    const { api, statements } = servedApi;
    await checkUnchanged(this.seen, transaction, database, statements, api.limits);
    if (!findsAgain) return;
    const own = transactionAsDatabase(asService(transaction), database);
    for (const { write, found } of this.finds)
      if (!isSame(await write.find?.(own), found)) throw new ChangedSince();
  }

  end(): void {
    for (const release of this.releases) release();
  }

  private note(write: PlannedWrite, hooked: Hooked): void {
    this.seen.push(...hooked.seen);
    this.added.push(...hooked.added);
    checkCount(this.added, this.exchange);
    if (write.find !== undefined) this.finds.push({ write, found: hooked.found });
  }

  /** Runs the hooks of the writes that the hooks of a write have added, as far as they are known. */
  private async withAdded(hooked: Hooked, { call }: PlannedWrite): Promise<Hooked> {
    if (hooked.added.length === 0) return hooked;
    const added: Added[] = [];
    for (const one of hooked.added) added.push(await this.prepared(one, call.exchange));
    return { ...hooked, added };
  }

  private async prepared(added: Added, exchange: Exchange): Promise<Added> {
    if (exchange.database.isInTransaction === true) return added;
    const run = exchange.codeRun ?? this.run;
    const planned = await planAdded(added, exchange, run);
    if (planned === undefined) return added;
    const { operation, write } = planned;
    const found = await write.find?.(serviceOf(write.call));
    const records = write.records(found);
    // What is written before it is a part of what its hooks have to see.
    if (this.changed.take(records) !== undefined) return added;
    this.takeTurns(records);
    const hooked = await runHooks(write, found, write.call.exchange.codeRun ?? run);
    if (!hooked.ok) throw addedFailed(added.one.resource.name, operation, hooked.error);
    if (hooked.value.isRefused) return added;
    this.note(write, hooked.value);
    return { ...added, prepared: { operation, hooked: await this.withAdded(hooked.value, write) } };
  }

  /** Takes the turns of records. To wait for one while others are held could be to wait in a circle. */
  private takeTurns(records: readonly WrittenRecord[]): void {
    if (this.turns === undefined) return;
    for (const one of records) {
      const key = recordKey(one);
      if (!isGuarded(this.exchange.servedApi, one) || this.held.has(key)) continue;
      const release = this.turns.takeFree(key);
      if (release === undefined) throw new TurnTaken(key);
      this.releases.push(release);
    }
  }
}

export function isSame(now: FoundIds, before: FoundIds): boolean {
  return (
    now?.length === before?.length && now?.every((id, index) => id === before?.[index]) !== false
  );
}
