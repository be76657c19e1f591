import type { Field } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';

/**
 * The source of a statement's parameter: an index of the bound values, or a value that is known only when it runs.
 */
export type Parameter = number | 'id' | 'keys' | 'cap' | 'limit' | 'offset' | 'state';

/** SQL text with its parameters in the order of their placeholders. A Database prepares it once. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** It is SQL of own code, whose names need not be quoted. */
  readonly isGiven?: boolean;
  /** For a statement that reads records. */
  readonly rowLength?: RowLength | undefined;
}

/** The possible length of a statement's rows, by the model. */
export interface RowLength {
  /** The most characters of a row; Infinity if a value is unbounded. */
  readonly most: number;
  /** The positions of values that may have more than a hundred characters. */
  readonly texts: readonly number[];
}

/** Counts the rows of a response while they are read. */
export interface RowCounter {
  /** Throws if the budget is used up, before a statement runs. */
  readonly check: () => void;
  /**
   * Counts one row, in which the values at `texts` (by default any) may be long. Returns false if it and further rows are
   * not wanted, and throws if the budget is used up; in both cases reading stops.
   */
  readonly take: (row: readonly SqlValue[], texts?: readonly number[]) => boolean;
  /** Gives back the rows of an interrupted statement, which is run again or abandoned. */
  readonly release: (rows: readonly (readonly SqlValue[])[]) => void;
  /** Whether this many rows of at most this many characters certainly fit. */
  readonly holds: (rows: number, most?: number) => boolean;
}

/** On whose behalf a statement runs. */
export interface Requester {
  /** Callers share the connections and the reader processes of a server. */
  readonly caller: string;
  /** Calls `leave` once if the client disconnects; returns a function after which it does not. */
  readonly onGone: (leave: () => void) => () => void;
  /**
   * Keeps the last error of the database that the response may not show, for the log, and the server that has answered, if
   * there are several.
   */
  readonly trace?: { databaseError: unknown; server?: string | undefined };
  /** Computes the values of a field of own code, for records of what it needs. */
  readonly ownValues?:
    | ((
        field: Field,
        needed: readonly Readonly<Record<string, unknown>>[],
      ) => Promise<readonly unknown[]>)
    | undefined;
}

/** The values of a statement's parameters, by source. */
export interface Values {
  readonly bound: readonly SqlValue[];
  readonly id?: SqlValue;
  readonly keys?: SqlValue;
  readonly cap?: SqlValue;
  readonly limit?: SqlValue;
  readonly offset?: SqlValue;
  /** The state of the database in which a total was counted. */
  readonly state?: SqlValue;
  /** The counter of rows that may have any length. */
  readonly budget?: RowCounter | undefined;
  /** Absent for statements of the service itself. */
  readonly requester?: Requester | undefined;
}

/** The parameters of a statement, for the driver. */
export function valuesFor(statement: Statement, values: Values): SqlValue[] {
  return statement.parameters.map((parameter) => {
    const value = typeof parameter === 'number' ? values.bound[parameter] : values[parameter];
    if (value === undefined) throw new TypeError(`Nothing is bound to parameter ${parameter}`);
    return value;
  });
}

/** Adds a parameter to the statement being built and returns its placeholder. */
export type Add = (parameter: Parameter) => string;

/**
 * Builds a statement. `text` must add its placeholders in the order of the text. `placeholder` writes the nth one.
 */
export function buildStatement(
  { placeholder }: { readonly placeholder: (count: number, parameter: Parameter) => string },
  text: (add: Add) => string,
  rowLength?: RowLength,
): Statement {
  const parameters: Parameter[] = [];
  const sql = text((parameter) => {
    parameters.push(parameter);
    return placeholder(parameters.length, parameter);
  });
  return { sql, parameters, rowLength };
}
