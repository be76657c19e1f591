import type { NetworkSpecification } from '../../specification/specification.ts';

/** What the simulated network does to one request. */
export interface Conditions {
  /** The wait before it, in ms, and between what it was drawn. */
  readonly latency:
    | { readonly wait: number; readonly min: number; readonly max: number }
    | undefined;
  readonly errors: { readonly rate: number; readonly status: number | undefined } | undefined;
  /** Bytes a second of the answer. */
  readonly rate: number | undefined;
}

/** A line that changes nothing. */
export const clear: Conditions = { latency: undefined, errors: undefined, rate: undefined };

const defaultSeed = 1;
const defaultStatus = 500;

/**
 * The conditions of request after request, in order of arrival: the same seed gives the same ones. Each takes three
 * numbers from the generator, whatever is configured, so that one setting does not change what another draws.
 */
export class Simulation {
  private readonly settings: NetworkSpecification;
  private readonly next: () => number;

  constructor(settings: NetworkSpecification) {
    this.settings = settings;
    this.next = seeded(settings.seed ?? defaultSeed);
  }

  draw(): Conditions {
    const [delay, luck, which] = [this.next(), this.next(), this.next()];
    const { latency, errorRate, throttling } = this.settings;
    const min = latency?.min ?? 0;
    const max = latency?.max ?? min;
    return {
      latency: latency && { wait: min + delay * (max - min), min, max },
      errors:
        errorRate === undefined
          ? undefined
          : { rate: errorRate, status: luck < errorRate ? this.pick(which) : undefined },
      rate: throttling?.rate,
    };
  }

  /** One of the errors, each as often as its weight says. */
  private pick(part: number): number {
    const { errors = [] } = this.settings;
    const total = errors.reduce((sum, { weight = 1 }) => sum + weight, 0);
    let left = part * total;
    for (const { status, weight = 1 } of errors) {
      left -= weight;
      if (left < 0) return status;
    }
    return errors.at(-1)?.status ?? defaultStatus;
  }
}

/** Numbers from 0 up to 1 (splitmix32), the same for the same seed on every machine. */
function seeded(seed: number): () => number {
  let state = (seed ^ Math.floor(seed / 2 ** 32)) | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
