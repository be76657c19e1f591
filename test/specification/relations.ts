import { expect, test } from 'vitest';
import type { Api, Field, Relation } from '../../src/model/api.ts';
import { modelOf, resources } from '../model/model.ts';

const placeOf = ({ resource, name }: Field): string => `${resource.name}.${name}`;

/** Every foreign key: `posts.authorId integer null → users.id setNull`. */
export function keysOf(api: Api): readonly string[] {
  return [...api.resources.values()].flatMap((resource) =>
    [...resource.fields.values()].flatMap((field) => {
      const { reference, type, nullable, unique } = field;
      if (reference === undefined) return [];
      const words = [type.name, nullable ? 'null' : 'not null', ...(unique ? ['unique'] : [])];
      return `${placeOf(field)} ${words.join(' ')} → ${placeOf(reference.field)} ${reference.onDelete}`;
    }),
  );
}

/** Every relation with the keys that it goes by. */
export function relationsOf(api: Api): readonly string[] {
  return [...api.resources.values()].flatMap(({ relations }) =>
    [...relations.values()].map((one) => `${one.owner.name}.${one.name} ${wayOf(one)}`),
  );
}

function wayOf(relation: Relation): string {
  switch (relation.kind) {
    case 'belongsTo':
      return `belongsTo ${placeOf(relation.key)} → ${placeOf(relation.targetField)}`;
    case 'hasOne':
    case 'hasMany':
      return `${relation.kind} ${placeOf(relation.ownerField)} ← ${placeOf(relation.key)}`;
    case 'belongsToMany': {
      const { ownerKey, targetKey, target, pivot } = relation;
      const with_ = pivot.length === 0 ? '' : ` with ${pivot.map(({ name }) => name).join(', ')}`;
      return `belongsToMany ${target.name} by ${placeOf(ownerKey)} and ${placeOf(targetKey)}${with_}`;
    }
    case 'morphTo': {
      const targets = [...relation.targets].map(([value, target]) => `${value}=${target.name}`);
      return `morphTo ${targets.join(' ')} by ${placeOf(relation.typeField)} and ${placeOf(relation.idField)}`;
    }
    case 'morphMany': {
      const { typeField, idField, typeValue, onDelete } = relation;
      return `morphMany by ${placeOf(typeField)}=${typeValue} and ${placeOf(idField)} ${onDelete}`;
    }
    default:
      return relation satisfies never;
  }
}

export interface Facts {
  readonly keys?: readonly string[];
  readonly relations?: readonly string[];
}

/** One test a row: the fields of some resources, and the keys and relations that come of them. */
export function expectFacts(
  rows: readonly (readonly [
    name: string,
    fields: Readonly<Record<string, string>>,
    facts: Facts,
  ])[],
): void {
  test.each(rows)('%s', (_, fields, { keys, relations }) => {
    const { api, errors } = modelOf(resources(fields));
    expect(errors).toEqual([]);
    if (api === undefined) return;
    if (keys !== undefined) expect(keysOf(api)).toEqual(keys);
    if (relations !== undefined) expect(relationsOf(api)).toEqual(relations);
  });
}

/** A belongsTo, hasOne or hasMany as it stands in a file. */
export function relation(kind: string, resource: string, more = ''): string {
  return `{ type: relation, relation: ${kind}, resource: ${resource}${more && `, ${more}`} }`;
}
