import type { PlaceOf } from './collector.ts';
import type { Definition } from './definition.ts';
import { formatPath, type Path } from '../yaml/node.ts';

/** A path where a key is valid: names, and `*` for a name that the user chooses or an item of a list. */
type KeyPath = readonly string[];

/** Keys that say something of the map that they are in: one of the same name elsewhere switches something else. */
const switches: ReadonlySet<string> = new Set(['enabled']);

/** Makes a function that finds where a misplaced key belongs, in files of this definition. */
export function placesIn(root: Definition<unknown>): PlaceOf {
  let keyPaths: ReadonlyMap<string, readonly KeyPath[]> | undefined;
  return (path) => {
    if (switches.has(String(path.at(-1)))) return undefined;
    // Computed only for a file with a misplaced key.
    keyPaths ??= Map.groupBy(keysOf(root, []), (keyPath) => keyPath.at(-1) ?? '');
    const found = keyPaths.get(String(path.at(-1))) ?? [];
    const map = path.slice(0, -1).map(String);
    const ways = found.map((keyPath) => ({ keyPath, ...wayTo(keyPath, map) }));
    const shortest = Math.min(...ways.map(({ length }) => length));
    const [nearest, other] = ways.filter(({ length }) => length === shortest);
    if (nearest === undefined || other !== undefined) return undefined;
    // A distant key with the same name is a coincidence.
    if (nearest.shared === 0 && map.length > 1 && nearest.keyPath.length > 1) return undefined;
    return shown(nearest.keyPath, path.slice(0, nearest.shared));
  };
}

function keysOf({ members = new Map() }: Definition<unknown>, above: KeyPath): KeyPath[] {
  return [...members].flatMap(([name, member]) => {
    const keyPath = [...above, name];
    return [...(name === '*' ? [] : [keyPath]), ...keysOf(member, keyPath)];
  });
}

/** The common prefix of two paths, and their distance; names that the user would have to choose count twice. */
function wayTo(keyPath: KeyPath, path: readonly string[]): { shared: number; length: number } {
  const maps = keyPath.slice(0, -1);
  const differs = maps.findIndex((step, index) => {
    const other = path[index];
    return other === undefined || (step !== '*' && step !== other);
  });
  const shared = differs === -1 ? maps.length : differs;
  const down = keyPath.slice(shared);
  const unnamed = down.filter((step) => step === '*').length;
  return { shared, length: path.length - shared + down.length + unnamed };
}

/** `resources.posts.fields.<field>.required` */
function shown(keyPath: KeyPath, known: Path): string {
  const rest = keyPath.slice(known.length).map((step, index, steps) => {
    const above = steps[index - 1] ?? String(known.at(-1) ?? '');
    return step === '*' ? `<${above.replace(/s$/u, '')}>` : step;
  });
  return [...(known.length === 0 ? [] : [formatPath(known)]), ...rest].join('.');
}
