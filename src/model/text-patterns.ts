import { foldingClass } from '../lib/text/case-folding.ts';
import { longFoldings } from '../lib/text/search-folding.ts';

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

/** The function of SQLite connections that says whether a text has a word, both folded as `search` compares them. */
export const foundFunction = 'plinth_search_found';

/** A text in PostgreSQL whose characters that fold to several (ß, ﬁ) are replaced by these, for a pattern of `search`. */
export function longFolded(column: string): string {
  const long = longFoldings();
  const code = (character: string): number => character.codePointAt(0) ?? 0;
  const text = (folded: string): string =>
    Array.from(folded, (character) => `chr(${code(character)})`).join(' || ');
  const replaced = long.reduce(
    (sql, [character, folded]) => `replace(${sql}, chr(${code(character)}), ${text(folded)})`,
    column,
  );
  const any = long.map(([character]) => `\\u${code(character).toString(16).padStart(4, '0')}`);
  return `(CASE WHEN ${column} ~ '[${any.join('')}]' THEN ${replaced} ELSE ${column} END)`;
}
