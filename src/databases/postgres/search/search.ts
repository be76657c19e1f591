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

/** The code points of a block, which are replaced together; of the first part, that of most texts, in smaller ones. */
const blockLength = 256;
const firstBlockLength = 32;

/**
 * Where the parts of Unicode begin that are looked into apart: Latin letters of Western Europe, those of others and accents,
 * other alphabets, more of both, signs, what lies between, compatible forms, and what is beyond the first 65,536 code points.
 */
const parts = [
  0x80, 0x1_00, 0x3_70, 0x1e_00, 0x20_00, 0x30_00, 0xf9_00, 0x1_00_00, 0x11_00_00,
] as const;

/** Ends the function where nothing but ASCII is left. */
const endsInAscii = 'IF octet_length(folded) = length(folded) THEN RETURN lower(folded); END IF;';

/**
 * The statement that makes the function. Characters are replaced block by block, since `translate` compares each
 * character of a text with each of its own: all 3,400 at once take 60 times as long for a text with an accent. PostgreSQL
 * keeps 32 regular expressions that it has compiled, so a text meets those of the parts of Unicode that it is from, and one
 * for each other part: with all 39 each would be compiled again for each text, which takes 2 ms.
 * The planner takes it for as dear as it is, so that it looks a word up rather than folding every text.
 */
export function functionStatement(): string {
  // The rest is done by `lower`.
  const pairs = [...allFoldings()].filter(([character]) => character >= '\u0080');
  const steps = parts.slice(0, -1).flatMap((first, index) => {
    const end = parts[index + 1] ?? first;
    const inPart = pairs.filter(([one]) => codeOf(one) >= first && codeOf(one) < end);
    const own = stepsOf(inPart, index === 0 ? firstBlockLength : blockLength);
    if (own.length === 0) return [];
    // Most texts have no other letters, and need no look at the rest.
    if (index === 0) return own.flatMap((step) => [step, endsInAscii]);
    const from = String.fromCodePoint(first);
    const to = String.fromCodePoint(end - 1);
    return [`IF folded ~ '[${from}-${to}]' THEN`, ...own, 'END IF;'];
  });
  return (
    `CREATE OR REPLACE FUNCTION ${quote(foldName())}(text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $body$\n` +
    `DECLARE folded text COLLATE "C" := $1;\nBEGIN\n${[endsInAscii, ...steps].join('\n')}\nRETURN lower(folded);\nEND $body$`
  );
}

/** A character, and what it folds to. */
type Pair = readonly [string, string];

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** Replaces characters, first those that become several ones, then the others block by block. */
function stepsOf(pairs: readonly Pair[], length: number): readonly string[] {
  const isLong = ([, text]: Pair): boolean => Array.from(text).length > 1;
  const long = pairs.filter(isLong);
  const replaced = long.reduce(
    (sql, [character, text]) => `replace(${sql}, '${character}', '${text}')`,
    'folded',
  );
  const blocks = Map.groupBy(
    pairs.filter((pair) => !isLong(pair)),
    ([character]) => Math.floor(codeOf(character) / length),
  );
  const translated = [...blocks.values()].map((block) => {
    // What has no counterpart is left out.
    const sorted = block.toSorted(([, a], [, b]) => b.length - a.length);
    const [from, to] = [0, 1].map((side) => sorted.map((pair) => pair[side]).join(''));
    return onlyWith(block, `translate(folded, '${from}', '${to}')`);
  });
  return long.length === 0 ? translated : [onlyWith(long, replaced), ...translated];
}

/**
 * The statement that lets every role fold texts, as each that writes to the table has to, if the privileges that functions
 * have by default were taken away.
 */
export function functionGrant(): string {
  return `GRANT EXECUTE ON FUNCTION ${quote(foldName())}(text) TO PUBLIC`;
}

/** A replacement of these characters in texts that have one of them. */
function onlyWith(pairs: readonly Pair[], replacement: string): string {
  const characters = pairs.map(([character]) => character).join('');
  return `IF folded ~ '[${characters}]' THEN folded := ${replacement}; END IF;`;
}
