import { createHash } from 'node:crypto';
import { apiError, fail, joinErrors, ok, type ApiError, type Result } from '../../errors.ts';
import { DatabaseFailure } from '../../databases/database.ts';
import { lookUpRefused } from '../../records/write/checks/lookups.ts';
import {
  locationOf,
  onlyKept,
  type KeptResult,
  type KeyedRequest,
} from '../../records/write/idempotency.ts';
import { RowRights } from '../../records/write/checks/row-rights.ts';
import { executeWrite } from '../../records/write/execute.ts';
import {
  notFound,
  type WriteContext,
  type Written,
  type WrittenRecord,
} from '../../records/write/result.ts';
import { refusalOf, type Caller } from '../../model/access.ts';
import { inBody } from '../../lib/body-bounds.ts';
import { fieldNameIn } from '../../model/view.ts';
import { scopeOf } from '../../auth/callers.ts';
import type { Api, Resource } from '../../model/api.ts';
import type { ValueIssue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { ClockAndIds } from '../../query/write/defaults.ts';
import { readConflictKey } from '../../query/write/upsert.ts';
import {
  atOneTime,
  planCreate,
  planCreateAt,
  planUpdate,
  validationError,
  type ConflictOptions,
  type Planned,
} from '../../query/write/write.ts';
import type { Preconditions, UnplannedWrite, WritePlan } from '../../query/plan.ts';
import { parseBody } from '../../query/request/body.ts';
import { parsePrefer, readIdempotencyKey } from '../../query/request/headers.ts';
import type { RequestKind } from '../../query/request/parameters.ts';
import { parseQuery } from '../../query/request/query.ts';
import { emptyResponse, jsonResponse, type Response } from '../response/response.ts';
import { entityTag } from '../../records/serialize/record.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { Call, Exchange } from './exchange.ts';
import { filledBy, writeHooked } from './own-code/hooked-writes.ts';
import { mayChangeValues } from './own-code/hooks.ts';
import { addressOf, compiledOne, parseId, requesterOf, runRead } from './reads.ts';
import { inspectShown } from '../debug/inspect.ts';
import { serverDefaults } from '../../specification/keys/server.ts';

/** The header of a response without records, or with their ids alone. */
export const minimal = { 'preference-applied': 'return=minimal' } as const;

/** `POST /<resource>`: one record, or an array of them. */
export async function createRecords(call: Call): Promise<Result<Response>> {
  const { exchange } = call;
  const { api } = exchange.servedApi;
  const key = readIdempotencyKey(exchange.headers['idempotency-key']);
  const moment = atOneTime(exchange.clockAndIds, call.caller.claims);
  const conflicts = conflictsOf(call);
  const isFilled = filledBy(exchange);
  const prepared = await prepare(
    call,
    moment,
    (body) => inBody(() => planNew(body, call, api, moment, conflicts, isFilled)),
    [...(key.ok ? [] : [key.error]), ...(conflicts?.ok === false ? [conflicts.error] : [])],
  );
  if (!prepared.ok) return prepared;
  const { plan } = prepared.value;
  const { isArray } = plan;
  const { origin, path } = addressOf(call);
  // The path of a PUT ends with the id.
  const collection = call.id === undefined ? path : path.slice(0, path.lastIndexOf('/'));
  const before = isArray ? undefined : `${origin}${collection}/`;
  const created =
    key.ok && key.value !== undefined
      ? await createOnce(call, key.value, prepared.value, before)
      : await createAlways(call, prepared.value, before);
  if (!created.ok) return created;
  const { written, location } = created.value;
  const { records, isUnread, isNew = true } = written;
  exchange.onWritten?.(
    records.map((record) => record.id),
    isArray,
  );
  const status = isNew ? 201 : 200;
  const readable = records.map(({ record }) => record).filter((record) => record !== undefined);
  // A caller that may not read the record gets nothing of it.
  if (readable.length > 0) await inspectShown(call, readable);
  // If the caller may not read the record, or it was deleted since (Idempotency-Key), only its id is known.
  const shown = records.map(({ id, record }) => record ?? { id });
  const applied = isUnread ? minimal : {};
  if (isArray) return ok(respondWritten(call, status, shown, applied));
  const [first] = records;
  const tagged = first?.record === undefined ? undefined : first;
  const headers = { ...applied, ...(location === undefined ? {} : { location }) };
  return ok(respondWritten(call, status, shown[0], headers, tagged));
}

/** What the request says of records that exist already; undefined if it says nothing. */
function conflictsOf(call: Call): Result<ConflictOptions> | undefined {
  const { exchange, query, resourceView, id } = call;
  if (id !== undefined) return ok({ key: [resourceView.resource.id], resolution: 'fail' });
  const text = query.reserved.get('onConflict');
  if (text === undefined) return undefined;
  const key = readConflictKey(text, resourceView);
  if (!key.ok) return key;
  const { ignoresDuplicates } = parsePrefer(exchange.headers);
  return ok({ key: key.value, resolution: ignoresDuplicates ? 'ignore' : 'update' });
}

/** Plans a POST, or a PUT that creates a record under the id in its path. */
function planNew(
  body: unknown,
  { resourceView, id }: Call,
  api: Api,
  moment: ClockAndIds,
  conflicts: Result<ConflictOptions> | undefined,
  isFilled: ReturnType<typeof filledBy>,
): Planned<Extract<WritePlan, { kind: 'create' }>> {
  const options = conflicts?.ok === true ? conflicts.value : undefined;
  return id === undefined
    ? planCreate(body, resourceView, api, moment, options, isFilled)
    : planCreateAt(id, body, resourceView, api, moment, options, isFilled);
}

async function createAlways(
  call: Call,
  { plan, context }: Prepared,
  before: string | undefined,
): Promise<Result<KeptResult>> {
  const written = await execute(call, plan, context);
  if (!written.ok) return written;
  const { records, isNew } = written.value;
  const location = isNew === false ? undefined : locationOf(before, records);
  return ok({ written: written.value, location });
}

/** Creates once under an `Idempotency-Key`. See docs/contract/3-writing.md#idempotency-keys. */
async function createOnce(
  call: Call,
  key: string,
  { plan, context, bytes }: Prepared,
  before: string | undefined,
): Promise<Result<KeptResult>> {
  const { exchange, caller, view } = call;
  const { keys, servedApi } = exchange;
  const keyed = keyedRequest(exchange, caller, view.version.number, key, bytes);
  const request = { ...keyed, status: 201, locationPrefix: before };
  const once = (own: WritePlan, around: WriteContext): Promise<Result<KeptResult>> => {
    exchange.trace.enter(writeStage(own));
    return keys.once(own, servedApi.statements, around, request);
  };
  return keys.inTurn(keyed, async () => {
    if (servedApi.code?.hasHooks !== true) return once(plan, context);
    // What was done under this key is not judged again by hooks.
    if (await keys.hasRun(keyed)) return once(plan, { ...context, around: onlyKept });
    return writeHooked(call, plan, context, once);
  });
}

/** A request under an `Idempotency-Key`, which belongs to its caller, version and path. */
export function keyedRequest(
  exchange: Exchange,
  caller: Caller,
  version: number,
  key: string,
  bytes: Buffer,
): Omit<KeyedRequest, 'status' | 'locationPrefix'> {
  const { path, search, headers, clockAndIds, database } = exchange;
  const { server } = exchange.servedApi.api.settings;
  const type = headers['content-type'] ?? '';
  return {
    scope: digestOf(JSON.stringify([scopeOf(caller), version, path, key])),
    request: digestOf(JSON.stringify([type, search]), bytes),
    at: clockAndIds.now(),
    database,
    end: performance.now() + (server?.requestTimeout ?? serverDefaults.requestTimeout),
  };
}

function digestOf(...parts: readonly (string | Buffer)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest('base64url');
}

/** `PUT` and `PATCH /<resource>/:id`. */
export async function updateRecord(
  call: Call,
  kind: 'replace' | 'update',
  idText: string,
): Promise<Result<Response>> {
  const { exchange, resourceView } = call;
  const id = parseId(idText, resourceView);
  const [type] = mediaTypeOf(exchange.headers);
  const options = {
    merges: type === mergePatchType,
    preconditions: preconditionsOf(exchange),
    isFilled: filledBy(exchange),
  };
  const moment = atOneTime(exchange.clockAndIds, call.caller.claims);
  const prepared = await prepare(call, moment, (body) => {
    const planned = inBody(() =>
      planUpdate(body, kind, id ?? idText, resourceView, moment, options),
    );
    // No record can have this id, so there is nothing to look up.
    return planned.ok || id !== undefined ? planned : fail(planned.error);
  });
  if (!prepared.ok) return prepared;
  if (id === undefined) return fail(notFound(resourceView.resource, idText));
  const { plan, context } = prepared.value;
  const written = await execute(call, plan, context);
  if (!written.ok) return written;
  exchange.onWritten?.([id], false);
  const { records, isUnread } = written.value;
  const [first] = records;
  if (isUnread) return ok(respondWritten(call, 200, { id: first?.id }, minimal));
  if (first?.record === undefined) return ok(emptyResponse(204, exchange.requestId));
  await inspectShown(call, [first.record]);
  return ok(respondWritten(call, 200, first.record, {}, first));
}

/** `DELETE /<resource>/:id`. */
export async function deleteRecord(call: Call, idText: string): Promise<Result<Response>> {
  const { exchange, resourceView } = call;
  const id = parseId(idText, resourceView);
  if (id === undefined) return fail(notFound(resourceView.resource, idText));
  const compiled = compiledOne(call, plainQuery);
  if (!compiled.ok) return compiled;
  const { resource } = resourceView;
  const plan = { kind: 'delete', resource, id, preconditions: preconditionsOf(exchange) } as const;
  const deleted = await execute(
    call,
    plan,
    answeringWith(call, atOneTime(exchange.clockAndIds, call.caller.claims), compiled.value),
  );
  return deleted.ok ? ok(emptyResponse(204, exchange.requestId)) : deleted;
}

function preconditionsOf({ headers }: Exchange): Preconditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
}

