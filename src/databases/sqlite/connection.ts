import Driver from 'better-sqlite3';
import { addNumberFunctions } from './json-numbers.ts';
import { addTextFunction } from './existing/mixed-values.ts';
import { addSearchFunctions } from './search/search.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import type { Row } from '../database.ts';

type Prepared = Driver.Statement<unknown[], Row>;

/** One connection with its safety settings and its prepared statements, which live as long as their Statement. */
export class SqliteConnection {
  readonly driver: Driver.Database;
  private readonly prepared = new WeakMap<Statement, Prepared>();

  /** `cache`: the page cache, in bytes; allocated only as pages are read. Absent: the default of SQLite. */
  constructor(file: string, options: Driver.Options, cache?: number) {
    this.driver = new Driver(file, { ...options, timeout: 0 });
    this.driver.pragma('trusted_schema = OFF');
    this.driver.pragma('foreign_keys = ON');
    addNumberFunctions(this.driver);
    addSearchFunctions(this.driver);
    addTextFunction(this.driver);
    if (cache !== undefined) this.driver.pragma(`cache_size = -${Math.ceil(cache / 1024)}`);
  }

  prepare(statement: Statement): Prepared {
    let prepared = this.prepared.get(statement);
    if (prepared === undefined) {
      prepared = this.driver.prepare<unknown[], Row>(statement.sql);
      if (prepared.reader) prepared.raw();
      this.prepared.set(statement, prepared);
    }
    return prepared;
  }

  /** Reads all rows. If they may exceed the row budget, they are read one by one, which takes half as long again. */
  all(statement: Statement, values: Values): readonly Row[] {
    const prepared = this.prepare(statement);
    const parameters = valuesFor(statement, values);
    const { budget, limit = Infinity } = values;
    if (budget === undefined) return prepared.all(...parameters);
    budget.check();
    const { most, texts } = statement.rowLength ?? {};
    if (budget.holds(Number(limit), most)) {
      const rows = prepared.all(...parameters);
      for (const row of rows) if (!budget.take(row, texts)) break;
      return rows;
    }
    const rows: Row[] = [];
    for (const row of prepared.iterate(...parameters)) {
      if (!budget.take(row, texts)) break;
      rows.push(row);
    }
    return rows;
  }
}
