import { apiError, fail, type ApiError, type Result } from '../../../errors.ts';
import type { Database, Transaction } from '../../../databases/database.ts';
import type { Field, Resource } from '../../../model/api.ts';
import type { ChangeOfMany, FieldValues, PlannedChange, WritePlan } from '../../../query/plan.ts';
import { isUpdateStamp, type ClockAndIds } from '../../../query/write/defaults.ts';
import { stampsOf } from '../../../query/write/nested.ts';
import {
  changeWith,
  keyOf,
  ofChange,
  withValues,
  writtenRecords,
  type Replace,
  type WrittenRecord,
} from '../../../query/write/written-records.ts';
import { findExisting } from '../../../records/write/checks/existing.ts';
import { inOrder } from '../../../records/write/field-values.ts';
import type { AroundWrite, WriteContext } from '../../../records/write/result.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { Call, Commit, Exchange, FoundIds, Hooked, PlannedWrite } from '../exchange.ts';
import { announce } from './after-commits.ts';
import { aroundOf, outOfBatch } from './around.ts';
import { codeOf, hasHook, isGuarded, isHooked } from './hooks.ts';
import { untilUnchanged, type Attempt } from './until-unchanged.ts';

/** Whether own code, or what a batch has yet to tell, may fill new records of a resource. */
export function filledBy({
  servedApi,
  hookStage,
}: Exchange): ((resource: Resource) => boolean) | undefined {
  if (hookStage?.kind === 'plan' && hookStage.unresolved.size > 0) return () => true;
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
  const own: PlannedWrite = {
    ...plannedOf(call, context),
    find: finderOf(call, plan, context),
    records: (found) => writtenRecords(plan, found),
  };
  const updated = plan.kind === 'create' && plan.upsert !== undefined && plan.resource;
  const { servedApi } = call.exchange;
  const code = updated ? codeOf(servedApi, updated) : undefined;
  const sample = writtenRecords(plan);
  const touch = {
    hooks:
      (code?.beforeUpdate ?? code?.beforeDelete) !== undefined ||
      sample.some((one) => runsBefore(servedApi, one)),
    any: sample.some((one) => isHooked(servedApi, one)),
  };
  return (
    writeInStage(own, touch, (hooked, around) =>
      write(withValues(plan, replaceBy(hooked, momentOf(own))), { ...context, around }),
    ) ?? write(plan, context)
  );
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
  const records = (ids: FoundIds = []): readonly WrittenRecord[] =>
    ids.flatMap((id, index) => {
      if (change.kind === 'delete')
        return [{ kind: 'delete', resource: change.resource, id, path: String(index) } as const];
      return ofChange(id, change).map((one) => ({ ...one, path: `${index} ${one.path}` }));
    });
  const own: PlannedWrite = { ...plannedOf(call, context), find, records };
  const { servedApi } = call.exchange;
  const sample = records([null]);
  const touch = {
    hooks: sample.some((one) => runsBefore(servedApi, one)),
    any: sample.some((one) => isHooked(servedApi, one)),
  };
  return (
    writeInStage(own, touch, (hooked, around) => {
      const places = new Map((hooked.found ?? []).map((id, index) => [id, index]));
      return write({ ...context, around }, (id) =>
        change.kind === 'delete'
          ? change
          : changeWith(change, replaceBy(hooked, momentOf(own), `${places.get(id)} `)),
      );
    }) ?? write(context)
  );
}

function runsBefore(servedApi: Exchange['servedApi'], one: WrittenRecord): boolean {
  return hasHook(servedApi, one) || isGuarded(servedApi, one);
}

function plannedOf(
  call: Call,
  context: WriteContext,
): Pick<PlannedWrite, 'call' | 'context' | 'unresolved'> {
  const { hookStage } = call.exchange;
  return {
    call,
    context,
    ...(hookStage?.kind === 'plan' ? { unresolved: hookStage.unresolved } : {}),
  };
}

/** The result of a write that was planned alone. */
const planned: ApiError = apiError('INTERNAL_ERROR', 'The write was planned, and nothing else');

const noHooks: Hooked = {
  found: undefined,
  records: new Map(),
  values: new Map(),
  seen: [],
  added: [],
  isRefused: false,
};

/** Writes as the stage of the exchange says; undefined if own code has no part in it. */
function writeInStage<Answer>(
  own: PlannedWrite,
  touch: { readonly hooks: boolean; readonly any: boolean },
  write: (hooked: Hooked, around: AroundWrite | undefined) => Promise<Result<Answer>>,
): Promise<Result<Answer>> | undefined {
  const { exchange } = own.call;
  const { hookStage } = exchange;
  if (hookStage?.kind === 'plan') {
    hookStage.keep(touch.hooks ? own : undefined);
    return Promise.resolve(fail(planned));
  }
  if (!touch.any && !touch.hooks) return undefined;
  const around = async (hooked: Hooked, attempt: Attempt | undefined): Promise<Result<Answer>> => {
    const commits: Commit[] = [];
    const written = await write(hooked, aroundOf(own, hooked, commits, attempt));
    if (written.ok) announce(commits, exchange);
    return written;
  };
  if (hookStage === undefined && touch.hooks)
    return untilUnchanged(exchange, [own], ([hooked = noHooks], attempt) =>
      around(hooked, attempt),
    );
  const hooked = hookStage?.hooked ?? noHooks;
  const error = own.find === undefined ? outOfBatch(own, hooked, undefined) : undefined;
  return error === undefined ? around(hooked, undefined) : Promise.resolve(fail(error));
}

/** How an upsert finds its records; undefined for other plans. */
function finderOf(
  { exchange }: Call,
  plan: WritePlan,
  { rights }: WriteContext,
): PlannedWrite['find'] {
  if (plan.kind !== 'create' || plan.upsert === undefined) return undefined;
  const { upsert, records } = plan;
  const { statements } = exchange.servedApi;
  return async (database) => {
    const { dialect } = database;
    const transaction = readerOf(database);
    const found: (JsonValue | undefined)[] = [];
    for (const { values } of records)
      found.push(
        await findExisting(upsert.key, values, { transaction, statements, dialect }, rights),
      );
    return found;
  };
}

function momentOf({ call, context }: PlannedWrite): ClockAndIds {
  return { ...call.exchange.clockAndIds, now: context.rights.now };
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
