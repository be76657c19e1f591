import { fail, ok, type Result } from '../../errors.ts';
import {
  costNote,
  costOf,
  isTooDeep,
  resolvePath,
  type Path,
  type PathProblem,
} from '../filter/path.ts';
import { fieldRef } from '../filter/predicate.ts';
import { unknownPath } from '../filter/resolve.ts';
import { splitNames } from '../filter/text.ts';
import { isToMany, type Field, type Limits, type Resource } from '../../model/api.ts';
import { isComposite, partsOf } from '../../model/field-types/composite-id.ts';
import type { ResourceView } from '../../model/view.ts';
import { counted } from '../../model/values.ts';
import { maxSuggestions, type QueryProblem } from '../request/problem.ts';
import { collectionsOf, type ExpandNode } from './expand.ts';
import type { SortKey } from '../plan.ts';

/** The input and output of planning a `sort`: `problems` is added to. */
export interface SortContext {
  readonly limits: Limits;
  readonly expand: readonly ExpandNode[];
  /** The `nulls` parameter. */
  readonly nulls: 'first' | 'last' | undefined;
  /** The prefix of every name: empty, or for a collection's own sort its relation and a dot. */
  readonly prefix: string;
  readonly problems: QueryProblem[];
}

/** Parses `nulls` and reports its problems. */
export function planNulls(
  text: string | undefined,
  problems: QueryProblem[],
): 'first' | 'last' | undefined {
  if (text === undefined || text === 'first' || text === 'last') return text;
  problems.push({ parameter: 'nulls', code: 'INVALID_PARAMETER', message: 'takes first or last' });
  return undefined;
}

/** The keys of a `sort`: for the records themselves, and for the expanded collections. */
export interface PlannedSort {
  readonly keys: readonly SortKey[];
  readonly collections: ReadonlyMap<ExpandNode, readonly SortKey[]>;
  /** Collection keys from the cursor, for collections that the request itself does not sort. */
  readonly fromCursor?: ReadonlyMap<ExpandNode, readonly SortKey[]>;
  /** How much the names in the text count in `limits.sorts`. */
  readonly count: number;
}

/**
 * Resolves a `sort` and reports problems under `parameter`. Does not add the final `id` (see `withId`). See
 * docs/contract/2-reading.md#sorting.
 */
export function planSort(
  text: string,
  resourceView: ResourceView,
  parameter: string,
  context: SortContext,
): PlannedSort {
  const { limits, problems } = context;
  const keys: SortKey[] = [];
  const collections = new Map<ExpandNode, SortKey[]>();
  const refuse = (
    message: string,
    code: QueryProblem['code'] = 'INVALID_SORT',
    max?: number,
  ): void => {
    problems.push({ parameter, code, message, max });
  };
  const names = splitNames(text);
  if (!names.ok) {
    refuse(names.error);
    return { keys, collections, count: 0 };
  }
  let count = 0;
  const written = new Set<string>();
  for (const item of names.value) {
    count += 1;
    const descending = item.startsWith('-');
    const name = descending ? item.slice(1) : item;
    if (name === '') {
      refuse('has an empty item');
      continue;
    }
    if (isTooDeep(name, limits)) {
      refuse(
        `${name} is deeper than ${counted(limits.pathDepth, 'dot')} (limits.pathDepth)`,
        'LIMIT_EXCEEDED',
        limits.pathDepth,
      );
      continue;
    }
    const key = planKey(name, descending, resourceView, context);
    if (!key.ok) refuse(key.error);
    else if (written.has(name)) refuse(`${name} is there twice`);
    else
      for (const { key: planned, collection } of key.value)
        if (collection === undefined) keys.push(planned);
        else collections.set(collection, [...(collections.get(collection) ?? []), planned]);
    if (key.ok) count += Math.max(...key.value.map(({ cost }) => cost)) - 1;
    written.add(name);
  }
  if (count > limits.sorts)
    refuse(
      `takes at most ${counted(limits.sorts, 'key')} (limits.sorts)${costNote(count, names.value.length)}`,
      'LIMIT_EXCEEDED',
      limits.sorts,
    );
  return { keys, collections, count };
}

/** Appends `id` in the direction of the last key, so that the order is total. */
export function withId(keys: readonly SortKey[], { id }: Resource): readonly SortKey[] {
  const has = (field: Field): boolean =>
    keys.some(({ ref, steps }) => steps.length === 0 && ref.leaf === field);
  const descending = keys.at(-1)?.descending ?? false;
  const missing = orderedFields(id).filter((field) => !has(field));
  if (missing.length === 0) return keys;
  const added = missing.map((field): SortKey => {
    const ref = fieldRef(field);
    // Of a resource without a key they may be null.
    const nulls = !field.nullable ? undefined : descending ? 'last' : 'first';
    return { name: 'id', steps: [], ref, descending, nulls };
  });
  return [...keys, ...added];
}

/** What a field is sorted by: a composite id by its parts, in their order. */
export function orderedFields(field: Field): readonly Field[] {
  return isComposite(field) ? partsOf(field) : [field];
}

interface PlannedKey {
  readonly key: SortKey;
  /** The expanded collection that it sorts; undefined for the records themselves. */
  readonly collection: ExpandNode | undefined;
  /** See `costOf`. */
  readonly cost: number;
}

