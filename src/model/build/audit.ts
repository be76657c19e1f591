import { auditDefaults } from '../../specification/keys/audit.ts';
import type { Report } from '../../specification/problems.ts';
import type {
  AuditSpecification,
  ResourceSpecification,
  Specification,
} from '../../specification/specification.ts';
import { decide, matchingRules, type Rule, type Subject } from '../access.ts';
import type { Audit, Field, Resource } from '../api.ts';
import { fieldTypes } from '../field-types/registry.ts';
import { serviceTable } from '../service-table.ts';
import type { DraftResource } from './draft.ts';
import { buildFields } from './fields.ts';
import { reportUnknown } from './names.ts';

/** The fields of a recorded change. Their names are also those of the columns. */
const source: ResourceSpecification = {
  description: 'Changes of records.',
  fields: {
    id: { type: 'id', format: 'uuid' },
    at: { type: 'datetime', required: true },
    caller: { type: 'string' },
    requestId: { type: 'string', required: true },
    resource: { type: 'string', required: true },
    recordId: { type: 'string', required: true },
    operation: { type: 'enum', values: ['create', 'update', 'delete'], required: true },
    changed: { type: 'array', items: { type: 'string' }, required: true },
    before: { type: 'json' },
    after: { type: 'json' },
  },
};

/** Builds the audit log that `audit` asks for; undefined if it asks for none. */
export function buildAudit(
  { audit, api, database }: Specification,
  resources: ReadonlyMap<string, Resource>,
  report: Report,
): Audit | undefined {
  if (audit === undefined || audit === false) return undefined;
  const {
    resources: names,
    keep = auditDefaults.keep,
    roles = auditDefaults.roles,
  }: AuditSpecification = audit === true ? {} : audit;
  for (const [index, name] of (names ?? []).entries())
    if (!resources.has(name))
      reportUnknown(['audit', 'resources', index], 'resource', name, resources.keys(), report);
  const recorded = new Map<Resource, ReadonlySet<Field>>();
  for (const resource of resources.values())
    if (names?.includes(resource.name) !== false)
      recorded.set(resource, fieldsShownTo(roles, resource));
  const path = audit === true ? ['audit'] : ['audit', 'roles'];
  const rules = roles.map((role): Rule => ({ role, where: undefined, path }));
  return {
    resource: logOf(rules, api?.pagination ?? 'page', serviceTable('audit', database), report),
    recorded,
    keep,
  };
}

function logOf(
  read: readonly Rule[],
  pagination: Resource['pagination'],
  table: string,
  report: Report,
): Resource {
  const nobody: readonly Rule[] = [{ role: 'none', where: undefined, path: ['audit'] }];
  const draft = {
    name: '_audit',
    path: ['audit'],
    source,
    types: fieldTypes,
    forms: new Map(),
    table,
    isManaged: true,
    description: source.description,
    timestamps: false,
    sort: undefined,
    search: undefined,
    hasSearchIndex: false,
    pagination,
    access: { read, create: nobody, update: nobody, delete: nobody },
    fields: new Map(),
    relations: new Map(),
    computed: new Map(),
    unique: [],
    indexes: [],
    morphKeys: [],
    groups: new Map(),
    hasKey: true,
    isReadOnly: true,
    isView: false,
    compositeKeys: [],
    incoming: [],
    pairs: [],
  } satisfies Omit<DraftResource, 'id'> as unknown as DraftResource;
  buildFields(draft, report);
  const fields = (...names: readonly string[]): readonly Field[] =>
    names.flatMap((name) => draft.fields.get(name) ?? []);
  draft.indexes = [fields('at'), fields('resource', 'recordId')];
  return draft;
}

/** The fields that each of these roles alone may read in every record. See docs/contract/6-operation.md#audit, rule 4. */
function fieldsShownTo(roles: readonly string[], resource: Resource): ReadonlySet<Field> {
  const subjects = roles.map((role): Subject => ({ authenticated: true, roles: new Set([role]) }));
  const isOpen = (rules: readonly Rule[]): boolean =>
    subjects.every((subject) => decide(matchingRules(rules, subject)).allowed === 'all');
  if (!isOpen(resource.access.read)) return new Set();
  return new Set(
    [...resource.fields.values()].filter(
      ({ writeOnly, access }) => !writeOnly && (access?.read === undefined || isOpen(access.read)),
    ),
  );
}
