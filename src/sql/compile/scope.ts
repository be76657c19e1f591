import type { Place } from '../../query/filter/predicate.ts';
import type { Field, Relation, Resource } from '../../model/api.ts';
import { quote, type Dialect, type SqlSyntax } from '../dialect.ts';
import { joinOf, parentField, type Join } from './join.ts';

/** The rows whose columns a predicate or a sort key speaks of. */
export interface Scope {
  /** Where a field of the resource can be read. */
  readonly column: (field: Field) => string;
  /** The junction's row that led here. */
  readonly link: Scope | undefined;
  /** How the aliases of what is related to it end. */
  readonly below: string;
}

/** The rows of a list or a single read. */
export const ownScope: Scope = {
  column: (field) => `t.${quote(field.column)}`,
  link: undefined,
  below: '_1',
};

/** The rows of a join under aliases that end in `suffix`. */
export function scopeOf(join: Join, suffix: string): Scope {
  const [name = '', depth = '0'] = suffix.split('_');
  const below = `${name}_${Number(depth) + 1}`;
  const link: Scope = {
    column: (field) => `j${suffix}.${quote(field.column)}`,
    link: undefined,
    below,
  };
  return { column: (field) => join.column(field, suffix), link, below };
}

/** The scope of the link that led to the rows of a scope. */
export function linkOf({ link }: Scope): Scope {
  if (link === undefined) throw new TypeError('No junction led to these records');
  return link;
}

/** The records that a relation of a scope leads to. */
export interface Related {
  readonly join: Join;
  readonly suffix: string;
  /** The field of the scope that they are found by, and what it holds as their key does. */
  readonly above: Field;
  readonly key: string;
  /** What else is asked of the scope: ` AND …`, or nothing. */
  readonly isOfType: string;
  readonly from: string;
  readonly where: string;
  /** That of what is found there. */
  readonly scope: Scope;
}

/** The records that a relation of the scope leads to: FROM and WHERE, and the scope of what is found there. */
export function relatedTo(
  scope: Scope,
  relation: Relation,
  target: Resource,
  typeValue: string | undefined,
  dialect: Dialect,
): Related {
  const join = joinOf(relation, target, dialect);
  const suffix = scope.below;
  const above = parentField(relation);
  const key = dialect.convertKey(scope.column(above), above, join.keyField);
  const isOfType =
    relation.kind === 'morphTo' && typeValue !== undefined
      ? ` AND ${scope.column(relation.typeField)} = ${dialect.text(typeValue)}`
      : '';
  return {
    join,
    suffix,
    above,
    key,
    isOfType,
    from: `FROM ${join.from(suffix)}`,
    where: `WHERE ${join.key(suffix)} = ${key}${isOfType}${join.conditions(suffix)}`,
    scope: scopeOf(join, suffix),
  };
}

/** The column in which a place is found. */
export function columnOf({ field, isPivot }: Place, scope: Scope): string {
  return isPivot ? linkOf(scope).column(field) : scope.column(field);
}

/** What is compared at a place: the column, or a member in it. */
export function placeSql(place: Place, scope: Scope, dialect: SqlSyntax): string {
  const { field, members, leaf } = place;
  const column = columnOf(place, scope);
  if (members.length === 0) return column;
  return dialect.memberValue(dialect.member(column, members, field), leaf);
}
