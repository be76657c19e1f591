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
  const rows = await database.all(compiled.rows, values);
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
  return { records, total, page: bound.page };
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

/** The related records of the rows above, by the text of the key that leads to them. */
interface Related {
  readonly byKey: ReadonlyMap<string, RecordValue[]>;
  /** How many there are in all, where some were left out. */
  readonly totals: ReadonlyMap<string, number>;
}

async function readExpansion(
  rows: readonly Row[],
  records: readonly RecordValue[],
  expand: CompiledExpand,
  level: Level,
): Promise<void> {
  const { limits, parents } = level;
  const cap = expand.toMany
    ? Math.max(1, Math.min(limits.expandedItems, Math.floor(limits.responseItems / parents)))
    : 1;
  const typeOf = (row: Row): SqlValue =>
    expand.typePosition === undefined ? null : (row[expand.typePosition] ?? null);
  const found = new Map<SqlValue, Related>();
  for (const target of expand.targets) {
    const type = target.typeValue ?? null;
    const own = rows.filter((row) => typeOf(row) === type);
    const keys = [...new Set(own.map((row) => row[expand.keyPosition] ?? null))].filter(
      (key) => key !== null,
    );
    if (keys.length > 0)
      found.set(type, await readTarget(keys, target, cap, { ...level, parents: parents * cap }));
  }
  for (const [index, record] of records.entries()) {
    const row = rows[index] ?? [];
    const related = found.get(typeOf(row));
    const key = String(row[expand.keyPosition] ?? null);
    const below = related?.byKey.get(key) ?? [];
    record[expand.name] = expand.toMany ? below : (below[0] ?? null);
    const total = related?.totals.get(key);
    if (total !== undefined && total > cap)
      record['_pagination'] = {
        ...(record['_pagination'] as object | undefined),
        [expand.name]: { page: 1, limit: cap, total, totalPages: Math.ceil(total / cap) },
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
  const values = { bound: [], keys: dialect.keys(keys), limit: keys.length * cap + 1, cap };
  let rows = await reader.all(target.rows, values);
  const totals = new Map<string, number>();
  if (target.top !== undefined && target.count !== undefined && isOver(rows, cap)) {
    rows = await reader.all(target.top, values);
    for (const [key, total] of await reader.all(target.count, values))
      totals.set(String(key), Number(total));
  }
  const records = await readSelection(rows, target.selection, reader, dialect, limits, parents);
  const byKey = new Map<string, RecordValue[]>();
  for (const [index, record] of records.entries()) {
    const row = rows[index] ?? [];
    if (target.pivot !== undefined) record['pivot'] = shapeRecord(row, target.pivot);
    const key = String(row[0]);
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
