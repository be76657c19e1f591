import { breaks } from '../../../problem-rules.ts';
import type { ApiError } from '../../../errors.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { Resource } from '../../../model/api.ts';
import { DatabaseFailure, type Transaction } from '../../../databases/database.ts';
import {
  asService,
  transactionAsDatabase,
  whileOpen,
} from '../../../databases/transaction-as-database.ts';
import { validationError } from '../../../query/write/write.ts';
import { keyOf, type WrittenRecord } from '../../../query/write/written-records.ts';
import { ApiFailure } from '../../../records/api-failure.ts';
import type { AroundWrite } from '../../../records/write/result.ts';
import { ChangedSince, readLocked, readStored, textOf } from '../../../records/write/unchanged.ts';
import type { Added, Commit, Exchange, FoundIds, Hooked, PlannedWrite } from '../exchange.ts';
import { AddedFailed, writeAdded } from './added-writes.ts';
import { twiceError } from './changed-records.ts';
import { codeOf, hasHook, obstaclesOf, storedRead } from './hooks.ts';
import type { CodeRecord } from './records.ts';
import { below, codeRunOf } from './run.ts';
import { isSame, type Attempt } from './until-unchanged.ts';

/**
 * What own code does in the transaction of a write; undefined if nothing. `attempt`: the hooks of the request, if the write
 * is all of it; absent in a batch, which checks what they have seen itself.
 */
export function aroundOf(
  write: PlannedWrite,
  hooked: Hooked,
  commits: Commit[],
  attempt: Attempt | undefined,
): AroundWrite | undefined {
  const { servedApi } = write.call.exchange;
  const known = write.find === undefined ? write.records(undefined) : undefined;
  const isIdle =
    known?.some((one) => isAnnounced(servedApi, one)) === false &&
    attempt?.hasSeen !== true &&
    hooked.added.length === 0 &&
    !hooked.isRefused;
  return isIdle ? undefined : new Around(write, hooked, commits, attempt, known);
}

function isAnnounced(servedApi: Exchange['servedApi'], { resource }: WrittenRecord): boolean {
  return codeOf(servedApi, resource)?.afterCommit !== undefined;
}

/**
 * Why a write of a batch cannot be done there: hooks have not seen its records, or have seen them before another operation
 * changed them. `found`: the ids of its records, if the transaction has found them.
 */
export function outOfBatch(
  { call: { exchange }, records }: PlannedWrite,
  hooked: Hooked,
  found: FoundIds,
): ApiError | undefined {
  const { servedApi, hookStage } = exchange;
  const written = records(found);
  const unseen = unseenIn(written, hooked, servedApi);
  if (unseen !== undefined) return unseenError(unseen);
  const twice = hookStage?.kind === 'write' ? hookStage.changed?.take(written) : undefined;
  return twice && twiceError(twice);
}

/** The first record whose hooks have not run; undefined if all have. */
function unseenIn(
  records: readonly WrittenRecord[],
  { records: seen }: Hooked,
  servedApi: Exchange['servedApi'],
): WrittenRecord | undefined {
  return records.find((one) => {
    if (!hasHook(servedApi, one)) return false;
    const key = keyOf(one);
    return !seen.has(key) || (one.kind !== 'create' && seen.get(key) !== one.id);
  });
}

function unseenError({ path, resource }: WrittenRecord): ApiError {
  return validationError([
    {
      kind: 'type',
      path: path === '' || path.endsWith('.') ? `${path}id` : path,
      message: `another operation of the batch makes this record of ${resource.name}, or tells which it is; the server checks it before the batch, so send it by itself`,
      ...breaks('conflict'),
    },
  ]);
}

class Around implements AroundWrite {
  private readonly write: PlannedWrite;
  private readonly hooked: Hooked;
  private readonly commits: Commit[];
  private readonly attempt: Attempt | undefined;
  private readonly known: readonly WrittenRecord[] | undefined;
  /** The ids of created records by path. */
  private readonly ids = new Map<string, JsonValue>();
  /** The records whose `afterCommit` is to run, with their texts before. */
  private noted: { readonly one: WrittenRecord; readonly before: string | undefined }[] = [];

  constructor(
    write: PlannedWrite,
    hooked: Hooked,
    commits: Commit[],
    attempt: Attempt | undefined,
    known: readonly WrittenRecord[] | undefined,
  ) {
    this.write = write;
    this.hooked = hooked;
    this.commits = commits;
    this.attempt = attempt;
    this.known = known;
  }

  async begin(transaction: Transaction): Promise<void> {
    this.ids.clear();
    this.commits.length = 0;
    this.noted = [];
    await this.attempt?.check(transaction, false);
    if (this.known !== undefined) await this.note(this.known, transaction);
  }

  created(path: string, id: JsonValue): void {
    this.ids.set(path, id);
  }

