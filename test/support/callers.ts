import { bearer, makeToken } from './tokens.ts';

/** The secret of specifications whose tests send tokens. */
const secret = 'a secret of more than 32 bytes, told to nobody';

/** `auth` of such a specification, whose callers are not counted. */
export const withTokens = `auth: { jwt: { secret: "${secret}" } }\nrateLimit: false`;

/** The headers of a caller with these claims (`sub`, `roles`, …): a token that is good for an hour. */
export function caller(claims: Readonly<Record<string, unknown>>): Record<string, string> {
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  return bearer(makeToken({ exp, ...claims }, { key: secret }));
}
