import { accessOf, anonymous, matchingRules, operations } from '../../model/access.ts';
import type { Resource } from '../../model/api.ts';
import { unboundTokens } from '../../model/build/auth.ts';
import type { Context } from '../context.ts';
import { databaseTarget, type Target } from '../database/target.ts';
import { CommandFailure } from '../failure.ts';
import type { SpecificationFile } from '../files/specification.ts';

/** The database of `start`. */
export function requireTarget(
  context: Context,
  flags: { readonly database?: string | undefined },
  specification: SpecificationFile,
): Target {
  const target = databaseTarget(context, specification, flags.database);
  if (target === undefined)
    throw new CommandFailure(
      `"plinth start" needs a database by name. Add "database: sqlite:PATH" or "database: postgres://…" to ${specification.name}, or give --database.`,
    );
  return target;
}

/**
 * Without `auth`, `access` has to be written out for every operation of every resource. Returns the resources that
 * everyone may write. See docs/contract/6-operation.md#modes. With `auth`, public keys need an issuer and an audience: see
 * docs/contract/5-access.md#tokens, rule 10.
 */
export function requireAccess({ name, api }: SpecificationFile): readonly string[] {
  const { settings, resources } = api;
  const unbound = settings.auth?.jwt && unboundTokens(settings.auth.jwt);
  if (unbound !== undefined) throw new CommandFailure(`${name}, auth.jwt: ${unbound}.`);
  if (settings.auth !== undefined) return [];
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
  const isOpen = ({ access }: Resource): boolean =>
    operations.some(
      (operation) => operation !== 'read' && matchingRules(access[operation], anonymous).length > 0,
    );
  return [...resources.values()].filter(isOpen).map((resource) => resource.name);
}
