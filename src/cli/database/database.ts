import type { ColumnAdvice } from '../../databases/existing/actual-schema.ts';
import type { FoundDatabase } from '../../introspection/table.ts';
import type { MigrationOptions } from '../../migrations/steps.ts';
import type { Api } from '../../model/api.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import type { Context } from '../context.ts';
import { databaseKinds, kindOf } from './kinds.ts';
import { CommandFailure, databaseFailure } from '../failure.ts';
import { inForms, type ModelFile } from '../files/specification.ts';
import {
  isPath,
  withoutPassword,
  type DatabaseAccess,
  type NamedDatabase,
  type OpenDatabase,
  type Target,
} from './target.ts';

/** The database that a URL names; only its own driver is loaded. Fails for a URL of another kind. */
async function named(context: Context, target: Target): Promise<NamedDatabase> {
  const kind = kindOf(target.url);
  if (kind !== undefined) return databaseKinds[kind].reach(context, target);
  const { file, memory, postgres } = databaseKinds;
  const asFile = isPath(target.url) ? file.form.replace('PATH', () => target.url) : file.form;
  throw new CommandFailure(
    `The database ${withoutPassword(target.url)} is none that is known. Write ${asFile}, ${memory.form} or ${postgres.form}.`,
    { exitCode: 2 },
  );
}

/** Reads what tables a database has, of any maker. Changes nothing of it. */
export async function introspectDatabase(
  context: Context,
  target: Target,
): Promise<{ readonly name: string; readonly found: FoundDatabase }> {
  const { name, introspect } = await named(context, target);
  try {
    return { name, found: await introspect() };
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/**
 * A specification over this database: where it has values in a form of others that the file does not name, the Api reads
 * and writes them so. Fails where the file does not fit what is found, as by a default that such a column cannot hold.
 */
export async function asStored<File extends ModelFile>(
  context: Context,
  target: Target,
  specification: File,
): Promise<File> {
  const { name, forms } = await named(context, target);
  try {
    return inForms(specification, await forms(specification.api));
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/** Which fields the columns of an existing table do not serve well. Changes nothing of it. */
export async function columnAdvice(
  context: Context,
  target: Target,
  api: Api,
): Promise<readonly ColumnAdvice[]> {
  const { name, columnAdvice: find } = await named(context, target);
  try {
    return await find(api);
  } catch (error) {
    throw databaseFailure(error, name);
  }
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
  options?: MigrationOptions,
): Promise<Inspected> {
  const { name, inspect: look } = await named(context, target);
  try {
    return { name, steps: await look(api, missing, options) };
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/** Opens a database by its URL, whoever closes it; a file is made where it is missing. Fails as `withDatabase` does. */
export async function openDatabase(context: Context, target: Target): Promise<OpenDatabase> {
  const { name, open } = await named(context, target);
  try {
    return await open('create');
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/**
 * Opens a database by its URL, works with it and closes it. What the database
 * refuses becomes a failure that names it.
 */
export async function withDatabase<Value>(
  context: Context,
  target: Target,
  access: DatabaseAccess,
  work: (open: OpenDatabase) => Promise<Value>,
): Promise<Value> {
  const database = await named(context, target);
  let open: OpenDatabase | undefined;
  try {
    open = await database.open(access);
    const value = await work(open);
    await open.close();
    return value;
  } catch (error) {
    // What closing says is then no news.
    await open?.close().catch(() => undefined);
    throw databaseFailure(error, database.name);
  }
}
