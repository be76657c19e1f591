import {
  isRelatedToOne,
  type ComputedOfRelated,
  type ComputedValue,
  type FieldRef,
  type Predicate,
  type RelatedBranch,
  type RelatedToOne,
} from '../../query/filter/predicate.ts';
import type { GroupKind } from '../../query/filter/group.ts';
import type { Relation } from '../../model/api.ts';
import { beginsIndex, tellsFew } from '../../model/indexes.ts';
import { operators } from '../../model/operators.ts';
import { quoteTable, type Dialect } from '../dialect.ts';
import { keyColumns } from '../key.ts';
import { joinOf, parentField, type Join } from './join.ts';
import {
  columnOf,
  itemScope,
  linkOf,
  ownScope,
  refSql,
  relatedTo,
  scopeOf,
  type Scope,
} from './scope.ts';
import type { Add } from '../statement.ts';

/** With more conditions on related records than this, each is planned as a separate subquery. */
const fewRelated = 6;

/** Predicates as SQL conditions on the rows of a scope. Placeholders are added in the order of the text. */
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
 * Whether a list is best found through related records: an index finds few of those, and no index finds few records of the
 * list itself.
 */
export function isFoundByRelated(where: readonly Predicate[], dialect: Dialect): boolean {
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

/** Predicates as conditions on a list, written so that the fastest way to find its records is used. */
export function listConditions(
  where: readonly Predicate[],
  dialect: Dialect,
  add: Add,
): readonly string[] {
  return isFoundByRelated(where, dialect)
    ? lookupConditions(where, dialect, add)
    : rowConditions(where, ownScope, dialect, add);
}

/** Conditions of a list that `isFoundByRelated`; `isCapped` looks up no more than `cap` related rows. */
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

/** Predicates as conditions on related rows, which are found by their key. */
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

/** A condition on rows that `join` finds by a key. If no index has both, the condition is kept from choosing an index. */
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
      const { field, isPivot } = predicate.ref;
      const sql = predicateSql(predicate, scope, context);
      return join.isIndexed(field, isPivot) ? sql : context.dialect.onlyAsked(sql);
    }
    case 'or':
    case 'not':
      return context.dialect.onlyAsked(predicateSql(predicate, scope, context));
    case 'items':
    case 'related':
    case 'indexed':
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
    if (part.kind === 'or' || part.kind === 'and' || part.kind === 'not')
      return sum + countRelated(part.parts);
    if (part.kind === 'link') return sum + countRelated(part.where);
    if (part.kind !== 'related') return sum;
    return part.branches.reduce((all, branch) => all + 1 + countRelated(branch.where), sum);
  }, 0);
}

/** What the conditions of one statement share. */
interface Context {
  readonly dialect: Dialect;
  readonly add: Add;
  readonly many: boolean;
  /** Look up no more rows than `cap`. */
  readonly isCapped?: boolean;
}

