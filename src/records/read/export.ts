import { ownTurn } from '../../lib/event-loop.ts';
import type { SqlValue } from '../../model/values.ts';
import type { Bound, PageNumbers } from '../../query/bind.ts';
import { serializerOf, type RecordValue } from '../serialize/record.ts';
import type { CompiledExport } from '../../sql/compile/export.ts';
import type { Values } from '../../sql/statement.ts';
import type { Database, Row } from '../../databases/database.ts';
import { encode } from './read.ts';
import { Refusal } from '../refusal.ts';
import { RowBudget } from '../row-budget.ts';
import { lengthOfAll } from '../../databases/database.ts';
import { readTotal } from './total.ts';

/** How many records are read at a time: at first, and at most, or fewer where they are long, in characters. */
const firstLength = 10;
const portionLength = 500;
const portionText = 256 * 1024;
/** What a portion holds while it is sent, in bytes for each character: its text, and the records that it was made of. */
const portionHolds = 4;
/** How long several of them may be together, where others tell nothing of their length. */
const longestPortion = 8 * 1024 * 1024;

/** A page that ends further down than this may be read sooner without LIMIT. */
const longPage = 10_000;

/** A list that is read while it is sent. */
export interface ExportResult {
  readonly portions: AsyncIterable<readonly RecordValue[]>;
  /** How many records the page has, less those that are deleted meanwhile. */
  readonly count: number;
  readonly total: number | undefined;
  /** The total is a guess. */
  readonly isEstimated: boolean;
  readonly hasMore: boolean;
  /** What it takes until the last record is sent, about: its ids and a portion of its records, in bytes. */
  readonly bytes: number;
}

/**
 * Reads the ids of a page of any length in their order, from one snapshot; the records follow by their ids as they are
 * asked for but the first, and between two portions nothing is held in the database. `signal` ends the reading of the ids.
 */
export async function readExport(
  compiled: CompiledExport,
  bound: Bound,
  database: Database,
  signal: AbortSignal,
): Promise<ExportResult> {
  const { list } = compiled;
  const { page } = bound;
  const values = { bound: encode(list, bound, database.dialect), ...page };
  const { portions, count, hasMore } = await readIds(compiled, values, page, database, signal);
  const seen = { count, read: count + (hasMore ? 1 : 0) };
  const total = await readTotal(list, values, page, seen, database);
  const read: Read = { rows: 0, length: 0 };
  const records = await begun(readPortions(compiled, portions, values.bound, database, read));
  const idBytes = portions.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const all = read.rows === 0 ? 0 : (read.length / read.rows) * count;
  const bytes = idBytes + portionHolds * Math.min(portionText, all);
  return { portions: records, count, hasMore, bytes, ...total };
}

/** The same, with the first of it read: where that fails, there is still an answer to be given. */
async function begun<Value>(portions: AsyncGenerator<Value>): Promise<AsyncIterable<Value>> {
  const first = await portions.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* portions;
  })();
}

/**
 * Some ids, kept small: numbers take 8 bytes each, texts their JSON in UTF-8. So a million are 8 MB of numbers, 39 MB
 * of UUIDs, and in the worst case, 255 characters of four bytes each, 1 GB.
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
  // One more than the page has tells whether others follow.
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

/** How many rows were read of a list, and how long they are together. */
interface Read {
  rows: number;
  length: number;
}

async function* readPortions(
  compiled: CompiledExport,
  portions: readonly PackedIds[],
  bound: readonly SqlValue[],
  database: Database,
  read: Read,
): AsyncGenerator<readonly RecordValue[], void> {
  const { rows: statement, columns } = compiled;
  const serialize = serializerOf(columns);
  /** The rows with some ids; undefined where they are several and too long to be read at once. */
  const rowsOf = async (ids: readonly SqlValue[]): Promise<readonly Row[] | undefined> => {
    const values = { bound, keys: database.dialect.keys(ids), limit: ids.length };
    if (ids.length === 1) return database.all(statement, values);
    const budget = new RowBudget(longestPortion);
    try {
      return await database.all(statement, { ...values, budget });
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  };
  let length = firstLength;
  for (const portion of portions) {
    const all = unpack(portion);
    for (let start = 0; start < all.length;) {
      const ids = all.slice(start, start + length);
      // A reader who is never slow would let nobody else have a turn.
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
      yield ids.flatMap((id) => {
        const row = byId.get(id);
        return row === undefined ? [] : [serialize(row)];
      });
    }
  }
}

/** How many records are read next, going by those that were read last, and how long these are together. */
function nextLength(rows: number, length: number): number {
  if (rows === 0) return portionLength;
  const fitting = Math.floor((portionText * rows) / length);
  return Math.max(1, Math.min(portionLength, fitting));
}
