/** The API as the forms of the dashboard know it: types alone, which server and page are written against. */

/** A value: a field, a member of an object, or the items of an array. */
export interface ValueInfo {
  readonly type: string;
  readonly description: string | null;
  readonly isNullable: boolean;
  /** Also by default: a create needs it. */
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly default: unknown;
  /** Those that are allowed, where only some are. */
  readonly values: readonly unknown[] | null;
  readonly constraints: Readonly<Record<string, unknown>>;
  readonly precision?: number;
  readonly scale?: number;
  readonly reference?: { readonly resource: string; readonly field: string };
  readonly items?: ValueInfo;
  /** Absent for an object that may have any members. */
  readonly properties?: readonly NamedInfo[];
}

export interface NamedInfo extends ValueInfo {
  readonly name: string;
}

export interface FieldInfo extends NamedInfo {
  readonly isReadable: boolean;
  readonly isCreatable: boolean;
  readonly isUpdatable: boolean;
}

export interface RelationInfo {
  readonly name: string;
  readonly kind: string;
  readonly description: string | null;
  readonly isToMany: boolean;
  /** The order of the related records where a request asks for none; empty for that by id. */
  readonly sort: string;
  readonly targets: readonly string[];
  /** Present: links are written with the record. */
  readonly link?: { readonly id: ValueInfo; readonly pivot: readonly NamedInfo[] };
  /** Of a morphTo: its two fields, and the resource that each value of the first one means. */
  readonly pair?: {
    readonly type: string;
    readonly id: string;
    readonly types: readonly { readonly value: string; readonly resource: string }[];
  };
  /**
   * Present: filters of the target that find the records of the relation, by what a field of the owner holds or by what
   * is the same for all owners.
   */
  readonly foundBy?: readonly (
    | { readonly path: string; readonly field: string }
    | { readonly path: string; readonly value: string }
  )[];
}

/** A path that stays with the resource and its links; what is behind a relation is among the filters of its targets. */
export interface FilterInfo {
  readonly path: string;
  readonly kind: 'field' | 'member' | 'item' | 'relation' | 'pivot';
  readonly operators: readonly string[];
  readonly isSortable: boolean;
  readonly type: string | null;
  readonly values: readonly unknown[] | null;
}

export interface OperatorInfo {
  readonly name: string;
  readonly suffix: string;
  readonly operand: 'value' | 'list' | 'flag';
  readonly meaning: string;
}

export interface ResourceInfo {
  readonly name: string;
  readonly description: string | null;
  readonly pagination: 'page' | 'cursor';
  readonly operations: readonly string[];
  readonly fields: readonly FieldInfo[];
  readonly relations: readonly RelationInfo[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly filters: readonly FilterInfo[];
  readonly sorts: readonly string[];
  /** The order where a request asks for none, as `sort` is written; empty for that by id. */
  readonly sort: string;
}

export interface Model {
  readonly name: string;
  readonly description: string | null;
  /** Where the resources of this version are. */
  readonly path: string;
  readonly version: number;
  readonly versions: readonly number[];
  readonly limits: {
    readonly defaultLimit: number;
    readonly maxLimit: number;
    /** Relations behind each other that `expand` may name. */
    readonly defaultDepth: number;
    /** Dots in the path of a filter. */
    readonly pathDepth: number;
    /** Values in one list of a filter. */
    readonly inItems: number;
    /** Records in one body, and records that one request may change or delete. */
    readonly batchItems: number;
    readonly bulkItems: number;
  };
  readonly operators: readonly OperatorInfo[];
  readonly resources: readonly ResourceInfo[];
}
