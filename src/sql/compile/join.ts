import type { Field, Relation, Resource } from '../../model/api.ts';
import { quote, type Dialect } from '../dialect.ts';

/** The field on the record above whose value the rows below are found by. */
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

/**
 * How the rows of a target are joined to the keys above: FROM, the key's column, further conditions. Aliases are `t` for
 * the target and `j` for a junction, each with the `suffix` that tells it from those of other joins in the statement.
 */
export interface Join {
  /** The tables with their ON; `join`: each is looked up for the rows of those before it, or as the planner likes. */
  readonly from: (suffix: string, join?: Dialect['joinEach']) => string;
  readonly key: (suffix: string) => string;
  readonly keyField: Field;
  /** What tells one joined row from another. */
  readonly row: (suffix: string) => string;
  /** ` AND …`, or nothing; `asked` is what is made of each. */
  readonly conditions: (suffix: string, asked?: (condition: string) => string) => string;
  /** Whether a condition on a field, be it one of the junction, helps to find the rows of a key: one index has both. */
  readonly isIndexed: (field: Field, isPivot: boolean) => boolean;
  /** Where a field of the target can be read. */
  readonly column: (field: Field, suffix: string) => string;
}

/** How a relation reaches the rows of one of its targets. */
export function joinOf(relation: Relation, target: Resource, dialect: Dialect): Join {
  const table = (suffix: string): string => `${quote(target.table)} AS t${suffix}`;
  const none = (): string => '';
  const column = (field: Field, suffix: string): string => `t${suffix}.${quote(field.column)}`;
  const row = (suffix: string): string => column(target.id, suffix);
  const direct = (field: Field, keys: readonly Field[] = [field]): Join => ({
    from: table,
    key: (suffix) => column(field, suffix),
    keyField: field,
    row,
    conditions: none,
    isIndexed: (other) => isBehind(keys, other),
    column,
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
      return {
        from: (suffix, join = dialect.joinEach) =>
          `${quote(through.table)} AS j${suffix} ${join} ${table(suffix)}` +
          ` ON t${suffix}.${quote(targetField.column)} = j${suffix}.${quote(targetKey.column)}`,
        key: (suffix) => `j${suffix}.${quote(ownerKey.column)}`,
        keyField: ownerKey,
        row: (suffix) => `j${suffix}.${quote(through.id.column)}`,
        conditions: none,
        isIndexed: (field, isPivot) =>
          isPivot || field === targetField
            ? isBehind([ownerKey], isPivot ? field : targetKey)
            : true,
        // The junction has the target's id too, in the order of its own index.
        column: (field, suffix) =>
          field === targetField ? `j${suffix}.${quote(targetKey.column)}` : column(field, suffix),
      };
    }
    default:
      return relation satisfies never;
  }
}

/** Whether the field tells one row, or an index of the table that `keys` are in begins with them and has it as well. */
function isBehind(keys: readonly Field[], field: Field): boolean {
  const [key] = keys;
  const isOne = (one: Field): boolean => one === one.resource.id || one.unique;
  if (key === undefined || isOne(key) || isOne(field)) return true;
  const { unique, indexes } = key.resource;
  return [...unique, ...indexes].some(
    (fields) =>
      fields.includes(field) && keys.every((one) => fields.slice(0, keys.length).includes(one)),
  );
}
