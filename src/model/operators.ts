import type { operatorSuffixes } from '../specification/reserved.ts';

/** What a filter can ask of a field. See docs/contract/2-reading.md#filters. */
export type Operator =
  | 'eq'
  | 'neq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'like'
  | 'ilike'
  | 'in'
  | 'nin'
  | 'exists'
  | 'null'
  | 'contains'
  | 'containsAll'
  | 'containsAny';

/** How the text of a filter's value is read: one value, a comma list, or `true` / `false`. */
export type OperandKind = 'value' | 'list' | 'flag';

interface OperatorDefinition {
  readonly suffix: (typeof operatorSuffixes)[number];
  readonly operand: OperandKind;
  /** What it keeps, in words for messages and documents. */
  readonly meaning: string;
}

export const operators: Readonly<Record<Operator, OperatorDefinition>> = {
  eq: { suffix: '_eq', operand: 'value', meaning: 'equals' },
  neq: { suffix: '_neq', operand: 'value', meaning: 'differs from' },
  gt: { suffix: '_gt', operand: 'value', meaning: 'greater than' },
  gte: { suffix: '_gte', operand: 'value', meaning: 'greater than or equal to' },
  lt: { suffix: '_lt', operand: 'value', meaning: 'less than' },
  lte: { suffix: '_lte', operand: 'value', meaning: 'less than or equal to' },
  like: { suffix: '_like', operand: 'value', meaning: 'contains, case-sensitive' },
  ilike: { suffix: '_ilike', operand: 'value', meaning: 'contains, case-insensitive' },
  in: { suffix: '_in', operand: 'list', meaning: 'one of' },
  nin: { suffix: '_nin', operand: 'list', meaning: 'none of' },
  exists: { suffix: '_exists', operand: 'flag', meaning: 'is there' },
  null: { suffix: '_null', operand: 'flag', meaning: 'is null' },
  contains: { suffix: '_contains', operand: 'value', meaning: 'array contains' },
  containsAll: { suffix: '_containsAll', operand: 'list', meaning: 'array contains all of' },
  containsAny: { suffix: '_containsAny', operand: 'list', meaning: 'array contains any of' },
};

/** Longest suffix first, so that `x_containsAll` is never read as `x_contains` and a rest. */
const bySuffixLength = (Object.entries(operators) as [Operator, OperatorDefinition][]).sort(
  ([, a], [, b]) => b.suffix.length - a.suffix.length,
);

/** The ways to read `name` as a field name and an operator suffix, longest suffix first. */
export function splitSuffix(name: string): readonly { base: string; operator: Operator }[] {
  if (!name.includes('_')) return [];
  return bySuffixLength
    .filter(([, { suffix }]) => name.endsWith(suffix) && name.length > suffix.length)
    .map(([operator, { suffix }]) => ({ base: name.slice(0, -suffix.length), operator }));
}

const presence: readonly Operator[] = ['exists', 'null'];
const equality: readonly Operator[] = ['eq', 'neq', 'in', 'nin'];
const order: readonly Operator[] = ['gt', 'gte', 'lt', 'lte'];

/** The operators of the kinds of field types; a type names one of these sets. */
export const operatorSets = {
  equality: new Set<Operator>([...equality, ...presence]),
  ordered: new Set<Operator>([...equality, ...order, ...presence]),
  textual: new Set<Operator>([...equality, ...order, 'like', 'ilike', ...presence]),
  array: new Set<Operator>(['contains', 'containsAll', 'containsAny', ...presence]),
  presence: new Set<Operator>(presence),
} as const;
