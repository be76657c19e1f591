import type { Condition, Expansion, Group, Query } from '../support/oracle-query.ts';

/** Requests that ask for a little less, so that what fails can be told in few words. */

/** A list without each of its members in turn. */
function less<Item>(list: readonly Item[]): readonly (readonly Item[])[] {
  return list.map((_, index) => list.toSpliced(index, 1));
}

/** A list with each of its members in turn made shorter. */
function lessWithin<Item>(
  list: readonly Item[],
  shorten: (one: Item) => readonly Item[],
): readonly (readonly Item[])[] {
  return list.flatMap((one, index) => shorten(one).map((short) => list.with(index, short)));
}

function shorterCondition(condition: Condition): readonly Condition[] {
  const { operands } = condition;
  return operands.length < 2
    ? []
    : less(operands).map((fewer) => ({ ...condition, operands: fewer }));
}

function shorterPart(part: Condition | Group): readonly (Condition | Group)[] {
  return 'parts' in part ? shorterGroup(part) : shorterCondition(part);
}

function shorterGroup({ kind, parts }: Group): readonly Group[] {
  const fewer = parts.length < 2 ? [] : less(parts);
  return [...fewer, ...lessWithin(parts, shorterPart)].map((some) => ({ kind, parts: some }));
}

function shorterExpansion(expansion: Expansion): readonly Expansion[] {
  const { paging, sort, below } = expansion;
  return [
    ...(paging === undefined ? [] : [{ ...expansion, paging: undefined }]),
    ...less(sort).map((keys) => ({ ...expansion, sort: keys })),
    ...[...less(below), ...lessWithin(below, shorterExpansion)].map((some) => ({
      ...expansion,
      below: some,
    })),
  ];
}

/** Every request with a single thing less. Some are not allowed. */
export function shorter(query: Query): readonly Query[] {
  const { conditions, groups, search, ids, sort, nulls, paging, expand, fields, exclude } = query;
  const changed = (changes: readonly Partial<Query>[]): readonly Query[] =>
    changes.map((change) => ({ ...query, ...change }));
  const isPaged = paging.start > (paging.mode === 'page' ? 1 : 0) || paging.limit !== undefined;
  return [
    ...changed(less(groups).map((some) => ({ groups: some }))),
    ...changed(less(conditions).map((some) => ({ conditions: some }))),
    ...changed(less(expand).map((some) => ({ expand: some }))),
    ...changed(less(sort).map((some) => ({ sort: some }))),
    ...changed(less(search).map((some) => ({ search: some }))),
    ...changed(less(ids).map((some) => ({ ids: some }))),
    ...changed(nulls === undefined ? [] : [{ nulls: undefined }]),
    ...changed(fields === undefined ? [] : [{ fields: undefined }]),
    ...changed(exclude === undefined ? [] : [{ exclude: undefined }]),
    ...changed(isPaged ? [{ paging: { mode: 'page', start: 1, limit: undefined } }] : []),
    ...changed(query.maxDepth === undefined ? [] : [{ maxDepth: undefined }]),
    ...changed(query.isCounted ? [] : [{ isCounted: true }]),
    ...changed(
      fields === undefined || fields.length < 2
        ? []
        : less(fields).map((some) => ({ fields: some })),
    ),
    ...changed(
      exclude === undefined || exclude.length < 2
        ? []
        : less(exclude).map((some) => ({ exclude: some })),
    ),
    ...changed(lessWithin(groups, shorterGroup).map((some) => ({ groups: some }))),
    ...changed(lessWithin(conditions, shorterCondition).map((some) => ({ conditions: some }))),
    ...changed(lessWithin(expand, shorterExpansion).map((some) => ({ expand: some }))),
  ];
}
