/** A position in the write-ahead log of a database, in bytes. */
export type Position = number;

/** A position that no replica reaches: whoever has to see it reads from the primary. */
export const unreachable: Position = Infinity;

const high = 2 ** 32;
/** How `unreachable` is written. */
const last = 'FFFFFFFF/FFFFFFFF';

/** A position as PostgreSQL writes it: `0/3000148`. */
export function positionText(position: Position): string {
  if (position === unreachable) return last;
  const hex = (part: number): string => part.toString(16).toUpperCase();
  return `${hex(Math.floor(position / high))}/${hex(position % high)}`;
}

/** The position that a text names; `unreachable` if it names none, as the primary is always right. */
export function readPosition(text: string): Position {
  const [, upper, lower] = /^\s*([0-9a-f]{1,8})\/([0-9a-f]{1,8})\s*$/iu.exec(text) ?? [];
  if (upper === undefined || lower === undefined) return unreachable;
  const position = Number.parseInt(upper, 16) * high + Number.parseInt(lower, 16);
  return Number.isSafeInteger(position) ? position : unreachable;
}
