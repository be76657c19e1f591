/**
 * An independent reading of contract 2 for lists: filters, order, pages and their headers, over records in memory.
 * It shares no code with the service, takes the simplest way to each answer, and knows nothing of SQL.
 */

export type Value = string | number | boolean | null | readonly Value[];
export type Item = Readonly<Record<string, Value>>;

/** The types that are compared in different ways. */
export type Kind = 'string' | 'number' | 'decimal' | 'boolean' | 'datetime' | 'uuid';

export interface Column {
  readonly kind: Kind;
  /** An array of values of this kind. */
  readonly isArray: boolean;
}

export type Columns = Readonly<Record<string, Column>>;

/** A filter with its operand as the client writes it, before any quoting. */
export interface Filter {
  readonly field: string;
  readonly operator: string;
  readonly operands: readonly string[];
}

export interface Query {
  readonly filters: readonly Filter[];
  readonly groups: readonly (readonly Filter[])[];
  /** Of plain `id=…`, which are a union where there are several. */
  readonly ids: readonly string[];
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  readonly nulls: 'first' | 'last' | undefined;
  readonly limit: number;
  /** The page, or the offset. */
  readonly mode: 'page' | 'offset';
  readonly start: number;
  readonly fields: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  readonly isCounted: boolean;
}

export interface Expected {
  readonly records: readonly Item[];
  readonly page: string;
  readonly limit: string;
  readonly total: string | null;
  readonly pages: string | null;
  /** What `page` or `offset` is in each link. */
  readonly links: Readonly<Record<string, number>>;
}

function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A decimal as a whole number of 10⁻³⁰. */
function scaled(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/u.exec(text) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(30, '0')}`);
}

/** Compares two values that are not null: one stored, the other stored or written by a client. */
function compare(kind: Kind, a: Value, b: Value): number {
  switch (kind) {
    case 'number':
      return Number(a) - Number(b);
    case 'boolean':
      return Number(String(a) === 'true') - Number(String(b) === 'true');
    case 'decimal': {
      const [left, right] = [scaled(String(a)), scaled(String(b))];
      return left < right ? -1 : left > right ? 1 : 0;
    }
    case 'datetime': {
      const moment = (value: Value): number =>
        Date.parse(
          /T/iu.test(String(value)) ? String(value).toUpperCase() : `${String(value)}T00:00:00Z`,
        );
      return moment(a) - moment(b);
    }
    case 'uuid':
      return byCodePoint(String(a).toLowerCase(), String(b).toLowerCase());
    case 'string':
      return byCodePoint(String(a), String(b));
    default:
      return kind satisfies never;
  }
}

function matches(item: Item, { field, operator, operands }: Filter, columns: Columns): boolean {
  const column = columns[field];
  const value = item[field];
  if (column === undefined || value === undefined) throw new Error(`The oracle has no ${field}`);
  const { kind } = column;
  const [operand = ''] = operands;
  const isNull = value === null;
  const isIn = (): boolean => !isNull && operands.some((one) => compare(kind, value, one) === 0);
  const has = (wanted: string): boolean =>
    Array.isArray(value) &&
    value.some((one: Value) => one !== null && compare(kind, one, wanted) === 0);
  switch (operator) {
    case '':
    case '_eq':
    case '_in':
      return isIn();
    case '_neq':
    case '_nin':
      return !isIn();
    case '_gt':
      return !isNull && compare(kind, value, operand) > 0;
    case '_gte':
      return !isNull && compare(kind, value, operand) >= 0;
    case '_lt':
      return !isNull && compare(kind, value, operand) < 0;
    case '_lte':
      return !isNull && compare(kind, value, operand) <= 0;
    case '_like':
      return !isNull && String(value).includes(operand);
    case '_ilike': {
      // Regular expressions with these flags fold as CaseFolding does, C and S.
      const literal = operand.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
      return !isNull && new RegExp(literal, 'iu').test(String(value));
    }
    case '_exists':
      return isNull !== (operand === 'true');
    case '_null':
      return isNull === (operand === 'true');
    case '_contains':
    case '_containsAny':
      return operands.some(has);
    case '_containsAll':
      return !isNull && operands.every(has);
    default:
      throw new Error(`The oracle does not know ${operator}`);
  }
}

/** What a record sorts by: an array by its first element. */
function sortValue(item: Item, field: string): Value {
  const value = item[field] ?? null;
  return Array.isArray(value) ? ((value[0] as Value | undefined) ?? null) : value;
}

function inOrder(
  items: readonly Item[],
  { sort, nulls }: Query,
  columns: Columns,
): readonly Item[] {
  const last = sort.at(-1);
  const keys = sort.some(({ field }) => field === 'id')
    ? sort
    : [...sort, { field: 'id', descending: last?.descending ?? false }];
  return items.toSorted((a, b) => {
    for (const { field, descending } of keys) {
      const [left, right] = [sortValue(a, field), sortValue(b, field)];
      if (left === null && right === null) continue;
      if (left === null || right === null) {
        const isFirst = nulls === undefined ? !descending : nulls === 'first';
        return (left === null) === isFirst ? -1 : 1;
      }
      const difference = compare(columns[field]?.kind ?? 'string', left, right);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  });
}

function project(item: Item, { fields, exclude }: Query): Item {
  const isNamed = (name: string, patterns: readonly string[]): boolean =>
    patterns.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 'u').test(name));
  return Object.fromEntries(
    Object.entries(item).filter(
      ([name]) =>
        name === 'id' ||
        ((fields === undefined || isNamed(name, fields)) &&
          !(exclude !== undefined && isNamed(name, exclude))),
    ),
  );
}

function linksOf(
  { mode, start, limit, isCounted }: Query,
  total: number,
  shown: number,
): Record<string, number> {
  const offset = mode === 'page' ? (start - 1) * limit : start;
  const links: Record<string, number> = {};
  if (total === 0 && (isCounted || offset === 0)) return links;
  const pages = Math.ceil(total / limit);
  const place = (page: number): number => (mode === 'page' ? page : (page - 1) * limit);
  links['first'] = place(1);
  if (offset > 0 && offset < total)
    links['prev'] = mode === 'page' ? start - 1 : Math.max(0, offset - limit);
  if (offset >= total && isCounted) links['prev'] = place(pages);
  if (offset + shown < total && shown > 0)
    links['next'] = mode === 'page' ? start + 1 : offset + limit;
  if (isCounted) links['last'] = place(pages);
  return links;
}

/** What a list request gives. */
export function answerOf(items: readonly Item[], query: Query, columns: Columns): Expected {
  const found = items.filter(
    (item) =>
      query.filters.every((filter) => matches(item, filter, columns)) &&
      query.groups.every((group) => group.some((filter) => matches(item, filter, columns))) &&
      (query.ids.length === 0 ||
        query.ids.some((id) => compare('uuid', item['id'] ?? '', id) === 0)),
  );
  const { mode, start, limit, isCounted } = query;
  const offset = mode === 'page' ? (start - 1) * limit : start;
  const records = inOrder(found, query, columns).slice(offset, offset + limit);
  return {
    records: records.map((item) => project(item, query)),
    page: String(mode === 'page' ? start : Math.floor(offset / limit) + 1),
    limit: String(limit),
    total: isCounted ? String(found.length) : null,
    pages: isCounted ? String(Math.ceil(found.length / limit)) : null,
    links: linksOf(query, found.length, records.length),
  };
}
