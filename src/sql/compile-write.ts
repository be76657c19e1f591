import { BoundedCache } from '../bounded-cache.ts';
import type { Field, MorphMany, Resource } from '../model/api.ts';
import { quote, type Dialect } from './dialect.ts';
import { buildStatement, type Add, type Statement } from './statement.ts';

/**
 * The statements of writes. They depend on the resource and the set of fields alone, and a record's fields come in
 * the order of the model, so that one text serves all writes of a kind; a bounded cache keeps them.
 */
export interface WriteStatements {
  readonly insert: (resource: Resource, fields: readonly Field[]) => Statement;
  /** Updates the record named by `id`. */
  readonly update: (resource: Resource, fields: readonly Field[]) => Statement;
  readonly delete: (resource: Resource) => Statement;
  /** The values of `fields` of the record named by `id`. */
  readonly current: (resource: Resource, fields: readonly Field[]) => Statement;
  /** Whether a record has the value bound first in `field`. */
  readonly exists: (field: Field) => Statement;
  /** The id of a record that has these values in `fields`. */
  readonly same: (fields: readonly Field[]) => Statement;
  /** The records that keep the one named by `id` from being deleted: one row (resource, count) a resource. */
  readonly dependents: (resource: Resource) => readonly Dependents[];
  /** Deletes or releases the morph children of the record named by `id`. */
  readonly morphChildren: (relation: MorphMany) => Statement;
}

export interface Dependents {
  readonly resource: Resource;
  readonly count: Statement;
}

/** Makes the write statements of one dialect. */
export function writeStatements(dialect: Dialect): WriteStatements {
  const cache = new BoundedCache<Statement>(1_000);
  const cached = (key: string, text: (add: Add) => string): Statement => {
    let statement = cache.get(key);
    if (statement === undefined) {
      statement = buildStatement(dialect, text);
      cache.set(key, statement);
    }
    return statement;
  };
  const keyOf = (kind: string, resource: Resource, fields: readonly Field[] = []): string =>
    `${kind} ${resource.name} ${fields.map((field) => field.name).join(',')}`;
  const columns = (fields: readonly Field[]): string[] =>
    fields.map((field) => quote(field.column));
  const byId = ({ id }: Resource, add: Add): string => `${quote(id.column)} = ${add('id')}`;
  return {
    insert: (resource, fields) =>
      cached(keyOf('insert', resource, fields), (add) =>
        fields.length === 0
          ? `INSERT INTO ${quote(resource.table)} DEFAULT VALUES`
          : `INSERT INTO ${quote(resource.table)} (${columns(fields).join(', ')})` +
            ` VALUES (${fields.map((_, index) => add(index)).join(', ')})`,
      ),
    update: (resource, fields) =>
      cached(keyOf('update', resource, fields), (add) => {
        const sets = columns(fields).map((column, index) => `${column} = ${add(index)}`);
        return `UPDATE ${quote(resource.table)} SET ${sets.join(', ')} WHERE ${byId(resource, add)}`;
      }),
    delete: (resource) =>
      cached(
        keyOf('delete', resource),
        (add) => `DELETE FROM ${quote(resource.table)} WHERE ${byId(resource, add)}`,
      ),
    current: (resource, fields) =>
      cached(keyOf('current', resource, fields), (add) => {
        const selected = fields.map((field) => dialect.select(quote(field.column), field));
        return `SELECT ${['1', ...selected].join(', ')} FROM ${quote(resource.table)} WHERE ${byId(resource, add)}`;
      }),
    exists: (field) =>
      cached(
        keyOf('exists', field.resource, [field]),
        (add) =>
          `SELECT 1 FROM ${quote(field.resource.table)} WHERE ${quote(field.column)} = ${add(0)} LIMIT 1`,
      ),
    same: (fields) => {
      const [first] = fields;
      if (first === undefined) throw new TypeError('A key has at least one field');
      const { resource } = first;
      return cached(keyOf('same', resource, fields), (add) => {
        const where = columns(fields).map((column, index) => `${column} = ${add(index)}`);
        return `SELECT ${quote(resource.id.column)} FROM ${quote(resource.table)} WHERE ${where.join(' AND ')} LIMIT 1`;
      });
    },
    dependents: (resource) =>
      restricting(resource).map(({ label, resource: dependent, where }) => ({
        resource: dependent,
        count: cached(
          `dependents ${resource.name} ${label}`,
          (add) => `SELECT count(*) FROM ${quote(dependent.table)} WHERE ${where(add)}`,
        ),
      })),
    morphChildren: (relation) =>
      cached(keyOf(`morph ${relation.name}`, relation.owner), (add) => {
        const { target, typeField, idField } = relation;
        const pair = `${quote(idField.column)} = ${add('id')} AND ${typeCondition(relation)}`;
        return relation.onDelete === 'setNull'
          ? `UPDATE ${quote(target.table)} SET ${quote(typeField.column)} = NULL, ${quote(idField.column)} = NULL WHERE ${pair}`
          : `DELETE FROM ${quote(target.table)} WHERE ${pair}`;
      }),
  };
}

function typeCondition({ typeField, typeValue }: MorphMany): string {
  return `${quote(typeField.column)} = '${typeValue.replaceAll("'", "''")}'`;
}

interface Restricting {
  readonly label: string;
  readonly resource: Resource;
  readonly where: (add: Add) => string;
}

/** The deepest chain of cascades that is searched for what a restrict at its end would keep. */
const cascadeDepth = 8;

/** What would keep a record, also through what the delete cascades to. */
function restricting(resource: Resource): readonly Restricting[] {
  const found: Restricting[] = [];
  const visit = (
    { incoming, relations, id }: Resource,
    label: string,
    rows: (field: Field, add: Add) => string,
    depth: number,
  ): void => {
    for (const key of incoming) {
      const { reference } = key;
      if (reference === undefined || reference.onDelete === 'setNull') continue;
      const name = `${label}/${key.resource.name}.${key.name}`;
      const where = (add: Add): string => `${quote(key.column)} IN (${rows(reference.field, add)})`;
      if (reference.onDelete === 'restrict')
        found.push({ label: name, resource: key.resource, where });
      else if (depth < cascadeDepth)
        visit(
          key.resource,
          name,
          (field, add) =>
            `SELECT ${quote(field.column)} FROM ${quote(key.resource.table)} WHERE ${where(add)}`,
          depth + 1,
        );
    }
    for (const relation of relations.values())
      if (relation.kind === 'morphMany' && relation.onDelete === 'restrict')
        found.push({
          label: `${label}/${relation.name}`,
          resource: relation.target,
          where: (add) =>
            `${quote(relation.idField.column)} IN (${rows(id, add)}) AND ${typeCondition(relation)}`,
        });
  };
  visit(
    resource,
    '',
    (field, add) =>
      `SELECT ${quote(field.column)} FROM ${quote(resource.table)} WHERE ${quote(resource.id.column)} = ${add('id')}`,
    0,
  );
  return found;
}
