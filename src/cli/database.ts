import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseFailure } from '../execute/database.ts';
import { openSqlite, type SqliteDatabase } from '../execute/sqlite.ts';
import { CommandFailure } from './failure.ts';
import type { Context } from './context.ts';
import type { SpecificationFile } from './specification.ts';

/** A database that a command has opened, and how to let it go. */
export interface OpenDatabase {
  readonly database: SqliteDatabase;
  /** As messages name it. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

interface Target {
  readonly url: string;
  /** Relative paths start here. */
  readonly folder: string;
}

/** Which database a command means: the flag, the environment, then the file. */
export function databaseTarget(
  context: Context,
  { api, folder }: SpecificationFile,
  flag: string | undefined,
): Target | undefined {
  const typed = flag ?? context.environment['PLINTH_DATABASE_URL'];
  if (typed !== undefined && typed !== '') return { url: typed, folder: context.folder };
  const url = api.settings.database?.url;
  return url === undefined ? undefined : { url, folder };
}

/** Opens a database by its URL. A file is made only with `create`. */
export function openDatabase(
  { url, folder }: Target,
  { create }: { create: boolean },
): OpenDatabase {
  if (/^postgres(?:ql)?:/u.test(url))
    throw new CommandFailure(
      'This version of Plinth serves SQLite only; name a sqlite:PATH database.',
    );
  const [, path] = /^sqlite:(.+)$/u.exec(url) ?? [];
  if (path === undefined)
    throw new CommandFailure(
      `The database ${url} is none that is known. Write sqlite:PATH or sqlite::memory:.`,
      { exitCode: 2 },
    );
  return path === ':memory:' ? openTemporary() : openFile(resolve(folder, path), path, create);
}

/** A file in a private folder, gone at the end: a second connection could not see a database in memory. */
function openTemporary(): OpenDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-'));
  const database = openSqlite(join(folder, 'memory.db'), 'temporary');
  return {
    database,
    name: 'sqlite::memory:',
    close: async () => {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openFile(file: string, name: string, create: boolean): OpenDatabase {
  try {
    if (create) mkdirSync(dirname(file), { recursive: true });
    const database = openSqlite(file);
    return { database, name, close: () => database.close() };
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
    throw new CommandFailure(error.message.replace(file, name), { cause: error });
  }
}
