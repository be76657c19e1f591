import { Joint, type Dimension } from '../distinct/joint.ts';

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
  openMembers: readonly Dimension[],
  joints: readonly Joint[],
): Beside | undefined {
  const { free, isShared } = pairOf(members, openMembers);
  if (free === undefined) return undefined;
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

/**
 * The same where the other comes by itself, in rounds: that a list of it and of what repeats itself has placed. It has a value
 * of its own in each of them.
 */
export function inRounds(
  members: readonly Dimension[],
  openMembers: readonly Dimension[],
  joints: readonly Joint[],
): Beside | undefined {
  const { free, isShared } = pairOf(members, openMembers);
  const first = joints.find(
    ({ dimensions: [a, ...rest] }) => a && rest.length === 0 && isShared(a),
  );
  const [own] = first?.dimensions ?? [];
  if (free === undefined || first === undefined || own === undefined) return undefined;
  const joint = new Joint([own, free], first.key, false);
  return {
    free,
    joint,
    placeAt: (row) => {
      const round = Math.floor(first.indexOf(row) / Math.max(1, own.size));
      return joint.placesWithin(own, first.places(row)[0] ?? 0, round, row)[1] ?? 0;
    },
  };
}

/** The free member of a list of two, and which is its other one. */
function pairOf(
  members: readonly Dimension[],
  [free, ...more]: readonly Dimension[],
): { readonly free: Dimension | undefined; readonly isShared: (one: Dimension) => boolean } {
  const [shared, ...others] = members.filter((one) => one !== free);
  const isPair = shared !== undefined && more.length + others.length === 0;
  return {
    free: isPair ? free : undefined,
    isShared: ({ fields: [field] }) => field === shared?.fields[0],
  };
}
