import { applyMigration, planMigration } from '../../execute/sqlite-schema.ts';
import type { Context } from '../context.ts';
import { databaseTarget, openDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { requireSpecification } from '../specification.ts';

export interface MigrateFlags {
  readonly database?: string;
  readonly apply?: boolean;
  readonly json?: boolean;
}

/** `plinth migrate [file]`: shows what brings the database up to date, and does it with `--apply`. */
export async function migrate(
  context: Context,
  file: string | undefined,
  flags: MigrateFlags,
): Promise<void> {
  const specification = requireSpecification(context, file);
  const target = databaseTarget(context, specification, flags.database);
  if (target === undefined)
    throw new CommandFailure(
      'No database is named. Add "database: sqlite:PATH" to the file, or give --database.',
      { exitCode: 2 },
    );
  const { output } = context;
  const open = openDatabase(target, { create: flags.apply === true });
  try {
    const driver = open.database.schemaConnection;
    const steps = planMigration(driver, specification.api);
    const blocked = steps.filter(({ sql }) => sql === undefined);
    if (flags.json === true)
      output.print(JSON.stringify({ steps: steps.map(({ summary }) => summary) }, undefined, 2));
    else for (const { summary } of steps) output.print(`- ${summary}`);
    if (blocked.length > 0)
      throw new CommandFailure(
        'This version cannot make all of these changes to a table that exists; nothing was changed. Change the table by hand, or start with a new database.',
      );
    if (flags.apply === true && steps.length > 0) applyMigration(driver, steps);
    if (flags.json === true) return;
    if (steps.length === 0) output.print(`${open.name} is up to date.`);
    else if (flags.apply === true)
      output.print(`${open.name} is now up to date: ${steps.length} steps done.`);
    else output.print(`Run "plinth migrate --apply" to do these ${steps.length} steps.`);
  } finally {
    await open.close();
  }
}
