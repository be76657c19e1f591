import type { Predicate, RelatedBranch } from '../filter/predicate.ts';
import type { Relation } from '../model/api.ts';
import type { Dialect } from './dialect.ts';
import { columnOf, placeSql, relatedTo, type Scope } from './scope.ts';
import type { Add } from './statement.ts';

/** Each predicate as a condition, which asks for its placeholders in its turn. */
export function wherePart(
  where: readonly Predicate[],
  scope: Scope,
  dialect: Dialect,
  add: Add,
): readonly string[] {
  return where.map((part) => predicateSql(part, scope, dialect, add));
}

/** ` WHERE …`, or nothing where there is no condition. */
export function whereSql(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`;
}

function predicateSql(predicate: Predicate, scope: Scope, dialect: Dialect, add: Add): string {
  switch (predicate.kind) {
    case 'compare': {
      const { place, operator, slot } = predicate;
      return dialect.compare(
        placeSql(place, scope, dialect),
        operator,
        add(slot.index),
        place.leaf,
      );
    }
    case 'null': {
      const { place, isNull } = predicate;
      const column = columnOf(place, scope);
      if (place.members.length === 0) return `${column} IS ${isNull ? '' : 'NOT '}NULL`;
      const test = dialect.memberIsNull(dialect.member(column, place.members));
      return isNull ? test : `NOT (${test})`;
    }
    case 'related': {
      const { relation, branches, isNegated } = predicate;
      const found = anyOf(
        branches.map((branch) => branchSql(relation, branch, scope, dialect, add)),
      );
      return isNegated ? `NOT ${found}` : found;
    }
    case 'or':
      return anyOf(wherePart(predicate.parts, scope, dialect, add));
    default:
      return predicate satisfies never;
  }
}

function anyOf(parts: readonly string[]): string {
  return parts.length === 0 ? '(1 = 0)' : `(${parts.join(' OR ')})`;
}

function branchSql(
  relation: Relation,
  { target, typeValue, where }: RelatedBranch,
  scope: Scope,
  dialect: Dialect,
  add: Add,
): string {
  const related = relatedTo(scope, relation, target, typeValue, dialect);
  const parts = [related.where, ...wherePart(where, related.scope, dialect, add)];
  return `EXISTS (SELECT 1 ${related.from} ${parts.join(' AND ')})`;
}