/** The keys of a name: one, or below a morphTo one for each collection at that path. */
function planKey(
  name: string,
  descending: boolean,
  resourceView: ResourceView,
  { expand, nulls, prefix, problems }: SortContext,
): Result<readonly PlannedKey[], string> {
  const path = resolvePath(`${prefix}${name}`, resourceView);
  if (!path.ok) {
    // Problems are about the name as written, without the prefix.
    const asWritten = (problem: PathProblem): PathProblem => ({
      ...problem,
      part: problem.part - (prefix === '' ? 0 : 1),
    });
    const follow = (bare: string): PathProblem | undefined => {
      const resolved = resolvePath(`${prefix}${bare}`, resourceView);
      return resolved.ok ? undefined : asWritten(resolved.error);
    };
    const written = writtenElsewhere(name, (bare) => follow(bare) === undefined);
    return fail(
      written === undefined
        ? unknownPath(
            name,
            asWritten(path.error),
            problems.length < maxSuggestions ? follow : undefined,
          )
        : `there is no field ${name}; ${written}`,
    );
  }
  const collections = collectionsOf(path.value, expand);
  if (collections.length === 0) {
    const found = keysAt(name, path.value, descending, nulls);
    if (!found.ok) return found;
    const cost = costOf(path.value);
    return ok(found.value.map((key) => ({ key, collection: undefined, cost })));
  }
  const keys: PlannedKey[] = [];
  let failure: Result<never, string> | undefined;
  for (const { node, rest } of collections) {
    const found = keysAt(name, rest, descending, nulls);
    if (!found.ok) failure ??= found;
    else for (const key of found.value) keys.push({ key, collection: node, cost: costOf(rest) });
  }
  return failure !== undefined && keys.length === 0 ? failure : ok(keys);
}

/** A hint for sort keys in the syntax of other APIs: `at:desc`, `at,desc`, `["at","DESC"]`. */
function writtenElsewhere(name: string, isField: (name: string) => boolean): string | undefined {
  const [, bare = '', order = ''] = /^(.+?)[ :.+](asc|desc)$/iu.exec(name) ?? [];
  if (bare !== '' && isField(bare)) return `write ${/^d/iu.test(order) ? '-' : ''}${bare}`;
  if (/^["[{]/u.test(name)) return 'names are written without brackets and quotes: sort=-name,id';
  return /^(?:asc|desc)$/iu.test(name)
    ? 'a minus before a name makes it descend: sort=-name'
    : undefined;
}

/** The key at the end of a path, of a composite id several; or why it cannot be sorted by. */
function keysAt(
  name: string,
  path: Path,
  descending: boolean,
  nulls: 'first' | 'last' | undefined,
): Result<readonly SortKey[], string> {
  const found = stepsOf(path, name);
  if (!found.ok) return found;
  const { steps, ref } = found.value;
  if (ref.isPivot && steps.length > 0)
    return fail(`${name} can be sorted by only where the relation before pivot is expanded`);
  const { leaf, members, field } = ref;
  const isSortable = leaf.type.sortable && (leaf.items === undefined || areOrdered(leaf.items));
  if (!isSortable)
    return fail(
      leaf.items === undefined
        ? `${name} cannot be sorted by: it is of type ${nameOf(leaf)}`
        : `${name} cannot be sorted by: its items are of type ${nameOf(leaf.items)}`,
    );
  // An empty array has no first element.
  const canBeNull =
    steps.length > 0 || members.length > 0 || field.nullable || leaf.items !== undefined;
  const placed = nulls ?? (descending ? 'last' : 'first');
  if (isComposite(field) && steps.some(({ relation }) => isToMany(relation)))
    return fail(`${name} cannot be sorted by: the least of several ids has no order of its own`);
  return ok(
    orderedFields(leaf).map((one) => ({
      name,
      steps,
      ref: one === leaf ? ref : fieldRef(one, ref.isPivot),
      descending,
      nulls: canBeNull ? placed : undefined,
    })),
  );
}

/** The type of a field without an order, as the file writes it. */
function nameOf({ type, attributes: { format } }: Field): string {
  return format === undefined
    ? type.name
    : `${type.name} with format: ${format}, which has no order`;
}

/** The relations of a path, and the value at its end. */
function stepsOf(path: Path, name: string): Result<Pick<SortKey, 'steps' | 'ref'>, string> {
  if (path.kind === 'field') return ok({ steps: [], ref: path.ref });
  if (path.kind === 'items')
    return fail(`${name} cannot be sorted by: its path goes through the items of an array`);
  const { relation } = path;
  const [branch] = path.branches;
  if (branch?.next === undefined) return fail(`${name} is a relation, which cannot be sorted by`);
  if (relation.kind === 'morphTo')
    return fail(`${name} cannot be sorted by: its path goes through a morphTo`);
  const below = stepsOf(branch.next, name);
  if (!below.ok) return below;
  const { steps, ref } = below.value;
  return ok({ steps: [{ relation, target: branch.target }, ...steps], ref });
}

/** Whether the items of an array have an order as JSON, or one that their type gives them on both databases. */
function areOrdered({ type, items }: Field): boolean {
  const { member = type, sqlite, postgres } = type;
  const isGiven = sqlite.itemOrder !== undefined && postgres.itemOrder !== undefined;
  return items === undefined && type.sortable && (member.sortable || isGiven);
}
