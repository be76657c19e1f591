import { hash } from 'node:crypto';
import { ExactNumber, plainText } from '../model/exact-number.ts';
import { claimOf, type Caller, type Claims } from '../model/access.ts';
import { reservedRoles } from '../specification/reserved.ts';

/** Longer subjects are identified by their hash, so that caches stay small. */
const longestName = 100;

/** The caller of an API key of the file. */
export function callerOfKey(key: {
  readonly name: string;
  readonly roles?: readonly string[];
  readonly sub?: string;
  readonly claims?: Claims;
}): Caller {
  const { name, roles = [], sub } = key;
  const claims = sub === undefined ? (key.claims ?? {}) : { ...key.claims, sub };
  return { authenticated: true, roles: new Set(roles), claims, name, id: `key:${name}` };
}

/** The claim that roles are taken from, where the file names none. */
export const defaultRolesClaim = 'roles';

/** The caller of a token; `rolesClaim` as in `rolesIn`. */
export function callerOfToken(claims: Claims, rolesClaim: string): Caller {
  const { sub } = claims;
  const isNamed =
    typeof sub === 'number' ||
    sub instanceof ExactNumber ||
    (typeof sub === 'string' && sub !== '');
  const name = isNamed ? plainText(sub) : undefined;
  const id = name !== undefined && name.length > longestName ? hash('sha256', name) : name;
  return {
    authenticated: true,
    roles: rolesIn(claims, rolesClaim),
    claims,
    name,
    id: id === undefined ? undefined : `sub:${id}`,
  };
}

/** Who asks, in tests: what its token would say. */
export interface GivenCaller {
  readonly sub?: string;
  readonly roles?: readonly string[];
  readonly claims?: Claims;
}

/** A caller as its token would make it. */
export function callerGiven(
  { sub, roles, claims = {} }: GivenCaller,
  rolesClaim = defaultRolesClaim,
): Caller {
  const all = {
    ...claims,
    ...(sub === undefined ? {} : { sub }),
    ...(roles === undefined ? {} : { [rolesClaim]: roles }),
  };
  return callerOfToken(all, rolesClaim);
}

/** Claims that differ in every token of the same caller. */
const fleeting: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'jti']);

/** Identifies a caller in caches of responses: by id, or without one by all claims of its token. */
export function scopeOf({ authenticated, id, claims }: Caller): string {
  if (!authenticated || id !== undefined) return JSON.stringify([authenticated, id]);
  const said = Object.entries(claims).filter(([name]) => !fleeting.has(name));
  return JSON.stringify(said.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const reserved: ReadonlySet<string> = new Set(reservedRoles);

/**
 * The roles that a claim gives: a list of them, or one alone. `path` names the claim as `claimOf` takes it. A
 * reserved role cannot be claimed, and what is not text is no role. See docs/contract/5-access.md#rules, rule 5.
 */
function rolesIn(claims: Claims, path: string): ReadonlySet<string> {
  const value = claimOf(claims, path);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return new Set(
    list.filter((role): role is string => typeof role === 'string' && !reserved.has(role)),
  );
}
