import { breaks, onlyOf, type BrokenRule } from '../../problem-rules.ts';
import { unknownField } from '../../model/unknown-field.ts';
import { momentText } from '../../model/field-types/moments/datetime.ts';
import { apiError, type ApiError } from '../../errors.ts';
import type { BelongsToMany, Field } from '../../model/api.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { readGiven } from '../../model/validation/visible-values.ts';
import { isJsonObject, type ValueIssue } from '../../model/values.ts';
import {
  fieldNameIn,
  linkedRelation,
  mayCarry,
  mayLink,
  pivotInputs,
  type RelationView,
  type ResourceView,
} from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';
import {
  complete,
  isLeftToDatabase,
  lacksClaim,
  makeDefault,
  isUpdateStamp,
  type ClockAndIds,
} from './defaults.ts';
import { nestedOperations } from './nested-rights.ts';
import { emptyHalves, halfIssue, touchedMorphs } from './morphs.ts';
import type { FieldValues, Link, LinkChange, WriteKind } from '../plan.ts';

/** Parses all links in a body. */
export function readAllLinks(
  body: object,
  kind: WriteKind,
  resourceView: ResourceView,
  clockAndIds: ClockAndIds,
  prefix: string,
  issues: ValueIssue[],
): readonly LinkChange[] {
  const changes: LinkChange[] = [];
  for (const name of Object.keys(body)) {
    const linked = linkedRelation(name, resourceView);
    if (linked === undefined) continue;
    const value = (body as Readonly<Record<string, unknown>>)[name];
    const { view, relation } = linked;
    const change = readLinks(value, `${prefix}${name}`, {
      view,
      relation,
      kind,
      clockAndIds,
      issues,
    });
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

/** Whether this caller may write all links in a body. */
export function mayWriteLinks(
  body: object,
  kind: WriteKind,
  resourceView: ResourceView,
  clockAndIds: ClockAndIds,
): boolean {
  return Object.keys(body).every((name) => {
    const linked = linkedRelation(name, resourceView);
    if (linked === undefined) return true;
    const { view, relation } = linked;
    const isAllowed = mayLink(view, resourceView, kind === 'create' ? kind : 'update');
    return isAllowed && !lacksClaim(relation.through, clockAndIds, () => false);
  });
}

/**
 * The most links that one request may name, the same as the most rows of a delete. See
 * docs/contract/3-writing.md#links, rule 12.
 */
const maxLinks = 10_000;

/** The error for bodies that together name too many links. */
export function tooManyLinks(
  bodies: readonly unknown[],
  resourceView: ResourceView,
): ApiError | undefined {
  let count = 0;
  for (const body of bodies)
    if (isJsonObject(body))
      for (const [name, value] of Object.entries(body))
        if (linkedRelation(name, resourceView) !== undefined)
          for (const list of isJsonObject(value) ? [value['add'], value['remove']] : [value])
            if (Array.isArray(list)) count += list.length;
  if (count <= maxLinks) return undefined;
  return apiError(
    'LIMIT_EXCEEDED',
    `A request names at most ${maxLinks} links; this one has ${count}. Change them in parts, with add and remove`,
  );
}

/**
 * Parses the value of a belongsToMany in a body: an array of links, or `{ add, remove }`. See
 * docs/contract/3-writing.md#links.
 */
function readLinks(
  value: unknown,
  name: string,
  given: Omit<LinkContext, 'through'>,
): LinkChange | undefined {
  const { view, relation, issues } = given;
  const through = view.target(relation.through);
  const note = (path: string, message: string, broken: BrokenRule): undefined => {
    issues.push({ kind: 'type', path, message, ...broken });
  };
  if (through === undefined) return note(name, 'cannot be written here', breaks('readOnly'));
  const reader = { ...given, through };
  if (Array.isArray(value)) {
    const links = readList(value, name, reader);
    return { relation, path: name, isWhole: true, links, removed: [] };
  }
  if (!isJsonObject(value))
    return note(
      name,
      'must be an array of links, or an object with add and remove',
      breaks('type', { expected: 'array' }),
    );
  const unknown = Object.keys(value).filter(
    (key) => !(nestedOperations as readonly string[]).includes(key),
  );
  for (const key of unknown)
    note(
      `${name}.${key}`,
      'only create, update, delete, add and remove can stand here',
      onlyOf(nestedOperations),
    );
  if (!Object.hasOwn(value, 'add') && !Object.hasOwn(value, 'remove') && unknown.length === 0)
    return undefined;
  const [add, remove] = (['add', 'remove'] as const).map((key) => {
    const list = Object.hasOwn(value, key) ? value[key] : [];
    return Array.isArray(list)
      ? (list as unknown[])
      : note(`${name}.${key}`, 'must be an array', breaks('type', { expected: 'array' }));
  });
  const links = readList(add ?? [], `${name}.add`, reader);
  const removed = (remove ?? []).flatMap((item, index) =>
    readRemoved(item, `${name}.remove[${index}]`, reader),
  );
  const gone = new Set(removed);
  for (const { id, path } of links)
    if (gone.has(id))
      note(
        path,
        `${JSON.stringify(id)} is in add and in remove; it can be in one`,
        breaks('conflict'),
      );
  return { relation, path: name, isWhole: false, links, removed };
}

/** The input and output of parsing links: `issues` is added to. */
interface LinkContext {
  readonly view: RelationView;
  readonly relation: BelongsToMany;
  readonly through: ResourceView;
  readonly kind: WriteKind;
  readonly clockAndIds: ClockAndIds;
  readonly issues: ValueIssue[];
}

/** Parses a list of links. A repeated id counts once, with the first pivot that was sent. */
function readList(items: readonly unknown[], name: string, context: LinkContext): readonly Link[] {
  const links = new Map<JsonValue, Link>();
  for (const [index, item] of items.entries()) {
    const link = readLink(item, `${name}[${index}]`, context);
    if (link === undefined) continue;
    const hasPivot = (links.get(link.id)?.pivot.size ?? 0) > 0;
    if (!hasPivot) links.set(link.id, link);
  }
  // All links of a new record are new, so their missing pivot fields are problems now.
  if (context.kind === 'create')
    for (const { missing } of links.values()) context.issues.push(...missing);
  return [...links.values()];
}

function readId(
  value: unknown,
  path: string,
  { relation, issues }: LinkContext,
): readonly JsonValue[] {
  const parsed = readValue(value, relation.target.id);
  if (parsed.ok) return [parsed.value];
  issues.push(...parsed.issues.map((issue) => ({ ...issue, path: `${path}${issue.path}` })));
  return [];
}

/** The id of a link to remove: an id, or an object with nothing but an id. */
function readRemoved(item: unknown, path: string, context: LinkContext): readonly JsonValue[] {
  if (!isJsonObject(item)) return readId(item, path, context);
  const isNamed = hasOnly(['id'], item, path, context);
  return isNamed ? readId(item['id'], `${path}.id`, context) : [];
}

/** Whether an object has an id; other members than the known ones are problems. */
function hasOnly(
  known: readonly string[],
  item: object,
  path: string,
  { issues }: LinkContext,
): boolean {
  const message = `only ${known.join(' and ')} can stand here`;
  for (const key of Object.keys(item))
    if (!known.includes(key))
      issues.push({ kind: 'type', path: `${path}.${key}`, message, ...onlyOf(known) });
  if (Object.hasOwn(item, 'id')) return true;
  const missing = { message: 'is required', ...breaks('required') };
  issues.push({ kind: 'type', path: `${path}.id`, ...missing });
  return false;
}

function readLink(item: unknown, path: string, context: LinkContext): Link | undefined {
  const { issues } = context;
  const before = issues.length;
  if (!isJsonObject(item)) {
    const [id] = readId(item, path, context);
    return id === undefined ? undefined : makeLink(id, path, new Map(), context);
  }
  if (!hasOnly(['id', 'pivot'], item, path, context)) return undefined;
  const [id] = readId(item['id'], `${path}.id`, context);
  const pivot = Object.hasOwn(item, 'pivot')
    ? readPivot(item['pivot'], `${path}.pivot`, context)
    : new Map<Field, JsonValue>();
  if (id === undefined) return undefined;
  const link = makeLink(id, path, pivot, context);
  // A pivot field that was rejected is not missing as well.
  const rejected = issues.slice(before).map((issue) => issue.path);
  const isRejected = (name: string): boolean =>
    rejected.some((one) => one === name || one.startsWith(`${name}.`));
  return { ...link, missing: link.missing.filter((issue) => !isRejected(issue.path)) };
}

/** Reads the link to a record that is created with it, without its id: the pivot beside the record's fields. */
export function readNewLink(
  pivot: unknown,
  path: string,
  given: Omit<LinkContext, 'through'>,
): Omit<Link, 'id'> | undefined {
  const through = given.view.target(given.relation.through);
  if (through === undefined) return undefined;
  const context = { ...given, through };
  const before = given.issues.length;
  const values = pivot === undefined ? new Map() : readPivot(pivot, `${path}.pivot`, context);
  const { id: _, missing, ...link } = makeLink(null, path, values, context);
  if (given.issues.length === before) given.issues.push(...missing);
  return { ...link, missing };
}

function readPivot(value: unknown, path: string, context: LinkContext): FieldValues {
  const { relation, kind, issues } = context;
  const values = new Map<Field, JsonValue>();
  if (!isJsonObject(value)) {
    issues.push({
      kind: 'type',
      path,
      message: 'must be an object',
      ...breaks('type', { expected: 'object' }),
    });
    return values;
  }
  const inputs = pivotInputs(context.view);
  for (const [name, member] of Object.entries(value)) {
    const input = inputs.get(name);
    if (input === undefined || !mayCarry(relation, input)) {
      const problem =
        input === undefined
          ? unknownField('pivot field', name, inputs.keys())
          : { message: 'is read-only', ...breaks('readOnly') };
      // A link from a GET can be sent back unchanged, so read-only pivot fields are ignored in updates.
      if (input === undefined || kind === 'create')
        issues.push({ kind: 'type', path: `${path}.${name}`, ...problem });
      continue;
    }
    const parsed = readGiven(member, input.field, context.through.view);
    if (parsed.ok) values.set(input.field, parsed.value);
    else
      for (const issue of parsed.issues)
        issues.push({ ...issue, path: `${path}.${name}${issue.path}` });
  }
  return values;
}

function makeLink(id: JsonValue, path: string, pivot: FieldValues, context: LinkContext): Link {
  const { relation, through, clockAndIds, view } = context;
  const { ownerKey, targetKey } = relation;
  const keys = new Set([ownerKey, targetKey].flatMap(keyFields));
  const row = new Map(complete(pivot, through, clockAndIds));
  for (const field of keys) row.delete(field);
  const nameOf = (field: Field): string | undefined => fieldNameIn(view.pivot, field);
  const placeOf = (field: Field): string => {
    const name = nameOf(field);
    return name === undefined ? path : `${path}.pivot.${name}`;
  };
  // An id that requests give is not among them.
  const missing = [...new Set([...row.keys(), relation.through.id])]
    .filter((field) => !keys.has(field) && isMissing(field, pivot, clockAndIds))
    .map((field): ValueIssue => {
      const message =
        nameOf(field) === undefined
          ? 'needs more than a link can carry; create it in the junction'
          : 'is required';
      return { kind: 'type', path: placeOf(field), message, ...breaks('required') };
    });
  const morphs = touchedMorphs(relation.through, row);
  for (const half of emptyHalves(morphs, (one) => row.get(one) ?? null)) {
    const { field, ...problem } = halfIssue(half, nameOf);
    missing.push({ kind: 'type', path: placeOf(field), ...problem });
  }
  return {
    id,
    path,
    pivot,
    update: pivotUpdate(pivot, relation, clockAndIds),
    newRow: row,
    missing,
  };
}

/** Whether a field of an existing link cannot change. */
export function isFixed(field: Field): boolean {
  return field.immutable || field === field.resource.id;
}

/** The update of an existing link's pivot: without immutable fields, with the update time. */
function pivotUpdate(
  pivot: FieldValues,
  { through }: BelongsToMany,
  clockAndIds: ClockAndIds,
): FieldValues {
  const change = new Map([...pivot].filter(([field]) => !isFixed(field)));
  if (change.size > 0)
    for (const field of through.fields.values())
      if (isUpdateStamp(field))
        change.set(field, momentText(clockAndIds.now().toISOString(), field.precision));
  return change;
}

function isMissing(field: Field, pivot: FieldValues, clockAndIds: ClockAndIds): boolean {
  return !pivot.has(field) && isNeeded(field) && makeDefault(field, clockAndIds) === undefined;
}

/** Whether a new record needs a value for a field; an id is drawn or counted unless it is required. */
function isNeeded(field: Field): boolean {
  return field.required || (!field.nullable && field !== field.resource.id);
}

/** The fields that a junction cannot be without, and of which no link says anything: no link can be written. */
export function uncarriedFields(relation: BelongsToMany): readonly Field[] {
  const { through, ownerKey, targetKey, pivot } = relation;
  const carried = new Set([...[ownerKey, targetKey].flatMap(keyFields), ...pivot]);
  return [...through.fields.values()].filter(
    (field) =>
      isNeeded(field) &&
      field.default === undefined &&
      !isLeftToDatabase(field) &&
      !carried.has(field),
  );
}
