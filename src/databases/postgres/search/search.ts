import { allFoldings, foldingDigest } from '../../../lib/text/search-folding.ts';
import { quote, quoteTable, type SqlSyntax } from '../../../sql/dialect.ts';
import { searchIndexOf } from '../../../sql/schema/search-index.ts';
import { servicePrefix } from '../../../model/service-table.ts';
import type { SearchSchema } from '../../../sql/schema/table.ts';

// A search index is a GIN index of trigrams over the folded texts of a table. A function folds them, whose name says of which
// foldings it is. See docs/decisions/0038-search-indexes.md.

/** The function that folds a text as `search` compares it. */
export function foldName(): string {
  return `${servicePrefix}folded_${foldingDigest()}`;
}

/** A text, folded. A text by code point, since no other collation takes a pattern on every version. */
function folded(column: string): string {
  return `(${quote(foldName())}(${column}) COLLATE "C")`;
}

/** Each word in one of the texts. The index decides it alone, since PostgreSQL compares what it finds. */
export const indexedSearch: NonNullable<SqlSyntax['indexedSearch']> = (
  resource,
  texts,
  column,
  words,
  plain,
) => {
  if (searchIndexOf(resource) === undefined) return plain();
  const all = words.map((word) => {
    const any = texts.map((text) => `${folded(column(text))} LIKE ${word()}`);
    return `(${any.join(' OR ')})`;
  });
  return `(${all.join(' AND ')})`;
};

/** The statement that makes the index. `schema` is that of the extension. */
export function indexStatement(
  table: string,
  { name, columns }: SearchSchema,
  schema: string,
): string {
  const keys = columns.map((one) => `${folded(quote(one))} ${quote(schema)}.gin_trgm_ops`);
  return `CREATE INDEX ${quote(name)} ON ${quoteTable(table)} USING gin (${keys.join(', ')})`;
}

/** The code points of a block, which are replaced together. */
const blockLength = 256;

/**
 * The statement that makes the function. Characters are replaced block by block, since `translate` compares each
 * character of a text with each of its own: all 3,400 at once take 60 times as long for a text with an accent.
 * The planner takes it for as dear as it is, so that it looks a word up rather than folding every text.
 */
export function functionStatement(): string {
  const blocks = new Map<number, [string, string][]>();
  const long: [string, string][] = [];
  for (const pair of allFoldings()) {
    const [character, text] = pair;
    // The rest is done by `lower`.
    if (character < '\u0080') continue;
    if (Array.from(text).length > 1) long.push(pair);
    else {
      const block = Math.floor((character.codePointAt(0) ?? 0) / blockLength);
      blocks.set(block, [...(blocks.get(block) ?? []), pair]);
    }
  }
  const steps = [...blocks.values()].map((pairs) => {
    // What has no counterpart is left out.
    const sorted = pairs.toSorted(([, a], [, b]) => b.length - a.length);
    const [from, to] = [0, 1].map((side) => sorted.map((pair) => pair[side]).join(''));
    return onlyWith(pairs, `translate(folded, '${from}', '${to}')`);
  });
  const replaced = long.reduce(
    (sql, [character, text]) => `replace(${sql}, '${character}', '${text}')`,
    'folded',
  );
  return (
    `CREATE OR REPLACE FUNCTION ${quote(foldName())}(text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $body$\n` +
    `DECLARE folded text COLLATE "C" := $1;\nBEGIN\n` +
    `IF octet_length(folded) = length(folded) THEN RETURN lower(folded); END IF;\n` +
    `${[...steps, onlyWith(long, replaced)].join('\n')}\nRETURN lower(folded);\nEND $body$`
  );
}

/**
 * The statement that lets every role fold texts, as each that writes to the table has to, if the privileges that functions
 * have by default were taken away.
 */
export function functionGrant(): string {
  return `GRANT EXECUTE ON FUNCTION ${quote(foldName())}(text) TO PUBLIC`;
}

/** A replacement of these characters in texts that have one of them. */
function onlyWith(pairs: readonly (readonly [string, string])[], replacement: string): string {
  const characters = pairs.map(([character]) => character).join('');
  return `IF folded ~ '[${characters}]' THEN folded := ${replacement}; END IF;`;
}
