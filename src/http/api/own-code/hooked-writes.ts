import { apiError, fail, type ApiError, type Result } from '../../../errors.ts';
import { getOrInsert } from '../../../lib/get-or-insert.ts';
import { owner } from '../../../model/access.ts';
import type { ClockAndIds } from '../../../query/write/defaults.ts';
import type { Field, Resource } from '../../../model/api.ts';
import { versionOfFile } from '../../../model/view.ts';
import type { ChangeOfMany, FieldValues, WritePlan } from '../../../query/plan.ts';
import { readBatch } from '../../../query/request/batch.ts';
import { isUpdateStamp } from '../../../query/write/defaults.ts';
import { stampsOf } from '../../../query/write/nested.ts';
import {
  changeWith,
  keyOf,
  ofChange,
  withValues,
  writtenRecords,
  type PlannedChange,
  type Replace,
  type WrittenRecord,
} from '../../../query/write/written-records.ts';
import { inOrder } from '../../../records/write/field-values.ts';
import { findExisting } from '../../../records/write/checks/existing.ts';
import type { AroundWrite, WriteContext } from '../../../records/write/result.ts';
import { ChangedSince, checkUnchanged, readStored } from '../../../records/write/unchanged.ts';
import type { Database, Transaction } from '../../../databases/database.ts';
import { asService, transactionAsDatabase } from '../../../databases/transaction-as-database.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { ServedApi } from '../../server/served-api.ts';
import type { Call, CodeRun, Commit, Exchange } from '../exchange.ts';
import { runOperation } from '../operations.ts';
import { announce } from './after-commits.ts';
import { codeOf, isHooked, runHooks, serviceOf, storedRead, type Hooked } from './hooks.ts';
import { below, codeRunOf } from './run.ts';
import { Turns } from './turns.ts';

/** How often a request runs its hooks if its records keep changing meanwhile. */
const mostTries = 5;

/** Whether own code may yet fill new records of a resource. */
export function filledBy(servedApi: ServedApi): ((resource: Resource) => boolean) | undefined {
  const { code } = servedApi;
  return code?.hasHooks === true ? ({ name }) => code.filled.has(name) : undefined;
}

/** Writes a plan with the hooks of its records around it; `write` runs the plan that they leave. */
export async function writeHooked<Answer>(
  call: Call,
  plan: WritePlan,
  context: WriteContext,
  write: (plan: WritePlan, context: WriteContext) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const { servedApi } = call.exchange;
  if (!isTouched(servedApi, writtenRecords(plan), plan)) return write(plan, context);
  const database = serviceOf(call);
  const find = async (): Promise<readonly (JsonValue | undefined)[] | undefined> => {
    if (plan.kind !== 'create' || plan.upsert === undefined) return undefined;
    const { upsert, records } = plan;
    const { dialect } = database;
    const { statements } = servedApi;
    const transaction = readerOf(database);
    const found: (JsonValue | undefined)[] = [];
    for (const { values } of records)
      found.push(
        await findExisting(
          upsert.key,
          values,
          { transaction, statements, dialect },
          context.rights,
        ),
      );
    return found;
  };
  return untilUnchanged(call, context, {
    find,
    records: (existing) => writtenRecords(plan, existing),
    write: (hooked, around, moment) =>
      write(withValues(plan, replaceBy(hooked, moment)), { ...context, around }),
  });
}

/** Writes a change of many with the hooks of each record around it. `find` finds the records. */
export async function writeManyHooked<Answer>(
  call: Call,
  change: ChangeOfMany,
  context: WriteContext,
  find: () => Promise<readonly JsonValue[]>,
  write: (
    context: WriteContext,
    changeOf?: (id: JsonValue) => ChangeOfMany,
  ) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const records = (ids: readonly (JsonValue | undefined)[]): readonly WrittenRecord[] =>
    ids.flatMap((id, index) => {
      if (change.kind === 'delete')
        return [{ kind: 'delete', resource: change.resource, id, path: String(index) } as const];
      return ofChange(id, change).map((one) => ({ ...one, path: `${index} ${one.path}` }));
    });
  if (!isTouched(call.exchange.servedApi, records([null]))) return write(context);
  return untilUnchanged(call, context, {
    find,
    records: (found) => records(found ?? []),
    write: (hooked, around, moment, found = []) => {
      const places = new Map(found.map((id, index) => [id, index]));
      return write({ ...context, around }, (id) =>
        change.kind === 'delete'
          ? change
          : changeWith(change, replaceBy(hooked, moment, `${places.get(id)} `)),
      );
    },
  });
}

