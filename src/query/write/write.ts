import { breaks, type BrokenRule } from '../../problem-rules.ts';
import { unknownField } from '../../model/unknown-field.ts';
import {
  apiError,
  fail,
  joinErrors,
  ok,
  type ApiError,
  type FieldProblem,
  type Result,
} from '../../errors.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import { refusalOf, type Claims } from '../../model/access.ts';
import type { Api, Field, Limits } from '../../model/api.ts';
import { counted, isJsonObject, mostIssues, type ValueIssue } from '../../model/values.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { readGiven } from '../../model/validation/visible-values.ts';
import {
  fieldNameIn,
  linkedRelation,
  outlastsReplacing,
  type InputView,
  type ResourceView,
} from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';
import {
  complete,
  makeDefault,
  isLeftToDatabase,
  lacksClaim,
  type ClockAndIds,
} from './defaults.ts';
import { mayWriteLinks, readAllLinks, tooManyLinks } from './links.ts';
import { emptyHalves, halfIssue, touchedMorphs } from './morphs.ts';
import { repeatedKeys } from './upsert.ts';
import { operationsOf } from './nested-rights.ts';
import { isNested, readNested, stampsOf, type Reading } from './nested.ts';
import { readRevisions } from './revisions.ts';
import type {
  FieldValues,
  NestedWrites,
  NewRecord,
  PlannedChange,
  Preconditions,
  Revision,
  UnplannedWrite,
  UpdatePlan,
  Upsert,
  WriteKind,
  WritePlan,
} from '../plan.ts';

type CreatePlan = Extract<WritePlan, { kind: 'create' }>;

/** The problem of a field that is set on create only. */
export const immutableProblem = {
  message: 'is immutable: it is set on create only',
  ...breaks('immutable'),
};

/** A plan, or why there is none; `unplanned` is what can still be looked up. */
export type Planned<Plan> = Result<Plan> & { readonly unplanned?: UnplannedWrite };

/** Plans a POST at one moment (`atOneTime`) of one record, or of an array, of which all records are created or none. */
export function planCreate(
  body: unknown,
  resourceView: ResourceView,
  { limits }: Api,
  moment: ClockAndIds,
  conflicts?: ConflictOptions,
  isFilled?: Reading['isFilled'],
): Planned<CreatePlan> {
  const { resource, inputs } = resourceView;
  const isArray = Array.isArray(body);
  const bodies: readonly unknown[] = isArray ? body : [body];
  if (bodies.length > limits.batchItems)
    return fail(
      apiError(
        'LIMIT_EXCEEDED',
        `An array body takes at most ${counted(limits.batchItems, 'record')} (limits.batchItems); this one has ${bodies.length}`,
      ),
    );
  if (!isArray && !isJsonObject(body)) return fail(noObject());
  const mayCreate = (item: unknown): boolean =>
    !isJsonObject(item) ||
    (mayWriteLinks(item, 'create', resourceView, moment) &&
      !lacksClaim(
        resource,
        moment,
        (field) =>
          !field.readOnly && Object.hasOwn(item, fieldNameIn(inputs.values(), field) ?? ''),
      ));
  if (!bodies.every(mayCreate)) return refused(resourceView);
  const tooMany = tooManyLinks(bodies, resourceView);
  if (tooMany !== undefined) return fail(tooMany);
  const reading = newReading(moment, limits, false, isFilled);
  const { issues } = reading;
  const notObjects: string[] = [];
  const records = bodies.flatMap((item, index) => {
    if (isJsonObject(item))
      return [readNew(item, resourceView, isArray ? `[${index}].` : '', noFields, 0, reading)];
    notObjects.push(`[${index}]`);
    return [];
  });
  if (reading.isRefused) return refused(resourceView);
  if (reading.records + bodies.length > limits.batchItems && reading.records > 0)
    return fail(tooManyNested(reading.records + bodies.length, limits));
  const upsert = conflicts && planUpsert(conflicts, bodies, records, resourceView, reading);
  if (reading.isRefused) return refused(resourceView);
  const errors = issues.length > 0 ? [validationError(issues)] : [];
  if (notObjects.length > 0) return fail(joinErrors(noObject(notObjects), ...errors));
  const [error] = errors;
  if (error !== undefined)
    return { ...fail(error), unplanned: { kind: 'create', resource, issues, records, upsert } };
  return ok({ kind: 'create', resource, isArray, records, upsert });
}

