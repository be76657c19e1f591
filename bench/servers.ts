import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { runScript, startServer, type Server } from './child.ts';
import type { DataSet } from './data.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'src/cli/main.ts');
const blog = join(root, 'bench/blog.yaml');
const handwritten = join(root, 'bench/handwritten.ts');
const chinook = join(root, 'examples/chinook/plinth.yaml');

/** The two databases, equal at the start, and how the data came in. */
export type Databases = {
  readonly plinth: string;
  readonly handwritten: string;
  readonly importedPerSecond: number;
  readonly sqlite: string;
};

/** Makes a database with Plinth's own commands from the data set, and a copy for the other server. */
export async function makeDatabases(folder: string, data: DataSet): Promise<Databases> {
  const plinth = join(folder, 'plinth.db');
  const copy = join(folder, 'handwritten.db');
  await runScript([cli, 'migrate', blog, '--database', `sqlite:${plinth}`, '--apply']);
  const begin = performance.now();
  await runScript([cli, 'import', data.folder, '--spec', blog, '--database', `sqlite:${plinth}`]);
  const seconds = (performance.now() - begin) / 1_000;
  const sqlite = settle(plinth);
  await copyFile(plinth, copy);
  return { plinth, handwritten: copy, importedPerSecond: data.rows / seconds, sqlite };
}

/** Starts Plinth on a database of the blog. */
export function startPlinth(file: string): Promise<Server> {
  return startServer('Plinth', (port) => [
    cli,
    'start',
    blog,
    '--database',
    `sqlite:${file}`,
    '--port',
    String(port),
  ]);
}

/** Starts the hand-written server on a database of the blog. */
export function startHandwritten(file: string): Promise<Server> {
  return startServer('hand-written', (port) => [handwritten, file, String(port)]);
}

/** Starts `plinth dev` on the Chinook example; a database that is not there is made and filled. */
export function startChinook(file: string): Promise<Server> {
  return startServer('Plinth (Chinook)', (port) => [
    cli,
    'dev',
    chinook,
    '--database',
    `sqlite:${file}`,
    '--port',
    String(port),
  ]);
}

/** Moves the write-ahead log into the file, so that a copy of the file is whole; gives SQLite's version. */
function settle(file: string): string {
  const database = new Database(file);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const version = database.prepare<[], string>('select sqlite_version()').pluck().get();
  database.close();
  return version ?? '';
}
