import { breaks } from '../../../problem-rules.ts';
import { fail, ok, type Result } from '../../../errors.ts';
import type {
  ChangeHookContext,
  ResourceCode,
  WriteHookContext,
} from '../../../extensions/code.ts';
import { owner } from '../../../model/access.ts';
import type { Field, Resource } from '../../../model/api.ts';
import type { ValueIssue } from '../../../model/values.ts';
import { versionOfFile } from '../../../model/view.ts';
import type { FieldValues } from '../../../query/plan.ts';
import { planOne } from '../../../query/read/read.ts';
import { parseQuery } from '../../../query/request/query.ts';
import { validationError } from '../../../query/write/write.ts';
import { keyOf, type WrittenRecord } from '../../../query/write/written-records.ts';
import type { RowRights } from '../../../records/write/checks/row-rights.ts';
import { readStored, textOf, type SeenRecords } from '../../../records/write/unchanged.ts';
import type { Database } from '../../../databases/database.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { CompiledRead } from '../../../sql/compile/read.ts';
import { encodeValue } from '../../../sql/dialect.ts';
import type { ServedApi } from '../../server/served-api.ts';
import type { Added, Call, CodeRun, FoundIds, Hooked, PlannedWrite } from '../exchange.ts';
import { OwnCodeContext } from './context.ts';
import {
  changeOf,
  changesOf,
  draftOf,
  missingIn,
  noChanges,
  unresolvedIn,
  type Changes,
  type CodeRecord,
} from './records.ts';
import { errorOfCode } from './failing.ts';
import { codeCall, runCode, type CodeCall } from './run.ts';

const hookNames = {
  create: 'beforeCreate',
  update: 'beforeUpdate',
  delete: 'beforeDelete',
} as const;

/** The own code of a resource. */
export function codeOf({ code }: ServedApi, { name }: Resource): ResourceCode | undefined {
  return code?.resources.get(name);
}

/** Whether own code runs when such a record is written. */
export function isHooked(servedApi: ServedApi, { kind, resource }: WrittenRecord): boolean {
  const own = codeOf(servedApi, resource);
  return own !== undefined && (own[hookNames[kind]] ?? own.afterCommit) !== undefined;
}

/** Whether a hook runs before such a record is written. */
export function hasHook(servedApi: ServedApi, { kind, resource }: WrittenRecord): boolean {
  return codeOf(servedApi, resource)?.[hookNames[kind]] !== undefined;
}

/** Whether a change of a record is judged by hooks on the record as it is, so that a request may make only one. */
export function isGuarded(servedApi: ServedApi, { kind, resource }: WrittenRecord): boolean {
  if (kind === 'create') return false;
  const own = codeOf(servedApi, resource);
  return own !== undefined && (own.beforeUpdate ?? own.beforeDelete) !== undefined;
}

/** Whether own code may change the values of such a record before it is written. */
export function mayChangeValues(
  servedApi: ServedApi,
  resource: Resource,
  kind: 'create' | 'update',
): boolean {
  return codeOf(servedApi, resource)?.[hookNames[kind]] !== undefined;
}

/** The read of all stored fields of a record, whoever may see them. */
export function storedRead(servedApi: ServedApi, { name, fields }: Resource): CompiledRead {
  const names = [...fields.keys()].join(',');
  const query = parseQuery(`fields=${names}`, 'read');
  const view = servedApi.view(versionOfFile, owner).resource(name);
  if (view === undefined) throw new TypeError(`The owner does not see ${name}`);
  const compiled = servedApi.compiled(`${view.key}|one|${query.planKey}`, () =>
    planOne(query, view, servedApi.api),
  );
  if (!compiled.ok) throw new TypeError(compiled.error.message);
  return compiled.value;
}

/** The database of a request without the settings of its caller. */
export function serviceOf({ exchange }: Pick<Call, 'exchange'>): Database {
  return exchange.serviceDatabase ?? exchange.database;
}

/**
 * Runs the hooks of the records of a write, one after the other. Fails with the first refusal, else with all values that are
 * not allowed. See docs/contract/10-own-code.md#hooks.
 */
export async function runHooks(
  write: PlannedWrite,
  found: FoundIds,
  run: CodeRun,
): Promise<Result<Hooked>> {
  const { call, context } = write;
  const { servedApi } = call.exchange;
  const hooked = write.records(found).filter((one) => hasHook(servedApi, one));
  const issues = hooked.flatMap(obstaclesOf);
  if (issues.length > 0) return fail(validationError(issues));
  const befores = await readBefore(servedApi, hooked, context.rights, serviceOf(call));
  const records = new Map<string, JsonValue | undefined>();
  const values = new Map<string, FieldValues>();
  const added: Added[] = [];
  let isRefused = false;
  for (const one of hooked) {
    records.set(keyOf(one), one.kind === 'create' ? undefined : one.id);
    const before = one.kind === 'create' ? undefined : befores.of(one);
    if (one.kind !== 'create' && before === undefined) {
      isRefused = true;
      continue;
    }
    const changed = await runHook(write, run, one, before, added);
    if (!changed.ok) return changed;
    issues.push(...changed.value.issues);
    if (changed.value.values.size > 0) values.set(keyOf(one), changed.value.values);
  }
  if (issues.length > 0) return fail(validationError(issues));
  return ok({ found, records, values, seen: befores.seen, added, isRefused });
}

