import type { Limits } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import { offsetAt, pageAt, type Bound, type PageNumbers } from '../plan/bind.ts';
import type { CollectionPaging, RuleSlot } from '../plan/plan.ts';
import { shaperOf, type RecordValue } from '../shape/record.ts';
import { after, both, type Soon } from '../soon.ts';
import type { JsonValue } from '../spec/specification.ts';
import type {
  CompiledExpand,
  CompiledLookup,
  CompiledRead,
  CompiledSelection,
  CompiledTarget,
} from '../sql/compile-read.ts';
import { wantedValues, type Dialect } from '../sql/dialect.ts';
import type { Statement, Values } from '../sql/statement.ts';
import type { Database, Row } from './database.ts';
import { readTotal } from './total.ts';

/** What a list gives: its records, and how many there are in all where that was asked for. */
export interface ListResult {
  readonly records: readonly RecordValue[];
  readonly total: number | undefined;
  /** The total is a guess. */
  readonly isEstimated: boolean;
  readonly hasMore: boolean;
  readonly page: PageNumbers;
  /**
   * Where more follows: the values under the keys of the order of the last record but so many, which a cursor goes on
   * behind; undefined where the page has not that many.
   */
  readonly valuesAt: ((back: number) => readonly JsonValue[] | undefined) | undefined;
}

/** What runs statements: a Database, or a Transaction of one. */
export interface Reader {
  /** Whether statements that do not wait for each other are better asked at once. */
  readonly asksAtOnce: boolean;
  /** Takes the name of the step that begins, where somebody watches. */
  readonly enter?: (stage: string) => void;
  readonly all: (statement: Statement, values: Values) => Soon<readonly Row[]>;
}

/** Turns what `bindQuery` read into what the driver takes. */
export function encode(
  { plan, keys }: CompiledRead,
  bound: Bound,
  dialect: Dialect,
): readonly SqlValue[] {
  const own = plan.slots.map(({ index, operator, field }) => {
    const value = bound.values[index] ?? null;
    return value === null ? null : dialect.operand(value, operator, field);
  });
  const ofRules = plan.ruleSlots.map((slot, at) =>
    ruleValue(slot, bound.rules[at] ?? null, dialect),
  );
  const values = own.length === 0 ? ofRules : [...own, ...ofRules];
  if (bound.after.length === 0) return values;
  const after = keys.map(({ field }, index) => {
    const value = bound.after[index] ?? null;
    return value === null ? null : dialect.operand(value, 'eq', field);
  });
  return [...values, ...after];
}

/** What is bound to a slot of an access rule. */
export function ruleValue(slot: RuleSlot, value: JsonValue, dialect: Dialect): SqlValue {
  if (value === null || slot.kind === 'guard') return value as SqlValue;
  const { operator, field } = slot;
  if (!slot.any) return dialect.operand(value, operator, field);
  return dialect.keys(wantedValues(value).map((item) => dialect.operand(item, operator, field)));
}

/** Reads a page of a list with everything that it expands. */
export async function readList(
  compiled: CompiledRead,
  bound: Bound,
  database: Database,
  limits: Limits,
): Promise<ListResult> {
  const { dialect } = database;
  const { limit, offset } = bound.page;
  const values = { bound: encode(compiled, bound, dialect), limit, offset };
  const isExact = compiled.count !== undefined && compiled.estimate === undefined;
  // Without a total, or with one that is a guess, one row more tells whether there is a next page.
  const wanted = isExact ? limit : limit + 1;
  let found: readonly Row[] = [];
  const { lookup } = compiled;
  const statements =
    lookup === undefined || (await isMany(lookup, values, database)) ? compiled.rows : lookup.rows;
  for (const statement of statements) {
    const asked = database.all(statement, { ...values, limit: wanted - found.length });
    const more = asked instanceof Promise ? await asked : asked;
    found = found.length === 0 ? more : [...found, ...more];
    if (found.length >= wanted) break;
  }
  const rows = found.length > limit ? found.slice(0, limit) : found;
  const level = {
    reader: database,
    dialect,
    limits,
    parents: limit,
    bound: values.bound,
    collections: bound.collections,
    path: '',
  };
  const seen = { count: rows.length, read: found.length };
  const counting = readTotal(compiled, values, bound.page, seen, database);
  // Where nothing is gained by asking at once, one thing comes after the other.
  if (!database.asksAtOnce && counting instanceof Promise) await counting;
  const [records, { total, isEstimated }] = await both(
    readSelection(rows, compiled.selection, level),
    counting,
  );
  const hasMore =
    isExact && total !== undefined ? offset + rows.length < total : found.length > limit;
  const valuesAt = (back: number): readonly JsonValue[] | undefined => {
    const row = rows[rows.length - 1 - back];
    return row && keyValues(row, compiled);
  };
  const { page } = bound;
  return { records, total, isEstimated, hasMore, page, valuesAt: hasMore ? valuesAt : undefined };
}

