import type { Limits } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type { Bound, PageNumbers } from '../plan/bind.ts';
import { shapeRecord, type RecordValue } from '../shape/record.ts';
import type {
  CompiledExpand,
  CompiledRead,
  CompiledSelection,
  CompiledTarget,
} from '../sql/compile-read.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Statement, Values } from '../sql/statement.ts';
import type { Database, Row } from './database.ts';

/** What a list gives: its records, and how many there are in all where that was asked for. */
export interface ListResult {
  readonly records: readonly RecordValue[];
  readonly total: number | undefined;
  readonly hasMore: boolean;
  readonly page: PageNumbers;
}

/** What runs statements: a Database, or a Transaction of one. */
export interface Reader {
  readonly all: (statement: Statement, values: Values) => Promise<readonly Row[]>;
}

/** Turns what `bindQuery` read into what the driver takes. */
function encode({ plan }: CompiledRead, bound: Bound, dialect: Dialect): readonly SqlValue[] {
  return plan.slots.map(({ index, operator, field }) =>
    dialect.operand(bound.values[index] ?? null, operator, field),
  );
}

/** Reads a page of a list with everything that it expands. */
export async function readList(
  compiled: CompiledRead,
  bound: Bound,
  database: Database,
  limits: Limits,
): Promise<ListResult> {
  const values = { bound: encode(compiled, bound, database.dialect), ...bound.page };
  const { limit, offset } = bound.page;
  // Without a total, one row more tells whether there is a next page.
  const isCounted = compiled.count !== undefined;
  const found = await database.all(
    compiled.rows,
    isCounted ? values : { ...values, limit: limit + 1 },
  );
  const rows = found.slice(0, limit);
  const records = await readSelection(
    rows,
    compiled.selection,
    database,
    database.dialect,
    limits,
    limit,
  );
  let total: number | undefined;
  if (compiled.count !== undefined) {
    // A page that is neither full nor empty, and an empty first one, tell the total themselves.
    const tells = rows.length < limit && (rows.length > 0 || offset === 0);
    total = tells ? offset + rows.length : await database.count(compiled.count, values);
  }
  const hasMore = total === undefined ? found.length > limit : offset + rows.length < total;
  return { records, total, hasMore, page: bound.page };
}

/** Reads one record by its id; undefined when there is none. */
export async function readOne(
  compiled: CompiledRead,
  id: SqlValue,
  reader: Reader,
  dialect: Dialect,
  limits: Limits,
): Promise<RecordValue | undefined> {
  const rows = await reader.all(compiled.rows, { bound: [], id });
  if (rows.length === 0) return undefined;
  const [record] = await readSelection(rows, compiled.selection, reader, dialect, limits, 1);
  return record;
}

/** `parents`: how many records there may be at this level; it decides how many each may have below it. */
async function readSelection(
  rows: readonly Row[],
  selection: CompiledSelection,
  reader: Reader,
  dialect: Dialect,
  limits: Limits,
  parents: number,
): Promise<readonly RecordValue[]> {
  const records = rows.map((row) => shapeRecord(row, selection.columns));
  for (const expand of selection.expand)
    await readExpansion(rows, records, expand, { reader, dialect, limits, parents });
  return records;
}

interface Level {
  readonly reader: Reader;
  readonly dialect: Dialect;
  readonly limits: Limits;
  readonly parents: number;
}

/** The related records of the rows above, by the key that leads to them. */
interface Related {
  readonly byKey: ReadonlyMap<SqlValue, RecordValue[]>;
  /** How many there are in all, where some were left out. */
  readonly totals: ReadonlyMap<SqlValue, number>;
}

async function readExpansion(
  rows: readonly Row[],
  records: readonly RecordValue[],
  expand: CompiledExpand,
  level: Level,
): Promise<void> {
  const { limits, parents } = level;
  const { name, toMany, keyPosition, typePosition } = expand;
  const cap = toMany
    ? Math.max(1, Math.min(limits.expandedItems, Math.floor(limits.responseItems / parents)))
    : 1;
  const typeOf = (row: Row): SqlValue =>
    typePosition === undefined ? null : (row[typePosition] ?? null);
  const found = new Map<SqlValue, Related>();
  for (const target of expand.targets) {
    const type = target.typeValue ?? null;
    const keys = new Set<SqlValue>();
    for (const row of rows) {
      const key = row[keyPosition] ?? null;
      if (key !== null && typeOf(row) === type) keys.add(key);
    }
    if (keys.size > 0)
      found.set(
        type,
        await readTarget([...keys], target, cap, { ...level, parents: parents * cap }),
      );
  }
  for (const [index, record] of records.entries()) {
    const row = rows[index] ?? [];
    const related = found.get(typeOf(row));
    const key = row[keyPosition] ?? null;
    const below = related?.byKey.get(key);
    record[name] = toMany ? (below ?? []) : (below?.[0] ?? null);
    const total = related?.totals.get(key);
    if (total !== undefined && total > cap)
      record['_pagination'] = {
        ...(record['_pagination'] as object | undefined),
        [name]: { page: 1, limit: cap, total, totalPages: Math.ceil(total / cap) },
      };
  }
}

async function readTarget(
  keys: readonly SqlValue[],
  target: CompiledTarget,
  cap: number,
  level: Level,
): Promise<Related> {
  const { reader, dialect, limits, parents } = level;
  const { convertKey } = target;
  // What a row below begins with → the key above that it belongs to, where the two are of different types.
  const origins =
    convertKey &&
    new Map(
      keys
        .map((key) => [convertKey(key) ?? null, key] as const)
        .filter(([found]) => found !== null),
    );
  const keyOf = (row: Row): SqlValue => {
    const key = row[0] ?? null;
    return origins === undefined ? key : (origins.get(key) ?? null);
  };
  const sought = origins === undefined ? keys : [...origins.keys()];
  const values = { bound: [], keys: dialect.keys(sought), limit: keys.length * cap + 1, cap };
  let rows = await reader.all(target.rows, values);
  const totals = new Map<SqlValue, number>();
  if (target.top !== undefined && target.count !== undefined && isOver(rows, cap)) {
    rows = await reader.all(target.top, values);
    for (const row of await reader.all(target.count, values))
      totals.set(keyOf(row), Number(row[1]));
  }
  const records = await readSelection(rows, target.selection, reader, dialect, limits, parents);
  const byKey = new Map<SqlValue, RecordValue[]>();
  for (const [index, record] of records.entries()) {
    const row = rows[index] ?? [];
    if (target.pivot !== undefined) record['pivot'] = shapeRecord(row, target.pivot);
    const key = keyOf(row);
    const group = byKey.get(key);
    if (group === undefined) byKey.set(key, [record]);
    else group.push(record);
  }
  return { byKey, totals };
}

/** Whether a record above has more than `cap` of these rows, which stand together by their key. */
function isOver(rows: readonly Row[], cap: number): boolean {
  return rows.some((row, index) => rows[index + cap]?.[0] === row[0]);
}
