import { getOrInsert } from '../../lib/get-or-insert.ts';
import { apiError, type ApiError } from '../../errors.ts';
import type { Resource } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { DeleteEdge } from '../../sql/compile/delete.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { Access } from './conflicts.ts';
import { ConstraintError, type Row } from '../../databases/database.ts';
import { Refusal } from '../refusal.ts';
import { notReached } from './written.ts';

/**
 * The most rows that one delete may reach, the record itself included. See docs/contract/3-writing.md#delete, rule 4.
 */
export const mostReached = 10_000;
/** How far cascades may lead: SQLite follows them through 1,000 tables, and then fails. */
export const deepestReach = 900;

/**
 * Deletes a record with all that goes with it. Throws a Refusal: there is no such record, others need it, or the delete
 * would reach too many.
 */
export async function deleteRecord(
  access: Access,
  resource: Resource,
  id: JsonValue,
): Promise<void> {
  const { transaction, statements, dialect } = access;
  const key = encodeValue(dialect, id, resource.id);
  const going = await goingWith(access, resource, key);
  const dependents = await dependentsOf(access, resource, key, going);
  if (dependents !== undefined) throw new Refusal(hasDependents(dependents));
  try {
    const { rows } = await transaction.run(statements.delete(resource), { bound: [], id: key });
    if (rows === 0) throw await notReached(access, resource, id);
    await changeMorphs(access, resource, going);
  } catch (error) {
    // A constraint or trigger that the model does not know.
    throw error instanceof ConstraintError ? new Refusal(hasDependents([])) : error;
  }
}

/** Rows of each resource, as `leading` gives them, by their ids. */
export type Rows = Map<Resource, Map<string, Row>>;

/**
 * What goes with the record named by `id`, itself among it; nothing where nothing could point to it, or it is not
 * there. The rows are followed level by level, each once, along the edges that `leads` lets through. Refused where there
 * are too many of them and of those that are released, of which no more are read than may be reached.
 */
export async function goingWith(
  access: Access,
  resource: Resource,
  id: SqlValue,
  leads: (edge: DeleteEdge) => boolean = () => true,
): Promise<Rows> {
  const { statements, transaction } = access;
  const going: Rows = new Map();
  if (statements.edges(resource).length === 0) return going;
  const [root] = await transaction.all(statements.leading(resource), { bound: [], id });
  if (root === undefined) return going;
  add(going, resource, root);
  const reached: Rows = new Map();
  add(reached, resource, root);
  let count = 1;
  let frontier: Rows = new Map([[resource, new Map([[String(root[0]), root]])]]);
  for (let depth = 0; frontier.size > 0; depth += 1) {
    if (depth > deepestReach) throw new Refusal(tooLarge());
    const next: Rows = new Map();
    for (const [above, rows] of frontier)
      for (const edge of statements.edges(above)) {
        if (edge.onDelete === 'restrict' || !leads(edge)) continue;
        for (const row of await followersOf(access, edge, rows)) {
          if (add(reached, edge.to, row)) count += 1;
          if (count > mostReached) throw new Refusal(tooLarge());
          if (edge.onDelete === 'cascade' && add(going, edge.to, row)) add(next, edge.to, row);
        }
      }
    frontier = next;
  }
  return going;
}

/** Adds a row; false where it is there already. */
function add(rows: Rows, resource: Resource, row: Row): boolean {
  const own = getOrInsert(rows, resource, () => new Map<string, Row>());
  const id = String(row[0]);
  if (own.has(id)) return false;
  own.set(id, row);
  return true;
}

async function followersOf(
  { transaction, dialect }: Access,
  edge: DeleteEdge,
  above: ReadonlyMap<string, Row>,
): Promise<readonly Row[]> {
  const keys = keysOf(edge, above);
  if (keys.length === 0) return [];
  const bound = { bound: [], keys: dialect.keys(keys), limit: mostReached + 1 };
  return transaction.all(edge.rows, bound);
}

/** The values by which an edge leads on from rows. */
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
 * The records that keep the one named by `id` and what goes with it, as far as the caller may know; undefined where
 * there are none at all.
 */
export async function dependentsOf(
  access: Access,
  resource: Resource,
  id: SqlValue,
  going: Rows,
): Promise<readonly DependentCount[] | undefined> {
  const { transaction, statements, names, dialect, rights } = access;
  if (going.size === 0) return undefined;
  const dependents: DependentCount[] = [];
  const passes = (edge: DeleteEdge): boolean =>
    edge.onDelete !== 'cascade' || rights?.passes(edge) !== false;
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
    told ??= await goingWith(access, resource, id, passes);
    const shown = await rights?.countOf(dependent, id, { isTold, keysOf: inRows(told) }, access);
    if ((shown ?? count) > 0) dependents.push({ resource: name, count: shown ?? count });
  }
  return needed ? dependents : undefined;
}

/** Deletes or releases the morph children of what has gone, which no constraint of the database does. */
export async function changeMorphs(
  { transaction, statements, dialect }: Access,
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
    `The delete would reach more than ${mostReached} records; delete what belongs to this one first, in parts`,
  );
}

function hasDependents(dependents: readonly DependentCount[]): ApiError {
  return apiError('HAS_DEPENDENTS', 'Other records need this one, so it cannot be deleted', {
    members: { dependents },
  });
}
