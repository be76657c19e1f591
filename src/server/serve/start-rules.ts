import { accessOf, anonymous, matchingRules, operations } from '../../model/access.ts';
import type { Api, Resource } from '../../model/api.ts';
import { unboundTokens } from '../../model/build/auth.ts';
import type { Context } from '../context.ts';
import { withStoredForms } from '../database/database.ts';
import { databaseTarget, type Target } from '../database/target.ts';
import { CommandFailure } from '../failure.ts';
import type { SpecificationFile } from '../files/specification.ts';

/** A specification that `start` may serve, and its database. */
export interface Startable {
  readonly specification: SpecificationFile;
  readonly target: Target;
  /** The URL that the command line or the application gives. */
  readonly flag: string | undefined;
}

/** Fails if the specification does not say who may use it, or has no database. Reads the database, if there is one. */
export async function startable(
  context: Context,
  read: SpecificationFile,
  flag: string | undefined,
): Promise<Startable> {
  requireAccess(read);
  const target = requireTarget(context, read, flag);
  return { specification: await withStoredForms(context, target, read), target, flag };
}

function requireTarget(
  context: Context,
  specification: SpecificationFile,
  flag: string | undefined,
): Target {
  const target = databaseTarget(context, specification, flag);
  if (target === undefined)
    throw new CommandFailure(
      `"plinth start" needs a database by name. Add "database: sqlite:PATH" or "database: postgres://…" to ${specification.name}, or give --database.`,
    );
  return target;
}

/**
 * Without `auth`, `access` has to be written out for every operation of every resource. See docs/contract/6-operation.md#modes. With `auth`, public keys need an issuer and an audience: see
 * docs/contract/5-access.md#tokens, rule 10.
 */
export function requireAccess({ name, api }: SpecificationFile): void {
  const { settings } = api;
  const unbound = settings.auth?.jwt && unboundTokens(settings.auth.jwt);
  if (unbound !== undefined) throw new CommandFailure(`${name}, auth.jwt: ${unbound}.`);
  if (settings.auth !== undefined) return;
  const shared = accessOf(settings.access, ['access']);
  const unsaid = Object.entries(settings.resources).flatMap(([resource, { access }]) => {
    const own = accessOf(access, ['resources', resource, 'access']);
    const left = operations.filter(
      (operation) => (own[operation] ?? shared[operation]) === undefined,
    );
    return left.length === 0 ? [] : [`${left.join(', ')} of ${resource}`];
  });
  if (unsaid.length > 0)
    throw new CommandFailure(
      settings.access === undefined
        ? `${name} does not say who may use it. Add "access: public" if everyone may, or an "auth" block.`
        : `${name} does not say who may do this: ${unsaid.join('; ')}. Add it to "access" ("public" if everyone may), or add an "auth" block.`,
    );
}

/** The resources that everyone may write, without an `auth` block. */
export function writableByEveryone({ settings, resources }: Api): readonly string[] {
  if (settings.auth !== undefined) return [];
  const isOpen = ({ access }: Resource): boolean =>
    operations.some(
      (operation) => operation !== 'read' && matchingRules(access[operation], anonymous).length > 0,
    );
  return [...resources.values()].filter(isOpen).map((resource) => resource.name);
}
