import { createHmac } from 'node:crypto';

/** The secret of specifications whose tests send tokens. */
const secret = 'a-secret-of-thirty-two-characters!';

/** `auth` of such a specification. */
export const withTokens = `auth: { jwt: { secret: ${secret} } }`;

/** The headers of a caller with these claims (`sub`, `roles`, …): a token that is good for an hour. */
export function caller(claims: Readonly<Record<string, unknown>>): Record<string, string> {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ exp, ...claims })}`;
  const signature = createHmac('sha256', secret).update(content).digest('base64url');
  return { authorization: `Bearer ${content}.${signature}` };
}
