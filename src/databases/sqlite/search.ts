import type Driver from 'better-sqlite3';
import { searchFolded } from '../../lib/search-folding.ts';
import { foldFunction } from '../../model/text-patterns.ts';

/** Adds the function that folds a text as `search` compares it. */
export function addSearchFunction(driver: Driver.Database): void {
  const options = { deterministic: true, directOnly: true };
  driver.function(foldFunction, options, (text: unknown) =>
    text === null ? null : searchFolded(String(text)),
  );
}
