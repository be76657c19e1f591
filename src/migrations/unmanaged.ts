import { isForSomebody } from '../model/access.ts';
import type { Api, Field, Resource } from '../model/api.ts';
import { isLeftToDatabase } from '../query/write/defaults.ts';
import type { MigrationStep } from '../sql/schema/schema.ts';
import type { ActualTable, Found, SchemaRules } from '../databases/existing/actual-schema.ts';
import { step } from './changes.ts';

/**
 * What keeps the resources that Plinth does not manage from being served: each is a step that is not possible, since
 * nothing of such a table is ever changed. See docs/contract/8-existing-databases.md#managed-and-not, rule 2.
 */
export function compareUnmanaged(
  api: Api,
  rules: SchemaRules,
  found: Found,
): readonly MigrationStep[] {
  return [...api.resources.values()]
    .filter(({ isManaged }) => !isManaged)
    .flatMap((resource) => compareResource(resource, rules, found));
}

function compareResource(
  resource: Resource,
  rules: SchemaRules,
  { tables }: Found,
): readonly MigrationStep[] {
  const { name, table } = resource;
  const fields = [...resource.fields.values()].filter(({ parts }) => parts === undefined);
  const actual = tables.get(rules.fold(table))?.();
  const faults = fields.map((field) => [field, rules.fault(field)] as const);
  if (faults.every(([, fault]) => fault === 'missing'))
    return [serve(name, `the database has no table or view ${table}`)];
  return [
    ...faults.flatMap(([field, fault]) =>
      fault === undefined ? [] : [serve(`${name}.${field.name}`, reasonOf(field, fault))],
    ),
    ...(actual === undefined ? [] : unwritable(resource, actual, rules)),
  ];
}

function serve(what: string, obstacle: string): MigrationStep {
  return step(`serve ${what}`, { obstacle });
}

function reasonOf({ column, resource, type, attributes }: Field, fault: string): string {
  if (fault === 'missing') return `${resource.table} has no column ${column}`;
  const format = attributes.format === undefined ? '' : ` with format: ${attributes.format}`;
  return `its column ${column} is of type ${fault}, from which no field of type ${type.name}${format} is served`;
}

/** Columns that a new row needs a value for, and that neither a request nor the database sets. */
function unwritable(
  { name, table, fields, access }: Resource,
  actual: ActualTable,
  { fold }: SchemaRules,
): readonly MigrationStep[] {
  if (actual.mayFill || !isForSomebody(access.create)) return [];
  const written = new Set(
    [...fields.values()]
      .filter((field) => !isLeftToDatabase(field) && field.parts === undefined)
      .map(({ column }) => fold(column)),
  );
  return [...actual.columns.values()]
    .filter(
      (column) =>
        !column.nullable && !column.fills && !column.isComputed && !written.has(fold(column.name)),
    )
    .map((column) =>
      step(`create records of ${name}`, {
        obstacle: `column ${table}.${column.name} may not be null and no request sets it; name it as a field, give it a default in the database, or let no request create records: access: { create: none }`,
      }),
    );
}
