import type { FieldSpecification } from '../specification/specification.ts';

/** A resource of a draft. */
export interface ResourceDraft {
  readonly name: string;
  readonly description: string | undefined;
  /** Set if the table has another name. */
  readonly table: string | undefined;
  readonly fields: FieldDraft[];
  /** Relations by name, in order. */
  readonly relations: Map<string, FieldSpecification>;
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  readonly timestamps: boolean;
  /** The columns of a composite key, by their fields. */
  readonly key: readonly string[] | undefined;
  /** The operations that requests may not do: create, if ids come from another table. */
  readonly closed: readonly ('create' | 'update' | 'delete')[];
  /** Notes for readers of the file, a sentence each. */
  readonly notes: string[];
  /** For a junction: the names of its two keys. */
  readonly junction: readonly [string, string] | undefined;
  /** Whether a junction has nothing but links, so that it needs no endpoints. */
  readonly isLink: boolean;
}

export interface FieldDraft {
  readonly name: string;
  attributes: FieldSpecification;
  readonly notes: readonly string[];
  /** The target, for a foreign key. */
  readonly target: { readonly resource: string; readonly field: string } | undefined;
  /** The distinct texts of a field that may be the type of a morph pair; otherwise empty. */
  readonly kinds: readonly string[];
}

/** A specification drafted from an existing database or file. */
export interface SpecificationDraft {
  /** Whether Plinth creates and changes the tables. */
  readonly isManaged: boolean;
  readonly name: string | undefined;
  readonly resources: readonly ResourceDraft[];
  /** Tables that cannot be served, with the reason, a sentence each. */
  readonly left: readonly string[];
}
