import { apiError, needsCredentials, type ApiError } from '../errors.ts';
import type { ExactNumber } from './exact-number.ts';
import { isJsonObject } from './values.ts';
import type {
  AccessRule,
  AccessRules,
  JsonValue,
  Specification,
} from '../specification/specification.ts';

/** What access rules speak of. Lists and single reads are `read`, PUT and PATCH `update`. */
export type Operation = 'read' | 'create' | 'update' | 'delete';
export type WriteOperation = Exclude<Operation, 'read'>;
export const writeOperations: readonly WriteOperation[] = ['create', 'update', 'delete'];
export const operations: readonly Operation[] = ['read', ...writeOperations];

/** One alternative of an operation: who, and for which rows. */
export interface Rule {
  /** `public`, `authenticated`, `none` or the name of a role. */
  readonly role: string;
  /** Row rule as written: a filter in storage names. See docs/contract/5-access.md#row-rules, rule 1. */
  readonly where: string | undefined;
  /** Where `where` stands in the file, for problems. */
  readonly path: Path;
}

type Path = readonly (string | number)[];

/** The rules of each operation on a resource. */
export type ResourceAccess = Readonly<Record<Operation, readonly Rule[]>>;
/** Absent operations are not narrowed. */
export type FieldAccess = Readonly<Partial<Record<Operation, readonly Rule[]>>>;

/** The caller as the rules see it. */
export interface Subject {
  readonly authenticated: boolean;
  readonly roles: ReadonlySet<string>;
  readonly claims?: Claims;
  /** The owner of the data, for whom no rule holds: own code that asks for these rights. */
  readonly isOwner?: true;
}

/** What a credential says of its owner. */
export type Claims = Readonly<Record<string, ClaimValue>>;

/** JSON in which numbers keep all their digits: two numbers with one double are two callers. */
export type ClaimValue =
  | JsonValue
  | ExactNumber
  | readonly ClaimValue[]
  | { readonly [member: string]: ClaimValue };

/** Who asks, as its credential says. */
export interface Caller extends Subject {
  /** What `{user.<claim>}` in row rules is taken from. */
  readonly claims: Claims;
  /** The subject, or the name of the API key: how logs and quotas call it. */
  readonly name: string | undefined;
  /** What tells it from all other callers, of whichever kind; undefined where its credential names nobody. */
  readonly id: string | undefined;
}

/** The caller that sends no credentials. */
export const anonymous: Caller = {
  authenticated: false,
  roles: new Set(),
  claims: {},
  name: undefined,
  id: undefined,
};

/** Own code that acts for the owner of the data. See docs/contract/10-own-code.md#context, rule 5. */
export const owner: Caller = {
  authenticated: true,
  roles: new Set(),
  claims: {},
  name: 'owner',
  id: 'owner',
  isOwner: true,
};

/** Allows the owner everything. */
const ownerRules: readonly Rule[] = [{ role: 'public', where: undefined, path: [] }];

type ByOperation = Readonly<Partial<Record<Operation | 'write', AccessRules>>>;

function isByOperation(access: AccessRules | ByOperation): access is ByOperation {
  return (
    typeof access === 'object' &&
    !Array.isArray(access) &&
    !('role' in access) &&
    !('where' in access)
  );
}

function rulesOf(rules: AccessRules, path: Path): readonly Rule[] {
  const isList = Array.isArray(rules);
  const list: readonly AccessRule[] = isList ? rules : [rules as AccessRule];
  return list.map((rule, index) => {
    const own = isList ? [...path, index] : path;
    return typeof rule === 'string'
      ? { role: rule, where: undefined, path: own }
      : {
          role: rule.role ?? 'authenticated',
          where: rule.where,
          path: rule.where === undefined ? own : [...own, 'where'],
        };
  });
}

