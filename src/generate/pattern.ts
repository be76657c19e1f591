import { readPattern } from './pattern-structure.ts';
import { largestPermutation, type Random } from './random.ts';

/** Makes the choices of a text: which of `size` ways, and how often something between two bounds. */
interface Chooser {
  readonly below: (size: number) => number;
  readonly times: (least: number, most: number) => number;
}

/** A part of a pattern: how many texts it has at least where every repetition is as long as it may be. */
interface Part {
  readonly size: number;
  readonly make: (choose: Chooser) => string;
}

/** Texts that match a pattern. */
export interface PatternTexts {
  readonly size: number;
  readonly draw: (random: Random) => string;
  /** The text of a place; what the place leaves open is drawn. */
  readonly at: (place: number, random: Random) => string;
}

const edges = new Set(['^', '$', String.raw`\b`, String.raw`\B`]);

/**
 * Texts that match a valid pattern, made from its structure; `+` and `*` repeat up to `spread` times more than they
 * must. Undefined where the pattern looks around or back, or has a class without a known character.
 */
export function patternTexts(source: string, spread: number): PatternTexts | undefined {
  let isKnown = true;
  const root = readPattern<Part>(source, {
    single: (token) => {
      if (edges.has(token)) return { size: 1, make: () => '' };
      if (!/^[[\\.]/u.test(token)) return { size: 1, make: () => token };
      const characters = charactersOf(token);
      if (characters.length === 0) isKnown = false;
      return {
        size: characters.length,
        make: (choose) => characters[choose.below(characters.length)] ?? '',
      };
    },
    oneOf: (parts) => ({
      size: parts.length * Math.min(...parts.map(({ size }) => size)),
      make: (choose) => parts[choose.below(parts.length)]?.make(choose) ?? '',
    }),
    inOrder: (parts) => ({
      size: parts.reduce((product, { size }) => product * size, 1),
      make: (choose) => parts.map((part) => part.make(choose)).join(''),
    }),
    repeated: (part, least, most) => {
      const last = Math.min(most, least + spread);
      return {
        size: part.size ** last,
        make: (choose) =>
          Array.from({ length: choose.times(least, last) }, () => part.make(choose)).join(''),
      };
    },
  });
  if (root === undefined || !isKnown || !(root.size >= 1)) return undefined;
  return {
    size: Math.min(root.size, largestPermutation),
    draw: (random) =>
      root.make({
        below: (size) => random.below(size),
        times: (least, most) => random.between(least, most),
      }),
    at: (place, random) => {
      let [rest, open] = [place, largestPermutation];
      return root.make({
        below: (size) => {
          // Once the place is told apart, the others may be anything.
          if (open <= 1) return random.below(size);
          const digit = rest % size;
          [rest, open] = [Math.floor(rest / size), open / size];
          return digit;
        },
        times: (_least, most) => most,
      });
    },
  };
}

/** Ranges of characters in which those of a class are looked for, the usual ones first. */
const blocks = [
  [0x20, 0x7e],
  [0xa1, 0x24f],
  [0x370, 0x52f],
  [0x5d0, 0x6ff],
  [0x3040, 0x30ff],
  [0x4e00, 0x4fff],
  [0x1f300, 0x1f64f],
  [0x0, 0x1f],
] as const;

/** The characters that a token stands for, of the first block that has any; of an open class letters and digits. */
function charactersOf(token: string): readonly string[] {
  const single = new RegExp(`^${token}$`, 'u');
  const isOpen = /^(?:\.|\[\^|\\[SDPW])/u.test(token);
  for (const [from, to] of blocks) {
    const fitting: string[] = [];
    for (let code = from; code <= to; code += 1) {
      const character = String.fromCodePoint(code);
      if (single.test(character)) fitting.push(character);
    }
    const plain = fitting.filter((character) => /[a-z0-9]/u.test(character));
    if (isOpen && plain.length > 0) return plain;
    if (fitting.length > 0) return fitting;
  }
  return [];
}
