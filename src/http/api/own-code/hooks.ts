import { breaks } from '../../../problem-rules.ts';
import { fail, ok, type Result } from '../../../errors.ts';
import type {
  ChangeHookContext,
  Operation,
  ResourceCode,
  WriteHookContext,
} from '../../../extensions/code.ts';
import { owner } from '../../../model/access.ts';
import type { Resource } from '../../../model/api.ts';
import type { ValueIssue } from '../../../model/values.ts';
import { versionOfFile } from '../../../model/view.ts';
import type { FieldValues } from '../../../query/plan.ts';
import { planOne } from '../../../query/read/read.ts';
import { parseQuery } from '../../../query/request/query.ts';
import { validationError } from '../../../query/write/write.ts';
import { keyOf, type WrittenRecord } from '../../../query/write/written-records.ts';
import type { Names } from '../../../records/write/checks/conflicts.ts';
import type { RowRights } from '../../../records/write/checks/row-rights.ts';
import type { WriteContext } from '../../../records/write/result.ts';
import { readStored, textOf, type SeenRecords } from '../../../records/write/unchanged.ts';
import type { Database } from '../../../databases/database.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { CompiledRead } from '../../../sql/compile/read.ts';
import { encodeValue } from '../../../sql/dialect.ts';
import type { ServedApi } from '../../server/served-api.ts';
import type { Call, CodeRun } from '../exchange.ts';
import { OwnCodeContext } from './context.ts';
import {
  changeOf,
  changesOf,
  draftOf,
  missingIn,
  noChanges,
  type Changes,
  type CodeRecord,
} from './records.ts';
import { errorOfCode } from './failing.ts';
import { runCode } from './run.ts';

/** A write that a hook has added, and the record that it was added for. */
export interface Added {
  readonly one: WrittenRecord;
  readonly operation: Operation | ((record: never) => Operation);
}

/** A record whose `afterCommit` is to run. */
export interface Noted {
  readonly one: WrittenRecord;
  readonly before: CodeRecord | undefined;
}

/** What the hooks of a write have found. */
export interface Hooked {
  /** The values that hooks have set, by the key of the record. */
  readonly values: ReadonlyMap<string, FieldValues>;
  readonly seen: readonly SeenRecords[];
  readonly added: readonly Added[];
  readonly noted: readonly Noted[];
  /** Some records do not exist for the caller, or may not be changed by it: the write will say so. */
  readonly isRefused: boolean;
}

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
 * Runs the hooks of the records that a request writes, one after the other, before its transaction. Fails with the first
 * refusal, else with all values that are not allowed. See docs/contract/10-own-code.md#hooks.
 */
export async function runHooks(
  call: Call,
  records: readonly WrittenRecord[],
  { names, rights }: WriteContext,
  run: CodeRun,
): Promise<Result<Hooked>> {
  const { servedApi } = call.exchange;
  const hooked = records.filter((one) => isHooked(servedApi, one));
  const issues = hooked.flatMap(obstaclesOf);
  if (issues.length > 0) return fail(validationError(issues));
  const befores = await readBefore(servedApi, hooked, rights, serviceOf(call));
  const values = new Map<string, FieldValues>();
  const added: Added[] = [];
  const noted: Noted[] = [];
  let isRefused = false;
  for (const one of hooked) {
    const own = codeOf(servedApi, one.resource);
    const before = one.kind === 'create' ? undefined : befores.of(one);
    if (one.kind !== 'create' && before === undefined) {
      isRefused = true;
      continue;
    }
    // A copy of its own: the hook may change what it gets.
    if (own?.afterCommit !== undefined) noted.push({ one, before: befores.of(one) });
    const changed = await runHook(call, run, one, before, own, names, added);
    if (!changed.ok) return changed;
    issues.push(...changed.value.issues);
    if (changed.value.values.size > 0) values.set(keyOf(one), changed.value.values);
  }
  if (issues.length > 0) return fail(validationError(issues));
  return ok({ values, seen: befores.seen, added, noted, isRefused });
}

/** Why the hooks of a record cannot run: the body does not say which record it is. */
function obstaclesOf(one: WrittenRecord): readonly ValueIssue[] {
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
  { exchange, caller }: Call,
  run: CodeRun,
  one: WrittenRecord,
  before: CodeRecord | undefined,
  code: ResourceCode | undefined,
  names: Names,
  added: Added[],
): Promise<Result<Changes>> {
  const name = hookNames[one.kind];
  if (code?.[name] === undefined) return ok(noChanges);
  const { resource } = one;
  const place = `${name} of ${resource.name}`;
  exchange.trace.enter(`${name}_${resource.name}`);
  const context = new HookContext(exchange, caller, run, place, one, before, added);
  if (one.kind === 'delete') {
    const done = await runCode(exchange, run, place, () => code.beforeDelete?.(context));
    return done.ok ? ok(noChanges) : done;
  }
  const given = one.kind === 'create' ? draftOf(one) : changeOf(one.change, before ?? {});
  const record = copyOf(given);
  const done = await runCode(exchange, run, place, () =>
    one.kind === 'create'
      ? code.beforeCreate?.(record, context)
      : code.beforeUpdate?.(record, context),
  );
  if (!done.ok) return done;
  try {
    const path = one.kind === 'create' ? one.path : one.change.path;
    const changes = changesOf(record, given, resource, path, names);
    if (one.kind !== 'create') return ok(changes);
    const missing = missingIn(one, changes, names);
    return ok(
      missing.length === 0 ? changes : { ...changes, issues: [...changes.issues, ...missing] },
    );
  } catch (error) {
    return fail(errorOfCode(error, place, exchange));
  }
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
    exchange: Call['exchange'],
    caller: Call['caller'],
    run: CodeRun,
    place: string,
    one: WrittenRecord,
    before: CodeRecord | undefined,
    added: Added[],
  ) {
    super(exchange, caller, run, place);
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
