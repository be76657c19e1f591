import { fail, ok, type FieldProblem, type Result } from '../errors.ts';
import { isGenerated } from '../model/field-types/id.ts';
import type { BelongsToMany, Field } from '../model/api.ts';
import type { SqlValue, ValueIssue } from '../model/values.ts';
import type { FieldValues, Link, LinkChange } from '../plan/plan.ts';
import type { JsonValue } from '../spec/specification.ts';
import { encodeValue } from '../sql/dialect.ts';
import { findConflicts, hiddenKeys, type Access, type Conflict } from './conflicts.ts';
import { ConstraintError, madeOne } from './database.ts';
import { notReached } from './written.ts';

/** What keeps links from being written: values of the wrong kind (400), or references and values (422). */
export interface LinkProblems {
  readonly missing: readonly ValueIssue[];
  readonly refused: readonly FieldProblem[];
  /** A link was made or taken away on which the rules of the junction do not allow it. */
  readonly isForbidden: boolean;
}

/**
 * Changes the links of a record within the transaction of its write; links that stay keep their row, and their pivot
 * where none is sent. Links that the caller does not see stay as they are, and records that it does not see cannot be
 * linked. `ownerId` names the record; without one, as the record was refused, links are only looked at for what is wrong
 * with them as well. Contract 2, Writes.
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
    const current = owner === undefined ? noLinks : await currentLinks(relation, owner, access);
    const wanted = new Set<SqlValue>();
    const changed: SqlValue[] = [];
    const taken: SqlValue[] = [];
    for (const link of change.links) {
      const key = found.get(link.id);
      if (key === undefined) {
        const { name } = relation.target;
        const message = `there is no record in ${access.names.resource(relation.target) ?? name} with id ${JSON.stringify(link.id)}`;
        problems.refused.push({ field: link.path, message });
        continue;
      }
      wanted.add(key);
      const known = current.get(key);
      if (known === undefined && link.missing.length > 0) problems.missing.push(...link.missing);
      else if (owner === undefined) continue;
      else if (known === undefined) {
        const made = await createLink(relation, link, owner, key, access);
        if (made.ok) changed.push(made.value);
        else problems.refused.push(...made.error);
      } else if (link.pivot.size > 0) {
        // A link with another pivot is another link.
        isForbidden ||= !(await mayAll(relation, 'delete', known, access));
        problems.refused.push(...(await changePivot(relation, link, known, access)));
        changed.push(...known);
      }
    }
    const removed = new Set(change.removed.map((id) => found.get(id)));
    for (const [key, rows] of current)
      if (change.isWhole ? !wanted.has(key) : removed.has(key)) taken.push(...rows);
    isForbidden ||= !(await mayAll(relation, 'delete', taken, access));
    for (const row of taken) problems.refused.push(...(await deleteLink(change, row, access)));
    isForbidden ||= !(await mayAll(relation, 'create', changed, access));
  }
  return { ...problems, isForbidden };
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
  { owner, ownerKey }: BelongsToMany,
  id: JsonValue,
  { transaction, statements, dialect }: Access,
): Promise<SqlValue> {
  const key = ownerKey.reference?.field ?? owner.id;
  const encoded = encodeValue(dialect, id, owner.id);
  // Two changes of one record's links come one after the other.
  await transaction.all(statements.lock(owner), { bound: [], id: encoded });
  if (key === owner.id) return encoded;
  const [row] = await transaction.all(statements.current(owner, [key]), { bound: [], id: encoded });
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
    targetField(relation),
    rows.map(([, key = null]) => key),
    access,
  );
  return new Map(
    rows
      .filter(([, key = null]) => isSeen(key))
      .map(([id = null, key = null]) => [id as JsonValue, key]),
  );
}

function targetField({ target, targetKey }: BelongsToMany): Field {
  return targetKey.reference?.field ?? target.id;
}

/**
 * The ids of the owner's links that the caller sees, by the key of the record that they lead to; of one pair there may be
 * several.
 */
