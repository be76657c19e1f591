import scripts from './scripts.json' with { type: 'json' };

/** Letters that decomposition leaves as they are. */
const undecomposed: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ə: 'e',
};
const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/** Lower-case ASCII letters and digits of a text, its words joined by `joint`; empty if there are none. */
export function asciiOf(text: string, joint: string, isGerman = false): string {
  const parts = text
    .toLowerCase()
    .replaceAll(/[äöü]/gu, (letter) => (isGerman ? (umlauts[letter] ?? letter) : letter))
    .replaceAll(/[ßæœøđðþłıə]/gu, (letter) => undecomposed[letter] ?? '')
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’.]/gu, '')
    .match(/[a-z0-9]+/gu);
  return (parts ?? []).join(joint);
}

/** The Latin spelling of letters in other scripts, as in passports and e-mail addresses. */
const latinByLetter: ReadonlyMap<string, string> = new Map(
  Object.values<Readonly<Record<string, string>>>(scripts).flatMap((script) =>
    Object.entries(script),
  ),
);

/** The parts of a Korean syllable in the order of Unicode (Revised Romanization); `-` is no sound. */
const initials = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ');
const vowels = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ');
const finals = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ');
const firstSyllable = 0xac00;
const lastSyllable = 0xd7a3;

function romanisedSyllable(code: number): string {
  const place = code - firstSyllable;
  const part = (list: readonly string[], index: number): string =>
    list[index]?.replace('-', '') ?? '';
  const [initial, vowel] = [Math.floor(place / 588), Math.floor((place % 588) / 28)];
  return part(initials, initial) + part(vowels, vowel) + part(finals, place % 28);
}

/** Runs of letters with their marks in other scripts than Latin. */
const otherRuns = /(?:(?!\p{Script=Latin})[\p{L}\p{M}])+/gu;

/**
 * Spells a lower-case text in Latin letters. `otherLetters` spells scripts that are not listed here. Chinese characters
 * become words, because no space separates them.
 */
export function romanised(text: string, otherLetters: (text: string) => string): string {
  if (!/[^\p{Script=Latin}\p{Script=Common}\p{M}]/u.test(text)) return text;
  const listed = text.replaceAll(/\p{L}/gu, (letter) => {
    const code = letter.charCodeAt(0);
    if (code >= firstSyllable && code <= lastSyllable) return romanisedSyllable(code);
    return (
      latinByLetter.get(letter) ?? latinByLetter.get(letter.normalize('NFD').charAt(0)) ?? letter
    );
  });
  return listed.replaceAll(otherRuns, (run) =>
    /\p{L}/u.test(run)
      ? otherLetters(run.replaceAll(/\p{Script=Han}/gu, ' $& ').replaceAll('ー', '')).toLowerCase()
      : run,
  );
}

/** The first `most` code points, cut at the last space if that is in their second half. */
export function cutAt(text: string, most: number): string {
  const points = Array.from(text);
  if (points.length <= most) return text;
  const cut = points.slice(0, most).join('');
  const blank = cut.lastIndexOf(' ');
  const whole = points[most] !== ' ' && blank > cut.length / 2 ? cut.slice(0, blank) : cut;
  return whole.replace(/[\s,;:–-]+$/u, '') || cut;
}
