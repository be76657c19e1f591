import type { Relation, Row, Shape, Value, World } from '../support/oracle-model.ts';
import { collectionOf, resourcesAlong, shapeAt, valueAt } from '../support/oracle-paths.ts';
import {
  nameOf,
  type Condition,
  type Expansion,
  type Group,
  type Path,
  type Step,
} from '../support/oracle-query.ts';
import { poolOf } from './values.ts';
import type { Draw } from './draw.ts';

/** Random paths, and conditions on what is at their end. */

/** Names that mean something else where they stand alone. */
const reserved = new Set(
  [
    ['page', 'limit', 'offset', 'cursor', 'search', 'sort', 'nulls', 'fields', 'exclude'],
    ['expand', 'maxDepth', 'onConflict', 'group', 'aggregate', 'having'],
  ].flat(),
);
const equality = ['', '_eq', '_neq', '_in', '_nin'];
const order = ['_gt', '_gte', '_lt', '_lte'];
const search = ['_like', '_ilike', '_nlike', '_nilike', '_startsWith', '_endsWith', '_ieq'];
const presence = ['_exists', '_null'];
const arrays = ['_contains', '_containsAll', '_containsAny'];
export const lists: ReadonlySet<string> = new Set(['_in', '_nin', '_containsAll', '_containsAny']);

function operatorsOf({ type, items, definition }: Shape, isMember: boolean): readonly string[] {
  if (definition.type === 'undeclared') return [...equality, ...order, ...search, ...presence];
  switch (type) {
    case 'string':
    case 'text':
    case 'email':
    case 'url':
      return [...equality, ...order, ...search, ...presence];
    case 'boolean':
    case 'enum':
      return [...equality, ...presence];
    case 'array':
      // Lists and objects cannot be looked for.
      return items?.type === 'array' || items?.type === 'object'
        ? presence
        : [...arrays, ...presence];
    case 'object':
    case 'json':
      return presence;
    case 'decimal':
      return isMember ? [...equality, ...presence] : [...equality, ...order, ...presence];
    default:
      return [...equality, ...order, ...presence];
  }
}

/** What there is at the end of some steps; a field that is of different types there is left out. */
interface End {
  readonly fields: ReadonlyMap<string, Shape>;
  readonly relations: ReadonlyMap<string, Relation>;
  /** Whether they are those of the items of an array. */
  readonly isItem: boolean;
  /** What the last step follows. */
  readonly last: Relation | undefined;
}

export function endOf(world: World, resource: string, steps: readonly Step[]): End {
  const along = resourcesAlong(world, [resource], steps);
  const [before, resources] = [along.at(-2) ?? [], along.at(-1) ?? []];
  const found = resources.map((name) => world.resource(name));
  const fields = new Map(found.flatMap((one) => [...one.fields]));
  const isOneType = (name: string, shape: Shape): boolean =>
    found.every(({ fields: own, relations }) => {
      const other = own.get(name);
      return !relations.has(name) && (other === undefined || isLike(shape, other));
    });
  return {
    fields: new Map([...fields].filter(([name, shape]) => isOneType(name, shape))),
    relations: new Map(
      found
        .flatMap((one) => [...one.relations])
        .filter(([name]) => !found.some((one) => one.fields.has(name))),
    ),
    // No resource of the file has a dot in its name.
    isItem: resources.some((name) => name.includes('.')),
    last: before
      .map((name) => world.resource(name).relations.get(steps.at(-1)?.relation ?? ''))
      .find((one) => one !== undefined),
  };
}

/** Whether two fields take the same filters. */
function isLike(a: Shape, b: Shape): boolean {
  const members = (one: Shape): string => JSON.stringify([...(one.properties?.keys() ?? [])]);
  return (
    a.type === b.type &&
    a.kind === b.kind &&
    JSON.stringify(a.values) === JSON.stringify(b.values) &&
    (a.items === undefined || (b.items !== undefined && isLike(a.items, b.items))) &&
    members(a) === members(b) &&
    [...(a.properties ?? [])].every(([name, one]) => {
      const other = b.properties?.get(name);
      return other !== undefined && isLike(one, other);
    })
  );
}

/** Steps that follow those of `start`; as many as `most` with them. */
export function randomSteps(
  draw: Draw,
  world: World,
  resource: string,
  start: readonly Step[],
  most: number,
): readonly Step[] {
  const steps: Step[] = [];
  while (start.length + steps.length < most && draw.chance(55)) {
    const { relations } = endOf(world, resource, [...start, ...steps]);
    if (relations.size === 0) break;
    const { name, kind, targets } = draw.pick([...relations.values()]);
    steps.push(
      kind === 'morphTo' && draw.chance(50)
        ? { relation: name, target: draw.pick(targets) }
        : { relation: name },
    );
  }
  return steps;
}

