import { nearest } from '../spec/nearest.ts';

const irregular: Readonly<Record<string, string>> = {
  people: 'person',
  children: 'child',
  men: 'man',
  women: 'woman',
  mice: 'mouse',
  geese: 'goose',
  feet: 'foot',
  teeth: 'tooth',
};

/** The singular of an English plural in lower case, as far as endings tell. */
export function singular(word: string): string {
  const known = irregular[word];
  if (known !== undefined) return known;
  if (/[^aeiou]ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z|us)es$/u.test(word)) return word.slice(0, -2);
  if (/[^su]s$/u.test(word)) return word.slice(0, -1);
  return word;
}

/** `media-types` → `mediaType`: what one record of a resource is called in a field's name. */
export function recordName(resource: string): string {
  const words = resource.split(/[-_]/u).filter((word) => word !== '');
  const last = words.length - 1;
  return words
    .map((word, index) => (index === last ? singular(word) : word))
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
}

/** "there is no field titel; did you mean title?" */
export function unknownName(kind: string, name: string, candidates: Iterable<string>): string {
  const guess = nearest(name, [...candidates]);
  return `there is no ${kind} ${name}${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}
