import type { Field, Relation, Resource } from '../model/api.ts';
import { quote, type Dialect } from './dialect.ts';

/** The field on the record above whose value the rows below are found by. */
export function parentField(relation: Relation): Field {
  switch (relation.kind) {
    case 'belongsTo':
      return relation.key;
    case 'hasOne':
    case 'hasMany':
      return relation.ownerField;
    case 'belongsToMany':
      return relation.ownerKey.reference?.field ?? relation.owner.id;
    case 'morphTo':
      return relation.idField;
    case 'morphMany':
      return relation.owner.id;
    default:
      return relation satisfies never;
  }
}

/** How the rows of a target are joined to the keys above: FROM, the key's column, further conditions. */
export interface Join {
  /** Tables and their conditions under aliases that end in `suffix`. */
  readonly from: (suffix: string) => string;
  readonly key: (suffix: string) => string;
  readonly keyField: Field;
  /** What tells one joined row from another. */
  readonly row: (suffix: string) => string;
  readonly conditions: (suffix: string) => string;
  /** Where a field of the target can be read. */
  readonly column: (field: Field, suffix: string) => string;
}

/** How a relation reaches the rows of one of its targets. */
export function joinOf(relation: Relation, target: Resource, dialect: Dialect): Join {
  const table = (suffix: string): string => `${quote(target.table)} AS t${suffix}`;
  const none = (): string => '';
  const column = (field: Field, suffix: string): string => `t${suffix}.${quote(field.column)}`;
  const row = (suffix: string): string => `t${suffix}.${quote(target.id.column)}`;
  const direct = (field: Field): Join => ({
    from: table,
    key: (suffix) => `t${suffix}.${quote(field.column)}`,
    keyField: field,
    row,
    conditions: none,
    column,
  });
  switch (relation.kind) {
    case 'belongsTo':
      return direct(relation.targetKey);
    case 'hasOne':
    case 'hasMany':
      return direct(relation.key);
    case 'morphTo':
      return direct(target.id);
    case 'morphMany': {
      const value = dialect.text(relation.typeValue);
      const conditions = (suffix: string): string =>
        ` AND t${suffix}.${quote(relation.typeField.column)} = ${value}`;
      return { ...direct(relation.idField), conditions };
    }
    case 'belongsToMany': {
      const { through, ownerKey, targetKey } = relation;
      const targetField = targetKey.reference?.field ?? target.id;
      return {
        from: (suffix) =>
          `${quote(through.table)} AS j${suffix} JOIN ${table(suffix)}` +
          ` ON t${suffix}.${quote(targetField.column)} = j${suffix}.${quote(targetKey.column)}`,
        key: (suffix) => `j${suffix}.${quote(ownerKey.column)}`,
        keyField: ownerKey,
        row: (suffix) => `j${suffix}.${quote(through.id.column)}`,
        conditions: none,
        // The junction has the target's id too, in the order of its own index.
        column: (field, suffix) =>
          field === targetField ? `j${suffix}.${quote(targetKey.column)}` : column(field, suffix),
      };
    }
    default:
      return relation satisfies never;
  }
}
