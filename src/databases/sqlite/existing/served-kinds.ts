import type Driver from 'better-sqlite3';
import type { Api } from '../../../model/api.ts';
import { schemaOf } from '../../../sql/schema/schema.ts';
import { foldName } from './dialect.ts';
import { sqlite } from '../dialect.ts';
import type { Statement } from '../../../sql/statement.ts';
import { digitsOf } from '../../../sql/kinds/stored-kind.ts';
import { DatabaseFailure } from '../../database.ts';
import { isNumberForm, recordedKind, type RecordRow } from '../../existing/schema-record.ts';
import { readMade, readTables } from '../catalog.ts';
import type { SqliteConnection } from '../connection.ts';
import { typeOfKind } from '../catalog.ts';

const schemaVersion: Statement = { sql: 'PRAGMA schema_version', parameters: [] };

/** No schema has this version. */
const never = -1;

/** The kinds of values in the columns of an Api, by column as `keyOf` names it. */
type Kinds = ReadonlyMap<string, RecordRow['kind']>;

/**
 * Keeps a server from using columns whose kind of values has changed since it started. A migration for another
 * specification may change them meanwhile, and SQLite accepts nearly any value in any column: 2.50 would be written
 * with two decimal places where other servers read three. `PRAGMA schema_version` changes with every such migration,
 * since it rebuilds the table.
 */
export class ServedKinds {
  private begun: Kinds = new Map();
  private lookedAt = never;
  private failure: DatabaseFailure | undefined;

  /** Records what the columns of this Api hold now. */
  serve(driver: Driver.Database, api: Api): void {
    const wanted = new Map(
      schemaOf(api, sqlite).flatMap(({ name, columns }) =>
        columns.map((column) => [keyOf(name, column.name), recordedKind(column)]),
      ),
    );
    const tables = readTables(driver);
    this.begun = new Map(
      readMade(driver).flatMap(({ table, column, kind, isMade }) => {
        const key = keyOf(table, column);
        const own = wanted.get(key);
        if (own === undefined) return [];
        // A restarted worker may come after the migration. Columns that were changed outside of migrations count as
        // they are now.
        const type = tables.get(foldName(table))?.().columns.get(foldName(column))?.type;
        const isAsMade = isMade && kind !== '' && !isNumberForm(kind) && typeOfKind(kind) === type;
        return [[key, isAsMade ? own : kind]];
      }),
    );
    this.failure = undefined;
    this.lookedAt = never;
  }

  /**
   * Throws a DatabaseFailure if one of the columns has come to hold something else. Call it within a transaction.
   * `isOther`: whether another connection may have written since the last call.
   */
  check(connection: SqliteConnection, isOther: boolean): void {
    if (this.begun.size === 0) return;
    if (isOther || this.lookedAt === never) {
      const version = Number(connection.prepare(schemaVersion).get()?.[0]);
      if (version !== this.lookedAt) {
        this.failure = this.changeIn(connection.driver);
        this.lookedAt = version;
      }
    }
    if (this.failure !== undefined) throw this.failure;
  }

  private changeIn(driver: Driver.Database): DatabaseFailure | undefined {
    for (const { table, column, kind } of readMade(driver)) {
      const before = this.begun.get(keyOf(table, column));
      if (before === undefined || isHeldAlike(before, kind)) continue;
      return new DatabaseFailure(
        `The database is not as the specification says: ${table}.${column} holds ${kind} by now, and not ${before}. Start again with the specification that it was migrated for.`,
        { kind: 'changed' },
      );
    }
    return undefined;
  }
}

/** Names as SQLite compares them. */
function keyOf(table: string, column: string): string {
  return foldName(`${table}.${column}`);
}

/** Only the decimal places of a decimal decide how it is stored. */
function isHeldAlike(before: RecordRow['kind'], now: RecordRow['kind']): boolean {
  return before === now || (placesOf(before) !== undefined && placesOf(before) === placesOf(now));
}

function placesOf(kind: RecordRow['kind']): number | undefined {
  return kind === '' || isNumberForm(kind) ? undefined : digitsOf(kind)?.scale;
}
