import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { BelongsToMany, Field } from '../../model/api.ts';
import { unknownName } from '../../model/build/names.ts';
import type { FieldView, RelationView, ResourceView } from '../../model/view.ts';
import { splitNames } from '../filter/text.ts';
import type { ParameterName } from '../request/parameters.ts';
import { mostGuesses, type QueryProblem } from '../request/problem.ts';
import type { ExpandNode } from './expand.ts';
import type { ExpandPlan, Member, Selection } from '../plan.ts';
import { matchesPattern } from './wildcard.ts';

/** What `fields` or `exclude` says of one resource, below the relation that leads to it. */
interface Items {
  readonly mode: 'fields' | 'exclude';
  readonly names: readonly Item[];
  /** What may be named here besides fields and relations. */
  readonly others?: readonly string[];
}

/** One name of the list, what is left of it at this level; `whole` is the text as the client wrote it. */
interface Item {
  readonly name: string;
  readonly whole: string;
  /** It came from a group: names that do not apply here are passed over. */
  readonly fromGroup: boolean;
}

/** A name that cannot be used, and why. */
interface Refusal {
  readonly whole: string;
  readonly message: string;
}

/** Plans which members and expansions of a resource are shown. See docs/contract/2-reading.md#field-selection. */
export function planSelection(
  resourceView: ResourceView,
  expand: readonly ExpandNode[],
  reserved: ReadonlyMap<ParameterName, string>,
  problems: QueryProblem[],
): Selection {
  const [fields, exclude] = [reserved.get('fields'), reserved.get('exclude')];
  if (fields !== undefined && exclude !== undefined)
    problems.push({
      parameter: 'exclude',
      code: 'FIELDS_CONFLICT',
      message: 'cannot be combined with fields',
    });
  const mode = fields === undefined ? 'exclude' : 'fields';
  const text = fields ?? exclude;
  const refuse = (message: string): void => {
    problems.push({ parameter: mode, code: 'INVALID_PARAMETER', message });
  };
  const names = text === undefined ? undefined : splitNames(text);
  if (names?.ok === false) refuse(names.error);
  if (names?.ok !== true) return select(resourceView, expand, { mode: 'exclude', names: [] }, []);
  const items = names.value.map((name) => ({ name, whole: name, fromGroup: false }));
  const refusals: Refusal[] = [];
  const selection = select(resourceView, expand, { mode, names: items }, refusals);
  for (const { message } of refusals) refuse(message);
  return selection;
}

function select(
  resourceView: ResourceView,
  expand: readonly ExpandNode[],
  items: Items,
  refusals: Refusal[],
): Selection {
  const { mode } = items;
  const names = expandGroups(items.names, resourceView, refusals);
  const chosen: Chosen = { whole: new Set(), paths: new Map() };
  const below = new Map<string, Item[]>();
  const dropped = new Set<string>();
  const kept = new Set<string>();
  for (const item of names) {
    const [head = '', ...rest] = item.name.split('.');
    const relation = resourceView.relations.get(head);
    const node = expand.find((one) => one.relation.name === head);
    const matched = matchFields(head, resourceView.fields.values());
    if (relation !== undefined) {
      if (rest.length === 0 && mode === 'exclude') dropped.add(head);
      else if (node === undefined) refuse(item, notExpanded(item, rest));
      else if (rest.length === 0) kept.add(head);
      else push(below, head, { ...item, name: rest.join('.') });
    } else if (matched.length > 0 || head.includes('*')) {
      const problem = choose(head, rest, matched, chosen);
      if (problem !== undefined) refuse(item, problem);
    } else {
      const isGuessed = refusals.length < mostGuesses;
      const known = isGuessed
        ? [...resourceView.fields.keys(), ...resourceView.relations.keys(), ...(items.others ?? [])]
        : [];
      refuse(item, unknownName('field', head, known));
    }
  }

  function refuse({ whole, name, fromGroup }: Item, message: string): void {
    if (fromGroup) return;
    const isNested = whole !== name || name.includes('.');
    refusals.push({ whole, message: isNested ? `${whole}: ${message}` : message });
  }

  const isId = (field: Field): boolean => field === resourceView.resource.id;
  const members = membersOf(resourceView.fields.values(), mode, chosen, isId);
  const expansions = expand
    .filter((node) => !dropped.has(node.relation.name))
    .map((node) =>
      planExpansion(
        node,
        { mode, names: kept.has(node.relation.name) ? [] : (below.get(node.relation.name) ?? []) },
        refusals,
      ),
    );
  return { members, expand: expansions };
}

/** What names say of fields: which of them they mean whole, and which members of objects. */
interface Chosen {
  readonly whole: Set<string>;
  readonly paths: Map<string, string[][]>;
}

/** Notes what a name chooses of the fields that it means; gives what is wrong with it. */
function choose(
  head: string,
  rest: readonly string[],
  matched: readonly FieldView[],
  { whole, paths }: Chosen,
): string | undefined {
  let message: string | undefined;
  for (const { name, field } of matched) {
    const problem = rest.length === 0 ? undefined : pathProblem(name, field, rest);
    if (rest.length === 0) whole.add(name);
    else if (problem === undefined) push(paths, name, [...rest]);
    else message = problem;
  }
  return head.includes('*') ? undefined : message;
}

