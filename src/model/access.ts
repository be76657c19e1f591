import type { AccessRule, AccessRules, JsonValue } from '../spec/specification.ts';

export type Operation = 'read' | 'create' | 'update' | 'delete';
export const operations: readonly Operation[] = ['read', 'create', 'update', 'delete'];

/** One alternative of an operation: who, and for which rows. */
export interface Rule {
  /** `public`, `authenticated`, `none` or the name of a role. */
  readonly role: string;
  /** Row rule as written: contract 2's filter language in storage names. */
  readonly where: string | undefined;
}

export type ResourceAccess = Readonly<Record<Operation, readonly Rule[]>>;
/** Absent operations are not narrowed. */
export type FieldAccess = Readonly<Partial<Record<Operation, readonly Rule[]>>>;

/** The caller as the rules see it. */
export interface Subject {
  readonly authenticated: boolean;
  readonly roles: ReadonlySet<string>;
}

/** Who asks, as its credential says. */
export interface Caller extends Subject {
  /** What `{user.<claim>}` in row rules is taken from. */
  readonly claims: Readonly<Record<string, JsonValue>>;
  /** The subject, or the name of the API key: how logs and quotas call it. */
  readonly name: string | undefined;
}

/** The caller that sends no credentials. */
export const anonymous: Caller = {
  authenticated: false,
  roles: new Set(),
  claims: {},
  name: undefined,
};

type ByOperation = Readonly<Partial<Record<Operation | 'write', AccessRules>>>;

function isByOperation(access: AccessRules | ByOperation): access is ByOperation {
  return (
    typeof access === 'object' &&
    !Array.isArray(access) &&
    !('role' in access) &&
    !('where' in access)
  );
}

function rulesOf(rules: AccessRules): readonly Rule[] {
  const list: readonly AccessRule[] = Array.isArray(rules) ? rules : [rules as AccessRule];
  return list.map((rule) =>
    typeof rule === 'string'
      ? { role: rule, where: undefined }
      : { role: rule.role ?? 'authenticated', where: rule.where },
  );
}

/** The rules of each operation that `access` names; `write` means create, update and delete. */
export function accessOf(access: AccessRules | ByOperation | undefined): FieldAccess {
  if (access === undefined) return {};
  if (!isByOperation(access)) {
    const rules = rulesOf(access);
    return { read: rules, create: rules, update: rules, delete: rules };
  }
  const result: Partial<Record<Operation, readonly Rule[]>> = {};
  for (const operation of operations) {
    const rules = access[operation] ?? (operation === 'read' ? undefined : access.write);
    if (rules !== undefined) result[operation] = rulesOf(rules);
  }
  return result;
}

/**
 * The rules among `rules` that speak of this subject. A rule with a `where` speaks of nobody until the planner adds
 * row rules: closed rather than too wide.
 */
export function matchingRules(rules: readonly Rule[], subject: Subject): readonly Rule[] {
  return rules.filter(({ role, where }) => {
    if (where !== undefined || role === 'none') return false;
    if (role === 'public') return true;
    return role === 'authenticated' ? subject.authenticated : subject.roles.has(role);
  });
}
