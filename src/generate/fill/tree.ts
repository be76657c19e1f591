import type { Dimension } from '../distinct/dimensions.ts';
import type { Random } from '../random.ts';

/** The part of the rows that are roots, where the key may be null. */
const rootShare = 0.3;

/**
 * To which row one leads that may lead to so many just before it. A root leads to none or, where it has to lead to one, to
 * itself. Where no two rows lead to the same, each leads to the one before it, or all are roots. Rows count from 0.
 */
export function parentOf(
  row: number,
  earlier: number,
  { isNullable, isUnique }: { readonly isNullable: boolean; readonly isUnique: boolean },
  random: Random,
): number | null {
  // A root that leads to itself is the one that does.
  const isRoot = isUnique ? !isNullable : isNullable && random.chance(rootShare);
  if (earlier <= 0 || isRoot) return isNullable ? null : row;
  return row - 1 - (isUnique ? 0 : random.below(earlier));
}

/**
 * The place of the owner that a pair leads to, drawn among all: one of the own table is an earlier row, so that no circle
 * closes, and the first row has another owner, if there is one.
 */
export function ownerOf(
  { ownFrom, size }: Dimension,
  row: number,
  earlier: number,
  isNullable: boolean,
  random: Random,
): number | null {
  const place = random.below(size);
  const others = ownFrom?.() ?? size;
  if (place < others) return place;
  if (earlier > 0) return others + row - 1 - random.below(earlier);
  if (others === 0) return isNullable ? null : row;
  return random.below(others);
}
