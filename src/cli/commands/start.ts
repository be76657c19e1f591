import { matchingRules, anonymous, operations } from '../../model/access.ts';
import type { Api, Resource } from '../../model/api.ts';
import type { Context } from '../context.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { requireCurrent } from '../schema.ts';
import { readPort } from '../port.ts';
import { formatProblem, requireSpecification } from '../specification.ts';
import { databaseTarget } from '../target.ts';
import type { DevFlags } from './dev.ts';

/** `plinth start [file]`: serves a database that is named and up to date. */
export async function start(context: Context, flags: DevFlags): Promise<void> {
  context.stop();
  readPort(context, flags);
  const specification = requireSpecification(context, flags);
  const { api, name, warnings } = specification;
  for (const warning of warnings) context.output.note(formatProblem(warning));
  const writable = requireAccess(api, name);
  const target = databaseTarget(context, specification, flags.database);
  if (target === undefined)
    throw new CommandFailure(
      `"plinth start" needs a database by name. Add "database: sqlite:PATH" or "database: postgres://…" to ${name}, or give --database.`,
    );
  await requireCurrent(context, target, api);
  await withDatabase(context, target, { create: false }, async (open) => {
    if (writable.length > 0)
      context.output.note(
        `Warning: everyone may write ${writable.join(', ')}, since ${name} has no "auth" block.`,
      );
    const { serve } = await import('../serve.ts');
    await serve(context, specification, open, flags, 'start');
  });
}

/**
 * Without `auth`, an API is open to all: that has to be written out. Gives the resources that everyone may write.
 * Contract 3, Modes.
 */
function requireAccess({ settings, resources }: Api, name: string): readonly string[] {
  if (settings.auth !== undefined) return [];
  if (settings.access === undefined)
    throw new CommandFailure(
      `${name} says nothing of who may use it. Add "access: public" if everyone may, or an "auth" block.`,
    );
  const isOpen = ({ access }: Resource): boolean =>
    operations.some(
      (operation) => operation !== 'read' && matchingRules(access[operation], anonymous).length > 0,
    );
  return [...resources.values()].filter(isOpen).map((resource) => resource.name);
}
