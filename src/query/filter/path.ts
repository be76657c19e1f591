import { fail, ok, type Result } from '../../errors.ts';
import {
  isToMany,
  type Field,
  type Limits,
  type Relation,
  type Resource,
} from '../../model/api.ts';
import { anyMember } from '../../model/field-types/json.ts';
import { readText } from '../../model/field-types/texts/string.ts';
import type { RelationView, ResourceView } from '../../model/view.ts';
import { fieldRef, type FieldRef } from './predicate.ts';

/** A resolved dotted path, step by step. */
export type Path =
  | { readonly kind: 'field'; readonly ref: FieldRef }
  /** A step to the items of an array that are objects; `next` is relative to an item. */
  | { readonly kind: 'items'; readonly ref: FieldRef; readonly next: Path }
  | {
      readonly kind: 'relation';
      readonly relation: Relation;
      readonly branches: readonly Branch[];
    };

/** One target resource of a relation, and the rest of the path there; `next` is undefined if the path ends with the relation. */
export interface Branch {
  readonly target: Resource;
  /** For a morphTo: the value of the type field for this target. */
  readonly typeValue: string | undefined;
  readonly next: Path | undefined;
}

/** The part of a path that does not resolve, and the names that would. */
export interface PathProblem {
  readonly part: number;
  readonly candidates: readonly string[];
  /** Replaces the message that there is no such name. */
  readonly message?: string;
  /** The name is there, but nothing can be asked of it. */
  readonly isNotAsked?: true;
}

/** The resources that a relation leads to for this caller; a morphTo may have several. */
export function targetsOf(
  view: RelationView,
): readonly { readonly resourceView: ResourceView; readonly typeValue: string | undefined }[] {
  const { relation } = view;
  const targets =
    relation.kind === 'morphTo'
      ? [...relation.targets].map(([typeValue, resource]) => ({ typeValue, resource }))
      : [{ typeValue: undefined, resource: relation.target }];
  return targets.flatMap(({ typeValue, resource }) => {
    const resourceView = view.target(resource);
    return resourceView === undefined || resourceView.fields.size === 0
      ? []
      : [{ resourceView, typeValue }];
  });
}

/**
 * Resolves a dotted path in a caller's view of a resource: fields, members of objects, relations, `pivot` after a
 * belongsToMany, `relation:target` for one target of a morphTo. This is the only place where paths are resolved. See
 * docs/contract/2-reading.md#filters-through-relations.
 */
export function resolvePath(path: string, resourceView: ResourceView): Result<Path, PathProblem> {
  return follow(path.split('.'), 0, resourceView);
}

/** How many conditions a step to many records counts for, beside its own condition: the database searches them for each. */
const costOfToMany = 5;

/**
 * How much a path counts in `limits.filters` and `limits.sorts`. See docs/contract/2-reading.md#filters, rule 8. A step at
 * the end of a filter's path counts as well.
 */
export function costOf(path: Path, ofEnd: (ref: FieldRef) => number = () => 1): number {
  if (path.kind === 'field') return ofEnd(path.ref);
  if (path.kind === 'items') return costOf(path.next, ofEnd) + costOfToMany;
  const below = path.branches.map(({ next }) => (next === undefined ? 1 : costOf(next, ofEnd)));
  return Math.max(1, ...below) + (isToMany(path.relation) ? costOfToMany : 0);
}

/**
 * The same of a filter, where a field that is computed from related records is one more such step: it is computed for each
 * record that the filter is asked of. Sorts have so few keys that it counts as one there.
 */
export function costOfFilter(path: Path): number {
  return costOf(path, ({ field: { computed } }) =>
    computed === undefined || computed.kind === 'join' ? 1 : 1 + costOfToMany,
  );
}

/** Explains a count that is higher than the number of conditions or keys; empty for one that is not. */
export function costNote(count: number, written: number): string {
  if (count <= written) return '';
  return `; each step to many records counts as ${costOfToMany} more, which makes ${count}`;
}

/** Whether a path has more dots than a request may use. */
export function isTooDeep(path: string, { pathDepth }: Limits): boolean {
  return path.split('.').length - 1 > pathDepth;
}

/** Whether the end of a path is declared in the file, on any branch; members of json values are not. */
export function isDeclared(path: Path): boolean {
  if (path.kind === 'field') return path.ref.leaf.type !== anyMember;
  if (path.kind === 'items') return isDeclared(path.next);
  return path.branches.some(({ next }) => next === undefined || isDeclared(next));
}

/** Whether paths lead to members of a field, or of the items of an array. */
function leadsOn(field: Field): boolean {
  return hasMembers(field) || (field.items !== undefined && hasMembers(field.items));
}

/** Whether paths lead below a field. */
export function hasMembers({ type }: Field): boolean {
  return type.json === 'object' || type.json === 'any';
}

function follow(
  parts: readonly string[],
  at: number,
  resourceView: ResourceView,
): Result<Path, PathProblem> {
  const head = parts[at] ?? '';
  const field = resourceView.fields.get(head)?.field;
  if (field !== undefined) return intoField(fieldRef(field), parts, at);
  const colon = head.indexOf(':');
  const view = resourceView.relations.get(colon === -1 ? head : head.slice(0, colon));
  if (view !== undefined)
    return intoRelation(view, colon === -1 ? undefined : head.slice(colon + 1), parts, at);
  const isLast = at === parts.length - 1;
  const fields = [...resourceView.fields.values()].filter(
    ({ field: one }) => isLast || leadsOn(one),
  );
  const relations = [...resourceView.relations.values()];
  const others =
    colon === -1
      ? relations.map(({ name }) => name)
      : relations
          .filter(({ relation }) => relation.kind === 'morphTo')
          .map(({ name }) => `${name}${head.slice(colon)}`);
  return fail({ part: at, candidates: [...fields.map(({ name }) => name), ...others] });
}