/** The rules of a field: without rules of their own, writes have those of reads. See docs/contract/5-access.md#field-rules, rule 1. */
export function fieldAccessOf(
  access: AccessRules | ByOperation | undefined,
  path: Path = [],
): FieldAccess {
  const { read, ...written } = accessOf(access, path);
  return read === undefined ? written : { read, create: read, update: read, ...written };
}

/** The rules of each operation that `access`, which stands at `path`, names; `write` means create, update and delete. */
export function accessOf(
  access: AccessRules | ByOperation | undefined,
  path: Path = [],
): FieldAccess {
  if (access === undefined) return {};
  if (!isByOperation(access)) {
    const rules = rulesOf(access, path);
    return { read: rules, create: rules, update: rules, delete: rules };
  }
  const result: Partial<Record<Operation, readonly Rule[]>> = {};
  for (const operation of operations) {
    const isOwn: boolean = operation === 'read' || access[operation] !== undefined;
    const key: Operation | 'write' = isOwn ? operation : 'write';
    const rules: AccessRules | undefined = access[key];
    if (rules !== undefined) result[operation] = rulesOf(rules, [...path, key]);
  }
  return result;
}

/** Whether somebody may do this, if not with every row. */
export function isForSomebody(rules: readonly Rule[]): boolean {
  return rules.some(({ role }) => role !== 'none');
}

/** The rules among `rules` that speak of this subject, whichever rows they are about. */
export function matchingRules(rules: readonly Rule[], subject: Subject): readonly Rule[] {
  // A resource that takes no writes has no rules for them.
  if (subject.isOwner === true) return rules.length === 0 ? rules : ownerRules;
  return rules.filter(({ role }) => {
    if (role === 'none') return false;
    if (role === 'public') return true;
    return role === 'authenticated' ? subject.authenticated : subject.roles.has(role);
  });
}

/** What the rules of an operation leave to a caller: every row, some rows, or nothing; and the rules that say so. */
export interface Decision {
  readonly allowed: 'all' | 'some' | 'none';
  readonly rules: readonly Rule[];
}

/**
 * Which of the matching rules of an operation decide: one without `where` alone, else all of them as alternatives.
 * See docs/contract/5-access.md#row-rules, rule 5.
 */
export function decide(matching: readonly Rule[]): Decision {
  const open = matching.find(({ where }) => where === undefined);
  if (open !== undefined) return { allowed: 'all', rules: [open] };
  return { allowed: matching.length === 0 ? 'none' : 'some', rules: matching };
}

const forbidden: ApiError = apiError('FORBIDDEN', 'These credentials do not allow this');

const closed: ApiError = apiError('FORBIDDEN', 'Nobody may do this');

/**
 * The error for a caller whom no rule allows what it asks for: 401 only where a credential could help, else `refusal`.
 * See docs/contract/5-access.md#rules, rule 7.
 */
export function refusalOf(
  { authenticated }: Pick<Subject, 'authenticated'>,
  { auth }: Pick<Specification, 'auth'>,
  refusal: ApiError = auth === undefined ? closed : forbidden,
): ApiError {
  return authenticated || auth === undefined ? refusal : needsCredentials;
}

/** `{user.sub}`: in a row rule or a default, a claim of the caller. */
const claimPattern = /\{user\.([\w./:@-]+)\}/gu;

const wholeClaim = new RegExp(`^${claimPattern.source}$`, 'u');

/** The name of the claim that a whole text stands for; undefined for other texts. */
export function claimName(text: string): string | undefined {
  return wholeClaim.exec(text)?.[1];
}

/** In a row rule, the time of the request. */
export const nowWord = '{now}';

/** A claim by its name, or by a path of names joined with dots; undefined where there is none. */
export function claimOf(claims: Claims, name: string): ClaimValue | undefined {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: ClaimValue | undefined = claims;
  for (const part of name.split('.')) {
    if (!isJsonObject(value)) return undefined;
    const members: Claims = value;
    value = Object.hasOwn(members, part) ? members[part] : undefined;
  }
  return value;
}
