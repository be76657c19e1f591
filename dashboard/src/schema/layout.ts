import type { ResourceInfo } from '../../../src/http/dashboard-wire-model.ts';

export interface Place {
  readonly x: number;
  readonly y: number;
}

const columnWidth = 330;
const gap = 36;
const headHeight = 34;
const lineHeight = 19;

/** How high the box of a resource is. */
export function heightOf({ fields }: ResourceInfo): number {
  return headHeight + 14 + fields.length * lineHeight;
}

/**
 * Where the boxes of the resources stand: what others point to stands left of them, and columns are about equally high.
 */
export function layout(resources: readonly ResourceInfo[]): ReadonlyMap<string, Place> {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const levels = new Map<string, number>();
  const levelOf = (name: string, above: ReadonlySet<string>): number => {
    const known = levels.get(name);
    if (known !== undefined) return known;
    const targets = (byName.get(name)?.fields ?? []).flatMap(({ reference }) => reference ?? []);
    const below = new Set([...above, name]);
    const level = targets.reduce(
      (highest, { resource }) =>
        below.has(resource) || !byName.has(resource)
          ? highest
          : Math.max(highest, levelOf(resource, below) + 1),
      0,
    );
    levels.set(name, level);
    return level;
  };
  const columns: ResourceInfo[][] = [];
  for (const resource of resources) {
    const level = levelOf(resource.name, new Set());
    columns[level] = [...(columns[level] ?? []), resource];
  }
  const places = new Map<string, Place>();
  const tallest = Math.max(900, Math.sqrt(resources.length) * 330);
  let x = 0;
  for (const column of columns.filter(Boolean)) {
    let y = 0;
    for (const resource of column) {
      const height = heightOf(resource);
      if (y > 0 && y + height > tallest) [x, y] = [x + columnWidth, 0];
      places.set(resource.name, { x, y });
      y += height + gap;
    }
    x += columnWidth;
  }
  return places;
}
