import { matchingRules, operations, type Operation, type Rule, type Subject } from './access.ts';
import type { Api, BelongsToMany, CodeNeeds, Field, Relation, Resource, Version } from './api.ts';
import { keyFields } from './field-types/composite-id.ts';
import { isGenerated } from './field-types/id.ts';

/**
 * What one caller sees of the Api in one version: names as that version has them, and nothing that the caller
 * may not read. Its entries wrap storage objects, so what is resolved against it needs no further check.
 */
export interface View {
  readonly api: Api;
  readonly version: Version;
  /** Tells views apart: the same text means the same view. */
  readonly key: string;
  /** Who sees it, or one of those who do: their other roles and claims may differ. */
  readonly subject: Subject;
  /** The view of a resource; undefined where it is unknown, hidden, or nobody may do anything with it. */
  readonly resource: (name: string) => ResourceView | undefined;
  /** The view of the audit log; undefined without one. */
  readonly audit: () => ResourceView | undefined;
  /** The views of the resources that this caller may do something with. */
  readonly resourceViews: () => readonly ResourceView[];
}

/** A resource as one caller sees it in one version. */
export interface ResourceView {
  readonly view: View;
  readonly name: string;
  /** A key unique among the resource views of all views. */
  readonly key: string;
  readonly resource: Resource;
  /** What may be read, by its name in this version, in the order of the model. */
  readonly fields: ReadonlyMap<string, FieldView>;
  readonly relations: ReadonlyMap<string, RelationView>;
  /** What may be read or written. */
  readonly inputs: ReadonlyMap<string, InputView>;
  /** Names of what may be read. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The rules of each operation that speak of this caller; none: it is refused. */
  readonly rules: Readonly<Record<Operation, readonly Rule[]>>;
  /** The operations that this caller is told of: those with rules, but for creates that are refused whatever they hold. */
  readonly offered: ReadonlySet<Operation>;
}

/** A field under the name that a version gives it. */
export interface FieldView {
  readonly name: string;
  readonly field: Field;
}

/** A field as a body may name it, and whether this caller may write it. */
export interface InputView extends FieldView {
  readonly creatable: boolean;
  readonly updatable: boolean;
}

/** A relation under the name that a version gives it. */
export interface RelationView {
  readonly name: string;
  readonly relation: Relation;
  /** The other resource as this caller sees it; for a morphTo, of one target. */
  readonly target: (resource: Resource) => ResourceView | undefined;
  /** What may be read of a belongsToMany's `withPivot`; otherwise empty. */
  readonly pivot: readonly FieldView[];
  /** Whether its own rules let a new record, or a change of one, write through it. */
  readonly creatable: boolean;
  readonly updatable: boolean;
}

/** What a field is called among those of a view, such as `resourceView.fields.values()`; undefined where it is not there. */
export function fieldNameIn(views: Iterable<FieldView>, field: Field): string | undefined {
  for (const view of views) if (view.field === field) return view.name;
  return undefined;
}

/**
 * Whether a field that a PUT leaves out stays as it is: who may not change it, or does not see it as those that are
 * write-only, cannot mean to take its value away.
 */
export function outlastsReplacing(
  { fields }: ResourceView,
  { name, field, updatable }: InputView,
): boolean {
  return !updatable || field.immutable || !fields.has(name);
}

/**
 * The key of the view that a subject has of a version: roles that no rule names make no difference, and of claims only what
 * `claims` says.
 */
export function viewKey(api: Api, version: Version, subject: Subject, claims = ''): string {
  const roles = [...subject.roles].filter((role) => api.roles.has(role)).sort();
  return subject.isOwner === true
    ? `${version.number} owner`
    : JSON.stringify([version.number, subject.authenticated, roles, claims]);
}

/** Makes the view of a version for a subject; resource views are built on first use. */
export function viewOf(
  api: Api,
  version: Version,
  subject: Subject,
  key = viewKey(api, version, subject),
): View {
  return makeView(api, { version, subject, owns: false, withComputed: true, key });
}

/** The Api in the names of the file, with all that it has: no version that is served. */
export const versionOfFile: Version = {
  number: 0,
  deprecated: undefined,
  sunset: undefined,
  link: undefined,
  hiddenResources: new Set(),
  names: new Map(),
};

