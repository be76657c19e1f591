import { serveApi, type TestApi } from '../support/api.ts';
import { hashOf, makeToken } from '../support/tokens.ts';

export const secret = 'a secret of more than 32 bytes, told to nobody';
export const apiKey = 'plinth_editor-key';
const specification = `
auth:
  apiKeys:
    - { name: ci, hash: "${hashOf(apiKey)}", roles: [editor], sub: "7" }
    - { name: bare, hash: "${hashOf('bare-key')}" }
  jwt: { secret: "${secret}", issuer: "https://issuer.test", audience: [shop, app] }
rateLimit: { max: 100000, window: 1h, failures: { max: 100000, window: 1h } }
resources:
  news: { access: public, fields: { title: { type: string } } }
  notes: { fields: { title: { type: string } } }
  drafts: { access: { read: editor, write: [editor, admin] }, fields: { title: { type: string } } }
  lists: { access: { read: authenticated, write: none }, fields: { title: { type: string } } }
  vaults: { access: none, fields: { title: { type: string } } }
`;

/** When the clocks of these tests begin. */
export const start = Date.parse('2026-03-01T12:00:00Z');
export const seconds = start / 1_000;

/** Claims in which nothing is wrong. */
export const good = {
  sub: '7',
  iss: 'https://issuer.test',
  aud: 'shop',
  exp: seconds + 3_600,
  roles: ['editor'],
};
/** A token that is good but for what is said. */
export const token = (claims: object = {}, options: object = {}): string =>
  makeToken({ ...good, ...claims }, { key: secret, ...options });
/** A token that lacks a claim. */
export const without = (name: keyof typeof good): string => {
  return token({ [name]: undefined });
};

/** A small API with something for everyone, for the authenticated and for roles. */
export function serveCredentials(now: () => number): Promise<TestApi> {
  return serveApi(specification, { news: [{ title: 'one' }] }, () => new Date(now()));
}
