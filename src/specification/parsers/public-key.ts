import { createPublicKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import { fail, ok, type Result } from '../../errors.ts';

/** The algorithms that need a public key, each with the keys that it accepts. */
const rsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;
const curves: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ['prime256v1', ['ES256']],
  ['secp384r1', ['ES384']],
  ['secp521r1', ['ES512']],
]);
/** The shortest RSA key (RFC 7518, 3.3). */
const leastModulus = 2048;

/**
 * Parses a public key: PEM (also a certificate) or a JWK. `\n` may replace line ends, as in environment variables.
 * An error is the end of a sentence.
 */
export function readPublicKey(source: string | JsonWebKeyInput['key']): Result<KeyObject, string> {
  if (typeof source === 'string' && source.includes('PRIVATE KEY-----'))
    return fail('is a private key, which signs tokens; give the public one that belongs to it');
  try {
    const key =
      typeof source === 'string'
        ? createPublicKey(source.replaceAll(String.raw`\n`, '\n'))
        : createPublicKey({ key: source, format: 'jwk' });
    return algorithmsOf(key).length > 0 ? ok(key) : fail(misfit(key));
  } catch {
    return fail('is not a public key in PEM: -----BEGIN PUBLIC KEY----- and so on');
  }
}

function misfit({ asymmetricKeyType: kind, asymmetricKeyDetails: details }: KeyObject): string {
  return kind === 'rsa'
    ? `is an RSA key of ${details?.modulusLength} bits; it takes at least ${leastModulus}`
    : 'is of a kind that signs no tokens; it takes RSA, P-256, P-384, P-521 or Ed25519';
}

/** The algorithms for a public or private key; empty if it is too short or of another type. */
export function algorithmsOf({
  asymmetricKeyType: kind,
  asymmetricKeyDetails: details = {},
}: KeyObject): readonly string[] {
  if (kind === 'rsa') return (details.modulusLength ?? 0) >= leastModulus ? rsa : [];
  if (kind === 'ec') return curves.get(details.namedCurve) ?? [];
  return kind === 'ed25519' ? ['EdDSA'] : [];
}
