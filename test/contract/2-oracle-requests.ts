import * as fc from 'fast-check';
import type { Filter, Item, Query, Value } from '../support/oracle.ts';
import { fields, type Field } from './2-oracle-fields.ts';

const names = Object.keys(fields);

function storedValue(name: string, { isArray, stored }: Field): fc.Arbitrary<Value> {
  const one = fc.constantFrom(...stored);
  const value = isArray ? fc.array(one, { maxLength: 3 }) : one;
  return name === 'numbers'
    ? value
    : fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 5, arbitrary: value });
}

/** Records with many ties and nulls; their ids stand in no order. */
export const records: fc.Arbitrary<readonly Item[]> = fc.uniqueArray(
  fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, one]) => [
        name,
        name === 'id' ? fc.uuid() : storedValue(name, one),
      ]),
    ),
  ) as fc.Arbitrary<Item>,
  { minLength: 60, maxLength: 60, selector: ({ id }) => id },
);

const suffixes: Readonly<Record<Field['operators'], readonly string[]>> = {
  equality: ['', '_eq', '_neq', '_in', '_nin'],
  ordered: ['', '_eq', '_neq', '_in', '_nin', '_gt', '_gte', '_lt', '_lte'],
  textual: ['', '_eq', '_neq', '_in', '_nin', '_gt', '_gte', '_lt', '_lte', '_like', '_ilike'],
  array: ['_contains', '_containsAll', '_containsAny'],
};
const lists = new Set(['_in', '_nin', '_containsAll', '_containsAny']);

/** How a size with an `enum` takes bounds and searches of any text. */
function askedOf(name: string, operator: string): readonly string[] {
  const { asked = [] } = fields[name] ?? {};
  return name === 'size' && /_gte?|_lte?|like/u.test(operator) ? [...asked, 'a', 'zz', ''] : asked;
}

function filterOf(isInGroup: boolean): fc.Arbitrary<Filter> {
  return fc
    .constantFrom(...names)
    .chain((name) => {
      const own = suffixes[fields[name]?.operators ?? 'equality'];
      return fc.tuple(fc.constant(name), fc.constantFrom(...own, '_exists', '_null'));
    })
    .filter(
      ([name, operator]) =>
        // What such a text means is another field, a parameter, or the union of ids.
        !(Object.hasOwn(fields, `${name}${operator}`) && operator !== '') &&
        (isInGroup || operator !== '' || !['id', 'limit', 'sort'].includes(name)),
    )
    .chain(([name, operator]) => {
      const asked =
        operator === '_exists' || operator === '_null'
          ? ['true', 'false']
          : askedOf(name, operator);
      const [minLength, maxLength] = lists.has(operator) ? [1, 4] : [1, 1];
      return fc
        .array(fc.constantFrom(...asked), { minLength, maxLength })
        .map((operands) => ({ field: name, operator, operands }));
    });
}

/** A request with the random choices of how it is written. */
export interface Written {
  readonly query: Query;
  /** Decides about quotes, blanks and the order of the parameters. */
  readonly style: readonly number[];
}

export function requestOf(ids: readonly string[]): fc.Arbitrary<Written> {
  const subset = fc.uniqueArray(fc.constantFrom(...names, '*', 'l*', '*_*', '*e', 'zz*', 'pr*e*'), {
    minLength: 1,
    maxLength: 4,
  });
  return fc
    .record({
      filters: fc.array(filterOf(false), { maxLength: 3 }),
      groups: fc.array(fc.array(filterOf(true), { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
      ids: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(fc.constantFrom(...ids), { maxLength: 5 }) },
      ),
      sort: fc.uniqueArray(
        fc.record({ field: fc.constantFrom(...names), descending: fc.boolean() }),
        { maxLength: 4, selector: ({ field }) => field },
      ),
      nulls: fc.constantFrom(undefined, 'first' as const, 'last' as const),
      limit: fc.constantFrom(20, 1, 3, 7, 60, 100),
      paging: fc.oneof(
        fc.record({
          mode: fc.constant('page' as const),
          start: fc.constantFrom(1, 2, 3, 9, 1_000_000_000),
        }),
        fc.record({
          mode: fc.constant('offset' as const),
          start: fc.constantFrom(0, 1, 5, 20, 59, 60, 10 ** 15),
        }),
      ),
      selection: fc.oneof(
        fc.constant({ fields: undefined, exclude: undefined }),
        subset.map((some) => ({ fields: some, exclude: undefined })),
        subset.map((some) => ({ fields: undefined, exclude: some })),
      ),
      isCounted: fc.boolean(),
      style: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
    })
    .map(({ paging, selection, style, ...rest }) => ({
      query: { ...rest, ...paging, ...selection },
      style,
    }));
}

/** The query string of a request, its parameters in any order. */
export function writeQuery({ query, style }: Written): string {
  let next = 0;
  const choose = (): number => style[(next += 1) % style.length] ?? 0;
  const item = (value: string, special: RegExp): string =>
    value === '' || special.test(value) || choose() % 4 === 0
      ? `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`
      : value;
  const valueOf = ({ operator, operands }: Filter): string =>
    lists.has(operator) ? operands.map((one) => item(one, /[",]/u)).join(',') : (operands[0] ?? '');
  const pieces: [string, string][] = [
    ...query.filters.map((one): [string, string] => [`${one.field}${one.operator}`, valueOf(one)]),
    ...query.groups.map((group): [string, string] => [
      '_or',
      group.map((one) => `${one.field}${one.operator}:${item(valueOf(one), /[",:]/u)}`).join(','),
    ]),
    ...query.ids.map((id): [string, string] => ['id', id]),
  ];
  if (query.sort.length > 0)
    pieces.push([
      'sort',
      query.sort
        .map(({ field: key, descending }) => `${descending ? '-' : ''}${key}`)
        .join(choose() % 2 === 0 ? ',' : ' , '),
    ]);
  if (query.nulls !== undefined) pieces.push(['nulls', query.nulls]);
  if (query.limit !== 20 || choose() % 2 === 0) pieces.push(['limit', String(query.limit)]);
  if (query.mode === 'offset' || query.start !== 1 || choose() % 2 === 0)
    pieces.push([query.mode, String(query.start)]);
  if (query.fields !== undefined) pieces.push(['fields', query.fields.join(',')]);
  if (query.exclude !== undefined) pieces.push(['exclude', query.exclude.join(',')]);
  const encode = (value: string): string => {
    const encoded = encodeURIComponent(value);
    return choose() % 2 === 0 ? encoded.replaceAll('%20', '+') : encoded;
  };
  return pieces
    .map((piece) => ({ piece, place: choose() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ piece: [name, value] }) => `${encode(name)}=${encode(value)}`)
    .join('&');
}
