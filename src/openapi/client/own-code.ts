import { isToMany, type Field } from '../../model/api.ts';
import type { ResourceView, View } from '../../model/view.ts';
import { targetsOf } from '../../query/filter/path.ts';
import { isLeftToDatabase } from '../../query/write/defaults.ts';
import { nameOf } from '../document/records.ts';
import { DeclaredTypes, indent, key, union } from './declarations.ts';
import type { ClientNaming } from './naming.ts';
import { resourceTexts, type ResourceTexts } from './resources.ts';

/**
 * The types of what own code has: the resources as the owner has them, and the records that hooks get. `shown` is what the
 * client has of each resource, `naming` the names of the types of both.
 */
export function ownCodeTypes(
  shown: ReadonlyMap<string, ResourceTexts>,
  ownerView: View,
  naming: ClientNaming,
  declared: DeclaredTypes,
): readonly string[] {
  const owned = ownerView.resourceViews();
  const differing = differingResources(shown, owned, naming);
  const own = ownerNaming(naming, differing, (name) => declared.nameForRecord(name));
  const views = owned.filter(({ name }) => differing.has(name));
  const texts = resourceTexts(views, own, declared);
  const members = owned.map(({ name }) => {
    const one = texts.get(name);
    const text =
      one === undefined
        ? `Resources[${JSON.stringify(name)}]`
        : differenceOf(name, one.members, shown.get(name)?.members);
    return `${JSON.stringify(`${ownerPrefix}${name}`)}: ${text};`;
  });
  const hooked = owned.map((one) => `${key(one.name)}: ${codeResource(one, own)};`);
  return [
    ...[...texts.values()].flatMap(({ types }) => types),
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

/** The resources that the owner has otherwise than the client: those with other members, and those that lead to such. */
function differingResources(
  shown: ReadonlyMap<string, ResourceTexts>,
  owned: readonly ResourceView[],
  naming: ClientNaming,
): ReadonlySet<string> {
  // With the names that the client has, whatever is the same has the same text.
  const texts = resourceTexts(owned, naming, new DeclaredTypes([...naming.names.values()]));
  const textOf = ({ types, members }: ResourceTexts): string =>
    [...types, ...members.values()].join('\n');
  const found = new Set<string>();
  for (const [name, text] of texts) {
    const other = shown.get(name);
    if (other === undefined || textOf(other) !== textOf(text)) found.add(name);
  }
  const leadsToFound = ({ relations }: ResourceView): boolean =>
    [...relations.values()].some((relation) =>
      targetsOf(relation).some(({ resourceView }) => found.has(resourceView.name)),
    );
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const one of owned) if (!found.has(one.name) && leadsToFound(one)) found.add(one.name);
  }
  return found;
}

/** A resource of the owner, by the members in which it is not that of the client. */
function differenceOf(
  name: string,
  owned: ResourceTexts['members'],
  shown: ResourceTexts['members'] | undefined,
): string {
  const differing = [...owned].filter(([member, text]) => shown?.get(member) !== text);
  const text = `{\n${indent(differing.map(([, line]) => line).join('\n'))}\n}`;
  const names = union(differing.map(([member]) => member));
  return shown === undefined
    ? text
    : `Omit<Resources[${JSON.stringify(name)}], ${names}> & ${text}`;
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
