import type { WriteOperation } from '../model/access.ts';
import type { FieldSpecification, OnDelete } from '../specification/specification.ts';

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
  /** The fields that identify records where it is not a field `id`; `none`: nothing does. */
  readonly key: readonly string[] | 'none' | undefined;
  /** The foreign keys of several fields. */
  readonly compositeKeys: readonly CompositeKeyDraft[];
  /** The operations that requests may not do: create, if ids come from another table. */
  readonly closed: readonly WriteOperation[];
  /** Notes for readers of the file, a sentence each. */
  readonly notes: string[];
  /** For a junction: the names of its two keys, those of several fields joined with commas. */
  readonly junction: readonly [string, string] | undefined;
  /** Whether a junction has nothing but links, so that it needs no endpoints. */
  readonly isLink: boolean;
}

/** A foreign key of several fields. */
export interface CompositeKeyDraft {
  readonly fields: readonly string[];
  /** The resource that it leads to. */
  readonly target: string;
  /** What a delete does; undefined for what is usual. */
  readonly onDelete: OnDelete | undefined;
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