/** The read that makes the response of a write; `plain`: the plain read, if this one selects or expands. */
export function answeringWith(
  call: Call,
  { now, uuid }: ClockAndIds,
  compiled: CompiledRead,
  plain?: CompiledRead,
): WriteContext {
  const { api, database, auditLog } = call.exchange.servedApi;
  const rights = new RowRights(call.view, call.caller.claims, now, database.dialect);
  const requester = requesterOf(call);
  return {
    compiled,
    plain,
    limits: api.limits,
    bodyLimit: api.settings.server?.bodyLimit ?? serverDefaults.bodyLimit,
    runRead: runRead(call, requester),
    requester,
    names: namesOf(call),
    rights,
    audited: auditLog && {
      log: auditLog,
      at: now(),
      caller: call.caller.id?.replaceAll('\0', '\uFFFD') ?? null,
      requestId: call.exchange.requestId,
      uuid,
    },
    former: call.exchange.former,
  };
}

const plainQuery = parseQuery('', 'read');

export interface Prepared<Plan = WritePlan> {
  readonly plan: Plan;
  /** The raw body. */
  readonly bytes: Buffer;
  readonly context: WriteContext;
}

/**
 * The checks before the database: media type and size, then query and body together. `matched` finds the records of a change of
 * many.
 */