/** ` WHERE …`, or an empty string without conditions. */
export function whereSql(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`;
}

function predicateSql(predicate: Predicate, scope: Scope, context: Context): string {
  const { dialect, add } = context;
  switch (predicate.kind) {
    case 'compare': {
      const { ref, operator, slot, any = false } = predicate;
      if (ref.value !== undefined) {
        // Named once, since an operator may name its column several times.
        const test = dialect.compare('c.v', operator, add(slot.index), ref.leaf);
        return `(SELECT ${test} FROM (SELECT ${computedSql(ref.value, scope, dialect, add)} AS v) AS c)`;
      }
      const value = refSql(ref, scope, dialect);
      if (!any) return dialect.compare(value, operator, add(slot.index), ref.leaf);
      const list = dialect.listTable(add(slot.index), dialect.operandField(operator, ref.leaf));
      const one = dialect.compare(value, operator, 'item.value', ref.leaf);
      return operators[operator].isNegated === true
        ? `NOT EXISTS (SELECT 1 FROM ${list} AS item WHERE NOT ${one})`
        : `EXISTS (SELECT 1 FROM ${list} AS item WHERE ${one})`;
    }
    case 'null': {
      const { ref, isNull } = predicate;
      if (ref.value !== undefined)
        return `${computedSql(ref.value, scope, dialect, add)} IS ${isNull ? '' : 'NOT '}NULL`;
      const column = columnOf(ref, scope);
      if (ref.members.length === 0)
        return `${keyColumns(column, ref.field)[0]} IS ${isNull ? '' : 'NOT '}NULL`;
      const test = dialect.memberIsNull(dialect.member(column, ref.members, ref.field));
      return isNull ? test : `NOT (${test})`;
    }
    case 'indexed': {
      const { resource, texts, words, plain } = predicate;
      const without = (): string => allOf(plain.map((part) => predicateSql(part, scope, context)));
      if (dialect.indexedSearch === undefined) return without();
      const places = words.map((word) => () => add(word.index));
      return dialect.indexedSearch(resource, texts, scope.column, places, without);
    }
    case 'items': {
      const { ref, where: wanted } = predicate;
      const alias = `i${scope.below}`;
      const { from, item, where } = dialect.objectItems(
        columnOf(ref, scope),
        ref.members,
        ref.field,
        alias,
      );
      const within = itemScope(item, scope);
      const all = [where, ...wanted.map((part) => predicateSql(part, within, context))];
      return `EXISTS (SELECT 1 FROM ${from} WHERE ${all.join(' AND ')})`;
    }
    case 'related': {
      const { relation, branches, isNegated } = predicate;
      const branch = dialect.asksByKeys === true ? keysSql : branchSql;
      const found = anyOf(branches.map((one) => branch(relation, one, scope, context, isNegated)));
      return isNegated ? `NOT ${found}` : found;
    }
    case 'or':
    case 'and':
    case 'not':
      return groupSql(
        predicate.kind,
        predicate.parts.map((part) => predicateSql(part, scope, context)),
      );
    case 'link': {
      const link = linkOf(scope);
      return allOf(predicate.where.map((part) => predicateSql(part, link, context)));
    }
    default:
      return predicate satisfies never;
  }
}

/** Conditions that hold together as a group says. Those of `not` may be null, which does not hold. */
export function groupSql(kind: GroupKind, parts: readonly string[]): string {
  if (kind === 'and') return allOf(parts);
  return kind === 'or' ? anyOf(parts) : `NOT coalesce(${anyOf(parts)}, (1 = 0))`;
}

function anyOf(parts: readonly string[]): string {
  return parts.length === 0 ? '(1 = 0)' : `(${parts.join(' OR ')})`;
}

function allOf(parts: readonly string[]): string {
  return parts.length === 0 ? '(1 = 1)' : `(${parts.join(' AND ')})`;
}

/** EXISTS for a related row of one branch, as a correlated subquery. */
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
 * Like `branchSql`, with a subquery that is not correlated. `isNegated` makes it false instead of null for a null key in
 * the outer row.
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
  const keys = join.keys(suffix);
  const conditions = where.map((part) => relatedSql(part, join, related.scope, context));
  const present = keys.map((one) => `${one} IS NOT NULL`).join(' AND ');
  const all = [`${present}${join.conditions(suffix)}`, ...conditions].join(' AND ');
  const found = `${key} IN (SELECT ${keys.join(', ')} ${from} WHERE ${all}${many ? ' OFFSET 0' : ''})`;
  return `(${isNegated ? `coalesce(${found}, false)` : found}${isOfType})`;
}

/** Finds the rows of the scope by the keys of their related rows, which are read first. */
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
    `(${key} IN (SELECT ${join.keys(suffix).join(', ')} FROM ${join.from(suffix, 'JOIN')}` +
    ` WHERE ${conditions.join(' AND ')}${join.conditions(suffix, dialect.onlyAsked)}${cap})${isOfType})`
  );
}

/** A condition on looked-up rows. After one condition has found them, the others are kept from choosing an index. */
function foundSql(predicate: Predicate, isFound: boolean, scope: Scope, context: Context): string {
  if (predicate.kind === 'and')
    return allOf(predicate.parts.map((part) => foundSql(part, isFound, scope, context)));
  if (predicate.kind === 'link')
    return allOf(predicate.where.map((part) => foundSql(part, isFound, linkOf(scope), context)));
  if (!isFound && isLookupBehind(predicate)) return lookupSql(predicate, scope, context);
  const sql = predicateSql(predicate, scope, context);
  return isLookup(predicate) ? sql : context.dialect.onlyAsked(sql);
}

/** Whether an index finds the few rows that satisfy a condition. */
export function isLookup(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'compare': {
      const { ref, operator, any = false } = predicate;
      const isWhole = ref.members.length === 0 && !any;
      const isSame = operators[operator].index === 'equal';
      return isWhole && isSame && tellsFew(ref.field) && beginsIndex(ref.field);
    }
    case 'and':
      return predicate.parts.some(isLookup);
    case 'link':
      return predicate.where.some(isLookup);
    case 'related':
    case 'items':
    case 'indexed':
    case 'null':
    case 'or':
    case 'not':
      return false;
    default:
      return predicate satisfies never;
  }
}

/** Whether an index finds the few related rows that satisfy a condition, directly or through further relations. */
export function isLookupBehind(predicate: Predicate): predicate is RelatedToOne {
  if (!isRelatedToOne(predicate)) return false;
  const [branch] = predicate.branches;
  return branch.where.some(
    (part) => isLookup(part) || (isLookupBehind(part) && beginsIndex(parentField(part.relation))),
  );
}

/**
 * The expression of a field without a column: of related records a scalar subquery, which an index of the key serves.
 * Its parameters are bound once, so it must stand once wherever it is written.
 */
export function computedSql(
  value: ComputedValue,
  scope: Scope,
  dialect: Dialect,
  add: Add,
): string {
  switch (value.kind) {
    case 'join': {
      const texts = value.fields.map((field) => dialect.select(scope.column(field), field));
      return dialect.joined(texts, value.between);
    }
    case 'where': {
      const all = rowConditions(value.where, scope, dialect, add).join(' AND ');
      return `(CASE WHEN ${all} THEN 1 = 1 ELSE 1 = 0 END)`;
    }
    case 'related': {
      const { relation, where, ref } = value;
      const related = relatedTo(scope, relation, relation.target, undefined, dialect);
      const { join, scope: within, from, where: isRelated } = related;
      const conditions = relatedConditions(where, join, within, dialect, add);
      const all = [isRelated, ...conditions].join(' AND ');
      return `(SELECT ${functionSql(value.function, ref, within, dialect)} ${from} ${all})`;
    }
    default:
      return value satisfies never;
  }
}

/**
 * The same of all records of a table `t` at once: a table to join, and the expression of the value. `rows` are conditions
 * on `t` that the records satisfy; none for all of them.
 */
export function groupedSql(
  value: ComputedOfRelated,
  alias: string,
  dialect: Dialect,
): {
  readonly join: (add: Add, rows: (add: Add) => readonly string[]) => string;
  readonly value: string;
} {
  const { relation, where, ref, function: name } = value;
  const { target, owner } = relation;
  const join = joinOf(relation, target, dialect);
  const suffix = `_${alias}`;
  const scope = scopeOf(join, suffix);
  const above = parentField(relation);
  const key = join.key(suffix);
  const own = dialect.convertKey(ownScope.column(above), above, join.keyField);
  return {
    join: (add, rows) => {
      const conditions = relatedConditions(where, join, scope, dialect, add);
      const all = [`${key} IS NOT NULL${join.conditions(suffix)}`, ...conditions];
      const wanted = rows(add);
      if (wanted.length > 0)
        all.push(
          `${key} IN (SELECT ${own} FROM ${quoteTable(owner.table)} AS t${whereSql(wanted)})`,
        );
      return (
        ` LEFT JOIN (SELECT ${key} AS k, ${functionSql(name, ref, scope, dialect)} AS v FROM ${join.from(suffix)}` +
        ` WHERE ${all.join(' AND ')} GROUP BY 1) AS ${alias} ON ${alias}.k = ${own}`
      );
    },
    value: name === 'count' ? `coalesce(${alias}.v, 0)` : `${alias}.v`,
  };
}

function functionSql(
  name: ComputedOfRelated['function'],
  ref: FieldRef | undefined,
  scope: Scope,
  dialect: Dialect,
): string {
  if (ref === undefined || name === 'count') return 'count(*)';
  const { aggregates } = dialect;
  const { leaf } = ref;
  const value = refSql(ref, scope, dialect);
  if (name === 'min' || name === 'max')
    return aggregates.extreme(name, dialect.sortKey(value, leaf), leaf);
  const isDouble = leaf.type.number === 'double';
  const number = isDouble ? value : aggregates.exact(value, leaf, false);
  if (name === 'avg') return aggregates.fieldAverage(number, leaf);
  return isDouble ? aggregates.fieldDoubleSum(number) : aggregates.fieldSum(number, leaf);
}
