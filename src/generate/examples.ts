import { getOrInsert } from '../lib/get-or-insert.ts';
import type { Field, Resource } from '../model/api.ts';
import type { ExampleRows } from '../openapi/document/example.ts';
import type { JsonValue } from '../specification/specification.ts';
import { distinctLists } from './distinct/lists.ts';
import type { Generator as DataGenerator } from './generator.ts';
import { rowOfId } from './ids.ts';
import { unlessProblem } from './problem.ts';
import type { RowValues } from './row-values.ts';

/** The rows of a generator as examples of a document. Keys of rows after the last lead to existing rows, too. */
export function exampleRows(generator: DataGenerator): ExampleRows {
  const known = new Map<Resource, Map<number, RowValues>>();
  const countOf = (resource: Resource): number =>
    unlessProblem(() => generator.countOf(resource)) ?? 0;
  const made = (field: Field, number: number): JsonValue | undefined => {
    const { resource } = field;
    const rows = generator.rowsOf(resource);
    const position = rows.positionOf(field.name);
    const ofResource = getOrInsert(known, resource, () => new Map<number, RowValues>());
    const row = getOrInsert(ofResource, number, () => rows.row(number));
    return position === undefined ? undefined : row.at(position);
  };
  const isThere = ({ reference }: Field, value: JsonValue | undefined): boolean => {
    if (reference === undefined || reference.field !== reference.resource.id) return true;
    if (value === null || value === undefined) return true;
    const row = rowOfId(reference.resource, value, generator.settings.seed);
    return row === undefined || row <= countOf(reference.resource);
  };
  const valueOf: ExampleRows['valueOf'] = (field, number) =>
    unlessProblem(() => {
      const value = made(field, number);
      return isThere(field, value) ? value : made(field, 1);
    });
  return {
    countOf,
    valueOf,
    freeOf: (resource, values) =>
      unlessProblem(() => freeOf(resource, values, { generator, countOf, valueOf })),
  };
}

/** With more rows than this, no free value is searched. */
const searchable = 5_000;

type Values = ReadonlyMap<Field, JsonValue>;

/** The rows that exist. */
interface Filled {
  readonly generator: DataGenerator;
  readonly countOf: (resource: Resource) => number;
  readonly valueOf: (field: Field, row: number) => JsonValue | undefined;
}

/**
 * Values with which another record can be created. Unique keys and listed values that a row has already are replaced with
 * free ones; undefined if there are none.
 */
function freeOf(resource: Resource, values: Values, filled: Filled): Values | undefined {
  const rows = filled.generator.rowsOf(resource);
  const count = filled.countOf(resource);
  const isNarrow = count + 1 > rows.capacity;
  const lists = [
    ...rows.fields.filter((field) => field.unique).map((field) => [field]),
    ...distinctLists(resource, filled.generator.resources),
  ].filter(
    (list) =>
      list.every((field) => values.has(field)) &&
      (isNarrow || list.length > 1 || list[0]?.reference !== undefined),
  );
  if (lists.length === 0) return values;
  if (count > searchable) return isNarrow ? undefined : values;
  const taken = lists.map((list) => {
    const texts = new Set<string>();
    for (let row = 1; row <= count; row += 1)
      texts.add(textOf(list, (field) => filled.valueOf(field, row)));
    return texts;
  });
  const isFree = (list: readonly Field[], index: number, those: Values): boolean =>
    list.some((field) => those.get(field) === null) ||
    taken[index]?.has(textOf(list, (field) => those.get(field))) === false;
  let free = values;
  for (const [index, list] of lists.entries()) {
    if (isFree(list, index, free)) continue;
    const found = changed(list, free, filled, (those) => isFree(list, index, those));
    if (found === undefined) return undefined;
    free = found;
  }
  return lists.every((list, index) => isFree(list, index, free)) ? free : undefined;
}

function textOf(list: readonly Field[], valueOf: (field: Field) => JsonValue | undefined): string {
  return JSON.stringify(list.map(valueOf));
}

/** How many later rows are tried for values that belong together, such as a type and an id. */
const laterRows = 200;

/** The values with those of a later row for the list, or with one field replaced, by the first that will do. */
function changed(
  list: readonly Field[],
  values: Values,
  filled: Filled,
  willDo: (those: Values) => boolean,
): Values | undefined {
  const [first] = list;
  const count = first === undefined ? 0 : filled.countOf(first.resource);
  for (let row = count + 1; row <= count + laterRows; row += 1) {
    const those = new Map(values);
    for (const field of list) {
      const value = filled.valueOf(field, row);
      if (value !== undefined && value !== null) those.set(field, value);
    }
    if (willDo(those)) return those;
  }
  for (const field of list)
    for (const other of othersOf(field, filled)) {
      const those = new Map(values).set(field, other);
      if (willDo(those)) return those;
    }
  return undefined;
}

/** The other values of a key or a field with listed values. */
function* othersOf(field: Field, { countOf, valueOf }: Filled): Generator<JsonValue> {
  const { reference } = field;
  if (reference === undefined) yield* field.values ?? [];
  else {
    const count = Math.min(searchable, countOf(reference.resource));
    for (let row = 1; row <= count; row += 1) {
      const value = valueOf(reference.field, row);
      if (value !== undefined && value !== null) yield value;
    }
  }
  if (field.nullable) yield null;
}