export async function prepare<Plan>(
  call: Call,
  moment: ClockAndIds,
  plan: (body: unknown) => Planned<Plan>,
  others: readonly ApiError[] = [],
  matched: () => Promise<readonly JsonValue[]> = () => Promise.resolve([]),
): Promise<Result<Prepared<Plan>>> {
  const { exchange, query } = call;
  const refusal = checkMediaType(exchange.headers, call.kind);
  if (refusal !== undefined) return fail(refusal);
  exchange.trace.enter('read_body');
  const bytes = await exchange.readBody();
  if (!bytes.ok) return bytes;
  exchange.trace.enter('parse_body');
  const compiled = compiledOne(call, query);
  const body = parseBody(bytes.value);
  const planned: Planned<Plan> = body.ok ? plan(body.value) : body;
  // A caller that may not do it at all gets no other errors.
  if (!planned.ok && planned.error === refusalOf(call.caller, call.view.api.settings))
    return planned;
  const { unplanned } = planned;
  // The planning stage of a hook is followed by another plan, whose problems are looked up.
  const isFinal = unplanned === undefined || exchange.hookStage?.kind === 'plan';
  const issues = isFinal ? [] : await lookUp(call, moment, unplanned, matched);
  const invalid =
    issues.length === 0 || unplanned === undefined
      ? undefined
      : validationError([...unplanned.issues, ...issues]);
  const [problem, ...problems] = [
    ...others,
    ...(compiled.ok ? [] : [compiled.error]),
    ...(planned.ok ? [] : [invalid ?? planned.error]),
  ];
  if (problem !== undefined) return fail(joinErrors(problem, ...problems));
  if (!compiled.ok) return compiled;
  if (!planned.ok) return planned;
  const plain = query.planKey === '' ? undefined : compiledOne(call, plainQuery);
  if (plain?.ok === false) return plain;
  const context = answeringWith(call, moment, compiled.value, plain?.value);
  return ok({ plan: planned.value, context, bytes: bytes.value });
}

