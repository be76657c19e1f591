import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Result } from '../errors.ts';
import { algorithmsOf, readPublicKey } from '../specification/parsers/public-key.ts';
import type { AuthSpecification } from '../specification/specification.ts';

export type JwtSpecification = NonNullable<AuthSpecification['jwt']>;

/** A key that verifies tokens, and its allowed algorithms. */
export interface VerificationKey {
  readonly kid: string | undefined;
  readonly algorithms: readonly string[];
  readonly key: KeyObject;
}

/** What the header of a token says about its key. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** A source of verification keys. */
export interface KeySource {
  /** The key of a token, or undefined. Fails with KEYS_UNAVAILABLE if no keys could be fetched yet. */
  readonly find: (header: TokenHeader) => Promise<Result<VerificationKey | undefined>>;
  /** Changes with the keys; tokens verified before are then verified again. */
  readonly revision: () => number;
}

const hmac = ['HS256', 'HS384', 'HS512'] as const;

/** The keys in the file, which was validated when it was read. */
export function keysOfFile(jwt: JwtSpecification): readonly VerificationKey[] {
  const { secret, publicKey, keys } = jwt;
  const given = keys ?? [{ secret, publicKey, kid: undefined, alg: undefined }];
  return given.map(({ kid, alg, secret: shared, publicKey: pem }) => {
    const own = shared === undefined ? publicOf(pem ?? '') : sharedOf(shared);
    const allowed = alg === undefined ? jwt.algorithms : [alg];
    return { kid, ...own, algorithms: both(own.algorithms, allowed) };
  });
}

function sharedOf(secret: string): Omit<VerificationKey, 'kid'> {
  return { key: createSecretKey(Buffer.from(secret)), algorithms: hmac };
}

function publicOf(source: string): Omit<VerificationKey, 'kid'> {
  const key = readPublicKey(source);
  if (!key.ok) throw new Error(`the key ${key.error}`);
  return { key: key.value, algorithms: algorithmsOf(key.value) };
}

/** The intersection of both lists, or the first list without a second one. */
function both(all: readonly string[], allowed: readonly string[] | undefined): readonly string[] {
  return allowed === undefined ? all : all.filter((name) => allowed.includes(name));
}

/**
 * The keys of a JSON Web Key Set that can verify signatures with one of the allowed algorithms; others are ignored.
 * Undefined if it is not a key set or has no such key.
 */
export function keysOfSet(
  set: unknown,
  allowed: readonly string[] | undefined,
): readonly VerificationKey[] | undefined {
  const list = (set as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) return undefined;
  const keys = (list as readonly unknown[]).flatMap((item) => keyOfJwk(item, allowed) ?? []);
  return keys.length === 0 ? undefined : keys;
}

function keyOfJwk(
  item: unknown,
  allowed: readonly string[] | undefined,
): VerificationKey | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { kid, alg, use, key_ops: operations } = item as Readonly<Record<string, unknown>>;
  if (use !== undefined && use !== 'sig') return undefined;
  if (Array.isArray(operations) && !operations.includes('verify')) return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  const key = readPublicKey(item);
  if (!key.ok) return undefined;
  const own = both(algorithmsOf(key.value), allowed);
  const algorithms = typeof alg === 'string' ? own.filter((name) => name === alg) : own;
  return algorithms.length === 0 ? undefined : { kid, algorithms, key: key.value };
}

/** The key that a token names. A token without `kid` is accepted only if there is a single key. */
export function chooseKey(
  keys: readonly VerificationKey[],
  { kid, alg }: TokenHeader,
): VerificationKey | undefined {
  const isAlone = keys.length === 1;
  return keys.find(
    (key) =>
      (kid === undefined || key.kid === undefined ? isAlone : key.kid === kid) &&
      key.algorithms.includes(alg),
  );
}
