import { Joint, type Dimension } from './joint.ts';

/** How the member of a list is placed that no other list has placed. */
export interface Beside {
  readonly free: Dimension;
  readonly joint: Joint;
  /** Its place in a row, counted from 0. */
  readonly placeAt: (row: number) => number;
}

/**
 * Places the one free member of a list of two, where another list of two has placed the other: a track on a playlist, on
 * which each has a position. Rows of one playlist have different positions, and by these get different tracks; so
 * there are no more positions than tracks.
 */
export function besideOf(
  members: readonly Dimension[],
  [free, ...more]: readonly Dimension[],
  joints: readonly Joint[],
): Beside | undefined {
  const [shared, ...others] = members.filter((one) => one !== free);
  if (free === undefined || shared === undefined || more.length + others.length > 0)
    return undefined;
  const isShared = ({ fields: [field] }: Dimension): boolean => field === shared.fields[0];
  for (const first of joints) {
    const [a, b, ...rest] = first.dimensions;
    if (a === undefined || b === undefined || rest.length > 0 || first.mayBePair) continue;
    if (!isShared(a) && !isShared(b)) continue;
    const [own, other] = isShared(a) ? [a, b] : [b, a];
    first.limit(other, () => free.size);
    const joint = new Joint([own, free], first.key, false);
    return {
      free,
      joint,
      placeAt: (row) => {
        const [placeA = 0, placeB = 0] = first.places(row);
        const [place, index] = own === a ? [placeA, placeB] : [placeB, placeA];
        return joint.placesWithin(own, place, index, row)[1] ?? 0;
      },
    };
  }
  return undefined;
}
