import type { Field, Relation, Resource } from '../../model/api.ts';
import type { Comparison } from '../../model/operators.ts';
import type { JsonValue } from '../../specification/specification.ts';

/** Where a value stands: in a field of the record, in a member below one, or on the junction that led to the record. */
export interface Place {
  readonly field: Field;
  /** Below an object or json field: the names of the members on the way. */
  readonly members: readonly string[];
  /** What its values are: the field itself, a declared property, or of undeclared members a field of any JSON. */
  readonly leaf: Field;
  readonly isPivot: boolean;
}

/** The place of a field itself, on the record or on the junction that led to it. */
export function placeOf(field: Field, isPivot = false): Place {
  return { field, members: [], leaf: field, isPivot };
}

/**
 * Where a bound value comes from: which texts of the request, and how they are read. Plans hold slots in place of
 * values, so that requests which differ in values alone share one plan.
 */
export interface Slot {
  /** Its place among the bound values of the plan. */
  readonly index: number;
  /**
   * Places in the request's list of bound texts; several only for a union of plain `id`s. The slots of one condition,
   * which are several behind a morphTo, have the same list.
   */
  readonly sources: readonly number[];
  /** The parameter as the client wrote it, for messages. */
  readonly parameter: string;
  readonly field: Field;
  readonly operator: Comparison;
  /** The text is one value, although the operator takes a list. */
  readonly isOne?: boolean;
  /** The values that a message may name, where the field has others of which this caller is not told. */
  readonly told?: readonly JsonValue[] | undefined;
}

/** What rows must satisfy, with every name resolved. */
export type Predicate =
  | {
      readonly kind: 'compare';
      readonly place: Place;
      readonly operator: Comparison;
      readonly slot: Pick<Slot, 'index'>;
      /** The slot holds a list, any of whose items will do, although the operator compares with one value. */
      readonly any?: boolean;
    }
  | { readonly kind: 'null'; readonly place: Place; readonly isNull: boolean }
  /** There is a related record, or none, that satisfies all of `where`; of a morphTo in any of its branches. */
  | {
      readonly kind: 'related';
      readonly relation: Relation;
      readonly branches: readonly RelatedBranch[];
      readonly isNegated: boolean;
    }
  | { readonly kind: 'or' | 'and'; readonly parts: readonly Predicate[] }
  /** The link of a belongsToMany that led to the record satisfies all of `where`. */
  | { readonly kind: 'link'; readonly where: readonly Predicate[] };

/** A condition that there is a related record, which can only be of one resource. */
export type RelatedToOne = Extract<Predicate, { kind: 'related' }> & {
  readonly branches: readonly [RelatedBranch];
};

/** Whether a condition is about related records of one resource of which there has to be one. */
export function isRelatedToOne(predicate: Predicate): predicate is RelatedToOne {
  return predicate.kind === 'related' && !predicate.isNegated && predicate.branches.length === 1;
}

/** The related records of one resource that a condition asks for. */
export interface RelatedBranch {
  readonly target: Resource;
  /** Of a morphTo: the value of the type field that leads here. */
  readonly typeValue: string | undefined;
  readonly where: readonly Predicate[];
}

/** A predicate with others in the place of those that it is made of; one that is made of none stays as it is. */
export function withParts(predicate: Predicate, change: (part: Predicate) => Predicate): Predicate {
  switch (predicate.kind) {
    case 'compare':
    case 'null':
      return predicate;
    case 'or':
    case 'and':
      return { ...predicate, parts: predicate.parts.map(change) };
    case 'link':
      return { ...predicate, where: predicate.where.map(change) };
    case 'related': {
      const branches = predicate.branches.map((branch) => ({
        ...branch,
        where: branch.where.map(change),
      }));
      return { ...predicate, branches };
    }
    default:
      return predicate satisfies never;
  }
}
