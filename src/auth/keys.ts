import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Result } from '../errors.ts';
import { algorithmsOf, readPublicKey } from '../specification/parsers/public-key.ts';
import type { AuthSpecification } from '../specification/specification.ts';

export type JwtSpecification = NonNullable<AuthSpecification['jwt']>;

/** A key that tokens are checked with, and the algorithms that it may be used with. */
export interface VerificationKey {
  readonly kid: string | undefined;
  readonly algorithms: readonly string[];
  readonly key: KeyObject;
}

/** What a token says of the key that has signed it. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** Where the keys come from. */
export interface KeySource {
  /** The key of a token; undefined where none is its. Fails with KEYS_UNAVAILABLE where no keys are known. */
  readonly find: (header: TokenHeader) => Promise<Result<VerificationKey | undefined>>;
  /** Another number once the keys are others: what was found good before is then checked again. */
  readonly revision: () => number;
}

const hmac = ['HS256', 'HS384', 'HS512'] as const;

/** The keys that the file itself has. It was found right when it was read. */
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

/** What is in both lists; without a second one the first. */
function both(all: readonly string[], allowed: readonly string[] | undefined): readonly string[] {
  return allowed === undefined ? all : all.filter((name) => allowed.includes(name));
}

/**
 * The keys of a JSON Web Key Set that can check signatures with one of the algorithms allowed; others in it are not
 * ours. Undefined for what is no such set, or has none of them.
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

/** The key that a token names; one that names none is taken only where there is no choice. */
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
