import type { TypeKeys } from '../specification/keys/attribute.ts';
import type {
  FieldSpecification,
  JsonValue,
  LimitsSpecification,
  OnDelete,
  PaginationMode,
  Specification,
  StoredAs,
} from '../specification/specification.ts';
import type { FieldAccess, ResourceAccess, Rule } from './access.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Comparability, Operator } from './operators.ts';
import type { ParsedValue, SqlValue } from './values.ts';

/**
 * The whole model of one specification, names resolved to objects. It does not change: its types are read-only, and
 * the one place that casts them away is the building of it.
 */
export interface Api {
  /** The types that its specification may name. */
  readonly types: FieldTypes;
  readonly name: string;
  readonly description: string | undefined;
  readonly basePath: string;
  readonly versions: ReadonlyMap<number, Version>;
  readonly defaultVersion: number;
  readonly unversioned: boolean;
  readonly limits: Limits;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Undefined if changes are not recorded. */
  readonly audit: Audit | undefined;
  /** The names of resources whose new records own code completes, so that clients need not; absent without own code. */
  readonly filledByCode?: ReadonlySet<string>;
  /** The roles that any rule names; a caller's others say nothing. */
  readonly roles: ReadonlySet<string>;
  /** What own code needs for the fields that it computes; undefined until it is loaded. */
  readonly codeNeeds?: ReadonlyMap<Field, CodeNeeds>;
  /** Configuration that only folders above the model read. */
  readonly settings: Specification;
}

/** The audit log. See docs/contract/6-operation.md#audit. */
export interface Audit {
  /** What `/_audit` serves: its records are the changes. It is not among the resources of the Api. */
  readonly resource: Resource;
  /** The fields whose values are recorded, of each resource whose changes are. */
  readonly recorded: ReadonlyMap<Resource, ReadonlySet<Field>>;
  /** How long a change is kept, in ms. */
  readonly keep: number;
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
  /** Whether migrations create and change its table. */
  readonly isManaged: boolean;
  /**
   * Without a key it is no field of the records: it is made of all that they can be sorted by, so that lists have an order.
   */
  readonly id: Field;
  /** Whether something identifies its records. Without it there are lists alone. */
  readonly hasKey: boolean;
  /** Whether nothing writes its records, neither a request nor a command: if it is read-only and its table unmanaged. */
  readonly isReadOnly: boolean;
  /** Whether it is a view of others, which may not show a record that is created through it. */
  readonly isView: boolean;
  /** In the order of the file: `id` first where it is not declared, added keys and timestamps last. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly relations: ReadonlyMap<string, Relation>;
  /** Fields without a column, which only reads know. */
  readonly computed: ReadonlyMap<string, Field>;
  /** Of several fields; a single unique field says so itself. */
  readonly unique: readonly (readonly Field[])[];
  readonly indexes: readonly (readonly Field[])[];
  /** The API's groups with this resource's own over them, cut down to names that exist. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly timestamps: boolean;
  readonly pagination: PaginationMode;
  /** The order of a list that asks for none, as `sort` is written, in the names of the file; undefined for that by id. */
  readonly sort: string | undefined;
  /** The paths of the fields that `search` looks into; undefined for the texts of its own. */
  readonly search: readonly string[] | undefined;
  /** Whether an index keeps the texts that `search` looks into. */
  readonly hasSearchIndex: boolean;
  readonly access: ResourceAccess;
  /** Its foreign keys of several fields, each a field of the type `compositeIdType` that no request names. */
  readonly compositeKeys: readonly Field[];
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
  /** Empty for an id of several columns. */
  readonly column: string;
  /** The existing column, if its table is not managed and its database has types of its own. */
  readonly native: NativeColumn | undefined;
  /** For an id or foreign key that is made of other fields: these. */
  readonly parts: readonly Field[] | undefined;
  readonly type: FieldType;
  readonly nullable: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  readonly immutable: boolean;
  readonly default: Default | undefined;
  readonly reference: Reference | undefined;
  /** Of an object: its declared members. */
  readonly properties: ReadonlyMap<string, Field> | undefined;
  /** Whether it takes members that it does not declare. */
  readonly isOpen: boolean;
  /** Of an array. */
  readonly items: Field | undefined;
  /** Allowed values. */
  readonly values: readonly JsonValue[] | undefined;
  readonly precision: number;
  readonly scale: number;
  readonly pattern: RegExp | undefined;
  readonly access: FieldAccess | undefined;
  /** For a field without a column: how reads compute it. */
  readonly computed: Computed | undefined;
  /** What the file says: bounds, format, description, generation. */
  readonly attributes: FieldSpecification;
}

/** How a value is computed. See docs/contract/9-groups-and-computed-fields.md#computed-fields. */
export type Computed =
  | {
      readonly kind: 'related';
      readonly function: 'count' | 'sum' | 'avg' | 'min' | 'max';
      readonly relation: RelationToMany;
      /** What the function takes; undefined for `count`. */
      readonly field: Field | undefined;
      /** It is a field of the links. */
      readonly isPivot: boolean;
      /** Which related records count. */
      readonly where: Rule | undefined;
    }
  | { readonly kind: 'join'; readonly fields: readonly Field[]; readonly between: string }
  | { readonly kind: 'where'; readonly where: Rule }
  /** By a function of own code. */
  | { readonly kind: 'code' };

