import { uuidv7 } from '../../src/lib/uuid.ts';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import * as inPostgres from '../../src/migrations/postgres/schema.ts';
import type { MigrationOptions } from '../../src/migrations/steps.ts';
import * as inSqlite from '../../src/migrations/sqlite/schema.ts';
import { openSqlite, type SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import type { MigrationStep } from '../../src/sql/schema/schema.ts';
import { buildValid, fill, serve, type Records, type TestApi } from './api.ts';
import { endAfterFile } from './leftovers.ts';

/** One database that specifications follow each other on. */
export interface Side {
  readonly name: 'sqlite' | 'postgres';
  readonly plan: (text: string, options?: MigrationOptions) => Promise<readonly MigrationStep[]>;
  readonly apply: (text: string, options?: MigrationOptions) => Promise<readonly MigrationStep[]>;
  /** Serves what is there under a specification while `work` asks. */
  readonly served: <Value>(text: string, work: (api: TestApi) => Promise<Value>) => Promise<Value>;
  readonly write: (text: string, records: Records) => Promise<void>;
}

/**
 * Steps as lines: what is lost behind `-`, what stands in the way behind `!`. Those for the service's own tables are left
 * out.
 */
export function linesOf(steps: readonly MigrationStep[]): readonly string[] {
  return steps
    .map(({ summary, loses, obstacle }) =>
      obstacle === undefined
        ? `${summary}${loses === undefined ? '' : ` - ${loses.replace(/^loses /u, '')}`}`
        : `${summary} ! ${obstacle}`,
    )
    .filter((line) => !line.includes('_plinth_'));
}

function side(
  name: Side['name'],
  open: () => Promise<SqliteDatabase | PostgresDatabase>,
  plan: Side['plan'],
  apply: Side['apply'],
): Side {
  const served: Side['served'] = async (text, work) => {
    const failures: unknown[] = [];
    const now = (): Date => new Date('2026-01-02T03:04:05.678Z');
    // What PostgreSQL answers is compared with what SQLite does, which is held against the document.
    const options = { isCompared: name === 'postgres' };
    const draw = { now, uuid: uuidv7 };
    const api = await serve(buildValid(text), await open(), draw, failures, options);
    try {
      const value = await work(api);
      if (failures.length > 0) throw failures[0];
      return value;
    } finally {
      await api.stop();
    }
  };
  return {
    name,
    plan,
    apply,
    served,
    write: (text, records) => served(text, (api) => fill(api, records)),
  };
}

/** A SQLite file; it need not be there. */
export function sqliteSide(file: string): Side {
  const on = async <Value>(work: (database: SqliteDatabase) => Value): Promise<Awaited<Value>> => {
    const database = openSqlite(file, 'temporary');
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  return side(
    'sqlite',
    async () => openSqlite(file, 'temporary'),
    (text, options) =>
      on(({ schemaConnection }) =>
        inSqlite.planMigration(schemaConnection, buildValid(text), options),
      ),
    (text, options) =>
      on(({ schemaConnection }) => inSqlite.migrate(schemaConnection, buildValid(text), options)),
  );
}

/** Sessions in which migrations run one after the other: beginning one costs the server more than most migrations. */
const sessions = new Map<string, Promise<PostgresDatabase>>();

/** A PostgreSQL database. */
export function postgresSide(url: string): Side {
  const on = async <Value>(
    work: (database: PostgresDatabase) => Promise<Value>,
  ): Promise<Value> => {
    let session = sessions.get(url);
    if (session === undefined) {
      const begun = openPostgres(url, { poolSize: 2 });
      session = begun;
      sessions.set(url, begun);
      endAfterFile(async () => {
        sessions.delete(url);
        await (await begun).close();
      });
    }
    return work(await session);
  };
  return side(
    'postgres',
    () => openPostgres(url, { poolSize: 2 }),
    (text, options) =>
      on((database) => inPostgres.planMigration(database, buildValid(text), options)),
    (text, options) => on((database) => inPostgres.migrate(database, buildValid(text), options)),
  );
}