/** Plans a PUT that creates the record of its path. */
export function planCreateAt(
  id: string,
  body: unknown,
  resourceView: ResourceView,
  api: Api,
  moment: ClockAndIds,
  conflicts?: ConflictOptions,
  isFilled?: Reading['isFilled'],
): Planned<CreatePlan> {
  if (!isJsonObject(body)) return fail(noObject());
  const { id: field } = resourceView.resource;
  const wanted = field.type.parse(id, field) ?? id;
  const issues = otherId(body, wanted, resourceView);
  const planned = planCreate(
    { ...body, id: wanted },
    resourceView,
    api,
    moment,
    conflicts,
    isFilled,
  );
  const unplanned = planned.ok ? { ...planned.value, issues: [] } : planned.unplanned;
  if (issues.length === 0 || unplanned === undefined) return planned;
  const all = [...unplanned.issues, ...issues];
  return { ...fail(validationError(all)), unplanned: { ...unplanned, issues: all } };
}

/** What a create does if a record with the same values of a unique key exists. */
export interface ConflictOptions {
  readonly key: readonly Field[];
  readonly resolution: 'update' | 'ignore' | 'fail';
}

function planUpsert(
  { key, resolution }: ConflictOptions,
  bodies: readonly unknown[],
  records: readonly NewRecord[],
  resourceView: ResourceView,
  reading: Reading,
): Upsert {
  const mustBeNew = resolution === 'fail';
  const mayChange = (body: unknown): boolean =>
    !isJsonObject(body) || mayWriteLinks(body, 'update', resourceView, reading.moment);
  if (!mustBeNew && resourceView.rules.update.length === 0) reading.isRefused = true;
  if (resolution === 'update' && !bodies.every(mayChange)) reading.isRefused = true;
  const names = new Set(
    key.flatMap((field) => fieldNameIn(resourceView.inputs.values(), field) ?? []),
  );
  const refused = new Set(reading.issues.map((issue) => issue.path));
  const keyed = records.filter(({ path }) =>
    [...names].every((name) => !refused.has(`${path}${name}`)),
  );
  reading.issues.push(...repeatedKeys(key, keyed, resourceView));
  if (resolution !== 'update' || records.length < bodies.length)
    return { key, changes: [], mustBeNew };
  // What is wrong with a record is wrong with its change as well, and is reported once.
  const changing = reading.issues.length > 0 ? { ...reading, issues: [] } : reading;
  const changes = bodies.map((body, index) => {
    const others = Object.entries(body as object).filter(
      ([name]) => name !== 'id' && !names.has(name),
    );
    const path = records[index]?.path ?? '';
    const own = Object.fromEntries(others);
    return readChangeOf('update', own, undefined, resourceView, path, 0, changing);
  });
  return { key, changes, mustBeNew };
}

function newReading(
  moment: ClockAndIds,
  limits: Limits,
  merges: boolean,
  isFilled: Reading['isFilled'] = never,
): Reading {
  const issues: ValueIssue[] = [];
  const rest = { records: 0, isRefused: false, isFilled, readNew, readChange };
  return { moment, limits, merges, issues, ...rest };
}

const never = (): boolean => false;

function tooManyNested(count: number, { batchItems }: Limits): ApiError {
  return apiError(
    'LIMIT_EXCEEDED',
    `A request writes at most ${counted(batchItems, 'record')} (limits.batchItems), nested ones included; this one has ${count}`,
  );
}

const noFields: ReadonlySet<Field> = new Set();

/** Reads a record to create. `given` are the fields whose values follow from where it is nested. */
function readNew(
  body: object,
  resourceView: ResourceView,
  path: string,
  given: ReadonlySet<Field>,
  depth: number,
  reading: Reading,
): NewRecord {
  const { moment, issues } = reading;
  const nested = readNested(body, 'create', resourceView, path, depth, reading);
  const keys = withKeys(given, nested);
  const isFilled = reading.isFilled(resourceView.resource);
  const own = readRecord(body, 'create', resourceView, moment, path, issues, keys, isFilled);
  const values = complete(own, resourceView, moment, isFilled);
  if (!isFilled) checkMorphs(values, resourceView, path, issues);
  if (depth > 0 && !mayWriteLinks(body, 'create', resourceView, moment)) reading.isRefused = true;
  const links = readAllLinks(body, 'create', resourceView, moment, path, issues);
  return { values, links, nested, path };
}

