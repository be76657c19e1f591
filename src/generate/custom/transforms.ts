import type { Words } from '../words/words.ts';

/** Changes a drawn value; values of other types stay. */
export type Transform = (value: unknown) => unknown;

const onText =
  (change: (text: string) => string): Transform =>
  (value) =>
    typeof value === 'string' ? change(value) : value;

/** Rounds half away from zero in decimal notation, not by the binary value. */
function rounded(value: unknown, places: number): unknown {
  const number = Number(value);
  if (typeof value === 'boolean' || value === null || value === '' || !Number.isFinite(number))
    return value;
  const shifted = Number(`${Math.abs(number)}e${places}`);
  // A number with an exponent is too large or small to round.
  if (Number.isNaN(shifted)) return value;
  const result = Math.sign(number) * Number(`${Math.round(shifted)}e-${places}`);
  return typeof value === 'string' ? result.toFixed(places) : result;
}

/** The built-in transform of this name; undefined for a module function. */
export function namedTransform(text: string, words: Words): Transform | undefined {
  const [, name = '', argument = ''] = /^([a-z]+)(?:\((.*)\))?$/su.exec(text) ?? [];
  switch (name) {
    case 'lowercase':
      return onText((value) => value.toLowerCase());
    case 'uppercase':
      return onText((value) => value.toUpperCase());
    case 'trim':
      return onText((value) => value.trim());
    case 'slug':
      return onText((value) => words.ascii(value, '-'));
    case 'round':
      return (value) => rounded(value, Number(argument));
    case 'prefix':
      return (value) =>
        typeof value === 'string' || typeof value === 'number' ? `${argument}${value}` : value;
    case 'truncate':
      return onText((value) => Array.from(value).slice(0, Number(argument)).join(''));
    default:
      return undefined;
  }
}
