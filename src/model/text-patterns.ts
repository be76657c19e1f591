import { foldingClass } from '../lib/case-folding.ts';

/** A GLOB pattern of SQLite for `text`, everything in it literal. */
export function globLiteral(text: string): string {
  return text.replaceAll(/[*?[]/gu, '[$&]');
}

/** A GLOB pattern of SQLite for `text` in any case, everything in it literal. */
export function globPattern(text: string): string {
  let pattern = '';
  for (const character of text) {
    const folded = foldingClass(character);
    pattern += folded.length > 1 ? `[${folded.join('')}]` : globLiteral(character);
  }
  return pattern;
}

/** A LIKE pattern of PostgreSQL for `text`, everything in it literal. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/gu, String.raw`\$&`);
}

/** What means something in a regular expression of PostgreSQL, which takes a backslash before it. */
const special = new Set('.^$*+?()[]{}|\\');

/** A regular expression of PostgreSQL for `text` in any case, everything in it literal. */
export function foldingPattern(text: string): string {
  let pattern = '';
  for (const character of text) {
    const folded = foldingClass(character);
    if (folded.length > 1) pattern += `[${folded.join('')}]`;
    else pattern += special.has(character) ? `\\${character}` : character;
  }
  return pattern;
}