/** The fields whose values follow from other records: keys of new parents besides those that are given. */
function withKeys(given: ReadonlySet<Field>, { parents }: NestedWrites): ReadonlySet<Field> {
  return parents.length === 0
    ? given
    : new Set([...given, ...parents.flatMap(({ relation }) => keyFields(relation.key))]);
}

function refused({ view: { subject, api } }: ResourceView): Result<never> {
  return fail(refusalOf(subject, api.settings));
}

/** The error for a body that is not an object, or for such items of an array. */
function noObject(items: readonly string[] = []): ApiError {
  const one = items.length === 1 ? `Item ${items.join()}` : `The items ${items.join(', ')}`;
  return apiError(
    'INVALID_BODY',
    items.length === 0
      ? 'The body must be a JSON object'
      : `${one} of the body ${items.length === 1 ? 'is not a JSON object' : 'are not JSON objects'}`,
  );
}

/** Plans a PUT (`replace`) or PATCH (`update`) of one record at one moment (`atOneTime`). */
export function planUpdate(
  body: unknown,
  kind: 'replace' | 'update',
  id: JsonValue,
  resourceView: ResourceView,
  moment: ClockAndIds,
  { merges, preconditions, isFilled }: UpdateOptions,
): Planned<UpdatePlan> {
  const change = planChange(body, kind, id, resourceView, moment, merges, isFilled);
  return change.ok ? ok({ ...change.value, id, preconditions }) : change;
}

/** Plans a PATCH of all records that the filters of a request match, at one moment (`atOneTime`). */
export function planUpdateMany(
  body: unknown,
  resourceView: ResourceView,
  moment: ClockAndIds,
  merges: boolean,
  isFilled?: Reading['isFilled'],
): Planned<PlannedChange> {
  return planChange(body, 'update', undefined, resourceView, moment, merges, isFilled);
}

/** Plans the change of one record, or without an `id` of any number of records. */
function planChange(
  body: unknown,
  kind: 'replace' | 'update',
  id: JsonValue | undefined,
  resourceView: ResourceView,
  moment: ClockAndIds,
  merges: boolean,
  isFilled?: Reading['isFilled'],
): Planned<PlannedChange> {
  if (!isJsonObject(body)) return fail(noObject());
  if (!mayWriteLinks(body, kind, resourceView, moment)) return refused(resourceView);
  const tooMany = tooManyLinks([body], resourceView);
  if (tooMany !== undefined) return fail(tooMany);
  const { limits } = resourceView.view.api;
  const reading = newReading(moment, limits, merges, isFilled);
  const change = readChangeOf(kind, body, id, resourceView, '', 0, reading);
  if (reading.isRefused) return refused(resourceView);
  if (reading.records >= limits.batchItems) return fail(tooManyNested(reading.records + 1, limits));
  const { issues } = reading;
  if (issues.length > 0) {
    const { resource } = resourceView;
    return {
      ...fail(validationError(issues)),
      unplanned: { kind: 'update', resource, issues, id, change },
    };
  }
  return ok(change);
}

const readChange: Reading['readChange'] = (...given) => readChangeOf('update', ...given);

/** Reads the change of a record; without an `id`, of any. */
function readChangeOf(
  kind: 'replace' | 'update',
  body: object,
  id: JsonValue | undefined,
  resourceView: ResourceView,
  path: string,
  depth: number,
  reading: Reading,
): PlannedChange {
  const { resource } = resourceView;
  const { moment, merges, issues } = reading;
  if (depth > 0 && !mayWriteLinks(body, kind, resourceView, moment)) reading.isRefused = true;
  const links = readAllLinks(body, kind, resourceView, moment, path, issues);
  const nested = readNested(body, kind, resourceView, path, depth, reading);
  const keys = withKeys(noFields, nested);
  const isRevising = kind === 'update' && Object.values(body).some(isJsonObject);
  const own: ValueIssue[] = [];
  const members = isRevising
    ? readRevisions(body, merges, resourceView, own)
    : new Map<string, never>();
  const whole = isRevising
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !members.has(name)))
    : body;
  const given = readRecord(whole, kind, resourceView, moment, path, issues, keys);
  checkMorphs(given, resourceView, path, issues);
  // A nested record is named by its id alone, which has been read.
  if (depth === 0) own.push(...otherId(body, id, resourceView));
  own.push(...hiddenImmutables(body, resourceView));
  for (const issue of own) issues.push(path === '' ? issue : { ...issue, path: path + issue.path });
  const values = new Map<Field, JsonValue>();
  const unchanged = new Map<Field, JsonValue>();
  for (const field of resource.fields.values()) {
    const value = given.get(field);
    if (field === resource.id || value === undefined) continue;
    (field.immutable ? unchanged : values).set(field, value);
  }
  // A request without changes keeps the update time.
  if (values.size > 0 || members.size > 0 || nested.parents.length > 0)
    for (const [field, value] of stampsOf(resource, moment)) values.set(field, value);
  const revised = new Map<Field, Revision>();
  for (const { field, revision } of members.values())
    if (revision !== undefined) revised.set(field, revision);
  return { kind: 'update', resource, values, unchanged, revised, links, nested, path };
}

