import { getOrInsert } from '../../lib/get-or-insert.ts';
import { apiError, type ApiError } from '../../errors.ts';
import type { Field, Resource } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { DeleteEdge } from '../../sql/compile/delete.ts';
import { decodeValue, encodeValue } from '../../sql/dialect.ts';
import type { ValuesBefore } from './audit/trail.ts';
import type { DataAccess } from './checks/conflicts.ts';
import { ConstraintError, type Row } from '../../databases/database.ts';
import { ApiFailure } from '../api-failure.ts';
import { unchangedError } from './result.ts';

/**
 * The most rows that one delete may affect, including the record itself. See docs/contract/3-writing.md#delete, rule 4.
 */
export const maxReached = 10_000;
/** The most levels of cascades. SQLite fails beyond 1,000 levels. */
export const maxDepth = 900;

/**
 * Deletes a record and the rows that cascade. Throws an ApiFailure if there is no such record, if others need it, or if
 * the delete would affect too many rows.
 */
export async function deleteRecord(
  access: DataAccess,
  resource: Resource,
  id: JsonValue,
): Promise<void> {
  const { transaction, statements, dialect } = access;
  const key = encodeValue(dialect, id, resource.id);
  const affected = await affectedRows(access, resource, key);
  const dependents = await dependentsOf(access, resource, key, affected.going);
  if (dependents !== undefined) throw new ApiFailure(hasDependents(dependents));
  const before = await recordDelete(access, resource, key, affected);
  try {
    const { rows } = await transaction.run(statements.delete(resource), { bound: [], id: key });
    if (rows === 0) throw await unchangedError(access, resource, id);
    await changeMorphs(access, resource, affected.going);
  } catch (error) {
    // A constraint or trigger that the specification does not have.
    throw error instanceof ConstraintError ? new ApiFailure(hasDependents([])) : error;
  }
  await recordReleased(access, before);
}

/** Deletes a record, unless a cascade of the same transaction has done so. */
export async function deleteIfThere(
  access: DataAccess,
  resource: Resource,
  id: JsonValue,
): Promise<void> {
  try {
    await deleteRecord(access, resource, id);
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.error.code !== 'RESOURCE_NOT_FOUND') throw error;
  }
}

/** Rows of each resource by id, with the columns of `statements.leading`. */
export type Rows = Map<Resource, Map<string, Row>>;

/** What a delete does to rows. */
export interface AffectedRows {
  /** The rows that are deleted, the record itself among them. */
  readonly going: Rows;
  /** The rows of each resource whose references are set to null, and these; some of them may be deleted as well. */
  readonly released: ReadonlyMap<Resource, Released>;
}

interface Released {
  readonly rows: Map<string, Row>;
  readonly keys: Set<Field>;
}

/**
 * The rows that are deleted or released with the record `id`; none if no resource references it or it does not
 * exist. References are followed level by level, each row once, along the edges for which `leads` is true. Throws an
 * ApiFailure if more than `maxReached` rows are deleted or released; no more are read than that.
 */
export async function affectedRows(
  access: DataAccess,
  resource: Resource,
  id: SqlValue,
  leads: (edge: DeleteEdge) => boolean = () => true,
): Promise<AffectedRows> {
  const { statements, transaction, trail } = access;
  const going: Rows = new Map();
  const released = new Map<Resource, Released>();
  if (statements.edges(resource).length === 0) return { going, released };
  await trail?.lock(resource, [id]);
  const [root] = await transaction.all(statements.keyValues(resource), { bound: [], id });
  if (root === undefined) return { going, released };
  add(going, resource, root);
  const reached: Rows = new Map();
  add(reached, resource, root);
  let count = 1;
  let frontier: Rows = new Map([[resource, new Map([[String(root[0]), root]])]]);
  for (let depth = 0; frontier.size > 0; depth += 1) {
    if (depth > maxDepth) throw new ApiFailure(tooLarge());
    const next: Rows = new Map();
    for (const [above, rows] of frontier)
      for (const edge of statements.edges(above)) {
        if (edge.onDelete === 'restrict' || !leads(edge)) continue;
        for (const row of await rowsBehind(access, edge, rows)) {
          if (add(reached, edge.to, row)) count += 1;
          if (count > maxReached) throw new ApiFailure(tooLarge());
          if (edge.onDelete === 'setNull') release(released, edge, row);
          else if (add(going, edge.to, row)) add(next, edge.to, row);
        }
      }
    // References to locked rows cannot appear before they are followed.
    for (const [to, rows] of next) await trail?.lock(to, idsOf(rows));
    frontier = next;
  }
  return { going, released };
}

function release(released: Map<Resource, Released>, edge: DeleteEdge, row: Row): void {
  const own = getOrInsert(released, edge.to, (): Released => ({
    rows: new Map(),
    keys: new Set(),
  }));
  own.rows.set(String(row[0]), row);
  for (const key of edge.keys) own.keys.add(key);
}