/**
 * What the owner of the data sees: everything, in the names of the storage. In it access rules are read. `withComputed`
 * adds the fields without a column, which rules cannot use.
 */
export function ownerView(api: Api, withComputed = false): View {
  const subject: Subject = { authenticated: false, roles: new Set() };
  return makeView(api, { version: versionOfFile, subject, owns: true, withComputed, key: 'owner' });
}

function makeView(api: Api, viewer: Omit<Viewer, 'view' | 'resource'>): View {
  const made = new Map<string, ResourceView | undefined>();
  const resource = (name: string): ResourceView | undefined => {
    const known = made.get(name);
    if (known !== undefined || made.has(name)) return known;
    const stored = api.resources.get(name);
    // Names that do not exist are not kept: a caller could fill the memory with them.
    if (stored === undefined) return undefined;
    const resourceView = resourceViewOf(stored, { ...viewer, resource, view });
    made.set(name, resourceView);
    return resourceView;
  };
  const resourceViews = (): readonly ResourceView[] =>
    [...api.resources.keys()].flatMap((name) => {
      const resourceView = resource(name);
      return resourceView !== undefined && resourceView.offered.size > 0 ? [resourceView] : [];
    });
  let log: ResourceView | undefined;
  const audit = (): ResourceView | undefined =>
    (log ??= api.audit && resourceViewOf(api.audit.resource, { ...viewer, resource, view }));
  const { version, key, subject } = viewer;
  const view: View = { api, version, key, subject, resource, audit, resourceViews };
  return view;
}

/** Who looks at which version: the inputs of one view. */
interface Viewer extends Pick<View, 'version' | 'key' | 'subject' | 'resource'> {
  readonly view: View;
  /** To the owner of the data no rule applies. */
  readonly owns: boolean;
  readonly withComputed: boolean;
}

function resourceViewOf(resource: Resource, viewer: Viewer): ResourceView | undefined {
  const { version, subject, owns, withComputed, view } = viewer;
  if (version.hiddenResources.has(resource)) return undefined;
  const fields = new Map<string, FieldView>();
  const inputs = new Map<string, InputView>();
  for (const field of resource.fields.values()) {
    const shown = viewField(field, viewer);
    const name = nameIn(version, resource, field.name);
    if (shown !== undefined) fields.set(shown.name, shown);
    if (name === null) continue;
    const isOpen = !field.readOnly || subject.isOwner === true;
    const creatable = isOpen && allows(field, 'create', subject);
    const updatable = isOpen && allows(field, 'update', subject);
    if (shown !== undefined || creatable || updatable)
      inputs.set(name, { name, field, creatable, updatable });
  }
  const relations = new Map<string, RelationView>();
  for (const relation of resource.relations.values()) {
    const name = nameIn(version, resource, relation.name);
    if (name !== null && exists(relation, viewer))
      relations.set(name, {
        name,
        relation,
        // Of a morphTo some targets may exist for this caller, and others not.
        target: (other) =>
          relation.kind === 'morphTo' && viewField(other.id, viewer) === undefined
            ? undefined
            : viewer.resource(other.name),
        pivot:
          relation.kind === 'belongsToMany'
            ? relation.pivot.flatMap((field) => viewField(field, viewer) ?? [])
            : [],
        creatable: allows(relation, 'create', subject),
        updatable: allows(relation, 'update', subject),
      });
  }
  if (withComputed)
    for (const field of resource.computed.values()) {
      const shown = viewComputed(field, viewer);
      if (shown === undefined) continue;
      fields.set(shown.name, shown);
      inputs.set(shown.name, { ...shown, creatable: false, updatable: false });
    }
  const groups = new Map<string, readonly string[]>();
  for (const [group, members] of resource.groups) {
    const names = members.flatMap((member) => nameIn(version, resource, member) ?? []);
    groups.set(
      group,
      names.filter((name) => fields.has(name) || relations.has(name)),
    );
  }
  const rules = Object.fromEntries(
    operations.map((operation) => {
      const isOpen =
        operation !== 'create' ||
        owns ||
        view.api.filledByCode?.has(resource.name) === true ||
        canFill(resource, subject);
      return [operation, isOpen ? matchingRules(resource.access[operation], subject) : []];
    }),
  ) as unknown as Record<Operation, readonly Rule[]>;
  const offered = new Set(
    operations.filter(
      (operation) =>
        rules[operation].length > 0 &&
        (operation !== 'create' || owns || !needsUnseen(resource, subject)),
    ),
  );
  const { name } = resource;
  const key = `${viewer.key}|${name}`;
  return { view, name, key, resource, fields, relations, inputs, groups, rules, offered };
}

