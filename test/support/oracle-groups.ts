import type { Item, Kind, Row, Shape, Value, World } from './oracle-model.ts';
import { shapeAt, valueAt } from './oracle-paths.ts';
import { nameOf, type Path } from './oracle-query.ts';
import { compare, compareKeys, passes } from './oracle-values.ts';

/** An independent reading of docs/contract/9-groups-and-computed-fields.md over records in memory. */

/** What groups records, or what a function is of; `part`: the part of a date that groups. */
export interface GroupPath {
  readonly path: Path;
  readonly shape: Shape;
  readonly part?: string | undefined;
}

export interface GroupFunction {
  readonly name: string;
  /** Undefined for `count`. */
  readonly of: GroupPath | undefined;
}

/** One of the columns of groups: the key at a place, or a function. */
export type GroupColumn = number | GroupFunction;

export interface GroupQuery {
  readonly keys: readonly GroupPath[];
  readonly functions: readonly GroupFunction[];
  readonly having: readonly {
    readonly column: GroupColumn;
    readonly operator: string;
    readonly operand: string;
  }[];
  readonly sort: readonly { readonly column: GroupColumn; readonly descending: boolean }[];
  readonly nulls: 'first' | 'last' | undefined;
}

export function keyName({ path, part }: GroupPath): string {
  return `${nameOf(path)}${part === undefined ? '' : `:${part}`}`;
}

export function columnName({ keys }: GroupQuery, column: GroupColumn): string {
  if (typeof column === 'number') return keyName(keys[column] as GroupPath);
  return column.of === undefined ? column.name : `${column.name}.${nameOf(column.of.path)}`;
}

const number: Shape = {
  type: 'integer',
  kind: 'number',
  items: undefined,
  properties: undefined,
  values: undefined,
  definition: { type: 'integer' },
};
const text: Shape = { ...number, type: 'string', kind: 'text' };
const decimal: Shape = { ...number, type: 'decimal', kind: 'decimal' };

function shapeOf({ keys }: GroupQuery, column: GroupColumn): Shape {
  if (typeof column === 'number') {
    const { shape, part } = keys[column] as GroupPath;
    return part === undefined ? shape : part === 'weekday' ? number : text;
  }
  if (column.name === 'sum' || column.name === 'avg') return decimal;
  return column.name === 'min' || column.name === 'max' ? (column.of?.shape ?? number) : number;
}

/** The first moment of the ISO week of a day. */
function mondayOf(day: Date): Date {
  const monday = new Date(day);
  monday.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return monday;
}

function partOf(value: Value, part: string): Value {
  const moment = new Date(String(value));
  const iso = moment.toISOString();
  switch (part) {
    case 'year':
      return iso.slice(0, 4);
    case 'quarter':
      return `${iso.slice(0, 4)}-Q${Math.floor(moment.getUTCMonth() / 3) + 1}`;
    case 'month':
      return iso.slice(0, 7);
    case 'day':
      return iso.slice(0, 10);
    case 'hour':
      return iso.slice(0, 13);
    case 'weekday':
      return ((moment.getUTCDay() + 6) % 7) + 1;
    case 'week': {
      // The year of a week is that of its Thursday.
      const day = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
      const thursday = mondayOf(day);
      thursday.setUTCDate(thursday.getUTCDate() + 3);
      const year = thursday.toISOString().slice(0, 4);
      const first = mondayOf(new Date(`${year}-01-04T00:00:00Z`));
      const week = Math.round((mondayOf(day).getTime() - first.getTime()) / 604_800_000) + 1;
      return `${year}-W${String(week).padStart(2, '0')}`;
    }
    default:
      throw new Error(`A date has no ${part}`);
  }
}

function valueOf(world: World, row: Row, { path, part }: GroupPath): Value {
  let at: Row | undefined = row;
  for (const { relation } of path.steps) at = at && world.related(at, relation)[0];
  const value = at === undefined ? null : valueAt(at, path);
  return value === null || part === undefined ? value : partOf(value, part);
}

function scaleOf({ type, definition }: Shape): number {
  return type === 'decimal' ? (definition.scale ?? 2) : 0;
}