/** What a field that own code computes is made of: fields of its record, and of records that to-one relations lead to. */
export interface CodeNeeds {
  readonly fields: ReadonlySet<Field>;
  readonly relations: ReadonlyMap<BelongsTo | Has, CodeNeeds>;
}

/**
 * A column of a table that Plinth does not manage, as its database describes it. See
 * docs/contract/8-existing-databases.md#types.
 */
export interface NativeColumn {
  /** Its type without length and precision, as SQL writes it: `character varying`, `citext`, `sales.mood`. */
  readonly type: string;
  /** Of an array: the items. */
  readonly items?: NativeColumn;
  /** The values of its type, if that is an enum of the database. */
  readonly labels?: readonly string[];
  /** Whether its type has an order. */
  readonly isOrdered?: boolean;
  /** Whether its values may be of several kinds, of which a string is the text; SQLite has such columns. */
  readonly isMixed?: boolean;
  /** Whether its texts compare in the collation of the column. */
  readonly isCollated: boolean;
  /** Whether a row can be inserted without it: it has a default, counts, or is computed. */
  readonly isFilled: boolean;
  /** Whether only the database sets it: it is computed, always counted, or no plain column of the table of its view. */
  readonly isComputed: boolean;
  /** Whether no row can be inserted without a value for it. */
  readonly isNeeded: boolean;
  /** Whether a trigger may set it after the row is written, which RETURNING does not show. */
  readonly isSetLater?: boolean;
  /** The values that it takes by its type, if fields have more. */
  readonly limits?: ColumnLimits;
}

/** The values that a column takes by its type. */
export interface ColumnLimits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  /** Of decimals the digits, of moments those behind the second. */
  readonly precision?: number;
  /** The digits behind the point; negative if the column rounds to tens. */
  readonly scale?: number;
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
  /** The column holds bytes, of which `encode` gives and `decode` takes the hexadecimal digits. */
  readonly isBytes?: boolean;
}

/** How a type's own tables store it on one database: the column's type, and which of its forms. */
export interface Storage {
  readonly column: (field: Field) => string;
  readonly form: string;
  /**
   * What an array of it is sorted by, from the text of its first item; absent: the item as its `json` says, unless the
   * type inside objects (`member`) has no order: then such an array cannot be sorted by.
   */
  readonly itemOrder?: (text: string) => string;
}

/** What a value is in JSON; `any`: whatever it is. */
export type JsonForm = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'any';

/**
 * What a column's values are, apart from how a database stores them. Migrations write it down, and convert from one to
 * another; values of two types of the same kind may be keys to each other.
 */
export type ValueKind =
  | 'string'
  | 'integer'
  /** Whole numbers of 64 bits, which are strings on the wire. */
  | 'bigint'
  | 'number'
  | 'decimal'
  /** Decimals with any number of digits. */
  | 'numeric'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'uuid'
  | 'bytes'
  | 'json'
  | 'object'
  | 'array';

/** What values a column of a database takes by its own type; `any`: numbers and texts alike. */
export type ColumnHolder = 'integer' | 'number' | 'string' | 'any';

/** What makes random choices for generated data, always the same for the same record. */
export interface RandomChoices {
  /** A whole number from 0 up to, and not including, `size`. */
  readonly below: (size: number) => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <Value>(values: readonly Value[]) => Value;
}

/** How values are generated: one of the ways of `src/generate/infer.ts`, or a function that makes a value. */
export type GeneratedAs =
  | 'text'
  | 'number'
  | 'boolean'
  | 'day'
  | 'moment'
  | 'time'
  | 'uuid'
  | 'json'
  /** Of its items or members. */
  | 'parts'
  /** Of the number of the record. */
  | 'id'
  | ((random: RandomChoices, field: Field) => JsonValue);

/** How introspection finds that values of JSON, or a column of SQLite, are of a type; PostgreSQL has types of its own. */
export interface Recognition {
  /** Whether a text of a JSON document is a value as it would be written back. Types are asked in their order. */
  readonly text?: (text: string) => boolean;
  /** How SQLite tells: by a condition of a value in the column `c`. */
  readonly sqlite?: {
    readonly condition: string;
    /** Columns that are declared so are of the type if the condition is true of all values. */
    readonly declared?: RegExp;
    /** Whether columns of text are, too, if there is a value. */
    readonly isOfTexts: boolean;
  };
}

/**
 * A type of field: all that the service knows of it. One file each, below `field-types/`; `registry.ts` lists them.
 * See `docs/development/add-a-field-type.md`.
 */
