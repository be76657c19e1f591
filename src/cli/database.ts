import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { codeOf, onceFree } from '../execute/sqlite-errors.ts';
import { inspectFile } from '../execute/sqlite-schema.ts';
import { openSqlite, type SqliteDatabase } from '../execute/sqlite.ts';
import type { Api } from '../model/api.ts';
import type { MigrationStep } from '../sql/schema.ts';
import { CommandFailure, databaseFailure, fileReason } from './failure.ts';
import { typed, type Context } from './context.ts';
import type { SpecificationFile } from './specification.ts';

/** A database that a command has opened. */
export interface OpenDatabase {
  readonly database: SqliteDatabase;
  /** As messages name it. */
  readonly name: string;
}

/** Where a database is. */
export interface Target {
  readonly url: string;
  /** Relative paths start here. */
  readonly folder: string;
  /** The arguments that name the specification and this database again. */
  readonly again: string;
  /** Whether it is the one that `dev` makes for itself. */
  readonly isOwn: boolean;
}

/** Which database a command means: the flag, the environment, then the file. */
export function databaseTarget(
  context: Context,
  { name, api, folder }: SpecificationFile,
  flag: string | undefined,
): Target | undefined {
  if (flag !== undefined && flag !== '')
    return { url: flag, folder: context.folder, again: `${name} --database ${flag}`, isOwn: false };
  const variable = context.environment['PLINTH_DATABASE_URL'];
  if (variable !== undefined && variable !== '')
    return { url: variable, folder: context.folder, again: name, isOwn: false };
  const url = api.settings.database?.url;
  return url === undefined ? undefined : { url, folder, again: name, isOwn: false };
}

/** The database of `dev` where none is named. */
export function developmentTarget(context: Context, { name, folder }: SpecificationFile): Target {
  const url = 'sqlite:.plinth/dev.db';
  const seen = relative(context.folder, resolve(folder, '.plinth/dev.db'));
  return { url, folder, again: `${name} --database sqlite:${seen}`, isOwn: true };
}

/** The command that brings a database up to date. */
export function migrateCommand(context: Context, { again }: Target): string {
  return typed(context, `migrate ${again} --apply`);
}

/** The path that a URL names; `:memory:` for a temporary one. Fails for a URL of another kind. */
function pathOf({ url, folder }: Pick<Target, 'url' | 'folder'>): { path: string; name: string } {
  if (/^postgres(?:ql)?:/u.test(url))
    throw new CommandFailure(
      'This version of Plinth serves SQLite only; name a sqlite:PATH database.',
    );
  const [, path] = /^sqlite:(?!\/\/[^/])(.+)$/u.exec(url) ?? [];
  if (path === undefined)
    throw new CommandFailure(
      `The database ${url.replace(/\/\/[^/@]*@/u, '//…@')} is none that is known. Write sqlite:PATH or sqlite::memory:.`,
      { exitCode: 2 },
    );
  return { path: path === ':memory:' ? path : resolve(folder, path), name: path };
}

/** A database as it stands, and what would bring it up to date. */
export interface Inspected {
  readonly name: string;
  readonly steps: readonly MigrationStep[];
}

/**
 * Looks at a database without changing or making anything. One that is not there counts as empty where `missing`
 * says so; else it is a failure.
 */
export async function inspect(
  context: Context,
  target: Target,
  api: Api,
  missing: 'empty' | 'failure',
): Promise<Inspected> {
  const { path, name } = pathOf(target);
  const isThere = path !== ':memory:' && statSync(path, { throwIfNoEntry: false }) !== undefined;
  const isEmpty = path === ':memory:' || (!isThere && missing === 'empty');
  if (!isEmpty) prepare(context, target, path, name, false);
  try {
    return { name, steps: await onceFree(() => inspectFile(isEmpty ? ':memory:' : path, api)) };
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/**
 * Opens a database by its URL, works with it and closes it. A file is made only with `create`. What the database
 * refuses becomes a failure that names it.
 */
export async function withDatabase<Value>(
  context: Context,
  target: Target,
  { create }: { readonly create: boolean },
  work: (open: OpenDatabase) => Promise<Value>,
): Promise<Value> {
  const { path, name } = pathOf(target);
  if (path === ':memory:') return withTemporary(work);
  prepare(context, target, path, name, create);
  let database: SqliteDatabase | undefined;
  try {
    database = await onceFree(() => openOrBusy(path));
    const value = await work({ database, name });
    await database.close();
    return value;
  } catch (error) {
    // What closing says is then no news.
    await database?.close().catch(() => undefined);
    throw databaseFailure(error, name);
  }
}

/** Opens a file; where another process has it locked, throws just that, so that it can be tried again. */
function openOrBusy(path: string): SqliteDatabase {
  try {
    return openSqlite(path);
  } catch (error) {
    const { cause } = error as Error;
    throw codeOf(cause).startsWith('SQLITE_BUSY') ? cause : error;
  }
}

/** A file in a private folder, gone at the end: a second connection could not see a database in memory. */
async function withTemporary<Value>(work: (open: OpenDatabase) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-'));
  const database = openSqlite(join(folder, 'memory.db'), 'temporary');
  try {
    return await work({ database, name: 'sqlite::memory:' });
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What SQLite would say less clearly. */
function prepare(
  context: Context,
  target: Target,
  path: string,
  name: string,
  create: boolean,
): void {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true)
      throw new CommandFailure(`The database ${name} is a folder. Name a file in it.`);
    if (stat === undefined && !create)
      throw new CommandFailure(
        `There is no database ${name}. Make it with "${migrateCommand(context, target)}", or name another.`,
      );
    if (stat === undefined) mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(
      `The database ${name} cannot be made: ${reason}. Name another with --database.`,
      { cause: error },
    );
  }
}