async function currentLinks(
  relation: BelongsToMany,
  owner: SqlValue,
  access: Access,
): Promise<ReadonlyMap<SqlValue, readonly SqlValue[]>> {
  const { transaction, statements } = access;
  const rows = await transaction.all(statements.links(relation), { bound: [owner] });
  const ids = rows.map(([id = null]) => id);
  const keys = rows.map(([, key = null]) => key);
  const isLink = await seen(relation.through.id, ids, access);
  const isTarget = await seen(targetField(relation), keys, access);
  const links = new Map<SqlValue, SqlValue[]>();
  for (const [id = null, key = null] of rows) {
    if (!isLink(id) || !isTarget(key)) continue;
    const same = links.get(key);
    if (same === undefined) links.set(key, [id]);
    else same.push(id);
  }
  return links;
}

async function createLink(
  { through, ownerKey, targetKey }: BelongsToMany,
  link: Link,
  owner: SqlValue,
  key: SqlValue,
  access: Access,
): Promise<Result<SqlValue, readonly FieldProblem[]>> {
  const { transaction, statements, dialect } = access;
  const values = new Map<Field, SqlValue>();
  for (const field of through.fields.values()) {
    const value = link.row.get(field);
    if (field === ownerKey) values.set(field, owner);
    else if (field === targetKey) values.set(field, key);
    else if (value !== undefined) values.set(field, encodeValue(dialect, value, field));
  }
  const statement = statements.insert(through, [...values.keys()]);
  let made: SqlValue = values.get(through.id) ?? null;
  const problems = await refusing(link, link.row, undefined, access, async () => {
    const { insertedId } = madeOne(
      await transaction.run(statement, { bound: [...values.values()] }),
    );
    if (isGenerated(through.id)) made = insertedId;
  });
  return problems.length === 0 ? ok(made) : fail(problems);
}

async function changePivot(
  { through }: BelongsToMany,
  link: Link,
  rows: readonly SqlValue[],
  access: Access,
): Promise<readonly FieldProblem[]> {
  const { transaction, statements, dialect } = access;
  const { pivot } = link;
  const fields = [...through.fields.values()].filter((field) => pivot.has(field));
  const statement = statements.update(through, fields);
  const bound = fields.map((field) => encodeValue(dialect, pivot.get(field) ?? null, field));
  const problems: FieldProblem[] = [];
  for (const id of rows)
    problems.push(
      ...(await refusing(link, pivot, id as JsonValue, access, async () =>
        madeOne(await transaction.run(statement, { bound, id })),
      )),
    );
  return problems;
}

async function deleteLink(
  { relation: { through }, path }: LinkChange,
  id: SqlValue,
  access: Access,
): Promise<readonly FieldProblem[]> {
  const { transaction, statements } = access;
  try {
    for (const statement of statements.morphChildren(through))
      await transaction.run(statement, { bound: [], id });
    const { rows } = await transaction.run(statements.delete(through), { bound: [], id });
    const why = rows > 0 ? undefined : await notReached(access, through, id as JsonValue);
    if (why instanceof ConstraintError) throw why;
    return [];
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    return [{ field: path, message: 'has a link that other records need' }];
  }
}

/** Runs a change of a link; what the database refuses is named by the pivot's fields. */
async function refusing(
  { path, pivot }: Link,
  values: FieldValues,
  id: JsonValue | undefined,
  access: Access,
  change: () => Promise<unknown>,
): Promise<readonly FieldProblem[]> {
  const named = (conflicts: readonly Conflict[]): readonly FieldProblem[] =>
    conflicts.map(({ field, message }) => {
      const name = access.names.field(field);
      return { field: name === undefined ? path : `${path}.pivot.${name}`, message };
    });
  const hidden = await hiddenKeys(access, pivot, () => false);
  if (hidden.length > 0) return named(hidden);
  try {
    await change();
    return [];
  } catch (error) {
    const [field] = values.keys();
    if (!(error instanceof ConstraintError) || field === undefined) throw error;
    const conflicts = await findConflicts(access, field.resource, values, id, error.kind);
    return conflicts.length === 0
      ? [{ field: path, message: 'cannot be linked: the junction refuses it' }]
      : named(conflicts);
  }
}
