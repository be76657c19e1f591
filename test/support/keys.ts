import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A private key and the public one that belongs to it. */
export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Key pairs for tokens, made once a test file. */
export const rsaKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const ecKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const edKeys = generateKeyPairSync('ed25519');

/** The public key of a pair as PEM. */
export function publicPem({ publicKey }: KeyPair): string {
  return publicKey.export({ type: 'spki', format: 'pem' });
}

/** The private key of a pair as PEM. */
export function privatePem({ privateKey }: KeyPair): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' });
}

/** A text as a scalar of YAML, whatever is in it. */
export function yamlText(text: string): string {
  return JSON.stringify(text);
}

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** `auth` with two API keys: `boss-key` has the role admin, `hand-key` the role user. */
export const bossAndHand = `auth:
  apiKeys:
    - { name: boss, hash: "sha256:${hashOf('boss-key')}", roles: [admin] }
    - { name: hand, hash: "sha256:${hashOf('hand-key')}", roles: [user] }`;
