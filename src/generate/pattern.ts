import { readPattern } from './pattern-structure.ts';
import { largestPermutation, type Random } from './random.ts';
import type { Field } from '../model/api.ts';
import type { Source } from './source.ts';
import type { Words } from './words/words.ts';

/** Makes the choices of a text: one of `size` ways, and a number of repetitions. */
interface Chooser {
  readonly below: (size: number) => number;
  readonly times: (least: number, most: number) => number;
}

/** A part of a pattern; `size` is a lower bound of its texts with the most repetitions. */
interface Part {
  readonly size: number;
  readonly make: (choose: Chooser) => string;
}

/** Texts that match a pattern. */
export interface PatternTexts {
  readonly size: number;
  readonly draw: (random: Random) => string;
  /** The text at a place; choices that the place does not determine are drawn. */
  readonly at: (place: number, random: Random) => string;
}

const edges = new Set(['^', '$', String.raw`\b`, String.raw`\B`]);

/**
 * Texts that match a valid pattern, made from its structure; `+` and `*` repeat up to `spread` times more than they must.
 * Undefined for look-around, back-references, and classes without a known character.
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
          // The place is used up: the rest may be anything.
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

/** Ranges in which the characters of a class are searched, the usual ones first. */
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

/** The characters of a token in the first block that has any; letters and digits for an open class. */
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

/** The longest part of a host name. */
const mostLabel = 60;

/** A pattern for a host name of a length. */
function hostPattern(length: number): string {
  const labels: string[] = [];
  let left = length;
  while (left > mostLabel + 1) {
    labels.push(`[a-z]{${mostLabel - 1}}`);
    left -= mostLabel;
  }
  return [...labels, `[a-z]{${left}}`].join(String.raw`\.`);
}

/** A pattern for texts of a format with exactly this length; undefined if there is none. */
function formatPattern(format: string | undefined, length: number): string | undefined {
  switch (format ?? '') {
    case 'email': {
      const local = Math.min(64, length - 2);
      if (local < 1) return undefined;
      const domain = length - local - 1;
      const usual = length > 12 && length <= 76 ? `[a-z]{${length - 12}}@example\\.com` : undefined;
      return usual ?? `[a-z]{${local}}@${hostPattern(domain)}`;
    }
    case 'url':
      if (length < 5) return undefined;
      return length >= 18
        ? `https://a\\.example/[a-z0-9]{${length - 18}}`
        : `a://[a-z]{${length - 4}}`;
    case 'hostname':
      return length > 253 ? undefined : hostPattern(length);
    case 'ipv4': {
      // Four parts of one to three digits.
      const extra = length - 7;
      if (extra < 0 || extra > 8) return undefined;
      const parts = [0, 1, 2, 3].map((index) => Math.floor((extra + 3 - index) / 4));
      return parts.map((more) => ['[1-9]', '[1-9][0-9]', '1[0-9]{2}'][more]).join(String.raw`\.`);
    }
    case 'ipv6': {
      if (length < 3 || length > 39) return undefined;
      const groups: number[] = [];
      let left = length - 2;
      while (left > 5) {
        groups.push(left === 6 ? 3 : 4);
        left -= left === 6 ? 4 : 5;
      }
      groups.push(Math.min(left, 4));
      return `::${groups.map((size) => `[1-9a-f]{${size}}`).join(':')}`;
    }
    default:
      return `[a-z0-9]{${length}}`;
  }
}

/** Meaningless text with the lengths and format of a field. */
export function plainText(field: Field, format: string | undefined, { random }: Words): Source {
  const { minLength = 0, maxLength = Infinity } = field.attributes;
  const usual = format === 'ipv4' ? 11 : format === 'email' || format === 'url' ? 24 : 12;
  const wanted = Math.max(minLength, Math.min(usual, maxLength));
  // If no text has exactly that length, a shorter or longer one may do.
  const lengths = [wanted, wanted + 1, wanted - 1, minLength, Math.min(maxLength, minLength + 40)];
  const texts = lengths
    .filter((length) => length >= minLength && length <= maxLength)
    .map((length) => formatPattern(format, length))
    .map((pattern) => (pattern === undefined ? undefined : patternTexts(pattern, 0)))
    .find((one) => one !== undefined);
  if (texts === undefined) return { name: 'string.alphanumeric', draw: () => '' };
  return {
    name: 'string.alphanumeric',
    pool: { size: texts.size, at: (place) => texts.at(place, random) },
    draw: () => texts.draw(random),
  };
}
