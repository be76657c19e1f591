import { momentText } from '../../model/field-types/datetime.ts';
import {
  apiError,
  fail,
  joinErrors,
  ok,
  type ApiError,
  type FieldProblem,
  type Result,
} from '../../errors.ts';
import { refusalOf, type Claims } from '../../model/access.ts';
import type { Api, Field } from '../../model/api.ts';
import {
  counted,
  isJsonObject,
  mostIssues,
  type ParsedValue,
  type ValueIssue,
} from '../../model/values.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { unknownName } from '../../model/build/names.ts';
import { readValue } from '../../model/validation.ts';
import { visibleValues } from '../../model/visible-values.ts';
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
  isUpdateStamp,
  type ClockAndIds,
} from './defaults.ts';
import { mayWriteLinks, readAllLinks, tooManyLinks } from './links.ts';
import { emptyHalves, halfIssue, touchedMorphs } from './morphs.ts';
import { readRevisions } from './revisions.ts';
import type {
  ChangeOfMany,
  FieldValues,
  Preconditions,
  Revision,
  UpdatePlan,
  WriteKind,
  WritePlan,
} from '../plan.ts';

export const immutableMessage = 'is immutable: it is set on create only';

/** Plans a POST at one moment (`atOneTime`) of one record, or of an array, of which all records are created or none. */
export function planCreate(
  body: unknown,
  resourceView: ResourceView,
  { limits }: Api,
  moment: ClockAndIds,
): Result<WritePlan> {
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
    (mayWriteLinks(item, resourceView, moment) &&
      !lacksClaim(
        resource,
        moment,
        (field) =>
          !field.readOnly && Object.hasOwn(item, fieldNameIn(inputs.values(), field) ?? ''),
      ));
  if (!bodies.every(mayCreate)) return refused(resourceView);
  const tooMany = tooManyLinks(bodies, resourceView);
  if (tooMany !== undefined) return fail(tooMany);
  const issues: ValueIssue[] = [];
  const notObjects: string[] = [];
  const records = bodies.flatMap((item, index) => {
    if (!isJsonObject(item)) {
      notObjects.push(`[${index}]`);
      return [];
    }
    const prefix = isArray ? `[${index}].` : '';
    const given = readRecord(item, 'create', resourceView, moment, prefix, issues);
    const values = complete(given, resourceView, moment);
    checkMorphs(values, resourceView, prefix, issues);
    return [{ values, links: readAllLinks(item, 'create', resourceView, moment, prefix, issues) }];
  });
  const errors = issues.length > 0 ? [validationError(issues)] : [];
  if (notObjects.length > 0) return fail(joinErrors(noObject(notObjects), ...errors));
  const [error] = errors;
  if (error !== undefined) return fail(error);
  return ok({ kind: 'create', resource, isArray, records });
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
  { merges, preconditions }: UpdateOptions,
): Result<UpdatePlan> {
  const change = planChange(body, kind, id, resourceView, moment, merges);
  return change.ok ? ok({ ...change.value, id, preconditions }) : change;
}

/** Plans a PATCH of all records that the filters of a request match, at one moment (`atOneTime`). */
export function planUpdateMany(
  body: unknown,
  resourceView: ResourceView,
  moment: ClockAndIds,
  merges: boolean,
): Result<ChangeOfMany> {
  return planChange(body, 'update', undefined, resourceView, moment, merges);
}

/** Plans the change of one record, or without an `id` of any number of records. */
function planChange(
  body: unknown,
  kind: 'replace' | 'update',
  id: JsonValue | undefined,
  resourceView: ResourceView,
  moment: ClockAndIds,
  merges: boolean,
): Result<Omit<UpdatePlan, 'id' | 'preconditions'>> {
  if (!isJsonObject(body)) return fail(noObject());
  if (!mayWriteLinks(body, resourceView, moment)) return refused(resourceView);
  const tooMany = tooManyLinks([body], resourceView);
  if (tooMany !== undefined) return fail(tooMany);
  const { resource } = resourceView;
  const issues: ValueIssue[] = [];
  const links = readAllLinks(body, kind, resourceView, moment, '', issues);
  const isRevising = kind === 'update' && Object.values(body).some(isJsonObject);
  const revisionIssues: ValueIssue[] = [];
  const members = isRevising
    ? readRevisions(body, merges, resourceView, revisionIssues)
    : new Map<string, never>();
  const whole = isRevising
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !members.has(name)))
    : body;
  const given = readRecord(whole, kind, resourceView, moment, '', issues);
  checkMorphs(given, resourceView, '', issues);
  issues.push(...revisionIssues);
  issues.push(...otherId(body, id, resourceView));
  issues.push(...hiddenImmutables(body, resourceView));
  if (issues.length > 0) return fail(validationError(issues));
  const values = new Map<Field, JsonValue>();
  const unchanged = new Map<Field, JsonValue>();
  for (const field of resource.fields.values()) {
    const value = given.get(field);
    if (field === resource.id || value === undefined) continue;
    (field.immutable ? unchanged : values).set(field, value);
  }
  // A request without changes keeps the update time.
  if (values.size > 0 || members.size > 0)
    for (const field of resource.fields.values())
      if (isUpdateStamp(field))
        values.set(field, momentText(moment.now().toISOString(), field.precision));
  const revised = new Map<Field, Revision>();
  for (const { field, revision } of members.values())
    if (revision !== undefined) revised.set(field, revision);
  return ok({
    kind: 'update',
    resource,
    values,
    unchanged,
    revised,
    links,
  });
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
      { kind: 'type', path: 'id', message: 'must not be sent with a change of many records' },
    ];
  const { id: sent } = body as { readonly id: unknown };
  const parsed = readValue(sent, resource.id);
  if (sent === id || (parsed.ok && parsed.value === id)) return [];
  return [{ kind: 'type', path: 'id', message: `must be ${JSON.stringify(id)}, as in the path` }];
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
    return isHidden ? [{ kind: 'type' as const, path: name, message: immutableMessage }] : [];
  });
}

