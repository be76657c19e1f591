import { bearer, makeToken } from './tokens.ts';

/** The secret of specifications whose tests send tokens. */
const secret = 'a secret of more than 32 bytes, told to nobody';

/** `auth` of such a specification, whose callers are not counted. */
export const withTokens = `auth: { jwt: { secret: "${secret}" } }\nrateLimit: false`;

/** The headers of a caller with these claims (`sub`, `roles`, …): a token that is good for an hour. */
export function caller(claims: Readonly<Record<string, unknown>>): Record<string, string> {
  return bearer(makeToken({ exp: anHourOn(), ...claims }, { key: secret }));
}

/** The same of claims in JSON, such as `"sub": 9007199254740993`, for numbers that JavaScript would round. */
export function callerIn(members: string): Record<string, string> {
  return bearer(makeToken(`{"exp":${anHourOn()},${members}}`, { key: secret }));
}

function anHourOn(): number {
  return Math.floor(Date.now() / 1_000) + 3_600;
}
