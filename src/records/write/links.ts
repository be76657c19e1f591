import { apiError, type ApiError, type FieldProblem } from '../../errors.ts';
import type { BelongsToMany, Field } from '../../model/api.ts';
import type { SqlValue, ValueIssue } from '../../model/values.ts';
import type { Link, LinkChange } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { Access } from './conflicts.ts';
import { mostReached } from './delete.ts';
import {
  changePivot,
  createLink,
  deleteLink,
  keptLink,
  makeRoom,
  misfits,
  type KeptLink,
} from './link-rows.ts';
import { Refusal } from '../refusal.ts';

/** What keeps links from being written: values of the wrong kind (400), or references and values (422). */
export interface LinkProblems {
  readonly missing: readonly ValueIssue[];
  readonly refused: readonly FieldProblem[];
  /** A link was made or taken away on which the rules of the junction do not allow it. */
  readonly isForbidden: boolean;
}

/**
 * Changes the links of a record within the transaction of its write. Links that stay keep their row, and their pivot
 * when none is sent. Links that the caller does not see stay as they are, and records that it does not see cannot be
 * linked. `ownerId` names the record. Without it the record was refused, and links are only looked at so that their
 * problems are reported as well. See docs/contract/3-writing.md#links.
 */
export async function changeLinks(
  changes: readonly LinkChange[],
  ownerId: JsonValue | undefined,
  access: Access,
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
    const kept: KeptLink[] = [];
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
        for (const row of rows) kept.push(await keptLink(relation, link, row, access));
      else if (rows === undefined && link.missing.length > 0)
        problems.missing.push(...link.missing);
      else if (rows === undefined) added.push({ link, key });
    }
    const removed = new Set(change.removed.map((id) => found.get(id)));
    const taken = [...current].flatMap(([key, rows]) =>
      (change.isWhole ? !wanted.has(key) : removed.has(key)) ? rows : [],
    );
    const changed = kept.map(({ row }) => row);
    // A link with another pivot is another link.
    isForbidden ||= !(await mayAll(relation, 'delete', [...taken, ...changed], access));
    // What goes makes room for what stays, and both for what comes: links may exclude each other.
    for (const row of taken) problems.refused.push(...(await deleteLink(change, row, access)));
    const fitting: KeptLink[] = [];
    for (const one of kept) {
      const issues = misfits(relation, one, access);
      problems.missing.push(...issues);
      if (issues.length === 0) fitting.push(one);
    }
    await makeRoom(relation, fitting, access);
    for (const one of fitting) problems.refused.push(...(await changePivot(relation, one, access)));
    for (const { link, key } of added) {
      if (owner === undefined) break;
      const made = await createLink(relation, link, owner, key, access);
      if (made.ok) changed.push(made.value);
      else problems.refused.push(...made.error);
    }
    isForbidden ||= !(await mayAll(relation, 'create', changed, access));
  }
  return { ...problems, isForbidden };
}

function tooManyToReplace(path: string): ApiError {
  return apiError(
    'DELETE_TOO_LARGE',
    `${path} has more than ${mostReached} links, which are not replaced at once; change them in parts, with add and remove`,
  );
}

const noLinks: ReadonlyMap<SqlValue, readonly SqlValue[]> = new Map();

/** Whether the rules of a junction leave an operation to the caller on all of these links. */
async function mayAll(
  { through }: BelongsToMany,
  operation: 'create' | 'delete',
  ids: readonly SqlValue[],
  { rights, transaction }: Access,
): Promise<boolean> {
  if (ids.length === 0) return true;
  const left = await rights?.among(through.id, operation, ids, transaction);
  return left === undefined || left.size === ids.length;
}

/** The value by which links lead back to the record. */
async function ownerKeyOf(
  { owner, ownerField }: BelongsToMany,
  id: JsonValue,
  { transaction, statements, dialect }: Access,
): Promise<SqlValue> {
  const encoded = encodeValue(dialect, id, owner.id);
  // Two changes of one record's links come one after the other.
  await transaction.all(statements.lock(owner), { bound: [], id: encoded });
  if (ownerField === owner.id) return encoded;
  const current = statements.current(owner, [ownerField]);
  const [row] = await transaction.all(current, { bound: [], id: encoded });
  return row?.[1] ?? null;
}

/**
 * Of these values of a field, those that rows have which the caller sees. It is asked of none as well, so that debug
 * members don't tell what is hidden from what is not there.
 */
async function seen(
  field: Field,
  keys: readonly SqlValue[],
  { rights, transaction }: Access,
): Promise<(key: SqlValue) => boolean> {
  const found = await rights?.among(field, 'read', keys, transaction);
  return (key) => found === undefined || found.has(key);
}

/** The keys by which links lead to the records that a change names, by the ids that are there for the caller. */
async function linkableRecords(
  { relation, links, removed }: LinkChange,
  access: Access,
): Promise<ReadonlyMap<JsonValue, SqlValue>> {
  const { transaction, statements, dialect } = access;
  const ids = [...links.map(({ id }) => id), ...removed];
  if (ids.length === 0) return new Map();
  const keys = dialect.keys(ids.map((id) => encodeValue(dialect, id, relation.target.id)));
  const rows = await transaction.all(statements.linkable(relation), { bound: [], keys });
  const isSeen = await seen(
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

/** The field without a value by which a link would lead: to the record, or to what it links. */
function emptyKey(
  { ownerField, targetField }: BelongsToMany,
  owner: SqlValue | undefined,
  key: SqlValue,
): Field | undefined {
  if (key === null) return targetField;
  return owner === null ? ownerField : undefined;
}

/**
 * The ids of the owner's links that the caller sees, by the key of the record that they lead to; of one pair there may be
 * several. Of a change in part those to the records that it names: there may be millions of others.
 */
async function currentLinks(
  { relation, path, isWhole }: LinkChange,
  owner: SqlValue,
  found: ReadonlyMap<JsonValue, SqlValue>,
  access: Access,
): Promise<ReadonlyMap<SqlValue, readonly SqlValue[]>> {
  const { transaction, statements, dialect } = access;
  const named = dialect.keys([...found.values()].filter((key) => key !== null));
  const rows = isWhole
    ? await transaction.all(statements.links(relation), { bound: [owner], limit: mostReached + 1 })
    : await transaction.all(statements.linksTo(relation), { bound: [owner], keys: named });
  if (rows.length > mostReached) throw new Refusal(tooManyToReplace(path));
  const ids = rows.map(([id = null]) => id);
  const keys = rows.map(([, key = null]) => key);
  const isLink = await seen(relation.through.id, ids, access);
  const isTarget = await seen(relation.targetField, keys, access);
  const links = new Map<SqlValue, SqlValue[]>();
  for (const [id = null, key = null] of rows) {
    // A row of the junction that leads nowhere links nothing.
    if (key === null || !isLink(id) || !isTarget(key)) continue;
    const same = links.get(key);
    if (same === undefined) links.set(key, [id]);
    else same.push(id);
  }
  return links;
}
