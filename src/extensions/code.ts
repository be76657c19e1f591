/**
 * What `plinth types` writes of an API, as its `Api`: the records of each resource, and the clients. Without it, records are
 * of any kind.
 */
export interface ApiTypes {
  /** What own code gets of each resource, by name; the members are those of `CodeResources` in the generated file. */
  readonly resources: object;
  /** `Client` of the generated file: with the rights of a caller. */
  readonly client: object;
  /** `OwnerClient` of the generated file: without access rules. */
  readonly owner: object;
}

// oxlint-disable-next-line typescript/no-explicit-any -- Without generated types, own code may use its records freely.
type AnyRecord = Record<string, any>;

/** A list of records, with what its headers tell. */
interface AnyPage {
  readonly data: AnyRecord[];
  readonly total: number | undefined;
  readonly nextCursor: string | undefined;
}

/** The methods of a resource, without its types. */
interface AnyResourceClient {
  readonly list: (options?: AnyRecord) => Promise<AnyPage>;
  readonly pages: (options?: AnyRecord) => AsyncGenerator<AnyRecord[], void, undefined>;
  readonly each: (options?: AnyRecord) => AsyncGenerator<AnyRecord, void, undefined>;
  readonly aggregate: (options?: AnyRecord) => Promise<AnyPage>;
  readonly get: (id: unknown, options?: AnyRecord) => Promise<AnyRecord>;
  readonly create: (body: AnyRecord, options?: AnyRecord) => Promise<AnyRecord>;
  readonly createMany: (bodies: readonly AnyRecord[], options?: AnyRecord) => Promise<AnyRecord[]>;
  readonly update: (target: unknown, body: AnyRecord, options?: AnyRecord) => Promise<AnyRecord>;
  readonly merge: (target: unknown, body: AnyRecord, options?: AnyRecord) => Promise<AnyRecord>;
  readonly replace: (target: unknown, body: AnyRecord, options?: AnyRecord) => Promise<AnyRecord>;
  readonly delete: (target: unknown, options?: AnyRecord) => Promise<void>;
  readonly updateMany: (matching: AnyRecord, body: AnyRecord) => Promise<number>;
  readonly deleteMany: (matching: AnyRecord) => Promise<number>;
}

/** The types of an API whose client was not generated. */
export interface AnyApi extends ApiTypes {
  readonly resources: Readonly<Record<string, { readonly stored: AnyRecord }>>;
  readonly client: AnyClient;
  readonly owner: AnyClient;
}

type AnyClient = Readonly<Record<string, AnyResourceClient>> & {
  readonly batch: (operations: readonly Operation[], options?: object) => Promise<AnyRecord[]>;
};

type ResourceOf<Api extends ApiTypes> = keyof Api['resources'] & string;

type OfResource<Api extends ApiTypes, Name> = Name extends keyof Api['resources']
  ? Api['resources'][Name]
  : unknown;

/** A record as it is stored: with the fields that no caller may see, and without those that are computed. */
type StoredOf<Api extends ApiTypes, Name> =
  OfResource<Api, Name> extends { readonly stored: infer Stored extends object }
    ? Stored
    : AnyRecord;

/** The fields that a new record may lack in `beforeCreate`. */
type UnsetOf<Api extends ApiTypes, Name> =
  OfResource<Api, Name> extends { readonly unset: infer Unset extends string } ? Unset : never;

/** A new record: what has a default, or may be null, is there; what is required and was not sent is not. */
type NewRecord<Stored, Unset extends string> = string extends keyof Stored
  ? Stored
  : { -readonly [M in Exclude<keyof Stored, Unset | 'id'>]: Stored[M] } & {
      -readonly [M in Exclude<keyof Stored & Unset, 'id'>]?: Stored[M];
    } & { readonly [M in keyof Stored & 'id']?: Stored[M] };

/** What a request changes of a record. */
type ChangeOf<Stored> = string extends keyof Stored
  ? Stored
  : { -readonly [M in Exclude<keyof Stored, 'id'>]?: Stored[M] };

/** The resources that the to-one relations of a resource lead to, by the names of the relations. */
type ToOneOf<Api extends ApiTypes, Name> =
  OfResource<Api, Name> extends { readonly toOne: infer Relations extends object }
    ? Relations
    : unknown;

/** A record with those that its to-one relations lead to, which are there if `needs` names something of them. */
type WithToOne<Api extends ApiTypes, Name> = Name extends unknown
  ? Readonly<StoredOf<Api, Name>> & {
      readonly [Relation in keyof ToOneOf<Api, Name>]?: WithToOne<
        Api,
        ToOneOf<Api, Name>[Relation]
      > | null;
    }
  : never;

/** Who sends a request, as its credential says. */
export interface User {
  readonly sub: string | undefined;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The request that own code runs for. */
export interface CodeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The address of the client. */
  readonly ip: string;
  /** As in `X-Request-Id`. */
  readonly id: string;
}

/** Writes lines into the log of the server, with the id of the request. */
export interface CodeLog {
  readonly debug: (message: string, details?: object) => void;
  readonly info: (message: string, details?: object) => void;
  readonly warn: (message: string, details?: object) => void;
  readonly error: (message: string, details?: object) => void;
}

