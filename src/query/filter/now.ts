import type { Field } from '../../model/api.ts';

/** Milliseconds of each unit of a duration. */
const units: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/**
 * Reads `now` and `now` with one signed duration, such as `now-7d`: the distance from the time of the request in
 * milliseconds; undefined for any other text. A plus sign that was not percent-encoded has become a blank. See
 * docs/contract/2-reading.md#filter-values, rule 9.
 */
export function readNow(text: string): number | undefined {
  if (!text.startsWith('now')) return undefined;
  const match = /^now(?:([+ -])(\d{1,9})([smhdw]))?$/u.exec(text);
  if (match === null) return undefined;
  const [, sign, count = '0', unit = 's'] = match;
  return (sign === '-' ? -1 : 1) * Number(count) * (units.get(unit) ?? 0);
}

/** Whether a field can be compared with `now`. */
export function takesNow({ type }: Field): boolean {
  return type.kind === 'date' || type.kind === 'datetime';
}

/** The value of a field at a time that far from `now`; undefined outside the years 1 to 9999. */
export function valueAt(now: Date, shift: number, field: Field): string | undefined {
  const { drawn } = field.type;
  const moment = new Date(now.getTime() + shift);
  const year = moment.getUTCFullYear();
  if (drawn?.word !== 'now' || !(year >= 1 && year <= 9999)) return undefined;
  return drawn.of(moment.toISOString(), field);
}
