import { apiError, type ApiError, type FieldProblem } from '../../errors.ts';
import type { BelongsToMany, Field } from '../../model/api.ts';
import type { SqlValue, ValueIssue } from '../../model/values.ts';
import type { Link, LinkChange } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { DataAccess } from './conflicts.ts';
import { maxReached } from './delete.ts';
import {
  updatePivot,
  createLink,
  deleteLink,
  existingLink,
  clearUniqueValues,
  pivotIssues,
  type ExistingLink,
} from './link-rows.ts';
import { ApiFailure } from '../api-failure.ts';

/** The problems of links: missing or mistyped values (400), and rejected references and values (422). */
export interface LinkProblems {
  readonly missing: readonly ValueIssue[];
  readonly refused: readonly FieldProblem[];
  /** A link was created or deleted that the junction's access rules do not allow. */
  readonly isForbidden: boolean;
}

/**
 * Changes the links of a record in the transaction of its write. Links that stay keep their row, and their pivot if none
 * is sent. Links hidden from the caller stay unchanged, and hidden records cannot be linked. `ownerId` is undefined if the
 * record itself was rejected; then links are only checked, to report their problems as well. See
 * docs/contract/3-writing.md#links.
 */
export async function changeLinks(
  changes: readonly LinkChange[],
  ownerId: JsonValue | undefined,
  access: DataAccess,
): Promise<LinkProblems> {
  const problems = { missing: [] as ValueIssue[], refused: [] as FieldProblem[] };
  let isForbidden = false;
  for (const change of changes) {
    const { relation } = change;
    const owner = ownerId === undefined ? undefined : await ownerKeyOf(relation, ownerId, access);
    const found = await linkableRecords(change, access);
    const current =
      owner === undefined ? noLinks : await currentLinks(change, owner, found, access);
    const wanted = new Set<SqlValue>();
    const kept: ExistingLink[] = [];
    const added: { readonly link: Link; readonly key: SqlValue }[] = [];
    for (const link of change.links) {
      const key = found.get(link.id);
      if (key === undefined) {
        const { name } = relation.target;
        const message = `there is no record in ${access.names.resource(relation.target) ?? name} with id ${JSON.stringify(link.id)}`;
        problems.refused.push({ field: link.path, message });
        continue;
      }
      const empty = emptyKey(relation, owner, key);
      if (empty !== undefined) {
        const message = `cannot be linked: links lead by ${access.names.field(empty) ?? 'a field'}, which is null`;
        problems.refused.push({ field: link.path, message });
        continue;
      }
      wanted.add(key);
      const rows = current.get(key);
      if (rows !== undefined && link.pivot.size > 0)
        for (const row of rows) kept.push(await existingLink(relation, link, row, access));
      else if (rows === undefined && link.missing.length > 0)
        problems.missing.push(...link.missing);
      else if (rows === undefined) added.push({ link, key });
    }
    const removed = new Set(change.removed.map((id) => found.get(id)));
    const taken = [...current].flatMap(([key, rows]) =>
      (change.isWhole ? !wanted.has(key) : removed.has(key)) ? rows : [],
    );
    const changed = kept.map(({ row }) => row);
    // Changing a pivot counts as deleting the link and creating another.
    isForbidden ||= !(await isAllowedOnAll(relation, 'delete', [...taken, ...changed], access));
    // Delete first, then update, then create, because unique pivot values may move from one link to another.
    for (const row of taken) problems.refused.push(...(await deleteLink(change, row, access)));
    const fitting: ExistingLink[] = [];
    for (const one of kept) {
      const issues = pivotIssues(relation, one, access);
      problems.missing.push(...issues);
      if (issues.length === 0) fitting.push(one);
    }
    await clearUniqueValues(relation, fitting, access);
    for (const one of fitting) problems.refused.push(...(await updatePivot(relation, one, access)));
    for (const { link, key } of added) {
      if (owner === undefined) break;
      const made = await createLink(relation, link, owner, key, access);
      if (made.ok) changed.push(made.value);
      else problems.refused.push(...made.error);
    }
    isForbidden ||= !(await isAllowedOnAll(relation, 'create', changed, access));
  }
  return { ...problems, isForbidden };
}

function tooManyToReplace(path: string): ApiError {
  return apiError(
    'DELETE_TOO_LARGE',
    `${path} has more than ${maxReached} links, which are not replaced at once; change them in parts, with add and remove`,
  );
}

const noLinks: ReadonlyMap<SqlValue, readonly SqlValue[]> = new Map();

/** Whether the junction's access rules allow an operation on all of these links. */
async function isAllowedOnAll(
  { through }: BelongsToMany,
  operation: 'create' | 'delete',
  ids: readonly SqlValue[],
  { rights, transaction }: DataAccess,
): Promise<boolean> {
  if (ids.length === 0) return true;
  const left = await rights?.allowedKeys(through.id, operation, ids, transaction);
  return left === undefined || left.size === ids.length;
}

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
  return new Map(
    rows
      .filter(([, key = null]) => isSeen(key))
      .map(([id = null, key = null]) => [id as JsonValue, key]),
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
