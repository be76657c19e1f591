import { createHash } from 'node:crypto';

/**
 * Texts as `search` compares them: case folded by Unicode's full CaseFolding, and letters without their combining marks.
 * Each character folds by itself, to nothing (a mark), to one character or to several (ß to ss). See
 * docs/contract/2-reading.md#search, rule 3.
 */

/** Accents and other marks of Latin, Greek and Cyrillic letters, and points of Hebrew and Arabic ones. */
const marks =
  '\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f' +
  '\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u1ab0-\\u1ace\\u1dc0-\\u1dff\\u20d0-\\u20f0\\ufe20-\\ufe2f';
const anyMark = new RegExp(`[${marks}]`, 'gu');

/** Characters outside of these fold to themselves: ideographs, Hangul, surrogates, private ones. */
const ranges = [
  [0x00, 0x33ff],
  [0xa000, 0xabff],
  [0xf900, 0xffff],
  [0x1_00_00, 0x1_ff_ff],
  [0x2_f8_00, 0x2_fa_1f],
] as const;

function foldCharacter(character: string): string {
  // CaseFolding leaves it alone: the dotless pair belongs to Turkish.
  if (character === 'ı') return character;
  const letters = withoutMarks(character.normalize('NFD'));
  const folded = withoutMarks(caseFolded(letters).normalize('NFD')).normalize('NFC');
  // Only case makes several characters of one: what has parts that are no marks (Kana, Devanagari) stays whole.
  return length(folded) > length(caseFolded(character)) ? character : folded;
}

function caseFolded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

function length(text: string): number {
  return Array.from(text).length;
}

function withoutMarks(text: string): string {
  return text.replaceAll(anyMark, '');
}

/** How many characters are looked at together. */
const blockLength = 256;

/** Whether some of the characters may fold: of most blocks none has a case, a mark or parts. */
function mayFold(block: string): boolean {
  return (
    /\p{Changes_When_Casemapped}/u.test(block) ||
    block.normalize('NFD') !== block ||
    withoutMarks(block) !== block
  );
}

/** What characters fold to that do not fold to themselves. */
let table: ReadonlyMap<string, string> | undefined;

function foldings(): ReadonlyMap<string, string> {
  if (table !== undefined) return table;
  const made = new Map<string, string>();
  // One by one they would take a sixth of a second, in which nothing else is answered.
  for (const [first, last] of ranges)
    for (let start = first; start <= last; start += blockLength) {
      const length = Math.min(blockLength, last - start + 1);
      const block = Array.from({ length }, (_, at) => String.fromCodePoint(start + at));
      if (!mayFold(block.join(''))) continue;
      for (const character of block) {
        const folded = foldCharacter(character);
        if (folded !== character) made.set(character, folded);
      }
    }
  table = made;
  return made;
}

/** A text as `search` compares it. */
export function searchFolded(text: string): string {
  if (!/\P{ASCII}/u.test(text)) return text.toLowerCase();
  const known = foldings();
  return text
    .replaceAll(/\P{ASCII}/gu, (character) => known.get(character) ?? character)
    .toLowerCase();
}

let long: readonly (readonly [string, string])[] | undefined;

/** The characters that fold to several, with what they fold to. */
export function longFoldings(): readonly (readonly [string, string])[] {
  long ??= [...foldings()].filter(([, folded]) => length(folded) > 1);
  return long;
}

/** What each character folds to that does not fold to itself: to nothing, to one character or to several. */
export function allFoldings(): ReadonlyMap<string, string> {
  return foldings();
}

let digest: string | undefined;

/** Tells the foldings apart from those of another version of Unicode. Texts that were folded by others are not compared. */
export function foldingDigest(): string {
  digest ??= createHash('sha256')
    .update(JSON.stringify([...foldings()]))
    .digest('hex')
    .slice(0, 8);
  return digest;
}

/** The characters that fold to one character, by that character. */
let sources: ReadonlyMap<string, readonly string[]> | undefined;

function foldedFrom(): ReadonlyMap<string, readonly string[]> {
  if (sources !== undefined) return sources;
  const made = new Map<string, string[]>();
  for (const [character, folded] of foldings()) {
    const known = made.get(folded);
    if (known === undefined) made.set(folded, [character]);
    else known.push(character);
  }
  sources = made;
  return made;
}

/**
 * A regular expression, as PostgreSQL and JavaScript read it, for what folds to a text. Characters that fold to several
 * have to be replaced in the text that it is matched against.
 */
export function searchPattern(text: string): string {
  return Array.from(searchFolded(text), (character) => {
    const others = foldedFrom().get(character) ?? [];
    return `[${[character, ...others].map(escaped).join('')}]`;
  }).join(`[${marks}]*`);
}

/** A character inside brackets. */
function escaped(character: string): string {
  return /[\\\]^[-]/u.test(character) ? `\\${character}` : character;
}