export interface FieldType extends TypeKeys {
  /** What it is in a request, a response and inside objects and arrays. */
  readonly json: JsonForm;
  readonly kind: ValueKind;
  /** Which operators it takes. */
  readonly comparison: Comparability;
  readonly sortable: boolean;
  /** Reads a value from a JSON body; the constraint attributes are checked after it. */
  readonly read: (value: unknown, field: Field) => ParsedValue;
  /** Reads one value from a filter's text; undefined when it does not fit. */
  readonly parse: (text: string, field: Field) => JsonValue | undefined;
  /** What `parse` takes, for messages: "a whole number", "a date such as 2026-03-01". */
  readonly expects: (field: Field) => string;

  /** The type that these attributes make of it: `format: uuid` makes a string a UUID. */
  readonly variant?: (attributes: FieldSpecification) => FieldType;
  /** The type of PostgreSQL whose values its texts are, as the `format` names it. */
  readonly columnType?: string;
  /** The same type of a column whose values the database sorts; absent: columns make no difference. */
  readonly whereOrdered?: FieldType;
  /** Whether only the database tells which texts are values, so that it sorts by none that a request gives. */
  readonly isUnchecked?: true;
  /** What it is as a member of an object, if JSON there does not compare as columns do. */
  readonly member?: FieldType;
  /** How it counts: whole numbers, doubles, or exact decimals with `precision` and `scale`. */
  readonly number?: 'whole' | 'double' | 'exact';
  /** The digits of its values, where the attributes do not say them; absent: those of a decimal. */
  readonly digits?: { readonly precision: number; readonly scale: number };
  /** Of an id: whether the database counts it. Clients never send it. */
  readonly isCounted?: boolean;
  /** Whether a body may give it as a number although it is a string. */
  readonly takesNumbers?: boolean;
  /** Free text of one line, or of any length. */
  readonly text?: 'short' | 'long';
  /** The `format` that the type itself stands for. */
  readonly format?: string;
  /** Whether many records have the same value, so that an index on it finds too many. */
  readonly hasFewValues?: boolean;
  /** The word that a `default` may be, and what of the moment of the create it gives. */
  readonly drawn?:
    | { readonly word: 'now'; readonly of: (moment: string, field: Field) => string }
    | { readonly word: 'uuid' };
  /** The allowed values, where they are not just those of `enum`. */
  readonly allowed?: (attributes: FieldSpecification) => readonly JsonValue[] | undefined;

  readonly sqlite: Storage;
  readonly postgres: Storage;
  /** Every form in which a database may hold it, own tables and existing ones, by name. */
  readonly forms: Readonly<Record<string, Codec>>;
  /** The forms of tables that no migration has made, by what their columns take; the one of an empty column first. */
  readonly existingForms?: Readonly<Partial<Record<ColumnHolder, readonly StoredAs[]>>>;
  /** The most characters of a value, as strings of JavaScript count them; Infinity without a bound. */
  readonly longest: (field: Field) => number;

  /** The JSON Schema of a value in a response; `below` gives that of a part. */
  readonly schema: (field: Field, below: (part: Field) => JsonSchema) => JsonSchema;
  /** What of the schema is otherwise in a body; absent: nothing. */
  readonly sentSchema?: (field: Field) => JsonSchema;
  /** The schema of what a filter compares with; absent: `schema`. */
  readonly comparedSchema?: (field: Field) => JsonSchema;
  /** A sentence about the values for the OpenAPI document. */
  readonly note?: (field: Field) => string;
  /** What the type is called where two versions of an API are compared: the same for types that look the same. */
  readonly wireName: (field: Field) => string;
  /** Values that a field may have, the most telling first; those that its rules refuse are passed over. */
  readonly examples: (
    field: Field,
    exampleOf: (part: Field) => JsonValue | undefined,
  ) => readonly JsonValue[];
  readonly generated: GeneratedAs;
  readonly recognition?: Recognition;
  /** The default that the text of a column's default is; undefined: it cannot be taken over. */
  readonly fromDefault: (text: string, attributes: FieldSpecification) => JsonValue | undefined;
}

/** The types that a specification may name, by name. */
export type FieldTypes = Readonly<Record<string, FieldType>>;

/**
 * What a field has that a create does not name: a value, a claim of the caller, one that is drawn for each record, or what
 * the database fills its column with.
 */
export type Default =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'claim'; readonly claim: string }
  | { readonly kind: 'now' | 'uuid' | 'database' };

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
  /** Of a relation to many records: their order where a request asks for none, in the names of the file. */
  readonly sort: string | undefined;
  /** Who may read it, and write through it. */
  readonly access: FieldAccess | undefined;
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

/** A relation to many records. */
export type RelationToMany = (Has & { readonly kind: 'hasMany' }) | BelongsToMany | MorphMany;

/** Whether a relation gives an array. */
export function isToMany(relation: Relation): relation is RelationToMany {
  return (
    relation.kind === 'hasMany' ||
    relation.kind === 'belongsToMany' ||
    relation.kind === 'morphMany'
  );
}

/** Whether the values of a field have a least and a greatest, which are also values of the field. */
export function hasExtremes({ type, values }: Pick<Field, 'type' | 'values'>): boolean {
  // Enums are texts with an order.
  if (type.kind === 'string') return type.comparison === 'text' || values !== undefined;
  // PostgreSQL has no least UUID before version 18.
  return type.comparison === 'order' && type.kind !== 'uuid';
}
