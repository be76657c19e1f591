import { formatOf } from '../../model/field-types/string.ts';
import type { Field } from '../../model/api.ts';
import { codePoints } from '../../model/constraints.ts';
import { permuted } from '../random.ts';
import { cutAt } from '../words/text.ts';

/** Makes a text as long as its field wants it: cut between words, or said again. */
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
 * A text with the number of its row in it, so that no other row has it: before the `@` of an address, at the end of
 * anything else, where a telephone number has seven digits that stand for it. What leaves no room for it is cut.
 */
export function distinctText(text: string, row: number, field: Field): string {
  const { maxLength = Infinity } = field.attributes;
  const kind = formatOf(field);
  if (kind === 'email') {
    const at = text.lastIndexOf('@');
    const [local, domain] = [text.slice(0, at), text.slice(at)];
    const room = Math.min(64, maxLength - domain.length) - String(row).length;
    if (room < 1) return `${row}@b.c`;
    return `${endless(local.slice(0, room))}${row}${domain}`;
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
  const suffix = `${joint}${row}`;
  // What is made of another unique field may have the number of the row already.
  if (text.endsWith(suffix) && codePoints(text) <= maxLength) return text;
  const room = maxLength - suffix.length;
  if (room < 1) return String(row);
  const cut = codePoints(text) <= room ? text : Array.from(text).slice(0, room).join('');
  return `${cut.replace(/[\s-]+$/u, '')}${suffix}`;
}

/** The last digits of telephone numbers, each of which belongs to one row. */
const numbers = 10_000_000;
const numberKey = { high: 7, low: 13 };

/** Without digits at the end, where they would run into the number of the row. */
function endless(text: string): string {
  return text.replace(/[\d.]+$/u, '') || 'x';
}
