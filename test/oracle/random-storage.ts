import {
  fieldsOf,
  type Definition,
  type Document,
  type ResourceDefinition,
} from '../support/oracle-model.ts';
import { isChanged, type Overlay } from './random-versions.ts';
import type { Draw } from './draw.ts';

/** A random specification with other names than its first version has, where fields are in the columns that they had. */

/** The name that the file has for a member of a resource. */
export type StoredName = (resource: string, member: string) => string;

/** Draws other names; a group of all resources names fields by one name, so those keep theirs. */
export function randomStorage(draw: Draw, { resources, groups = {} }: Document): StoredName {
  const shared = new Set(['id', ...Object.values(groups).flat()]);
  const names = new Map<string, string>();
  for (const [resource, { fields }] of Object.entries(resources))
    for (const member of Object.keys(fields))
      if (!shared.has(member) && draw.chance(40))
        names.set(`${resource} ${member}`, `stored${names.size}`);
  return (resource, member) => names.get(`${resource} ${member}`) ?? member;
}

/** The specification in these names. */
export function inStorage(document: Document, nameOf: StoredName): Document {
  const resources = Object.entries(document.resources).map(
    ([name, { fields, groups, indexes, unique, ...rest }]): [string, ResourceDefinition] => {
      const all = (members: readonly string[]): string[] =>
        members.map((member) => nameOf(name, member));
      const named = Object.entries(fields).map(([member, one]) => {
        const definition = definitionIn(name, one, nameOf);
        const isKept = one.type === 'relation' || nameOf(name, member) === member;
        return [
          nameOf(name, member),
          isKept ? definition : { column: member, ...definition },
        ] as const;
      });
      return [
        name,
        {
          ...rest,
          fields: Object.fromEntries(named),
          ...(groups && {
            groups: Object.fromEntries(
              Object.entries(groups).map(([group, members]) => [group, all(members)]),
            ),
          }),
          ...(indexes && { indexes: indexes.map(all) }),
          ...(unique && { unique: unique.map(all) }),
        },
      ];
    },
  );
  return { ...document, resources: Object.fromEntries(resources) };
}

function definitionIn(resource: string, one: Definition, nameOf: StoredName): Definition {
  const { reference, relation = '', foreignKey, typeField, idField, withPivot, through = '' } = one;
  const isOwn = relation === 'belongsTo' || relation === 'morphTo';
  const keyed = isOwn ? resource : relation === 'belongsToMany' ? through : (one.resource ?? '');
  const [target = '', field = ''] = reference?.split('.') ?? [];
  return {
    ...one,
    ...(reference !== undefined && { reference: `${target}.${nameOf(target, field)}` }),
    ...(foreignKey !== undefined && { foreignKey: nameOf(keyed, foreignKey) }),
    ...(typeField !== undefined && { typeField: nameOf(keyed, typeField) }),
    ...(idField !== undefined && { idField: nameOf(keyed, idField) }),
    ...(withPivot && { withPivot: withPivot.map((name) => nameOf(through, name)) }),
  };
}

/** The overlay that makes of `inStorage` what another one makes of the specification. */
export function overStorage(document: Document, overlay: Overlay, nameOf: StoredName): Overlay {
  const resources = Object.keys(document.resources).map((name): [string, Overlay[string]] => {
    const own = Object.hasOwn(overlay, name) ? overlay[name] : undefined;
    if (own === false) return [name, false];
    const changes = own?.fields ?? {};
    const changed = Object.entries(changes).map(([member, change]) =>
      change === false
        ? ([nameOf(name, member), false] as const)
        : ([member, { from: nameOf(name, change.from) }] as const),
    );
    const others = fieldsOf(document, name).flatMap(([member]) => {
      const from = nameOf(name, member);
      return from === member || isChanged(changes, member) ? [] : [[member, { from }] as const];
    });
    return [name, { fields: Object.fromEntries([...changed, ...others]) }];
  });
  return Object.fromEntries(resources);
}
