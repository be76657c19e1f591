import type { Definition, TypeOf } from '../parsers/definition.ts';
import type { RelationKind, TypeName } from '../specification.ts';

export const typeNames = [
  'id',
  'string',
  'text',
  'integer',
  'number',
  'decimal',
  'boolean',
  'date',
  'time',
  'datetime',
  'uuid',
  'email',
  'url',
  'enum',
  'object',
  'array',
  'json',
  'relation',
] as const satisfies readonly TypeName[];

export const relationKinds = [
  'hasOne',
  'belongsTo',
  'hasMany',
  'belongsToMany',
  'morphTo',
  'morphMany',
] as const satisfies readonly RelationKind[];

/**
 * Where a field definition stands: the field `id` of a resource, any other field of it, a property of an object
 * field, or the items of an array field.
 */
export type Place = 'id' | 'field' | 'property' | 'item';

export type ValueType = Exclude<TypeName, 'relation'>;

/** An attribute as some types take it. */
export interface Variant<out T> {
  readonly types: readonly ValueType[];
  readonly relations: readonly RelationKind[];
  readonly places: readonly Place[];
  readonly definition: Definition<T>;
  /** The kinds of relation that cannot do without it. */
  readonly requiredBy: readonly RelationKind[];
}

/** One attribute; it has several variants where types take different values for it. */
export type Attribute<T> = readonly Variant<T>[];
export type AttributeTable = Readonly<Record<string, Attribute<unknown>>>;
export type AttributeType<A> = A extends readonly Variant<unknown>[]
  ? TypeOf<A[number]['definition']>
  : never;

interface Fit {
  readonly types?: readonly ValueType[];
  readonly relations?: readonly RelationKind[];
  readonly places?: readonly Place[];
  readonly requiredBy?: readonly RelationKind[];
}

/** An attribute, or one variant of it, that fits these types and relations in these places. */
export function fits<T>(definition: Definition<T>, fit: Fit): readonly [Variant<T>] {
  const { types = [], relations = [], places = ['id', 'field'], requiredBy = [] } = fit;
  return [{ types, relations, places, definition, requiredBy }];
}

/** The variant that a type takes there, if any. */
export function variantFor<T>(
  attribute: Attribute<T>,
  type: TypeName,
  kind: RelationKind | undefined,
  place: Place,
): Variant<T> | undefined {
  return attribute.find(
    (variant) =>
      variant.places.includes(place) &&
      (type === 'relation'
        ? kind !== undefined && variant.relations.includes(kind)
        : variant.types.includes(type)),
  );
}

/** Why an attribute that exists does not stand here, and what it fits. */
export function misfit(
  name: string,
  attribute: Attribute<unknown>,
  type: TypeName,
  kind: RelationKind | undefined,
  place: Place,
): string {
  const types = valueTypes.filter((candidate) =>
    attribute.some((variant) => variant.types.includes(candidate)),
  );
  const kinds = relationKinds.filter((candidate) =>
    attribute.some((variant) => variant.relations.includes(candidate)),
  );
  if (type === 'relation' ? kind !== undefined && kinds.includes(kind) : types.includes(type)) {
    const inside = place === 'item' ? 'the items of an array' : 'a property of an object';
    const outside = attribute.some(({ places }) => places.includes('property'))
      ? 'it fits fields and properties'
      : "it fits a resource's own fields";
    return `\`${name}\` does not fit ${inside}; ${outside}`;
  }
  const here =
    type !== 'relation' ? `type ${type}` : `a ${kind === undefined ? '' : `${kind} `}relation`;
  const wanted =
    type === 'relation' && kinds.length > 0
      ? kinds
      : [...typeList(types, kinds), ...kindList(kinds)];
  return `\`${name}\` does not fit ${here}; it fits ${wanted.join(', ')}`;
}

const valueTypes = typeNames.filter((name) => name !== 'relation');

/** The types that an attribute fits; where they are nearly all, those that it does not fit. */
function typeList(types: readonly ValueType[], kinds: readonly RelationKind[]): readonly string[] {
  const missing = valueTypes.filter((type) => !types.includes(type));
  if (missing.length > 2 || types.length === 0) return types;
  return [
    `every type but ${[...missing, ...(kinds.length === 0 ? ['relation'] : [])].join(' and ')}`,
  ];
}

function kindList(kinds: readonly RelationKind[]): readonly string[] {
  if (kinds.length === 0) return [];
  return [kinds.length === relationKinds.length ? 'relation' : `relation (${kinds.join(', ')})`];
}
