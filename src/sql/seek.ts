import type { SortKey } from '../plan/plan.ts';
import type { Dialect } from './dialect.ts';
import { keySql, orderSql, type Scope } from './scope.ts';
import type { Add } from './statement.ts';

/** One range of the rows behind a cursor, in the order of the list. */
interface Seek {
  readonly conditions: (add: Add) => readonly string[];
  readonly order: readonly string[];
}

/**
 * The ranges behind a record, nearest first: equal under all keys but the last, behind it there; then equal under all
 * but two; and so on. Each is a seek in an index that serves the order. `after` tells under which keys the record has a
 * value; those values are bound from `first` on.
 */
export function seeks(
  order: readonly SortKey[],
  after: readonly boolean[],
  first: number,
  scope: Scope,
  dialect: Dialect,
): readonly Seek[] {
  const texts = order.map((key) => keySql(key, scope, dialect));
  const operandOf = (index: number, add: Add): string => add(first + index);
  const orderFrom = (index: number): readonly string[] =>
    order.slice(index).map((key) => orderSql(key, scope, dialect));
  const ranges = order.map(({ descending, nulls }, index): readonly Seek[] => {
    const before = (add: Add): string[] =>
      texts
        .slice(0, index)
        .map((text, at) =>
          after[at] === true ? `${text} = ${operandOf(at, add)}` : `${text} IS NULL`,
        );
    const text = texts[index] ?? '';
    const isNull: Seek = {
      conditions: (add) => [...before(add), `${text} IS NULL`],
      order: orderFrom(index + 1),
    };
    if (after[index] === true) {
      const range: Seek = {
        conditions: (add) => [
          ...before(add),
          `${text} ${descending ? '<' : '>'} ${operandOf(index, add)}`,
        ],
        order: orderFrom(index),
      };
      return nulls === 'last' ? [range, isNull] : [range];
    }
    if (nulls !== 'first') return [];
    return [
      { conditions: (add) => [...before(add), `${text} IS NOT NULL`], order: orderFrom(index) },
    ];
  });
  return ranges.reverse().flat();
}
