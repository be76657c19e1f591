import type { RequestRow } from '../../../../src/http/dashboard/wire.ts';
import { columnOf, isColumn, textOf, type Column, type ColumnName } from './columns.ts';

/** What a column of a request must be, or must not be. */
export interface Condition {
  readonly column: ColumnName;
  readonly isNot: boolean;
  /** A value; of statuses a class (`4xx`) or `errors`; of amounts `>100` or `<100`. */
  readonly value: string;
}

export interface RequestFilter {
  /** Words, each of which is somewhere in what a row shows. */
  readonly text: string;
  readonly conditions: readonly Condition[];
  /** Whether requests of the dashboard itself are left in; a condition that asks for them does so, too: see `includesOwn`. */
  readonly showsOwn: boolean;
  /** The column by which the rows are sorted, with `-` before it for the largest first. */
  readonly sort: string;
}

/** The newest requests first. */
export const byDefault = '-time';
/** The prefix of a parameter that leaves rows out. */
const without = 'not.';
/** The parameter that leaves the requests of the dashboard itself in, and its value. */
const [ownName, ownShown] = ['own', 'shown'];

/** The filter in the parameters of the URL: `status=4xx&not.method=OPTIONS&duration=>100&text=words&own=shown&sort=-duration`. */
export function readFilter(parameters: URLSearchParams): RequestFilter {
  const conditions = [...parameters].flatMap(([name, value]): Condition[] => {
    const isNot = name.startsWith(without);
    const column = isNot ? name.slice(without.length) : name;
    return isColumn(column) && value !== '' ? [{ column, isNot, value }] : [];
  });
  const sort = parameters.get('sort') ?? '';
  return {
    text: parameters.get('text') ?? '',
    conditions,
    showsOwn: parameters.get(ownName) === ownShown,
    sort: isColumn(sort.replace(/^-/u, '')) ? sort : byDefault,
  };
}

/** The parameters with another filter in them; those that are no part of it stay. */
export function writeFilter(parameters: URLSearchParams, filter: RequestFilter): URLSearchParams {
  const others = [...parameters].filter(
    ([name]) =>
      !['text', 'sort', ownName].includes(name) && !isColumn(name) && !name.startsWith(without),
  );
  return new URLSearchParams([
    ...(filter.text === '' ? [] : [['text', filter.text]]),
    ...filter.conditions.map(({ column, isNot, value }) => [
      isNot ? without + column : column,
      value,
    ]),
    ...(filter.showsOwn ? [[ownName, ownShown]] : []),
    ...(filter.sort === byDefault ? [] : [['sort', filter.sort]]),
    ...others,
  ]);
}

/** The filter with a condition that takes the place of its contrary. */
export function withCondition(filter: RequestFilter, added: Condition): RequestFilter {
  const others = filter.conditions.filter(
    ({ column, value }) => column !== added.column || value !== added.value,
  );
  return { ...filter, conditions: [...others, added] };
}

export function withoutCondition(filter: RequestFilter, removed: Condition): RequestFilter {
  return { ...filter, conditions: filter.conditions.filter((one) => one !== removed) };
}

/** Whether a condition asks for requests of the dashboard itself. */
function asksForOwn({ column, isNot, value }: Condition): boolean {
  return column === 'mark' && value === 'own' && !isNot;
}

/** Whether requests of the dashboard itself are left in. */
export function includesOwn({ showsOwn, conditions }: RequestFilter): boolean {
  return showsOwn || conditions.some(asksForOwn);
}

/** The filter with the requests of the dashboard itself left in, or left out. */
export function withOwn(filter: RequestFilter, showsOwn: boolean): RequestFilter {
  const conditions = filter.conditions.filter((one) => showsOwn || !asksForOwn(one));
  return { ...filter, showsOwn, conditions };
}

/** The rows among which a filter looks: all of them, or those that the dashboard has not sent itself. */
export function amongRows(
  rows: readonly RequestRow[],
  filter: RequestFilter,
): readonly RequestRow[] {
  return includesOwn(filter) ? rows : rows.filter(({ isOwn }) => !isOwn);
}

