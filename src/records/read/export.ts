import { ownTurn } from '../../lib/event-loop.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Field, Limits, Resource } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import { boundFor, type Bound, type PageNumbers } from '../../query/bind.ts';
import type { ReadPlan } from '../../query/plan.ts';
import { withId } from '../../query/read/sort.ts';
import { serializerOf, type RecordValue } from '../serialize/record.ts';
import { compileExport, type CompiledExport } from '../../sql/compile/export.ts';
import type { CompiledOwn } from '../../sql/compile/read.ts';
import type { Requester, Values } from '../../sql/statement.ts';
import type { Database, Row } from '../../databases/database.ts';
import { encode } from './read.ts';
import { ApiFailure } from '../api-failure.ts';
import { RowBudget } from '../row-budget.ts';
import { lengthOfAll } from '../../databases/database.ts';
import { readSelection } from './expansion.ts';
import { setOwnValues } from './own-values.ts';
import { readTotal } from './total.ts';

/** How many records a portion has at first and at most, and the characters that it should not exceed. */
const firstLength = 10;
const portionLength = 500;
const portionText = 256 * 1024;
/** Bytes in memory for each character of a portion while it is sent: its text, and the records behind it. */
const portionHolds = 4;
/** The most characters of a portion before it is split, since earlier records may not predict the length of later ones. */
const longestPortion = 8 * 1024 * 1024;

/** A page that ends beyond this may be read faster without LIMIT. */
const longPage = 10_000;

/** A list that is read while it is streamed. */
export interface ExportResult {
  readonly portions: AsyncIterable<readonly RecordValue[]>;
  /** The number of records in the page; fewer are sent if some are deleted meanwhile. */
  readonly count: number;
  readonly total: number | undefined;
  /** The total is an estimate. */
  readonly isEstimated: boolean;
  readonly hasMore: boolean;
  /** The approximate memory until the last record is sent, in bytes: the ids and one portion of records. */
  readonly bytes: number;
}

/**
 * Reads the ids of a page of any length from one snapshot, and then the records by their ids, portion by portion as the
 * client takes them. Between portions no transaction or connection is held. `signal` aborts reading the ids.
 */
export async function readExport(
  compiled: CompiledExport,
  bound: Bound,
  database: Database,
  signal: AbortSignal,
  own?: OwnValues,
): Promise<ExportResult> {
  const { list } = compiled;
  const { page } = bound;
  const values = { bound: encode(list, bound, database.dialect), ...page };
  const { portions, count, hasMore } = await readIds(compiled, values, page, database, signal);
  const seen = { count, read: count + (hasMore ? 1 : 0) };
  const total = await readTotal(list, values, page, seen, database);
  const read: RowsRead = { rows: 0, length: 0 };
  const records = await startReading(
    readPortions(compiled, portions, values.bound, database, read, own),
  );
  const idBytes = portions.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const all = read.rows === 0 ? 0 : (read.length / read.rows) * count;
  const bytes = idBytes + portionHolds * Math.min(portionText, all);
  return { portions: records, count, hasMore, bytes, ...total };
}

/** Who computes what own code gives to records; without it those members are null. */
export interface OwnValues {
  readonly requester: Requester;
  readonly limits: Limits;
}

/** Longer than any list; adding one still gives a safe integer. */
const noLimit = Number.MAX_SAFE_INTEGER - 1;

/**
 * Reads all records of a resource as the owner of the data sees them, in order of id: every field under its own name,
 * including those that no caller may read, or the given fields alone. `signal` aborts reading the ids. See
 * docs/contract/6-operation.md#import-and-export, rule 1.
 */
export function readStored(
  resource: Resource,
  database: Database,
  signal: AbortSignal,
  fields: Iterable<Field> = resource.fields.values(),
): Promise<ExportResult> {
  const plan: ReadPlan = {
    kind: 'list',
    resource,
    selection: {
      members: Array.from(fields, (field) => ({ name: field.name, field })),
      expand: [],
    },
    slots: [],
    ruleSlots: [],
    access: [],
    collections: [],
    where: [],
    order: withId([], resource),
    sort: '',
    collectionSort: '',
    nulls: '',
    paging: { mode: 'offset', offset: 0, limit: undefined },
    count: 'none',
  };
  const bound = {
    ...boundFor({}, () => new Date(0)),
    page: { page: 1, limit: noLimit, offset: 0 },
  };
  return readExport(compileExport(plan, database.dialect), bound, database, signal);
}

/** Reads the first item at once, so that its failure can still become an error response. */
async function startReading<Value>(portions: AsyncGenerator<Value>): Promise<AsyncIterable<Value>> {
  const first = await portions.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* portions;
  })();
}

