import type { Row, Shape, Value, World } from './oracle-model.ts';
import { compare } from './oracle-values.ts';

/** An independent reading of docs/contract/9-groups-and-computed-fields.md#computed-fields. */

function isMet(row: Row, where: string | undefined): boolean {
  const [name = '', value = ''] = where?.split('=') ?? [];
  return where === undefined || String(row.item[name] ?? null) === value;
}

/** A decimal as a whole number of 10⁻³⁰. */
function scaled(value: Value): bigint {
  const [, sign = '', whole = '', fraction = ''] =
    /^(-?)(\d+)(?:\.(\d+))?$/u.exec(String(value)) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(30, '0')}`);
}

/** The sum of integers or decimals, with 30 decimal places. */
function sumOf(values: readonly Value[]): string {
  const sum = values.reduce((all: bigint, value) => all + scaled(value), 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(31, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -30)}.${digits.slice(-30)}`;
}

/** A sum as its type has it, and null where that cannot hold it. */
function typed(sum: string, { type, definition }: Shape): Value {
  const { scale = 2 } = definition;
  if (type !== 'decimal') return Number.isSafeInteger(Number(sum)) ? Number(sum) : null;
  const text = sum.slice(0, sum.length - 30 + scale);
  return text.replaceAll(/\D/gu, '').length > 18 ? null : text;
}

/** What a record has in a field that is computed. */
export function computedValue(world: World, row: Row, shape: Shape): Value {
  const {
    count,
    sum,
    avg,
    min,
    max,
    join,
    where,
    with: between = '',
  } = shape.definition.computed ?? {};
  if (join !== undefined) {
    const texts = join.map((name) => row.item[name] ?? null).filter((text) => text !== null);
    return texts.length === 0 ? null : texts.join(between);
  }
  const path = count ?? sum ?? avg ?? min ?? max;
  if (path === undefined) return isMet(row, where);
  const [relation = '', ...rest] = path.split('.');
  const rows = world.related(row, relation).filter((one) => isMet(one, where));
  if (count !== undefined) return rows.length;
  const isPivot = rest.length > 1;
  const values = rows
    .map((one) => (isPivot ? one.pivot : one.item)?.[rest.at(-1) ?? ''] ?? null)
    .filter((value) => value !== null);
  if (values.length === 0) return null;
  if (sum !== undefined) return typed(sumOf(values), shape);
  if (avg !== undefined) return Number(sumOf(values)) / values.length;
  const sorted = values.toSorted((a, b) => compare(shape.kind, a, b));
  return (min === undefined ? sorted.at(-1) : sorted[0]) ?? null;
}
