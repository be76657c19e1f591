import type { Field, Resource } from '../model/api.ts';
import { isNumbered } from '../model/field-types/id.ts';
import type { JsonValue } from '../specification/specification.ts';
import { keyOf, Random } from './random.ts';

/** The time of row 0 in generated UUIDv7 ids. Each row adds a millisecond, so ids sort like rows. */
const firstTime = Date.parse('2025-01-01T00:00:00.000Z');
const random = new Random();

/** The number of a row as an id that the database counts. */
export function countedId({ type }: Field, row: number): JsonValue {
  return type.json === 'string' ? String(row) : row;
}

/** The id of a generated row: its number, or a UUIDv7 that contains the number. */
export function idOf(resource: Resource, row: number, seed: number): JsonValue {
  if (isNumbered(resource.id)) return countedId(resource.id, row);
  random.start(keyOf(seed, resource.name, 'id'), row);
  const hex = (digits: number): string =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  const time = (firstTime + row).toString(16).padStart(12, '0');
  const variant = '89ab'.charAt(random.below(4));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
}

/** An upper bound of generated text ids. */
export const lastTextId = `${(firstTime + 0x1_0000_0000).toString(16).padStart(12, '0').slice(0, 8)}-ffff-7fff-bfff-ffffffffffff`;

/** The row number of a generated id; undefined for other ids. */
export function rowOfId(resource: Resource, id: JsonValue, seed: number): number | undefined {
  if (isNumbered(resource.id)) {
    const number = Number(id);
    return Number.isSafeInteger(number) && number >= 1 ? number : undefined;
  }
  if (typeof id !== 'string' || !/^[0-9a-f]{8}-[0-9a-f]{4}-7/u.test(id)) return undefined;
  const row = Number.parseInt(`${id.slice(0, 8)}${id.slice(9, 13)}`, 16) - firstTime;
  return row >= 1 && idOf(resource, row, seed) === id ? row : undefined;
}
