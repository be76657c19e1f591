import type { Limits } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { Bound, PageNumbers } from '../../query/bind.ts';
import type { ReadPlan } from '../../query/plan.ts';
import type { RecordValue } from '../serialize/record.ts';
import { after, both, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { CompiledLookup, CompiledRead } from '../../sql/compile/read.ts';
import { decoderOf, encodeValue, type Dialect } from '../../sql/dialect.ts';
import type { Statement, Values } from '../../sql/statement.ts';
import type { Database, Executor, Row } from '../../databases/database.ts';
import { readSelection } from './expansion.ts';
import type { RowBudget } from '../row-budget.ts';
import { ruleValues } from '../rule-values.ts';
import { readTotal } from './total.ts';

/** A page of a list, with the total if it was requested. */
export interface ListResult {
  readonly records: readonly RecordValue[];
  readonly total: number | undefined;
  /** The total is an estimate. */
  readonly isEstimated: boolean;
  readonly hasMore: boolean;
  readonly page: PageNumbers;
  /**
   * Set if more records follow: returns the sort key values of the nth row from the end, for a cursor; undefined if the
   * page has fewer rows.
   */
  readonly valuesAt: ((back: number) => readonly JsonValue[] | undefined) | undefined;
}

/** Encodes the values from `bindQuery` for the database driver. */
export function encode(
  {
    plan,
    keys,
  }: {
    readonly plan: Pick<ReadPlan, 'slots' | 'ruleSlots'>;
    readonly keys: CompiledRead['keys'];
  },
  bound: Bound,
  dialect: Dialect,
): readonly SqlValue[] {
  const ofRules = ruleValues(plan.ruleSlots, bound.claims, bound.now, dialect);
  // Most reads of one record have no other values.
  if (plan.slots.length === 0 && bound.after.length === 0) return ofRules;
  const own = plan.slots.map(({ index, operator, field }) => {
    const value = bound.values[index] ?? null;
    return value === null ? null : dialect.operand(value, operator, field);
  });
  if (bound.after.length === 0) return [...own, ...ofRules];
  const after = keys.map(({ field }, index) => {
    const value = bound.after[index] ?? null;
    return value === null ? null : dialect.operand(value, 'gte', field);
  });
  return [...own, ...ofRules, ...after];
}

/** Reads a page of a list with its expansions. */
export function readList(
  compiled: CompiledRead,
  bound: Bound,
  database: Database,
  limits: Limits,
  budget: RowBudget,
): MaybePromise<ListResult> {
  const { limit, offset } = bound.page;
  const { requester } = budget;
  const encoded = encode(compiled, bound, database.dialect);
  const values = { bound: encoded, limit, offset, budget, requester };
  const isExact = compiled.count !== undefined && compiled.estimate === undefined;
  if (compiled.counted !== undefined && database.page !== undefined)
    return database
      .page(compiled.counted, values)
      .then(({ rows, total }) => readPage(rows, compiled, bound, values, database, limits, total));
  // Without an exact total, one more row shows whether there is a next page.
  const wanted = isExact ? limit : limit + 1;
  const found = after(rowStatements(compiled, values, database), (statements) =>
    firstRows(statements, values, wanted, database),
  );
  return after(found, (rows) => readPage(rows, compiled, bound, values, database, limits));
}

/** The statements for the rows of a list, to run one after the other until the page is full. */
function rowStatements(
  { lookup, rows }: CompiledRead,
  values: Values,
  database: Database,
): MaybePromise<readonly Statement[]> {
  if (lookup === undefined) return rows;
  return after(isMany(lookup, values, database), (many) => (many ? rows : lookup.rows));
}

function firstRows(
  [statement, ...others]: readonly Statement[],
  values: Values,
  wanted: number,
  database: Database,
): MaybePromise<readonly Row[]> {
  if (statement === undefined) return [];
  return after(database.all(statement, { ...values, limit: wanted }), (found) =>
    found.length >= wanted || others.length === 0
      ? found
      : after(firstRows(others, values, wanted - found.length, database), (more) => [
          ...found,
          ...more,
        ]),
  );
}

/** Makes a page of its rows: counts the list, and reads the expansions. */
function readPage(
  found: readonly Row[],
  compiled: CompiledRead,
  { page, collections }: Bound,
  values: Values & { readonly budget: RowBudget },
  database: Database,
  limits: Limits,
  known?: number,
): MaybePromise<ListResult> {
  const { limit, offset } = page;
  const rows = found.length > limit ? found.slice(0, limit) : found;
  values.budget.records = rows.length;
  const level = {
    executor: database,
    dialect: database.dialect,
    limits,
    budget: values.budget,
    parents: limit,
    bound: values.bound,
    collections,
    path: '',
  };
  const seen = { count: rows.length, read: found.length };
  const counting =
    known === undefined
      ? readTotal(compiled, values, page, seen, database)
      : { total: known, isEstimated: false };
  const read = (): MaybePromise<readonly RecordValue[]> =>
    readSelection(rows, compiled.selection, level);
  // SQLite runs statements one after the other, so nothing is gained by starting both.
  const reading = database.asksAtOnce ? read() : after(counting, read);
  return after(both(reading, counting), ([records, { total, isEstimated }]) => {
    // With a limit of 0 no page follows: nothing says where it would begin.
    const hasMore =
      limit > 0 &&
      (total !== undefined && !isEstimated ? offset + rows.length < total : found.length > limit);
    const valuesAt = (back: number): readonly JsonValue[] | undefined => {
      const row = rows[rows.length - 1 - back];
      return row && keyValues(row, compiled);
    };
    return { records, total, isEstimated, hasMore, page, valuesAt: hasMore ? valuesAt : undefined };
  });
}

/** Up to this many matches, sorting them is faster than searching for the first of them in the order of the list. */
const fewFound = 1_000;

/** Whether a list has so many matches that searching in its order is faster than sorting them. */
function isMany(
  { found }: CompiledLookup,
  values: Values,
  database: Database,
): MaybePromise<boolean> {
  if (found === undefined) return false;
  const asked = database.all(found, { ...values, cap: fewFound + 1 });
  return after(asked, ([row]) => Number(row?.[0]) > fewFound);
}

/** The sort key values of a row, as a cursor carries them. */
export function keyValues(row: Row, { keys }: CompiledRead): readonly JsonValue[] {
  return keys.map(({ position, field, decode }) => {
    const stored = row[position] ?? null;
    return decode === undefined || stored === null ? (stored as JsonValue) : decode(stored, field);
  });
}

/**
 * Reads the records with these ids as one list, with their expansions; undefined for those that do not exist for the
 * caller.
 */
export function readAmong(
  compiled: CompiledRead,
  ids: readonly JsonValue[],
  bound: Bound,
  database: Database,
  limits: Limits,
  budget: RowBudget,
): MaybePromise<readonly (RecordValue | undefined)[]> {
  const { dialect } = database;
  const { id } = compiled.plan.resource;
  const { rows: statement, idPosition } = compiled.among();
  const values = encode(compiled, bound, dialect);
  const keys = dialect.keys(ids.map((one) => encodeValue(dialect, one, id)));
  const { requester } = budget;
  return after(database.all(statement, { bound: values, keys, budget, requester }), (rows) => {
    budget.records = rows.length;
    const level = {
      executor: database,
      dialect,
      limits,
      budget,
      parents: ids.length,
      bound: values,
    };
    const read = readSelection(rows, compiled.selection, { ...level, collections: [], path: '' });
    return after(read, (records) => {
      const decode = decoderOf(dialect, id);
      const byId = new Map(
        rows.map((row, index) => [decode(row[idPosition] ?? null), records[index]]),
      );
      return ids.map((one) => byId.get(one));
    });
  });
}

/** Reads one record by its id; undefined if there is none. */
export function readOne(
  compiled: CompiledRead,
  id: SqlValue,
  bound: Bound,
  executor: Executor,
  dialect: Dialect,
  limits: Limits,
  budget: RowBudget,
): MaybePromise<RecordValue | undefined> {
  const [statement] = compiled.rows;
  if (statement === undefined) return undefined;
  const values = encode(compiled, bound, dialect);
  const { requester } = budget;
  const found = executor.all(statement, { bound: values, id, limit: 1, budget, requester });
  return after(found, (rows) => {
    budget.records = rows.length;
    if (rows.length === 0) return undefined;
    const { collections } = bound;
    const one = { parents: 1, bound: values, collections, path: '' };
    const level = { executor, dialect, limits, budget, ...one };
    return after(readSelection(rows, compiled.selection, level), ([record]) => record);
  });
}