/** The problem of an id in the body that differs from the one in the path, or of any if the path has none. */
function otherId(
  body: object,
  id: JsonValue | undefined,
  { resource, inputs }: ResourceView,
): readonly ValueIssue[] {
  if (!Object.hasOwn(body, 'id') || !inputs.has('id')) return [];
  if (id === undefined)
    return [
      {
        kind: 'type',
        path: 'id',
        message: 'must not be sent with a change of many records',
        ...breaks('readOnly'),
      },
    ];
  const { id: sent } = body as { readonly id: unknown };
  const parsed = readValue(sent, resource.id);
  if (sent === id || (parsed.ok && parsed.value === id)) return [];
  return [
    {
      kind: 'type',
      path: 'id',
      message: `must be ${JSON.stringify(id)}, as in the path`,
      ...breaks('conflict'),
    },
  ];
}

/**
 * Rejects immutable fields that the caller cannot read: the response must not reveal whether the sent value equals the
 * stored one.
 */
function hiddenImmutables(body: object, resourceView: ResourceView): readonly ValueIssue[] {
  return Object.keys(body).flatMap((name) => {
    const input = resourceView.inputs.get(name);
    const isHidden =
      input?.field.immutable === true && input.updatable && !resourceView.fields.has(name);
    return isHidden ? [{ kind: 'type' as const, path: name, ...immutableProblem }] : [];
  });
}

interface UpdateOptions {
  /** The body is a merge patch (RFC 7396): its objects are merged into the stored ones. */
  readonly merges: boolean;
  readonly preconditions: Preconditions;
  /** See `Reading`. */
  readonly isFilled?: Reading['isFilled'] | undefined;
}

/** Freezes the clock when it is first read, so that all times in one request are equal. `claims`: those of its caller. */
export function atOneTime(clockAndIds: ClockAndIds, claims: Claims): ClockAndIds {
  let now: Date | undefined;
  return { ...clockAndIds, claims, now: () => (now ??= clockAndIds.now()) };
}

/** Checks that of each morph pair whose halves are both known, both are null or neither. */
function checkMorphs(
  values: FieldValues,
  resourceView: ResourceView,
  prefix: string,
  issues: ValueIssue[],
): void {
  const morphs = touchedMorphs(resourceView.resource, values).filter(
    ({ typeField, idField }) => values.has(typeField) && values.has(idField),
  );
  const nameOf = (field: Field): string | undefined =>
    fieldNameIn(resourceView.inputs.values(), field);
  for (const half of emptyHalves(morphs, (one) => values.get(one) ?? null)) {
    const { field, ...problem } = halfIssue(half, nameOf);
    const path = `${prefix}${nameOf(field) ?? ''}`;
    // A half that was rejected is not missing as well.
    if (!issues.some((issue) => issue.path === path))
      issues.push({ kind: 'type', path, ...problem });
  }
}

/**
 * Parses the members of a body into values by field. Paths of issues begin with `prefix`. `keys` are fields whose values
 * follow from records that are written with it. `isFilled`: own code may set what it lacks.
 */
