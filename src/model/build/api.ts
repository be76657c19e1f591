import { limitDefaults } from '../../specification/keys/limits.ts';
import { lost, type LeftOut } from '../../specification/parsers/left-out.ts';
import { longestName } from '../../specification/parsers/names.ts';
import type { ProblemRule, Report, ReportAll } from '../../specification/problems.ts';
import type {
  Groups,
  LimitsSpecification,
  Specification,
} from '../../specification/specification.ts';
import {
  accessOf,
  operations,
  writeOperations,
  type FieldAccess,
  type ResourceAccess,
  type Rule,
  type WriteOperation,
} from '../access.ts';
import type { Api, Field, FieldTypes, Limits, Resource } from '../api.ts';
import { adviseAuth } from './auth.ts';
import { buildAudit } from './audit.ts';
import { buildComputed } from './computed.ts';
import { buildFields, fillTimestamps, isSameName } from './fields.ts';
import { buildPivots, buildRelations } from './relations.ts';
import { buildVersions } from './versions.ts';
import { checkField, checkFilled, checkTemplates } from './check-field.ts';
import { plainTable, type FoundForms } from '../field-types/stored-as.ts';
import {
  memberNames,
  type DraftField,
  type DraftResource,
  type Drafts,
  type Path,
} from './draft.ts';
import { finishCompositeKeys } from './composite-keys.ts';
import { finishKeys } from './keys.ts';
import { finishKey, noKey } from './record-key.ts';
import { reportUnknown, unknownName } from './names.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { recordName } from '../../lib/text/singular.ts';
import { fieldTypes } from '../field-types/registry.ts';

/** A check of what was built; it meets no relation that could not be. */
export type ModelCheck = (api: Api, report: Report) => void;

interface BuildOptions {
  /** What is missing from the specification, as it was not understood. */
  readonly leftOut?: LeftOut;
  /** The forms in which its database was found to have fields. */
  readonly forms?: FoundForms;
  /** The types that the specification may name: those it was loaded with. */
  readonly types?: FieldTypes;
  /** Looks for more problems, even where there are some already. */
  readonly check?: ModelCheck;
}

/**
 * Builds the model of a specification whose structure was checked. Everything that names cannot say alone is
 * checked here; problems go to `report`, and with any error among them the Api is undefined. One that may only follow from
 * what was left out, of which a problem was reported already, fails without a word.
 */
export function buildApi(
  specification: Specification,
  reportAll: ReportAll,
  { leftOut = new Set(), forms = new Map(), check, types = fieldTypes }: BuildOptions = {},
): Api | undefined {
  const missing = new Set(leftOut);
  let failed = false;
  /** Takes the problems of a part of the check, which are of one rule unless they name another. */
  const under =
    (rule: ProblemRule): Report =>
    (path, message, severity = 'error', unless = [], details = { rule }) => {
      failed ||= severity === 'error';
      if (!unless.some((what) => missing.has(what))) reportAll(path, message, severity, details);
    };
  const report = {
    table: under('table'),
    field: under('field'),
    relation: under('relation'),
    key: under('foreign-key'),
    index: under('index'),
    group: under('group'),
    generate: under('generate'),
  };
  const resources = draftResources(specification, report.table, forms, types);
  for (const resource of resources.values()) buildFields(resource, report.field);
  buildRelations(resources, report.relation, (what) => {
    for (const one of what) missing.add(one);
  });
  for (const resource of resources.values()) fillTimestamps(resource, report.field);
  for (const resource of resources.values()) finishKey(resource, report.field);
  for (const resource of resources.values()) finishCompositeKeys(resource, report.key);
  for (const resource of resources.values()) {
    buildPivots(resource, report.relation);
    buildIndexes(resource, report.index);
    buildGroups(resource, specification.groups ?? {}, report.group);
    checkColumns(resource, report.table);
    checkGeneration(resource, resources, report.generate);
  }
  // What was left out may have them.
  if (missing.size === 0) adviseGroups(specification.groups ?? {}, resources, report.group);
  for (const resource of resources.values()) {
    finishKeys(resource, resources, report.key);
    for (const field of resource.fields.values())
      if (field.parts === undefined)
        checkField(
          field,
          [...resource.path, 'fields', field.name],
          report.field,
          specification.code !== undefined,
        );
    checkFilled(resource, report.field);
    checkTemplates(resource, report.generate);
  }
  for (const resource of resources.values())
    buildComputed(resource, specification.code !== undefined, report.field);
  const versions = buildVersions(specification, resources, under('version'));
  const audit = buildAudit(specification, resources, under('audit'));
  const rules = rulesOf([...resources.values(), ...(audit === undefined ? [] : [audit.resource])]);
  const api = {
    types,
    name: specification.name ?? 'Plinth API',
    description: specification.description,
    basePath: specification.api?.basePath ?? '',
    ...versions,
    unversioned: specification.api?.unversioned ?? true,
    limits: buildLimits(specification.limits ?? {}),
    resources,
    audit,
    roles: new Set(rules.map(({ role }) => role)),
    settings: specification,
  };
  for (const { source, relations } of resources.values())
    for (const [name, { type }] of Object.entries(source.fields))
      if (type === 'relation' && !relations.has(name)) missing.add(lost.name(name));
  adviseAuth(rules, specification.auth, under('auth'));
  check?.(api, under('access'));
  return failed ? undefined : api;
}

