import type { ColumnAdvice } from '../../databases/existing/actual-schema.ts';
import type { FoundDatabase } from '../../introspection/table.ts';
import type { MigrationOptions } from '../../migrations/steps.ts';
import type { Api } from '../../model/api.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import type { Context } from '../context.ts';
import { storedProblems, type StoredProblem } from '../../transfer/stored-problems.ts';
import { databaseKinds, databaseKindOf } from './kinds.ts';
import { CommandFailure, databaseFailure } from '../failure.ts';
import { applyForms, type ModelFile } from '../files/specification.ts';
import {
  isPath,
  withoutPassword,
  type DatabaseAccess,
  type NamedDatabase,
  type OpenDatabase,
  type Target,
} from './target.ts';

/** The database of a URL. Loads only the driver that it needs. Fails for an unknown kind of URL. */
async function named(context: Context, target: Target): Promise<NamedDatabase> {
  const kind = databaseKindOf(target.url);
  if (kind !== undefined) return databaseKinds[kind].reach(context, target);
  const { file, memory, postgres } = databaseKinds;
  const asFile = isPath(target.url) ? file.form.replace('PATH', () => target.url) : file.form;
  throw new CommandFailure(
    `The database ${withoutPassword(target.url)} has an unknown kind of URL. Write ${asFile}, ${memory.form} or ${postgres.form}.`,
    { exitCode: 2 },
  );
}

/** A database as messages name it. */
export async function databaseName(context: Context, target: Target): Promise<string> {
  return (await named(context, target)).name;
}

/** Reads the tables of a database, whatever has created them. Changes nothing. */
export async function introspectDatabase(
  context: Context,
  target: Target,
  isManaged: boolean,
  schemas?: readonly string[],
): Promise<{ readonly name: string; readonly found: FoundDatabase }> {
  const { name, introspect } = await named(context, target);
  try {
    return { name, found: await introspect(isManaged, schemas) };
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/**
 * A specification for this database. If an existing column has values in another stored form than Plinth's own, the Api
 * reads and writes that form. Fails if the specification does not fit, such as a default that the column cannot hold.
 */
export async function withStoredForms<File extends ModelFile>(
  context: Context,
  target: Target,
  specification: File,
): Promise<File> {
  const { name, forms, hasSchemas } = await named(context, target);
  try {
    return applyForms(specification, { forms: await forms(specification.api), hasSchemas });
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/** The fields that columns of existing tables do not serve well. Changes nothing. */
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

/** How long one table is read for values that break rules, in milliseconds: there may be many tables of any length. */
const longestCount = 30_000;

/**
 * The stored values that break rules which nothing has proven yet: those that are new since the last migration, and those of
 * unmanaged tables. Changes nothing. See docs/contract/6-operation.md#stored-values-and-rules.
 */
export async function invalidValues(
  context: Context,
  target: Target,
  api: Api,
): Promise<readonly StoredProblem[]> {
  const { name, unprovenRules } = await named(context, target);
  try {
    const only = await unprovenRules(api);
    if (only === undefined || (only.fields.size === 0 && only.keys.size === 0)) return [];
    return await withDatabase(context, target, 'read', ({ database }) =>
      storedProblems(api, database, { only, longest: longestCount }),
    );
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/** A database, and the steps that would bring it up to date. */
export interface Inspected {
  readonly name: string;
  readonly steps: readonly MigrationStep[];
}

/**
 * Finds the steps that a database needs, without changing or creating anything. `missing` says whether a database that
 * does not exist counts as empty or is a failure.
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

/** Opens a database by its URL. The caller closes it. Fails as `withDatabase` does. */
export async function openDatabase(
  context: Context,
  target: Target,
  access: DatabaseAccess,
): Promise<OpenDatabase> {
  const { name, open } = await named(context, target);
  try {
    return await open(access);
  } catch (error) {
    throw databaseFailure(error, name);
  }
}

/**
 * Opens a database by its URL, runs `work` and closes it. Errors of the database become a `CommandFailure` that names
 * it.
 */
export async function withDatabase<Value>(
  context: Context,
  target: Target,
  access: DatabaseAccess,
  work: (open: OpenDatabase) => Promise<Value>,
): Promise<Value> {
  const open = await openDatabase(context, target, access);
  return closingOnFailure(open, async () => {
    const value = await work(open);
    await open.close();
    return value;
  });
}

/**
 * Runs work on what is open, and closes that if the work fails. Errors of the database become a `CommandFailure` that names
 * it.
 */
export async function closingOnFailure<Value>(
  { name, close }: Pick<OpenDatabase, 'name' | 'close'>,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    // The first error counts.
    await close().catch(() => undefined);
    throw databaseFailure(error, name);
  }
}
