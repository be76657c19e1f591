import type { JsonValue } from '../specification/specification.ts';
import type { Random } from './random.ts';
import type { Row } from './source.ts';

/** What makes the values of a row. */
interface Maker {
  /** The value of a field, by its position in the resource. */
  readonly make: (row: RowValues, position: number) => JsonValue;
  readonly positionOf: (name: string) => number | undefined;
  /** Says of a field that its value would need itself. */
  readonly circle: (position: number) => Error;
  readonly keeping: <Value>(work: () => Value) => Value;
  readonly aside: <Value>(
    concept: string,
    number: number,
    draw: (random: Random) => Value,
  ) => Value;
}

/** The values of one row, each made when it is first asked for. */
export class RowValues implements Row {
  readonly number: number;
  readonly whole: Row = this;
  private readonly rows: Maker;
  private readonly values: (JsonValue | undefined)[];
  private readonly open: boolean[] = [];
  private asides: Map<string, unknown> | undefined;

  constructor(rows: Maker, number: number) {
    this.rows = rows;
    this.number = number;
    this.values = [];
  }

  at(position: number): JsonValue {
    const known = this.values[position];
    if (known !== undefined) return known;
    if (this.open[position] === true) throw this.rows.circle(position);
    this.open[position] = true;
    try {
      const value = this.rows.make(this, position);
      this.values[position] = value;
      return value;
    } finally {
      this.open[position] = false;
    }
  }

  /** The value of a field of the resource. */
  of({ name }: { readonly name: string }): JsonValue {
    return this.at(this.rows.positionOf(name) ?? -1);
  }

  readonly sibling = (name: string): JsonValue | undefined => {
    const position = this.rows.positionOf(name);
    return position === undefined ? undefined : this.rows.keeping(() => this.at(position));
  };

  /** What a concept gives is the same for all fields of the row that ask for it, so it is drawn once. */
  readonly aside = <Value>(concept: string, draw: (random: Random) => Value): Value => {
    this.asides ??= new Map();
    const known = this.asides.get(concept);
    if (known !== undefined || this.asides.has(concept)) return known as Value;
    const value = this.rows.aside(concept, this.number, draw);
    this.asides.set(concept, value);
    return value;
  };
}
