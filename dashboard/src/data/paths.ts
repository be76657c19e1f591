import type {
  FilterInfo,
  Model,
  RelationInfo,
  ResourceInfo,
  ValueInfo,
} from '../../../src/http/dashboard/wire-model.ts';

/** What can be asked where a path ends. */
export type Leaf = Pick<FilterInfo, 'operators' | 'type' | 'values'>;

/** One step of a path: what can be chosen there, and what is. */
export interface Level {
  /** The relation behind which it stands, with all before it; empty at the resource itself. */
  readonly behind: string;
  /** What is chosen here, as far as the next relation; empty where the path ends with the one before. */
  readonly chosen: string;
  readonly groups: readonly { readonly group: string; readonly items: readonly string[] }[];
}

/** What can be asked at a path, through as many relations as there are in it; undefined where it leads nowhere. */
export function leafAt(path: string, resource: ResourceInfo, model: Model): Leaf | undefined {
  return isTooDeep(path, model) ? undefined : leafBehind(path, [resource], model);
}

/** The steps of a path, and the one that may follow. */
export function levelsOf(path: string, resource: ResourceInfo, model: Model): readonly Level[] {
  const levels: Level[] = [];
  let faces: readonly ResourceInfo[] = [resource];
  /** What the relation before carries itself. */
  let carried: readonly string[] = [];
  let [behind, rest] = ['', path];
  for (;;) {
    const groups = groupsOf(behind, faces, carried, model);
    if (groups.length === 0) return levels;
    const step = carried.includes(rest) ? undefined : stepOf(rest, faces);
    levels.push({ behind, chosen: step === undefined ? rest : step.name, groups });
    if (step === undefined) return levels;
    behind = joined(behind, step.name);
    carried = behindRelation(
      step.name,
      faces.flatMap((face) => pivotOf(step.name, face)),
    );
    ({ rest, faces } = { rest: step.rest, faces: targetsOf(step.relations, step.name, model) });
  }
}

/** Where a path of relations leads, as `expand` names it. */
interface Reach {
  readonly isToMany: boolean;
  readonly faces: readonly ResourceInfo[];
  /** What its records can be sorted by of what their links carry. */
  readonly sortedLinks: readonly string[];
}

/** Follows a path of relations; no faces: it leads nowhere. */
export function reachOf(path: string, resource: ResourceInfo, model: Model): Reach {
  let reach: Reach = { isToMany: false, faces: [resource], sortedLinks: [] };
  for (const name of path.split('.')) {
    const { faces } = reach;
    const relations = faces.flatMap((face) => face.relations.filter((one) => one.name === name));
    const links = faces.flatMap((face) => pivotOf(name, face).filter((one) => one.isSortable));
    reach = {
      isToMany: relations.some(({ isToMany }) => isToMany),
      faces: targetsOf(relations, name, model),
      sortedLinks: behindRelation(name, links),
    };
  }
  return reach;
}

/** A key at a path: the record that it names, and what leads there: `customer`, rather than `customerId`. */
interface Key {
  readonly reference: NonNullable<ValueInfo['reference']>;
  readonly called: string;
}

