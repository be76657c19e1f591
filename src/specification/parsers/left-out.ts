import type { MapNode, Path, SourceNode } from '../yaml/node.ts';

/**
 * Names of the invalid parts of a file, made by `lost`: what these parts would have added is missing, and a
 * problem that may only follow from that is not reported.
 */
export type LeftOut = ReadonlySet<string>;

/** The ways in which something can be missing. */
export const lost = {
  /** A resource or field of this name, or a field that a relation would have added. */
  name: (name: string): string => name,
  field: (resource: string, name: string): string => `${resource}.${name}`,
  aFieldOf: (resource: string): string => `a field of ${resource}`,
  aRelationOf: (resource: string): string => `a relation of ${resource}`,
  /** A relation to this resource, or one with an unknown target. */
  aRelationTo: (resource: string): readonly string[] => [toResource(resource), toAny],
} as const;

const toResource = (resource: string): string => `a relation to ${resource}`;
const toAny = 'a relation to any resource';

/** What is missing because an entry of a map is invalid; `path` leads to the map. */
export function lostBy(path: Path, name: string, node: SourceNode): readonly string[] {
  const [root, resource, part, ...deeper] = path;
  const to = namedIn(node, resourceKeys).map(toResource);
  if (root !== 'resources') return [lost.name(name)];
  if (resource === undefined)
    return [lost.name(name), lost.aFieldOf(name), lost.aRelationOf(name), ...to, toAny];
  if (part !== 'fields' || deeper.length > 0) return [lost.name(name)];
  const owner = String(resource);
  const field = [lost.name(name), lost.field(owner, name), lost.aFieldOf(owner), ...to];
  if (isNoRelation(node)) return field;
  const relation = lostWithRelation(owner, name, namedIn(node, fieldKeys));
  return [...field, ...relation, ...(leadsNowhere(node) ? [toAny] : [])];
}

/** What is missing because of an invalid relation, including the fields that it would have added. */
function lostWithRelation(owner: string, name: string, named: readonly string[]): string[] {
  return [lost.aRelationOf(owner), ...[`${name}Id`, `${name}Type`, ...named].map(lost.name)];
}

/** What is missing because the target of a relation does not exist, including the fields that the relation names. */
export function lostByUnknown(
  owner: string,
  name: string,
  named: readonly (string | undefined)[],
): readonly string[] {
  const fields = named.filter((field) => field !== undefined);
  return [...lostWithRelation(owner, name, fields), toAny];
}

const resourceKeys: readonly string[] = ['resource', 'resources', 'through', 'reference'];
const fieldKeys: readonly string[] = ['foreignKey', 'typeField', 'idField'];

/** The names at some keys of a definition; for `users.id` that of the resource. */
function namedIn(node: SourceNode, keys: readonly string[], key = ''): readonly string[] {
  if (node.kind === 'list') return node.items.flatMap((item) => namedIn(item, keys, key));
  if (node.kind === 'map')
    return [...node.entries].flatMap(([name, { value }]) => namedIn(value, keys, name));
  if (!keys.includes(key) || typeof node.value !== 'string') return [];
  return [key === 'reference' ? node.value.replace(/\..*$/su, '') : node.value];
}

/** The text at a key. */
function textAt({ entries }: MapNode, key: string): string | undefined {
  const value = entries.get(key)?.value;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}

/** Whether an invalid definition is probably not a relation, because it has a field type. */
function isNoRelation(node: SourceNode): boolean {
  if (node.kind === 'scalar') return typeof node.value === 'string' && node.value !== 'relation';
  if (node.kind === 'list') return false;
  const type = textAt(node, 'type');
  const speaksOfOthers = ['relation', 'resource', 'resources', 'through'].some((key) =>
    node.entries.has(key),
  );
  return type !== undefined && type !== 'relation' && !speaksOfOthers;
}

function leadsNowhere(node: SourceNode): boolean {
  if (node.kind !== 'map') return true;
  const leads = textAt(node, 'relation') === 'morphTo' || textAt(node, 'resource') !== undefined;
  return !leads || (node.entries.has('through') && textAt(node, 'through') === undefined);
}
