import type { Field } from '../model/api.ts';
import type { Operator } from '../model/operators.ts';

/** The operators that compare with a value; `exists` and `null` become a predicate of their own. */
export type Comparison = Exclude<Operator, 'exists' | 'null'>;

/**
 * Where a bound value comes from: which texts of the request, and how they are read. Plans hold slots in place of
 * values, so that requests which differ in values alone share one plan.
 */
export interface Slot {
  /** Its place among the bound values of the plan. */
  readonly index: number;
  /** Places in the request's list of bound texts; several only for a union of plain `id`s. */
  readonly sources: readonly number[];
  /** The parameter as the client wrote it, for messages. */
  readonly parameter: string;
  readonly field: Field;
  readonly operator: Comparison;
}

/** What rows must satisfy, with every name resolved. */
export type Predicate =
  | {
      readonly kind: 'compare';
      readonly field: Field;
      readonly operator: Comparison;
      readonly slot: Slot;
    }
  | { readonly kind: 'null'; readonly field: Field; readonly isNull: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Predicate[] };
