import { unreachable, type Position } from '../../position.ts';

/** How many callers are remembered. */
const most = 10_000;

/** The positions of the last writes of callers. A position that is dropped counts for all callers from then on. */
export class RememberedPositions {
  /** In the order of their last writes. */
  private readonly byCaller = new Map<string, Position>();
  /** Callers whose position could not be told when they wrote. */
  private untold = new Set<string>();
  private dropped: Position = 0;

  set(caller: string, position: Position): void {
    const known = this.byCaller.get(caller) ?? 0;
    this.byCaller.delete(caller);
    // Answers come in the order of the writes, so a position that is known is behind one that was not told.
    this.byCaller.set(caller, known === unreachable ? position : Math.max(known, position));
    if (position === unreachable) this.untold.add(caller);
    if (this.byCaller.size > most) this.drop();
  }

  get(caller: string): Position {
    return Math.max(this.byCaller.get(caller) ?? 0, this.dropped);
  }

  /** Takes the callers whose position was not told; the result is to be called with a position behind their writes. */
  settling(): (position: Position) => void {
    const { untold } = this;
    this.untold = new Set();
    return (position) => {
      for (const caller of untold)
        if (this.byCaller.get(caller) === unreachable) this.set(caller, position);
    };
  }

  /** The log ends before what was remembered, as after a failover to a standby that was behind. */
  rewind(position: Position): void {
    for (const [caller, known] of this.byCaller)
      if (known !== unreachable) this.byCaller.set(caller, Math.min(known, position));
    this.dropped = Math.min(this.dropped, position);
  }

  private drop(): void {
    for (const [caller, position] of this.byCaller) {
      if (position === unreachable) continue;
      this.byCaller.delete(caller);
      this.dropped = Math.max(this.dropped, position);
      return;
    }
  }
}
