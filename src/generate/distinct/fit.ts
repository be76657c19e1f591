import { formatOf } from '../../model/field-types/texts/string.ts';
import type { Field } from '../../model/api.ts';
import { codePoints } from '../../model/validation/constraints.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { permuted } from '../random.ts';
import { cutAt } from '../words/text.ts';

/** Fits a text to the lengths of its field: cuts it between words, or repeats it. */
export function fitText(text: string, { attributes }: Field): string {
  const { minLength = 0, maxLength } = attributes;
  let fitted = text;
  if (maxLength !== undefined && text.length > maxLength) fitted = cutAt(text, maxLength);
  const length = minLength === 0 ? 0 : codePoints(fitted);
  if (length >= minLength) return fitted;
  const filling = text === '' ? 'text' : text;
  const joint = filling.includes(' ') || filling.endsWith('.') ? ' ' : '';
  const begun = fitted === '' ? filling : fitted;
  const again = `${joint}${filling}`;
  const missing = Math.max(0, minLength - codePoints(begun));
  const longer = begun + again.repeat(Math.ceil(missing / codePoints(again)));
  const most = Math.max(minLength, Math.min(maxLength ?? Infinity, codePoints(longer)));
  return Array.from(longer).slice(0, most).join('').trimEnd().padEnd(minLength, 'x');
}

/**
 * Makes a text distinct by the number of its row: before the `@` of an address, as seven digits of a telephone number, else
 * at the end, in letters if a pattern takes no digits. The text is cut if it would be too long.
 */
export function distinctText(text: string, row: number, field: Field): string {
  const { maxLength = Infinity } = field.attributes;
  const kind = formatOf(field);
  if (kind === 'email') {
    const at = text.lastIndexOf('@');
    const [local, domain] = [text.slice(0, at), text.slice(at)];
    const space = Math.min(64, maxLength - domain.length) - String(row).length;
    if (space < 1) return `${row}@b.c`;
    return `${endless(local.slice(0, space))}${row}${domain}`;
  }
  if (kind === 'hostname') {
    const [first = '', ...rest] = text.split('.');
    return [`${endless(first)}${row}`, ...rest].join('.');
  }
  if (/^\+\d{9,15}$/u.test(text) && row < numbers)
    return text.slice(0, -7) + String(permuted(row, numbers, numberKey)).padStart(7, '0');
  const joint =
    kind === 'url'
      ? /^[a-z]+:\/\/[^/]+$/u.test(text)
        ? '/'
        : '-'
      : kind === 'slug'
        ? '-'
        : /\s/u.test(text)
          ? ' '
          : '-';
  if (field.pattern === undefined) return numbered(text, row, joint, maxLength);
  // A pattern says which signs a name may have, and often limits the length.
  const candidates = [maxLength, 20, 16, 12, 8].flatMap((most) =>
    [joint, '_', '.', ''].map((other) => numbered(text, row, other, Math.min(most, maxLength))),
  );
  const fits = (candidate: string): boolean => readValue(candidate, field).ok;
  return candidates.find(fits) ?? lettered(text, row, field).find(fits) ?? candidates[0] ?? text;
}

/** Letters that write a number. An `x` comes before it, so that its letters are told from those of the text. */
const numerals = 'abcdefghijklmnopqrstuvwyz';

/** A text with its number in letters behind it, for a pattern without digits. */
function lettered(text: string, row: number, { attributes }: Field): readonly string[] {
  let suffix = '';
  for (let rest = row; rest > 0; rest = Math.floor(rest / numerals.length))
    suffix = numerals.charAt(rest % numerals.length) + suffix;
  suffix = `x${suffix}`;
  const { maxLength = Infinity } = attributes;
  return [maxLength, 20, 16, 12, 8].flatMap((most) => {
    const space = Math.max(0, Math.min(most, maxLength) - suffix.length);
    const cut = Array.from(text).slice(0, space).join('');
    return [cut + suffix, cut + suffix.toUpperCase()];
  });
}

/** A text with a number behind it, cut to a length; its last digits are the number alone. */
function numbered(text: string, row: number, joint: string, most: number): string {
  const suffix = `${joint}${row}`;
  // A text made from another unique field may contain the number already.
  if (joint !== '' && text.endsWith(suffix) && codePoints(text) <= most) return text;
  const space = most - suffix.length;
  if (space < 1) return String(row);
  const cut = codePoints(text) <= space ? text : Array.from(text).slice(0, space).join('');
  if (joint === '') return `${endless(cut)}${suffix}`;
  const end = joint === '_' || joint === '.' ? /[\s._-]+$/u : /[\s-]+$/u;
  return `${cut.replace(end, '')}${suffix}`;
}

/** The number of endings of telephone numbers. */
const numbers = 10_000_000;
const numberKey = { high: 7, low: 13 };

/** Drops digits at the end, which would merge with the number of the row. */
function endless(text: string): string {
  return text.replace(/[\d.]+$/u, '') || 'x';
}
