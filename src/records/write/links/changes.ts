import { breaks } from '../../../problem-rules.ts';
import { apiError, type ApiError, type FieldProblem } from '../../../errors.ts';
import { getOrInsert } from '../../../lib/get-or-insert.ts';
import type { BelongsToMany, Field, Resource } from '../../../model/api.ts';
import { keyFields } from '../../../model/field-types/composite-id.ts';
import type { SqlValue, ValueIssue } from '../../../model/values.ts';
import type { FieldValues, LinkChange } from '../../../query/plan.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { decoderOf, encodeValue, type Dialect, type StoredValues } from '../../../sql/dialect.ts';
import type { DataAccess } from '../checks/conflicts.ts';
import { maxReached } from '../delete.ts';
import { storedValues } from '../field-values.ts';
import {
  updatePivot,
  createLink,
  deleteLink,
  existingLink,
  clearUniqueValues,
  newLink,
  storedParts,
  pivotIssues,
  type ExistingLink,
  type NewLink,
} from './rows.ts';
import { ApiFailure } from '../../api-failure.ts';
import { mayResultIn } from '../checks/resulting-rows.ts';

/** The problems of links: missing or mistyped values (400), and rejected references and values (422). */
export interface LinkProblems {
  readonly missing: readonly ValueIssue[];
  readonly refused: readonly FieldProblem[];
  /** The junction's access rules do not allow a link that is created or deleted. */
  readonly isForbidden: boolean;
}

/** A change of links, looked up and judged. Nothing of it is written yet. */
export interface PreparedLinks {
  readonly change: LinkChange;
  /** The ids of the junction's rows to delete. */
  readonly taken: readonly SqlValue[];
  /** Existing links whose pivot changes. */
  readonly kept: readonly ExistingLink[];
  readonly added: readonly NewLink[];
  readonly problems: LinkProblems;
}

/**
 * Prepares the changes to the links of a record in the transaction of its write. Links that stay keep their row, and their
 * pivot if none is sent. Links hidden from the caller stay unchanged, and hidden records cannot be linked. `ownerId` is
 * undefined if the record itself was rejected; then links are only checked, to report their problems as well. `written` are
 * the values that the record is about to get. See docs/contract/3-writing.md#links.
 */
export async function prepareLinks(
  changes: readonly LinkChange[],
  ownerId: JsonValue | undefined,
  written: FieldValues,
  access: DataAccess,
): Promise<readonly PreparedLinks[]> {
  const prepared: PreparedLinks[] = [];
  for (const change of changes)
    prepared.push(await prepareChange(change, ownerId, written, access));
  return prepared;
}

async function prepareChange(
  change: LinkChange,
  ownerId: JsonValue | undefined,
  written: FieldValues,
  access: DataAccess,
): Promise<PreparedLinks> {
  const { relation } = change;
  const { ownerField } = relation;
  const stored = ownerId === undefined ? undefined : await ownerKeyOf(relation, ownerId, access);
  const given = ownerId === undefined ? undefined : written.get(ownerField);
  const owner = given === undefined ? stored : encodeValue(access.dialect, given, ownerField);
  const found = await linkableRecords(change, access);
  const current =
    stored === undefined ? noLinks : await currentLinks(change, stored, found, access);
  const missing: ValueIssue[] = [];
  const refused: FieldProblem[] = [];
  const wanted = new Set<SqlValue>();
  const kept: ExistingLink[] = [];
  const added: NewLink[] = [];
  for (const link of change.links) {
    const key = found.get(link.id);
    if (key === undefined) {
      const resource = access.names.resource(relation.target) ?? relation.target.name;
      const message = `there is no record in ${resource} with id ${JSON.stringify(link.id)}`;
      refused.push({ field: link.path, message, ...breaks('reference', { resource }) });
      continue;
    }
    const empty = emptyKey(relation, owner, key);
    if (empty !== undefined) {
      const message = `cannot be linked: links lead by ${access.names.field(empty) ?? 'a field'}, which is null`;
      refused.push({ field: link.path, message, ...breaks('conflict') });
      continue;
    }
    if (owner !== undefined) {
      const differing = differingPart(relation, owner, key, access.dialect);
      if (differing !== undefined) {
        const message = `cannot be linked: ${access.names.field(differing) ?? 'a field'} has to be the same in both`;
        refused.push({ field: link.path, message, ...breaks('conflict') });
        continue;
      }
    }
    wanted.add(key);
    const rows = current.get(key);
    if (rows !== undefined && link.pivot.size > 0)
      for (const row of rows) kept.push(await existingLink(relation, link, row, access));
    else if (rows === undefined && link.missing.length > 0) missing.push(...link.missing);
    else if (rows === undefined && owner !== undefined)
      added.push(newLink(relation, link, owner, key, access));
  }
  const removed = new Set(change.removed.map((id) => found.get(id)));
  const taken = [...current].flatMap(([key, rows]) =>
    (change.isWhole ? !wanted.has(key) : removed.has(key)) ? rows : [],
  );
  const isForbidden = !(await mayChange(relation, { taken, kept, added }, access));
  const problems = { missing, refused, isForbidden };
  return { change, taken, kept, added, problems };
}

