import type { JsonValue } from '../specification/specification.ts';
import type { Random } from './random.ts';
import type { Times } from './settings.ts';
import type { Row } from './source.ts';

/** Makes the values of rows. */
interface Maker {
  /** The value of a field, by its position in the resource. */
  readonly make: (row: RowValues, position: number) => JsonValue;
  readonly positionOf: (name: string) => number | undefined;
  /** The error for a value that needs itself. */
  readonly circle: (position: number) => Error;
  readonly keeping: <Value>(work: () => Value) => Value;
  readonly times: Times;
  readonly ownersCreated: (row: RowValues) => number;
  readonly shared: <Value>(
    concept: string,
    number: number,
    draw: (random: Random) => Value,
  ) => Value;
}

/** The values of one row, each generated on first use. */
export class RowValues implements Row {
  readonly number: number;
  readonly whole: Row = this;
  private readonly rows: Maker;
  private readonly values: (JsonValue | undefined)[];
  private readonly open: boolean[] = [];
  private sharedValues: Map<string, unknown> | undefined;

  constructor(rows: Maker, number: number) {
    this.rows = rows;
    this.number = number;
    this.values = [];
  }

  get times(): Times {
    return this.rows.times;
  }

  readonly ownersCreated = (): number => this.rows.ownersCreated(this);

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

  /** All fields of the row share the value of a concept, so it is drawn once. */
  readonly shared = <Value>(concept: string, draw: (random: Random) => Value): Value => {
    this.sharedValues ??= new Map();
    const known = this.sharedValues.get(concept);
    if (known !== undefined || this.sharedValues.has(concept)) return known as Value;
    const value = this.rows.shared(concept, this.number, draw);
    this.sharedValues.set(concept, value);
    return value;
  };
}