/** The members that are shown of these fields; those that `stays` says whatever was chosen. */
function membersOf(
  fields: Iterable<FieldView>,
  mode: Items['mode'],
  { whole, paths }: Chosen,
  stays: (field: Field) => boolean,
): readonly Member[] {
  const members: Member[] = [];
  for (const { name, field } of fields) {
    const member = { name, field };
    const only = paths.get(name);
    if (mode === 'fields') {
      if (stays(field) || whole.has(name)) members.push(member);
      else if (only !== undefined) members.push({ ...member, only });
    } else if (stays(field) || !whole.has(name)) {
      members.push(only === undefined ? member : { ...member, without: only });
    }
  }
  return members;
}

/** A relation at the end of what is left of a name before `rest` has to be expanded by its whole path. */
function notExpanded({ name, whole }: Item, rest: readonly string[]): string {
  const [head = ''] = name.split('.');
  const path = rest.length === 0 ? whole : whole.slice(0, -rest.join('.').length - 1);
  return `${head} is a relation that this request does not expand; add expand=${path}`;
}

function planExpansion(node: ExpandNode, items: Items, refusals: Refusal[]): ExpandPlan {
  const { relation } = node.relation;
  // With no name of its own, a relation is shown whole.
  const mode = items.names.length === 0 ? 'exclude' : items.mode;
  const pivotFields = relation.kind === 'belongsToMany' ? pivotOf(node.relation, relation) : [];
  const hasPivot = pivotFields.length > 0;
  const isPivot = ({ name }: Item): boolean =>
    hasPivot && (name === 'pivot' || name.startsWith('pivot.'));
  const others = hasPivot ? ['pivot'] : [];
  const names = items.names.filter((item) => !isPivot(item));
  const pivot = hasPivot
    ? planPivot(pivotFields, { mode, names: items.names.filter(isPivot) }, refusals)
    : undefined;
  const targets = node.targets.map(({ resourceView, typeValue, children }) => {
    const refused: Refusal[] = [];
    const selection = select(resourceView, children, { mode, names, others }, refused);
    return {
      target: { resource: resourceView.resource, typeValue, selection, where: [] },
      refused,
    };
  });
  // A name below a morphTo applies to the targets that have it; one that none has is refused.
  for (const refusal of targets[0]?.refused ?? [])
    if (targets.every(({ refused }) => refused.some(({ whole }) => whole === refusal.whole)))
      refusals.push(refusal);
  return {
    name: node.relation.name,
    relation,
    where: node.where,
    order: node.order,
    paging: node.paging,
    pivot,
    targets: targets.map(({ target }) => target),
  };
}

/** What the caller sees of the fields that `withPivot` names, under the names of this version. */
function pivotOf(view: RelationView, { through, pivot }: BelongsToMany): readonly FieldView[] {
  const fields = view.target(through)?.fields.values() ?? [];
  return [...fields].filter(({ field }) => pivot.includes(field));
}

/**
 * The members of `pivot`: all, or those of them that `fields` names, or all but what `exclude` names; undefined where
 * that names `pivot` itself.
 */
function planPivot(
  fields: readonly FieldView[],
  { mode, names }: Items,
  refusals: Refusal[],
): readonly Member[] | undefined {
  const chosen: Chosen = { whole: new Set(), paths: new Map() };
  let isWhole = false;
  for (const { name, whole } of names) {
    const [head = '', ...rest] = name.slice('pivot.'.length).split('.');
    const matched = matchFields(head, fields);
    if (head === '') isWhole = true;
    const known = fields.map((field) => field.name);
    const message =
      head === '' || head.includes('*') || matched.length > 0
        ? choose(head, rest, matched, chosen)
        : unknownName('pivot field', head, known);
    if (message !== undefined) refusals.push({ whole, message: `${whole}: ${message}` });
  }
  if (isWhole && mode === 'exclude') return undefined;
  const isAll = mode === 'fields' && (isWhole || names.length === 0);
  return membersOf(fields, mode, chosen, () => isAll);
}

function expandGroups(
  items: readonly Item[],
  resourceView: ResourceView,
  refusals: Refusal[],
): readonly Item[] {
  return items.flatMap((item) => {
    if (!item.name.startsWith('@')) return [item];
    const members = resourceView.groups.get(item.name.slice(1));
    if (members === undefined) {
      const groups = [...resourceView.groups.keys()].map((group) => `@${group}`);
      refusals.push({ whole: item.whole, message: unknownName('group', item.name, groups) });
      return [];
    }
    return members.map((name) => ({ name, whole: item.whole, fromGroup: true }));
  });
}

/** The fields that a name or a pattern with `*` means. */
function matchFields(name: string, fields: Iterable<FieldView>): readonly FieldView[] {
  return [...fields].filter((view) => matchesPattern(view.name, name));
}

/** Why a path does not lead into an object field; undefined when it does. */
function pathProblem(called: string, field: Field, path: readonly string[]): string | undefined {
  if (field.type.json === 'any') return undefined;
  if (field.type.json !== 'object') return `${called} is no object and has no members`;
  const [head = '', ...rest] = path;
  // A wildcard that matches nothing is no error.
  if (field.properties === undefined || head.includes('*')) return undefined;
  const property = field.properties.get(head);
  if (property === undefined)
    return unknownName(
      'member',
      `${called}.${head}`,
      [...field.properties.keys()].map((name) => `${called}.${name}`),
    );
  return rest.length === 0 ? undefined : pathProblem(head, property, rest);
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  getOrInsert(map, key, (): Value[] => []).push(value);
}