function ownMessage(name: string): string {
  return `${name} is computed by own code after records are read, so nothing is filtered, sorted or grouped by it`;
}

/** Resolves what follows the field that is part `at` of a path. */
function intoField(ref: FieldRef, parts: readonly string[], at: number): Result<Path, PathProblem> {
  const called = parts[at] ?? '';
  if (ref.field.computed?.kind === 'code')
    return fail({ part: at, candidates: [], message: ownMessage(called), isNotAsked: true });
  return intoMembers(ref, called, parts.slice(at + 1), at + 1);
}

/** Resolves members below a value that this version calls `called`; the first member is part `at` of the path. */
function intoMembers(
  ref: FieldRef,
  called: string,
  members: readonly string[],
  at: number,
): Result<Path, PathProblem> {
  const [name, ...rest] = members;
  const { leaf } = ref;
  const { properties, items, type } = leaf;
  if (name === undefined) {
    const { member = type } = ref.members.length === 0 ? {} : type;
    return ok({
      kind: 'field',
      ref: { ...ref, leaf: member === type ? leaf : { ...leaf, type: member } },
    });
  }
  if (items !== undefined && hasMembers(items)) {
    // An item is JSON, whatever the type of the column.
    const item = fieldRef({ ...items, native: undefined });
    const next = intoMembers(item, called, members, at);
    return next.ok ? ok({ kind: 'items', ref, next: next.value }) : next;
  }
  const property = properties?.get(name);
  if (property !== undefined) {
    const inner = { ...ref, members: [...ref.members, name], leaf: property };
    return intoMembers(inner, name, rest, at + 1);
  }
  if (!leaf.isOpen && properties !== undefined)
    return fail({ part: at, candidates: [...properties.keys()] });
  if (!hasMembers(leaf))
    return fail({
      part: at,
      candidates: [],
      message: `${called} is of type ${type.name} and has no members`,
    });
  // Undeclared members are looked up by key in the stored JSON.
  if (members.some((member) => member === '' || /^__.*__$/u.test(member) || !readText(member).ok))
    return fail({ part: at, candidates: [] });
  const found: Field = {
    ...leaf,
    name: members.join('.'),
    type: anyMember,
    values: undefined,
    properties: undefined,
    isOpen: true,
  };
  return ok({
    kind: 'field',
    ref: { ...ref, members: [...ref.members, ...members], leaf: found },
  });
}

/** Of two branches on which a path fails, the problem of the one that resolves farther; on a tie the candidates of both. */
function farther(known: PathProblem | undefined, other: PathProblem): PathProblem {
  if (known === undefined || other.part > known.part) return other;
  if (other.part < known.part) return known;
  const { part, message = other.message } = known;
  const candidates = [...known.candidates, ...other.candidates];
  return { part, candidates, ...(message === undefined ? {} : { message }) };
}

function intoRelation(
  view: RelationView,
  targetName: string | undefined,
  parts: readonly string[],
  at: number,
): Result<Path, PathProblem> {
  const { relation } = view;
  if (targetName !== undefined && relation.kind !== 'morphTo')
    return fail({
      part: at,
      candidates: [],
      message: `${view.name} leads to ${relation.target.name} alone, so it takes no :${targetName}`,
    });
  const all = targetsOf(view);
  const resourceViews = all.filter(
    ({ resourceView }) => targetName === undefined || resourceView.name === targetName,
  );
  if (resourceViews.length === 0)
    return fail({
      part: at,
      candidates: all.map(({ resourceView }) => `${view.name}:${resourceView.name}`),
    });
  const next = at + 1;
  // Without visible pivot fields, `pivot` is an ordinary field name.
  const hasPivot = relation.kind === 'belongsToMany' && view.pivot.length > 0;
  if (hasPivot && parts[next] === 'pivot') {
    const name = parts[next + 1];
    const field = view.pivot.find((one) => one.name === name)?.field;
    if (field === undefined)
      return fail({
        part: name === undefined ? next : next + 1,
        candidates: view.pivot.map((one) => (name === undefined ? `pivot.${one.name}` : one.name)),
      });
    const below = intoField(fieldRef(field, true), parts, next + 1);
    if (!below.ok) return below;
    const branch = { target: relation.target, typeValue: undefined, next: below.value };
    return ok({ kind: 'relation', relation, branches: [branch] });
  }
  let problem: PathProblem | undefined;
  const branches = resourceViews.flatMap(({ resourceView, typeValue }): Branch[] => {
    const target = resourceView.resource;
    if (next === parts.length) return [{ target, typeValue, next: undefined }];
    const below = follow(parts, next, resourceView);
    if (below.ok) return [{ target, typeValue, next: below.value }];
    problem = farther(problem, below.error);
    return [];
  });
  if (problem === undefined || branches.length > 0)
    return ok({ kind: 'relation', relation, branches });
  const { candidates } = problem;
  const isBeforePivot = hasPivot && problem.part === next && next < parts.length - 1;
  return fail(isBeforePivot ? { ...problem, candidates: [...candidates, 'pivot'] } : problem);
}
