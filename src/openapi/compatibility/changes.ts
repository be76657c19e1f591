import { targetsOf } from '../../query/filter/path.ts';
import {
  isToMany,
  type Api,
  type Field,
  type Limits,
  type Relation,
  type Version,
} from '../../model/api.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import { hasEnded } from '../../model/sunset.ts';
import {
  fieldNameIn,
  viewOf,
  type RelationView,
  type ResourceView,
  type View,
} from '../../model/view.ts';
import { compareAccess, compareCredentials, compareFieldAccess } from './access.ts';
import type { ApiChange, Note } from './change.ts';
import { compareFields } from './fields.ts';
import { collectionSortText, defaultSortText } from '../../query/read/default-sort.ts';
import { linkable } from '../document/links.ts';
import { serverDefaults } from '../../specification/keys/server.ts';

/**
 * What differs for the users of an API between two specifications of it, version by version: what breaks them, and
 * what does not. Storage, generated data and the like are not looked at, nor is a version that had ended before `today`:
 * nobody uses it.
 */
export function compareApis(old: Api, now: Api, today: Date): readonly ApiChange[] {
  const changes = new Map<string, ApiChange>();
  const note: Note = (isBreaking, path, message) => {
    changes.set(`${path} ${message}`, { isBreaking, path, message });
  };
  compareAddresses(old, now, today, note);
  compareLimits(old, now, note);
  compareCredentials(old, now, note);
  for (const [number, version] of old.versions) {
    const after = now.versions.get(number);
    const wasServed = !hasEnded(version, () => today);
    if (after === undefined) note(wasServed, `v${number}`, 'is gone');
    else if (wasServed && hasEnded(after, () => today))
      note(true, `v${number}`, `has ended on ${after.sunset}`);
    else if (wasServed) compareVersions(whole(old, version), whole(now, after), note);
  }
  for (const number of now.versions.keys())
    if (!old.versions.has(number)) note(false, `v${number}`, 'is new');
  return [...changes.values()];
}

function whole(api: Api, version: Version): View {
  return viewOf(api, version, { authenticated: true, roles: api.roles });
}

function compareAddresses(old: Api, now: Api, today: Date, note: Note): void {
  if (old.basePath !== now.basePath)
    note(true, 'api.basePath', `is ${now.basePath || 'empty'}, not ${old.basePath || 'empty'}`);
  if (old.unversioned && !now.unversioned)
    note(true, 'api.unversioned', 'paths without a version are gone');
  if (old.unversioned && now.unversioned && old.defaultVersion !== now.defaultVersion) {
    const before = old.versions.get(old.defaultVersion);
    note(
      before === undefined || !hasEnded(before, () => today),
      'api.defaultVersion',
      `paths without a version mean v${now.defaultVersion}, not v${old.defaultVersion}`,
    );
  }
}

function compareLimits(old: Api, now: Api, note: Note): void {
  for (const name of Object.keys(old.limits) as (keyof Limits)[])
    compareLimit(`limits.${name}`, old.limits[name], now.limits[name], note);
  const [before, after] = [old, now].map(
    ({ settings }) => settings.server?.bodyLimit ?? serverDefaults.bodyLimit,
  );
  if (before !== undefined && after !== undefined)
    compareLimit('server.bodyLimit', before, after, note);
}

function compareLimit(path: string, before: number, after: number, note: Note): void {
  if (before !== after) note(after < before, path, `is ${after}, not ${before}`);
}

function compareVersions(old: View, now: View, note: Note): void {
  const within = `v${old.version.number}`;
  const [olds, nows] = [facesByName(old), facesByName(now)];
  for (const [name, before] of olds) {
    const after = nows.get(name);
    const at: Note = (isBreaking, path, message) =>
      note(isBreaking, `${within} ${name}${path === '' ? '' : `.${path}`}`, message);
    if (after === undefined) at(true, '', 'is gone');
    else compareResources(before, after, at);
  }
  for (const name of nows.keys()) if (!olds.has(name)) note(false, `${within} ${name}`, 'is new');
  const { deprecated, sunset } = now.version;
  if (deprecated !== old.version.deprecated && deprecated !== undefined)
    note(false, within, `is deprecated since ${deprecated}`);
  if (sunset !== old.version.sunset && sunset !== undefined) {
    const isEarlier = old.version.sunset !== undefined && sunset < old.version.sunset;
    note(isEarlier, within, `ends on ${sunset}${isEarlier ? `, not ${old.version.sunset}` : ''}`);
  }
}

function facesByName(view: View): ReadonlyMap<string, ResourceView> {
  return new Map(view.resourceViews().map((resourceView) => [resourceView.name, resourceView]));
}

function compareResources(old: ResourceView, now: ResourceView, note: Note): void {
  compareAccess(old, now, note);
  if (old.resource.pagination !== now.resource.pagination)
    note(
      true,
      'pagination',
      `lists are by ${now.resource.pagination}, not by ${old.resource.pagination}`,
    );
  compareOrder(defaultSortText(old), defaultSortText(now), 'sort', note);
  compareFields(old, now, note);
  compareRelations(old, now, note);
  compareUnique(old, now, note);
  for (const [group, members] of old.groups) {
    const left = now.groups.get(group);
    const gone = members.filter((member) => left?.includes(member) !== true);
    // A group of the API that this resource has no member of says nothing here.
    if (members.length === 0) continue;
    if (left === undefined) note(true, `@${group}`, 'is gone');
    else if (gone.length > 0) note(true, `@${group}`, `no longer has ${gone.join(', ')}`);
  }
}