/**
 * Whether the junction's access rules allow these changes, judged before any of them is made. Changing a pivot counts as
 * deleting the link and creating another.
 */
async function mayChange(
  { through }: BelongsToMany,
  { taken, kept, added }: Pick<PreparedLinks, 'taken' | 'kept' | 'added'>,
  access: DataAccess,
): Promise<boolean> {
  const { rights, transaction, statements, dialect } = access;
  if (rights === undefined) return true;
  // The lock keeps other writes from changing what the rules check.
  if (rights.allowedRows(through, 'create') !== 'all')
    for (const { row } of kept)
      await transaction.all(statements.lock(through), { bound: [], id: row });
  const gone = [...taken, ...kept.map(({ row }) => row)];
  const left =
    gone.length === 0
      ? undefined
      : await rights.allowedKeys(through.id, 'delete', gone, transaction);
  if (left !== undefined && left.size < gone.length) return false;
  for (const { link, row } of kept) {
    const values = (): [StoredValues] => [storedValues(link.update, dialect)];
    if (!(await mayResultIn(through, 'create', values, access, row))) return false;
  }
  return mayResultIn(through, 'create', () => added.map(({ stored }) => stored), access);
}

/** Makes the changes; returns their problems, those of the preparation included. */
export async function writeLinks(
  prepared: readonly PreparedLinks[],
  access: DataAccess,
): Promise<LinkProblems> {
  const missing: ValueIssue[] = [];
  const refused: FieldProblem[] = [];
  let isForbidden = false;
  // Two relations of a record may lead through the same rows, as to oneself.
  const gone = new Map<Resource, Set<SqlValue>>();
  const made = new Map<Resource, Set<string>>();
  for (const { change, taken, kept, added, problems } of prepared) {
    const { relation } = change;
    const { through } = relation;
    const ownGone = getOrInsert(gone, through, () => new Set());
    const ownMade = getOrInsert(made, through, () => new Set());
    for (const issue of problems.missing) missing.push(issue);
    for (const problem of problems.refused) refused.push(problem);
    isForbidden ||= problems.isForbidden;
    // Delete first, then update, then create, because unique pivot values may move from one link to another.
    for (const row of taken) {
      if (ownGone.has(row)) continue;
      ownGone.add(row);
      refused.push(...(await deleteLink(change, row, access)));
    }
    const fitting: ExistingLink[] = [];
    for (const one of kept) {
      if (ownGone.has(one.row)) continue;
      const issues = pivotIssues(relation, one, access);
      missing.push(...issues);
      if (issues.length === 0) fitting.push(one);
    }
    await clearUniqueValues(relation, fitting, access);
    for (const one of fitting) refused.push(...(await updatePivot(relation, one, access)));
    for (const one of added) {
      const pair = pairOf(relation, one);
      if (ownMade.has(pair)) continue;
      ownMade.add(pair);
      refused.push(...(await createLink(relation, one, access)));
    }
  }
  return { missing, refused, isForbidden };
}

/** The two records that a link is between, whichever of them names it. */
function pairOf({ ownerKey, targetKey }: BelongsToMany, { stored }: NewLink): string {
  const columns = [ownerKey, targetKey]
    .flatMap(keyFields)
    .toSorted((a, b) => (a.column < b.column ? -1 : 1));
  return JSON.stringify(columns.map((key) => [key.column, String(stored.get(key))]));
}

function tooManyToReplace(path: string): ApiError {
  return apiError(
    'DELETE_TOO_LARGE',
    `${path} has more than ${maxReached} links, which are not replaced at once; change them in parts, with add and remove`,
  );
}

const noLinks: ReadonlyMap<SqlValue, readonly SqlValue[]> = new Map();

/** The value by which links reference their owner. Locks the owner. */
async function ownerKeyOf(
  { owner, ownerField }: BelongsToMany,
  id: JsonValue,
  { transaction, statements, dialect }: DataAccess,
): Promise<SqlValue> {
  const encoded = encodeValue(dialect, id, owner.id);
  // The lock serializes changes of one record's links.
  await transaction.all(statements.lock(owner), { bound: [], id: encoded });
  if (ownerField === owner.id) return encoded;
  const current = statements.current(owner, [ownerField]);
  const [row] = await transaction.all(current, { bound: [], id: encoded });
  return row?.[1] ?? null;
}

