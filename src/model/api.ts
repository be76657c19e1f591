import type {
  FieldSpecification,
  JsonValue,
  LimitsSpecification,
  OnDelete,
  PaginationMode,
  Specification,
  TypeName,
} from '../specification/specification.ts';
import type { FieldAccess, ResourceAccess } from './access.ts';
import type { Operator } from './operators.ts';
import type { ParsedValue, SqlValue } from './values.ts';

/**
 * The whole model of one specification, names resolved to objects. It does not change: its types are read-only, and
 * the one place that casts them away is the building of it.
 */
export interface Api {
  readonly name: string;
  readonly description: string | undefined;
  readonly basePath: string;
  readonly versions: ReadonlyMap<number, Version>;
  readonly defaultVersion: number;
  readonly unversioned: boolean;
  readonly limits: Limits;
  readonly resources: ReadonlyMap<string, Resource>;
  /** The roles that any rule names; a caller's others say nothing. */
  readonly roles: ReadonlySet<string>;
  /** Configuration that only rooms above the model read. */
  readonly settings: Specification;
}

export type Limits = Readonly<Required<LimitsSpecification>>;

/** A version: a renamed, reduced view of the same storage. See docs/contract/1-specification-file.md#versions. */
export interface Version {
  readonly number: number;
  readonly deprecated: string | undefined;
  readonly sunset: string | undefined;
  readonly link: string | undefined;
  readonly hiddenResources: ReadonlySet<Resource>;
  /** Per resource: stored name → name in this version, or null where it is hidden. */
  readonly names: ReadonlyMap<Resource, ReadonlyMap<string, string | null>>;
}

/** A kind of records, each of which is a row of its table. */
export interface Resource {
  readonly name: string;
  readonly description: string | undefined;
  readonly table: string;
  readonly id: Field;
  /** In the order of the file: `id` first where it is not declared, added keys and timestamps last. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly relations: ReadonlyMap<string, Relation>;
  /** Of several fields; a single unique field says so itself. */
  readonly unique: readonly (readonly Field[])[];
  readonly indexes: readonly (readonly Field[])[];
  /** The API's groups with this resource's own over them, cut down to names that exist. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly timestamps: boolean;
  readonly pagination: PaginationMode;
  readonly access: ResourceAccess;
  /** The keys of all resources that point here, its own too: what a delete meets beside its morphMany relations. */
  readonly incoming: readonly Field[];
  /** The pairs that may lead here though no morphMany says so: a record that one of them leads to is kept. */
  readonly pairs: readonly MorphPair[];
}

/** One value of a record, in a column of its own; or a member of an object field, or what the items of an array are. */
export interface Field {
  readonly name: string;
  /** The resource that has it, be it inside an object or array. */
  readonly resource: Resource;
  readonly column: string;
  readonly type: FieldType;
  readonly nullable: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  readonly immutable: boolean;
  readonly default: Default | undefined;
  readonly reference: Reference | undefined;
  /** Of an object; absent: any members. */
  readonly properties: ReadonlyMap<string, Field> | undefined;
  /** Of an array. */
  readonly items: Field | undefined;
  /** Allowed values. */
  readonly values: readonly JsonValue[] | undefined;
  readonly precision: number;
  readonly scale: number;
  readonly pattern: RegExp | undefined;
  readonly access: FieldAccess | undefined;
  /** What the file says: bounds, format, description, generation. */
  readonly attributes: FieldSpecification;
}

/**
 * One form in which a database stores a type. `encode` and `decode` are absent where the stored value is the
 * value on the wire. Nulls never reach them.
 */
export interface Codec {
  readonly encode?: (value: JsonValue, field: Field) => SqlValue;
  readonly decode?: (stored: SqlValue, field: Field) => JsonValue;
  /** Turns a filter's value into what the column is compared with; absent: as `encode`. */
  readonly comparand?: (value: JsonValue, operator: Operator, field: Field) => SqlValue;
  /** The column has to be read as text, because a double would not hold it. */
  readonly readAsText?: (field: Field) => boolean;
}

/** How a type's own tables store it: the column's type, and which of its forms. */
export interface Storage {
  readonly column: (field: Field) => string;
  readonly form: string;
}

/** A type of field: what it takes, how it is compared, how it is stored. One file each, below `field-types/`. */
export interface FieldType {
  readonly name: TypeName;
  readonly operators: ReadonlySet<Operator>;
  readonly sortable: boolean;
  /** Reads a value from a JSON body; the constraint attributes are checked after it. */
  readonly read: (value: unknown, field: Field) => ParsedValue;
  /** Reads one value from a filter's text; undefined when it does not fit. */
  readonly parse: (text: string, field: Field) => JsonValue | undefined;
  /** What `parse` takes, for messages: "a whole number", "a date such as 2026-03-01". */
  readonly expects: (field: Field) => string;
  readonly sqlite: Storage;
  readonly postgres: Storage;
  /** Every form in which a database may hold it, own tables and existing ones, by name. */
  readonly forms: Readonly<Record<string, Codec>>;
}

/** What a field has that a create does not name: a value, or one that is drawn for each record. */
export type Default =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'now' }
  | { readonly kind: 'uuid' };

/** A foreign key: it holds the value of `field` in `resource`. */
export interface Reference {
  readonly resource: Resource;
  readonly field: Field;
  readonly onDelete: OnDelete;
}

interface RelationBase {
  readonly name: string;
  readonly owner: Resource;
  readonly description: string | undefined;
}

/** `key` stands on the owner and points to `targetField` of the target. */
export interface BelongsTo extends RelationBase {
  readonly kind: 'belongsTo';
  readonly target: Resource;
  readonly key: Field;
  readonly targetField: Field;
}

/** `key` stands on the target and points back to `ownerField` of the owner. */
export interface Has extends RelationBase {
  readonly kind: 'hasOne' | 'hasMany';
  readonly target: Resource;
  readonly key: Field;
  readonly ownerField: Field;
}

/** Two keys stand on the junction: `ownerKey` points to `ownerField` of the owner, `targetKey` to `targetField` of the target. */
export interface BelongsToMany extends RelationBase {
  readonly kind: 'belongsToMany';
  readonly target: Resource;
  readonly through: Resource;
  readonly ownerKey: Field;
  readonly ownerField: Field;
  readonly targetKey: Field;
  readonly targetField: Field;
  readonly pivot: readonly Field[];
}

/** A pair of fields of the owner that leads to a record of one of several resources. */
export interface MorphTo extends RelationBase {
  readonly kind: 'morphTo';
  readonly typeField: Field;
  readonly idField: Field;
  /** The value of the type field → the resource it means. */
  readonly targets: ReadonlyMap<string, Resource>;
}

/** The two fields of a resource that lead to records of another, and what the first of them holds then. */
export interface MorphPair {
  /** Whose fields they are. */
  readonly target: Resource;
  readonly typeField: Field;
  readonly idField: Field;
  readonly typeValue: string;
}

/** The other side of a morphTo: the records of the target whose pair leads to the owner. */
export interface MorphMany extends RelationBase, MorphPair {
  readonly kind: 'morphMany';
  readonly onDelete: OnDelete;
}

export type Relation = BelongsTo | Has | BelongsToMany | MorphTo | MorphMany;

/** Whether a relation gives an array. */
export function isToMany(relation: Relation): boolean {
  return (
    relation.kind === 'hasMany' ||
    relation.kind === 'belongsToMany' ||
    relation.kind === 'morphMany'
  );
}
