import type { Definition, TypeOf } from '../parsers/definition.ts';
import type { RelationKind } from '../specification.ts';

/**
 * The sets of attributes that a type takes, by the name of the set. `attributes.ts` says which attribute is in which
 * set; a type lists the sets that it takes (`FieldType.attributes`).
 */
export type AttributeSet =
  /** What describes a value, for readers. */
  | 'described'
  /** What a client may write into a column of its own: `required`, `default`, `access`, … */
  | 'column'
  /** What takes one value that can be compared: `unique`, `index`, `reference`, `onDelete`. */
  | 'scalar'
  /** `template`: the value is text on the wire. */
  | 'template'
  /** `values`: what generated data draws from. */
  | 'drawnValues'
  /** `minLength`, `maxLength`, `pattern`. */
  | 'length'
  /** `format` of a string, and `enum` of texts. */
  | 'stringFormat'
  | 'textEnum'
  /** `collation` of what is stored as text. */
  | 'collated'
  /** `values` as the allowed values; one of `values` and `enum` is needed. */
  | 'allowedValues'
  /** Bounds, `multipleOf` and `enum` of numbers. */
  | 'wholeNumber'
  /** `format` of an integer. */
  | 'integerFormat'
  | 'number'
  /** Bounds, `multipleOf`, `precision` and `scale`. */
  | 'decimal'
  | 'idFormat'
  | 'members'
  | 'items'
  /** `precision` of a datetime. */
  | 'momentDigits'
  /** `storedAs`, by the forms that there are. */
  | 'momentForms'
  | 'decimalForms'
  | 'booleanForms';

/** What the specification has to know of a type of field. */
export interface TypeKeys {
  readonly name: string;
  /** What people call it elsewhere, for "did you mean". */
  readonly otherNames?: readonly string[];
  readonly attributes: readonly AttributeSet[];
  /** Whether it is the type of the field `id` alone. */
  readonly isOfId?: boolean;
}

/** What the specification has to know of an operator. */
export interface OperatorKeys {
  readonly suffix: string;
}

/** The types of field and the operators that a specification may name. */
export interface Words {
  readonly types: Readonly<Record<string, TypeKeys>>;
  readonly operators: Readonly<Record<string, OperatorKeys>>;
}

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

/** An attribute as some types take it. */
export interface Variant<out T> {
  readonly sets: readonly AttributeSet[];
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
  readonly sets?: readonly AttributeSet[];
  readonly relations?: readonly RelationKind[];
  readonly places?: readonly Place[];
  readonly requiredBy?: readonly RelationKind[];
}

/** An attribute, or one variant of it, in these sets, and of these relations, in these places. */
export function fits<T>(definition: Definition<T>, fit: Fit): readonly [Variant<T>] {
  const { sets = [], relations = [], places = ['id', 'field'], requiredBy = [] } = fit;
  return [{ sets, relations, places, definition, requiredBy }];
}

/** The variant that a type, or with none a relation, takes there, if any. */
export function variantFor<T>(
  attribute: Attribute<T>,
  type: TypeKeys | undefined,
  kind: RelationKind | undefined,
  place: Place,
): Variant<T> | undefined {
  return attribute.find(
    (variant) =>
      variant.places.includes(place) &&
      (type === undefined
        ? kind !== undefined && variant.relations.includes(kind)
        : takes(type, variant)),
  );
}

function takes(type: TypeKeys, { sets }: Variant<unknown>): boolean {
  return sets.some((set) => type.attributes.includes(set));
}

/** Why an attribute that exists does not stand here, and what it fits. */
export function misfit(
  name: string,
  attribute: Attribute<unknown>,
  type: TypeKeys | undefined,
  kind: RelationKind | undefined,
  place: Place,
  all: readonly TypeKeys[],
): string {
  const types = all.filter((candidate) => attribute.some((variant) => takes(candidate, variant)));
  const kinds = relationKinds.filter((candidate) =>
    attribute.some((variant) => variant.relations.includes(candidate)),
  );
  if (type === undefined ? kind !== undefined && kinds.includes(kind) : types.includes(type)) {
    const inside = place === 'item' ? 'the items of an array' : 'a property of an object';
    const outside = attribute.some(({ places }) => places.includes('property'))
      ? 'it fits fields and properties'
      : "it fits a resource's own fields";
    return `\`${name}\` does not fit ${inside}; ${outside}`;
  }
  const here =
    type !== undefined ? `type ${type.name}` : `a ${kind === undefined ? '' : `${kind} `}relation`;
  const wanted =
    type === undefined && kinds.length > 0
      ? kinds
      : [...typeList(types, kinds, all), ...kindList(kinds)];
  return `\`${name}\` does not fit ${here}; it fits ${wanted.join(', ')}`;
}

/** The types that an attribute fits; where they are nearly all, those that it does not fit. */
function typeList(
  types: readonly TypeKeys[],
  kinds: readonly RelationKind[],
  all: readonly TypeKeys[],
): readonly string[] {
  const namesOf = (some: readonly TypeKeys[]): readonly string[] => some.map(({ name }) => name);
  const missing = all.filter((type) => !types.includes(type));
  if (missing.length > 2 || types.length === 0) return namesOf(types);
  return [
    `every type but ${[...namesOf(missing), ...(kinds.length === 0 ? ['relation'] : [])].join(' and ')}`,
  ];
}

function kindList(kinds: readonly RelationKind[]): readonly string[] {
  if (kinds.length === 0) return [];
  return [kinds.length === relationKinds.length ? 'relation' : `relation (${kinds.join(', ')})`];
}
