import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import type { DataSet } from './data.ts';
import { importBlog, migrate, specifications, type Databases } from './servers.ts';

const events = `
  INSERT INTO events (id, at, kind, actor, amount, note)
  WITH RECURSIVE row(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM row WHERE id < ?)
  SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', 1577836800 + id, 'unixepoch'), 'opened', 'user' || id % 1000, id / 100.0,
    CASE WHEN id % 3 > 0 THEN 'a note with the number ' || id END
  FROM row`;

/** Makes SQLite files with Plinth's own commands from the data set, and a copy for the other server. */
export async function makeSqlite(folder: string, data: DataSet): Promise<Databases> {
  const file = join(folder, 'plinth.db');
  const handwritten = join(folder, 'handwritten.db');
  const plinth = `sqlite:${file}`;
  await migrate(specifications.blog, plinth);
  const importedPerSecond = await importBlog(plinth, data);
  const version = await onFile(file, (database) =>
    database.prepare<[], string>('select sqlite_version()').pluck().get(),
  );
  await copyFile(file, handwritten);
  return {
    name: 'sqlite',
    title: `SQLite ${version}`,
    plinth,
    handwritten,
    importedPerSecond,
    makeEvents: async (count) => {
      const file = join(folder, 'events.db');
      const url = `sqlite:${file}`;
      await migrate(specifications.events, url);
      await onFile(file, (database) => database.prepare(events).run(count));
      return url;
    },
    // SQLite keeps nothing of rows as they were.
    tidy: async () => {},
    stop: async () => {},
  };
}

/** Works on a file, then moves the write-ahead log into it, so that a copy of the file is whole. */
async function onFile<Value>(
  file: string,
  work: (database: Driver.Database) => Value,
): Promise<Value> {
  const database = new Driver(file);
  try {
    const value = work(database);
    database.pragma('wal_checkpoint(TRUNCATE)');
    return value;
  } finally {
    database.close();
  }
}
