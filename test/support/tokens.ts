import { constants, createHash, createHmac, sign, type KeyObject } from 'node:crypto';

/** Makes signed tokens by the book (RFC 7515), and bad ones that no library would make. */

/** Signs bytes by an algorithm of JWT. */
function signature(alg: string, bytes: string, key: KeyObject | string): Buffer {
  const digest = `sha${alg.slice(2)}`;
  if (typeof key === 'string') return createHmac(digest, key).update(bytes).digest();
  const data = Buffer.from(bytes);
  if (alg === 'EdDSA') return sign(null, data, key);
  if (alg.startsWith('ES')) return sign(digest, data, { key, dsaEncoding: 'ieee-p1363' });
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  return sign(digest, data, alg.startsWith('PS') ? { key, padding, saltLength } : key);
}

export interface TokenOptions {
  readonly alg?: string;
  /** A secret as text. */
  readonly key: KeyObject | string;
  readonly header?: object;
}

function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  );
}

/** A token with these claims; a text stands for claims that are no JSON. */
export function makeToken(
  claims: unknown,
  { alg = 'HS256', key, header = {} }: TokenOptions,
): string {
  const signed = `${part({ alg, typ: 'JWT', ...header })}.${part(claims)}`;
  return `${signed}.${signature(alg, signed, key).toString('base64url')}`;
}

/** A token that is not signed. */
export function unsigned(claims: unknown, alg = 'none'): string {
  return `${part({ alg })}.${part(claims)}.`;
}

/** What `plinth key` stores of a key. */
export function hashOf(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

export function bearer(text: string): Record<string, string> {
  return { authorization: `Bearer ${text}` };
}
