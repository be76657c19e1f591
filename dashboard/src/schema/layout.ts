import type { ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';

export interface Place {
  readonly x: number;
  readonly y: number;
}

const columnWidth = 330;
const gap = 36;
/** So many stand beside each other whatever is below. */
const fewColumns = 8;
const headHeight = 34;
const lineHeight = 19;

/** The fields by which records know each other: the id and the keys to others. */
export function keysOf({ fields }: ResourceInfo): ResourceInfo['fields'] {
  return fields.filter(({ type, reference }) => type === 'id' || reference !== undefined);
}

/** The resources that one points to, by a key or as an owner of any kind. */
function targetsOf({ fields, relations }: ResourceInfo): readonly string[] {
  return [
    ...fields.flatMap(({ reference }) => reference?.resource ?? []),
    ...relations.flatMap(({ kind, targets }) => (kind === 'morphTo' ? targets : [])),
  ];
}

/** How high the box of a resource is; one with its keys alone has a line that counts the others. */
function heightOf(resource: ResourceInfo, isBrief: boolean): number {
  const lines = isBrief ? keysOf(resource).length + 1 : resource.fields.length;
  return headHeight + 14 + lines * lineHeight;
}

/**
 * Where the boxes of the resources stand: what others point to stands left of them, and columns are about equally high.
 * All of them are about twice as wide as high, as the room for them is. A chain of very many goes on below, as a text does.
 */
export function layout(
  resources: readonly ResourceInfo[],
  isBrief: boolean,
): ReadonlyMap<string, Place> {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const levels = new Map<string, number>();
  const levelOf = (name: string, above: ReadonlySet<string>): number => {
    const known = levels.get(name);
    if (known !== undefined) return known;
    const resource = byName.get(name);
    const targets = resource === undefined ? [] : targetsOf(resource);
    const below = new Set([...above, name]);
    const level = targets.reduce(
      (highest, target) =>
        below.has(target) || !byName.has(target)
          ? highest
          : Math.max(highest, levelOf(target, below) + 1),
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
  const area = resources.reduce(
    (sum, resource) => sum + (heightOf(resource, isBrief) + gap) * columnWidth,
    0,
  );
  const widest = Math.max(fewColumns * columnWidth, Math.sqrt(2 * area));
  const tallest = Math.max(900, Math.sqrt(area / 2));
  let [x, top, bottom] = [0, 0, 0];
  for (const column of columns.filter(Boolean)) {
    if (x >= widest) [x, top] = [0, bottom + 2 * gap];
    let y = top;
    for (const resource of column) {
      const height = heightOf(resource, isBrief);
      if (y > top && y + height > top + tallest) [x, y] = [x + columnWidth, top];
      places.set(resource.name, { x, y });
      y += height + gap;
      bottom = Math.max(bottom, y);
    }
    x += columnWidth;
  }
  return places;
}
