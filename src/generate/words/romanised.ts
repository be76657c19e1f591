/** Letters of other scripts, as passports and e-mail addresses write them. */
const cyrillic =
  'а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ - ы y ь - э e ю yu я ya ' +
  'є ye і i ї yi ґ g ў u ђ d ј j љ lj њ nj ћ c џ dz ѓ g ќ k ѕ dz';
const greek =
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o';
const armenian =
  'ա a բ b գ g դ d ե e զ z է e ը e թ t ժ zh ի i լ l խ kh ծ ts կ k հ h ձ dz ղ gh ճ ch մ m յ y ն n շ sh ո o չ ch պ p ջ j ռ r ս s վ v տ t ր r ց ts ւ v փ p ք k օ o ֆ f';
const hebrew =
  'א a ב b ג g ד d ה h ו v ז z ח h ט t י i כ k ך k ל l מ m ם m נ n ן n ס s ע a פ p ף f צ ts ץ ts ק k ר r ש sh ת t';
const arabic =
  'ا a أ a إ i آ a ب b ت t ث th ج j ح h خ kh د d ذ dh ر r ز z س s ش sh ص s ض d ط t ظ z ع a غ gh ف f ق q ك k ک k ل l م m ن n ه h ة a و w ي y ی y ى a ء - ئ y ؤ w پ p چ ch ژ zh گ g';

const georgian =
  'ა a ბ b გ g დ d ე e ვ v ზ z თ t ი i კ k ლ l მ m ნ n ო o პ p ჟ zh რ r ს s ტ t უ u ფ p ქ k ღ gh ყ q შ sh ჩ ch ც ts ძ dz წ ts ჭ ch ხ kh ჯ j ჰ h';

const letters: ReadonlyMap<string, string> = new Map(
  [cyrillic, greek, armenian, georgian, hebrew, arabic].flatMap((table) =>
    [...table.matchAll(/(\S+) (\S+)/gu)].map(
      ([, letter = '', latin = '']) => [letter, latin === '-' ? '' : latin] as const,
    ),
  ),
);

/** The parts of a Korean syllable in the order of Unicode (Revised Romanization). */
const initials = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ');
const vowels = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ');
const finals = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ');
const firstSyllable = 0xac00;

function syllable(code: number): string {
  const place = code - firstSyllable;
  const part = (list: readonly string[], index: number): string =>
    list[index]?.replace('-', '') ?? '';
  const [initial, vowel] = [Math.floor(place / 588), Math.floor((place % 588) / 28)];
  return part(initials, initial) + part(vowels, vowel) + part(finals, place % 28);
}

/** A text in lower case with Latin letters in place of those of scripts that have letters; others stay. */
export function romanised(text: string): string {
  if (!/[^\p{Script=Latin}\p{Script=Common}\p{M}]/u.test(text)) return text;
  return text.replaceAll(/\p{L}/gu, (letter) => {
    const code = letter.charCodeAt(0);
    if (code >= firstSyllable && code <= 0xd7a3) return syllable(code);
    return letters.get(letter) ?? letters.get(letter.normalize('NFD').charAt(0)) ?? letter;
  });
}
