import type { Field } from '../../model/api.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { cutAt } from '../words/text.ts';

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const cases: readonly ((word: string) => string)[] = [
  (word) => word,
  capitalized,
  (word) => word.toUpperCase(),
];

/** The most characters of a shortened name: a pattern often limits the length. */
const shorter = [20, 16, 12, 8];

/** How names of a kind are written, the usual way first: what joins their words, and what comes before them. */
export interface Spelling {
  readonly joints: readonly [string, ...string[]];
  readonly heads: readonly [string, ...string[]];
}

/**
 * Writes a name of words in small letters as the pattern of its field allows: joined by another joint, with capitals,
 * shortened, or without its numbers. It is written the usual way if there is no pattern, and if none of these fits.
 */
export function spelled(
  words: readonly string[],
  { joints, heads }: Spelling,
  field: Field,
): string {
  const usual = heads[0] + words.join(joints[0]);
  if (field.pattern === undefined) return usual;
  const unnumbered = words.filter((word) => !/\d/u.test(word));
  const tried = new Set<string>();
  for (const chosen of unnumbered.length === 0 ? [words] : [words, unnumbered])
    for (const inCase of cases)
      for (const most of [Infinity, ...shorter]) {
        const parts = cutAt(chosen.join(' '), most).split(' ').map(inCase);
        for (const text of joints.flatMap((joint) =>
          heads.map((head) => head + parts.join(joint)),
        )) {
          if (tried.has(text)) continue;
          tried.add(text);
          if (readValue(text, field).ok) return text;
        }
      }
  return usual;
}
