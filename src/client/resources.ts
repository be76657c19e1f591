/**
 * What `plinth types` writes in the place of this file: the resources of one API. Here they are any, so that the rest
 * of the client is compiled like all other source.
 */
export interface Resources {
  readonly [name: string]: {
    readonly id: string | number;
    readonly record: Readonly<Record<string, unknown>>;
    /** Names of the fields that are objects. */
    readonly objects: string;
    /**
     * `to` the resources it leads to, `many` whether it is a collection, `null` whether a single record may be missing,
     * `pivot` what each of its records adds, `by` the field that tells which of several resources it leads to.
     */
    readonly relations: Readonly<
      Record<
        string,
        {
          readonly to: string;
          readonly many: boolean;
          readonly null: boolean;
          readonly pivot: unknown;
          readonly by: unknown;
        }
      >
    >;
    readonly expand: string;
    readonly groups: Readonly<Record<string, string>>;
    readonly operations: 'read' | 'create' | 'update' | 'delete';
    readonly create: unknown;
    readonly replace: unknown;
    readonly update: unknown;
    readonly where: Readonly<Record<string, unknown>>;
    readonly sort: string;
    /** The values of what groups records, by name. */
    readonly keys: Readonly<Record<string, unknown>>;
    /** The dates and moments among them, whose parts group too. */
    readonly dates: string;
    readonly moments: string;
    /** The sum and the average of each path. */
    readonly sums: Readonly<Record<string, unknown>>;
    readonly averages: Readonly<Record<string, unknown>>;
    /** The paths of `keys` that have a least and a greatest value. */
    readonly extremes: string;
    /** The paths whose different values are counted. */
    readonly distinct: string;
  };
}

/** The same resources as the owner of the data has them, for whom no access rule holds. */
export interface OwnerResources {
  readonly [name: `owner ${string}`]: Resources[string];
}

/** The rule that a value or parameter breaks, and what it asks for. */
export interface BrokenRule {
  readonly rule: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What is wrong with a field or parameter. */
export type FieldProblem = BrokenRule & { readonly field: string; readonly message: string };

/** The endpoints of own code: what a call takes, and what it gives. */
export interface Endpoints {
  readonly [name: string]: {
    readonly options:
      | undefined
      | {
          readonly params?: Readonly<Record<string, string | number>>;
          readonly query?: object | undefined;
          readonly body?: unknown;
        };
    readonly response: unknown;
  };
}

/** Every error that the API answers with; `code` tells them apart. */
export interface ErrorBody {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly operation?: number;
  readonly validationErrors?: readonly (BrokenRule & {
    readonly field: string;
    readonly error: string;
  })[];
  readonly errors?: readonly FieldProblem[];
}

export const resourceNames: readonly string[] = [];

export const root: string = '/v1';
