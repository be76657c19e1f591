import type Driver from 'better-sqlite3';
import { searchFolded } from '../../../lib/text/search-folding.ts';
import { foundFunction } from '../../../model/text-patterns.ts';

/** The function that gives a text as a search index keeps it. */
export const indexedFunction = 'plinth_search_indexed';

/** FTS5 skips NUL characters; a word has neither these nor a capital letter. */
const insteadOfNul = 'A';

/** Adds the functions of `search` to a connection. */
export function addSearchFunctions(driver: Driver.Database): void {
  const options = { deterministic: true, directOnly: true };
  driver.function(foundFunction, options, (text: unknown, word: unknown) =>
    text === null ? null : Number(searchFolded(String(text)).includes(String(word))),
  );
  driver.function(indexedFunction, options, (text: unknown) =>
    text === null ? null : searchFolded(String(text)).replaceAll('\0', insteadOfNul),
  );
}
