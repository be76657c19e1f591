import type { Limits } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import { offsetAt, pageAt, pagesOf, type PageNumbers } from '../../query/bind.ts';
import { setOwnValues } from './own-values.ts';
import { serializerOf, type RecordValue } from '../serialize/record.ts';
import { after, inTurn, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { CompiledExpand, CompiledSelection, CompiledTarget } from '../../sql/compile/read.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { lengthIn, type Executor, type Row } from '../../databases/database.ts';
import { CappedRowCounter, type RowBudget } from '../row-budget.ts';

/** The records of some rows, with their expansions. */
export function readSelection(
  rows: readonly Row[],
  selection: CompiledSelection,
  level: Level,
): MaybePromise<readonly RecordValue[]> {
  const records = rows.map(serializerOf(selection.columns));
  const { own } = selection;
  const whole = selection.expand.length === 0 ? records : expanded(rows, records, selection, level);
  if (own === undefined) return whole;
  return after(whole, () =>
    setOwnValues(records, own, level.budget.requester, ({ needed }) =>
      readSelection(rows, needed, level),
    ),
  );
}

function expanded(
  rows: readonly Row[],
  records: readonly RecordValue[],
  { expand: all }: CompiledSelection,
  level: Level,
): MaybePromise<readonly RecordValue[]> {
  const read = (expand: CompiledExpand): MaybePromise<Expansion> =>
    readExpansion(rows, expand, level);
  return after(forEach(all, level.executor, read), (found) => {
    const pagination = new Map<RecordValue, Record<string, object>>();
    for (const [index, expand] of all.entries())
      attach(rows, records, expand, found[index], pagination);
    for (const [record, pages] of pagination) record['_pagination'] = pages;
    return records;
  });
}

interface Level {
  readonly executor: Executor;
  readonly dialect: Dialect;
  readonly limits: Limits;
  /** The remaining budget for related records in this response. */
  readonly budget: RowBudget;
  /** The most records at this level, which limits how many related records each of them may have. */
  readonly parents: number;
  /** How many times each row at this level is in the response; absent: once. Parents may share a related record. */
  readonly times?: readonly number[] | undefined;
  readonly bound: readonly SqlValue[];
  readonly collections: readonly PageNumbers[];
  /** The relations on the path, for the names of traced steps; empty if the request is not traced. */
  readonly path: string;
}

/** The related records of the parent rows, by the key that leads to them. */
interface Related {
  readonly byKey: ReadonlyMap<SqlValue, RecordValue[]>;
  /** The total for each key with more related records than are returned. */
  readonly totals: ReadonlyMap<SqlValue, number>;
}

/** Reads for each item, concurrently if the database can. */
function forEach<Item, Answer>(
  items: readonly Item[],
  { asksAtOnce }: Executor,
  ask: (item: Item) => MaybePromise<Answer>,
): MaybePromise<readonly Answer[]> {
  return asksAtOnce ? Promise.all(items.map(ask)) : inTurn(items, ask);
}

/** The related records of an expansion, by the morphTo type value; by null for other relations. */
interface Expansion {
  readonly page: PageNumbers;
  readonly found: ReadonlyMap<SqlValue, Related>;
}

function typeTo({ typeValue }: CompiledTarget): SqlValue {
  return typeValue ?? null;
}

function typeOf(row: Row, { typePosition }: CompiledExpand): SqlValue {
  return typePosition === undefined ? null : (row[typePosition] ?? null);
}

function readExpansion(
  rows: readonly Row[],
  expand: CompiledExpand,
  above: Level,
): MaybePromise<Expansion> {
  const { toMany, paging, targets } = expand;
  let level = enterStep(expand, above);
  const page = toMany ? collectionPage(expand, level) : onlyOne;
  let isBelow = false;
  const related = inTurn(targets, (target) => {
    const keys = keysTo(target, rows, expand, above.times);
    if (keys.size === 0) return undefined;
    // Nested expansions of the previous target entered steps of their own.
    if (isBelow) level = enterStep(expand, above);
    isBelow = target.selection.expand.length > 0;
    return readTarget(keys, target, page, paging !== undefined, level);
  });
  return after(related, (each) => {
    const found = new Map<SqlValue, Related>();
    for (const [index, target] of targets.entries()) {
      const one = each[index];
      if (one !== undefined) found.set(typeTo(target), one);
    }
    return { page, found };
  });
}

/** The distinct keys of rows that lead to a target, with the number of times that the response has what they lead to. */
function keysTo(
  target: CompiledTarget,
  rows: readonly Row[],
  expand: CompiledExpand,
  times: Level['times'],
): ReadonlyMap<SqlValue, number> {
  const type = typeTo(target);
  const keys = new Map<SqlValue, number>();
  for (const [index, row] of rows.entries()) {
    const key = row[expand.keyPosition] ?? null;
    if (key !== null && typeOf(row, expand) === type)
      keys.set(key, (keys.get(key) ?? 0) + (times?.[index] ?? 1));
  }
  return keys;
}

/** The level of an expansion. If the request is traced, its step begins. */
function enterStep({ name }: CompiledExpand, level: Level): Level {
  const { enter } = level.executor;
  if (enter === undefined) return level;
  enter(`expand_${level.path}${name}`);
  return { ...level, path: `${level.path}${name}_` };
}

/** Adds the related records of one relation to the records. The pagination is collected, to be the last member. */
function attach(
  rows: readonly Row[],
  records: readonly RecordValue[],
  expand: CompiledExpand,
  expansion: Expansion | undefined,
  pagination: Map<RecordValue, Record<string, object>>,
): void {
  if (expansion === undefined) return;
  const { page, found } = expansion;
  const { name, toMany, keyPosition, paging } = expand;
  for (const [index, record] of records.entries()) {
    const row = rows[index] ?? [];
    const related = found.get(typeOf(row, expand));
    const key = row[keyPosition] ?? null;
    const below = related?.byKey.get(key);
    record[name] = toMany ? (below ?? []) : (below?.[0] ?? null);
    const total = related?.totals.get(key) ?? (paging === undefined ? undefined : 0);
    if (total === undefined || (paging === undefined && total <= page.limit)) continue;
    const { limit } = page;
    const pages = { page: page.page, limit, total, totalPages: pagesOf(total, limit) };
    pagination.set(record, { ...pagination.get(record), [name]: pages });
  }
}

const onlyOne = pageAt(1, 1);

/**
 * The page of a collection for each parent record: as requested, but never more than a response may have. A collection
 * without a requested page leaves enough of the limit to the requested pages below it, which a lower limit would change.
 */
function collectionPage(expand: CompiledExpand, level: Level): PageNumbers {
  const { limits, parents, collections } = level;
  const { paging } = expand;
  const most = Math.max(1, Math.floor(limits.responseItems / parents));
  const asked = paging && collections[paging.index];
  if (paging === undefined || asked === undefined) {
    const left = Math.max(1, Math.floor(most / requestedBelow(expand, collections)));
    return pageAt(1, Math.min(limits.expandedItems, left));
  }
  if (asked.limit <= most) return asked;
  return paging.offset === undefined ? pageAt(asked.page, most) : offsetAt(asked.offset, most);
}

/** The most records that the requested limits below a collection allow for one of its records. */
function requestedBelow({ targets }: CompiledExpand, collections: readonly PageNumbers[]): number {
  if (collections.length === 0) return 1;
  const products = targets.flatMap(({ selection }) =>
    selection.expand.map((below) => {
      const own = below.paging && collections[below.paging.index];
      return (own?.limit ?? 1) * requestedBelow(below, collections);
    }),
  );
  return Math.max(1, ...products);
}

function readTarget(
  keys: ReadonlyMap<SqlValue, number>,
  target: CompiledTarget,
  page: PageNumbers,
  isPaged: boolean,
  level: Level,
): MaybePromise<Related> {
  const { executor: reader, dialect, bound, budget } = level;
  const { limit: cap, offset } = page;
  const { sought, keyOf } = keysBelow([...keys.keys()], target);
  const values = {
    bound,
    keys: dialect.keys(sought),
    limit: keys.size * cap + 1,
    cap,
    offset,
    budget,
    requester: budget.requester,
  };
  const { top, count } = target;
  const trial = new CappedRowCounter(budget, cap);
  const all = isPaged
    ? []
    : reader.all(target.rows, top === undefined ? values : { ...values, budget: trial });
  const found = after(all, (rows): MaybePromise<readonly [readonly Row[], readonly Row[]]> => {
    if (top === undefined || count === undefined || !(isPaged || trial.isExceeded))
      return [rows, []];
    trial.release();
    return after(reader.all(top, values), (first) =>
      after(reader.all(count, { ...values, budget: undefined }), (counted) => [first, counted]),
    );
  });
  return after(found, ([rows, counted]) => {
    const totals = new Map<SqlValue, number>();
    for (const row of counted) totals.set(keyOf(row), Number(row[1]));
    const times = rows.map((row) => keys.get(keyOf(row)) ?? 1);
    countRepeated(rows, times, target.rows.rowLength?.texts, budget);
    const below = { ...level, parents: level.parents * cap, times };
    return after(readSelection(rows, target.selection, below), (records) => ({
      byKey: groupedBy(keyOf, rows, records, target),
      totals,
    }));
  });
}

/** Counts what rows add to the text of the response beyond the first time. Its limits hold for records, not for repetitions. */
function countRepeated(
  rows: readonly Row[],
  times: readonly number[],
  texts: readonly number[] | undefined,
  budget: RowBudget,
): void {
  let characters = 0;
  for (const [index, row] of rows.entries()) {
    const more = (times[index] ?? 1) - 1;
    if (more > 0) characters += more * lengthIn(row, texts);
  }
  if (characters > 0) budget.use(characters);
}

/**
 * The keys to find related rows by, and the parent key of a related row, from its first column. The two sides may store
 * the key differently, so it is converted.
 */
function keysBelow(
  keys: readonly SqlValue[],
  { convertKey }: CompiledTarget,
): { readonly sought: readonly SqlValue[]; readonly keyOf: (row: Row) => SqlValue } {
  if (convertKey === undefined) return { sought: keys, keyOf: firstOf };
  const origins = new Map<SqlValue, SqlValue>();
  for (const key of keys) {
    const below = convertKey(key) ?? null;
    if (below !== null) origins.set(below, key);
  }
  const keyOf = (row: Row): SqlValue => {
    const key = firstOf(row);
    return origins.get(convertKey(key) ?? key) ?? null;
  };
  return { sought: [...origins.keys()], keyOf };
}

const firstOf = (row: Row): SqlValue => row[0] ?? null;

/** Records by the parent key, each with its pivot. */
function groupedBy(
  keyOf: (row: Row) => SqlValue,
  rows: readonly Row[],
  records: readonly RecordValue[],
  { pivot }: CompiledTarget,
): Related['byKey'] {
  const byKey = new Map<SqlValue, RecordValue[]>();
  const serializePivot = pivot && serializerOf(pivot);
  for (const [index, record] of records.entries()) {
    const row = rows[index] ?? [];
    if (serializePivot !== undefined) record['pivot'] = serializePivot(row);
    const key = keyOf(row);
    const group = byKey.get(key);
    if (group === undefined) byKey.set(key, [record]);
    else group.push(record);
  }
  return byKey;
}