/** The record that a value at a path names, where it is a key or an id. */
export function keyAt(path: string, resource: ResourceInfo, model: Model): Key | undefined {
  const dot = path.lastIndexOf('.');
  const [behind, name] = [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
  const { faces } = behind === '' ? { faces: [resource] } : reachOf(behind, resource, model);
  const [face] = faces;
  if (face === undefined || faces.length > 1) return undefined;
  if (name === 'id')
    return {
      reference: { resource: face.name, field: 'id' },
      called: behind === '' ? 'id' : behind,
    };
  const reference = face.fields.find((field) => field.name === name)?.reference;
  if (reference === undefined) return undefined;
  const relation = face.relations.find(
    ({ kind, foundBy }) =>
      kind === 'belongsTo' && foundBy?.some((one) => 'field' in one && one.field === name),
  );
  return { reference, called: relation === undefined ? path : joined(behind, relation.name) };
}

/** A path with something chosen behind another one. */
export function joined(behind: string, chosen: string): string {
  return [behind, chosen].filter((part) => part !== '').join('.');
}

/** Whether a path has more dots than a request may use. */
function isTooDeep(path: string, { limits }: Model): boolean {
  return path.split('.').length - 1 > limits.pathDepth;
}

function leafBehind(path: string, faces: readonly ResourceInfo[], model: Model): Leaf | undefined {
  const leaves = faces.flatMap((face) => leafOn(path, face, model) ?? []);
  const [first] = leaves;
  if (first === undefined) return undefined;
  const names = model.operators.map(({ name }) => name);
  return {
    operators: names.filter((name) => leaves.some(({ operators }) => operators.includes(name))),
    type: first.type,
    values: leaves.every(({ values }) => values !== null)
      ? [...new Set(leaves.flatMap(({ values }) => values ?? []))]
      : null,
  };
}

function leafOn(path: string, face: ResourceInfo, model: Model): Leaf | undefined {
  const own = face.filters.find((filter) => filter.path === path);
  const step = stepOf(path, [face]);
  if (own !== undefined || step === undefined) return own;
  // What a link carries hides what its record has under that name.
  if (pivotOf(step.name, face).length > 0 && isPivot(step.rest)) return undefined;
  return leafBehind(step.rest, targetsOf(step.relations, step.name, model), model);
}

function isPivot(path: string): boolean {
  return path.split('.')[0] === 'pivot';
}

interface Step {
  /** As it is written: `owner`, or `owner:posts` for one target of a morphTo. */
  readonly name: string;
  readonly relations: readonly RelationInfo[];
  readonly rest: string;
}

/** The relation with which a path begins, on any of these resources. */
function stepOf(path: string, faces: readonly ResourceInfo[]): Step | undefined {
  const dot = path.indexOf('.');
  const [name, rest] = dot === -1 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
  const [called] = name.split(':');
  const relations = faces.flatMap((face) => face.relations.filter((one) => one.name === called));
  return relations.length === 0 ? undefined : { name, relations, rest };
}

function targetsOf(
  relations: readonly RelationInfo[],
  name: string,
  { resources }: Model,
): readonly ResourceInfo[] {
  const [, only] = name.split(':');
  const names = new Set(relations.flatMap(({ targets }) => targets));
  return resources.filter(
    (one) => names.has(one.name) && (only === undefined || only === one.name),
  );
}

/** What can be chosen behind a relation: fields, members of objects, what the link carries, and further relations. */
function groupsOf(
  behind: string,
  faces: readonly ResourceInfo[],
  carried: readonly string[],
  model: Model,
): Level['groups'] {
  const pathsOf = (kind: FilterInfo['kind']): readonly string[] =>
    faces.flatMap(({ filters }) =>
      filters.filter((one) => one.kind === kind).map((one) => one.path),
    );
  const isHidden = (path: string): boolean => carried.length > 0 && isPivot(path);
  /** A name may be a field of one target and a relation of another: it is offered once. */
  const offered = new Set<string>();
  const all = [
    { group: 'Fields', items: pathsOf('field') },
    { group: 'Members of objects', items: pathsOf('member') },
    { group: 'Items of arrays', items: pathsOf('item') },
    { group: 'Carried by the link', items: carried },
    { group: 'Relations', items: pathsOf('relation') },
  ];
  return all.flatMap(({ group, items }) => {
    const fit = [...new Set(items)].filter(
      (path) =>
        !offered.has(path) &&
        !isTooDeep(joined(behind, path), model) &&
        (items === carried || !isHidden(path)),
    );
    for (const path of fit) offered.add(path);
    return fit.length === 0 ? [] : [{ group, items: fit }];
  });
}

/** What the links of a relation carry. */
function pivotOf(name: string, { filters }: ResourceInfo): readonly FilterInfo[] {
  return filters.filter(({ kind, path }) => kind === 'pivot' && path.startsWith(`${name}.`));
}

/** Their paths, as they go on behind the relation. */
function behindRelation(name: string, links: readonly FilterInfo[]): readonly string[] {
  return links.map(({ path }) => path.slice(name.length + 1));
}