/** The name of a field or relation in a version; null where it is hidden. */
function nameIn({ names }: Version, resource: Resource, stored: string): string | null {
  const name = names.get(resource)?.get(stored);
  return name === undefined ? stored : name;
}

/** Whether a field or relation leaves an operation of its resource to this caller. */
function allows(
  { access }: Pick<Field, 'access'>,
  operation: Operation,
  subject: Subject,
): boolean {
  const own = access?.[operation];
  return own === undefined || matchingRules(own, subject).length > 0;
}

/** The belongsToMany relation of this name, whose links can be written with the record; undefined for other names. */
export function linkedRelation(
  name: string,
  resourceView: ResourceView,
): { readonly view: RelationView; readonly relation: BelongsToMany } | undefined {
  const view = resourceView.inputs.has(name) ? undefined : resourceView.relations.get(name);
  return view?.relation.kind === 'belongsToMany' ? { view, relation: view.relation } : undefined;
}

/**
 * Whether a caller may write the links of a relation with a record that is new or that is there. Whatever changes, it
 * takes the create and delete rights of the junction, and the right to write both keys. See
 * docs/contract/3-writing.md#links, rule 11.
 */
export function mayLink(
  view: RelationView,
  resourceView: ResourceView,
  operation: 'create' | 'update',
): boolean {
  const { name, target } = view;
  const linked = linkedRelation(name, resourceView);
  if (linked === undefined || !mayWriteThrough(view, operation)) return false;
  const { through, ownerKey, targetKey } = linked.relation;
  const rules = target(through)?.rules;
  return (
    rules !== undefined &&
    rules.create.length > 0 &&
    rules.delete.length > 0 &&
    [ownerKey, targetKey]
      .flatMap(keyFields)
      .every((key) => allows(key, 'create', resourceView.view.subject))
  );
}

/** Whether the rules of a relation let a caller write through it. */
export function mayWriteThrough(
  { creatable, updatable }: RelationView,
  operation: 'create' | 'update',
): boolean {
  return operation === 'create' ? creatable : updatable;
}

/** The fields of the junction that a link in a body may name, by their names: what `withPivot` lists. */
export function pivotInputs({ relation, target }: RelationView): ReadonlyMap<string, InputView> {
  if (relation.kind !== 'belongsToMany') return new Map();
  const inputs = target(relation.through)?.inputs ?? [];
  return new Map([...inputs].filter(([, { field }]) => relation.pivot.includes(field)));
}

/** Whether a create may say this: an id that is counted it may not. */
export function mayCreate({ field, creatable }: InputView): boolean {
  return creatable && !(field === field.resource.id && isGenerated(field));
}

/** Whether an update may change this: what is set on create only, and an id, can only be sent again as it is. */
export function mayUpdate({ field, updatable }: InputView): boolean {
  return updatable && !field.immutable && field !== field.resource.id;
}

/** Whether a link in a body may say this of itself: its two keys, and an id that is counted, follow from where it stands. */
export function mayCarry(relation: Relation, { field, creatable }: InputView): boolean {
  if (relation.kind !== 'belongsToMany' || isGenerated(field)) return false;
  return creatable && ![relation.ownerKey, relation.targetKey].flatMap(keyFields).includes(field);
}

/** Whether a caller may write all that a new record cannot be without: else there is nothing that it could create. */
function canFill({ fields, id }: Resource, subject: Subject): boolean {
  return [...fields.values()].every(
    (field) =>
      field === id ||
      field.readOnly ||
      field.nullable ||
      field.default !== undefined ||
      allows(field, 'create', subject),
  );
}

