import type { booleanForms, decimalForms, momentForms } from './stored-forms.ts';

/**
 * The content of `plinth.yaml` after its structure was checked. Defaults are not filled in yet, and names are not
 * resolved. `keys/` defines the same structure for the parser and the JSON Schema; the compiler
 * checks that they agree.
 */
export interface Specification {
  readonly name?: string;
  readonly description?: string;
  readonly resources: Readonly<Record<string, ResourceSpecification>>;
  readonly groups?: Groups;
  readonly api?: {
    readonly basePath?: string;
    readonly versions?: Readonly<Record<string, VersionSpecification>>;
    readonly defaultVersion?: number;
    readonly unversioned?: boolean;
    readonly pagination?: PaginationMode;
    readonly csvFormulas?: 'keep' | 'escape';
  };
  readonly database?: DatabaseSpecification;
  readonly server?: ServerSpecification;
  readonly limits?: LimitsSpecification;
  readonly auth?: AuthSpecification;
  readonly access?: AccessSpecification;
  readonly rateLimit?: false | RateLimitSpecification;
  readonly audit?: boolean | AuditSpecification;
  readonly debug?: Audience;
  readonly metrics?: Audience;
  readonly dashboard?: Audience;
  readonly logging?: LoggingSpecification;
  readonly network?: NetworkSpecification;
  readonly generate?: {
    readonly seed?: number;
    readonly locale?: string;
    /** `now`, or a moment in ISO form. */
    readonly until?: string;
    readonly count?: number;
  };
  readonly data?: string;
  /** A module, relative to the file. */
  readonly code?: string;
}

export type Groups = Readonly<Record<string, readonly string[]>>;
export type PaginationMode = 'page' | 'cursor';
/** The callers that may use a tool: all, none, or those with one of these roles. */
export type Audience = boolean | { readonly roles: readonly string[] };

export interface ResourceSpecification {
  readonly description?: string;
  readonly fields: Readonly<Record<string, FieldSpecification>>;
  readonly groups?: Groups;
  readonly timestamps?: boolean;
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly (readonly string[])[];
  readonly sort?: string;
  readonly search?: readonly string[];
  readonly searchIndex?: boolean;
  readonly access?: AccessSpecification;
  readonly pagination?: PaginationMode;
  readonly network?: NetworkSpecification;
  readonly generate?: {
    readonly count?: number;
    readonly per?: string;
    readonly min?: number;
    readonly max?: number;
    readonly locale?: string;
  };
  readonly table?: string;
  readonly managed?: boolean;
  readonly key?: string | readonly string[];
  readonly readOnly?: boolean;
}

export type RelationKind =
  | 'hasOne'
  | 'belongsTo'
  | 'hasMany'
  | 'belongsToMany'
  | 'morphTo'
  | 'morphMany';
export type OnDelete = 'restrict' | 'cascade' | 'setNull';
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/** The attributes of a field of any type; the parser has checked that they fit the type. */
export interface FieldSpecification {
  /** A type of the vocabulary (`src/model/field-types/registry.ts`), or `relation`. */
  readonly type: string;
  readonly description?: string;
  readonly example?: JsonValue;
  readonly format?: string;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: JsonValue;
  readonly unique?: boolean;
  readonly index?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly exclusiveMinimum?: number | string;
  readonly exclusiveMaximum?: number | string;
  readonly multipleOf?: number | string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number)[];
  /** The allowed values of an enum; for other types the values of generated data. */
  readonly values?: readonly JsonValue[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly precision?: number;
  readonly scale?: number | 'any';
  readonly properties?: Readonly<Record<string, FieldSpecification>>;
  readonly additionalProperties?: boolean;
  readonly items?: FieldSpecification;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly immutable?: boolean;
  readonly column?: string;
  readonly collation?: Collation;
  readonly storedAs?: StoredAs;
  readonly reference?: string;
  readonly onDelete?: OnDelete;
  readonly access?: FieldAccessSpecification;
  readonly generator?: string | { readonly name: string; readonly args?: JsonValue };
  readonly template?: string;
  readonly transform?: readonly string[];
  readonly locale?: string;
  /** `true`: by a function of own code. */
  readonly computed?: true | ComputedSpecification;
  // Relations
  readonly relation?: RelationKind;
  readonly resource?: string;
  readonly resources?: readonly string[];
  readonly foreignKey?: string | readonly string[];
  readonly through?: string;
  readonly withPivot?: readonly string[];
  readonly sort?: string;
  readonly typeField?: string;
  readonly idField?: string;
  readonly typeValue?: string;
}

/** How a value is computed: one function, `join`, or `where` alone. */
export interface ComputedSpecification {
  readonly count?: string;
  readonly sum?: string;
  readonly avg?: string;
  readonly min?: string;
  readonly max?: string;
  readonly join?: readonly string[];
  readonly with?: string;
  readonly where?: string;
}

/** The stored form of a datetime, a decimal or a boolean, if it is not the default. */
export type StoredAs = (typeof momentForms | typeof decimalForms | typeof booleanForms)[number];

