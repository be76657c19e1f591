import type { Kind, Relation, Resource, Row, Shape, Value, World } from './oracle-model.ts';
import {
  nameOf,
  type Condition,
  type Expansion,
  type Path,
  type SortKey,
  type Step,
} from './oracle-query.ts';
import { compare, compareKeys, passes } from './oracle-values.ts';

/** How the oracle follows paths: whether records satisfy conditions, and what they sort by. */

/** A member of what takes any. */
const undeclared: Shape = {
  type: 'json',
  kind: 'found',
  items: undefined,
  properties: undefined,
  values: undefined,
  definition: { type: 'undeclared' },
};

/** The shape at the end of a field's path; undefined where the resource has no such field. */
export function shapeAt(
  fields: ReadonlyMap<string, Shape>,
  [name = '', ...members]: readonly string[],
): Shape | undefined {
  return members.reduce(
    (shape: Shape | undefined, member) =>
      shape === undefined || shape.properties === undefined
        ? shape && undeclared
        : shape.properties.get(member),
    fields.get(name),
  );
}

/** What a record, or the link by which it was reached, has at the end of a path; null where there is nothing. */
export function valueAt(row: Row, { isPivot, names }: Path): Value {
  const start: Value = { ...(isPivot ? row.pivot : row.item) };
  return names.reduce(
    (value: Value, name) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? ((Object.hasOwn(value, name)
            ? (value as Readonly<Record<string, Value>>)[name]
            : undefined) ?? null)
        : null,
    start,
  );
}

function follow(world: World, row: Row, { relation, target }: Step): readonly Row[] {
  return world
    .related(row, relation)
    .filter(({ resource }) => target === undefined || target === resource);
}

/** The fields of a record's resource, or those of the link by which it was reached. */
function fieldsAt(
  { name, fields }: Resource,
  isPivot: boolean,
  via: Relation | undefined,
): ReadonlyMap<string, Shape> {
  if (!isPivot) return fields;
  if (via === undefined) throw new Error(`${name} was not reached by a link`);
  return via.pivot;
}

function holds(world: World, row: Row, condition: Condition, via: Relation | undefined): boolean {
  const resource = world.resource(row.resource);
  const { names, isPivot, operator, operands } = condition;
  const [name = ''] = names;
  if (!isPivot && resource.relations.has(name))
    return (
      world.related(row, name).length > 0 ===
      ((operator === '_exists') === (operands[0] === 'true'))
    );
  const shape = shapeAt(fieldsAt(resource, isPivot, via), names);
  return shape !== undefined && passes(shape, valueAt(row, condition), operator, operands);
}

/** Conditions by the records that they are about: these on the record itself, those on related ones. */
interface Branch {
  readonly conditions: Condition[];
  readonly below: Map<string, { readonly step: Step; readonly branch: Branch }>;
}

const emptyBranch = (): Branch => ({ conditions: [], below: new Map() });

function satisfies(world: World, row: Row, branch: Branch, via?: Relation): boolean {
  const { relations } = world.resource(row.resource);
  return (
    branch.conditions.every((condition) => holds(world, row, condition, via)) &&
    [...branch.below.values()].every(({ step, branch: below }) =>
      follow(world, row, step).some((one) =>
        satisfies(world, one, below, relations.get(step.relation)),
      ),
    )
  );
}

/** Whether a step leads to many records, from whichever of these resources. */
function isManyFrom(world: World, resources: readonly string[], { relation }: Step): boolean {
  return resources.some((name) => world.step(name, relation)?.isMany === true);
}

/** The resources of the records at each point of a path, the start first. */
export function resourcesAlong(
  world: World,
  start: readonly string[],
  steps: readonly Step[],
): readonly (readonly string[])[] {
  const along = [start];
  for (const { relation, target } of steps) {
    const targets = (along.at(-1) ?? []).flatMap(
      (name) => world.step(name, relation)?.targets ?? [],
    );
    along.push([...new Set(target === undefined ? targets : [target])]);
  }
  return along;
}

function lastMany(world: World, start: readonly string[], steps: readonly Step[]): number {
  const along = resourcesAlong(world, start, steps);
  return steps.findLastIndex((step, index) => isManyFrom(world, along[index] ?? [], step));
}

/**
 * Conditions that share relations are about the same records; a parameter that is given again asks for a further
 * record at its last to-many relation. See docs/contract/2-reading.md#filters-through-relations.
 */