/** Whether own code runs for one of the records, or takes part in an upsert. */
function isTouched(
  servedApi: ServedApi,
  records: readonly WrittenRecord[],
  plan?: WritePlan,
): boolean {
  if (records.some((one) => isHooked(servedApi, one))) return true;
  const { resource } = plan ?? {};
  if (plan?.kind !== 'create' || plan.upsert === undefined || resource === undefined) return false;
  return codeOf(servedApi, resource)?.beforeUpdate !== undefined;
}

interface HookedWrite<Answer> {
  /** The ids of the records, if the plan does not have them. */
  readonly find: () => Promise<readonly (JsonValue | undefined)[] | undefined>;
  readonly records: (
    found: readonly (JsonValue | undefined)[] | undefined,
  ) => readonly WrittenRecord[];
  readonly write: (
    hooked: Hooked,
    around: AroundWrite | undefined,
    moment: ClockAndIds,
    found: readonly (JsonValue | undefined)[] | undefined,
  ) => Promise<Result<Answer>>;
}

/** Runs hooks and the write, and both again if a record has changed between them. */
async function untilUnchanged<Answer>(
  call: Call,
  context: WriteContext,
  { find, records, write }: HookedWrite<Answer>,
): Promise<Result<Answer>> {
  const { exchange } = call;
  const run = codeRunOf(exchange);
  const isAlone = exchange.holdsTurns !== true && exchange.database.isInTransaction !== true;
  const holding = isAlone ? { ...call, exchange: { ...exchange, holdsTurns: true } } : call;
  const moment = { ...exchange.clockAndIds, now: context.rights.now };
  const attempt = async (): Promise<Result<Answer>> => {
    const found = await find();
    const all = records(found);
    const hooked = await runHooks(holding, all, context, run);
    if (!hooked.ok) return hooked;
    const commits: Commit[] = [];
    const around = aroundOf(holding, run, hooked.value, found, commits);
    const written = await write(hooked.value, around, moment, found);
    if (!written.ok) return written;
    announce(commits, exchange);
    return written;
  };
  for (let tries = 0; tries < mostTries; tries += 1)
    try {
      if (!isAlone) return await attempt();
      const turns = getOrInsert(exchange.turns, exchange.keys, () => new Turns());
      const keys = turnsOf(exchange.servedApi, records(await find()));
      return await turns.hold(keys, attempt);
    } catch (error) {
      // In an open transaction its records cannot be seen otherwise.
      if (!(error instanceof ChangedSince) || exchange.database.isInTransaction === true)
        throw error;
    }
  return fail(
    apiError('CONFLICT', 'The record kept changing while it was written; try again', {
      headers: { 'retry-after': '1' },
    }),
  );
}

/** The turns that the records of a request take. */
function turnsOf(servedApi: ServedApi, records: readonly WrittenRecord[]): readonly string[] {
  return records.flatMap((one) =>
    one.kind === 'create' || !isHooked(servedApi, one)
      ? []
      : [`${one.resource.name} ${JSON.stringify(one.id ?? null)}`],
  );
}

