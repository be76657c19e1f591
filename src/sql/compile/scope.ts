import type { FieldRef } from '../../query/filter/predicate.ts';
import type { Field, Relation, Resource } from '../../model/api.ts';
import { quote, quoteTable, rowOf, type Dialect, type SqlSyntax } from '../dialect.ts';
import { convertedColumns, sameKey } from '../key.ts';
import { joinOf, parentField, type Join, type TableOf } from './join.ts';

/** The rows that a predicate or a sort key is about. */
export interface Scope {
  /** The column of a field of the resource. */
  readonly column: (field: Field) => string;
  /** The column of a field of the link to the row. */
  readonly link: Scope | undefined;
  /** The suffix for the aliases of related rows. */
  readonly below: string;
  /** What the rows of related resources are read from. */
  readonly tableOf: TableOf;
}

/** The rows of a list or a single read. */
export const ownScope: Scope = {
  column: (field) => `t.${quote(field.column)}`,
  link: undefined,
  below: '_1',
  tableOf: ({ table }) => quoteTable(table),
};

function suffixBelow(suffix: string): string {
  const [name = '', depth = '0'] = suffix.split('_');
  return `${name}_${Number(depth) + 1}`;
}

/** The items of an array as rows of one column, whatever field of it is asked for. */
export function itemScope(item: string, { below, tableOf }: Scope): Scope {
  return { column: () => item, link: undefined, below: suffixBelow(below), tableOf };
}

/** The rows of a join under aliases that end in `suffix`. */
export function scopeOf(join: Join, suffix: string): Scope {
  const below = suffixBelow(suffix);
  const { tableOf } = join;
  const link: Scope = {
    column: (field) => `j${suffix}.${quote(field.column)}`,
    link: undefined,
    below,
    tableOf,
  };
  return { column: (field) => join.column(field, suffix), link, below, tableOf };
}

/** The scope of the links to the rows of a scope. */
export function linkOf({ link }: Scope): Scope {
  if (link === undefined) throw new TypeError('No junction led to these records');
  return link;
}

/** The related rows of a scope, by one of its relations. */
export interface Related {
  readonly join: Join;
  readonly suffix: string;
  /** The field of the scope that finds them, and its value in the form of their key. */
  readonly above: Field;
  readonly key: string;
  /** A further condition on the scope: ` AND …`, or an empty string. */
  readonly isOfType: string;
  readonly from: string;
  readonly where: string;
  /** The scope of the related rows. */
  readonly scope: Scope;
}

/** The related rows of a scope: FROM, WHERE and their own scope. */
export function relatedTo(
  scope: Scope,
  relation: Relation,
  target: Resource,
  typeValue: string | undefined,
  dialect: Dialect,
): Related {
  const join = joinOf(relation, target, dialect, scope.tableOf);
  const suffix = scope.below;
  const above = parentField(relation);
  const column = scope.column(above);
  const key = rowOf(convertedColumns(column, above, join.keyField, dialect));
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
    where: `WHERE ${sameKey(join.key(suffix), join.keyField, column, above, dialect)}${isOfType}${join.conditions(suffix)}`,
    scope: scopeOf(join, suffix),
  };
}

/** The column of a reference. */
export function columnOf({ field, isPivot }: FieldRef, scope: Scope): string {
  return isPivot ? linkOf(scope).column(field) : scope.column(field);
}

/** The expression of a reference: the column, or a member inside it. */
export function refSql(ref: FieldRef, scope: Scope, dialect: SqlSyntax): string {
  const { field, members, leaf } = ref;
  const column = columnOf(ref, scope);
  if (members.length === 0) return column;
  return dialect.memberValue(dialect.member(column, members, field), leaf);
}
