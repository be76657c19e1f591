import { matchingRules, type Operation, type Rule, type Subject } from './access.ts';
import { operations } from './access.ts';
import type { Api, Field, Relation, Resource, Version } from './api.ts';

/**
 * What one caller sees of the Api in one version: names as that version has them, and nothing that the caller
 * may not read. Its entries wrap storage objects, so what is resolved against it needs no further check.
 */
export interface View {
  readonly api: Api;
  readonly version: Version;
  /** Tells views apart: the same text means the same view. */
  readonly key: string;
  /** The face of a resource; undefined where it is unknown, hidden, or nothing may be done with it. */
  readonly resource: (name: string) => ResourceView | undefined;
  /** The names of all resources in the view. */
  readonly resourceNames: () => readonly string[];
}

export interface ResourceView {
  readonly name: string;
  /** Tells faces of all views apart. */
  readonly key: string;
  readonly resource: Resource;
  /** What may be read, by its name in this version, in the order of the model. */
  readonly fields: ReadonlyMap<string, FieldView>;
  readonly relations: ReadonlyMap<string, RelationView>;
  /** What the file knows for writing, readable or not. */
  readonly inputs: ReadonlyMap<string, InputView>;
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The rules of each operation that speak of this caller; none: it is refused. */
  readonly rules: Readonly<Record<Operation, readonly Rule[]>>;
}

export interface FieldView {
  readonly name: string;
  readonly field: Field;
}

export interface InputView extends FieldView {
  readonly creatable: boolean;
  readonly updatable: boolean;
}

export interface RelationView {
  readonly name: string;
  readonly relation: Relation;
  /** The other resource as this caller sees it; for a morphTo, of one target. */
  readonly target: (resource: Resource) => ResourceView | undefined;
}

/** Makes the view of a version for a subject; the faces of resources are made when first asked for. */
export function viewOf(api: Api, version: Version, subject: Subject): View {
  const roles = [...subject.roles].filter((role) => api.roles.has(role)).sort();
  const faces = new Map<string, ResourceView | undefined>();
  const view: View = {
    api,
    version,
    key: `${version.number}|${subject.authenticated ? 'authenticated' : 'public'}|${roles.join(',')}`,
    resource: (name) => {
      if (faces.has(name)) return faces.get(name);
      const resource = api.resources.get(name);
      const hidden = resource === undefined || version.hiddenResources.has(resource);
      const face = hidden ? undefined : resourceView(view, resource, subject);
      // Names that do not exist are not kept: a caller could fill the memory with them.
      if (resource !== undefined) faces.set(name, face);
      return face;
    },
    resourceNames: () =>
      [...api.resources.keys()].filter((name) => view.resource(name) !== undefined),
  };
  return view;
}

function resourceView(view: View, resource: Resource, subject: Subject): ResourceView | undefined {
  const rules = Object.fromEntries(
    operations.map((operation) => [operation, matchingRules(resource.access[operation], subject)]),
  ) as unknown as Record<Operation, readonly Rule[]>;
  const names = view.version.names.get(resource);
  const nameOf = (name: string): string | null => {
    const changed = names?.get(name);
    return changed === undefined ? name : changed;
  };
  const may = (field: Field, operation: Operation): boolean => {
    const own = field.access?.[operation];
    return own === undefined || matchingRules(own, subject).length > 0;
  };
  const fields = new Map<string, FieldView>();
  const inputs = new Map<string, InputView>();
  for (const field of resource.fields.values()) {
    const name = nameOf(field.name);
    if (name === null) continue;
    if (rules.read.length > 0 && !field.writeOnly && may(field, 'read'))
      fields.set(name, { name, field });
    inputs.set(name, {
      name,
      field,
      creatable: !field.readOnly && may(field, 'create'),
      updatable: !field.readOnly && may(field, 'update'),
    });
  }
  const relations = new Map<string, RelationView>();
  for (const relation of resource.relations.values()) {
    const name = nameOf(relation.name);
    if (name === null || !isReadable(view, relation, subject)) continue;
    relations.set(name, { name, relation, target: (other) => view.resource(other.name) });
  }
  const groups = new Map<string, readonly string[]>();
  for (const [group, members] of resource.groups)
    groups.set(
      group,
      members.flatMap((member) => nameOf(member) ?? []),
    );
  const nothing = operations.every((operation) => rules[operation].length === 0);
  if (nothing && resource.access.read.every(({ role }) => role === 'none')) return undefined;
  const key = `${view.key}|${resource.name}`;
  return { name: resource.name, key, resource, fields, relations, inputs, groups, rules };
}

/** A relation exists only where the other resource and its keys are readable. Contract 3, Authorization. */
function isReadable(view: View, relation: Relation, subject: Subject): boolean {
  const readable = (field: Field): boolean => {
    const { resource } = field;
    if (view.version.hiddenResources.has(resource) || field.writeOnly) return false;
    if (matchingRules(resource.access.read, subject).length === 0) return false;
    const own = field.access?.read;
    if (own !== undefined && matchingRules(own, subject).length === 0) return false;
    return view.version.names.get(resource)?.get(field.name) !== null;
  };
  switch (relation.kind) {
    case 'belongsTo':
      return readable(relation.key) && readable(relation.targetKey);
    case 'hasOne':
    case 'hasMany':
      return readable(relation.key) && readable(relation.ownerField);
    case 'belongsToMany':
      return (
        readable(relation.ownerKey) && readable(relation.targetKey) && readable(relation.target.id)
      );
    case 'morphTo':
      return readable(relation.typeField) && readable(relation.idField);
    case 'morphMany':
      return readable(relation.typeField) && readable(relation.idField);
    default:
      return relation satisfies never;
  }
}