/** What own code does in the transaction; undefined if nothing. */
function aroundOf(
  call: Call,
  run: CodeRun,
  { seen, added, noted, isRefused }: Hooked,
  found: readonly (JsonValue | undefined)[] | undefined,
  commits: Commit[],
): AroundWrite | undefined {
  if (seen.length + added.length + noted.length === 0 && found === undefined && !isRefused)
    return undefined;
  const { exchange, caller } = call;
  const { servedApi, database } = exchange;
  const { api, statements } = servedApi;
  const ids = new Map<string, JsonValue>();
  const idOf = (one: WrittenRecord): JsonValue =>
    (one.kind === 'create' ? ids.get(one.path) : one.id) ?? null;
  const readNow = async (
    one: WrittenRecord,
    transaction: Transaction,
  ): Promise<Record<string, unknown> | undefined> => {
    const own = transactionAsDatabase(asService(transaction), database);
    const compiled = storedRead(servedApi, one.resource);
    const [record] = await readStored(compiled, [idOf(one)], own, api.limits);
    return record === undefined
      ? undefined
      : (JSON.parse(JSON.stringify(record)) as Record<string, unknown>);
  };
  return {
    created: (path, id) => void ids.set(path, id),
    found: (now) => {
      if (found === undefined) return;
      const isSame = now.length === found.length && now.every((id, index) => id === found[index]);
      if (!isSame) throw new ChangedSince();
    },
    begin: async (transaction) => {
      ids.clear();
      commits.length = 0;
      await checkUnchanged(seen, transaction, database, statements, api.limits);
    },
    end: async (transaction) => {
      // The write has found what the hooks did not: they have to see it.
      if (isRefused) throw new ChangedSince();
      for (const { one, before } of noted) {
        const code = codeOf(servedApi, one.resource);
        if (code === undefined) continue;
        const after = one.kind === 'delete' ? undefined : await readNow(one, transaction);
        const change = { operation: one.kind, before, after };
        commits.push({ caller, code, resource: one.resource, change });
      }
      if (added.length === 0) return;
      const spoiled: Error[] = [];
      const inner: Exchange = {
        ...below(exchange, run, `also of ${added[0]?.one.resource.name ?? ''}`),
        database: transactionAsDatabase(asService(transaction), database),
        serviceDatabase: undefined,
        commits,
        spoil: (error) => void spoiled.push(error),
        onWritten: undefined,
      };
      for (const { one, operation } of added) {
        await writeAdded(
          typeof operation === 'function'
            ? operation(((await readNow(one, transaction)) ?? {}) as never)
            : operation,
          inner,
          one,
          added.length,
        );
        const [failure] = spoiled;
        if (failure !== undefined)
          throw new AddedFailed(`also of ${one.resource.name}: ${failure.message}`);
      }
    },
  };
}

/** A write that a hook has added fails, and with it all of the transaction: the code is to blame, not the client. */
export class AddedFailed extends Error {
  override readonly name = 'AddedFailed';
}

async function writeAdded(
  operation: unknown,
  exchange: Exchange,
  { resource }: WrittenRecord,
  count: number,
): Promise<void> {
  const { batchItems } = exchange.servedApi.api.limits;
  const refuse = (error: ApiError): never => {
    const problems = (error.problems ?? []).map(({ field, message }) => `${field} ${message}`);
    const details = problems.length === 0 ? '' : ` (${problems.join('; ')})`;
    throw new AddedFailed(
      `also of ${resource.name}: ${JSON.stringify(operation)}: ${error.message}${details}`,
    );
  };
  if (count > batchItems)
    throw new AddedFailed(
      `also of ${resource.name}: ${count} writes, and a request has at most ${batchItems} (limits.batchItems)`,
    );
  const read = readBatch([operation], batchItems);
  if (!read.ok) return refuse(read.error);
  const [one] = read.value;
  if (one === undefined) return undefined;
  const answers = { byName: new Map<string, unknown>(), left: Infinity };
  const { trace } = exchange;
  const [route, kind] = [trace.route, trace.operation];
  const written = await runOperation(one, answers, exchange, versionOfFile, owner);
  [trace.route, trace.operation] = [route, kind];
  if (!written.ok) return refuse(written.error);
  return undefined;
}

/** How the values that hooks have set replace those of a plan. */
function replaceBy({ values: set }: Hooked, moment: ClockAndIds, prefix = ''): Replace {
  const of = (kind: 'create' | 'update', path: string): FieldValues | undefined =>
    set.get(keyOf({ kind, path: `${prefix}${path}` }));
  return {
    create: (record, resource) => {
      const own = of('create', record.path);
      if (own === undefined) return record.values;
      return inOrder(resource, record.values, own);
    },
    update: (change) => {
      const own = of('update', change.path);
      return own === undefined ? change : changed(change, own, moment);
    },
  };
}

function changed(
  { resource, values, unchanged, revised }: PlannedChange,
  own: FieldValues,
  moment: ClockAndIds,
): Pick<PlannedChange, 'values' | 'unchanged' | 'revised'> {
  const merged = new Map<Field, JsonValue>(values);
  const still = new Map<Field, JsonValue>(unchanged);
  const left = new Map(revised);
  for (const [field, value] of own) {
    (field.immutable ? still : merged).set(field, value);
    left.delete(field);
  }
  if (![...values.keys()].some(isUpdateStamp))
    for (const [field, value] of stampsOf(resource, moment)) merged.set(field, value);
  return { values: inOrder(resource, merged, merged), unchanged: still, revised: left };
}

function readerOf({ all }: Database): Pick<Transaction, 'all'> {
  return { all: async (...given) => all(...given) };
}
