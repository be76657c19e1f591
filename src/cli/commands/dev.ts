import { resolve } from 'node:path';
import { applyMigration, planMigration } from '../../execute/sqlite-schema.ts';
import type { Context } from '../context.ts';
import { databaseTarget, openDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { rowCounts, serve, type ServeFlags } from '../serve.ts';
import { formatProblem, requireSpecification } from '../specification.ts';
import { loadData } from './import.ts';

export interface DevFlags extends ServeFlags {
  readonly database?: string;
}

/** `plinth dev [file]`: a database beside the file, brought up to date and filled when empty, then served. */
export async function dev(
  context: Context,
  file: string | undefined,
  flags: DevFlags,
): Promise<void> {
  const specification = requireSpecification(context, file);
  const { api, folder, warnings } = specification;
  for (const warning of warnings) context.output.note(formatProblem(warning));
  const target = databaseTarget(context, specification, flags.database) ?? {
    url: 'sqlite:.plinth/dev.db',
    folder,
  };
  const open = openDatabase(target, { create: true });
  try {
    const driver = open.database.schemaConnection;
    const steps = planMigration(driver, api);
    if (steps.some(({ sql }) => sql === undefined))
      throw new CommandFailure(
        `The database ${open.name} no longer fits the specification. Delete it to start anew, or name another with --database.`,
        { details: steps.map(({ summary }) => `- ${summary}`) },
      );
    if (steps.length > 0) applyMigration(driver, steps);
    const { data } = api.settings;
    const counts = await rowCounts(api, open);
    const isEmpty = [...counts.values()].every((count) => count === 0);
    if (data !== undefined && isEmpty) await loadData(context, api, open, [resolve(folder, data)]);
  } catch (error) {
    await open.close();
    throw error;
  }
  await serve(context, api, open, flags);
}
