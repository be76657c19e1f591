import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import postgresClient from 'postgres';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import type { SpecificationDraft } from '../../src/introspection/draft.ts';
import { readPostgres } from '../../src/introspection/postgres/introspect.ts';
import { draftOf, type DraftOptions } from '../../src/introspection/resources.ts';
import { readSqlite } from '../../src/introspection/sqlite/introspect.ts';
import { createDatabase } from './postgres.ts';
import { good, makeFolder } from './command.ts';

interface Introspected {
  readonly specification: {
    readonly resources: Readonly<
      Record<string, { readonly table?: string; readonly fields: Record<string, object> }>
    >;
  };
  readonly left: readonly string[];
}

/** A SQLite file of this SQL as a specification, which has to be one without errors. */
export async function fromSql(
  sql: string,
): Promise<Introspected & { readonly text: string; readonly cwd: string }> {
  const folder = makeFolder();
  const driver = new Driver(folder.at('old.db'));
  driver.exec(sql);
  driver.close();
  const { out } = await good(
    ['introspect', 'sqlite:old.db', '--managed', '--out', 'plinth.yaml', '--json'],
    folder.path,
  );
  await good(['check'], folder.path);
  const text = readFileSync(folder.at('plinth.yaml'), 'utf8');
  return { ...(JSON.parse(out) as Introspected), text, cwd: folder.path };
}

/** The draft for an unmanaged SQLite file of this SQL. */
export async function draftFromSqlite(
  sql: string,
  options?: DraftOptions,
): Promise<SpecificationDraft> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  try {
    const file = join(folder, 'old.db');
    new Driver(file).exec(sql).close();
    return draftOf(readSqlite(file), options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same of a PostgreSQL database. */
export async function draftFromPostgres(
  sql: string,
  options?: DraftOptions,
): Promise<SpecificationDraft> {
  const { url, drop } = await createDatabase();
  const client = postgresClient(url, { max: 1, onnotice: () => undefined });
  try {
    await client.unsafe(sql);
    const database = await openPostgres(url, { poolSize: 1 });
    try {
      return draftOf(await database.inspect((ask) => readPostgres(ask)), options);
    } finally {
      await database.close();
    }
  } finally {
    await client.end();
    await drop();
  }
}
