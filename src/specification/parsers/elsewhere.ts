import type { PlaceOf } from './collector.ts';
import type { Definition } from './definition.ts';
import { formatPath, type Path } from '../yaml/node.ts';

/** Where a key may stand: names, and `*` for one that the user chooses, or for an item of a list. */
type Place = readonly string[];

/** Finds the right place of keys in files of this definition, by their names. */
export function placesIn(root: Definition<unknown>): PlaceOf {
  let places: ReadonlyMap<string, readonly Place[]> | undefined;
  return (path) => {
    // Only a file with such a key needs them.
    places ??= Map.groupBy(keysOf(root, []), (place) => place.at(-1) ?? '');
    const found = places.get(String(path.at(-1))) ?? [];
    const map = path.slice(0, -1).map(String);
    const ways = found.map((place) => ({ place, ...wayTo(place, map) }));
    const shortest = Math.min(...ways.map(({ length }) => length));
    const [nearest, other] = ways.filter(({ length }) => length === shortest);
    if (nearest === undefined || other !== undefined) return undefined;
    // A key of another part, deep in this one, is the same word by chance.
    if (nearest.shared === 0 && map.length > 1 && nearest.place.length > 1) return undefined;
    return shown(nearest.place, path.slice(0, nearest.shared));
  };
}

function keysOf({ members = new Map() }: Definition<unknown>, above: Place): Place[] {
  return [...members].flatMap(([name, member]) => {
    const place = [...above, name];
    return [...(name === '*' ? [] : [place]), ...keysOf(member, place)];
  });
}

/** How much of a place a path shares, and how many steps it is away; what the user would have to name counts twice. */
function wayTo(place: Place, path: readonly string[]): { shared: number; length: number } {
  const maps = place.slice(0, -1);
  const differs = maps.findIndex((step, index) => {
    const other = path[index];
    return other === undefined || (step !== '*' && step !== other);
  });
  const shared = differs === -1 ? maps.length : differs;
  const down = place.slice(shared);
  const unnamed = down.filter((step) => step === '*').length;
  return { shared, length: path.length - shared + down.length + unnamed };
}

/** `resources.posts.fields.<field>.required` */
function shown(place: Place, known: Path): string {
  const rest = place.slice(known.length).map((step, index, steps) => {
    const above = steps[index - 1] ?? String(known.at(-1) ?? '');
    return step === '*' ? `<${above.replace(/s$/u, '')}>` : step;
  });
  return [...(known.length === 0 ? [] : [formatPath(known)]), ...rest].join('.');
}
