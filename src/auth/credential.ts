import { hash } from 'node:crypto';
import { apiError, fail, ok, type ApiError, type Result } from '../errors.ts';
import type { Caller } from '../model/access.ts';

/** The credential of a request. */
export interface Credential {
  readonly text: string;
  /** True in `Authorization: Bearer`; `X-API-Key` takes API keys only. */
  readonly mayBeToken: boolean;
  /** SHA-256 in hex, used in caches instead of the text. */
  readonly digest: string;
  /** Cached results, for the next requests of the connection. */
  findings?: Findings;
}

/** The cached results of an authenticator for a credential. */
export interface Findings {
  /** The authenticator; the results are void for another one. */
  readonly by: object;
  /** The key if it is an API key. */
  readonly key: ApiKey | undefined;
  proof: Proof | undefined;
}

/** An API key of the specification. */
export interface ApiKey {
  readonly digest: Buffer;
  readonly found: Result<Caller>;
  /** In ms since 1970; infinite without `expires`. */
  readonly expires: number;
  readonly use: KeyUse;
}

/** When a key was last used, in ms since 1970; 0 if it was not since the server started. */
export interface KeyUse {
  at: number;
}

/** A verified token. */
export interface Proof {
  readonly found: Result<Caller>;
  /** `nbf` and `exp`: s since 1970 */
  readonly begins: number;
  readonly expires: number;
  /** The revision of the key set when it was verified. */
  readonly revision: number;
}

/** The last credential of a connection; its next request mostly has the same. */
export interface CredentialMemory {
  last?: {
    readonly value: string;
    readonly isBearer: boolean;
    readonly read: Result<Credential>;
  };
}

const refuse = (code: 'INVALID_CREDENTIALS' | 'TOKEN_EXPIRED', message: string): ApiError =>
  apiError(code, message, {
    headers: {
      'www-authenticate': `Bearer error="invalid_token", error_description="${message}"`,
    },
  });
/** Does not say why a credential is invalid, so that guessing learns nothing (RFC 6750, 3.1). */
export const invalidCredentials: ApiError = refuse(
  'INVALID_CREDENTIALS',
  'The credentials are not valid',
);
export const tokenExpired: ApiError = refuse('TOKEN_EXPIRED', 'The token has expired');
export const keyExpired: ApiError = refuse('TOKEN_EXPIRED', 'The API key has expired');

/**
 * Reads the credential from the raw headers of a request (name, value, name, value); undefined when there is none.
 * Two credentials, another scheme than Bearer and an empty credential are INVALID_CREDENTIALS. `memory` holds what
 * was read last on the connection, which is not read again. See docs/contract/5-access.md#credentials, rule 3.
 */
export function readCredential(
  rawHeaders: readonly string[],
  memory: CredentialMemory = {},
): Result<Credential> | undefined {
  let value: string | undefined;
  let isBearer = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Compares the length first, which rules out most names, then the usual spelling.
    const isToken =
      name.length === 13 && (name === 'Authorization' || name.toLowerCase() === 'authorization');
    const isKey = !isToken && name.length === 9 && name.toLowerCase() === 'x-api-key';
    if (!isToken && !isKey) continue;
    if (value !== undefined) return fail(invalidCredentials);
    value = rawHeaders[index + 1] ?? '';
    isBearer = isToken;
  }
  if (value === undefined) return undefined;
  const { last } = memory;
  if (last?.value === value && last.isBearer === isBearer) return last.read;
  const read = readValue(value, isBearer);
  memory.last = { value, isBearer, read };
  return read;
}

function readValue(value: string, isBearer: boolean): Result<Credential> {
  const [, text] = (isBearer ? bearer : apiKey).exec(value) ?? [];
  if (text === undefined) return fail(invalidCredentials);
  return ok({ text, mayBeToken: isBearer, digest: hash('sha256', text) });
}

const bearer = /^bearer +([\x21-\x7e]+) *$/iu;
const apiKey = /^([\x21-\x7e]+) *$/u;