/**
 * A test whether a field value belongs to a row that the caller sees. The query also runs without keys, so that the
 * statements in debug members do not reveal whether a row is hidden or missing.
 */
async function visibleKeys(
  field: Field,
  keys: readonly SqlValue[],
  { rights, transaction }: DataAccess,
): Promise<(key: SqlValue) => boolean> {
  const found = await rights?.allowedKeys(field, 'read', keys, transaction);
  return (key) => found === undefined || found.has(key);
}

/** The link keys of the records that a change names, by id; only of records that the caller sees. */
async function linkableRecords(
  { relation, links, removed }: LinkChange,
  access: DataAccess,
): Promise<ReadonlyMap<JsonValue, SqlValue>> {
  const { transaction, statements, dialect } = access;
  const ids = [...links.map(({ id }) => id), ...removed];
  if (ids.length === 0) return new Map();
  const keys = dialect.keys(ids.map((id) => encodeValue(dialect, id, relation.target.id)));
  const rows = await transaction.all(statements.linkable(relation), { bound: [], keys });
  const isSeen = await visibleKeys(
    relation.targetField,
    rows.map(([, key = null]) => key),
    access,
  );
  const idOf = decoderOf(dialect, relation.target.id);
  return new Map(
    rows.filter(([, key = null]) => isSeen(key)).map(([id = null, key = null]) => [idOf(id), key]),
  );
}

/** The field that a link would need and that is null: of the linked record, or of the owner. */
function emptyKey(
  { ownerField, targetField }: BelongsToMany,
  owner: SqlValue | undefined,
  key: SqlValue,
): Field | undefined {
  if (key === null) return targetField;
  return owner === null ? ownerField : undefined;
}

/** The field that both keys of a junction share and that differs between the two records. */
function differingPart(
  { ownerKey, targetKey }: BelongsToMany,
  owner: SqlValue,
  key: SqlValue,
  dialect: Dialect,
): Field | undefined {
  const shared = keyFields(ownerKey).filter((field) => keyFields(targetKey).includes(field));
  if (shared.length === 0) return undefined;
  const [own, other] = [
    storedParts(ownerKey, owner, dialect),
    storedParts(targetKey, key, dialect),
  ];
  const of = (parts: typeof own, field: Field): string =>
    String(parts.find(([part]) => part === field)?.[1]);
  return shared.find((field) => of(own, field) !== of(other, field));
}

/** Which of these records are linked with a record, as far as the caller sees it. */
export async function linkedAmong(
  relation: BelongsToMany,
  ids: readonly JsonValue[],
  ownerId: JsonValue,
  access: DataAccess,
): Promise<ReadonlySet<JsonValue>> {
  if (ids.length === 0) return new Set();
  const change = { relation, path: '', isWhole: false, links: [], removed: ids };
  const found = await linkableRecords(change, access);
  const owner = await ownerKeyOf(relation, ownerId, access);
  const current = await currentLinks(change, owner, found, access);
  return new Set([...found].filter(([, key]) => current.has(key)).map(([id]) => id));
}

/**
 * The row ids of the owner's links that the caller sees, by the key of the linked record; one pair may have several. A
 * change with `add` and `remove` reads only the links to the named records, since there may be millions of others.
 */
async function currentLinks(
  { relation, path, isWhole }: LinkChange,
  owner: SqlValue,
  found: ReadonlyMap<JsonValue, SqlValue>,
  access: DataAccess,
): Promise<ReadonlyMap<SqlValue, readonly SqlValue[]>> {
  const { transaction, statements, dialect } = access;
  const named = dialect.keys([...found.values()].filter((key) => key !== null));
  const rows = isWhole
    ? await transaction.all(statements.links(relation), { bound: [owner], limit: maxReached + 1 })
    : await transaction.all(statements.linksTo(relation), { bound: [owner], keys: named });
  if (rows.length > maxReached) throw new ApiFailure(tooManyToReplace(path));
  const ids = rows.map(([id = null]) => id);
  const keys = rows.map(([, key = null]) => key);
  const isLink = await visibleKeys(relation.through.id, ids, access);
  const isTarget = await visibleKeys(relation.targetField, keys, access);
  const links = new Map<SqlValue, SqlValue[]>();
  for (const [id = null, key = null] of rows) {
    // A junction row with a null or hidden target is not a link for the caller.
    if (key === null || !isLink(id) || !isTarget(key)) continue;
    const same = links.get(key);
    if (same === undefined) links.set(key, [id]);
    else same.push(id);
  }
  return links;
}
