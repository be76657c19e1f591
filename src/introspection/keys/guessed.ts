import type { ActualTable } from '../../databases/existing/actual-schema.ts';
import { quote, quoteTable } from '../../sql/dialect.ts';

/** What may identify the rows of a view, or of a table that declares no key. */
export interface KeyGuess {
  /** How messages call it: `View`. */
  readonly kind: string;
  /** Lists of columns that may be the key, the best first. */
  readonly candidates: readonly (readonly string[])[];
}

/** How many rows are looked at to find what identifies them. */
export const sampledRows = 10_000;

function isNamedAsKey(column: string): boolean {
  return /^id$|_?id$/iu.test(column);
}

/** The columns of a view that may identify its rows, those named as an id first. */
export function viewGuess(kind: string, { columns }: ActualTable): KeyGuess {
  const names = [...columns.values()].map(({ name }) => name);
  const sorted = names.toSorted((a, b) => Number(isNamedAsKey(b)) - Number(isNamedAsKey(a)));
  return { kind, candidates: sorted.slice(0, 5).map((name) => [name]) };
}

/** All columns of a table that only links others: each is a key or the type beside one, and never null. */
export function linkGuess({ columns, references }: ActualTable): KeyGuess {
  const all = [...columns.values()];
  const names = new Set(all.map(({ name }) => name.toLowerCase()));
  const isLink = all.every(
    ({ name, nullable }) =>
      !nullable &&
      (isNamedAsKey(name) ||
        names.has(name.toLowerCase().replace(/type$/u, 'id')) ||
        references.some(({ column }) => column === name)),
  );
  const isKey = isLink && all.length > 1;
  return { kind: 'No key is declared', candidates: isKey ? [all.map(({ name }) => name)] : [] };
}

/** The statement for how many rows are looked at, and how many of them differ in these columns. */
export function distinctQuery(
  { name }: ActualTable,
  columns: readonly string[],
  asText: (column: string) => string = (column) => column,
): string {
  const list = columns.map((column, index) => `${asText(quote(column))} AS c${index}`).join(', ');
  const filled = columns.map((_, index) => `c${index} IS NOT NULL`).join(' AND ');
  return (
    `WITH sampled AS (SELECT ${list} FROM ${quoteTable(name)} LIMIT ${sampledRows})` +
    ` SELECT (SELECT count(*) FROM sampled), (SELECT count(*) FROM (SELECT DISTINCT * FROM sampled WHERE ${filled}) AS filled)`
  );
}

/** Whether the columns identify the rows, by the counts of `distinctQuery`. */
export function isLikelyKey(
  columns: readonly string[],
  [all, distinct]: readonly unknown[],
): boolean {
  if (Number(all) === 0) return columns.length > 1 || columns.every(isNamedAsKey);
  return Number(all) === Number(distinct);
}

/** What the file says of a guessed key. */
export function guessedKey({ kind }: KeyGuess, columns: readonly string[]): string {
  const list = columns.join(', ');
  return columns.length > 1
    ? `${kind}: its values of ${list} are unique together now; write key: none if that is not meant.`
    : `${kind}: its values of ${list} are unique now; name another column of the id if that is not meant.`;
}