/** A field, or a member of an object in it. */
export function randomNames(draw: Draw, fields: ReadonlyMap<string, Shape>): readonly string[] {
  const all = [...fields.keys()];
  const deep = all.filter((one) => ['object', 'json'].includes(fields.get(one)?.type ?? ''));
  const name = draw.pick(deep.length > 0 && draw.chance(15) ? deep : all);
  const names = [name];
  let shape = fields.get(name);
  while (shape !== undefined && draw.chance(80)) {
    if (shape.properties !== undefined) {
      const member = draw.pick([...shape.properties.keys()]);
      names.push(member);
      shape = shape.properties.get(member);
    } else if (names.length === 1 && (shape.type === 'object' || shape.type === 'json')) {
      names.push(draw.pick(['a', 'b', 'é', 'a_in', '7', 'zz']));
      if (draw.chance(20)) names.push('a');
      return names;
    } else return names;
  }
  return names;
}

/** A value at the end of a path that starts at a record, as a filter asks for it. */
function storedText(draw: Draw, world: World, witness: Row, path: Path): string | undefined {
  let rows: readonly Row[] = [witness];
  for (const { relation, target } of path.steps)
    rows = rows
      .flatMap((row) => world.related(row, relation))
      .filter(({ resource }) => target === undefined || target === resource);
  if (rows.length === 0) return undefined;
  const value = valueAt(draw.pick(rows), path);
  const one =
    Array.isArray(value) && value.length > 0 ? draw.pick(value as readonly Value[]) : value;
  if (one === null || typeof one === 'object') return undefined;
  return String(one);
}

function randomOperand(
  draw: Draw,
  world: World,
  witness: Row,
  path: Path,
  shape: Shape,
  operator: string,
): string {
  if (presence.includes(operator)) return draw.pick(['true', 'false']);
  const stored = draw.chance(80) ? storedText(draw, world, witness, path) : undefined;
  const pool = poolOf(shape.items ?? shape);
  const text = stored ?? draw.pick(pool.asked);
  if (!search.includes(operator)) return text;
  const characters = Array.from(text);
  const [count, length] = [characters.length, 1 + draw.below(2)];
  const start = operator === '_startsWith' ? 0 : draw.below(count + 1);
  const part =
    operator === '_ieq'
      ? text
      : characters
          .slice(operator === '_endsWith' ? Math.max(0, count - length) : start)
          .slice(0, length)
          .join('');
  return draw.chance(20) ? part.toUpperCase() : part;
}

/** The limit on the dots of a filter or of a key. */
export function isTooDeep(path: Path): boolean {
  return nameOf(path).split('.').length > 6;
}

/** Whether a path and an operator are written as something else: a parameter, another field, the union of ids. */
function isTaken(
  { steps, names, isPivot }: Path,
  operator: string,
  { fields, relations }: Pick<End, 'fields' | 'relations'>,
  isInGroup: boolean,
): boolean {
  const name = names.at(-1) ?? '';
  const siblings = names.length === 1 ? fields : shapeAt(fields, names.slice(0, -1))?.properties;
  const isRelation = names.length === 1 && relations.has(`${name}${operator}`);
  if (operator !== '') return isRelation || siblings?.has(`${name}${operator}`) === true;
  // Where members are not declared, the suffix wins over a key that ends like one.
  if (siblings === undefined) return name === 'a_in';
  if (isInGroup || names.length > 1 || isPivot) return false;
  return reserved.has(name) || (name === 'id' && steps.length === 0);
}

/** A condition on what a record, the witness, or the records related to it have, so that some records satisfy it. */
export function randomCondition(
  draw: Draw,
  world: World,
  witness: Row,
  start: readonly Step[],
  isInGroup: boolean,
): Condition | undefined {
  const { resource } = witness;
  const records = [...start, ...randomSteps(draw, world, resource, start, 3)];
  const arrays = [...endOf(world, resource, records).fields].filter(
    ([, { items }]) => items?.properties !== undefined,
  );
  const isOfItems = arrays.length > 0 && draw.chance(30);
  const steps = isOfItems ? [...records, { relation: draw.pick(arrays)[0] }] : records;
  const { fields, relations, last, isItem } = endOf(world, resource, steps);
  if (relations.size > 0 && draw.chance(12)) {
    const [name, operator] = [draw.pick([...relations.keys()]), draw.pick(presence)];
    if (fields.has(`${name}${operator}`)) return undefined;
    const operands = [draw.pick(['true', 'false'])];
    return { steps, isPivot: false, names: [name], operator, operands };
  }
  const isPivot = last !== undefined && last.pivot.size > 0 && draw.chance(60);
  const among = isPivot ? last.pivot : fields;
  const names = randomNames(draw, among);
  const shape = shapeAt(among, names);
  if (shape === undefined) return undefined;
  const operator = draw.pick(operatorsOf(shape, names.length > 1 || isItem));
  const path = { steps, isPivot, names };
  if (
    isTooDeep(path) ||
    isTaken(
      path,
      operator,
      { fields: among, relations: isPivot ? new Map() : relations },
      isInGroup,
    )
  )
    return undefined;
  const operands = Array.from({ length: lists.has(operator) ? 1 + draw.below(4) : 1 }, () =>
    randomOperand(draw, world, witness, path, shape, operator),
  );
  return { ...path, operator, operands };
}

