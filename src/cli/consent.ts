import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted } from '../model/values.ts';
import { rowCounts } from '../databases/tables.ts';
import type { Resource } from '../model/api.ts';
import { typedCommand, type Context } from '../server/context.ts';
import { databaseName } from '../server/database/database.ts';
import { databaseKindOf } from '../server/database/kinds.ts';
import { CommandFailure, fileReason } from '../server/failure.ts';
import { countLines, records } from '../server/output.ts';
import { databaseVariable, type OpenDatabase, type Target } from '../server/database/target.ts';

/**
 * Fails unless the user means this database: it is that of `dev`, or the command line names it, or the user says so on a
 * terminal. A variable of the environment or a line of the file may name a database with data of others. `command` is
 * the one that runs, with its arguments but the database. See
 * docs/contract/6-operation.md#databases-that-commands-change, rule 2.
 */
export async function requireNamed(
  context: Context,
  target: Target,
  command: string,
): Promise<void> {
  if (target.isOwn || target.source === 'flag') return;
  const name = await databaseName(context, target);
  const from = target.source === 'environment' ? databaseVariable : 'The specification';
  const [run = ''] = command.split(' ');
  const fact = `${from} names the database ${name}`;
  if (await context.output.confirm(`${fact}. Run ${run} on it?`)) return;
  throw new CommandFailure(
    `${fact}, and ${run} changes such a database only if the command line names it: "${typedCommand(context, `${command} ${target.flag}`)}".`,
    { exitCode: 2 },
  );
}

/** Deletes the files of the development database. Fails for any other database. */
export async function deleteOwn(context: Context, target: Target): Promise<void> {
  const { url, folder, isOwn } = target;
  if (!isOwn)
    throw new CommandFailure(
      `Nothing was deleted: --reset deletes only the database of dev, not ${await databaseName(context, target)}. Leave out --reset, or run "${typedCommand(context, `generate ${target.again} --reset`)}" to replace its records.`,
      { exitCode: 2 },
    );
  if (databaseKindOf(url) === 'memory') return;
  const path = resolve(folder, url.slice('sqlite:'.length));
  try {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(`The database ${path} cannot be deleted: ${reason}.`, {
      cause: error,
    });
  }
}

/**
 * Prints how many records of which resources are going to be deleted. Fails unless `isAgreed` or the user agrees on a
 * terminal; the database of `dev` needs neither. See
 * docs/contract/6-operation.md#databases-that-commands-change, rule 3.
 */
export async function requireDeleting(
  context: Context,
  target: Target,
  { name, database }: OpenDatabase,
  resources: ReadonlySet<Resource>,
  isAgreed: boolean,
): Promise<void> {
  if (target.isOwn) return;
  const counts = await rowCounts(resources, database, Number.MAX_SAFE_INTEGER);
  const full = [...resources].flatMap(({ name: resource, table }) => {
    const count = counts.get(resource) ?? 0;
    const shown = resource === table ? resource : `${resource} (table ${table})`;
    return count === 0 ? [] : [[shown, count] as const];
  });
  const total = full.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return;
  const { output } = context;
  const where = `${records(total)} of ${counted(full.length, 'table')} of ${name}`;
  output.note(`--reset deletes ${where}:`);
  for (const line of countLines(full)) output.note(line);
  if (isAgreed || (await output.confirm(`Delete these records of ${name}?`))) return;
  throw new CommandFailure(`Nothing was deleted. Give --delete-all as well to delete ${where}.`, {
    exitCode: 2,
  });
}
