import { folded, isSearched } from '../support/oracle-search.ts';
import type { Relation, Row, World } from '../support/oracle-model.ts';
import { collectionOf, shapeAt } from '../support/oracle-paths.ts';
import {
  nameOf,
  type Condition,
  type Expansion,
  type Group,
  type Paging,
  type Query,
  type SortKey,
  type Step,
} from '../support/oracle-query.ts';
import {
  collectionPaths,
  endOf,
  isTooDeep,
  randomConditions,
  randomGroup,
  randomNames,
  randomSteps,
  withOtherValues as otherCondition,
} from './conditions.ts';
import { randomSelection } from './selections.ts';
import type { Draw } from './draw.ts';

/** Random requests that the contract allows. */

/**
 * Keys that a collection, or the list itself, can be sorted by; `start`: the way to it, `via`: the relation whose
 * collection it is where the keys are seen from there.
 */
function randomSort(
  draw: Draw,
  world: World,
  resource: string,
  start: readonly Step[],
  expand: readonly Expansion[],
  via?: Relation,
): readonly SortKey[] {
  const keys = new Map<string, SortKey>();
  for (let more = 1 + draw.below(3); more > 0; more -= 1) {
    const steps = draw.chance(40)
      ? [...start, ...randomSteps(draw, world, resource, start, 3)]
      : start;
    const { fields, last } = endOf(world, resource, steps);
    const isExpanded =
      steps.length > 0 && collectionOf(world, resource, expand, steps) === steps.length;
    const reached = steps.length === 0 ? via : isExpanded ? last : undefined;
    const isPivot = reached !== undefined && reached.pivot.size > 0 && draw.chance(30);
    const among = isPivot ? reached.pivot : fields;
    const names = randomNames(draw, among);
    const shape = shapeAt(among, names);
    const isSortable =
      shape !== undefined &&
      !isTooDeep({ steps, isPivot, names }) &&
      shape.kind !== 'found' &&
      !['object', 'json', 'array'].includes((shape.items ?? shape).type) &&
      !(names.length > 1 && (shape.type === 'decimal' || shape.type === 'array'));
    const path = { steps, isPivot, names };
    if (isSortable && !hasMorph(world, resource, steps))
      keys.set(nameOf(path), { ...path, descending: draw.chance(50) });
  }
  return [...keys.values()];
}

function hasMorph(world: World, resource: string, steps: readonly Step[]): boolean {
  return steps.some(
    (_, index) => endOf(world, resource, steps.slice(0, index + 1)).last?.kind === 'morphTo',
  );
}

/** How far below a page records are, and how many of them the response may have there. */
interface Room {
  readonly depth: number;
  readonly parents: number;
}

function randomExpansions(
  draw: Draw,
  world: World,
  resources: readonly string[],
  { depth, parents }: Room,
): readonly Expansion[] {
  const relations = new Map(resources.flatMap((name) => [...world.resource(name).relations]));
  if (depth === 0 || relations.size === 0) return [];
  const chosen = new Map<string, Expansion>();
  for (let more = draw.pick([0, 1, 1, 2]); more > 0; more -= 1) {
    const relation = draw.pick([...relations.values()]);
    const { name, isMany } = relation;
    const targets = resources.flatMap(
      (one) => world.resource(one).relations.get(name)?.targets ?? [],
    );
    const most = Math.floor(world.limit('responseItems') / parents);
    const limit = Math.min(1 + draw.below(6), most, world.limit('maxLimit'));
    const paging: Paging | undefined =
      isMany && draw.chance(40)
        ? draw.chance(70)
          ? { mode: 'page', start: 1 + draw.below(4), limit }
          : { mode: 'offset', start: draw.below(8), limit }
        : undefined;
    const cap = paging?.limit ?? Math.max(1, Math.min(world.limit('expandedItems'), most));
    const [target = ''] = targets;
    const below = randomExpansions(draw, world, [...new Set(targets)], {
      depth: depth - 1,
      parents: isMany ? parents * cap : parents,
    });
    chosen.set(name, {
      relation: name,
      paging,
      // A key below a deeper collection is that collection's, which may have an order of its own.
      sort:
        isMany && targets.length === 1 && draw.chance(25)
          ? randomSort(draw, world, target, [], below, relation).filter(
              ({ steps }) => collectionOf(world, target, below, steps) === 0,
            )
          : [],
      below,
    });
  }
  return [...chosen.values()];
}

/** The keys of `sort`: some of the list, some of collections that it expands and that have no order of their own. */
function randomOrder(
  draw: Draw,
  world: World,
  resource: string,
  expand: readonly Expansion[],
  isSingle: boolean,
): readonly SortKey[] {
  const starts = collectionPaths(world, resource, expand).filter(
    (path) => draw.chance(30) && !hasOwnSort(expand, path),
  );
  const keys = [...(isSingle || draw.chance(40) ? [] : [[]]), ...starts].flatMap((start) =>
    randomSort(draw, world, resource, start, expand),
  );
  const named = new Map(keys.map((key) => [nameOf(key), key] as const));
  return [...named.values()]
    .filter(({ steps }) => {
      const depth = collectionOf(world, resource, expand, steps);
      return depth > 0 ? !hasOwnSort(expand, steps.slice(0, depth)) : !isSingle;
    })
    .slice(0, 8);
}

