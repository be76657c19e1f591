/** Letters that decomposition leaves as they are. */
const letters: Readonly<Record<string, string>> = {
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

/** Text in lower case, with ASCII letters and digits alone, parts joined by `joint`; empty where none is left. */
export function asciiOf(text: string, joint: string, isGerman = false): string {
  const parts = text
    .toLowerCase()
    .replaceAll(/[äöü]/gu, (letter) => (isGerman ? (umlauts[letter] ?? letter) : letter))
    .replaceAll(/[ßæœøđðþłıə]/gu, (letter) => letters[letter] ?? '')
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’.]/gu, '')
    .match(/[a-z0-9]+/gu);
  return (parts ?? []).join(joint);
}

/** The first `most` code points, cut between words where a word begins in their second half. */
export function cutAt(text: string, most: number): string {
  const points = Array.from(text);
  if (points.length <= most) return text;
  const cut = points.slice(0, most).join('');
  const blank = cut.lastIndexOf(' ');
  const whole = points[most] !== ' ' && blank > cut.length / 2 ? cut.slice(0, blank) : cut;
  return whole.replace(/[\s,;:–-]+$/u, '') || cut;
}