/** The rows that a filter leaves, sorted; of equal ones the newer first. `now` in ms. */
export function filtered(
  rows: readonly RequestRow[],
  filter: RequestFilter,
  now: number,
): readonly RequestRow[] {
  const { text, conditions, sort } = filter;
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const byColumn = Map.groupBy(conditions, ({ column }) => column);
  const found = amongRows(rows, filter).filter((row) => {
    for (const of of byColumn.values()) {
      const wanted = of.filter(({ isNot }) => !isNot);
      if (wanted.length > 0 && !wanted.some((one) => holds(one, row, now))) return false;
      if (of.some((one) => one.isNot && holds(one, row, now))) return false;
    }
    if (words.length === 0) return true;
    const all = textOf(row);
    // The id of a request is not shown; a part of one would be found by chance.
    return words.every((word) => all.includes(word) || word === row.id.toLowerCase());
  });
  return sort === byDefault ? found : sorted(found, sort);
}

function sorted(rows: readonly RequestRow[], sort: string): readonly RequestRow[] {
  const isDescending = sort.startsWith('-');
  const name = sort.replace(/^-/u, '');
  if (!isColumn(name)) return rows;
  const { order } = columnOf(name);
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [order(a), order(b)];
    return one < other ? -sign : one > other ? sign : 0;
  });
}

function holds({ column, value }: Condition, row: RequestRow, now: number): boolean {
  const { values, isPart, order }: Column = columnOf(column);
  if (column === 'status') return isStatus(row.status, value);
  if (column === 'time') return isAmount((now - Date.parse(row.time)) / 1_000, value);
  if (values === undefined) return isAmount(Number(order(row)), value);
  return values(row).some((one) => (isPart === true ? one.includes(value) : one === value));
}

function isStatus(status: number, value: string): boolean {
  if (value === 'errors') return status >= 400;
  return /^[1-5]xx$/u.test(value)
    ? String(status).startsWith(value.charAt(0))
    : String(status) === value;
}

/** Whether an amount is `>` at least or `<` less than what stands behind that, else equal. An unknown amount (-1) is none. */
function isAmount(amount: number, value: string): boolean {
  const [, sign = '', text = ''] = /^([<>]?)(.*)$/u.exec(value) ?? [];
  const bound = Number(text);
  if (text === '' || Number.isNaN(bound) || amount < 0) return false;
  if (sign === '>') return amount >= bound;
  return sign === '<' ? amount < bound : Math.round(amount) === bound;
}

/** A condition in words. */
export function conditionText({ column, isNot, value }: Condition): string {
  const { label, unit, isPart }: Column = columnOf(column);
  if (column === 'status' && value === 'errors')
    return `Status is ${isNot ? 'not ' : ''}4xx or 5xx`;
  if (unit !== undefined) {
    const [, sign = '', text = ''] = /^([<>]?)(.*)$/u.exec(value) ?? [];
    const words = { '>': 'at least', '<': 'below' }[sign] ?? 'exactly';
    return `${label} ${isNot ? 'not ' : ''}${words} ${text} ${unit}`;
  }
  const is = isPart === true ? (isNot ? 'without' : 'contains') : isNot ? 'is not' : 'is';
  return `${label} ${is} ${value}`;
}

export interface Facet {
  readonly value: string;
  readonly count: number;
}

/** The values of a column among rows, the most frequent first; of statuses their classes too. */
export function facetsOf(rows: readonly RequestRow[], name: ColumnName): readonly Facet[] {
  const { values }: Column = columnOf(name);
  if (values === undefined) return [];
  const counts = new Map<string, number>();
  for (const row of rows) {
    const own = values(row);
    const all = name === 'status' ? [`${own[0]?.charAt(0)}xx`, ...own] : own;
    for (const value of all) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) =>
      name === 'status'
        ? a.value < b.value
          ? 1
          : -1
        : b.count - a.count || (a.value < b.value ? -1 : 1),
    );
}