/** The order where a request asks for none. */
function compareOrder(before: string, after: string, path: string, note: Note): void {
  const ordered = (sort: string): string => (sort === '' ? 'id' : sort);
  if (before !== after)
    note(
      false,
      path,
      `records come by ${ordered(after)} without a sort, not by ${ordered(before)}`,
    );
}

function compareRelations(old: ResourceView, now: ResourceView, note: Note): void {
  for (const before of old.relations.values()) {
    const after = now.relations.get(before.name);
    if (after === undefined) note(true, before.name, 'is no longer a relation');
    else {
      compareRelation(before, after, note);
      const orders = [collectionSortText(before, old), collectionSortText(after, now)] as const;
      compareOrder(...orders, before.name, note);
      for (const operation of ['read', 'create', 'update'] as const)
        compareFieldAccess(
          [old, before.relation],
          [now, after.relation],
          operation,
          before.name,
          note,
        );
    }
  }
  const links = new Set(linkable(now).map(({ name }) => name));
  for (const { name } of linkable(old))
    if (now.relations.has(name) && !links.has(name)) note(true, name, 'takes no links any more');
  for (const { name } of now.relations.values())
    if (!old.relations.has(name)) note(false, name, 'is a new relation');
}

function compareRelation(before: RelationView, after: RelationView, note: Note): void {
  const { name } = before;
  const [wasMany, isMany] = [isToMany(before.relation), isToMany(after.relation)];
  if (wasMany !== isMany) {
    note(
      true,
      name,
      isMany ? 'leads to many records, not to one' : 'leads to one record, not to many',
    );
    return;
  }
  const [old, now] = [before, after].map((view) =>
    targetsOf(view).map(({ resourceView }) => resourceView.name),
  );
  const gone = old?.filter((target) => now?.includes(target) !== true) ?? [];
  const added = now?.filter((target) => old?.includes(target) !== true) ?? [];
  if (gone.length > 0) note(true, name, `no longer leads to ${gone.join(', ')}`);
  if (added.length > 0) note(true, name, `leads to ${added.join(', ')} now`);
  // Of what leads elsewhere that was told.
  if (gone.length === 0) compareKeys(before, after, note);
  if (
    before.relation.kind === 'morphMany' &&
    after.relation.kind === 'morphMany' &&
    before.relation.onDelete !== after.relation.onDelete
  )
    note(
      true,
      name,
      `when their record is deleted: ${after.relation.onDelete}, not ${before.relation.onDelete}`,
    );
  const pivot = new Set(after.pivot.map((one) => one.name));
  for (const one of before.pivot)
    if (!pivot.has(one.name)) note(true, `${name}.pivot.${one.name}`, 'is gone');
}

/** Whether a relation goes by other fields: those in the same columns are the same under another name. */
function compareKeys({ name, relation }: RelationView, after: RelationView, note: Note): void {
  const [old, now] = [keysOf(relation), keysOf(after.relation)];
  const isSame = (key: Field, other: Field | undefined): boolean =>
    key.resource.table === other?.resource.table && key.column === other.column;
  const isNamed = (key: Field, other: Field | undefined): boolean =>
    key.resource.name === other?.resource.name && key.name === other.name;
  if (old.every((key, index) => isSame(key, now[index]) || isNamed(key, now[index]))) return;
  const isOfOthers = old[0]?.resource.name !== now[0]?.resource.name;
  const said = (keys: readonly Field[]): string =>
    keys.map((key) => (isOfOthers ? `${key.resource.name}.${key.name}` : key.name)).join(' and ');
  note(true, name, `goes by ${said(now)}, not by ${said(old)}`);
}

/** The fields that a relation goes by. */
function keysOf(relation: Relation): readonly Field[] {
  if ('key' in relation) return keyFields(relation.key);
  return relation.kind === 'belongsToMany'
    ? [relation.ownerKey, relation.targetKey].flatMap(keyFields)
    : [relation.typeField, relation.idField];
}

/** Fields that have to be distinct together, where no part of them had to be so far. */
function compareUnique(old: ResourceView, now: ResourceView, note: Note): void {
  const alone = [...old.inputs.values()].flatMap(({ field }) => (field.unique ? [[field]] : []));
  const known = [...alone, ...old.resource.unique];
  // A field that is not shown has no name that means anything to a caller.
  const isSame = (before: Field, after: Field): boolean =>
    inputName(old, before) === inputName(now, after) ||
    (before.resource.table === after.resource.table && before.column === after.column);
  for (const fields of now.resource.unique) {
    const wasUnique = known.some((list) =>
      list.every((before) => fields.some((after) => isSame(before, after))),
    );
    const names = fields.map((field) => inputName(now, field));
    if (!wasUnique) note(true, names.join(', '), 'must now be unique together');
  }
}

function inputName({ inputs }: ResourceView, field: Field): string {
  return fieldNameIn(inputs.values(), field) ?? field.name;
}
