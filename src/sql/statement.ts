import type { SqlValue } from '../model/values.ts';

/**
 * Where a statement's parameter comes from when it runs: a place among the bound values of the plan, or something
 * that only the executor knows.
 */
export type Parameter = number | 'id' | 'keys' | 'cap' | 'limit' | 'offset';

/** SQL text with its parameters in the order of their placeholders. A Database prepares it once. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** Of one that reads records. */
  readonly rowLength?: RowLength | undefined;
}

/** What the model says of how long the rows of a statement are. */
export interface RowLength {
  /** The most characters that one has; Infinity where nothing bounds a value. */
  readonly most: number;
  /** Where in a row the values stand that may have more than a hundred. */
  readonly texts: readonly number[];
}

/** What the rows of an answer are counted in as they are read. */
export interface RowCounter {
  /** Throws where there is no room for any row, so that nothing need be asked. */
  readonly check: () => void;
  /**
   * Counts one row, of which the values at `texts` may be long, or any, and says whether it and others after it are wanted;
   * throws where there is no room for it. Nothing more is read in both cases.
   */
  readonly take: (row: readonly SqlValue[], texts?: readonly number[]) => boolean;
  /** Counts rows of one statement no more, which was interrupted: they are read once more, or not at all. */
  readonly leave: (rows: readonly (readonly SqlValue[])[]) => void;
  /** Whether so many rows surely have room, of which each may have so many characters. */
  readonly holds: (rows: number, most?: number) => boolean;
}

/** The values that a statement is run with, by where they come from. */
export interface Values {
  readonly bound: readonly SqlValue[];
  readonly id?: SqlValue;
  readonly keys?: SqlValue;
  readonly cap?: SqlValue;
  readonly limit?: SqlValue;
  readonly offset?: SqlValue;
  /** Where rows may be of any length: what counts them. */
  readonly budget?: RowCounter | undefined;
}

/** The parameters of a statement, ready for the driver. */
export function valuesFor(statement: Statement, values: Values): SqlValue[] {
  return statement.parameters.map((parameter) => {
    const value = typeof parameter === 'number' ? values.bound[parameter] : values[parameter];
    if (value === undefined) throw new TypeError(`Nothing is bound to parameter ${parameter}`);
    return value;
  });
}

/** Adds a parameter to the statement being built and gives its placeholder. */
export type Add = (parameter: Parameter) => string;

/**
 * Builds a statement; `text` must ask for its placeholders in the order in which they stand in it.
 * `placeholder` writes one that is the `count`-th of its statement.
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
