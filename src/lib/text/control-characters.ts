/**
 * Characters that control a terminal or hide what a text says: C0 and C1 controls but for tab and line feed, and those
 * that turn the direction of writing.
 */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu;

/** A text that does nothing to a terminal: control characters are shown as `\u001b`. */
export function visible(text: string): string {
  return text.replaceAll(controls, escapeOf);
}

/** The escape of a character, as JSON writes it. */
export function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
