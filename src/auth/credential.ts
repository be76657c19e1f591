import { hash } from 'node:crypto';
import { apiError, fail, ok, type ApiError, type Result } from '../errors.ts';
import type { Caller } from '../model/access.ts';

/** What a request shows of who sends it. */
export interface Credential {
  readonly text: string;
  /** `X-API-Key` takes keys alone, `Authorization: Bearer` tokens too. */
  readonly mayBeToken: boolean;
  /** SHA-256 in hex, which stands for it in memory. */
  readonly digest: string;
  /** What was found out of it, since the same one comes again on its connection. */
  findings?: Findings;
}

/** What an authenticator has found out of a credential. */
export interface Findings {
  /** Who has; to another one they say nothing. */
  readonly by: object;
  /** Who it speaks for as a key of the file; undefined for what is none. */
  readonly key: Result<Caller> | undefined;
  proof: Proof | undefined;
}

/** That a token was found good. */
export interface Proof {
  readonly found: Result<Caller>;
  /** `nbf` and `exp`: s since 1970 */
  readonly begins: number;
  readonly expires: number;
  /** That of the keys when it was checked. */
  readonly revision: number;
}

/** What was read last on a connection: its next request mostly shows the same. */
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
/** Why a credential is not good is for whoever issued it to know, not for whoever tries it (RFC 6750, 3.1). */
export const invalidCredentials: ApiError = refuse(
  'INVALID_CREDENTIALS',
  'The credentials are not valid',
);
export const tokenExpired: ApiError = refuse('TOKEN_EXPIRED', 'The token has expired');

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
    // Most names are told apart by their length alone, and the others are mostly written so.
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