/** Whether a record cannot be without a key, and this caller sees none of the records that it could point to. */
function needsUnseen({ fields, relations, compositeKeys }: Resource, subject: Subject): boolean {
  const isNeeded = ({ nullable, readOnly, default: initial }: Field): boolean =>
    !nullable && !readOnly && initial === undefined;
  return (
    [...fields.values()].some((field) => isNeeded(field) && pointsNowhere(field, subject)) ||
    compositeKeys.some((key) => !key.nullable && pointsNowhere(key, subject)) ||
    [...relations.values()].some(
      (relation) =>
        relation.kind === 'morphTo' &&
        isNeeded(relation.typeField) &&
        ![...relation.targets.values()].some((target) => mayRead(target, subject)),
    )
  );
}

/** Whether a field is a key to records of which a caller sees none: whatever it holds is refused. */
export function pointsNowhere({ reference }: Field, subject: Subject): boolean {
  return reference !== undefined && !mayRead(reference.resource, subject);
}

/** Whether some rows of a resource may be read. */
function mayRead({ access }: Resource, subject: Subject): boolean {
  return matchingRules(access.read, subject).length > 0;
}

/** A field as this caller reads it; undefined where it does not exist for reads. */
function viewField(field: Field, { version, subject, owns }: Viewer): FieldView | undefined {
  const { resource } = field;
  if (owns) return { name: field.name, field };
  const name = nameIn(version, resource, field.name);
  const isReadable =
    (!field.writeOnly || subject.isOwner === true) &&
    !version.hiddenResources.has(resource) &&
    mayRead(resource, subject) &&
    allows(field, 'read', subject);
  return name === null || !isReadable ? undefined : { name, field };
}

/** A computed field as this caller reads it: only where what it is computed from exists. */
function viewComputed(field: Field, viewer: Viewer): FieldView | undefined {
  const { computed, resource } = field;
  const readable = (one: Field): boolean => viewField(one, viewer) !== undefined;
  const isThere = (): boolean => {
    switch (computed?.kind) {
      case 'related': {
        const { relation, field: inner } = computed;
        const isShown = nameIn(viewer.version, resource, relation.name) !== null;
        return isShown && exists(relation, viewer) && (inner === undefined || readable(inner));
      }
      case 'join':
        return computed.fields.every(readable);
      case 'where':
        return true;
      case 'code': {
        // Who may read it is said, or else follows from what it is made of.
        const needs = viewer.view.api.codeNeeds?.get(field);
        return field.access?.read !== undefined || needs === undefined || areThere(needs, viewer);
      }
      case undefined:
        return false;
      default:
        return computed satisfies never;
    }
  };
  return isThere() ? viewField(field, viewer) : undefined;
}

function areThere({ fields, relations }: CodeNeeds, viewer: Viewer): boolean {
  return (
    [...fields].every((field) => viewField(field, viewer) !== undefined) &&
    [...relations].every(
      ([relation, needs]) =>
        nameIn(viewer.version, relation.owner, relation.name) !== null &&
        exists(relation, viewer) &&
        areThere(needs, viewer),
    )
  );
}

/**
 * Whether a relation is readable, and so are the other resource and its keys: only then it exists. See
 * docs/contract/5-access.md#visibility-of-relations, rule 1.
 */
function exists(relation: Relation, viewer: Viewer): boolean {
  const readable = (...fields: readonly Field[]): boolean =>
    fields.flatMap(keyFields).every((field) => viewField(field, viewer) !== undefined);
  if (!viewer.owns && !allows(relation, 'read', viewer.subject)) return false;
  switch (relation.kind) {
    case 'belongsTo':
      return readable(relation.key, relation.targetField);
    case 'hasOne':
    case 'hasMany':
      return readable(relation.key, relation.ownerField);
    case 'belongsToMany': {
      const { ownerKey, targetKey, ownerField, targetField } = relation;
      return readable(ownerKey, targetKey, ownerField, targetField);
    }
    case 'morphTo':
      return (
        readable(relation.typeField, relation.idField) &&
        [...relation.targets.values()].some((target) => readable(target.id))
      );
    case 'morphMany':
      return readable(relation.typeField, relation.idField, relation.owner.id);
    default:
      return relation satisfies never;
  }
}
