import { BoundedCache } from '../../lib/bounded-cache.ts';

/** How many were counted in a window, and in how many ms the next one begins. */
export interface Count {
  readonly count: number;
  readonly resetIn: number;
}

/** Counts under names, each in a window of its own that begins with the first. Windows in ms. */
export interface Counters {
  readonly take: (name: string, window: number) => Count | Promise<Count>;
  /** As `take`, without counting. */
  readonly look: (name: string, window: number) => Count | Promise<Count>;
}

/** How many windows are kept: an attacker with more addresses than that shortens those of others, and fills nothing. */
const keptWindows = 100_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts in the memory of this process. */
export class MemoryCounters implements Counters {
  private readonly windows = new BoundedCache<Window>(keptWindows);
  private readonly clock: () => number;

  /** `clock`: whole ms on a clock that is never set, or else who sets it would lock callers out or let them in. */
  constructor(clock: () => number) {
    this.clock = clock;
  }

  take(name: string, window: number): Count {
    const now = this.clock();
    let current = within(this.windows.get(name), window, now);
    if (current === undefined) {
      current = { count: 0, endsAt: now + window };
      this.windows.set(name, current);
    }
    current.count += 1;
    return { count: current.count, resetIn: current.endsAt - now };
  }

  look(name: string, window: number): Count {
    const known = this.windows.get(name);
    if (known === undefined) return { count: 0, resetIn: window };
    const now = this.clock();
    const current = within(known, window, now);
    return current === undefined
      ? { count: 0, resetIn: window }
      : { count: current.count, resetIn: current.endsAt - now };
  }
}

/** A window that would last longer than it should comes from a specification with longer ones. */
function within(found: Window | undefined, window: number, now: number): Window | undefined {
  return found !== undefined && now < found.endsAt && found.endsAt - now <= window
    ? found
    : undefined;
}
