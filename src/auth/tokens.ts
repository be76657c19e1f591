import { BoundedCache } from '../lib/bounded-cache.ts';
import { fail, ok, type Result } from '../errors.ts';
import { invalidCredentials, tokenExpired, type Findings, type Proof } from './credential.ts';
import type { Caller, Claims } from '../model/access.ts';
import { parseExactly } from '../model/exact-number.ts';
import { isTooDeep } from '../model/values.ts';
import { callerOfToken, defaultRolesClaim } from './callers.ts';
import type { JwtSpecification, KeySource, TokenHeader } from './keys.ts';

/** Allowed clock skew in s. See docs/contract/5-access.md#tokens, rule 3. */
const skew = 30;
/** How many verified tokens are cached, and the longest of them. */
const keptTokens = 5_000;
const longestKept = 4_096;

/** Verifies tokens, and caches valid ones until they expire or the keys change. */
export class Tokens {
  private readonly jwt: JwtSpecification;
  private readonly source: KeySource;
  private readonly now: () => number;
  private readonly proofs = new BoundedCache<Proof>(keptTokens);

  constructor(jwt: JwtSpecification, source: KeySource, now: () => number) {
    this.jwt = jwt;
    this.source = source;
    this.now = now;
  }

  /**
   * The caller of a token. `digest`: its cache key; `findings`: results of the connection's earlier requests. Fails with
   * INVALID_CREDENTIALS, TOKEN_EXPIRED, KEYS_UNAVAILABLE.
   */
  identify(
    token: string,
    digest: string,
    findings: Findings,
  ): Result<Caller> | Promise<Result<Caller>> {
    findings.proof ??= this.proofs.get(digest);
    const { proof } = findings;
    if (proof === undefined || proof.revision !== this.source.revision()) {
      findings.proof = undefined;
      return this.verify(token, digest);
    }
    // The system clock may have been set since.
    const now = Math.floor(this.now() / 1_000);
    if (proof.begins > now + skew) return fail(invalidCredentials);
    return proof.expires <= now - skew ? fail(tokenExpired) : proof.found;
  }

  private async verify(token: string, digest: string): Promise<Result<Caller>> {
    const header = headerOf(token);
    if (header === undefined) return fail(invalidCredentials);
    // Loaded for the first token, since most APIs never see one.
    const { errors, jwtVerify } = await import('jose');
    const key = await this.source.find(header);
    if (!key.ok) return key;
    if (key.value === undefined) return fail(invalidCredentials);
    const revision = this.source.revision();
    const { issuer, typ, rolesClaim = defaultRolesClaim } = this.jwt;
    const audience = audienceOf(this.jwt);
    let claims: Claims;
    let begins: number;
    let expires: number;
    try {
      const { payload } = await jwtVerify(token, key.value.key, {
        algorithms: [...key.value.algorithms],
        requiredClaims: ['exp'],
        clockTolerance: skew,
        currentDate: new Date(this.now()),
        ...(issuer === undefined ? {} : { issuer }),
        ...(typ === undefined ? {} : { typ }),
        ...(audience === undefined ? {} : { audience: [...audience] }),
      });
      ({ nbf: begins = 0, exp: expires = 0 } = payload);
      // 1e400 is no time: the token would never end.
      if (!Number.isFinite(begins) || !Number.isFinite(expires)) return fail(invalidCredentials);
      // Whatever reads claims level by level would run out of stack.
      if (isTooDeep(payload)) return fail(invalidCredentials);
      claims = claimsIn(token);
    } catch (error) {
      if (error instanceof errors.JWTExpired) return fail(tokenExpired);
      if (error instanceof errors.JOSEError) return fail(invalidCredentials);
      throw error;
    }
    const found = ok(callerOfToken(claims, rolesClaim));
    if (token.length <= longestKept) this.proofs.set(digest, { found, begins, expires, revision });
    return found;
  }
}

/** The audiences of which a token has to name one; undefined if every audience is meant. */
export function audienceOf({ audience }: JwtSpecification): readonly string[] | undefined {
  if (audience === undefined || audience === 'any') return undefined;
  return typeof audience === 'string' ? [audience] : audience;
}

/** The claims of a verified token, whose numbers keep all digits. */
function claimsIn(token: string): Claims {
  const [, payload = ''] = token.split('.');
  return parseExactly(Buffer.from(payload, 'base64url').toString()) as Claims;
}

/** RFC 7515, 7.1: three parts in base64url, without padding. */
const compact = /^([\w-]+)\.[\w-]*\.[\w-]+$/u;

/** The header of a signed token, unverified; undefined if malformed. */
function headerOf(token: string): TokenHeader | undefined {
  const [, part = ''] = compact.exec(token) ?? [];
  try {
    const text = Buffer.from(part, 'base64url').toString();
    const { alg, kid } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof alg !== 'string' || !(kid === undefined || typeof kid === 'string'))
      return undefined;
    return { alg, kid };
  } catch {
    return undefined;
  }
}
