import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlValue } from '../model/values.ts';
import type { Bound, PageNumbers } from '../plan/bind.ts';
import { shaperOf, type RecordValue } from '../shape/record.ts';
import type { CompiledExport } from '../sql/compile-export.ts';
import type { Values } from '../sql/statement.ts';
import type { Database } from './database.ts';
import { encode } from './read.ts';
import { Refusal } from './refusal.ts';
import { Room } from './room.ts';
import { readTotal } from './total.ts';

/** How many records are read at a time, and how long they may be together, in characters, where they are several. */
const portionLength = 500;
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
  const records = readPortions(compiled, portions, values.bound, database);
  return { portions: await begun(records), count, hasMore, ...total };
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

async function* readPortions(
  compiled: CompiledExport,
  portions: readonly PackedIds[],
  bound: readonly SqlValue[],
  database: Database,
): AsyncGenerator<readonly RecordValue[], void> {
  const { rows: statement, columns } = compiled;
  const shape = shaperOf(columns);
  const recordsOf = async (ids: readonly SqlValue[], room?: Room): Promise<RecordValue[]> => {
    const keys = database.dialect.keys(ids);
    const rows = await database.all(statement, { bound, keys, limit: ids.length, room });
    const byId = new Map(rows.map((row) => [row[0], row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row === undefined ? [] : [shape(row)];
    });
  };
  const read = async function* (
    ids: readonly SqlValue[],
  ): AsyncGenerator<readonly RecordValue[], void> {
    const records = await (ids.length === 1
      ? recordsOf(ids)
      : recordsOf(ids, new Room(longestPortion)).catch(unlessTooLong));
    if (records !== undefined) {
      yield records;
      // A reader who is never slow would let nobody else have a turn.
      await nextTurn();
      return;
    }
    const half = Math.ceil(ids.length / 2);
    yield* read(ids.slice(0, half));
    yield* read(ids.slice(half));
  };
  for (const portion of portions) yield* read(unpack(portion));
}

/** Undefined for a portion that is too long to be read at once; throws any other error. */
function unlessTooLong(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}
