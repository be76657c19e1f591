import type { Problem, Report } from '../spec/problems.ts';
import type { Specification } from '../spec/specification.ts';
import {
  accessOf,
  operations,
  type FieldAccess,
  type ResourceAccess,
  type Rule,
} from './access.ts';
import type { Api, Field, Resource } from './api.ts';
import { buildFields, fillTimestamps } from './build-fields.ts';
import { buildRelations } from './build-relations.ts';
import { buildVersions } from './build-versions.ts';
import { checkField, checkTemplates } from './check-field.ts';
import type { Draft, DraftResource } from './draft.ts';
import { buildLimits } from './limits.ts';
import { unknownName } from './names.ts';

/**
 * Builds the model of a specification whose structure was checked. Everything that names cannot say alone is
 * checked here; problems go to `report`, and with any error among them the Api is undefined.
 */
export function buildApi(specification: Specification, report: Report): Api | undefined {
  let failed = false;
  const noting: Report = (path, message, severity: Problem['severity'] = 'error') => {
    if (severity === 'error') failed = true;
    report(path, message, severity);
  };
  const resources = draftResources(specification, noting);
  for (const resource of resources.values()) buildFields(resource, noting);
  buildRelations(resources, noting);
  for (const resource of resources.values()) {
    fillTimestamps(resource);
    buildKeys(resource, noting);
    buildGroups(resource, specification.groups ?? {}, noting);
    checkColumns(resource, noting);
    for (const field of resource.fields.values())
      checkField(field, [...resource.path, 'fields', field.name], noting);
    checkTemplates(resource, noting);
  }
  const versions = buildVersions(specification, resources, noting);
  if (failed) return undefined;
  return {
    name: specification.name ?? 'Plinth API',
    description: specification.description,
    basePath: specification.api?.basePath ?? '',
    ...versions,
    unversioned: specification.api?.unversioned ?? true,
    limits: buildLimits(specification.limits ?? {}),
    resources,
    roles: rolesOf(resources.values()),
    settings: specification,
  };
}

function draftResources(
  specification: Specification,
  report: Report,
): ReadonlyMap<string, DraftResource> {
  const drafts = new Map<string, DraftResource>();
  const tables = new Map<string, string>();
  for (const [name, source] of Object.entries(specification.resources)) {
    const path = ['resources', name];
    const table = source.table ?? name;
    const other = tables.get(table.toLowerCase());
    if (other !== undefined)
      report(path, `stands in table ${table}, as ${other} does; give one of them another table`);
    if (/^(?:sqlite_|pg_|_plinth)/iu.test(table))
      report(path, `table ${table} has a name that the database keeps for itself`);
    tables.set(table.toLowerCase(), name);
    drafts.set(name, {
      name,
      path,
      source,
      table,
      description: source.description,
      timestamps: source.timestamps ?? false,
      pagination: source.pagination ?? specification.api?.pagination ?? 'page',
      access: resourceAccess(specification, accessOf(source.access)),
      fields: new Map(),
      relations: new Map(),
      unique: [],
      indexes: [],
      groups: new Map(),
      incoming: [],
    } satisfies Omit<DraftResource, 'id'> as unknown as DraftResource);
  }
  return drafts;
}

/** API and resource `access` merge operation by operation. Contract 3, Authorization. */
function resourceAccess(specification: Specification, own: FieldAccess): ResourceAccess {
  const fallback: readonly Rule[] = [
    { role: specification.auth === undefined ? 'public' : 'authenticated', where: undefined },
  ];
  const shared = accessOf(specification.access);
  return Object.fromEntries(
    operations.map((operation) => [operation, own[operation] ?? shared[operation] ?? fallback]),
  ) as unknown as ResourceAccess;
}

function rolesOf(resources: Iterable<Resource>): ReadonlySet<string> {
  const roles = new Set<string>();
  const add = (access: FieldAccess | undefined): void => {
    for (const rules of Object.values(access ?? {})) for (const { role } of rules) roles.add(role);
  };
  for (const resource of resources) {
    add(resource.access);
    for (const field of resource.fields.values()) add(field.access);
  }
  return roles;
}

/** `unique` and `indexes` of several fields, single indexes, and an index for each foreign key. */
function buildKeys(resource: Draft<Resource> & DraftResource, report: Report): void {
  const lists = (key: 'unique' | 'indexes'): readonly (readonly Field[])[] =>
    (resource.source[key] ?? []).map((names, index) => {
      const path = [...resource.path, key, index];
      if (new Set(names).size < names.length) report(path, 'names a field twice');
      return names.flatMap((name, position) => {
        const field = resource.fields.get(name);
        if (field === undefined)
          report([...path, position], unknownName('field', name, resource.fields.keys()));
        else if (!field.type.sortable || field.type.name === 'array')
          report(
            [...path, position],
            `${name} cannot be in a key: it is of type ${field.type.name}`,
          );
        return field ?? [];
      });
    });
  resource.unique = lists('unique');
  const indexes = [...lists('indexes')];
  for (const field of resource.fields.values())
    if (field.attributes.index === true) indexes.push([field]);
  const leading = new Set(
    [...resource.unique, ...indexes].map(([first]) => first).filter((first) => first !== undefined),
  );
  for (const field of resource.fields.values())
    if (field.reference !== undefined && !field.unique && !leading.has(field))
      indexes.push([field]);
  resource.indexes = indexes;
}

/** The API's groups cut down to what the resource has, and its own over them. */
function buildGroups(
  resource: DraftResource,
  shared: Readonly<Record<string, readonly string[]>>,
  report: Report,
): void {
  const has = (name: string): boolean => {
    const [head = ''] = name.split('.');
    return name.includes('*') || resource.fields.has(head) || resource.relations.has(head);
  };
  for (const [group, names] of Object.entries(shared))
    resource.groups.set(group, names.filter(has));
  for (const [group, names] of Object.entries(resource.source.groups ?? {})) {
    for (const [index, name] of names.entries()) {
      if (!has(name))
        report(
          [...resource.path, 'groups', group, index],
          unknownName('field', name, [...resource.fields.keys(), ...resource.relations.keys()]),
        );
    }
    resource.groups.set(group, names);
  }
}

function checkColumns(resource: DraftResource, report: Report): void {
  const columns = new Map<string, string>();
  for (const field of resource.fields.values()) {
    const other = columns.get(field.column.toLowerCase());
    if (other !== undefined)
      report(
        [...resource.path, 'fields', field.name],
        `stands in column ${field.column}, as ${other} does; give one of them another column`,
      );
    columns.set(field.column.toLowerCase(), field.name);
  }
}
