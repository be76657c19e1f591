import type { Position } from '../../position.ts';

interface Sample {
  /** When it was asked for last, in ms. */
  at: number;
  readonly position: Position;
}

/** The positions of the primary over time, which tell by how much time a replica is behind. */
export class LogHistory {
  private readonly samples: Sample[] = [];
  private readonly kept: number;

  /** `kept`: for how long, in ms. */
  constructor(kept: number) {
    this.kept = kept;
  }

  /** Adds the position that was asked for at a time. Returns whether it lies before the last one. */
  add(at: number, position: Position): boolean {
    const last = this.samples.at(-1);
    if (last?.position === position) last.at = at;
    else {
      const isRewound = last !== undefined && position < last.position;
      if (isRewound) this.samples.length = 0;
      this.samples.push({ at, position });
      while ((this.samples[1]?.at ?? at) < at - this.kept) this.samples.shift();
      return isRewound;
    }
    return false;
  }

  /**
   * By how much time a replica that has replayed everything up to a position is behind what is known of the primary, in ms: at
   * most, as long as the history reaches back. While the primary is lost, this does not grow.
   */
  lagOf(replayed: Position): number | undefined {
    const last = this.samples.at(-1);
    if (last === undefined) return undefined;
    const known = this.samples.findLast(({ position }) => position <= replayed);
    return last.at - (known ?? this.samples[0] ?? last).at;
  }
}
