import { fail, ok, type Result } from '../../errors.ts';
import { searchFolded } from '../../lib/text/search-folding.ts';
import { shortestIndexed } from '../../model/search-index.ts';

/** Whether a word is long enough for an index of texts. */
export function isIndexed(word: string): boolean {
  return Array.from(searchFolded(word)).length >= shortestIndexed;
}

/** The longest word of a search, in characters. */
const longestWord = 64;

/**
 * The words of a search: what blanks separate, or a phrase in double quotes, in which `\"` and `\\` stand for themselves.
 * See docs/contract/2-reading.md#search, rule 4.
 */
export function searchWords(text: string): Result<readonly string[], string> {
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (character === '"') {
      isQuoted = !isQuoted;
      word ??= '';
    } else if (isQuoted && character === '\\' && (next === '"' || next === '\\')) {
      word = (word ?? '') + next;
      index += 1;
    } else if (!isQuoted && /\s/u.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (isQuoted) return fail('a quote is not closed; a phrase is written as "two words"');
  if (word !== undefined) words.push(word);
  if (words.length === 0) return fail('is empty; write a word, or several: search=crème brul');
  const nothing = words.find((one) => searchFolded(one).trim() === '');
  if (nothing !== undefined) return fail(`"${nothing}" has no letter to look for`);
  const long = words.find((one) => Array.from(one).length > longestWord);
  if (long !== undefined) return fail(`a word has at most ${longestWord} characters`);
  return ok(words);
}
