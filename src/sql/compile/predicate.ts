import type { Predicate, RelatedBranch, RelatedToOne } from '../../query/filter/predicate.ts';
import type { Relation } from '../../model/api.ts';
import type { Dialect } from '../dialect.ts';
import { joinOf, parentField, type Join } from './join.ts';
import { isLookup, isLookupBehind } from './lookup.ts';
import { columnOf, linkOf, ownScope, placeSql, relatedTo, type Scope } from './scope.ts';
import type { Add } from '../statement.ts';

/** How many related records a statement can ask about before each question is planned alone. */
const fewRelated = 6;

/** Each predicate as a condition on the rows of a scope; it asks `add` for its placeholders in its turn. */
export function rowConditions(
  where: readonly Predicate[],
  scope: Scope,
  dialect: Dialect,
  add: Add,
): readonly string[] {
  const context = contextOf(where, dialect, add);
  return where.map((part) => predicateSql(part, scope, context));
}

/**
 * Whether an index finds few records of a list by those that they are related to, and nothing that is asked of them
 * themselves does.
 */
export function looksUp(where: readonly Predicate[], dialect: Dialect): boolean {
  return (
    !where.some(isLookup) &&
    where.some((part) => {
      if (!isLookupBehind(part)) return false;
      const { relation, branches } = part;
      const { keyField } = joinOf(relation, branches[0].target, dialect);
      return dialect.looksUp(parentField(relation), keyField);
    })
  );
}

/** Each predicate as a condition on all records of a list, by which they are found as is soonest. */
export function listConditions(
  where: readonly Predicate[],
  dialect: Dialect,
  add: Add,
): readonly string[] {
  return looksUp(where, dialect)
    ? lookupConditions(where, dialect, add)
    : rowConditions(where, ownScope, dialect, add);
}

/** Conditions of a list that `looksUp`, which find its records so; `isCapped`: at most as many of each kind as a cap. */
export function lookupConditions(
  where: readonly Predicate[],
  dialect: Dialect,
  add: Add,
  isCapped = false,
): readonly string[] {
  const context = { ...contextOf(where, dialect, add), isCapped };
  return where.map((part) =>
    isLookupBehind(part)
      ? lookupSql(part, ownScope, context)
      : predicateSql(part, ownScope, context),
  );
}

/** Each predicate as a condition on rows that a relation leads to, which are found by its key. */
export function relatedConditions(
  where: readonly Predicate[],
  join: Join,
  scope: Scope,
  dialect: Dialect,
  add: Add,
): readonly string[] {
  const context = contextOf(where, dialect, add);
  return where.map((part) => relatedSql(part, join, scope, context));
}

/** A condition on rows that `join` finds by a key: what no index has behind that key is only asked of what it finds. */
function relatedSql(predicate: Predicate, join: Join, scope: Scope, context: Context): string {
  switch (predicate.kind) {
    case 'and':
      return allOf(predicate.parts.map((part) => relatedSql(part, join, scope, context)));
    case 'link': {
      const link = linkOf(scope);
      const ofLink: Join = { ...join, isIndexed: (field) => join.isIndexed(field, true) };
      return allOf(predicate.where.map((part) => relatedSql(part, ofLink, link, context)));
    }
    case 'compare':
    case 'null': {
      const { field, isPivot } = predicate.place;
      const sql = predicateSql(predicate, scope, context);
      return join.isIndexed(field, isPivot) ? sql : context.dialect.onlyAsked(sql);
    }
    case 'or':
      return context.dialect.onlyAsked(predicateSql(predicate, scope, context));
    case 'related':
      return predicateSql(predicate, scope, context);
    default:
      return predicate satisfies never;
  }
}

function contextOf(where: readonly Predicate[], dialect: Dialect, add: Add): Context {
  return { dialect, add, many: countRelated(where) > fewRelated };
}

function countRelated(where: readonly Predicate[]): number {
  return where.reduce((sum, part) => {
    if (part.kind === 'or' || part.kind === 'and') return sum + countRelated(part.parts);
    if (part.kind === 'link') return sum + countRelated(part.where);
    if (part.kind !== 'related') return sum;
    return part.branches.reduce((all, branch) => all + 1 + countRelated(branch.where), sum);
  }, 0);
}

/** What all conditions of one statement are written with. */
interface Context {
  readonly dialect: Dialect;
  readonly add: Add;
  readonly many: boolean;
  /** Whether no more rows than a cap are looked up. */
  readonly isCapped?: boolean;
}

