import type { Field, Relation, Resource } from '../../model/api.ts';
import { quote, quoteTable, type Dialect } from '../dialect.ts';
import { isComposite, keyFields } from '../../model/field-types/composite-id.ts';
import { keyColumns, sameKey } from '../key.ts';

/** The field of the parent record whose value finds the related rows. */
export function parentField(relation: Relation): Field {
  switch (relation.kind) {
    case 'belongsTo':
      return relation.key;
    case 'hasOne':
    case 'hasMany':
    case 'belongsToMany':
      return relation.ownerField;
    case 'morphTo':
      return relation.idField;
    case 'morphMany':
      return relation.owner.id;
    default:
      return relation satisfies never;
  }
}

/** What the rows of a resource are read from: its table, or a table of the statement. */
export type TableOf = (resource: Resource) => string;

/**
 * How a target's rows are joined to the parent keys. Table aliases are `t` for the target and `j` for a junction, with a
 * `suffix` that distinguishes them from those of other joins in the statement.
 */
export interface Join {
  /** The tables for FROM, with ON; `join` may force the join order, otherwise the planner chooses. */
  readonly from: (suffix: string, join?: Dialect['joinEach']) => string;
  readonly key: (suffix: string) => string;
  readonly keyField: Field;
  /** The columns of the key, which are several for a composite one. */
  readonly keys: (suffix: string) => readonly string[];
  /** The columns that identify a joined row. */
  readonly row: (suffix: string) => readonly string[];
  /** ` AND …`, or an empty string; `asked` wraps each condition. */
  readonly conditions: (suffix: string, asked?: (condition: string) => string) => string;
  /** Whether a condition on a field (of the junction, if `isPivot`) can use the same index as the key. */
  readonly isIndexed: (field: Field, isPivot: boolean) => boolean;
  /** The column of a field of the target. */
  readonly column: (field: Field, suffix: string) => string;
  readonly tableOf: TableOf;
}

/** How a relation reaches the rows of one of its targets. */
export function joinOf(
  relation: Relation,
  target: Resource,
  dialect: Dialect,
  tableOf: TableOf = ({ table }) => quoteTable(table),
): Join {
  const table = (suffix: string): string => `${tableOf(target)} AS t${suffix}`;
  const none = (): string => '';
  const column = (field: Field, suffix: string): string => `t${suffix}.${quote(field.column)}`;
  const row = (suffix: string): readonly string[] =>
    keyColumns(column(target.id, suffix), target.id);
  const direct = (field: Field, keys: readonly Field[] = [field]): Join => ({
    from: table,
    key: (suffix) => column(field, suffix),
    keyField: field,
    keys: (suffix) => keyColumns(column(field, suffix), field),
    row,
    conditions: none,
    isIndexed: (other) => sharesIndex(keys, other),
    column,
    tableOf,
  });
  switch (relation.kind) {
    case 'belongsTo':
      return direct(relation.targetField);
    case 'hasOne':
    case 'hasMany':
      return direct(relation.key);
    case 'morphTo':
      return direct(target.id);
    case 'morphMany': {
      const value = dialect.text(relation.typeValue);
      const conditions: Join['conditions'] = (suffix, asked = (condition) => condition) =>
        ` AND ${asked(`t${suffix}.${quote(relation.typeField.column)} = ${value}`)}`;
      return { ...direct(relation.idField, [relation.typeField, relation.idField]), conditions };
    }
    case 'belongsToMany': {
      const { through, ownerKey, targetKey, targetField } = relation;
      const link = (field: Field, suffix: string): string => `j${suffix}.${quote(field.column)}`;
      return {
        from: (suffix, join = dialect.joinEach) =>
          `${tableOf(through)} AS j${suffix} ${join} ${table(suffix)} ON ` +
          sameKey(
            column(targetField, suffix),
            targetField,
            link(targetKey, suffix),
            targetKey,
            asIs,
          ),
        key: (suffix) => link(ownerKey, suffix),
        keyField: ownerKey,
        keys: (suffix) => keyColumns(link(ownerKey, suffix), ownerKey),
        row: (suffix) => keyColumns(`j${suffix}.${quote(through.id.column)}`, through.id),
        conditions: none,
        isIndexed: (field, isPivot) =>
          isPivot || field === targetField
            ? sharesIndex([ownerKey], isPivot ? field : targetKey)
            : true,
        // The junction holds the target's id as well, and its index is in that order.
        column: (field, suffix) =>
          field === targetField && !isComposite(field)
            ? link(targetKey, suffix)
            : column(field, suffix),
        tableOf,
      };
    }
    default:
      return relation satisfies never;
  }
}

/** Keys of a junction are stored as what they refer to. */
const asIs: Pick<Dialect, 'convertKey'> = { convertKey: (column) => column };

/** Whether the key or the field identifies one row, or an index begins with `keys` and contains the field. */
function sharesIndex(keys: readonly Field[], field: Field): boolean {
  const [key] = keys;
  const isOne = (one: Field): boolean => one === one.resource.id || one.unique;
  if (key === undefined || isOne(key) || isOne(field)) return true;
  const { unique, indexes } = key.resource;
  const parts = keys.flatMap(keyFields);
  return [...unique, ...indexes].some(
    (fields) =>
      fields.includes(field) && parts.every((one) => fields.slice(0, parts.length).includes(one)),
  );
}