interface UpdateOptions {
  /** The body is a merge patch (RFC 7396): its objects are merged into the stored ones. */
  readonly merges: boolean;
  readonly preconditions: Preconditions;
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
    const { field, message } = halfIssue(half, nameOf);
    const path = `${prefix}${nameOf(field) ?? ''}`;
    // A half that was rejected is not missing as well.
    if (!issues.some((issue) => issue.path === path)) issues.push({ kind: 'type', path, message });
  }
}

/** Parses the members of a body into values by field. Paths of issues begin with `prefix`. */
function readRecord(
  body: object,
  kind: WriteKind,
  resourceView: ResourceView,
  clockAndIds: ClockAndIds,
  prefix: string,
  issues: ValueIssue[],
): FieldValues {
  const values = new Map<Field, JsonValue>();
  const note = (name: string, message: string): void => {
    issues.push({ kind: 'type', path: `${prefix}${name}`, message });
  };
  const { id } = resourceView.resource;
  for (const name of Object.keys(body)) {
    if (issues.length >= mostIssues) return values;
    const input = resourceView.inputs.get(name);
    const value = (body as Readonly<Record<string, unknown>>)[name];
    if (input === undefined && linkedRelation(name, resourceView) !== undefined) continue;
    if (input === undefined)
      note(name, unknownMessage(name, resourceView, issues.length < maxSuggestions));
    else if (input.field === id && kind !== 'create') continue;
    else if (input.field === id && isGenerated(id))
      note(name, 'is given by the server and must not be sent');
    else if ((input.field !== id || id.parts !== undefined) && !isWritable(input, kind)) {
      // A record from a GET can be sent back unchanged, so PUT and PATCH ignore readOnly fields.
      if (kind === 'create') note(name, 'is read-only');
    } else {
      const { field } = input;
      const parsed = readValue(value, field);
      if (parsed.ok) values.set(field, parsed.value);
      else {
        // The message names only the values that this caller may know.
        const visible = visibleValues(field, resourceView.view);
        const shown = visible === field.values ? parsed : readValue(value, field, visible);
        for (const issue of issuesOf(shown))
          issues.push({ ...issue, path: `${prefix}${name}${issue.path}` });
      }
    }
  }
  if (kind === 'update') return values;
  for (const input of resourceView.inputs.values()) {
    const { name, field } = input;
    if (Object.hasOwn(body, name) || field === id) continue;
    if (kind === 'replace' && outlastsReplacing(resourceView, input)) continue;
    const isClaim = field.default?.kind === 'claim';
    // A claim is that of who creates the record.
    if (isClaim && kind === 'replace') continue;
    const fallback = makeDefault(field, clockAndIds);
    if (fallback !== undefined) values.set(field, fallback);
    else if (isClaim) values.set(field, null);
    else if (isLeftToDatabase(field)) continue;
    else if (isWritable(input, kind) ? field.required || !field.nullable : !field.nullable)
      note(name, 'is required');
    else values.set(field, null);
  }
  return values;
}

function issuesOf(parsed: ParsedValue): readonly ValueIssue[] {
  return parsed.ok ? [] : parsed.issues;
}

function isWritable(input: InputView, kind: WriteKind): boolean {
  return kind === 'create' ? input.creatable : input.updatable;
}

/** The most problems with suggestions for unknown fields. More are not typing errors, and suggestions cost time. */
const maxSuggestions = 100;

function unknownMessage(name: string, resourceView: ResourceView, guess: boolean): string {
  const relation = resourceView.relations.get(name)?.relation;
  if (relation === undefined) {
    const writable = [...resourceView.inputs.values()].filter(
      (input) => guess && (input.creatable || input.updatable),
    );
    return unknownName(
      'field',
      name,
      writable.map((input) => input.name),
    );
  }
  if (relation.kind !== 'belongsTo') return 'is a relation and cannot be written here';
  // A relation is visible only if its key is.
  return `is a relation; write its key ${fieldNameIn(resourceView.fields.values(), relation.key) ?? ''}`;
}

/**
 * The error for problems of a body: 422 if all of them are about values, otherwise 400; with up to `mostIssues` problems.
 * See docs/contract/3-writing.md#validation-errors-of-writes, rule 2.
 */
export function validationError(issues: readonly ValueIssue[]): ApiError {
  const problems: FieldProblem[] = issues
    .slice(0, mostIssues)
    .map(({ path, message }) => ({ field: path, message }));
  if (issues.some(({ kind }) => kind === 'type'))
    return apiError('VALIDATION_FAILED', 'Validation failed', { problems });
  return apiError('INVALID_VALUE', 'Some values are not allowed', { problems });
}
