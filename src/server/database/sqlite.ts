import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSqlite } from '../../introspection/sqlite/introspect.ts';
import { columnAdvice } from '../../databases/sqlite/advice.ts';
import { codeOf, onceFree } from '../../databases/sqlite/errors.ts';
import { mayWrite, toRead, type Readable } from '../../databases/sqlite/file.ts';
import { sqliteForms } from '../../databases/sqlite/stored-forms.ts';
import { inspectFile, isUpToDate, migrate, readUnproven } from '../../migrations/sqlite/schema.ts';
import {
  openSqlite,
  type Durability,
  type SqliteDatabase,
  type SqliteOptions,
} from '../../databases/sqlite/database.ts';
import { CommandFailure, fileReason } from '../failure.ts';
import { makeFolderOf } from '../files/own-folder.ts';
import type { NamedDatabase, OpenDatabase } from './target.ts';

/** A SQLite file by its path, absolute or from `folder`. `howToMake` is the command that creates it. */
export function sqliteFile(
  folder: string,
  name: string,
  howToMake: string,
  options: SqliteOptions,
): NamedDatabase {
  const path = resolve(folder, name);
  return {
    name,
    hasSchemas: false,
    inspect: async (api, missing, migration) => {
      const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
      const isEmpty = !isThere && missing === 'empty';
      if (!isEmpty) prepare(path, name, howToMake, false);
      if (isEmpty) return inspectFile(':memory:', api, migration);
      return reading(path, name, (file) => inspectFile(file, api, migration));
    },
    forms: async (api) => {
      if (!isFile(path)) return new Map();
      return reading(path, name, (file) => sqliteForms(file, api));
    },
    columnAdvice: async (api) => {
      if (!isFile(path)) return [];
      return reading(path, name, (file) => columnAdvice(file, api));
    },
    unprovenRules: async (api) => {
      if (!isFile(path)) return undefined;
      return reading(path, name, (file) => readUnproven(file, api));
    },
    introspect: async (isManaged) => {
      prepare(path, name, howToMake, false);
      return reading(path, name, (file) => readSqlite(file, isManaged));
    },
    open: async (access) => {
      prepare(path, name, howToMake, access === 'create');
      if (access !== 'read') {
        // SQLite would open the file, and fail at each write with this code.
        if (isFile(path) && !mayWrite(path))
          throw Object.assign(new Error('The file is read-only'), { code: 'SQLITE_READONLY' });
        return opened(name, await onceFree(() => openOrBusy(path, 'durable', options)));
      }
      const readable = readableFile(path, name);
      try {
        const open = await onceFree(() => openOrBusy(readable.path, 'read', options));
        return { ...opened(name, open), close: () => open.close().finally(readable.done) };
      } catch (error) {
        readable.done();
        throw error;
      }
    },
  };
}

/** A file in a private folder that is deleted at the end: a second connection could not see a database in memory. */
export const temporaryFile = (options: SqliteOptions): NamedDatabase => ({
  name: 'sqlite::memory:',
  hasSchemas: false,
  inspect: async (api) => inspectFile(':memory:', api),
  forms: async () => new Map(),
  columnAdvice: async () => [],
  unprovenRules: async () => undefined,
  introspect: async (isManaged) => readSqlite(':memory:', isManaged),
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

/** Opens a file that is not needed after this process. */
export function openTemporary(path: string, options: SqliteOptions = {}): OpenDatabase {
  return opened(path, openSqlite(path, 'temporary', options));
}

function opened(name: string, database: SqliteDatabase): OpenDatabase {
  const { schemaConnection } = database;
  return {
    name,
    database,
    hasSandboxes: true,
    warnings: [],
    // This takes no lock, so it need not wait for one.
    isUpToDate: async (api) => onceFree(() => isUpToDate(schemaConnection, api)),
    migrate: (api, options) => database.changeSchema(() => migrate(schemaConnection, api, options)),
    // SQLite plans by the indexes alone.
    analyze: async () => undefined,
    close: () => database.close(),
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Reads a file as soon as no other process has it locked. Works without write permission. */
async function reading<Value>(
  path: string,
  name: string,
  look: (file: string) => Value,
): Promise<Value> {
  const readable = readableFile(path, name);
  try {
    return await onceFree(() => look(readable.path));
  } finally {
    readable.done();
  }
}

function readableFile(path: string, name: string): Readable {
  try {
    return toRead(path);
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(
      `The database ${name} cannot be read: ${reason}. Check its path and the permissions of its file.`,
      { cause: error },
    );
  }
}

/** Opens a file. If another process has it locked, throws that error alone, so that the caller can retry. */
function openOrBusy(path: string, durability: Durability, options: SqliteOptions): SqliteDatabase {
  try {
    return openSqlite(path, durability, options);
  } catch (error) {
    const { cause } = error as Error;
    throw codeOf(cause).startsWith('SQLITE_BUSY') ? cause : error;
  }
}

/** Checks the path, since SQLite's own errors are less clear. */
function prepare(path: string, name: string, howToMake: string, create: boolean): void {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true)
      throw new CommandFailure(`The database ${name} is a folder. Name a file in it.`);
    if (stat === undefined && !create)
      throw new CommandFailure(
        `There is no database ${name}. Make it with "${howToMake}", or name another.`,
      );
    if (stat !== undefined) return;
    makeFolderOf(path);
    // SQLite would let everyone read it. The files beside it get the mode of this one.
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(
      `The database ${name} cannot be made: ${reason}. Name another with --database.`,
      { cause: error },
    );
  }
}
