import { singular } from '../../lib/text/singular.ts';
import { longestName } from '../../specification/parsers/names.ts';

/** Words whose plural equals the singular. */
const uncountable = new Set(
  'data,equipment,feedback,fish,information,inventory,media,metadata,money,news,series,sheep,software,species,staff'.split(
    ',',
  ),
);

const irregular: ReadonlyMap<string, string> = new Map([
  ['person', 'people'],
  ['child', 'children'],
  ['man', 'men'],
  ['woman', 'women'],
  ['mouse', 'mice'],
  ['foot', 'feet'],
  ['tooth', 'teeth'],
  ['goose', 'geese'],
]);

/** The plural of an English word in lower case; a plural stays as it is. */
export function plural(word: string): string {
  if (uncountable.has(word)) return word;
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (singular(word) !== word) return word;
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/u.test(word) ? `${word}es` : `${word}s`;
}

/** Letters that Unicode does not decompose into an ASCII letter and a mark. */
const spelled: ReadonlyMap<string, string> = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }),
);

function spell(letter: string): string {
  const small = spelled.get(letter);
  return small ?? capital(spelled.get(letter.toLowerCase()) ?? letter);
}

/** The words of a name in lower case, the same for `InvoiceLine`, `invoice_line` and `invoice line`. */
export function wordsOf(name: string): readonly string[] {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{ASCII}]/gu, spell)
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/gu, '$1 $2')
    .split(/[^A-Za-z\d]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** A name has to begin with a letter. */
function fromLetter(name: string, otherwise: string): string {
  if (name === '') return otherwise;
  return /^[a-z]/iu.test(name) ? name : `${otherwise}${name}`;
}

/** The resource name for a table: plural, lower case, with hyphens. */
export function resourceName(table: string): string {
  const words = wordsOf(table);
  const last = words.at(-1);
  const all = last === undefined ? [] : [...words.slice(0, -1), plural(last)];
  return fromLetter(all.join('-'), 'table');
}

/** The field name for a column: `album_id`, `AlbumId` and `ALBUM ID` become `albumId`. */
export function fieldName(name: string): string {
  const [first = '', ...others] = wordsOf(name);
  return fromLetter(first + others.map(capital).join(''), 'field');
}

/** `name` with its first letter in upper case. */
export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * The first of `name`, `name2`, `name3` … that is not taken, ignoring case; adds it to the taken names. A name that is too
 * long is truncated.
 */
export function freeName(name: string, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : String(number);
    const candidate = name.slice(0, longestName - end.length) + end;
    if (taken.has(candidate.toLowerCase())) continue;
    taken.add(candidate.toLowerCase());
    return candidate;
  }
}

/** Why a column cannot be in a file: names must differ by more than case, so only the first of such columns can. */
export function likeAnother(column: string, columns: readonly string[]): string | undefined {
  const first = columns.find((one) => one.toLowerCase() === column.toLowerCase());
  return first === undefined || first === column
    ? undefined
    : `only in case does its name differ from that of ${first}`;
}
