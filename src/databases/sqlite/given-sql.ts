import type Driver from 'better-sqlite3';
import type { Api, Field } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import { ConstraintError, DatabaseFailure, type Row } from '../database.ts';
import {
  checkFirstWord,
  checkNames,
  fieldReader,
  fieldsByColumn,
  placeIn,
  RefusedSql,
  type GivenAnswer,
  type GivenColumn,
} from '../given-sql.ts';
import { codeOf } from './errors.ts';
import { foldName } from './existing/dialect.ts';

const keyOf = (table: string, column: string): string => `${foldName(table)} ${foldName(column)}`;

/** A statement of own code that is ready to run. `isRead`: it changes nothing. */
export interface PreparedSql {
  readonly isRead: boolean;
  readonly columns: readonly GivenColumn[];
  readonly driver: Driver.Statement<unknown[], Row>;
}

/** Prepares SQL of own code. */
export class GivenStatements {
  private readonly dialect: Dialect;
  private fields: ReadonlyMap<string, Field> = new Map();

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  serve(api: Api): void {
    this.fields = fieldsByColumn(api, keyOf);
  }

  /** Throws a `RefusedSql` if SQLite does not take it. */
  prepare(connection: Driver.Database, { sql }: Statement): PreparedSql {
    checkFirstWord(sql);
    try {
      const driver = connection.prepare<unknown[], Row>(sql).safeIntegers();
      const found = driver.reader ? driver.columns() : [];
      if (driver.reader) driver.raw();
      checkNames(found);
      return { isRead: driver.readonly, columns: found.map((one) => this.readerOf(one)), driver };
    } catch (error) {
      throw refusalOf(error, sql);
    }
  }

  /** Runs a statement in the open transaction of a connection. */
  run(connection: Driver.Database, statement: Statement, values: Values): GivenAnswer {
    const { driver, columns, isRead } = this.prepare(connection, statement);
    const parameters = valuesFor(statement, values);
    try {
      if (!driver.reader) {
        const { changes } = driver.run(...parameters);
        return { columns, rows: [], count: changes };
      }
      // A write that was ended between two rows would be done by half.
      const found = isRead ? driver.iterate(...parameters) : driver.all(...parameters);
      const rows = taken(found, values);
      return { columns, rows, count: rows.length };
    } catch (error) {
      throw refusalOf(error, statement.sql);
    }
  }

  private readerOf({ name, table, column, database }: Driver.ColumnDefinition): GivenColumn {
    const field =
      database === 'main' && table !== null && column !== null
        ? this.fields.get(keyOf(table, column))
        : undefined;
    return { name, read: field && fieldReader(field, this.dialect) };
  }
}

/** The rows as they are counted and answered: integers that no double holds as text, bytes in base64. */
export function taken(rows: Iterable<Row>, { budget }: Values): readonly Row[] {
  const read: Row[] = [];
  for (const row of rows) {
    const own = row.map(plain);
    budget?.take(own);
    read.push(own);
  }
  return read;
}

function plain(stored: unknown): SqlValue {
  if (typeof stored === 'bigint') {
    const number = Number(stored);
    return Number.isSafeInteger(number) ? number : stored.toString();
  }
  if (typeof stored === 'number') return Number.isFinite(stored) ? stored : String(stored);
  return stored instanceof Uint8Array
    ? Buffer.from(stored).toString('base64')
    : (stored as SqlValue);
}

/** The error of a statement of own code that is wrong, or that a constraint refuses; any other stays itself. */
export function refusalOf(error: unknown, sql: string): unknown {
  const cause = isOfStatement(error) ? (error as Error).cause : error;
  const { message } = (cause ?? {}) as Error;
  const code = codeOf(cause);
  const isOfDriver = cause instanceof TypeError || cause instanceof RangeError;
  if (!isOfDriver && !/^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|TOOBIG|RANGE)/u.test(code))
    return error;
  const place = placeOf(message, sql);
  const told = place === undefined ? message : `${message} (${place})`;
  return new RefusedSql(told, code.startsWith('SQLITE_CONSTRAINT'), { cause });
}

/** What `meaningOf` has made of an error that a statement of own code may cause. */
function isOfStatement(error: unknown): boolean {
  return (
    error instanceof ConstraintError ||
    (error instanceof DatabaseFailure && error.kind === 'changed')
  );
}

/** SQLite names what it stumbles over, but not where: that is known if the word is there once. */
function placeOf(message: string, sql: string): string | undefined {
  const [, near, name] =
    /^near "(.+)": |^no such (?:table|column|function): (.+)$/su.exec(message) ?? [];
  const word = near ?? name;
  if (word === undefined) return undefined;
  const offset = sql.indexOf(word);
  return offset === -1 || sql.includes(word, offset + 1) ? undefined : placeIn(sql, offset);
}
