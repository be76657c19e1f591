import type { Field } from '../model/api.ts';
import { patternTexts } from './pattern.ts';
import type { Source } from './source.ts';
import type { Words } from './words/words.ts';

/** The longest part of a host name. */
const mostLabel = 60;

/** A pattern for a name of a host of so many characters. */
function hostPattern(length: number): string {
  const labels: string[] = [];
  let left = length;
  while (left > mostLabel + 1) {
    labels.push(`[a-z]{${mostLabel - 1}}`);
    left -= mostLabel;
  }
  return [...labels, `[a-z]{${left}}`].join(String.raw`\.`);
}

/** A pattern for addresses of a format of just so many characters; undefined where there is none. */
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

/** Text that satisfies the lengths and the format of a field and says nothing. */
export function plainText(field: Field, format: string | undefined, { random }: Words): Source {
  const { minLength = 0, maxLength = Infinity } = field.attributes;
  const usual = format === 'ipv4' ? 11 : format === 'email' || format === 'url' ? 24 : 12;
  const wanted = Math.max(minLength, Math.min(usual, maxLength));
  // Where no text has just that length, a shorter or a longer one may do.
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
