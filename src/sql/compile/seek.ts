import type { Dialect } from '../dialect.ts';
import { orderTerm } from './order.ts';
import type { Add } from '../statement.ts';

/** A key of an order: its expression, and its term in ORDER BY. */
export interface OrderKey {
  readonly value: (add: Add) => string;
  readonly name: (add: Add) => string;
  /** The placeholder of a value that it is compared with. */
  readonly operand: (placeholder: string) => string;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

/** One range of the rows after a cursor, in the order of the list. */
interface Seek {
  readonly conditions: (add: Add) => readonly string[];
  readonly order: readonly ((add: Add) => string)[];
}

/**
 * The ranges after a record, nearest first: equal in all keys but the last, and after it there; then equal in all but the
 * last two; and so on. Each is a seek in an index that has the order. `after` says for which keys the record has a value;
 * these values are bound from `first` on. `isServed` says that an index has the order: a range of nulls is then ordered by
 * its null keys as well. PostgreSQL does not see that they are equal, and would sort the nulls or filter the primary key.
 */
export function seeks(
  order: readonly OrderKey[],
  after: readonly boolean[],
  { first, isServed }: { readonly first: number; readonly isServed: boolean },
  dialect: Dialect,
): readonly Seek[] {
  const operandOf = (index: number, add: Add): string => {
    const placeholder = add(first + index);
    return order[index]?.operand(placeholder) ?? placeholder;
  };
  const orderFrom = (index: number): Seek['order'] =>
    order.slice(index).map((key) => (add) => orderTerm(key.name(add), key, dialect));
  /** A range has nulls of a key or values of it, never both, so the order of nulls can be the one of the index. */
  const inIndexOrder =
    ({ name, descending, nulls }: OrderKey): Seek['order'][number] =>
    (add) =>
      orderTerm(
        name(add),
        { descending, nulls: nulls && (descending ? 'last' : 'first') },
        dialect,
      );
  const ranges = order.map((key, index): readonly Seek[] => {
    const { value, descending, nulls } = key;
    const nullsBefore = order.slice(0, index).filter((_, at) => isServed && after[at] !== true);
    const before = (add: Add): string[] =>
      order
        .slice(0, index)
        .map((one, at) =>
          after[at] === true
            ? `${one.value(add)} = ${operandOf(at, add)}`
            : `${one.value(add)} IS NULL`,
        );
    const ordered = (keys: readonly OrderKey[]): Seek['order'] => [
      ...[...nullsBefore, ...keys].map(inIndexOrder),
      ...orderFrom(index + 1),
    ];
    const ranged = (condition: (add: Add) => string): Seek => ({
      conditions: (add) => [...before(add), condition(add)],
      order: ordered([key]),
    });
    if (after[index] === true) {
      const sign = descending ? '<' : '>';
      const range = ranged((add) => `${value(add)} ${sign} ${operandOf(index, add)}`);
      const isNull: Seek = {
        conditions: (add) => [...before(add), `${value(add)} IS NULL`],
        order: ordered(isServed ? [key] : []),
      };
      return nulls === 'last' ? [range, isNull] : [range];
    }
    return nulls === 'first' ? [ranged((add) => `${value(add)} IS NOT NULL`)] : [];
  });
  return ranges.reverse().flat();
}