function written(digits: bigint, scale: number): string {
  const sign = digits < 0n ? '-' : '';
  const padded = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return scale === 0
    ? `${sign}${padded}`
    : `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

function digitsOf(value: Value, scale: number): bigint {
  const [whole = '', fraction = ''] = String(value).split('.');
  return BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
}

function functionOf(world: World, rows: readonly Row[], { name, of }: GroupFunction): Value {
  if (of === undefined) return rows.length;
  const values = rows.map((row) => valueOf(world, row, of)).filter((value) => value !== null);
  const { kind } = of.shape;
  if (name === 'countDistinct') return new Set(values.map((one) => JSON.stringify(one))).size;
  const [least] = values;
  if (least === undefined) return null;
  const sorted = values.toSorted((a, b) => compare(kind, a, b));
  if (name === 'min') return sorted[0] ?? null;
  if (name === 'max') return sorted.at(-1) ?? null;
  const scale = scaleOf(of.shape);
  const sum = values.reduce((all: bigint, value) => all + digitsOf(value, scale), 0n);
  if (name === 'sum') {
    const exact = written(sum, scale);
    return of.shape.type !== 'decimal' && Number.isSafeInteger(Number(exact))
      ? Number(exact)
      : exact;
  }
  const [top, count] = [(sum < 0n ? -sum : sum) * 1_000_000n, BigInt(values.length)];
  const rounded = (2n * top + count) / (2n * count);
  return written(sum < 0n ? -rounded : rounded, scale + 6);
}

/** Everything that may be asked of a group. */
interface Group {
  readonly keys: readonly Value[];
  readonly rows: readonly Row[];
}

function columnOf(world: World, { keys, rows }: Group, column: GroupColumn): Value {
  return typeof column === 'number' ? (keys[column] ?? null) : functionOf(world, rows, column);
}

/** The groups that these records are answered with, all pages of them. */
export function groupsOf(world: World, rows: readonly Row[], query: GroupQuery): readonly Item[] {
  const groups = new Map<string, { readonly keys: readonly Value[]; readonly rows: Row[] }>();
  if (query.keys.length === 0) groups.set('[]', { keys: [], rows: [] });
  for (const row of rows) {
    const keys = query.keys.map((key) => valueOf(world, row, key));
    const name = JSON.stringify(keys);
    const group = groups.get(name) ?? { keys, rows: [] };
    group.rows.push(row);
    groups.set(name, group);
  }
  const kept = [...groups.values()].filter((group) =>
    query.having.every(({ column, operator, operand }) =>
      passes(shapeOf(query, column), columnOf(world, group, column), operator, [operand]),
    ),
  );
  const order = [
    ...query.sort,
    ...query.keys.map((_, index) => ({ column: index as GroupColumn, descending: false })),
  ].map((key) => ({ ...key, kind: shapeOf(query, key.column).kind }));
  const valued = kept.map((group) => ({
    group,
    values: order.map(({ column }) => columnOf(world, group, column)),
  }));
  const difference = (a: Value, b: Value, kind: Kind, descending: boolean): number =>
    compareKeys(kind, a, b, { descending, nulls: query.nulls });
  valued.sort((a, b) => {
    for (const [index, { kind, descending }] of order.entries()) {
      const found = difference(a.values[index] ?? null, b.values[index] ?? null, kind, descending);
      if (found !== 0) return found;
    }
    return 0;
  });
  return valued.map(({ group }) => shown(world, group, query));
}

function shown(world: World, group: Group, { keys, functions }: GroupQuery): Item {
  const item: Record<string, Value> = {
    group: Object.fromEntries(keys.map((key, index) => [keyName(key), group.keys[index] ?? null])),
  };
  for (const one of functions) {
    const value = functionOf(world, group.rows, one);
    if (one.of === undefined) item[one.name] = value;
    else
      item[one.name] = {
        ...(item[one.name] as Item | undefined),
        [nameOf(one.of.path)]: value,
      };
  }
  return item;
}

/** What a path leads to, where groups and functions can take it; undefined where they cannot. */
export function groupPathOf(world: World, resource: string, path: Path): GroupPath | undefined {
  let at = resource;
  for (const { relation } of path.steps)
    at = world.resource(at).relations.get(relation)?.targets[0] ?? '';
  const shape = shapeAt(world.resource(at).fields, path.names);
  const isSingle =
    shape !== undefined &&
    shape.kind !== 'found' &&
    !['object', 'json', 'array'].includes(shape.type) &&
    !(path.names.length > 1 && shape.type === 'decimal');
  return isSingle ? { path, shape } : undefined;
}