/** The limits of an API: what the file says over the defaults. See docs/contract/4-errors-and-limits.md#limits. */
export function buildLimits(limits: LimitsSpecification): Limits {
  const merged = { ...limitDefaults, ...limits };
  return {
    ...merged,
    defaultLimit: Math.min(merged.defaultLimit, merged.maxLimit),
    defaultDepth: Math.min(merged.defaultDepth, merged.maxDepth),
  };
}

function draftResources(
  specification: Specification,
  report: Report,
  forms: FoundForms,
  types: FieldTypes,
): ReadonlyMap<string, DraftResource> {
  const drafts = new Map<string, DraftResource>();
  const tables = new Map<string, string>();
  for (const [name, source] of Object.entries(specification.resources)) {
    const path = ['resources', name];
    const table = source.table ?? name;
    const place = source.table === undefined ? path : [...path, 'table'];
    const isManaged = source.managed ?? specification.database?.managed ?? true;
    const identity = storedName(table, isManaged);
    const other = tables.get(identity);
    if (other !== undefined)
      report(place, `${name} stands in table ${table}, as ${other} does; name another table`);
    if (/^(?:sqlite_|pg_|_plinth)/iu.test(table))
      report(place, `${table} is a name that databases keep for themselves; name another table`);
    const hasKey = source.key !== noKey;
    const { fields: fieldForms, isView, closed } = forms.get(name) ?? plainTable;
    const isClosed = !hasKey || source.readOnly === true || closed.size === writeOperations.length;
    if (isManaged && table.includes('.'))
      report(place, `${table} names a schema, where Plinth makes no tables; add managed: false`);
    if (!hasKey && source.pagination === 'cursor')
      report(
        [...path, 'pagination'],
        'a cursor needs a key; leave out pagination, or name the key of the records',
      );
    adviseLength(table, place, report);
    tables.set(identity, name);
    drafts.set(name, {
      name,
      path,
      source,
      types,
      forms: fieldForms,
      table,
      isManaged,
      hasKey,
      isReadOnly: isClosed && !isManaged,
      isView,
      description: source.description,
      timestamps: source.timestamps ?? false,
      sort: source.sort,
      search: source.search,
      hasSearchIndex: source.searchIndex ?? false,
      pagination:
        (hasKey ? (source.pagination ?? specification.api?.pagination) : undefined) ?? 'page',
      access: {
        ...resourceAccess(specification, accessOf(source.access, [...path, 'access'])),
        ...closedAccess(isClosed ? writeOperations : closed),
      },
      fields: new Map(),
      relations: new Map(),
      computed: new Map(),
      unique: [],
      indexes: [],
      morphKeys: [],
      groups: new Map(),
      compositeKeys: [],
      incoming: [],
      pairs: [],
    } satisfies Omit<DraftResource, 'id'> as unknown as DraftResource);
  }
  return drafts;
}

