import type { Field, Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { distinctLists } from './lists.ts';
import type { Generator as DataGenerator } from '../generator.ts';

/** So many rows are looked through for what they leave free; where there are more, nothing is looked for. */
const searchable = 5_000;

export type Values = ReadonlyMap<Field, JsonValue>;

/** What the search asks the rows for. */
export interface Filled {
  readonly generator: DataGenerator;
  readonly countOf: (resource: Resource) => number;
  readonly valueOf: (field: Field, row: number) => JsonValue | undefined;
}

/**
 * The values with which a record can be added to those that are filled: where its row is one too many to be told apart,
 * keys and listed values that have to be distinct become some that no row has. Undefined where all are taken.
 */
export function freeOf(resource: Resource, values: Values, filled: Filled): Values | undefined {
  const rows = filled.generator.rowsOf(resource);
  const count = filled.countOf(resource);
  const isNarrow = count + 1 > rows.capacity;
  const lists = [
    ...rows.fields.filter((field) => field.unique).map((field) => [field]),
    ...distinctLists(resource, filled.generator.resources),
  ].filter((list) => list.every((field) => values.has(field)) && (isNarrow || list.length > 1));
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

/** The values with another one for one of the fields, the first that will do. */
function changed(
  list: readonly Field[],
  values: Values,
  filled: Filled,
  willDo: (those: Values) => boolean,
): Values | undefined {
  for (const field of list)
    for (const other of othersOf(field, filled)) {
      const those = new Map(values).set(field, other);
      if (willDo(those)) return those;
    }
  return undefined;
}

/** What else a key or a field that lists its values may be. */
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