/** The ids of rows, in an order that does not depend on the database. */
function idsOf(rows: ReadonlyMap<string, Row>): readonly SqlValue[] {
  const ids = [...rows.values()].map(([id = null]) => id);
  return ids.sort((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1,
  );
}

/** Records the rows that a delete is about to remove; returns the values that it is about to set to null. */
export async function recordDelete(
  access: DataAccess,
  resource: Resource,
  id: SqlValue,
  { going, released }: AffectedRows,
): Promise<readonly ValuesBefore[]> {
  const { trail, dialect, former } = access;
  if (former !== undefined) {
    await former.changing(resource, [id], access);
    for (const [of, rows] of going) await former.changing(of, idsOf(rows), access);
    for (const [of, { rows }] of released) await former.changing(of, idsOf(rows), access);
  }
  if (trail === undefined) return [];
  await trail.deleting(resource, [id]);
  const idOf = (key: SqlValue): string => String(decodeValue(dialect, key, resource.id));
  for (const [of, rows] of going) {
    const others = idsOf(rows).filter((one) => of !== resource || idOf(one) !== idOf(id));
    await trail.deleting(of, others);
  }
  const before: ValuesBefore[] = [];
  for (const [of, { rows, keys }] of released) {
    const left = new Map([...rows].filter(([one]) => going.get(of)?.has(one) !== true));
    const values = await trail.before(of, idsOf(left), [...keys]);
    if (values !== undefined) before.push(values);
  }
  return before;
}

/** Records the references that a delete has set to null. */
export async function recordReleased(
  { trail }: DataAccess,
  before: readonly ValuesBefore[],
): Promise<void> {
  for (const values of before) await trail?.changed(values);
}

/** Adds a row; returns false if it was there already. */
function add(rows: Rows, resource: Resource, row: Row): boolean {
  const own = getOrInsert(rows, resource, () => new Map<string, Row>());
  const id = String(row[0]);
  if (own.has(id)) return false;
  own.set(id, row);
  return true;
}

async function rowsBehind(
  { transaction, dialect }: DataAccess,
  edge: DeleteEdge,
  above: ReadonlyMap<string, Row>,
): Promise<readonly Row[]> {
  const keys = keysOf(edge, above);
  if (keys.length === 0) return [];
  const bound = { bound: [], keys: dialect.keys(keys), limit: maxReached + 1 };
  return transaction.all(edge.rows, bound);
}

/** The values of the rows that an edge references. */
function keysOf(
  { position, isText }: DeleteEdge,
  rows: ReadonlyMap<string, Row> | undefined,
): readonly SqlValue[] {
  return [...(rows?.values() ?? [])]
    .map((row) => row[position] ?? null)
    .filter((value) => value !== null)
    .map((value) => (isText ? String(value) : value));
}

interface DependentCount {
  readonly resource: string;
  readonly count: number;
}

/**
 * The records that prevent the delete of record `id` and the rows that go with it, counted as far as the caller may see;
 * undefined if there are none at all.
 */
export async function dependentsOf(
  access: DataAccess,
  resource: Resource,
  id: SqlValue,
  going: Rows,
): Promise<readonly DependentCount[] | undefined> {
  const { transaction, statements, names, dialect, rights } = access;
  if (going.size === 0) return undefined;
  const dependents: DependentCount[] = [];
  const passes = (edge: DeleteEdge): boolean =>
    edge.onDelete !== 'cascade' || rights?.canFollow(edge) !== false;
  const isTold = statements.reach(resource).every(passes);
  const inRows = (rows: Rows) => (edge: DeleteEdge) =>
    dialect.keys(keysOf(edge, rows.get(edge.of)));
  let told = isTold ? going : undefined;
  let needed = false;
  for (const dependent of statements.dependents(resource)) {
    const bound = dependent.edges.map(inRows(going));
    const [row] = await transaction.all(dependent.count, { bound, id });
    const count = Number(row?.[0] ?? 0);
    needed ||= count > 0;
    const name = names.resource(dependent.resource);
    if (count === 0 || name === undefined) continue;
    told ??= (await affectedRows(access, resource, id, passes)).going;
    const shown = await rights?.countOf(dependent, id, { isTold, keysOf: inRows(told) }, access);
    if ((shown ?? count) > 0) dependents.push({ resource: name, count: shown ?? count });
  }
  return needed ? dependents : undefined;
}

/** Deletes or releases the morph children of deleted rows, which no database constraint does. */
export async function changeMorphs(
  { transaction, statements, dialect }: DataAccess,
  resource: Resource,
  going: Rows,
): Promise<void> {
  for (const edge of statements.reach(resource)) {
    const keys = keysOf(edge, going.get(edge.of));
    if (edge.change !== undefined && keys.length > 0)
      await transaction.run(edge.change, { bound: [], keys: dialect.keys(keys) });
  }
}

function tooLarge(): ApiError {
  return apiError(
    'DELETE_TOO_LARGE',
    `The delete would reach more than ${maxReached} records; delete what belongs to this one first, in parts`,
  );
}

function hasDependents(dependents: readonly DependentCount[]): ApiError {
  return apiError('HAS_DEPENDENTS', 'Other records need this one, so it cannot be deleted', {
    members: { dependents },
  });
}