function readRecord(
  body: object,
  kind: WriteKind,
  resourceView: ResourceView,
  clockAndIds: ClockAndIds,
  prefix: string,
  issues: ValueIssue[],
  keys: ReadonlySet<Field>,
  isFilled = false,
): FieldValues {
  const values = new Map<Field, JsonValue>();
  const note = (name: string, message: string, broken: BrokenRule): void => {
    issues.push({ kind: 'type', path: `${prefix}${name}`, message, ...broken });
  };
  const { id } = resourceView.resource;
  for (const name of Object.keys(body)) {
    if (issues.length >= mostIssues) return values;
    const input = resourceView.inputs.get(name);
    const value = (body as Readonly<Record<string, unknown>>)[name];
    if (
      input === undefined &&
      (linkedRelation(name, resourceView) !== undefined || isNested(name, value, resourceView))
    )
      continue;
    if (input === undefined) {
      const { message, ...broken } = unknownMember(
        name,
        resourceView,
        issues.length < maxSuggestions,
      );
      note(name, message, broken);
    } else if (input.field === id && kind !== 'create') continue;
    else if (keys.has(input.field))
      note(
        name,
        'follows from the record that is written with it, and must not be sent',
        breaks('readOnly'),
      );
    else if (input.field === id && isGenerated(id))
      note(name, 'is given by the server and must not be sent', breaks('readOnly'));
    else if ((input.field !== id || id.parts !== undefined) && !isWritable(input, kind)) {
      // A record from a GET can be sent back unchanged, so PUT and PATCH ignore readOnly fields.
      if (kind === 'create') note(name, 'is read-only', breaks('readOnly'));
    } else {
      const { field } = input;
      const parsed = readGiven(value, field, resourceView.view);
      if (parsed.ok) values.set(field, parsed.value);
      else
        for (const issue of parsed.issues)
          issues.push({ ...issue, path: `${prefix}${name}${issue.path}` });
    }
  }
  if (kind === 'update') return values;
  for (const input of resourceView.inputs.values()) {
    const { name, field } = input;
    if (Object.hasOwn(body, name) || keys.has(field)) continue;
    if (field === id) {
      if (kind === 'create' && field.required && !isFilled)
        note(name, 'is required', breaks('required'));
      continue;
    }
    if (kind === 'replace' && outlastsReplacing(resourceView, input)) continue;
    const isClaim = field.default?.kind === 'claim';
    // A claim is that of who creates the record.
    if (isClaim && kind === 'replace') continue;
    const fallback = makeDefault(field, clockAndIds);
    if (fallback !== undefined) values.set(field, fallback);
    else if (isClaim) values.set(field, null);
    else if (isLeftToDatabase(field)) continue;
    else if (isWritable(input, kind) ? isNeeded(field) : !field.nullable) {
      if (!isFilled) note(name, 'is required', breaks('required'));
    } else values.set(field, null);
  }
  return values;
}

/** Whether a new record cannot be without a value of a field that has no default. */
export function isNeeded({ required, nullable }: Field): boolean {
  return required || !nullable;
}

function isWritable(input: InputView, kind: WriteKind): boolean {
  return kind === 'create' ? input.creatable : input.updatable;
}

/** The most problems with suggestions for unknown fields. More are not typing errors, and suggestions cost time. */
const maxSuggestions = 100;

function unknownMember(
  name: string,
  resourceView: ResourceView,
  guess: boolean,
): BrokenRule & { readonly message: string } {
  const relation = resourceView.relations.get(name)?.relation;
  if (relation === undefined) {
    const writable = [...resourceView.inputs.values()].filter(
      (input) => guess && (input.creatable || input.updatable),
    );
    return unknownField(
      'field',
      name,
      writable.map((input) => input.name),
    );
  }
  if (relation.kind !== 'belongsTo' && operationsOf(relation).length === 0)
    return { message: 'is a relation and cannot be written here', ...breaks('readOnly') };
  if (relation.kind !== 'belongsTo')
    return {
      message:
        'is a relation; write its records as { "create": … }, { "update": … } or { "delete": … }',
      ...breaks('type', { expected: 'object' }),
    };
  // A relation is visible only if its key is.
  const keys = keyFields(relation.key).flatMap(
    (key) => fieldNameIn(resourceView.fields.values(), key) ?? [],
  );
  return {
    message: `is a relation; write its key ${keys.join(', ')}`,
    ...breaks('unknown', { nearest: keys[0], known: undefined }),
  };
}

/**
 * The error for problems of a body: 422 if all of them are about values, otherwise 400; with up to `mostIssues` problems.
 * See docs/contract/3-writing.md#validation-errors-of-writes, rule 2.
 */
export function validationError(issues: readonly ValueIssue[]): ApiError {
  const problems: FieldProblem[] = issues
    .slice(0, mostIssues)
    .map(({ path, message, rule, params }) => ({ field: path, message, rule, params }));
  if (issues.some(({ kind }) => kind === 'type'))
    return apiError('VALIDATION_FAILED', 'Validation failed', { problems });
  return apiError('INVALID_VALUE', 'Some values are not allowed', { problems });
}
