import type { FieldSpecification, ResourceSpecification } from '../spec/specification.ts';
import type { Field, Relation, Resource } from './api.ts';

/** A part of the model while it is being built; afterwards it is only seen through its read-only type. */
export type Draft<Part> = { -readonly [Key in keyof Part]: Part[Key] };

export interface DraftResource extends Draft<Resource> {
  readonly source: ResourceSpecification;
  /** In the specification: `['resources', name]`. */
  readonly path: readonly string[];
  fields: Map<string, Draft<Field>>;
  relations: Map<string, Relation>;
  groups: Map<string, readonly string[]>;
  incoming: Field[];
}

/** Every resource of the file, by name. */
export type Drafts = ReadonlyMap<string, DraftResource>;

/** A relation as the file declares it, with the resource that it stands in. */
export interface Declared {
  readonly name: string;
  readonly owner: DraftResource;
  readonly source: FieldSpecification;
  readonly path: readonly string[];
}

/** What a key to this field holds: the type that it must have. */
export function keyType(field: Field): 'integer' | 'uuid' | 'string' {
  const name = field.type.name === 'id' ? field.attributes.format : field.type.name;
  return name === undefined || name === 'integer' ? 'integer' : name === 'uuid' ? 'uuid' : 'string';
}
