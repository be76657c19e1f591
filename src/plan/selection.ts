import type { Field } from '../model/api.ts';
import { unknownName } from '../model/names.ts';
import type { FieldView, ResourceView } from '../model/view.ts';
import { splitNames } from '../filter/text.ts';
import type { ParameterName } from '../request/parameters.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { ExpandNode } from './expand.ts';
import type { ExpandPlan, Member, Selection } from './plan.ts';

/** What `fields` or `exclude` says of one resource, below the relation that leads to it. */
interface Items {
  readonly mode: 'fields' | 'exclude';
  readonly names: readonly Item[];
}

/** One name of the list, what is left of it at this level; `whole` is the text as the client wrote it. */
interface Item {
  readonly name: string;
  readonly whole: string;
  /** It came from a group: names that do not apply here are passed over. */
  readonly fromGroup: boolean;
}

/** Plans which members and expansions of a resource are shown. Contract 2, Field selection. */
export function planSelection(
  face: ResourceView,
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
  if (text === undefined) return select(face, expand, { mode: 'exclude', names: [] }, problems);
  const names = splitNames(text);
  if (!names.ok) {
    problems.push({ parameter: mode, code: 'INVALID_PARAMETER', message: names.error });
    return select(face, expand, { mode: 'exclude', names: [] }, problems);
  }
  const items = names.value.map((name) => ({ name, whole: name, fromGroup: false }));
  return select(face, expand, { mode, names: items }, problems);
}

function select(
  face: ResourceView,
  expand: readonly ExpandNode[],
  items: Items,
  problems: QueryProblem[],
): Selection {
  const { mode } = items;
  const names = expandGroups(items.names, face, mode, problems);
  const whole = new Set<string>();
  const paths = new Map<string, string[][]>();
  const below = new Map<string, Item[]>();
  const dropped = new Set<string>();
  for (const item of names) {
    const [head = '', ...rest] = item.name.split('.');
    const relation = face.relations.get(head);
    const node = expand.find((one) => one.relation.name === head);
    const matched = matchFields(head, face);
    if (relation !== undefined) {
      if (rest.length === 0 && mode === 'exclude') dropped.add(head);
      else if (node === undefined) {
        if (!item.fromGroup && mode === 'fields')
          refuse(
            item,
            `${head} is a relation that this request does not expand; add expand=${head}`,
          );
      } else if (rest.length > 0) push(below, head, { ...item, name: rest.join('.') });
    } else if (matched.length > 0 || head.includes('*')) {
      for (const view of matched) {
        if (rest.length === 0) whole.add(view.name);
        else if (checkPath(view.field, rest, item)) push(paths, view.name, rest);
      }
    } else if (!item.fromGroup) {
      refuse(
        item,
        unknownName('field', item.whole, [...face.fields.keys(), ...face.relations.keys()]),
      );
    }
  }

  function refuse(item: Item, message: string): void {
    problems.push({
      parameter: mode,
      code: 'INVALID_PARAMETER',
      message: `${item.whole}: ${message}`,
    });
  }

  function checkPath(field: Field, path: readonly string[], item: Item): boolean {
    const message = pathProblem(field, path);
    if (message !== undefined) refuse(item, message);
    return message === undefined;
  }

  const members: Member[] = [];
  for (const { name, field } of face.fields.values()) {
    const member = { name, field };
    const only = paths.get(name);
    const isId = field === face.resource.id;
    if (mode === 'fields') {
      if (isId || whole.has(name)) members.push(member);
      else if (only !== undefined) members.push({ ...member, only });
    } else if (isId || !whole.has(name)) {
      members.push(only === undefined ? member : { ...member, without: only });
    }
  }
  const expansions = expand
    .filter((node) => !dropped.has(node.relation.name))
    .map((node) =>
      planExpansion(node, { mode, names: below.get(node.relation.name) ?? [] }, problems),
    );
  return { members, expand: expansions };
}

function planExpansion(node: ExpandNode, items: Items, problems: QueryProblem[]): ExpandPlan {
  const { relation } = node.relation;
  // With no name of its own, a relation is shown whole.
  const mode = items.names.length === 0 ? 'exclude' : items.mode;
  const isPivot = ({ name }: Item): boolean => name === 'pivot' || name.startsWith('pivot.');
  const hasPivot = relation.kind === 'belongsToMany' && relation.pivot.length > 0;
  const pivotNames = hasPivot ? items.names.filter(isPivot).map(({ name }) => name) : [];
  const names = hasPivot ? items.names.filter((item) => !isPivot(item)) : items.names;
  let pivot: readonly Member[] | undefined;
  if (hasPivot && !(mode === 'exclude' && pivotNames.includes('pivot')))
    pivot = relation.pivot
      .filter(({ name }) => mode === 'fields' || !pivotNames.includes(`pivot.${name}`))
      .map((field) => ({ name: field.name, field }));
  return {
    name: node.relation.name,
    relation,
    order: node.order,
    pivot,
    targets: node.targets.map(({ face, typeValue, children }) => ({
      resource: face.resource,
      typeValue,
      selection: select(
        face,
        children,
        // A name below a morphTo applies to the targets that have it.
        {
          mode,
          names: names.map((item) => ({
            ...item,
            fromGroup: item.fromGroup || node.targets.length > 1,
          })),
        },
        problems,
      ),
    })),
  };
}

function expandGroups(
  items: readonly Item[],
  face: ResourceView,
  mode: Items['mode'],
  problems: QueryProblem[],
): readonly Item[] {
  return items.flatMap((item) => {
    if (!item.name.startsWith('@')) return [item];
    const members = face.groups.get(item.name.slice(1));
    if (members === undefined) {
      const groups = [...face.groups.keys()].map((group) => `@${group}`);
      const message = unknownName('group', item.name, groups);
      if (!item.fromGroup) problems.push({ parameter: mode, code: 'INVALID_PARAMETER', message });
      return [];
    }
    return members.map((name) => ({ name, whole: item.whole, fromGroup: true }));
  });
}

/** The fields that a name or a pattern with `*` means. */
function matchFields(name: string, face: ResourceView): readonly FieldView[] {
  if (!name.includes('*')) {
    const view = face.fields.get(name);
    return view === undefined ? [] : [view];
  }
  return [...face.fields.values()].filter((view) => matchesPattern(view.name, name));
}

/** Whether a name matches a pattern in which `*` stands for any text; linear in the name. */
function matchesPattern(name: string, pattern: string): boolean {
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

/** Why a path does not lead into an object field; undefined when it does. */
function pathProblem(field: Field, path: readonly string[]): string | undefined {
  if (field.type.name === 'json') return undefined;
  if (field.type.name !== 'object') return `${field.name} is no object and has no members`;
  const [head = '', ...rest] = path;
  if (field.properties === undefined) return undefined;
  const property = field.properties.get(head);
  if (property === undefined)
    return unknownName(
      'member',
      `${field.name}.${head}`,
      [...field.properties.keys()].map((name) => `${field.name}.${name}`),
    );
  return rest.length === 0 ? undefined : pathProblem(property, rest);
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
