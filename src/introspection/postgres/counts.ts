import type { ActualTable } from '../../databases/existing/actual-schema.ts';
import type { Ask } from '../../databases/postgres/database.ts';
import { quote, quoteTable } from '../../sql/dialect.ts';

/** A condition on the values of a column, given as SQL. */
export type Condition = (column: string) => string;

/** Asks how many values of the column satisfy a condition. */
export type CountValues = (condition: Condition) => Promise<number>;

interface Wanted {
  readonly sql: string;
  readonly settle: (count: number) => void;
  readonly fail: (error: unknown) => void;
}

/** PostgreSQL returns at most 1,664 columns. */
const mostCounts = 1_000;

/**
 * Counts values of a table. What is asked for at the same time, by all columns, is one statement: a database of 300 tables
 * took thousands.
 */
export class TableCounts {
  private readonly ask: Ask;
  private readonly table: ActualTable;
  private wanted: Wanted[] = [];

  constructor(ask: Ask, table: ActualTable) {
    this.ask = ask;
    this.table = table;
  }

  /** The number of rows whose value in a column satisfies a condition. */
  count(column: string, condition: Condition): Promise<number> {
    return new Promise((settle, fail) => {
      const sql = `count(*) FILTER (WHERE ${condition(quote(column))})::int`;
      // The columns of a table begin in one turn of the event loop, and ask what they ask in it.
      if (this.wanted.length === 0) setImmediate(() => void this.answer());
      this.wanted.push({ sql, settle, fail });
    });
  }

  private async answer(): Promise<void> {
    const { wanted } = this;
    this.wanted = [];
    try {
      for (let from = 0; from < wanted.length; from += mostCounts) {
        const some = wanted.slice(from, from + mostCounts);
        const counts = some.map(({ sql }) => sql).join(', ');
        const [row = []] = await this.ask(`SELECT ${counts} FROM ${quoteTable(this.table.name)}`);
        for (const [index, { settle }] of some.entries()) settle(Number(row[index]));
      }
    } catch (error) {
      for (const { fail } of wanted) fail(error);
    }
  }
}
