import { getOrInsert } from '../../lib/get-or-insert.ts';
import { targetsOf, type Path } from '../filter/path.ts';
import type { Predicate } from '../filter/predicate.ts';
import { isToMany, type Api } from '../../model/api.ts';
import { unknownName } from '../../model/build/names.ts';
import type { RelationView, ResourceView } from '../../model/view.ts';
import { splitNames } from '../filter/text.ts';
import type { ParameterName } from '../request/parameters.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { CollectionPaging, SortKey } from '../plan.ts';

/** A relation that the request expands, with its nested expansions. */
export interface ExpandNode {
  /** The resource that has the relation. */
  readonly owner: ResourceView;
  readonly relation: RelationView;
  readonly targets: readonly {
    readonly resourceView: ResourceView;
    readonly typeValue: string | undefined;
    readonly children: readonly ExpandNode[];
  }[];
  /** For a collection; set when filters, sort and paging are planned. */
  where: readonly Predicate[];
  order: readonly SortKey[];
  paging: CollectionPaging | undefined;
}

/** An expanded collection that a path goes into, and the rest of the path. */
export interface Collection {
  readonly node: ExpandNode;
  readonly rest: Path;
}

/**
 * The deepest expanded collections that a path goes into, one for each branch of a morphTo before them; empty if the path
 * is about the records themselves. See docs/contract/2-reading.md#filters-in-expanded-collections, rule 1.
 */
export function collectionsOf(path: Path, expand: readonly ExpandNode[]): readonly Collection[] {
  if (path.kind !== 'relation') return [];
  const node = expand.find(({ relation }) => relation.relation === path.relation);
  if (node === undefined) return [];
  return path.branches.flatMap(({ target, next }) => {
    if (next === undefined) return [];
    const children =
      node.targets.find(({ resourceView }) => resourceView.resource === target)?.children ?? [];
    const deeper = collectionsOf(next, children);
    if (deeper.length > 0) return deeper;
    return isToMany(path.relation) ? [{ node, rest: next }] : [];
  });
}

/** An expanded collection, and the nodes on the path to it, itself included. */
export interface NamedCollection {
  readonly node: ExpandNode;
  readonly trail: readonly ExpandNode[];
}

/** The expanded collections at a path of relation names; several below a morphTo. */
export function collectionsNamed(
  path: readonly string[],
  expand: readonly ExpandNode[],
  above: readonly ExpandNode[] = [],
): readonly NamedCollection[] {
  const [head, ...rest] = path;
  const node = expand.find(({ relation }) => relation.name === head);
  if (node === undefined) return [];
  const trail = [...above, node];
  if (rest.length === 0) return isToMany(node.relation.relation) ? [{ node, trail }] : [];
  return node.targets.flatMap(({ children }) => collectionsNamed(rest, children, trail));
}

/** All nodes of a tree. */
export function allNodes(expand: readonly ExpandNode[]): readonly ExpandNode[] {
  return expand.flatMap((node) => [
    node,
    ...node.targets.flatMap(({ children }) => allNodes(children)),
  ]);
}

/** The names of `expand` as a tree: `author,comments.author` → author, comments → author. */
interface NameTree extends Map<string, NameTree> {}

/** Resolves `expand` within the depth limit of the request. See docs/contract/2-reading.md#expansion. */
export function planExpand(
  resourceView: ResourceView,
  api: Api,
  reserved: ReadonlyMap<ParameterName, string>,
  problems: QueryProblem[],
): readonly ExpandNode[] {
  const text = reserved.get('expand');
  const limit = depthLimit(api, reserved, problems);
  if (text === undefined) return [];
  const names = splitNames(text);
  if (!names.ok) {
    problems.push({ parameter: 'expand', code: 'INVALID_PARAMETER', message: names.error });
    return [];
  }
  const tree: NameTree = new Map();
  const { maxDepth } = api.limits;
  const deeper = limit < maxDepth ? `, and ${maxDepth} with maxDepth=${maxDepth}` : '';
  for (const name of names.value) {
    const parts = name.split('.');
    if (parts.length > limit)
      problems.push({
        parameter: 'expand',
        code: 'DEPTH_EXCEEDED',
        message: `${name} is ${parts.length} levels deep; this request may expand ${limit}${deeper}`,
        max: limit,
      });
    else if (checkPath(parts, [resourceView], name, problems)) insert(tree, parts);
  }
  return resolve(tree, resourceView);
}

function depthLimit(
  { limits }: Api,
  reserved: ReadonlyMap<ParameterName, string>,
  problems: QueryProblem[],
): number {
  const text = reserved.get('maxDepth');
  if (text === undefined) return limits.defaultDepth;
  const depth = /^\d+$/u.test(text) ? Number(text) : 0;
  if (depth >= 1 && depth <= limits.maxDepth) return depth;
  problems.push(
    depth < 1
      ? {
          parameter: 'maxDepth',
          code: 'INVALID_PARAMETER',
          message: 'must be a positive whole number',
        }
      : {
          parameter: 'maxDepth',
          code: 'DEPTH_EXCEEDED',
          message: `must be at most ${limits.maxDepth} (limits.maxDepth)`,
          max: limits.maxDepth,
        },
  );
  // Continue with the API's own limit, so that paths that are too deep for it are reported as well.
  return limits.maxDepth;
}

/** Checks that each step is a relation of at least one resource that the previous steps lead to. */
function checkPath(
  parts: readonly string[],
  resourceViews: readonly ResourceView[],
  whole: string,
  problems: QueryProblem[],
): boolean {
  const [head, ...rest] = parts;
  if (head === undefined) return true;
  const relations = resourceViews.flatMap((resourceView) => resourceView.relations.get(head) ?? []);
  if (relations.length > 0)
    return checkPath(
      rest,
      relations.flatMap((relation) => targetsOf(relation).map(({ resourceView }) => resourceView)),
      whole,
      problems,
    );
  const isField = resourceViews.some((resourceView) => resourceView.fields.has(head));
  const names = resourceViews.flatMap((resourceView) => [...resourceView.relations.keys()]);
  problems.push({
    parameter: 'expand',
    code: 'INVALID_PARAMETER',
    message: `${whole === head ? '' : `${whole}: `}${
      isField ? `${head} is a field, not a relation` : unknownName('relation', head, names)
    }`,
  });
  return false;
}

function insert(tree: NameTree, parts: readonly string[]): void {
  const [head, ...rest] = parts;
  if (head === undefined) return;
  insert(
    getOrInsert(tree, head, (): NameTree => new Map()),
    rest,
  );
}

/** Resolves names to relations, in the order of the model. */
function resolve(tree: NameTree, resourceView: ResourceView): readonly ExpandNode[] {
  return [...resourceView.relations.values()].flatMap((relation) => {
    const branch = tree.get(relation.name);
    if (branch === undefined) return [];
    return [expandNode(relation, resourceView, (target) => resolve(branch, target))];
  });
}

/** A relation to expand. `childrenOf` gives what is expanded below it, of each resource that it leads to. */
export function expandNode(
  relation: RelationView,
  owner: ResourceView,
  childrenOf: (target: ResourceView) => readonly ExpandNode[],
): ExpandNode {
  const targets = targetsOf(relation).map((target) => ({
    ...target,
    children: childrenOf(target.resourceView),
  }));
  return { owner, relation, targets, where: [], order: [], paging: undefined };
}
