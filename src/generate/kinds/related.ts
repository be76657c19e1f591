import type { Random } from '../random.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Pool } from '../distinct/pool.ts';
import type { SourceContext, Row } from '../source.ts';
import { centerOf } from '../words/countries.ts';
import { ageOf, bornAt } from './moments.ts';
import { moodOf } from './mood.ts';
import { countryCodeOf } from './places.ts';

/** Names of amounts. */
const totals = /^(?:total|grandtotal|totalamount|totalprice|gross|grossamount|grosstotal)$/u;
const nets = /^(?:net|netamount|nettotal|subtotal)$/u;
const taxes = /^(?:tax|taxamount|vat|vatamount|taxes|totaltax)$/u;
const taxRate = 0.2;

/** The net, tax or total of a row, which add up. `unit` is the number of steps in 1: 100 for cents. */
function amountOf(ending: string, unit: number, row: Row): number | undefined {
  const total = row.shared('total', (random) => Math.round((10 + random.next() * 1_990) * 100));
  const all = Math.round((total / 100) * unit);
  const net = Math.round(all / (1 + taxRate));
  if (totals.test(ending)) return all / unit;
  if (nets.test(ending)) return net / unit;
  return taxes.test(ending) ? (all - net) / unit : undefined;
}

/** A whole number that is rarely near the bounds. */
function bodyMeasure(random: Random, least: number, most: number): number {
  return Math.round(least + ((random.next() + random.next()) / 2) * (most - least));
}

/** A former price that is higher than the present one. */
function formerPrice({
  siblingOf,
}: SourceContext): ((row: Row, random: Random) => number | undefined) | undefined {
  const field = siblingOf(['price', 'salePrice', 'unitPrice', 'sale_price', 'unit_price']);
  if (field === undefined) return undefined;
  return (row, random) => {
    const price = Number(row.sibling(field));
    const former = price * (1.1 + random.next() * 0.4);
    return price > 0 ? Math.ceil(former * 2) / 2 - 0.01 : undefined;
  };
}

/** Names of the upper end of a range, with the replacement that gives its lower end. */
const ends: readonly (readonly [upper: RegExp, lower: string])[] = [
  [/max/u, 'min'],
  [/Max/u, 'Min'],
  [/(?<=[a-z])To$/u, 'From'],
  [/_to$/u, '_from'],
  [/upper/u, 'lower'],
  [/Upper/u, 'Lower'],
  [/highest/u, 'lowest'],
  [/Highest/u, 'Lowest'],
  [/^high$/u, 'low'],
  [/^end/u, 'start'],
  [/End/u, 'Start'],
  [/^to$/u, 'from'],
];

/** The upper end of a range, which is not below the lower end in the row. */
function upperEnd({
  field: { name },
  siblingOf,
}: SourceContext): ((row: Row, random: Random, pool: Pool) => JsonValue | undefined) | undefined {
  const names = ends.flatMap(([upper, lower]) =>
    upper.test(name) ? name.replace(upper, lower) : [],
  );
  const field = names.length === 0 ? undefined : siblingOf(names);
  if (field === undefined) return undefined;
  return (row, random, pool) => {
    const value = row.sibling(field);
    const least = value === null ? Number.NaN : Number(value);
    if (Number.isNaN(least)) return undefined;
    let [from, to] = [0, pool.size];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if (Number(pool.at(middle)) < least) from = middle + 1;
      else to = middle;
    }
    return from === pool.size ? undefined : pool.at(from + random.below(pool.size - from));
  };
}

/**
 * A number that depends on other fields of the row or on its subject: age and birthday, rating and review, net, tax and
 * total, coordinate and country, height and weight of people, the two ends of a range. Undefined for independent
 * numbers. `name` is the kind of number.
 */
export function relatedNumber(
  name: string,
  context: SourceContext,
): ((row: Row, random: Random, pool: Pool) => JsonValue | undefined) | undefined {
  const { field, tokens, subject } = context;
  const isWhole = field.type.number === 'whole';
  const ending = tokens.join('');
  const upper = upperEnd(context);
  if (upper !== undefined) return upper;
  switch (name) {
    case 'person.age':
      return isWhole ? ageOf : undefined;
    case 'date.birthYear':
      return isWhole ? (row) => new Date(bornAt(row)).getUTCFullYear() : undefined;
    case 'number.rating':
      return (row, _, pool) => pool.at(Math.floor(moodOf(row) * pool.size));
    case 'commerce.formerPrice':
      return formerPrice(context);
    case 'number.size':
      return subject === 'person' && ending.startsWith('height')
        ? (_, random) => bodyMeasure(random, 150, 200)
        : undefined;
    case 'number.weight':
      if (subject === 'person') return (_, random) => bodyMeasure(random, 46, 118);
      // Light things are more frequent than heavy ones.
      return (_, random, pool) => pool.at(Math.floor(random.next() ** 4 * pool.size));
    case 'number.seconds':
      return subject === 'song' ? (_, random) => random.between(120, 400) : undefined;
    case 'location.latitude':
    case 'location.longitude': {
      const axis = name === 'location.latitude' ? 0 : 1;
      return (row, random) => {
        const center = centerOf(countryCodeOf(context, row))?.[axis];
        return center && Math.round((center + (random.next() - 0.5) * 1.2) * 1e6) / 1e6;
      };
    }
    default:
      if (!totals.test(ending) && !nets.test(ending) && !taxes.test(ending)) return undefined;
      return (row) => amountOf(ending, isWhole || field.scale === 0 ? 1 : 100, row);
  }
}
