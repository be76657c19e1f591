import { timingSafeEqual } from 'node:crypto';
import { fail, ok, type Result } from '../errors.ts';
import type { AuthSpecification } from '../specification/specification.ts';
import { invalidCredentials, type Credential } from './credential.ts';
import type { Caller } from '../model/access.ts';
import { callerOfKey } from './callers.ts';
import { chooseKey, keysOfFile, type JwtSpecification, type KeySource } from './keys.ts';
import { Tokens } from './tokens.ts';

/** What checking credentials depends on. */
export interface Surroundings {
  /** In ms since 1970, for `exp` and `nbf`. */
  readonly now: () => number;
  /** The keys published at a URL that fit these algorithms. */
  readonly keysAt: (uri: string, algorithms: readonly string[] | undefined) => KeySource;
}

/**
 * Finds the caller of a credential, by the `auth` of a specification. See
 * docs/contract/5-access.md#credentials.
 */
export class Authenticator {
  private readonly apiKeys: readonly { readonly digest: Buffer; readonly caller: Caller }[];
  private readonly tokens: Tokens | undefined;

  constructor({ apiKeys = [], jwt }: AuthSpecification, surroundings: Surroundings) {
    this.apiKeys = apiKeys.map((key) => ({
      digest: Buffer.from(key.hash.slice('sha256:'.length)),
      caller: callerOfKey(key),
    }));
    this.tokens = jwt && new Tokens(jwt, keySourceOf(jwt, surroundings), surroundings.now);
  }

  /** Fails with INVALID_CREDENTIALS, TOKEN_EXPIRED or KEYS_UNAVAILABLE. */
  identify(credential: Credential): Result<Caller> | Promise<Result<Caller>> {
    const { text, mayBeToken, digest } = credential;
    let { findings } = credential;
    if (findings?.by !== this) {
      findings = { by: this, key: this.keyOf(digest), proof: undefined };
      credential.findings = findings;
    }
    if (findings.key !== undefined) return findings.key;
    return mayBeToken && this.tokens !== undefined
      ? this.tokens.identify(text, digest, findings)
      : fail(invalidCredentials);
  }

  /** Compares all keys in constant time, so that timing tells nothing about them. */
  private keyOf(digest: string): Result<Caller> | undefined {
    if (this.apiKeys.length === 0) return undefined;
    const bytes = Buffer.from(digest);
    let caller: Caller | undefined;
    for (const key of this.apiKeys) if (timingSafeEqual(bytes, key.digest)) caller = key.caller;
    return caller && ok(caller);
  }
}

function keySourceOf(jwt: JwtSpecification, { keysAt }: Surroundings): KeySource {
  const { jwksUri: uri, algorithms } = jwt;
  if (uri !== undefined) return keysAt(uri, algorithms);
  const keys = keysOfFile(jwt);
  return { find: async (header) => ok(chooseKey(keys, header)), revision: () => 0 };
}
