import type { JsonValue } from '../../src/specification/specification.ts';

/**
 * A column of a type of PostgreSQL, for `native.test.ts`. `sql` and `wire` are the values of the records 1 and 2, in ascending
 * order; record 3 has none. `written` is a third value, which a create sends.
 */
export interface Column {
  readonly type: string;
  readonly field: string;
  readonly sql: readonly [string, string];
  readonly wire: readonly [JsonValue, JsonValue];
  readonly written: JsonValue;
  /** Whether it has an order. */
  readonly isSorted?: false;
  /** Filters of one value that keep record 1 alone; by default by the value itself. */
  readonly finds?: readonly string[];
  /** Values that are refused, with the status. */
  readonly refused?: readonly JsonValue[];
}

export const same = (value: JsonValue, other: JsonValue): Pick<Column, 'wire'> => ({
  wire: [value, other],
});
