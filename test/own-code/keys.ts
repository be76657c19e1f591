import { createHash } from 'node:crypto';

const keys = ['admin', 'user'] as const;

/** `auth` with an API key for each role, which is the key. */
export const withKeys = `{ apiKeys: [${keys
  .map(
    (name) =>
      `{ name: ${name}, hash: "sha256:${createHash('sha256').update(`key-of-${name}`).digest('hex')}", roles: [${name}], sub: ${name}-1 }`,
  )
  .join(', ')}] }`;

/** The headers of a request with such a key. */
export function keyHeaders(name: (typeof keys)[number]): Record<string, string> {
  return { 'x-api-key': `key-of-${name}` };
}
