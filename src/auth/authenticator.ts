import { timingSafeEqual } from 'node:crypto';
import { fail, ok, type Result } from '../errors.ts';
import type { AuthSpecification } from '../specification/specification.ts';
import {
  invalidCredentials,
  keyExpired,
  type ApiKey,
  type Credential,
  type KeyUse,
} from './credential.ts';
import { midnight } from '../model/sunset.ts';
import type { Caller } from '../model/access.ts';
import { callerOfKey } from './callers.ts';
import { chooseKey, keysOfFile, type JwtSpecification, type KeySource } from './keys.ts';
import { Tokens } from './tokens.ts';

/** What checking credentials depends on. */
export interface Surroundings {
  /** Where the use of an API key is noted, by its name. */
  readonly useOf: (name: string) => KeyUse;
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
  private readonly apiKeys: readonly ApiKey[];
  private readonly tokens: Tokens | undefined;
  private readonly now: () => number;

  constructor({ apiKeys = [], jwt }: AuthSpecification, surroundings: Surroundings) {
    this.now = surroundings.now;
    this.apiKeys = apiKeys.map((key) => ({
      digest: Buffer.from(key.hash.slice('sha256:'.length)),
      found: ok(callerOfKey(key)),
      expires: key.expires === undefined ? Infinity : midnight(key.expires),
      use: surroundings.useOf(key.name),
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
    if (findings.key !== undefined) return this.accept(findings.key);
    return mayBeToken && this.tokens !== undefined
      ? this.tokens.identify(text, digest, findings)
      : fail(invalidCredentials);
  }

  private accept({ found, expires, use }: ApiKey): Result<Caller> {
    const now = this.now();
    if (now >= expires) return fail(keyExpired);
    use.at = now;
    return found;
  }

  /** Compares all keys in constant time, so that timing tells nothing about them. */
  private keyOf(digest: string): ApiKey | undefined {
    if (this.apiKeys.length === 0) return undefined;
    const bytes = Buffer.from(digest);
    let found: ApiKey | undefined;
    for (const key of this.apiKeys) if (timingSafeEqual(bytes, key.digest)) found = key;
    return found;
  }
}

function keySourceOf(jwt: JwtSpecification, { keysAt }: Surroundings): KeySource {
  const { jwksUri: uri, algorithms } = jwt;
  if (uri !== undefined) return keysAt(uri, algorithms);
  const keys = keysOfFile(jwt);
  return { find: async (header) => ok(chooseKey(keys, header)), revision: () => 0 };
}