/** Ends the transaction of a look-up. */
class LookedUp extends Error {}

/** What the database tells of a write that validation has refused; nothing if it cannot be asked. */
async function lookUp(
  call: Call,
  { now }: ClockAndIds,
  unplanned: UnplannedWrite,
  matched: () => Promise<readonly JsonValue[]>,
): Promise<readonly ValueIssue[]> {
  const { database, servedApi, trace } = call.exchange;
  const { dialect } = database;
  const { statements } = servedApi;
  const rights = new RowRights(call.view, call.caller.claims, now, dialect);
  const names = namesOf(call);
  trace.enter(writeStage(unplanned));
  let found: readonly ValueIssue[] = [];
  try {
    const ids = await matched();
    // It is a write, because rules lock the rows that they judge. It ends without a commit.
    await database.write(async (transaction) => {
      const isFinal = (resource: Resource, kind: 'create' | 'update'): boolean =>
        !mayChangeValues(servedApi, resource, kind);
      const access = { transaction, dialect, statements, names, rights, isFinal };
      found = await lookUpRefused(unplanned, ids, access);
      throw new LookedUp();
    }, requesterOf(call));
  } catch (failure) {
    // The request is wrong whatever the database says.
    if (!(failure instanceof LookedUp || failure instanceof DatabaseFailure)) throw failure;
  }
  return found;
}

/** The names of fields and resources for this caller and version. */
function namesOf({ view }: Call): WriteContext['names'] {
  return {
    field: (field) => fieldNameIn(view.resource(field.resource.name)?.inputs.values() ?? [], field),
    resource: ({ name }) => ((view.resource(name)?.rules.read.length ?? 0) > 0 ? name : undefined),
  };
}

export const mergePatchType = 'application/merge-patch+json';

/** The media type of a body and its parameters, in lower case. */
export function mediaTypeOf(
  headers: Exchange['headers'],
): readonly [type: string, ...parameters: string[]] {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  return [type, ...parameters];
}

export function checkMediaType(
  headers: Exchange['headers'],
  kind: RequestKind,
): ApiError | undefined {
  const refuse = (message: string): ApiError => apiError('UNSUPPORTED_MEDIA_TYPE', message);
  const isEmpty =
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  // An empty body has no media type; a missing body is reported later.
  if (isEmpty && headers['content-type'] === undefined) return undefined;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return refuse(`A body in Content-Encoding ${encoding} is not taken; send it as it is`);
  const [type, ...parameters] = mediaTypeOf(headers);
  const isTaken =
    type === 'application/json' ||
    (type === mergePatchType && (kind === 'update' || kind === 'updateMany'));
  if (!isTaken)
    return refuse(
      type === ''
        ? 'Send the body as Content-Type: application/json'
        : `A body of type ${type} is not taken; send application/json`,
    );
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-8"?$/u.test(charset)
    ? undefined
    : refuse('JSON is UTF-8; no other charset is taken');
}

function execute(call: Call, plan: WritePlan, context: WriteContext): Promise<Result<Written>> {
  const { database, servedApi, trace } = call.exchange;
  const write = async (own: WritePlan, around: WriteContext): Promise<Result<Written>> => {
    trace.enter(writeStage(own));
    const written = await executeWrite(own, database, servedApi.statements, around);
    trace.enter('finalize');
    return written;
  };
  return servedApi.code?.hasHooks === true
    ? writeHooked(call, plan, context, write)
    : write(plan, context);
}

/** The trace step that writes a record. */
export function writeStage({ resource }: Pick<WritePlan, 'resource'>): string {
  return `write_${resource.name}`;
}

/** The response of a write: as of a GET, with the entity tag of the plain read of a single record. */
function respondWritten(
  call: Call,
  status: 200 | 201,
  shown: unknown,
  more: Readonly<Record<string, string>>,
  written?: WrittenRecord,
): Response {
  const { exchange } = call;
  const headers: Record<string, string> = { ...more };
  const body = JSON.stringify(shown);
  if (written !== undefined)
    headers['etag'] = entityTag(written.plain === undefined ? body : JSON.stringify(written.plain));
  if (!parsePrefer(exchange.headers).minimal)
    return jsonResponse(status, body, exchange.requestId, headers);
  Object.assign(headers, minimal);
  return emptyResponse(status === 201 ? 201 : 204, exchange.requestId, headers);
}