/** The same condition with other values. */
export function withOtherValues(
  draw: Draw,
  world: World,
  witness: Row,
  given: Condition,
): Condition {
  const { steps, isPivot, names, operator, operands } = given;
  const { fields, relations, last } = endOf(world, witness.resource, steps);
  const shape = shapeAt(isPivot && last !== undefined ? last.pivot : fields, names);
  if (shape === undefined || (!isPivot && relations.has(names[0] ?? ''))) return given;
  return {
    ...given,
    operands: operands.map(() => randomOperand(draw, world, witness, given, shape, operator)),
  };
}

/** Whether two conditions mean one morphTo differently: by all of its targets and by one. */
function isAtOdds(a: Condition, b: Condition): boolean {
  const length = a.steps.findIndex(
    ({ relation, target }, index) =>
      relation !== b.steps[index]?.relation || target !== b.steps[index]?.target,
  );
  const [left, right] = [a.steps[length], b.steps[length]];
  return left !== undefined && right !== undefined && left.relation === right.relation;
}

/** Whether a path goes on from each of the resources that it comes to. */
function isOfAll(world: World, resource: string, { steps, names, isPivot }: Path): boolean {
  const along = resourcesAlong(world, [resource], steps);
  return along.every((resources, index) =>
    resources.every((name) => {
      const step = steps[index];
      const { fields, relations } = world.resource(name);
      return step === undefined
        ? isPivot || fields.has(names[0] ?? '') || relations.has(names[0] ?? '')
        : world.step(name, step.relation) !== undefined;
    }),
  );
}

export function randomConditions(
  draw: Draw,
  world: World,
  witness: Row,
  expand: readonly Expansion[],
  isSingle: boolean,
): readonly Condition[] {
  const { resource } = witness;
  const conditions: Condition[] = [];
  const collections = collectionPaths(world, resource, expand);
  for (let more = draw.pick([0, 0, 1, 1, 1, 2, 3]); more > 0; more -= 1) {
    const before = conditions.length > 0 ? draw.pick(conditions) : undefined;
    const start =
      collections.length > 0 && draw.chance(40)
        ? draw.pick(collections)
        : draw.chance(40)
          ? (before?.steps ?? [])
          : [];
    const one =
      before !== undefined && draw.chance(25)
        ? withOtherValues(draw, world, witness, before)
        : randomCondition(draw, world, witness, start, false);
    if (one === undefined || conditions.some((other) => isAtOdds(one, other))) continue;
    const depth = collectionOf(world, resource, expand, one.steps);
    // One target of a morphTo, with collections expanded below all: the contract does not say which it means.
    if (depth > 0 && one.steps.some(({ target }) => target !== undefined)) continue;
    // Nor what becomes of the collections below a morphTo whose records have nothing at the end of the path.
    if (depth > 0 && !isOfAll(world, resource, one)) continue;
    if (!isSingle || depth > 0) conditions.push(one);
  }
  return conditions;
}

/** A group with conditions, and with groups in it. */
export function randomGroup(
  draw: Draw,
  world: World,
  witness: Row,
  depth: number,
): Group | undefined {
  const kind = draw.pick(['or', 'or', 'and', 'not'] as const);
  const parts: (Condition | Group)[] = [];
  for (let more = 1 + draw.below(3); more > 0; more -= 1) {
    if (depth < 5 && draw.chance(20)) {
      const nested = randomGroup(draw, world, witness, depth + 1);
      if (nested !== undefined) parts.push(nested);
      continue;
    }
    const known = parts.filter((part): part is Condition => !('parts' in part));
    const before = kind === 'and' && known.length > 0 ? draw.pick(known) : undefined;
    const start = before !== undefined && draw.chance(50) ? before.steps : [];
    const one = randomCondition(draw, world, witness, start, true);
    if (one === undefined || (kind === 'and' && known.some((other) => isAtOdds(one, other))))
      continue;
    parts.push(one);
  }
  return parts.length === 0 ? undefined : { kind, parts };
}

/** The paths of the collections that a request expands. */
export function collectionPaths(
  world: World,
  resource: string,
  expand: readonly Expansion[],
  above: readonly Step[] = [],
): readonly (readonly Step[])[] {
  return expand.flatMap(({ relation, below }) => {
    const path = [...above, { relation }];
    const deeper = collectionPaths(world, resource, below, path);
    return endOf(world, resource, path).last?.isMany === true ? [path, ...deeper] : deeper;
  });
}