function branchOf(
  world: World,
  start: readonly string[],
  conditions: readonly Condition[],
): Branch {
  const root = emptyBranch();
  const given = new Map<string, number>();
  for (const condition of conditions) {
    const name = nameOf(condition, condition.operator);
    const times = given.get(name) ?? 0;
    given.set(name, times + 1);
    const fork = times === 0 ? -1 : lastMany(world, start, condition.steps);
    let branch = root;
    for (const [index, step] of condition.steps.entries()) {
      const key = `${nameOf({ steps: [step], isPivot: false, names: [] })}${index === fork ? ` ${name} ${times}` : ''}`;
      const next = branch.below.get(key) ?? { step, branch: emptyBranch() };
      branch.below.set(key, next);
      branch = next.branch;
    }
    branch.conditions.push(condition);
  }
  return root;
}

/** Tells which records of a resource satisfy all of the conditions; `via`: the relation that they are reached by. */
export function filterOf(
  world: World,
  resources: readonly string[],
  conditions: readonly Condition[],
  via?: Relation,
): (row: Row) => boolean {
  const branch = branchOf(world, resources, conditions);
  return (row) => satisfies(world, row, branch, via);
}

/** How many steps of a path lead to the deepest collection that the request expands; 0: it is about the record itself. */
export function collectionOf(
  world: World,
  resource: string,
  expand: readonly Expansion[],
  steps: readonly Step[],
): number {
  const along = resourcesAlong(world, [resource], steps);
  let level: readonly Expansion[] | undefined = expand;
  let deepest = 0;
  for (const [index, step] of steps.entries()) {
    level = level?.find(({ relation }) => relation === step.relation)?.below;
    if (level !== undefined && isManyFrom(world, along[index] ?? [], step)) deepest = index + 1;
  }
  return deepest;
}

/** What follows of a path below its first steps. */
export function below<P extends Path>(path: P, steps: number): P {
  return { ...path, steps: path.steps.slice(steps) };
}

/** How values of a sort key compare: an array's by its items. */
const comparedKind = (shape: Shape | undefined): Kind =>
  shape?.items?.kind ?? shape?.kind ?? 'text';

/** What a record sorts by: an array by its first item, many related values by the least or the greatest. */
function sortValue(
  world: World,
  row: Row,
  key: SortKey,
  via: Relation | undefined,
): { readonly shape: Shape | undefined; readonly value: Value } {
  const { steps, names, isPivot, descending } = key;
  let rows: readonly Row[] = [row];
  let reached = via;
  for (const step of steps) {
    const [first] = rows;
    reached = first && world.resource(first.resource).relations.get(step.relation);
    rows = rows.flatMap((one) => follow(world, one, step));
  }
  const [first] = rows;
  if (first === undefined) return { shape: undefined, value: null };
  const shape = shapeAt(fieldsAt(world.resource(first.resource), isPivot, reached), names);
  const kind = comparedKind(shape);
  const [least = null] = rows
    .map((one) => {
      const value = valueAt(one, key);
      return Array.isArray(value) ? ((value[0] as Value | undefined) ?? null) : value;
    })
    .filter((value) => value !== null)
    .toSorted((a, b) => (descending ? compare(kind, b, a) : compare(kind, a, b)));
  return { shape, value: least };
}

/** Records in the order of the keys; `id` breaks the last tie, in the direction of the last key. */
export function inOrder(
  world: World,
  rows: readonly Row[],
  sort: readonly SortKey[],
  nulls: 'first' | 'last' | undefined,
  via?: Relation,
): readonly Row[] {
  const id: SortKey = {
    steps: [],
    isPivot: false,
    names: ['id'],
    descending: sort.at(-1)?.descending ?? false,
  };
  const keys = [...sort, id];
  const valued = rows.map((row) => ({
    row,
    values: keys.map((key) => sortValue(world, row, key, via)),
  }));
  valued.sort((a, b) => {
    for (const [index, { descending }] of keys.entries()) {
      const [left, right] = [a.values[index], b.values[index]];
      const shape = left?.shape ?? right?.shape;
      const difference = compareKeys(
        comparedKind(shape),
        left?.value ?? null,
        right?.value ?? null,
        {
          descending,
          nulls,
        },
      );
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return valued.map(({ row }) => row);
}
