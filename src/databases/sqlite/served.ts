import type Driver from 'better-sqlite3';
import type { Api } from '../../model/api.ts';
import { schemaOf } from '../../sql/schema/schema.ts';
import { foldName } from './existing.ts';
import { sqlite } from './dialect.ts';
import type { Statement } from '../../sql/statement.ts';
import { digitsOf } from '../../sql/stored-kind.ts';
import { DatabaseFailure } from '../database.ts';
import { isNumberForm, recordedKind, type RecordRow } from '../existing/schema-record.ts';
import { readMade, readTables } from './catalog.ts';
import type { SqliteConnection } from './connection.ts';
import { typeOfKind } from './column-types.ts';

const schemaVersion: Statement = { sql: 'PRAGMA schema_version', parameters: [] };

/** No schema has this version. */
const never = -1;

/** What the columns of an Api hold, by their names as `keyOf` writes them. */
type Kinds = ReadonlyMap<string, RecordRow['kind']>;

/**
 * Keeps a server to the kinds of values that its columns held when it began. A migration for another specification may
 * change them meanwhile, and SQLite takes nearly anything in any column: 2.50 would be written with two places where the
 * others read three of them. `PRAGMA schema_version` tells of every such change, since it makes the table anew.
 */
export class ServedKinds {
  private begun: Kinds = new Map();
  private lookedAt = never;
  private failure: DatabaseFailure | undefined;

  /** From now on, what the columns of this Api hold is to stay. */
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
        // A worker that takes the place of another may come after the migration; what others have changed is as it is now.
        const type = tables.get(foldName(table))?.().columns.get(foldName(column))?.type;
        const isAsMade = isMade && kind !== '' && !isNumberForm(kind) && typeOfKind(kind) === type;
        return [[key, isAsMade ? own : kind]];
      }),
    );
    this.failure = undefined;
    this.lookedAt = never;
  }

  /**
   * Throws a DatabaseFailure where one of them has come to hold something else. To be asked within a transaction; `isOther`:
   * whether somebody may have written since this connection asked.
   */
  mustBeKept(connection: SqliteConnection, isOther: boolean): void {
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

/** As SQLite compares names. */
function keyOf(table: string, column: string): string {
  return foldName(`${table}.${column}`);
}

/** Of a decimal only its places decide how it is held. */
function isHeldAlike(before: RecordRow['kind'], now: RecordRow['kind']): boolean {
  return before === now || (placesOf(before) !== undefined && placesOf(before) === placesOf(now));
}

function placesOf(kind: RecordRow['kind']): number | undefined {
  return kind === '' || isNumberForm(kind) ? undefined : digitsOf(kind)?.scale;
}
