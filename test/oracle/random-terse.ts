import type { Definition, Document } from '../support/oracle-model.ts';
import type { Draw } from './draw.ts';

/** Whether a key says no more than what a belongsTo adds of itself. */
function isPlainKey({ type, reference, ...rest }: Definition): boolean {
  return reference?.endsWith('.id') === true && type !== '' && Object.keys(rest).length === 0;
}

/**
 * A specification that means the same in fewer words: keys that follow from names or from each other are left out.
 * See docs/contract/1-specification-file.md#foreign-keys.
 */
export function inFewerWords(draw: Draw, document: Document): Document {
  const resources: Record<string, Document['resources'][string]> = {};
  for (const [name, resource] of Object.entries(document.resources)) {
    const fields: Record<string, Definition> = {};
    for (const [member, definition] of Object.entries(resource.fields)) {
      const short = draw.chance(30) ? definition : shortened(document, name, member, definition);
      if (short !== undefined) fields[member] = short;
    }
    resources[name] = { ...resource, fields };
  }
  return { ...document, resources };
}

/** A definition without what follows; undefined where all of it does. */
function shortened(
  document: Document,
  resource: string,
  name: string,
  definition: Definition,
): Definition | undefined {
  const { relation, foreignKey, typeField, idField, typeValue, ...rest } = definition;
  const own = document.resources[resource]?.fields ?? {};
  const target = document.resources[definition.resource ?? '']?.fields ?? {};
  if (name === 'id' && Object.keys(definition).length === 1) return undefined;
  const isAdded = Object.entries(own).some(
    ([member, one]) =>
      one.relation === 'belongsTo' && one.foreignKey === name && name === `${member}Id`,
  );
  if (isAdded && isPlainKey(definition) && !isNamed(document, resource, name)) return undefined;
  switch (relation) {
    case undefined:
      return definition;
    case 'belongsTo':
      return foreignKey === `${name}Id` ? { ...rest, relation } : definition;
    case 'hasOne':
    case 'hasMany': {
      const keys = Object.values(target).filter(
        ({ reference }) => reference?.split('.')[0] === resource,
      );
      // A key that is left out as well is found by the belongsTo that adds it, unless another one refers.
      return keys.length === 1 ? { ...rest, relation } : definition;
    }
    case 'belongsToMany':
      return definition.resource === resource ? definition : { ...rest, relation };
    case 'morphTo':
      return typeField === `${name}Type` && idField === `${name}Id`
        ? { ...rest, relation }
        : definition;
    default: {
      const morphs = Object.values(target).filter((one) => one.relation === 'morphTo');
      return {
        ...rest,
        relation,
        ...(typeValue === undefined ? {} : { typeValue }),
        ...(morphs.length === 1 ? {} : { typeField, idField }),
      };
    }
  }
}

/** Whether something else names a field, which then has to be declared. */
function isNamed({ resources }: Document, resource: string, name: string): boolean {
  const { unique = [], indexes = [] } = resources[resource] ?? {};
  const isListed = [...unique, ...indexes].flat().includes(name);
  return (
    isListed ||
    Object.values(resources).some(({ fields }) =>
      Object.values(fields).some(
        ({ reference, through, withPivot }) =>
          reference === `${resource}.${name}` ||
          (through === resource && withPivot?.includes(name) === true),
      ),
    )
  );
}
