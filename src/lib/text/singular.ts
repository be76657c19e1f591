/** English plurals and their singulars, the first ending that fits. */
const endings: readonly (readonly [RegExp, string])[] = [
  [/^(series|species|news)$/u, '$1'],
  [/^people$/u, 'person'],
  [/^children$/u, 'child'],
  [/^(wo)?men$/u, '$1man'],
  [/^mice$/u, 'mouse'],
  [/^geese$/u, 'goose'],
  [/^feet$/u, 'foot'],
  [/^teeth$/u, 'tooth'],
  [/^(cache|axe)s$/u, '$1'],
  [/^quizzes$/u, 'quiz'],
  [/^(alias|canvas|atlas)es$/u, '$1'],
  [/^(matr|append)ices$/u, '$1ix'],
  [/^(ind|vert)ices$/u, '$1ex'],
  [/^(analy|cri|diagno|hypothe|parenthe|synop)ses$/u, '$1sis'],
  [/^(kni|wi|li)ves$/u, '$1fe'],
  [/^(lea|shel|wol|hal|thie|loa|cal)ves$/u, '$1f'],
  [/^(her|potat|tomat|ech|vet|carg)oes$/u, '$1o'],
  [/^(menu|sku|cpu|gpu|guru)s$/u, '$1'],
  [/^(t|p|l|d|mov|cook|brown|zomb|calor|hood|self|smooth)ies$/u, '$1ie'],
  [/([^aeiou])ies$/u, '$1y'],
  [/(ss|sh|ch|x|zz|[^aeo]us)es$/u, '$1'],
  [/([^su])s$/u, '$1'],
];

/** The singular of an English plural in lower case, as far as endings tell. */
export function singular(word: string): string {
  const [pattern, ending] = endings.find(([pattern]) => pattern.test(word)) ?? [];
  return pattern === undefined || ending === undefined ? word : word.replace(pattern, ending);
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