/**
 * Compactly stored ids: 8 bytes for a number, JSON in UTF-8 for texts. A million ids take 8 MB as numbers, 39 MB as UUIDs,
 * and 1 GB in the worst case of 255 four-byte characters each.
 */
type PackedIds = Float64Array | Buffer;

function pack(ids: readonly SqlValue[]): PackedIds {
  return ids.every((id) => typeof id === 'number')
    ? Float64Array.from(ids)
    : Buffer.from(JSON.stringify(ids));
}

function unpack(packed: PackedIds): readonly SqlValue[] {
  return packed instanceof Float64Array
    ? [...packed]
    : (JSON.parse(packed.toString()) as readonly SqlValue[]);
}

interface Ids {
  readonly portions: readonly PackedIds[];
  readonly count: number;
  readonly hasMore: boolean;
}

async function readIds(
  { ids, allIds }: CompiledExport,
  values: Values,
  { limit, offset }: PageNumbers,
  database: Database,
  signal: AbortSignal,
): Promise<Ids> {
  const statement = offset + limit > longPage ? (allIds ?? ids) : ids;
  let before = statement === allIds ? offset : 0;
  const portions: PackedIds[] = [];
  let waiting: SqlValue[] = [];
  let count = 0;
  let hasMore = false;
  const keep = (): void => {
    if (waiting.length > 0) portions.push(pack(waiting));
    waiting = [];
  };
  // One more than the page has, to find out whether more follow.
  const more = { ...values, limit: limit + 1 };
  await database.stream(statement, more, signal, (rows) => {
    for (const [id = null] of rows) {
      if (before > 0) {
        before -= 1;
        continue;
      }
      if (count === limit) {
        hasMore = true;
        return false;
      }
      count += 1;
      waiting.push(id);
      if (waiting.length === portionLength) keep();
    }
    return true;
  });
  keep();
  return { portions, count, hasMore };
}

/** The number of rows read so far, and their length in characters. */
interface RowsRead {
  rows: number;
  length: number;
}

async function* readPortions(
  compiled: CompiledExport,
  portions: readonly PackedIds[],
  bound: readonly SqlValue[],
  database: Database,
  read: RowsRead,
  own: OwnValues | undefined,
): AsyncGenerator<readonly RecordValue[], void> {
  const { rows: statement, columns } = compiled;
  const serialize = serializerOf(columns);
  /** The rows with these ids; undefined if there are several and they are too long to read at once. */
  const rowsOf = async (ids: readonly SqlValue[]): Promise<readonly Row[] | undefined> => {
    const values = { bound, keys: database.dialect.keys(ids), limit: ids.length };
    if (ids.length === 1) return database.all(statement, values);
    const budget = new RowBudget({ most: longestPortion });
    try {
      return await database.all(statement, { ...values, budget });
    } catch (error) {
      if (error instanceof ApiFailure) return undefined;
      throw error;
    }
  };
  let length = firstLength;
  for (const portion of portions) {
    const all = unpack(portion);
    for (let start = 0; start < all.length;) {
      const ids = all.slice(start, start + length);
      // Let other requests run. A fast client would otherwise keep the event loop busy.
      await ownTurn();
      const rows = await rowsOf(ids);
      if (rows === undefined) {
        length = Math.ceil(ids.length / 2);
        continue;
      }
      start += ids.length;
      const together = lengthOfAll(rows);
      read.rows += rows.length;
      read.length += together;
      length = nextLength(rows.length, together);
      const byId = new Map(rows.map((row) => [row[0], row]));
      const present = ids.flatMap((id) => {
        const row = byId.get(id);
        return row === undefined ? [] : [row];
      });
      const records = present.map(serialize);
      yield own === undefined || compiled.own === undefined
        ? records
        : await withOwnValues(present, records, compiled.own, own, bound, database);
    }
  }
}

/** The records of a portion with what own code computes. */
function withOwnValues(
  rows: readonly Row[],
  records: readonly RecordValue[],
  all: readonly CompiledOwn[],
  { requester, limits }: OwnValues,
  bound: readonly SqlValue[],
  database: Database,
): MaybePromise<readonly RecordValue[]> {
  const { dialect } = database;
  const budget = new RowBudget({ requester });
  const parents = rows.length;
  const place = { bound, collections: [], path: '' };
  const level = { executor: database, dialect, limits, budget, parents, ...place };
  return setOwnValues(records, all, requester, ({ needed }) => readSelection(rows, needed, level));
}

/** The number of records to read next, from the number and length of the last ones. */
function nextLength(rows: number, length: number): number {
  if (rows === 0) return portionLength;
  const fitting = Math.floor((portionText * rows) / length);
  return Math.max(1, Math.min(portionLength, fitting));
}
