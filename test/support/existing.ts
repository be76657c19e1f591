import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import postgresClient from 'postgres';
import { postgresForms } from '../../src/databases/postgres/stored-forms.ts';
import { migrate as migratePostgres } from '../../src/migrations/postgres/schema.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { sqliteForms } from '../../src/databases/sqlite/stored-forms.ts';
import { migrate as migrateSqlite } from '../../src/migrations/sqlite/schema.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import type { Api } from '../../src/model/api.ts';
import { buildApi } from '../../src/model/build/api.ts';
import type { FoundForms } from '../../src/model/field-types/stored-as.ts';
import type { SqlValue } from '../../src/model/values.ts';
import type { MigrationStep } from '../../src/sql/schema/schema.ts';
import { buildValid, serve, type TestApi } from './api.ts';
import { createDatabase } from './postgres.ts';

/** A database whose tables others have made, and what is served from it. */
export interface Existing {
  readonly url: string;
  readonly forms: FoundForms;
  /** What a migration has done, or would have to do. */
  readonly steps: readonly MigrationStep[];
  /** What the next migration finds to do, of the same file or another one. */
  readonly next: (specification?: string) => Promise<readonly MigrationStep[]>;
  readonly api: TestApi;
  /** Asks the database itself. */
  readonly ask: (sql: string) => Promise<readonly (readonly SqlValue[])[]>;
  readonly stop: () => Promise<void>;
}

const now = (): Date => new Date('2026-11-21T10:00:00.789Z');

/** The Api in the forms that were found; it has to go with them. */
export function inForms(api: Api, forms: FoundForms): Api {
  const problems: string[] = [];
  const built = buildApi(api.settings, (_, message) => problems.push(message), { forms });
  if (built === undefined) throw new Error(problems.join('\n'));
  return built;
}

/** Makes tables by SQL in a SQLite file, and serves a specification over them. */
export async function existingSqlite(specification: string, sql: string): Promise<Existing> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const file = join(folder, 'old.db');
  const driver = new Driver(file);
  driver.exec(sql);
  const api = buildValid(specification);
  const forms = sqliteForms(file, api);
  const model = inForms(api, forms);
  const database = openSqlite(file, 'temporary');
  const steps = await migrateSqlite(database.schemaConnection, model);
  const served = await serve(model, database, { now, uuid: uuidv7 }, []);
  return {
    url: `sqlite:${file}`,
    forms,
    steps,
    next: (text = specification) => {
      const wanted = buildValid(text);
      return migrateSqlite(database.schemaConnection, inForms(wanted, sqliteForms(file, wanted)));
    },
    api: served,
    ask: async (text) => {
      const statement = driver.prepare<[], SqlValue[]>(text);
      if (statement.reader) return statement.raw().all();
      statement.run();
      return [];
    },
    stop: async () => {
      await served.stop();
      driver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same on PostgreSQL. */
export async function existingPostgres(specification: string, sql: string): Promise<Existing> {
  const test = await createDatabase();
  const client = postgresClient(test.url, { max: 1, onnotice: () => undefined });
  await client.unsafe(sql);
  const api = buildValid(specification);
  const database = await openPostgres(test.url, { poolSize: 4 });
  const forms = await database.inspect((ask) => postgresForms(ask, api));
  const model = inForms(api, forms);
  const steps = await migratePostgres(database, model);
  const served = await serve(model, database, { now, uuid: uuidv7 }, [], { isCompared: true });
  return {
    url: test.url,
    forms,
    steps,
    next: async (text = specification) => {
      const wanted = buildValid(text);
      const found = await database.inspect((ask) => postgresForms(ask, wanted));
      return migratePostgres(database, inForms(wanted, found));
    },
    api: served,
    ask: (text) => client.unsafe(text).values(),
    stop: async () => {
      await served.stop();
      await client.end();
      await test.drop();
    },
  };
}