/** Nobody may do this. */
function closedAccess(operations: Iterable<WriteOperation>): Partial<ResourceAccess> {
  return Object.fromEntries(Array.from(operations, (operation) => [operation, []]));
}

/** Merges the `access` of API and resource operation by operation. See docs/contract/5-access.md#rules, rule 2. */
function resourceAccess(specification: Specification, own: FieldAccess): ResourceAccess {
  const fallback: readonly Rule[] = [
    {
      role: specification.auth === undefined ? 'public' : 'authenticated',
      where: undefined,
      path: ['access'],
    },
  ];
  const shared = accessOf(specification.access, ['access']);
  return Object.fromEntries(
    operations.map((operation) => [operation, own[operation] ?? shared[operation] ?? fallback]),
  ) as unknown as ResourceAccess;
}

function rulesOf(resources: Iterable<Resource>): readonly Rule[] {
  const rulesIn = (access: FieldAccess | undefined): readonly Rule[] =>
    Object.values(access ?? {}).flat();
  return [...resources].flatMap(({ access, fields, computed, relations }) => [
    ...rulesIn(access),
    ...[...fields.values(), ...computed.values(), ...relations.values()].flatMap((one) =>
      rulesIn(one.access),
    ),
  ]);
}

/** Whether a field can be in a list of `unique` or `indexes`; the former takes what `unique: true` does. */
function canBeIndexed({ type, items }: Field, key: 'unique' | 'indexes'): boolean {
  if (items !== undefined) return false;
  return type.sortable || (key === 'unique' && type.attributes.includes('scalar'));
}

/** `unique` and `indexes`, single indexes, and an index for each foreign key and morph pair; none of them twice. */
function buildIndexes(resource: DraftResource, report: Report): void {
  const lists = (key: 'unique' | 'indexes'): readonly (readonly DraftField[])[] =>
    (resource.source[key] ?? []).map((names, index) =>
      names.flatMap((name, position) => {
        const path = [...resource.path, key, index, position];
        const field = resource.fields.get(name);
        if (field === undefined) {
          if (!memberNames(resource).has(name))
            reportUnknown(path, 'field', name, resource.fields.keys(), report);
          else report(path, `${name} is a relation; name its foreign key`);
        } else if (!canBeIndexed(field, key))
          report(path, `${name} cannot be indexed: it is of type ${field.type.name}`);
        return field ?? [];
      }),
    );
  const unique = distinct(lists('unique'));
  for (const [field, another] of unique)
    if (field !== undefined && another === undefined) field.unique = true;
  const key = (resource.hasKey ? resource.id.parts : undefined) ?? [];
  resource.unique = distinct<Field>([key, ...unique].filter((list) => list.length > 1));
  const fields = [...resource.fields.values()];
  const single = fields.filter(({ attributes }) => attributes.index === true);
  const written = distinct([...lists('indexes'), ...single.map((field) => [field])]);
  const leading = new Set([...resource.unique, ...written].map(([first]) => first));
  const keys = fields.filter((field) => field.reference !== undefined && !leading.has(field));
  const lead = [...resource.unique, ...written].map((list) => list.slice(0, 2));
  // Both fields are always asked for together, by one value each.
  const pairs = resource.morphKeys.filter(
    (pair) =>
      !pair.some(({ unique }) => unique) &&
      !lead.some((list) => pair.every((field) => list.includes(field))),
  );
  resource.indexes = [...written, ...keys.map((field) => [field]), ...pairs].filter(
    ([field, another]) => another !== undefined || field?.unique === false,
  );
}

function distinct<Item extends Field>(
  lists: readonly (readonly Item[])[],
): readonly (readonly Item[])[] {
  const nameOf = (list: readonly Item[]): string => list.map(({ name }) => name).join(' ');
  return [...new Map(lists.map((list) => [nameOf(list), list])).values()];
}

/** The API's groups cut down to what the resource has, and its own over them. */
function buildGroups(resource: DraftResource, shared: Groups, report: Report): void {
  const known = memberNames(resource);
  for (const [group, names] of Object.entries(shared))
    resource.groups.set(
      group,
      names.filter((name) => known.has(name)),
    );
  for (const [group, names] of Object.entries(resource.source.groups ?? {})) {
    resource.groups.set(group, names);
    for (const [index, name] of names.entries())
      if (!known.has(name))
        reportUnknown([...resource.path, 'groups', group, index], 'field', name, known, report);
  }
}

