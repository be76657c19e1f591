import type { FieldSpecification } from '../specification/specification.ts';

/** A resource that is to be written into a specification. */
export interface ResourceDraft {
  readonly name: string;
  readonly description: string | undefined;
  /** Where the table has another name. */
  readonly table: string | undefined;
  readonly fields: FieldDraft[];
  /** Relations by their names, in order. */
  readonly relations: Map<string, FieldSpecification>;
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  readonly timestamps: boolean;
  /** Whether records are made by requests: of those that are numbered elsewhere nobody could say which is meant. */
  readonly isCreated: boolean;
  /** What a reader of the file has to know, a sentence each. */
  readonly notes: string[];
  /** Set where the resource is a junction: the names of its two keys. */
  readonly junction: readonly [string, string] | undefined;
  /** Whether a junction is nothing but links, which nobody asks for by themselves. */
  readonly isLink: boolean;
}

export interface FieldDraft {
  readonly name: string;
  attributes: FieldSpecification;
  readonly notes: readonly string[];
  /** What it points to, where it is a foreign key. */
  readonly target: { readonly resource: string; readonly field: string } | undefined;
  /** The different texts of a field that may be the type of a morph pair; else none. */
  readonly kinds: readonly string[];
}

/** What an existing store is as a specification. */
export interface SpecificationDraft {
  readonly name: string | undefined;
  readonly resources: readonly ResourceDraft[];
  /** What cannot be served, and why, a sentence each. */
  readonly left: readonly string[];
}
