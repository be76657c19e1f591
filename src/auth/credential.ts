import { apiError, fail, ok, type ApiError, type Result } from '../errors.ts';

/** What a request shows of who sends it. */
export interface Credential {
  readonly text: string;
  /** `X-API-Key` takes keys alone, `Authorization: Bearer` tokens too. */
  readonly mayBeToken: boolean;
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
 * The credential among the headers of a request, as they came: name, value, name, value; undefined where there is
 * none. Two of them, another scheme than Bearer and an empty one are INVALID_CREDENTIALS. Contract 3, Authentication.
 */
export function readCredential(rawHeaders: readonly string[]): Result<Credential> | undefined {
  let found: Result<Credential> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Most names are told apart by their length alone.
    const isBearer = name.length === 13 && name.toLowerCase() === 'authorization';
    const isKey = !isBearer && name.length === 9 && name.toLowerCase() === 'x-api-key';
    if (!isBearer && !isKey) continue;
    if (found !== undefined) return fail(invalidCredentials);
    const value = rawHeaders[index + 1] ?? '';
    const [, text] = (isBearer ? bearer : apiKey).exec(value) ?? [];
    found = text === undefined ? fail(invalidCredentials) : ok({ text, mayBeToken: isBearer });
  }
  return found;
}

const bearer = /^bearer +([\x21-\x7e]+) *$/iu;
const apiKey = /^([\x21-\x7e]+) *$/u;
