import type { Field, Resource } from '../../model/api.ts';

/** Rows grouped by their owner, for `per`. The rows of an owner follow each other. */
export class Groups {
  /** The number of rows of an owner, counted from 0. */
  private readonly sizeOf: (owner: number) => number;
  /** The number of rows before every 256th owner. */
  private readonly marks: number[] = [0];
  private readonly owners: number;
  readonly total: number;
  /** Where the last row was found, since the next one is near. */
  private owner = 0;
  private before = 0;

  constructor(owners: number, sizeOf: (owner: number) => number) {
    this.owners = owners;
    this.sizeOf = sizeOf;
    let total = 0;
    for (let owner = 0; owner < owners; owner += 1) {
      if (owner % 256 === 0) this.marks[owner / 256] = total;
      total += sizeOf(owner);
    }
    this.total = total;
  }

  /** The owner of a row, and its index among the rows of that owner, from 0. */
  locate(row: number): { readonly owner: number; readonly index: number } {
    if (row < this.before || row > this.before + 4_096) this.jump(row);
    for (;;) {
      const size = this.owner < this.owners ? this.sizeOf(this.owner) : Infinity;
      if (row < this.before + size) return { owner: this.owner, index: row - this.before };
      this.before += size;
      this.owner += 1;
    }
  }

  private jump(row: number): void {
    let [low, high] = [0, this.marks.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.marks[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    this.owner = low * 256;
    this.before = this.marks[low] ?? 0;
  }
}

/** The key of the belongsTo that `per` names. */
export function perKeyOf({ relations }: Resource, per: string | undefined): Field | undefined {
  const relation = relations.get(per ?? '');
  return relation?.kind === 'belongsTo' ? relation.key : undefined;
}
