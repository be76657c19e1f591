import type { Row, Shape, World } from './oracle-model.ts';

/** Formats of texts of which each is a type of its own. */
const otherTypes: ReadonlySet<string> = new Set(['base64', 'uuid', 'url']);

/** Whether `search` looks into a field where the file says nothing. */
export function isSearched({ definition: { type, format = '' } }: Shape): boolean {
  return ['string', 'text', 'email'].includes(type) && !otherTypes.has(format);
}

/** A text without case and marks, as docs/contract/2-reading.md#search, rule 3 has it. */
export function folded(text: string): string {
  return Array.from(text.normalize('NFD').replaceAll(/\p{M}/gu, ''), (character) =>
    character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase(),
  ).join('');
}

/** Whether every word is in one of the texts of a record. */
export function isFound(world: World, { resource, item }: Row, words: readonly string[]): boolean {
  const texts = [...world.resource(resource).fields]
    .filter(([, shape]) => isSearched(shape))
    .map(([name]) => item[name])
    .filter((value) => typeof value === 'string')
    .map(folded);
  return words.every((word) => texts.some((text) => text.includes(folded(word))));
}
