import type { Words } from '../words/words.ts';

/** What is done to a value that was drawn; a value of another kind stays as it is. */
export type Transform = (value: unknown) => unknown;

const onText =
  (change: (text: string) => string): Transform =>
  (value) =>
    typeof value === 'string' ? change(value) : value;

/** Rounds half away from zero in decimal notation, whatever the double of a number is. */
function rounded(value: unknown, places: number): unknown {
  const number = Number(value);
  if (typeof value === 'boolean' || value === null || value === '' || !Number.isFinite(number))
    return value;
  const shifted = Number(`${Math.abs(number)}e${places}`);
  // A number with an exponent of its own is beyond what rounding changes.
  if (Number.isNaN(shifted)) return value;
  const result = Math.sign(number) * Number(`${Math.round(shifted)}e-${places}`);
  return typeof value === 'string' ? result.toFixed(places) : result;
}

/** The transform that a word of the file names; undefined for a function of a module. */
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
