import type { Field, Relation, RelationToMany, Resource } from '../../model/api.ts';
import type { Comparison } from '../../model/operators.ts';
import type { JsonValue } from '../../specification/specification.ts';

/** A reference to a value of a row: a field of the record, a member inside it, or a field of the link to the record. */
export interface FieldRef {
  readonly field: Field;
  /** The member names below an object or json field. */
  readonly members: readonly string[];
  /** Types the value: the field itself, a declared property, or a field of any JSON for undeclared members. */
  readonly leaf: Field;
  readonly isPivot: boolean;
  /** How it is computed for this caller, if the field has no column. Set when access rules are added. */
  readonly value?: ComputedValue;
}

/** How a value is computed, with the conditions of the file and of access rules. */
export type ComputedValue =
  | {
      readonly kind: 'related';
      readonly function: 'count' | 'sum' | 'avg' | 'min' | 'max';
      readonly relation: RelationToMany;
      /** What the function takes; undefined for `count`. */
      readonly ref: FieldRef | undefined;
      readonly where: readonly Predicate[];
    }
  | { readonly kind: 'join'; readonly fields: readonly Field[]; readonly between: string }
  | { readonly kind: 'where'; readonly where: readonly Predicate[] };

/** A value that is computed from related records. */
export type ComputedOfRelated = Extract<ComputedValue, { kind: 'related' }>;

/** A reference to a whole field, of the record or of the link to it. */
export function fieldRef(field: Field, isPivot = false): FieldRef {
  return { field, members: [], leaf: field, isPivot };
}

/**
 * Where a bound value comes from: which texts of the request, and how they are parsed. Plans hold slots instead of
 * values, so that requests which differ only in values share one plan.
 */
export interface Slot {
  /** Its index among the bound values of the plan. */
  readonly index: number;
  /**
   * Indexes into the request's bound texts; several only for a union of plain `id`s. All slots of one condition (several
   * through a morphTo) share the same array, which identifies the condition.
   */
  readonly sources: readonly number[];
  /** The parameter as the client wrote it, for messages. */
  readonly parameter: string;
  readonly field: Field;
  readonly operator: Comparison;
  /** The text is one value although the operator takes a list. */
  readonly isOne?: boolean;
  /** The values that a message may name, if the field lists values and some are hidden from this caller. */
  readonly visibleValues?: readonly JsonValue[] | undefined;
}

/** A condition on rows, with every name resolved. */
export type Predicate =
  | {
      readonly kind: 'compare';
      readonly ref: FieldRef;
      readonly operator: Comparison;
      readonly slot: Pick<Slot, 'index'>;
      /** The slot holds a list although the operator compares with one value: any item may match. */
      readonly any?: boolean;
    }
  | { readonly kind: 'null'; readonly ref: FieldRef; readonly isNull: boolean }
  /** Each of the words is in at least one of the texts, by the search index of the resource; `plain` says it without. */
  | {
      readonly kind: 'indexed';
      readonly resource: Resource;
      readonly texts: readonly Field[];
      readonly words: readonly Pick<Slot, 'index'>[];
      readonly plain: readonly Predicate[];
    }
  /** A related record exists (or, negated, none) that satisfies all of `where` of one of the branches. */
  | {
      readonly kind: 'related';
      readonly relation: Relation;
      readonly branches: readonly RelatedBranch[];
      readonly isNegated: boolean;
    }
  /** An item of the array satisfies all of `where`, whose references are relative to it. */
  | { readonly kind: 'items'; readonly ref: FieldRef; readonly where: readonly Predicate[] }
  /** At least one of the parts, all, or none holds; a comparison with null does not hold. */
  | { readonly kind: 'or' | 'and' | 'not'; readonly parts: readonly Predicate[] }
  /** The belongsToMany link to the record satisfies all of `where`. */
  | { readonly kind: 'link'; readonly where: readonly Predicate[] };

/** A condition that a related record of one particular resource exists. */
export type RelatedToOne = Extract<Predicate, { kind: 'related' }> & {
  readonly branches: readonly [RelatedBranch];
};

export function isRelatedToOne(predicate: Predicate): predicate is RelatedToOne {
  return predicate.kind === 'related' && !predicate.isNegated && predicate.branches.length === 1;
}

/** The conditions on related records of one resource. */
export interface RelatedBranch {
  readonly target: Resource;
  /** For a morphTo: the value of the type field for this target. */
  readonly typeValue: string | undefined;
  readonly where: readonly Predicate[];
}

/** A copy of a predicate with each of its direct parts mapped. */
export function withParts(predicate: Predicate, change: (part: Predicate) => Predicate): Predicate {
  switch (predicate.kind) {
    case 'compare':
    case 'null':
    case 'indexed':
      return predicate;
    case 'or':
    case 'and':
    case 'not':
      return { ...predicate, parts: predicate.parts.map(change) };
    case 'items':
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
