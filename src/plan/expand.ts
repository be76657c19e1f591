import { isToMany, type Api } from '../model/api.ts';
import { unknownName } from '../model/names.ts';
import type { RelationView, ResourceView } from '../model/view.ts';
import { splitNames } from '../filter/text.ts';
import type { ParameterName } from '../request/parameters.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { SortKey } from './plan.ts';

/** A relation that the request expands, with those below it. */
export interface ExpandNode {
  readonly relation: RelationView;
  readonly order: readonly SortKey[];
  readonly targets: readonly {
    readonly face: ResourceView;
    readonly typeValue: string | undefined;
    readonly children: readonly ExpandNode[];
  }[];
}

/** The names of `expand` as a tree: `author,comments.author` → author, comments → author. */
interface NameTree extends Map<string, NameTree> {}

/** Resolves `expand` within the depth limit of the request. Contract 2, Expansion. */
export function planExpand(
  face: ResourceView,
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
  for (const name of names.value) {
    const parts = name.split('.');
    if (parts.length > limit)
      problems.push({
        parameter: 'expand',
        code: 'DEPTH_EXCEEDED',
        message: `${name} is ${parts.length} levels deep; this request may expand ${limit}`,
      });
    else if (checkPath(parts, [face], name, problems)) insert(tree, parts);
  }
  return resolve(tree, face);
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
        },
  );
  // What is too deep for the API is told beside it.
  return limits.maxDepth;
}

/** Each step has to be a relation of at least one resource that the steps before it lead to. */
function checkPath(
  parts: readonly string[],
  faces: readonly ResourceView[],
  whole: string,
  problems: QueryProblem[],
): boolean {
  const [head, ...rest] = parts;
  if (head === undefined) return true;
  const relations = faces.flatMap((face) => face.relations.get(head) ?? []);
  if (relations.length > 0)
    return checkPath(
      rest,
      relations.flatMap((relation) => facesOf(relation).map(({ face }) => face)),
      whole,
      problems,
    );
  const isField = faces.some((face) => face.fields.has(head));
  const names = faces.flatMap((face) => [...face.relations.keys()]);
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
  let branch = tree.get(head);
  if (branch === undefined) {
    branch = new Map();
    tree.set(head, branch);
  }
  insert(branch, rest);
}

function facesOf(
  view: RelationView,
): readonly { face: ResourceView; typeValue: string | undefined }[] {
  const { relation } = view;
  const targets =
    relation.kind === 'morphTo'
      ? [...relation.targets].map(([typeValue, resource]) => ({ typeValue, resource }))
      : [{ typeValue: undefined, resource: relation.target }];
  return targets.flatMap(({ typeValue, resource }) => {
    const face = view.target(resource);
    return face === undefined || face.fields.size === 0 ? [] : [{ face, typeValue }];
  });
}

/** Relations in the order of the model, whatever the order of the names. */
function resolve(tree: NameTree, face: ResourceView): readonly ExpandNode[] {
  return [...face.relations.values()].flatMap((relation) => {
    const branch = tree.get(relation.name);
    if (branch === undefined) return [];
    const targets = facesOf(relation).map((target) => ({
      ...target,
      children: resolve(branch, target.face),
    }));
    const [target] = targets;
    const byId: SortKey[] =
      isToMany(relation.relation) && target !== undefined
        ? [{ field: target.face.resource.id, descending: false, nulls: undefined }]
        : [];
    return [{ relation, order: byId, targets }];
  });
}