/** What is wrong with one field or parameter. */
export interface CodeProblem {
  readonly field: string;
  readonly message: string;
  /**
   * The broken rule, for programs: one of those of validation, such as `required`, or a name of your own, which clients get as
   * the rule `custom` with it as `params.name`.
   */
  readonly rule?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Refuses the request: throws what answers it with a status from 400 to 499, and a message, or the fields that are wrong.
 * `code` tells programs the reason; default: one that fits the status. It returns nothing, so that `throw fail(…)` and
 * `fail(…)` are the same.
 */
export type Fail = (
  status: number,
  problem?: string | CodeProblem | readonly CodeProblem[],
  options?: { readonly code?: string },
) => never;

/** A value that SQL takes. Others are JSON, which `JSON.stringify` makes a text of. */
export type SqlScalar = null | string | number | bigint | boolean | Date;

/** The name of a table or column, which `sql.name` makes. */
export interface SqlName {
  readonly name: string;
}

/** What a template of SQL takes: a value, bytes, a list that is one value, or a name. */
export type SqlParameter = SqlScalar | Uint8Array | ArrayBuffer | readonly SqlScalar[] | SqlName;

/** The rows of an answer, by the names of their columns; `count`: how many were read or changed. */
export type SqlRows<Row extends object> = Row[] & { readonly count: number };

/**
 * Runs one statement of SQL, whose values are bound, never written into it. The columns of served fields have the values that
 * the API shows.
 *
 * @example
 * ```ts
 * const [row] = await db.asOwner.sql`select count(*) as paid from orders where status = ${'paid'}`;
 * ```
 */
export interface Sql {
  <Row extends object = AnyRecord>(
    texts: TemplateStringsArray,
    ...values: readonly SqlParameter[]
  ): Promise<SqlRows<Row>>;
  /** The name of a table or column that is not known before. It is quoted. */
  readonly name: (name: string) => SqlName;
}

/**
 * The API in process with the rights of the owner: no access rule holds. It reads `writeOnly` fields, and writes `readOnly`
 * ones.
 */
export type OwnerDb<Api extends ApiTypes> = Api['owner'] & {
  /** SQL over the tables as they are: without hooks, validation, stamps and the audit log. */
  readonly sql: Sql;
};

/** The API in process, in the names of the file. */
export type Db<Api extends ApiTypes> = Api['client'] & {
  /** The same without access rules. */
  readonly asOwner: OwnerDb<Api>;
};

/** What hooks, endpoints and computed values get. */
export interface CodeContext<Api extends ApiTypes = AnyApi> {
  /** Undefined for a request without a credential. */
  readonly user: User | undefined;
  readonly request: CodeRequest;
  /** With the rights of the caller. */
  readonly db: Db<Api>;
  readonly log: CodeLog;
  /** The time of the request. */
  readonly now: Date;
  readonly fail: Fail;
  /** Aborts when the time of the request is up, or its client has gone. */
  readonly signal: AbortSignal;
  readonly mode: 'dev' | 'start';
}

/** One write, in the form of an operation of a batch. */
export interface Operation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A resource or record in the names of the file: `/audit-log`, `/orders/1`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What hooks before a write get. */
export interface WriteHookContext<
  Api extends ApiTypes = AnyApi,
  Stored = AnyRecord,
> extends CodeContext<Api> {
  /**
   * Adds a write to the transaction, with the rights of the owner. A function gets the record as it was written, `id`
   * included.
   */
  readonly also: (operation: Operation | ((record: Readonly<Stored>) => Operation)) => void;
}

/** What hooks on a record that exists get. */
export interface ChangeHookContext<
  Api extends ApiTypes = AnyApi,
  Stored = AnyRecord,
> extends WriteHookContext<Api, Stored> {
  /** The record before the request. */
  readonly before: Readonly<Stored>;
}

/** What has been committed: a new record has no `before`, a deleted one no `after`. */
export type Committed<Stored = AnyRecord> =
  | {
      readonly operation: 'create';
      readonly before: undefined;
      readonly after: Readonly<Stored>;
    }
  | {
      readonly operation: 'update';
      readonly before: Readonly<Stored>;
      readonly after: Readonly<Stored>;
    }
  | {
      readonly operation: 'delete';
      readonly before: Readonly<Stored>;
      readonly after: undefined;
    };

type Outcome = void | Promise<void>;

/** A field that own code computes. */
export interface ComputedValue<Needed = AnyRecord, Api extends ApiTypes = AnyApi> {
  /** Names of fields, and paths of to-one relations, that it is made of. */
  readonly needs: readonly string[];
  readonly value?: (record: Needed, context: CodeContext<Api>) => unknown;
  /** The values of a page of records at once, in their order. */
  readonly values?: (
    records: readonly Needed[],
    context: CodeContext<Api>,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
}

/** Own code for the records of a resource. */
export interface ResourceCode<
  Api extends ApiTypes = AnyApi,
  Name extends string = string,
  Stored = StoredOf<Api, Name>,
> {
  /**
   * Gets a new record with its defaults, and may change it. Fields that are required and were not sent are not there yet, and
   * those that `readOnly` leaves to your code.
   */
  readonly beforeCreate?: (
    record: NewRecord<Stored, UnsetOf<Api, Name>>,
    context: WriteHookContext<Api, Stored>,
  ) => Outcome;
  /** Gets what a request changes, and may change it. */
  readonly beforeUpdate?: (
    change: ChangeOf<Stored>,
    context: ChangeHookContext<Api, Stored>,
  ) => Outcome;
  readonly beforeDelete?: (context: ChangeHookContext<Api, Stored>) => Outcome;
  /** Runs after the answer; best effort. */
  readonly afterCommit?: (change: Committed<Stored>, context: CodeContext<Api>) => Outcome;
  readonly computed?: Readonly<Record<string, ComputedValue<WithToOne<Api, Name>, Api>>>;
}

/** What an endpoint gets. */
export interface EndpointContext<
  Api extends ApiTypes = AnyApi,
  // oxlint-disable-next-line typescript/no-explicit-any -- The schema of an endpoint says what its body is.
  Body = any,
  Query = AnyRecord,
> extends CodeContext<Api> {
  /** The parts of the path that the endpoint names. */
  readonly params: Readonly<Record<string, string>>;
  /** By the schema of the endpoint. */
  readonly query: Query;
  readonly body: Body;
}

export type EndpointHandler<Api extends ApiTypes = AnyApi> = (
  context: EndpointContext<Api>,
) => unknown;

/** An endpoint of own code. */
export interface EndpointDefinition<Api extends ApiTypes = AnyApi> {
  readonly summary?: string;
  readonly description?: string;
  /** As for an operation of a resource; default: that of the API. */
  readonly access?: unknown;
  /** Such as `20s`; default: `server.requestTimeout`. */
  readonly timeout?: string | number;
  readonly bodyLimit?: string | number;
  /** JSON Schema, a Standard Schema, or the form of a raw body: `bytes`, `text`, `form`, `multipart`. */
  readonly body?: unknown;
  readonly query?: unknown;
  readonly response?: unknown;
  readonly handler: EndpointHandler<Api>;
}

interface Outputs<Output> {
  readonly '~standard': { readonly types?: { readonly output: Output } | undefined };
}

/** What a schema of `body` or `query` lets pass. A JSON Schema does not tell. */
export type ValueOf<Schema> = Schema extends 'bytes'
  ? Uint8Array<ArrayBuffer>
  : Schema extends 'text'
    ? string
    : Schema extends 'form' | 'multipart'
      ? FormData
      : Schema extends Outputs<infer Output>
        ? Output
        : Schema extends { readonly schema: Outputs<infer Output> }
          ? Output
          : // oxlint-disable-next-line typescript/no-explicit-any -- See above.
            any;

/** An endpoint whose handler gets what its schemas say. */
export interface TypedEndpoint<Api extends ApiTypes, Body, Query> extends Omit<
  EndpointDefinition<Api>,
  'body' | 'query' | 'handler'
> {
  readonly body?: Body;
  readonly query?: Query;
  readonly handler: (context: EndpointContext<Api, ValueOf<Body>, ValueOf<Query>>) => unknown;
}

/**
 * Gives `body` and `query` of a handler the types that their schemas say: those of zod, valibot, arktype and other libraries
 * of Standard Schema, and of raw bodies.
 *
 * @example
 * ```ts
 * 'POST /orders/:id/pay': endpoint({
 *   body: z.object({ token: z.string() }),
 *   handler: ({ body }) => ({ paid: body.token }),
 * }),
 * ```
 */
export function endpoint<
  Api extends ApiTypes = AnyApi,
  const Body = unknown,
  const Query = unknown,
>(definition: TypedEndpoint<Api, Body, Query>): EndpointDefinition<Api> {
  return definition as EndpointDefinition<Api>;
}

/** Own code of an API. */
export interface Code<Api extends ApiTypes = AnyApi> {
  /** Called once each time the module is loaded to be served, and `stop` after its last request. */
  readonly start?: () => Outcome;
  readonly stop?: () => Outcome;
  readonly resources?: { readonly [Name in ResourceOf<Api>]?: ResourceCode<Api, Name> };
  /** By method and path below the base path: `POST /orders/:id/pay`. */
  readonly endpoints?: Readonly<Record<string, EndpointDefinition<Api> | EndpointHandler<Api>>>;
}

/**
 * Gives types to own code, whose module exports the result as its default. `Api` is a type of the file that `plinth types`
 * writes.
 *
 * @example
 * ```ts
 * import { defineCode } from 'plinth';
 * import type { Api } from './plinth-types.ts';
 *
 * export default defineCode<Api>({
 *   resources: {
 *     posts: {
 *       beforeCreate(post) {
 *         post.slug ??= post.title?.toLowerCase().replaceAll(' ', '-');
 *       },
 *     },
 *   },
 * });
 * ```
 */
export function defineCode<Api extends ApiTypes = AnyApi>(code: Code<Api>): Code<Api> {
  return code;
}
