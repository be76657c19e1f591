import type { FieldProblem } from '../errors.ts';
import type { BelongsToMany, Field } from '../model/api.ts';
import type { SqlValue, ValueIssue } from '../model/values.ts';
import type { FieldValues, Link, LinkChange } from '../plan/plan.ts';
import type { JsonValue } from '../spec/specification.ts';
import { encodeValue } from '../sql/dialect.ts';
import { findConflicts, type Access } from './conflicts.ts';
import { ConstraintError } from './database.ts';

/** What keeps links from being written: values of the wrong kind (400), or references and values (422). */
export interface LinkProblems {
  readonly missing: readonly ValueIssue[];
  readonly refused: readonly FieldProblem[];
}

/**
 * Changes the links of a record within the transaction of its write; links that stay keep their row, and their pivot
 * where none is sent. `ownerId` names the record. Contract 2, Writes.
 */
export async function changeLinks(
  changes: readonly LinkChange[],
  ownerId: JsonValue,
  access: Access,
): Promise<LinkProblems> {
  const problems = { missing: [] as ValueIssue[], refused: [] as FieldProblem[] };
  for (const change of changes) {
    const { relation } = change;
    const owner = await ownerKeyOf(relation, ownerId, access);
    const found = await linkableRecords(change, access);
    const current = await currentLinks(relation, owner, access);
    const wanted = new Set<SqlValue>();
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
      else if (known === undefined)
        problems.refused.push(...(await createLink(relation, link, owner, key, access)));
      else problems.refused.push(...(await changePivot(relation, link, known, access)));
    }
    const removed = new Set(change.removed.map((id) => found.get(id)));
    for (const [key, rows] of current)
      if (change.isWhole ? !wanted.has(key) : removed.has(key))
        for (const row of rows) problems.refused.push(...(await deleteLink(change, row, access)));
  }
  return problems;
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

/** The keys by which links lead to the records that a change names, by the ids that are there. */
async function linkableRecords(
  { relation, links, removed }: LinkChange,
  { transaction, statements, dialect }: Access,
): Promise<ReadonlyMap<JsonValue, SqlValue>> {
  const ids = [...links.map(({ id }) => id), ...removed];
  if (ids.length === 0) return new Map();
  const keys = dialect.keys(ids.map((id) => encodeValue(dialect, id, relation.target.id)));
  const rows = await transaction.all(statements.linkable(relation), { bound: [], keys });
  return new Map(rows.map(([id = null, key = null]) => [id as JsonValue, key]));
}

/** The ids of the owner's links, by the key of the record that they lead to; of one pair there may be several. */
async function currentLinks(
  relation: BelongsToMany,
  owner: SqlValue,
  { transaction, statements }: Access,
): Promise<ReadonlyMap<SqlValue, readonly SqlValue[]>> {
  const rows = await transaction.all(statements.links(relation), { bound: [owner] });
  const links = new Map<SqlValue, SqlValue[]>();
  for (const [id = null, key = null] of rows) {
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
): Promise<readonly FieldProblem[]> {
  const { transaction, statements, dialect } = access;
  const values = new Map<Field, SqlValue>();
  for (const field of through.fields.values()) {
    const value = link.row.get(field);
    if (field === ownerKey) values.set(field, owner);
    else if (field === targetKey) values.set(field, key);
    else if (value !== undefined) values.set(field, encodeValue(dialect, value, field));
  }
  const statement = statements.insert(through, [...values.keys()]);
  return refusing(link, link.row, undefined, access, () =>
    transaction.run(statement, { bound: [...values.values()] }),
  );
}

async function changePivot(
  { through }: BelongsToMany,
  link: Link,
  rows: readonly SqlValue[],
  access: Access,
): Promise<readonly FieldProblem[]> {
  const { transaction, statements, dialect } = access;
  const { pivot } = link;
  if (pivot.size === 0) return [];
  const fields = [...through.fields.values()].filter((field) => pivot.has(field));
  const statement = statements.update(through, fields);
  const bound = fields.map((field) => encodeValue(dialect, pivot.get(field) ?? null, field));
  const problems: FieldProblem[] = [];
  for (const id of rows)
    problems.push(
      ...(await refusing(link, pivot, id as JsonValue, access, () =>
        transaction.run(statement, { bound, id }),
      )),
    );
  return problems;
}

async function deleteLink(
  { relation: { through }, path }: LinkChange,
  id: SqlValue,
  { transaction, statements }: Access,
): Promise<readonly FieldProblem[]> {
  try {
    for (const statement of statements.morphChildren(through))
      await transaction.run(statement, { bound: [], id });
    await transaction.run(statements.delete(through), { bound: [], id });
    return [];
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    return [{ field: path, message: 'has a link that other records need' }];
  }
}

/** Runs a change of a link; what the database refuses is named by the pivot's fields. */
async function refusing(
  { path }: Link,
  values: FieldValues,
  id: JsonValue | undefined,
  access: Access,
  change: () => Promise<unknown>,
): Promise<readonly FieldProblem[]> {
  try {
    await change();
    return [];
  } catch (error) {
    const [field] = values.keys();
    if (!(error instanceof ConstraintError) || field === undefined) throw error;
    const conflicts = await findConflicts(access, field.resource, values, id, error);
    return conflicts.length === 0
      ? [{ field: path, message: 'cannot be linked: the junction refuses it' }]
      : conflicts.map((conflict) => {
          const name = access.names.field(conflict.field);
          return {
            field: name === undefined ? path : `${path}.pivot.${name}`,
            message: conflict.message,
          };
        });
  }
}
