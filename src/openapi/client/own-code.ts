import { isToMany, type Field } from '../../model/api.ts';
import type { ResourceView, View } from '../../model/view.ts';
import { targetsOf } from '../../query/filter/path.ts';
import { isLeftToDatabase } from '../../query/write/defaults.ts';
import { nameOf } from '../document/records.ts';
import { resourceTypes } from './bodies.ts';
import { DeclaredTypes, indent, key, union } from './declarations.ts';
import type { ClientNaming } from './naming.ts';
import { resourceMembers } from './resources.ts';

/**
 * The types of what own code has: the resources as the owner has them, and the records that hooks get. `view` is what the
 * client shows, `ownerView` what the owner sees, `naming` the names of the types of both.
 */
export function ownCodeTypes(
  view: View,
  ownerView: View,
  naming: ClientNaming,
  declared: DeclaredTypes,
): readonly string[] {
  const owned = ownerView.resourceViews();
  const differing = differingResources(view, owned, naming);
  const own = ownerNaming(naming, differing, (name) => declared.nameForRecord(name));
  const types = owned
    .filter(({ name }) => differing.has(name))
    .flatMap((one) => resourceTypes(one, own, declared));
  const members = owned.map((one) => {
    const text = differing.has(one.name)
      ? differenceOf(one, view.resource(one.name), naming, own, declared)
      : `Resources[${JSON.stringify(one.name)}]`;
    return `${JSON.stringify(`${ownerPrefix}${one.name}`)}: ${text};`;
  });
  const hooked = owned.map((one) => `${key(one.name)}: ${codeResource(one, own)};`);
  return [
    ...types,
    `/** Every resource as the owner has it, for whom no access rule holds. */\nexport interface OwnerResources {\n${indent(members.join('\n'))}\n}\n`,
    `/** What own code gets of each resource: its stored fields, those that a new record may lack, and its relations to one record. */\nexport interface CodeResources {\n${indent(hooked.join('\n'))}\n}\n`,
  ];
}

const ownerPrefix = 'owner ';

function ownerNaming(
  { names, keyOf }: ClientNaming,
  differing: ReadonlySet<string>,
  nameFor: (base: string) => string,
): ClientNaming {
  return {
    names: new Map(
      [...names].map(([resource, name]) => [
        resource,
        differing.has(resource) ? nameFor(`Owner${name}`) : name,
      ]),
    ),
    keyOf: (resource) => (differing.has(resource) ? `${ownerPrefix}${resource}` : keyOf(resource)),
  };
}

/** The resources that the owner has otherwise than the view: those with other members, and those that lead to such. */
function differingResources(
  view: View,
  owned: readonly ResourceView[],
  naming: ClientNaming,
): ReadonlySet<string> {
  const textsOf = (
    resourceViews: readonly ResourceView[],
    names: ClientNaming,
  ): ReadonlyMap<string, string> => {
    const declared = new DeclaredTypes([...naming.names.values()]);
    const textOf = (one: ResourceView): string =>
      [
        ...resourceTypes(one, names, declared),
        ...resourceMembers(one, names, declared).values(),
        ...declared.take(),
      ].join('\n');
    return new Map(resourceViews.map((one) => [one.name, textOf(one)]));
  };
  const shown = textsOf(view.resourceViews(), naming);
  const found = new Set<string>();
  for (let before = -1; before < found.size;) {
    before = found.size;
    const texts = textsOf(
      owned,
      ownerNaming(naming, new Set(found), (name) => name),
    );
    for (const [name, text] of texts) if (text !== shown.get(name)) found.add(name);
  }
  return found;
}

/** A resource of the owner, by the members in which it is not that of the view. */
function differenceOf(
  owned: ResourceView,
  shown: ResourceView | undefined,
  naming: ClientNaming,
  own: ClientNaming,
  declared: DeclaredTypes,
): string {
  const members = resourceMembers(owned, own, declared);
  const isShown = shown !== undefined && shown.offered.size > 0;
  const others = isShown ? resourceMembers(shown, naming, declared) : undefined;
  const differing = [...members].filter(([name, text]) => others?.get(name) !== text);
  const text = `{\n${indent(differing.map(([, text]) => text).join('\n'))}\n}`;
  if (others === undefined) return text;
  return `Omit<Resources[${JSON.stringify(owned.name)}], ${union(differing.map(([name]) => name))}> & ${text}`;
}

function codeResource(one: ResourceView, naming: ClientNaming): string {
  const { fields, resource, relations } = one;
  const name = nameOf(one, naming);
  const computed = [...fields.keys()].filter((field) => !resource.fields.has(field));
  const stored = computed.length === 0 ? name : `Omit<${name}, ${union(computed)}>`;
  const unset = [...resource.fields.values()].filter(mayLack).map((field) => field.name);
  const toOne = [...relations.values()]
    .filter(({ relation }) => !isToMany(relation))
    .map((view) => {
      const targets = targetsOf(view).map(({ resourceView }) => resourceView.name);
      return `${key(view.name)}: ${union([...new Set(targets)])};`;
    });
  return `{ stored: ${stored}; unset: ${union(unset)}; toOne: { ${toOne.join(' ')} } }`;
}

/** Whether a new record may lack a field when its `beforeCreate` gets it; see `complete` of query/write/defaults.ts. */
function mayLack(field: Field): boolean {
  const { id } = field.resource;
  if (field === id || isLeftToDatabase(field)) return true;
  const initial = field.default;
  // A caller without a claim that a field needs is refused before.
  if (initial?.kind === 'claim') return field.required && field.nullable;
  const isSet =
    initial?.kind === 'now' ||
    initial?.kind === 'uuid' ||
    (initial?.kind === 'value' && initial.value !== null);
  return !isSet && (field.required || !field.nullable);
}
