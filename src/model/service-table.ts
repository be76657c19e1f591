import type { DatabaseSpecification } from '../specification/specification.ts';

/** The prefix of the service's own tables, which resource tables must not have. */
export const servicePrefix = '_plinth_';

/** What names the schema of the service's own tables; undefined: the first of the search path. */
export type ServiceSettings = Pick<DatabaseSpecification, 'serviceSchema'>;

/** The name of an own table of the service: `_plinth_audit`, or with its schema `plinth._plinth_audit`. */
export function serviceTable(name: string, settings: ServiceSettings | undefined): string {
  const schema = settings?.serviceSchema;
  return `${schema === undefined ? '' : `${schema}.`}${servicePrefix}${name}`;
}

/** Whether a table, whose name may have a schema, is one of a service. */
export function isServiceTable(table: string): boolean {
  return table.slice(table.lastIndexOf('.') + 1).startsWith(servicePrefix);
}
