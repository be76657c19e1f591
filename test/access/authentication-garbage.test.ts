import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Authenticator } from '../../src/auth/authenticator.ts';
import { readCredential } from '../../src/auth/credential.ts';
import { ecKeys, edKeys, publicPem, rsaKeys } from '../support/keys.ts';
import { hashOf, makeToken, type TokenOptions } from '../support/tokens.ts';
import { seed } from '../support/seed.ts';
import { good, secret, start } from './credentials.ts';

const surroundings = {
  now: () => start,
  useOf: () => ({ at: 0 }),
  keysAt: (): never => {
    throw new Error('No keys are from elsewhere');
  },
};
const apiKeys = [{ name: 'a', hash: hashOf('key') }];

const signers: readonly (readonly [string, object, TokenOptions])[] = [
  ['HS256', { secret }, { key: secret }],
  ['RS256', { publicKey: publicPem(rsaKeys) }, { alg: 'RS256', key: rsaKeys.privateKey }],
  ['PS384', { publicKey: publicPem(rsaKeys) }, { alg: 'PS384', key: rsaKeys.privateKey }],
  ['ES256', { publicKey: publicPem(ecKeys) }, { alg: 'ES256', key: ecKeys.privateKey }],
  ['EdDSA', { publicKey: publicPem(edKeys) }, { alg: 'EdDSA', key: edKeys.privateKey }],
];
const codes = ['INVALID_CREDENTIALS', 'TOKEN_EXPIRED'];

/** What the rest of a claim or header may be replaced by. */
const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('HS256', 'none', 1e308, -1, '', []));

describe.each(signers)(
  'whatever is sent in place of a token of %s is refused, and breaks nothing',
  (_alg, jwt, options) => {
    const authenticator = new Authenticator({ apiKeys, jwt }, surroundings);
    const codeOf = async (text: string): Promise<string | undefined> => {
      const found = await authenticator.identify({
        text,
        mayBeToken: true,
        digest: hash('sha256', text),
      });
      return found.ok ? undefined : found.error.code;
    };

    test('a changed character', async () => {
      const token = makeToken(good, options);
      const head = token.lastIndexOf('.');
      const at = fc.nat({ max: head + 20 });
      const by = fc.constantFrom(...'ABab01-_.=/+%"{'.split(''));
      await fc.assert(
        fc.asyncProperty(at, by, async (index, character) => {
          fc.pre(token[index] !== character);
          const text = token.slice(0, index) + character + token.slice(index + 1);
          expect(codes).toContain(await codeOf(text));
        }),
        { numRuns: 150, seed },
      );
    });

    test('signed claims and headers of any shape', async () => {
      const names = fc.constantFrom(
        'exp',
        'nbf',
        'iat',
        'sub',
        'aud',
        'roles',
        '__proto__',
        'toString',
      );
      const headers = fc.constantFrom(
        'alg',
        'kid',
        'typ',
        'crit',
        'b64',
        'jwk',
        'zip',
        '__proto__',
      );
      const claims = fc.oneof(
        anything,
        fc.dictionary(names, anything).map((more) => ({ ...good, ...more })),
      );
      await fc.assert(
        fc.asyncProperty(claims, fc.dictionary(headers, anything), async (payload, header) => {
          expect([undefined, ...codes]).toContain(
            await codeOf(makeToken(payload, { ...options, header })),
          );
        }),
        { numRuns: 150, seed },
      );
    });

    test('any text', async () => {
      const part = fc.oneof(fc.string(), fc.base64String(), fc.json().map(btoa64));
      await fc.assert(
        fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
          expect(codes).toContain(await codeOf(parts.join('.')));
        }),
        { numRuns: 300, seed },
      );
    });
  },
);

function btoa64(text: string): string {
  return Buffer.from(text).toString('base64url');
}

test('any headers give one credential, a refusal or none', () => {
  const name = fc.constantFrom(
    'Authorization',
    'authorization',
    'X-API-Key',
    'X-Api-Kez',
    'Accept',
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('Bearer x', 'bearer  y ', 'Basic x', ''),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (lines) => {
      const found = readCredential(lines.flat());
      const sent = lines.filter(([line]) => /^(?:authorization|x-api-key)$/iu.test(line));
      expect(found === undefined).toBe(sent.length === 0);
      if (found?.ok === true)
        expect([sent.length, /^\S+$/u.test(found.value.text)]).toEqual([1, true]);
      if (sent.length > 1) expect(found?.ok).toBe(false);
    }),
    { numRuns: 200, seed },
  );
});