/** ` WHERE …`, or nothing where there is no condition. */
export function whereSql(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`;
}

function predicateSql(predicate: Predicate, scope: Scope, context: Context): string {
  const { dialect, add } = context;
  switch (predicate.kind) {
    case 'compare': {
      const { place, operator, slot, any = false } = predicate;
      const value = placeSql(place, scope, dialect);
      if (!any) return dialect.compare(value, operator, add(slot.index), place.leaf);
      const list = dialect.listTable(add(slot.index), dialect.operandField(operator, place.leaf));
      const one = dialect.compare(value, operator, 'item.value', place.leaf);
      return `EXISTS (SELECT 1 FROM ${list} AS item WHERE ${one})`;
    }
    case 'null': {
      const { place, isNull } = predicate;
      const column = columnOf(place, scope);
      if (place.members.length === 0) return `${column} IS ${isNull ? '' : 'NOT '}NULL`;
      const test = dialect.memberIsNull(dialect.member(column, place.members, place.field));
      return isNull ? test : `NOT (${test})`;
    }
    case 'related': {
      const { relation, branches, isNegated } = predicate;
      const branch = dialect.asksByKeys === true ? keysSql : branchSql;
      const found = anyOf(branches.map((one) => branch(relation, one, scope, context, isNegated)));
      return isNegated ? `NOT ${found}` : found;
    }
    case 'or':
      return anyOf(predicate.parts.map((part) => predicateSql(part, scope, context)));
    case 'and':
      return allOf(predicate.parts.map((part) => predicateSql(part, scope, context)));
    case 'link': {
      const link = linkOf(scope);
      return allOf(predicate.where.map((part) => predicateSql(part, link, context)));
    }
    default:
      return predicate satisfies never;
  }
}

function anyOf(parts: readonly string[]): string {
  return parts.length === 0 ? '(1 = 0)' : `(${parts.join(' OR ')})`;
}

function allOf(parts: readonly string[]): string {
  return parts.length === 0 ? '(1 = 1)' : `(${parts.join(' AND ')})`;
}

/** Whether there is a related row of one branch, asked for each row of the scope. */
function branchSql(
  relation: Relation,
  { target, typeValue, where }: RelatedBranch,
  scope: Scope,
  context: Context,
): string {
  const { dialect, many } = context;
  const related = relatedTo(scope, relation, target, typeValue, dialect);
  const conditions = where.map((part) => relatedSql(part, related.join, related.scope, context));
  const found = [related.where, ...conditions].join(' AND ');
  return dialect.exists(`SELECT 1 ${related.from} ${found}`, many);
}

/**
 * As `branchSql`, by a subquery that names none of the rows around it. `isNegated`: it is false, not null, where the key
 * above is null.
 */
function keysSql(
  relation: Relation,
  { target, typeValue, where }: RelatedBranch,
  scope: Scope,
  context: Context,
  isNegated: boolean,
): string {
  const { dialect, many } = context;
  const related = relatedTo(scope, relation, target, typeValue, dialect);
  const { join, suffix, from, key, isOfType } = related;
  const keys = join.key(suffix);
  const conditions = where.map((part) => relatedSql(part, join, related.scope, context));
  const all = [`${keys} IS NOT NULL${join.conditions(suffix)}`, ...conditions].join(' AND ');
  const found = `${key} IN (SELECT ${keys} ${from} WHERE ${all}${many ? ' OFFSET 0' : ''})`;
  return `(${isNegated ? `coalesce(${found}, false)` : found}${isOfType})`;
}

/** Finds the rows of the scope by the keys of what is related to them: what is related is read first. */
function lookupSql(
  { relation, branches: [{ target, typeValue, where }] }: RelatedToOne,
  scope: Scope,
  context: Context,
): string {
  const { dialect, add, isCapped = false } = context;
  const related = relatedTo(scope, relation, target, typeValue, dialect);
  const { join, suffix, above, key, isOfType } = related;
  if (!dialect.looksUp(above, join.keyField))
    return branchSql(relation, { target, typeValue, where }, scope, context);
  const isFound = where.some(isLookup);
  const conditions = where.map((part) => foundSql(part, isFound, related.scope, context));
  const cap = isCapped ? ` LIMIT ${add('cap')}` : '';
  return (
    `(${key} IN (SELECT ${join.key(suffix)} FROM ${join.from(suffix, 'JOIN')}` +
    ` WHERE ${conditions.join(' AND ')}${join.conditions(suffix, dialect.onlyAsked)}${cap})${isOfType})`
  );
}

/** A condition on what is looked up; once something finds it, the rest is only asked of what is found. */
function foundSql(predicate: Predicate, isFound: boolean, scope: Scope, context: Context): string {
  if (predicate.kind === 'and')
    return allOf(predicate.parts.map((part) => foundSql(part, isFound, scope, context)));
  if (predicate.kind === 'link')
    return allOf(predicate.where.map((part) => foundSql(part, isFound, linkOf(scope), context)));
  if (!isFound && isLookupBehind(predicate)) return lookupSql(predicate, scope, context);
  const sql = predicateSql(predicate, scope, context);
  return isLookup(predicate) ? sql : context.dialect.onlyAsked(sql);
}
