import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { BelongsToMany, Field } from '../../model/api.ts';
import { unknownName } from '../../model/build/names.ts';
import type { FieldView, RelationView, ResourceView } from '../../model/view.ts';
import { splitNames } from '../filter/text.ts';
import type { ParameterName } from '../request/parameters.ts';
import { maxSuggestions, type QueryProblem } from '../request/problem.ts';
import type { ExpandNode } from './expand.ts';
import type { ExpandPlan, Member, Selection } from '../plan.ts';

/** The names in `fields` or `exclude` for one resource, relative to the relation that leads to it. */
interface Items {
  readonly mode: 'fields' | 'exclude';
  readonly names: readonly Item[];
  /** Valid names besides fields and relations. */
  readonly others?: readonly string[];
}

/** One name of the list: the rest of it at this level, and as `whole` the text in the request. */
interface Item {
  readonly name: string;
  readonly whole: string;
  /** It came from a group, so a name that does not apply here is skipped. */
  readonly fromGroup: boolean;
}

/** A name that is rejected, and why. */
interface RejectedName {
  readonly whole: string;
  readonly message: string;
}

/** Plans which members and expansions of a resource are returned. See docs/contract/2-reading.md#field-selection. */
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
  const refusals: RejectedName[] = [];
  const selection = select(resourceView, expand, { mode, names: items }, refusals);
  for (const { message } of refusals) refuse(message);
  return selection;
}

function select(
  resourceView: ResourceView,
  expand: readonly ExpandNode[],
  items: Items,
  refusals: RejectedName[],
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
      const isGuessed = refusals.length < maxSuggestions;
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

/** The fields that the names select: whole fields, and paths inside object fields. */
interface Chosen {
  readonly whole: Set<string>;
  readonly paths: Map<string, string[][]>;
}

/** Adds a name's fields to the chosen ones; returns the name's problem. */
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

/** The returned members of these fields. Fields for which `stays` is true are always included. */
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

/** The message for a relation that is not expanded, with the whole path up to it (before `rest`). */
function notExpanded({ name, whole }: Item, rest: readonly string[]): string {
  const [head = ''] = name.split('.');
  const path = rest.length === 0 ? whole : whole.slice(0, -rest.join('.').length - 1);
  return `${head} is a relation that this request does not expand; add expand=${path}`;
}

function planExpansion(node: ExpandNode, items: Items, refusals: RejectedName[]): ExpandPlan {
  const { relation } = node.relation;
  // A relation without names of its own is returned whole.
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
    const refused: RejectedName[] = [];
    const selection = select(resourceView, children, { mode, names, others }, refused);
    return {
      target: { resource: resourceView.resource, typeValue, selection, where: [] },
      refused,
    };
  });
  // A name below a morphTo applies to the targets that have it, and is rejected if none has it.
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

/** The `withPivot` fields that the caller sees, with their names in this version. */
function pivotOf(view: RelationView, { through, pivot }: BelongsToMany): readonly FieldView[] {
  const fields = view.target(through)?.fields.values() ?? [];
  return [...fields].filter(({ field }) => pivot.includes(field));
}

/**
 * The members of `pivot`: all, those that `fields` names, or all but those that `exclude` names; undefined if `exclude`
 * names `pivot` itself.
 */
function planPivot(
  fields: readonly FieldView[],
  { mode, names }: Items,
  refusals: RejectedName[],
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
  refusals: RejectedName[],
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

/** The fields that match a name or a pattern with `*`. */
function matchFields(name: string, fields: Iterable<FieldView>): readonly FieldView[] {
  return [...fields].filter((view) => matchesPattern(view.name, name));
}

/** Whether a name matches a pattern in which `*` stands for any text. Takes linear time. */
export function matchesPattern(name: string, pattern: string): boolean {
  if (!pattern.includes('*')) return name === pattern;
  const pieces = pattern.split('*');
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let position = first.length;
  const end = name.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}

/** Why a path cannot be followed into an object field; undefined if it can. */
function pathProblem(called: string, field: Field, path: readonly string[]): string | undefined {
  if (field.type.json === 'any') return undefined;
  if (field.type.json !== 'object') return `${called} is not an object, so it has no members`;
  const [head = '', ...rest] = path;
  // A wildcard that matches nothing is not an error.
  if (field.properties === undefined || head.includes('*')) return undefined;
  const property = field.properties.get(head);
  if (property === undefined && field.isOpen) return undefined;
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
