import type { Field } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { permuted, type Key } from '../random.ts';
import type { Dimension } from './dimensions.ts';

/** Fields that are distinct, alone or together, among rows and records that were stored before. */
export interface DistinctFields {
  /** The lists of fields whose values together are distinct. */
  readonly lists: readonly (readonly Field[])[];
  /**
   * Avoids the values of stored records, those of each list as JSON; undefined if there are none. Rows up to `last` are
   * stored, and the rows after it have to be made in order.
   */
  readonly avoid: (stored: readonly ReadonlySet<string>[] | undefined, last: number) => void;
}

/**
 * Gives each row another value of one dimension, in an order that a key fixes: a row has the same value whatever rows
 * there are, and needs none of them. Beside stored records the rows that come get the values that none of these has.
 */
export class DistinctPlaces implements DistinctFields {
  readonly lists: DistinctFields['lists'];
  private readonly dimension: Dimension;
  private readonly key: Key;
  private stored: ReadonlySet<string> | undefined;
  private last = 0;
  private next = 0;
  private readonly given = new Map<number, number>();

  constructor(dimension: Dimension, key: Key) {
    this.dimension = dimension;
    this.key = key;
    this.lists = [dimension.fields];
  }

  avoid(stored: readonly ReadonlySet<string>[] | undefined, last: number): void {
    this.stored = stored?.[0];
    this.last = last;
    this.next = 0;
    this.given.clear();
  }

  /** The position of a row in the order; from `dimension.size` on there is no value for it. */
  indexOf(number: number): number {
    const { stored, dimension, given } = this;
    if (stored === undefined || number <= this.last) return number - 1;
    const known = given.get(number);
    if (known !== undefined) return known;
    let index = this.next;
    while (index < dimension.size && stored.has(JSON.stringify(this.valuesAt(index)))) index += 1;
    this.next = index + 1;
    given.set(number, index);
    return index;
  }

  /** The place of a row; of more rows than values, that of an earlier row. */
  placeOf(number: number): number {
    return permuted(this.indexOf(number), this.dimension.size, this.key);
  }

  private valuesAt(index: number): readonly JsonValue[] {
    const { fields, size, valueAt } = this.dimension;
    const place = permuted(index, size, this.key);
    return fields.map((field) => valueAt(place, field));
  }
}
