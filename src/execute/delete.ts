import { apiError, type ApiError } from '../errors.ts';
import type { Resource } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { Follow } from '../sql/compile-delete.ts';
import { encodeValue } from '../sql/dialect.ts';
import type { Access } from './conflicts.ts';
import { ConstraintError, type Row } from './database.ts';
import { Refusal } from './refusal.ts';
import { notReached } from './written.ts';

/** The most rows that one delete may reach, the record itself among them. Contract 3, Overload. */
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
  const { transaction, statements, names, dialect, rights } = access;
  const values = { bound: [], id: encodeValue(dialect, id, resource.id) };
  await checkReach(access, resource, values.id);
  const dependents: { resource: string; count: number }[] = [];
  let needed = false;
  for (const dependent of statements.dependents(resource)) {
    const [row] = await transaction.all(dependent.count, values);
    const count = Number(row?.[0] ?? 0);
    needed ||= count > 0;
    const name = names.resource(dependent.resource);
    if (count === 0 || name === undefined) continue;
    const shown = (await rights?.countOf(dependent, values.id, transaction)) ?? count;
    if (shown > 0) dependents.push({ resource: name, count: shown });
  }
  if (needed) throw new Refusal(hasDependents(dependents));
  try {
    for (const statement of statements.morphChildren(resource))
      await transaction.run(statement, values);
    const { rows } = await transaction.run(statements.delete(resource), values);
    if (rows === 0) throw await notReached(access, resource, id);
  } catch (error) {
    // A constraint or trigger that the model does not know, or one below a very long chain of cascades.
    throw error instanceof ConstraintError ? new Refusal(hasDependents([])) : error;
  }
}

/** Rows of one resource whose own followers are still to be found: the values that lead to those. */
type Frontier = Map<Resource, Row[]>;

/**
 * Refuses a delete that would reach too many rows: those that go with the record, and those that are released. They are
 * followed level by level, each row once, and no more of them are read than may be reached.
 */
async function checkReach(access: Access, resource: Resource, id: SqlValue): Promise<void> {
  const { statements, transaction } = access;
  if (statements.follows(resource).length === 0) return;
  const [root] = await transaction.all(statements.leading(resource), { bound: [], id });
  if (root === undefined) return;
  const reached = new Set([nameOf(resource, root)]);
  const going = new Set(reached);
  let frontier: Frontier = new Map([[resource, [root]]]);
  for (let depth = 0; frontier.size > 0; depth += 1) {
    if (depth > deepestReach) throw new Refusal(tooLarge());
    const next: Frontier = new Map();
    for (const [above, rows] of frontier)
      for (const follow of statements.follows(above))
        for (const row of await followersOf(access, follow, rows)) {
          const name = nameOf(follow.to, row);
          reached.add(name);
          if (reached.size > mostReached) throw new Refusal(tooLarge());
          if (!follow.isGoing || going.has(name)) continue;
          going.add(name);
          const others = next.get(follow.to);
          if (others === undefined) next.set(follow.to, [row]);
          else others.push(row);
        }
    frontier = next;
  }
}

async function followersOf(
  { transaction, dialect }: Access,
  { position, rows, isText }: Follow,
  above: readonly Row[],
): Promise<readonly Row[]> {
  const keys = above
    .map((row) => row[position] ?? null)
    .filter((value) => value !== null)
    .map((value) => (isText ? String(value) : value));
  if (keys.length === 0) return [];
  const bound = { bound: [], keys: dialect.keys(keys), limit: mostReached + 1 };
  return transaction.all(rows, bound);
}

/** A row among those of all resources. */
function nameOf({ name }: Resource, row: Row): string {
  return `${name} ${String(row[0])}`;
}

function tooLarge(): ApiError {
  return apiError(
    'DELETE_TOO_LARGE',
    `The delete would reach more than ${mostReached} records; delete what belongs to this one first, in parts`,
  );
}

function hasDependents(dependents: readonly { resource: string; count: number }[]): ApiError {
  return apiError('HAS_DEPENDENTS', 'Other records need this one, so it cannot be deleted', {
    members: { dependents },
  });
}