  async found(ids: readonly (JsonValue | undefined)[], transaction: Transaction): Promise<void> {
    const error = outOfBatch(this.write, this.hooked, ids);
    if (this.attempt !== undefined) {
      if (error !== undefined || !isSame(ids, this.hooked.found)) throw new ChangedSince();
    } else if (error !== undefined) throw new ApiFailure(error);
    await this.note(this.write.records(ids), transaction);
  }

  async end(transaction: Transaction): Promise<void> {
    const { call } = this.write;
    const { exchange, caller } = call;
    const { isRefused, added } = this.hooked;
    // The write has found what the hooks did not: they have to see it.
    if (isRefused) throw this.attempt === undefined ? this.changedInBatch() : new ChangedSince();
    for (const { one, before } of this.noted) {
      const code = codeOf(exchange.servedApi, one.resource);
      if (code === undefined) continue;
      const after = one.kind === 'delete' ? undefined : await this.readNow(one, transaction);
      const { kind: operation, resource } = one;
      this.commits.push({ caller, code, resource, operation, before, after });
    }
    if (added.length > 0) await whileOpen(transaction, (open) => this.writeAll(added, open));
  }

  /** Writes what hooks have added. */
  private async writeAll(added: readonly Added[], transaction: Transaction): Promise<void> {
    const { exchange } = this.write.call;
    const [first] = added;
    if (first === undefined) return;
    const spoiled: Error[] = [];
    const inner: Exchange = {
      ...below(exchange, codeRunOf(exchange), `also of ${first.one.resource.name}`),
      database: transactionAsDatabase(asService(transaction), exchange.database),
      serviceDatabase: undefined,
      commits: this.commits,
      spoil: (error) => void spoiled.push(error),
      onWritten: undefined,
    };
    for (const one of added) {
      const written = async (): Promise<CodeRecord> =>
        JSON.parse((await this.readNow(one.one, transaction)) ?? '{}') as CodeRecord;
      try {
        await writeAdded(one, inner, written);
      } catch (error) {
        throw spoiled.find((failure) => failure instanceof DatabaseFailure) ?? error;
      }
      const [failure] = spoiled;
      // The database is at fault, not the code.
      if (failure instanceof DatabaseFailure) throw failure;
      if (failure !== undefined)
        throw new AddedFailed(`also of ${one.one.resource.name}: ${failure.message}`);
    }
  }

  private changedInBatch(): ApiFailure {
    const [one] = this.write.records(this.hooked.found);
    if (one === undefined) throw new ChangedSince();
    return new ApiFailure(unseenError(one));
  }

  /** Takes note of the records whose `afterCommit` is to run, as they are before the write. */
  private async note(records: readonly WrittenRecord[], transaction: Transaction): Promise<void> {
    const { servedApi, database } = this.write.call.exchange;
    const { api, statements } = servedApi;
    const told = records.filter((one) => isAnnounced(servedApi, one));
    if (told.length === 0) return;
    const issues = told.flatMap(obstaclesOf);
    if (issues.length > 0) throw new ApiFailure(validationError(issues));
    const wanted = new Map<Resource, Set<JsonValue>>();
    for (const one of told)
      if (one.kind !== 'create' && this.seen(one) === undefined)
        wanted.set(one.resource, (wanted.get(one.resource) ?? new Set()).add(one.id ?? null));
    const read = new Map<Resource, ReadonlyMap<JsonValue, string | undefined>>();
    for (const [resource, set] of wanted) {
      const ids = [...set];
      const compiled = storedRead(servedApi, resource);
      const rows = await readLocked(compiled, ids, transaction, database, statements, api.limits);
      read.set(resource, new Map(ids.map((id, index) => [id, textOf(rows[index])])));
    }
    for (const one of told) {
      const before =
        one.kind === 'create'
          ? undefined
          : (this.seen(one) ?? read.get(one.resource)?.get(one.id ?? null));
      // What does not exist is not written.
      if (one.kind === 'create' || before !== undefined) this.noted.push({ one, before });
    }
  }

  /** A record as its hook has seen it, which the transaction has checked. */
  private seen(one: Exclude<WrittenRecord, { kind: 'create' }>): string | undefined {
    const seen = this.hooked.seen.find(({ resource }) => resource === one.resource);
    return seen?.texts.get(one.id ?? null);
  }

  private async readNow(one: WrittenRecord, transaction: Transaction): Promise<string | undefined> {
    const { servedApi, database } = this.write.call.exchange;
    const id = (one.kind === 'create' ? this.ids.get(one.path) : one.id) ?? null;
    const own = transactionAsDatabase(asService(transaction), database);
    const { limits } = servedApi.api;
    const [record] = await readStored(storedRead(servedApi, one.resource), [id], own, limits);
    return textOf(record);
  }
}