/** Why the hooks of a record cannot run: the body does not say which record it is. */
export function obstaclesOf(one: WrittenRecord): readonly ValueIssue[] {
  if (one.kind === 'create' || one.id !== undefined) return [];
  return one.kind === 'update'
    ? [{ kind: 'type', path: `${one.path}id`, message: 'is required here', ...breaks('required') }]
    : [
        {
          kind: 'type',
          path: one.path,
          message: 'cannot be done here; send a DELETE of the record',
          ...breaks('readOnly'),
        },
      ];
}

async function runHook(
  { call: { exchange, caller }, context: { names }, unresolved }: PlannedWrite,
  run: CodeRun,
  one: WrittenRecord,
  before: CodeRecord | undefined,
  added: Added[],
): Promise<Result<Changes>> {
  const name = hookNames[one.kind];
  const { resource } = one;
  const code = codeOf(exchange.servedApi, resource);
  const place = `${name} of ${resource.name}`;
  exchange.trace.enter(`${name}_${resource.name}`);
  const call = codeCall(exchange, run, place);
  const context = new HookContext(call, caller, one, before, added);
  if (one.kind === 'delete') {
    const done = await runCode(call, () => code?.beforeDelete?.(context));
    return done.ok ? ok(noChanges) : done;
  }
  const given = one.kind === 'create' ? draftOf(one) : changeOf(one.change, before ?? {});
  const path = one.kind === 'create' ? one.path : one.change.path;
  const later = unresolvedIn(resource, path, names, unresolved);
  for (const [field, sent] of later) given[field.name] = sent;
  const record = copyOf(given);
  const done = await runCode(call, () =>
    one.kind === 'create'
      ? code?.beforeCreate?.(record, context)
      : code?.beforeUpdate?.(record, context),
  );
  if (!done.ok) return done;
  try {
    const changes = changesOf(record, given, resource, path, names);
    const missing = one.kind === 'create' ? missingIn(one, changes, names, later) : [];
    return ok({
      values: unresolved === undefined ? changes.values : seenBy(one, later, changes),
      issues: missing.length === 0 ? changes.issues : [...changes.issues, ...missing],
    });
  } catch (error) {
    return fail(errorOfCode(error, place, exchange));
  }
}

/** What a hook has seen and set: a write that is planned again has other defaults. Keys follow from what is written then. */
function seenBy(
  one: Exclude<WrittenRecord, { kind: 'delete' }>,
  later: ReadonlyMap<Field, unknown>,
  { values }: Changes,
): FieldValues {
  const seen = new Map<Field, JsonValue>();
  for (const [field, value] of one.kind === 'create' ? one.record.values : one.change.values)
    if (!later.has(field) && one.given?.includes(field) !== true) seen.set(field, value);
  for (const [field, value] of values) seen.set(field, value);
  return seen;
}

/** A copy whose objects are its own, so that what a hook does to them shows. */
function copyOf(record: CodeRecord): CodeRecord {
  const copy: CodeRecord = {};
  for (const name in record) {
    const value = record[name];
    copy[name] = typeof value === 'object' ? structuredClone(value) : value;
  }
  return copy;
}

/** What a hook gets, with `before` and `also`. */
class HookContext extends OwnCodeContext implements ChangeHookContext, WriteHookContext {
  readonly before: CodeRecord;
  readonly also: WriteHookContext['also'];

  constructor(
    call: CodeCall,
    caller: Call['caller'],
    one: WrittenRecord,
    before: CodeRecord | undefined,
    added: Added[],
  ) {
    super(call, caller);
    this.before = before ?? {};
    this.also = (operation) => void added.push({ one, operation });
  }
}

/** The records that hooks are about, as they are before the request; those alone that the caller may write. */
async function readBefore(
  servedApi: ServedApi,
  hooked: readonly WrittenRecord[],
  rights: RowRights,
  database: Database,
): Promise<{
  readonly seen: readonly SeenRecords[];
  readonly of: (one: WrittenRecord) => CodeRecord | undefined;
}> {
  const ids = new Map<Resource, Set<JsonValue>>();
  for (const one of hooked) {
    if (one.kind === 'create' || one.id === undefined) continue;
    const own = ids.get(one.resource);
    if (own === undefined) ids.set(one.resource, new Set([one.id]));
    else own.add(one.id);
  }
  const seen: SeenRecords[] = [];
  for (const [resource, wanted] of ids) {
    const compiled = storedRead(servedApi, resource);
    const list = [...wanted];
    const records = await readStored(compiled, list, database, servedApi.api.limits);
    const texts = new Map(list.map((id, index) => [id, textOf(records[index])]));
    seen.push({ resource, compiled, texts });
  }
  const barred = new Set<WrittenRecord>();
  for (const one of hooked)
    if (one.kind !== 'create' && !(await mayWrite(one, rights, database))) barred.add(one);
  return {
    seen,
    of: (one) => {
      if (one.kind === 'create' || one.id === undefined || barred.has(one)) return undefined;
      const text = seen.find(({ resource }) => resource === one.resource)?.texts.get(one.id);
      return text === undefined ? undefined : (JSON.parse(text) as CodeRecord);
    },
  };
}

/** Whether the caller may write a record as it is; see `checkTarget`. */
async function mayWrite(
  { kind, resource, id }: Extract<WrittenRecord, { kind: 'update' | 'delete' }>,
  rights: RowRights,
  { all, dialect }: Database,
): Promise<boolean> {
  const key = encodeValue(dialect, id ?? null, resource.id);
  const reader = { all: async (...given: Parameters<typeof all>) => all(...given) };
  const isSeen =
    rights.allowedRows(resource, 'read') !== 'some' ||
    (await rights.isAllowed(resource.id, 'read', key, reader));
  return isSeen && rights.isAllowed(resource.id, kind, key, reader);
}
