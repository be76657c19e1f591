import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSqlite } from '../execute/introspect/sqlite.ts';
import { unservedOrders } from '../execute/sqlite-collations.ts';
import { codeOf, onceFree } from '../execute/sqlite-errors.ts';
import { sqliteForms } from '../execute/sqlite-forms.ts';
import { inspectFile, isUpToDate, migrate } from '../execute/sqlite-schema.ts';
import { openSqlite, type SqliteDatabase, type SqliteOptions } from '../execute/sqlite.ts';
import { CommandFailure, fileReason } from './failure.ts';
import { makeFolderOf } from './own-folder.ts';
import type { NamedDatabase, OpenDatabase } from './target.ts';

/** A SQLite file by its path, absolute or from `folder`. `howToMake` is the command that makes it. */
export function sqliteFile(
  folder: string,
  name: string,
  howToMake: string,
  options: SqliteOptions,
): NamedDatabase {
  const path = resolve(folder, name);
  return {
    name,
    inspect: async (api, missing, migration) => {
      const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
      const isEmpty = !isThere && missing === 'empty';
      if (!isEmpty) prepare(path, name, howToMake, false);
      return onceFree(() => inspectFile(isEmpty ? ':memory:' : path, api, migration));
    },
    forms: async (api) => {
      if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return new Map();
      return onceFree(() => sqliteForms(path, api));
    },
    unservedOrders: async (api) => {
      if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
      return onceFree(() => unservedOrders(path, api));
    },
    introspect: async () => {
      prepare(path, name, howToMake, false);
      return onceFree(() => readSqlite(path));
    },
    open: async (create) => {
      prepare(path, name, howToMake, create);
      return opened(name, await onceFree(() => openOrBusy(path, options)));
    },
  };
}

/** A file in a private folder, gone at the end: a second connection could not see a database in memory. */
export const temporaryFile = (options: SqliteOptions): NamedDatabase => ({
  name: 'sqlite::memory:',
  inspect: async (api) => inspectFile(':memory:', api),
  forms: async () => new Map(),
  unservedOrders: async () => [],
  introspect: async () => readSqlite(':memory:'),
  open: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-'));
    const open = { ...openTemporary(join(folder, 'memory.db'), options), name: 'sqlite::memory:' };
    const close = async (): Promise<void> => {
      try {
        await open.close();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    };
    return { ...open, close };
  },
});

/** Opens a file that nobody needs afterwards. */
export function openTemporary(path: string, options: SqliteOptions = {}): OpenDatabase {
  return opened(path, openSqlite(path, 'temporary', options));
}

function opened(name: string, database: SqliteDatabase): OpenDatabase {
  const { schemaConnection } = database;
  return {
    name,
    database,
    hasSandboxes: true,
    // Looking takes no lock, so that it need not wait for one.
    isUpToDate: async (api) => onceFree(() => isUpToDate(schemaConnection, api)),
    migrate: (api, options) => database.changeSchema(() => migrate(schemaConnection, api, options)),
    // Its plans follow from the indexes alone.
    analyze: async () => undefined,
    close: () => database.close(),
  };
}

/** Opens a file; where another process has it locked, throws just that, so that it can be tried again. */
function openOrBusy(path: string, options: SqliteOptions): SqliteDatabase {
  try {
    return openSqlite(path, 'durable', options);
  } catch (error) {
    const { cause } = error as Error;
    throw codeOf(cause).startsWith('SQLITE_BUSY') ? cause : error;
  }
}

/** What SQLite would say less clearly. */
function prepare(path: string, name: string, howToMake: string, create: boolean): void {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true)
      throw new CommandFailure(`The database ${name} is a folder. Name a file in it.`);
    if (stat === undefined && !create)
      throw new CommandFailure(
        `There is no database ${name}. Make it with "${howToMake}", or name another.`,
      );
    if (stat === undefined) makeFolderOf(path);
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(
      `The database ${name} cannot be made: ${reason}. Name another with --database.`,
      { cause: error },
    );
  }
}
