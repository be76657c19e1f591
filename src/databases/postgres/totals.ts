import { BoundedCache } from '../../lib/bounded-cache.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { performance } from 'node:perf_hooks';
import { quoteTable } from '../../sql/dialect.ts';
import { postgres } from './dialect.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import type { Row } from '../database.ts';

/** A total, and the state of the database in which it was counted. */
interface Total {
  readonly state: string;
  readonly total: number;
}

/** Where the total of a statement with some values is kept. */
interface Place {
  readonly known: () => Total | undefined;
  readonly keep: (total: Total) => void;
}

/** How many totals of one statement are kept, and how long their keys may be together. */
const keptTotals = 200;
const keptKeyLength = 64 * 1_024;
/** How long it is taken for granted that a table has no policies, in ms. */
const checkedFor = 60_000;

/**
 * Tables whose rows depend on the snapshot of a statement alone: no views, which may call any function, no foreign tables, and
 * none with policies.
 */
const plainTables = `
  SELECT name FROM unnest($1::text[]) AS name JOIN pg_class AS served ON served.oid = to_regclass(name)
  WHERE served.relkind IN ('r', 'p') AND NOT served.relrowsecurity
    AND (served.relkind = 'p' OR NOT served.relhassubclass)
    AND NOT EXISTS (SELECT FROM pg_partition_tree(served.oid) AS part JOIN pg_class ON oid = part.relid
      WHERE relkind = 'f' OR relrowsecurity)`;

/**
 * The totals of lists, each with the state of the database in which it was counted. The database compares that with its
 * own, so that a total is used only if nothing at all was committed since, by anybody. See
 * docs/decisions/0037-totals-of-postgresql.md.
 */
export class Totals {
  private readonly ask: (sql: string, bound: Values['bound']) => Promise<readonly Row[]>;
  private tables: readonly string[] = [];
  /** The tables that are not plain; undefined: not known yet. */
  private others: readonly string[] | undefined;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private state = '';
  private totals = new WeakMap<Statement, BoundedCache<number>>();

  constructor(ask: Totals['ask']) {
    this.ask = ask;
  }

  /** Serves these tables from now on. */
  serve(tables: readonly string[]): void {
    this.tables = tables.map(quoteTable);
    this.others = undefined;
    this.checkedAt = Number.NEGATIVE_INFINITY;
    this.totals = new WeakMap();
  }

  /** The place of a total; undefined if it may depend on more than the rows of tables. */
  placeOf(statement: Statement, values: Values): Place | undefined {
    this.check();
    if (this.others?.some((table) => statement.sql.includes(table)) !== false) return undefined;
    const key = keyOf(statement, values);
    return {
      known: () => {
        const total = this.totals.get(statement)?.get(key);
        return total === undefined ? undefined : { state: this.state, total };
      },
      keep: ({ state, total }) => {
        if (state !== this.state) {
          this.state = state;
          this.totals = new WeakMap();
        }
        const none = (): BoundedCache<number> => new BoundedCache(keptTotals, keptKeyLength);
        getOrInsert(this.totals, statement, none).set(key, total);
      },
    };
  }

  private check(): void {
    const now = performance.now();
    if (now - this.checkedAt < checkedFor) return;
    this.checkedAt = now;
    void this.findOthers();
  }

  private async findOthers(): Promise<void> {
    const { tables } = this;
    let others: readonly string[] | undefined;
    try {
      const rows = await this.ask(plainTables, [postgres.keys(tables)]);
      const plain = new Set(rows.map(([name]) => name));
      others = tables.filter((table) => !plain.has(table));
    } catch {
      // Nothing is remembered until it is known.
      others = undefined;
    }
    if (tables === this.tables) this.others = others;
  }
}

/** Everything that a total depends on beside the rows. Bound texts hold no NUL, so keys are distinct. */
function keyOf(statement: Statement, values: Values): string {
  const { parameters } = statement;
  return valuesFor(
    { ...statement, parameters: parameters.filter((one) => typeof one === 'number') },
    values,
  )
    .map((value) => `${typeof value} ${String(value)}`)
    .join('\0');
}
