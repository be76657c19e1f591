import { hash } from 'node:crypto';

/** The strong entity tag of what a caller is shown: the text of the body and what stands in headers beside it. */
export function entityTag(shown: string): string {
  return `"${hash('sha1', shown, 'base64url')}"`;
}
