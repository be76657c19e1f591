import type { Api } from './api.ts';
import { claimOf, type Claims, type ClaimValue } from './access.ts';
import { ExactNumber } from './exact-number.ts';
import { isJsonObject } from './values.ts';

/** The settings of one caller's transactions. */
export interface SessionSettings {
  /** In the order in which they are made. The same list for all callers of an Api. */
  readonly names: readonly string[];
  readonly values: readonly string[];
}

/** `{user}` is all claims as JSON, `{user.sub}` one claim. */
const placeholder = /\{user(?:\.([\w./:@-]+))?\}/gu;

/** Whether a text depends on the caller. */
export function namesClaims(text: string): boolean {
  return text.search(placeholder) >= 0;
}

/**
 * The settings that `database.session` gives to callers; undefined without it. `role` comes last: the role may not be
 * allowed to make the others. See docs/contract/8-existing-databases.md#sessions, rule 2.
 */
export function sessionsOf({
  settings,
}: Pick<Api, 'settings'>): ((claims: Claims) => SessionSettings) | undefined {
  const { session } = settings.database ?? {};
  if (session === undefined) return undefined;
  const isRole = (name: string): boolean => name.toLowerCase() === 'role';
  const entries = Object.entries(session).sort(
    ([one], [other]) => Number(isRole(one)) - Number(isRole(other)),
  );
  const names = entries.map(([name]) => name);
  return (claims) => ({
    names,
    values: entries.map(([name, text]) => {
      const value = text.replaceAll(placeholder, (_, claim: string | undefined) =>
        claim === undefined ? jsonOf(claims) : textOf(claimOf(claims, claim)),
      );
      return value === '' && isRole(name) ? 'none' : value;
    }),
  });
}

function textOf(value: ClaimValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : jsonOf(value);
}

/** A claim as JSON, its numbers with all their digits. */
function jsonOf(value: ClaimValue): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) {
    const items: readonly ClaimValue[] = value;
    return `[${items.map(jsonOf).join(',')}]`;
  }
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value as Claims);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonOf(member)}`).join(',')}}`;
}
