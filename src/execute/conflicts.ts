import type { FieldProblem } from '../errors.ts';
import type { Field, Resource } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type { FieldValues } from '../plan/plan.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { WriteStatements } from '../sql/compile-write.ts';
import { encodeValue, type Dialect } from '../sql/dialect.ts';
import type { Transaction } from './database.ts';

/** What a look into the database takes. */
export interface Access {
  readonly transaction: Transaction;
  readonly dialect: Dialect;
  readonly statements: WriteStatements;
}

/**
 * After the database has refused values: every field among them that points nowhere or is taken. `id` names the
 * record that has the values, where it exists already.
 */
export async function findConflicts(
  access: Access,
  resource: Resource,
  values: FieldValues,
  id: JsonValue | undefined,
): Promise<readonly FieldProblem[]> {
  return [
    ...(await danglingKeys(access, values)),
    ...(await takenValues(access, resource, values, id)),
  ];
}

async function danglingKeys(
  { transaction, dialect, statements }: Access,
  values: FieldValues,
): Promise<readonly FieldProblem[]> {
  const problems: FieldProblem[] = [];
  for (const [field, value] of values) {
    if (field.reference === undefined || value === null) continue;
    const target = field.reference.field;
    const bound = [encodeValue(dialect, value, target)];
    const [row] = await transaction.all(statements.exists(target), { bound });
    if (row === undefined)
      problems.push({
        field: field.name,
        message: `there is no record in ${field.reference.resource.name} with ${target.name} ${JSON.stringify(value)}`,
      });
  }
  return problems;
}

async function takenValues(
  access: Access,
  resource: Resource,
  values: FieldValues,
  id: JsonValue | undefined,
): Promise<readonly FieldProblem[]> {
  const { transaction, dialect, statements } = access;
  const single = [...resource.fields.values()].filter(
    (field) => field.unique || field === resource.id,
  );
  const keys = [...single.map((field) => [field]), ...resource.unique].filter((key) =>
    key.some((field) => values.has(field)),
  );
  const ownId = id === undefined ? undefined : encodeValue(dialect, id, resource.id);
  const current = ownId === undefined ? undefined : await currentValues(access, resource, ownId);
  const problems: FieldProblem[] = [];
  for (const key of keys) {
    const bound = key.map((field) => {
      const value = values.get(field);
      return value === undefined
        ? (current?.get(field) ?? null)
        : encodeValue(dialect, value, field);
    });
    if (bound.includes(null)) continue;
    const [row] = await transaction.all(statements.same(key), { bound });
    if (row === undefined || row[0] === ownId) continue;
    const message =
      key.length === 1
        ? 'is taken: it must be unique'
        : `is taken: ${key.map((field) => field.name).join(', ')} must be unique together`;
    for (const field of key) if (values.has(field)) problems.push({ field: field.name, message });
  }
  return problems;
}

async function currentValues(
  { transaction, statements }: Access,
  resource: Resource,
  id: SqlValue,
): Promise<ReadonlyMap<Field, SqlValue>> {
  const fields = [...resource.fields.values()];
  const [row] = await transaction.all(statements.current(resource, fields), { bound: [], id });
  return new Map(fields.map((field, index) => [field, row?.[index + 1] ?? null]));
}