/** So many records are few: to sort them is sooner done than to look for the first of them in the order of the list. */
const fewFound = 1_000;

/** Whether a list has so many records that the first of them are sooner looked for in its order. */
async function isMany(
  { found }: CompiledLookup,
  values: Values,
  database: Database,
): Promise<boolean> {
  if (found === undefined) return false;
  const [row] = await database.all(found, { ...values, cap: fewFound + 1 });
  return Number(row?.[0]) > fewFound;
}

/** The values of a row under the keys of its list's order, as a cursor carries them. */
export function keyValues(row: Row, { keys }: CompiledRead): readonly JsonValue[] {
  return keys.map(({ position, field, decode }) => {
    const stored = row[position] ?? null;
    return decode === undefined || stored === null ? (stored as JsonValue) : decode(stored, field);
  });
}

/** Reads one record by its id; undefined when there is none. */
export function readOne(
  compiled: CompiledRead,
  id: SqlValue,
  bound: Bound,
  reader: Reader,
  dialect: Dialect,
  limits: Limits,
): Soon<RecordValue | undefined> {
  const [statement] = compiled.rows;
  if (statement === undefined) return undefined;
  const values = encode(compiled, bound, dialect);
  return after(reader.all(statement, { bound: values, id }), (rows) => {
    if (rows.length === 0) return undefined;
    const { collections } = bound;
    const level = { reader, dialect, limits, parents: 1, bound: values, collections, path: '' };
    return after(readSelection(rows, compiled.selection, level), ([record]) => record);
  });
}

function readSelection(
  rows: readonly Row[],
  selection: CompiledSelection,
  level: Level,
): Soon<readonly RecordValue[]> {
  const records = rows.map(shaperOf(selection.columns));
  return selection.expand.length === 0 ? records : expanded(rows, records, selection, level);
}

/** The records of some rows with what is expanded in them. */
async function expanded(
  rows: readonly Row[],
  records: readonly RecordValue[],
  selection: CompiledSelection,
  level: Level,
): Promise<readonly RecordValue[]> {
  const found = await forEach(selection.expand, level.reader, (expand) =>
    readExpansion(rows, expand, level),
  );
  const pagination = new Map<RecordValue, Record<string, object>>();
  for (const [index, expand] of selection.expand.entries())
    attach(rows, records, expand, found[index], pagination);
  for (const [record, pages] of pagination) record['_pagination'] = pages;
  return records;
}

interface Level {
  readonly reader: Reader;
  readonly dialect: Dialect;
  readonly limits: Limits;
  /** How many records there may be at this level; it decides how many each may have below it. */
  readonly parents: number;
  readonly bound: readonly SqlValue[];
  readonly collections: readonly PageNumbers[];
  /** The relations that lead here, as the names of steps have them; where somebody watches. */
  readonly path: string;
}

/** The related records of the rows above, by the key that leads to them. */
interface Related {
  readonly byKey: ReadonlyMap<SqlValue, RecordValue[]>;
  /** How many there are in all, where some were left out. */
  readonly totals: ReadonlyMap<SqlValue, number>;
}

/** The results of questions that do not wait for each other. */
async function forEach<Item, Answer>(
  items: readonly Item[],
  { asksAtOnce }: Reader,
  ask: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  if (asksAtOnce) return Promise.all(items.map(ask));
  const answers: Answer[] = [];
  for (const item of items) answers.push(await ask(item));
  return answers;
}