function hasOwnSort(expand: readonly Expansion[], path: readonly Step[]): boolean {
  const [step, ...rest] = path;
  const one = expand.find(({ relation }) => relation === step?.relation);
  return (
    one !== undefined && (rest.length === 0 ? one.sort.length > 0 : hasOwnSort(one.below, rest))
  );
}

function depthOf(expand: readonly Expansion[]): number {
  return Math.max(0, ...expand.map(({ below }) => 1 + depthOf(below)));
}

const pages = [1, 1, 1, 1, 1, 1, 2, 2, 3, 9, 1_000_000_000];
const offsets = [0, 0, 0, 1, 1, 2, 3, 8, 20, 49, 50, 10 ** 15];

function randomStart(draw: Draw, mode: Paging['mode']): number {
  return mode === 'cursor' ? 0 : draw.pick(mode === 'page' ? pages : offsets);
}

function randomPaging(draw: Draw, world: World): Paging {
  const limit = draw.chance(70)
    ? Math.min(draw.pick([1, 2, 3, 7, 20, 40]), world.limit('maxLimit'))
    : undefined;
  const mode = draw.chance(20) ? 'cursor' : draw.chance(60) ? 'page' : 'offset';
  return { mode, start: randomStart(draw, mode), limit };
}

/** Words that are in texts of the witness, or in none. */
function randomWords(draw: Draw, world: World, witness: Row, count: number): readonly string[] {
  const { fields } = world.resource(witness.resource);
  const texts = [...fields]
    .filter(([, shape]) => isSearched(shape))
    .flatMap(([name]) => witness.item[name] ?? [])
    .map(String);
  if (![...fields.values()].some(isSearched)) return [];
  return Array.from({ length: count }, () => {
    const characters = Array.from(texts.length > 0 ? draw.pick(texts) : 'none');
    const start = draw.below(characters.length + 1);
    const word = characters.slice(start, start + 1 + draw.below(3)).join('');
    return draw.chance(20) ? word.toUpperCase() : word;
  }).filter((word) => folded(word).trim() !== '');
}

/** The same request with other values: another plan of it is not made. */
export function withOtherValues(draw: Draw, world: World, query: Query): Query {
  const { resource, id, conditions, groups, search, ids, paging } = query;
  const rows = world.rowsOf(resource);
  const witness = draw.pick(rows);
  const other = (condition: Condition): Condition =>
    otherCondition(draw, world, witness, condition);
  const otherGroup = ({ kind, parts }: Group): Group => ({
    kind,
    parts: parts.map((part) => ('parts' in part ? otherGroup(part) : other(part))),
  });
  const words = search.length === 0 ? [] : randomWords(draw, world, witness, search.length);
  const idOf = ({ item }: Row): string => String(item['id']);
  return {
    ...query,
    id: id === undefined ? undefined : idOf(witness),
    conditions: conditions.map(other),
    groups: groups.map(otherGroup),
    search: words.length === search.length ? words : search,
    ids: ids.map(() => idOf(draw.pick(rows))),
    paging: id === undefined ? { ...paging, start: randomStart(draw, paging.mode) } : paging,
  };
}

/** One request; what it means, not how it is written. Some resource has to have records. */
export function randomQuery(draw: Draw, world: World): Query {
  const filled = [...world.resources.keys()].filter((name) => world.rowsOf(name).length > 0);
  const resource = draw.pick(filled);
  const witness = draw.pick(world.rowsOf(resource));
  const isSingle = draw.chance(15);
  const paging: Paging = isSingle
    ? { mode: 'page', start: 1, limit: undefined }
    : randomPaging(draw, world);
  const expand = draw.chance(50)
    ? randomExpansions(draw, world, [resource], {
        depth: draw.chance(25) ? world.limit('maxDepth') : world.limit('defaultDepth'),
        parents: isSingle ? 1 : (paging.limit ?? world.limit('defaultLimit')),
      })
    : [];
  const depth = depthOf(expand);
  const ids = world.rowsOf(resource).map(({ item }) => String(item['id']));
  return {
    resource,
    id: isSingle ? String(witness.item['id']) : undefined,
    conditions: randomConditions(draw, world, witness, expand, isSingle),
    groups: isSingle
      ? []
      : Array.from({ length: draw.pick([0, 0, 0, 1, 2]) }, () =>
          randomGroup(draw, world, witness, 1),
        ).filter((one) => one !== undefined),
    search: isSingle || draw.chance(85) ? [] : randomWords(draw, world, witness, 1 + draw.below(3)),
    ids:
      isSingle || draw.chance(85)
        ? []
        : Array.from({ length: 1 + draw.below(6) }, () => draw.pick(ids)),
    sort: randomOrder(draw, world, resource, expand, isSingle),
    nulls: draw.pick([undefined, undefined, 'first', 'last']),
    paging,
    expand,
    maxDepth:
      depth > world.limit('defaultDepth') || (expand.length > 0 && draw.chance(10))
        ? Math.max(depth, 1 + draw.below(world.limit('maxDepth')))
        : undefined,
    ...randomSelection(draw, world, resource, expand),
    isCounted: isSingle || draw.chance(70),
  };
}
