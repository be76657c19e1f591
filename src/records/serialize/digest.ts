import { hash } from 'node:crypto';

/**
 * The strong entity tag of what a caller is shown: the text of the body, and what stands in headers `beside` it, which is
 * not put behind a long text only to be hashed with it.
 */
export function entityTag(shown: string, beside = ''): string {
  return `"${hash('sha1', shown, 'base64url')}${beside === '' ? '' : `-${beside}`}"`;
}
