import type {
  FieldSpecification,
  OnDelete,
  ResourceSpecification,
} from '../../specification/specification.ts';
import { fieldAccessOf } from '../access.ts';
import type { FieldForms } from '../field-types/stored-as.ts';
import type { Field, FieldTypes, MorphPair, Relation, Resource } from '../api.ts';

/** A part of the model while it is being built; afterwards it is only seen through its read-only type. */
export type Draft<Part> = { -readonly [Key in keyof Part]: Part[Key] };

/** A place in the specification. */
export type Path = readonly (string | number)[];

export interface DraftField extends Draft<Field> {
  /** What the file says of a key's `onDelete`, at the key or at one of its relations, and where. */
  onDelete?: { readonly action: OnDelete; readonly path: Path } | undefined;
  /** The key of a belongsTo whose resource does not exist. */
  isMeantAsKey?: boolean;
  /** One of the two keys of a junction. */
  ofJunction?: boolean;
  /** For a foreign key of several fields: their names, and where the file has them. */
  named?: { readonly names: readonly string[]; readonly path: Path };
}

export interface DraftResource extends Draft<Resource> {
  id: DraftField;
  readonly source: ResourceSpecification;
  /** In the specification: `['resources', name]`. */
  readonly path: readonly string[];
  readonly types: FieldTypes;
  /** What was found in the database of the form of its fields. */
  readonly forms: FieldForms;
  fields: Map<string, DraftField>;
  relations: Map<string, Relation>;
  computed: Map<string, Field>;
  groups: Map<string, readonly string[]>;
  compositeKeys: DraftField[];
  incoming: Field[];
  pairs: MorphPair[];
  /** The type field and the id field of each morph pair that it has. */
  readonly morphKeys: (readonly [DraftField, DraftField])[];
}

/** Every resource of the file, by name. */
export type Drafts = ReadonlyMap<string, DraftResource>;

/** A relation as the file declares it, with the resource that it stands in. */
export interface Declared {
  readonly name: string;
  readonly owner: DraftResource;
  readonly source: FieldSpecification;
  readonly path: Path;
}

/** The names of all fields, added ones too, and of all relations, those that could not be built too. */
export function memberNames({ fields, source }: DraftResource): ReadonlySet<string> {
  return new Set([...fields.keys(), ...Object.keys(source.fields)]);
}

/** What relations of every kind have. */
export function baseOf({
  name,
  owner,
  path,
  source: { description, sort, access },
}: Declared): Pick<Relation, 'name' | 'owner' | 'description' | 'sort' | 'access'> {
  const rules = access === undefined ? undefined : fieldAccessOf(access, [...path, 'access']);
  return { name, owner, description, sort, access: rules };
}
