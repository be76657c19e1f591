import { nearest } from '../../lib/text/nearest.ts';
import type { Report } from '../../specification/problems.ts';
import { reservedRoles } from '../../specification/reserved.ts';
import type { AuthSpecification } from '../../specification/specification.ts';
import type { Rule } from '../access.ts';

type JwtSpecification = NonNullable<AuthSpecification['jwt']>;

/**
 * What lets in tokens that were signed for others: an issuer signs for many services with one key. Undefined if
 * nothing does. See docs/contract/5-access.md#tokens, rule 10.
 */
export function unboundTokens({
  jwksUri,
  publicKey,
  keys = [],
  issuer,
  audience,
}: JwtSpecification): string | undefined {
  const isPublic =
    jwksUri !== undefined ||
    publicKey !== undefined ||
    keys.some((key) => key.publicKey !== undefined);
  const missing = [
    ...(issuer === undefined ? ['`issuer`'] : []),
    ...(audience === undefined ? ['`audience`'] : []),
  ];
  if (!isPublic || missing.length === 0) return undefined;
  const hint = audience === undefined ? ' (`audience: any` if every audience is meant)' : '';
  return `tokens that the same keys sign for other services are let in; add ${missing.join(' and ')}${hint}`;
}

/** Warns of rules that let nobody in, since nobody can show who it is, or no credential carries the role. */
export function adviseAuth(
  all: readonly Rule[],
  auth: AuthSpecification | undefined,
  report: Report,
): void {
  if (auth?.jwt !== undefined) {
    adviseWords(all, report);
    const unbound = unboundTokens(auth.jwt);
    if (unbound !== undefined)
      report(['auth', 'jwt'], `${unbound}; \`plinth start\` refuses to serve this`, 'warning');
    return;
  }
  if (auth !== undefined && (auth.apiKeys ?? []).length === 0) {
    report(
      ['auth'],
      'it names neither `apiKeys` nor `jwt`, so nobody can show who it is',
      'warning',
    );
    return;
  }
  if (auth !== undefined) {
    const given = new Set(auth.apiKeys?.flatMap(({ roles = [] }) => roles));
    const known = new Set<string>([...given, ...reservedRoles]);
    for (const { role, path } of all) {
      if (known.has(role)) continue;
      const hint = hintOf(role, [...given, ...openWords]);
      // Once, where it stands first.
      known.add(role);
      report(path, `no API key has the role \`${role}\`, so it lets nobody in${hint}`, 'warning');
    }
    return;
  }
  const closed = all.filter(({ role }) => role !== 'public' && role !== 'none');
  const [first] = closed;
  if (first === undefined) return;
  const roles = [...new Set(closed.map(({ role }) => `\`${role}\``))];
  const hint = roles.length === 1 ? hintOf(first.role, ['public', 'none']) : '';
  report(
    first.path,
    `without \`auth\` nobody can show who it is, so rules for ${roles.join(', ')} let nobody in${hint}`,
    'warning',
  );
}

/** The words of access rules that let in whoever has no role. */
const openWords = ['public', 'authenticated'] as const;

/** What roles tokens carry is for their issuer to say: warns of those alone that are nearly a word of access rules. */
function adviseWords(all: readonly Rule[], report: Report): void {
  const known = new Set<string>(reservedRoles);
  for (const { role, path } of all) {
    const hint = known.has(role) ? '' : hintOf(role, openWords);
    known.add(role);
    if (hint !== '')
      report(path, `only tokens with the role \`${role}\` are let in${hint}`, 'warning');
  }
}

/** What other tools call the words of access rules, in lower case. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ...['everyone', 'everybody', 'anyone', 'anybody', 'all', 'any', 'world', 'anonymous', '*'].map(
    (word) => [word, 'public'] as const,
  ),
  ...['loggedin', 'signedin', 'isauthenticated', 'authorized'].map(
    (word) => [word, 'authenticated'] as const,
  ),
]);

/** What a role was likely meant to be, as a sentence ends; nothing where it is near to none of these. */
function hintOf(role: string, words: readonly string[]): string {
  const other = otherWords.get(role.replaceAll(/[-_ ]/gu, '').toLowerCase());
  const guess = other !== undefined && words.includes(other) ? other : nearest(role, words);
  return guess === undefined ? '' : `; did you mean \`${guess}\`?`;
}