/** What an expansion found, by the type that leads to it; null but for a morphTo. */
interface Expansion {
  readonly page: PageNumbers;
  readonly found: ReadonlyMap<SqlValue, Related>;
}

function typeOf(row: Row, { typePosition }: CompiledExpand): SqlValue {
  return typePosition === undefined ? null : (row[typePosition] ?? null);
}

async function readExpansion(
  rows: readonly Row[],
  expand: CompiledExpand,
  above: Level,
): Promise<Expansion> {
  const { toMany, keyPosition, paging } = expand;
  const level = entered(expand, above);
  const page = toMany ? collectionPage(paging, level) : onlyOne;
  const found = new Map<SqlValue, Related>();
  for (const target of expand.targets) {
    const type = target.typeValue ?? null;
    const keys = new Set<SqlValue>();
    for (const row of rows) {
      const key = row[keyPosition] ?? null;
      if (key !== null && typeOf(row, expand) === type) keys.add(key);
    }
    if (keys.size > 0)
      found.set(type, await readTarget([...keys], target, page, paging !== undefined, level));
  }
  return { page, found };
}

/** The level of an expansion, whose step begins where somebody watches. */
function entered({ name }: CompiledExpand, level: Level): Level {
  const { enter } = level.reader;
  if (enter === undefined) return level;
  enter(`expand_${level.path}${name}`);
  return { ...level, path: `${level.path}${name}_` };
}

/** Puts what was found into the records, each relation in its turn, so that members have one order; pages apart. */
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
    const pages = { page: page.page, limit, total, totalPages: Math.ceil(total / limit) };
    pagination.set(record, { ...pagination.get(record), [name]: pages });
  }
}

const onlyOne = pageAt(1, 1);

/** The page of a collection for each record above: what was asked for, and never more than a response may have. */
function collectionPage(
  paging: CollectionPaging | undefined,
  { limits, parents, collections }: Level,
): PageNumbers {
  const most = Math.max(1, Math.floor(limits.responseItems / parents));
  const asked = paging && collections[paging.index];
  if (paging === undefined || asked === undefined)
    return pageAt(1, Math.min(limits.expandedItems, most));
  if (asked.limit <= most) return asked;
  return paging.offset === undefined ? pageAt(asked.page, most) : offsetAt(asked.offset, most);
}

async function readTarget(
  keys: readonly SqlValue[],
  target: CompiledTarget,
  page: PageNumbers,
  isPaged: boolean,
  level: Level,
): Promise<Related> {
  const { reader, dialect, bound } = level;
  const { convertKey } = target;
  const { limit: cap, offset } = page;
  // What a row below begins with → the key above that it belongs to, where the two are read differently.
  const origins =
    convertKey &&
    new Map(
      keys
        .map((key) => [convertKey(key) ?? null, key] as const)
        .filter(([found]) => found !== null),
    );
  const keyOf = (row: Row): SqlValue => {
    const key = row[0] ?? null;
    return origins === undefined ? key : (origins.get(convertKey?.(key) ?? key) ?? null);
  };
  const sought = origins === undefined ? keys : [...origins.keys()];
  const values = {
    bound,
    keys: dialect.keys(sought),
    limit: keys.length * cap + 1,
    cap,
    offset,
  };
  const totals = new Map<SqlValue, number>();
  let rows = isPaged ? [] : await reader.all(target.rows, values);
  if (target.top !== undefined && target.count !== undefined && (isPaged || isOver(rows, cap))) {
    rows = await reader.all(target.top, values);
    for (const row of await reader.all(target.count, values))
      totals.set(keyOf(row), Number(row[1]));
  }
  const records = await readSelection(rows, target.selection, {
    ...level,
    parents: level.parents * cap,
  });
  const byKey = new Map<SqlValue, RecordValue[]>();
  const shapePivot = target.pivot && shaperOf(target.pivot);
  for (const [index, record] of records.entries()) {
    const row = rows[index] ?? [];
    if (shapePivot !== undefined) record['pivot'] = shapePivot(row);
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
