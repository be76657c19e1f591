import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { runScript } from './child.ts';
import type { DataSet } from './data.ts';
import { cli, specifications, type Databases } from './servers.ts';

const events = `
  INSERT INTO events (id, at, kind, actor, amount, note)
  WITH RECURSIVE row(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM row WHERE id < ?)
  SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', 1577836800 + id, 'unixepoch'), 'opened', 'user' || id % 1000, id / 100.0,
    CASE WHEN id % 3 > 0 THEN 'a note with the number ' || id END
  FROM row`;

/** Makes SQLite files with Plinth's own commands from the data set, and a copy for the other server. */
export async function makeSqlite(folder: string, data: DataSet): Promise<Databases> {
  const plinth = join(folder, 'plinth.db');
  const handwritten = join(folder, 'handwritten.db');
  const url = `sqlite:${plinth}`;
  await migrate(specifications.blog, url);
  const begin = performance.now();
  await runScript([cli, 'import', data.folder, '--spec', specifications.blog, '--database', url]);
  const seconds = (performance.now() - begin) / 1_000;
  const version = await onFile(plinth, (database) =>
    database.prepare<[], string>('select sqlite_version()').pluck().get(),
  );
  await copyFile(plinth, handwritten);
  return {
    name: 'sqlite',
    title: `SQLite ${version}`,
    plinth,
    handwritten,
    importedPerSecond: data.rows / seconds,
    makeEvents: async (count) => {
      const file = join(folder, 'events.db');
      await migrate(specifications.events, `sqlite:${file}`);
      await onFile(file, (database) => database.prepare(events).run(count));
      return file;
    },
    stop: async () => {},
  };
}

function migrate(specification: string, url: string): Promise<void> {
  return runScript([cli, 'migrate', specification, '--database', url, '--apply']);
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