export interface VersionSpecification {
  /** `YYYY-MM-DD` */
  readonly deprecated?: string;
  /** `YYYY-MM-DD` */
  readonly sunset?: string;
  readonly link?: string;
  readonly resources?: Readonly<
    Record<
      string,
      false | { readonly fields?: Readonly<Record<string, false | { readonly from: string }>> }
    >
  >;
}

export interface DatabaseSpecification {
  readonly url?: string;
  readonly poolSize?: number;
  /** ms */
  readonly statementTimeout?: number;
  readonly pooler?: 'transaction';
  readonly managed?: boolean;
  readonly collation?: Collation;
  /** Settings of PostgreSQL by name, as texts with claims. */
  readonly session?: Readonly<Record<string, string>>;
  readonly messages?: boolean;
  readonly serviceSchema?: string;
  readonly replicas?: readonly string[];
  /** ms */
  readonly replicaLag?: number;
}

/** How texts compare: by code point, or as the column's own collation says. */
export type Collation = 'codePoint' | 'database';

export interface ServerSpecification {
  readonly host?: string;
  readonly port?: number;
  readonly tls?: 'self-signed' | { readonly cert: string; readonly key: string };
  readonly trustProxy?: readonly string[];
  readonly plainHttp?: readonly string[];
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly cors?: boolean | { readonly origins: readonly string[]; readonly credentials?: boolean };
  /** bytes */
  readonly bodyLimit?: number;
  /** ms */
  readonly requestTimeout?: number;
  readonly memory?: number;
  readonly maxInFlight?: number;
  readonly maxConnections?: number;
  /** ms */
  readonly drainDelay?: number;
}

export interface LimitsSpecification {
  readonly defaultLimit?: number;
  readonly maxLimit?: number;
  readonly defaultDepth?: number;
  readonly maxDepth?: number;
  readonly expandedItems?: number;
  readonly responseItems?: number;
  readonly exportItems?: number;
  readonly inItems?: number;
  readonly filters?: number;
  readonly searchWords?: number;
  readonly sorts?: number;
  readonly groups?: number;
  readonly pathDepth?: number;
  /** bytes */
  readonly urlLength?: number;
  readonly batchItems?: number;
  readonly bulkItems?: number;
}

export interface AuthSpecification {
  readonly apiKeys?: readonly {
    readonly name: string;
    readonly hash: string;
    readonly roles?: readonly string[];
    readonly sub?: string;
    readonly claims?: Readonly<Record<string, JsonValue>>;
    readonly expires?: string;
  }[];
  readonly jwt?: {
    readonly secret?: string;
    readonly publicKey?: string;
    readonly keys?: readonly {
      readonly kid: string;
      readonly alg: string;
      readonly secret?: string;
      readonly publicKey?: string;
    }[];
    readonly jwksUri?: string;
    readonly algorithms?: readonly string[];
    readonly issuer?: string;
    readonly audience?: string | readonly string[];
    readonly rolesClaim?: string;
    readonly typ?: string;
  };
}

/** One alternative: a role name (or `public`, `authenticated`, `none`), optionally with a row rule. */
export type AccessRule = string | { readonly role?: string; readonly where?: string };
export type AccessRules = AccessRule | readonly AccessRule[];
export interface AccessByOperation {
  readonly read?: AccessRules;
  readonly create?: AccessRules;
  readonly update?: AccessRules;
  readonly delete?: AccessRules;
  readonly write?: AccessRules;
}
/** A single rule, such as `public`, applies to every operation. */
export type AccessSpecification = AccessRules | AccessByOperation;
export type FieldAccessRules = string | readonly string[];
export type FieldAccessSpecification =
  | FieldAccessRules
  | {
      readonly read?: FieldAccessRules;
      readonly create?: FieldAccessRules;
      readonly update?: FieldAccessRules;
      readonly write?: FieldAccessRules;
    };

export interface RateLimitSpecification {
  readonly max?: number;
  /** ms */
  readonly window?: number;
  /** `memory` or a `redis://` URL */
  readonly store?: string;
  readonly perKey?: QuotaSpecification;
  readonly perIp?: QuotaSpecification;
  readonly failures?: QuotaSpecification;
  /** Further quotas by method and path, such as `POST /orders`. */
  readonly routes?: Readonly<Record<string, QuotaSpecification>>;
}
export interface QuotaSpecification {
  readonly max?: number;
  /** ms */
  readonly window?: number;
}

export interface AuditSpecification {
  readonly resources?: readonly string[];
  /** ms */
  readonly keep?: number;
  readonly roles?: readonly string[];
}

export interface LoggingSpecification {
  readonly enabled?: boolean;
  readonly level?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  readonly format?: 'json' | 'pretty';
  readonly includeHeaders?: boolean;
  readonly includeBodies?: boolean;
  readonly excludePatterns?: readonly string[];
  readonly excludeHeaders?: readonly string[];
}

export interface NetworkSpecification {
  /** ms */
  readonly latency?: { readonly min?: number; readonly max?: number };
  readonly errorRate?: number;
  /** bytes/s */
  readonly throttling?: { readonly rate: number };
  readonly seed?: number;
  readonly errors?: readonly { readonly status: number; readonly weight?: number }[];
}
