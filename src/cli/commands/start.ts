import { matchingRules, anonymous, operations } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import type { Context } from '../context.ts';
import { databaseTarget, openDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { requireCurrent } from '../schema.ts';
import { serve } from '../serve.ts';
import { formatProblem, requireSpecification } from '../specification.ts';
import type { DevFlags } from './dev.ts';

/** `plinth start [file]`: serves a database that is named and up to date. */
export async function start(
  context: Context,
  file: string | undefined,
  flags: DevFlags,
): Promise<void> {
  const specification = requireSpecification(context, file);
  const { api, name, warnings } = specification;
  for (const warning of warnings) context.output.note(formatProblem(warning));
  requireAccess(context, api, name);
  const target = databaseTarget(context, specification, flags.database);
  if (target === undefined)
    throw new CommandFailure(
      `"plinth start" needs a database by name. Add "database: sqlite:PATH" to ${name}, or give --database.`,
    );
  const open = openDatabase(target, { create: false });
  try {
    requireCurrent(open, api);
  } catch (error) {
    await open.close();
    throw error;
  }
  await serve(context, api, open, flags);
}

/** Without `auth`, an API is open to all: that has to be written out. Contract 3, Modes. */
function requireAccess({ output }: Context, { settings, resources }: Api, name: string): void {
  if (settings.auth !== undefined) return;
  if (settings.access === undefined)
    throw new CommandFailure(
      `${name} says nothing of who may use it. Add "access: public" if everyone may, or an "auth" block.`,
    );
  const open = [...resources.values()].flatMap((resource) =>
    operations
      .filter((operation) => operation !== 'read')
      .filter((operation) => matchingRules(resource.access[operation], anonymous).length > 0)
      .map(() => resource.name),
  );
  const writable = [...new Set(open)];
  if (writable.length > 0)
    output.note(
      `Warning: everyone may write ${writable.join(', ')}, since ${name} has no "auth" block.`,
    );
}