/** Warns of members of the API's groups that no resource has: they are passed over everywhere. */
function adviseGroups(
  shared: Groups,
  resources: ReadonlyMap<string, DraftResource>,
  report: Report,
): void {
  const known = new Set([...resources.values()].flatMap((resource) => [...memberNames(resource)]));
  for (const [group, names] of Object.entries(shared))
    for (const [index, name] of names.entries())
      if (!known.has(name))
        report(
          ['groups', group, index],
          `${unknownName('field', name, known)} (no resource has one, so the group goes without it)`,
          'warning',
        );
}

/** Columns that every table of PostgreSQL has of itself. */
const systemColumns: ReadonlySet<string> = new Set([
  'xmin',
  'xmax',
  'cmin',
  'cmax',
  'ctid',
  'tableoid',
]);

/** Warns of the name of a table or column that only SQLite can have. Those of the file itself are never longer. */
function adviseLength(name: string, path: Path, report: Report): void {
  const bytes = Buffer.byteLength(name);
  if (bytes > longestName)
    report(
      path,
      `its name has ${bytes} bytes, of which PostgreSQL keeps ${longestName}: only SQLite can have it`,
      'warning',
    );
}

/**
 * What tells a table or column from others. Own ones are for SQLite too, where names that differ in case alone are the same;
 * PostgreSQL may have both.
 */
function storedName(name: string, isManaged: boolean): string {
  return isManaged ? name.toLowerCase() : name;
}

function checkColumns(resource: DraftResource, report: Report): void {
  const columns = new Map<string, string>();
  for (const { name, column, parts } of resource.fields.values()) {
    if (parts !== undefined) continue;
    const identity = storedName(column, resource.isManaged);
    const other = columns.get(identity);
    columns.set(identity, name);
    // Names that differ in case alone are reported already.
    if (other !== undefined && !isSameName(other, name))
      report(
        [...resource.path, 'fields', name, 'column'],
        `${name} stands in column ${column}, as ${other} does; name another column`,
      );
    adviseLength(column, [...resource.path, 'fields', name, 'column'], report);
    if (systemColumns.has(column))
      report(
        [...resource.path, 'fields', name],
        `PostgreSQL keeps the name ${column} for itself, so it takes no such table; name a column, such as ${column}_`,
        'warning',
      );
  }
}

/** `generate: { per: author }` counts by a belongsTo. */
function checkGeneration(
  { name: owner, source, path }: DraftResource,
  resources: Drafts,
  report: Report,
): void {
  const per = source.generate?.per;
  const relations = Object.entries(source.fields)
    .filter(([, { relation }]) => relation === 'belongsTo')
    .map(([name]) => name);
  if (per === undefined || relations.includes(per)) return;
  const place = [...path, 'generate', 'per'];
  // A resource, a record of it or the foreign key to it may be meant.
  const named = [...resources.keys()].find(
    (name) => name !== owner && (name === per || recordName(name) === per),
  );
  const key = Object.entries(source.fields).find(
    ([name, { reference }]) =>
      reference !== undefined && (name === per || reference.startsWith(`${named ?? per}.`)),
  );
  const target = key?.[1].reference?.split('.')[0] ?? named;
  const near = nearest(per, relations);
  if (target === undefined || near !== undefined) {
    reportUnknown(place, 'belongsTo relation', per, relations, report);
    return;
  }
  const name = key?.[0] ?? `${recordName(target)}Id`;
  const relation = name.replace(/Id$/u, '') === name ? recordName(target) : name.slice(0, -2);
  const own = relation === name.slice(0, -2) ? '' : `, foreignKey: ${name}`;
  report(
    place,
    `\`per\` names a belongsTo relation; add the field \`${relation}: { type: relation, relation: belongsTo, resource: ${target}${own} }\` and write \`per: ${relation}\``,
    'error',
    [],
    { rule: 'unknown-name' },
  );
}
