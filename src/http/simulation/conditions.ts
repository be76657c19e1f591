import { breaks } from '../../problem-rules.ts';
import { apiError, fail, ok, type Result } from '../../errors.ts';
import type { NetworkSpecification } from '../../specification/specification.ts';

/** What the simulated network does to one request. */
export interface Conditions {
  /** The delay before the request runs, in ms, and its bounds. */
  readonly latency:
    | { readonly wait: number; readonly min: number; readonly max: number }
    | undefined;
  readonly errors: { readonly rate: number; readonly status: number | undefined } | undefined;
  /** Bytes a second of the response. */
  readonly rate: number | undefined;
}

/** Conditions that change nothing. */
export const unchanged: Conditions = { latency: undefined, errors: undefined, rate: undefined };

const defaultSeed = 1;
const defaultStatus = 500;

/**
 * The conditions of requests in order of arrival; the same seed gives the same ones. Each takes three numbers from the
 * generator, whatever is configured, so that one setting does not change the effect of another.
 */
export class Simulation {
  private readonly settings: NetworkSpecification;
  private readonly random: () => number;

  constructor(settings: NetworkSpecification) {
    this.settings = settings;
    this.random = seeded(settings.seed ?? defaultSeed);
  }

  next(): Conditions {
    const [delay, luck, which] = [this.random(), this.random(), this.random()];
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

  /** One of the errors, by weight. */
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

/** Numbers in [0, 1) (splitmix32), the same for the same seed on every machine. */
function seeded(seed: number): () => number {
  let state = (seed ^ Math.floor(seed / 2 ** 32)) | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/**
 * The bounds of `X-Simulate`: ms, and statuses. See
 * docs/contract/7-data-debug-dashboard.md#network-simulation, rule 6.
 */
const longestLatency = 60_000;

const ranges = { latency: [0, longestLatency], error: [400, 599] } as const;

/**
 * Reads `X-Simulate: latency=200,error=503`, which overrides what is configured. Any other text is INVALID_PARAMETER.
 */
export function readSimulate(text: string, configured: Conditions): Result<Conditions> {
  const asked = new Map<string, number>();
  for (const item of text.split(',')) {
    const [, name = '', digits = ''] = /^[ \t]*([a-z]+)=(0|[1-9]\d{0,5})[ \t]*$/u.exec(item) ?? [];
    const [least, most] = Object.hasOwn(ranges, name)
      ? ranges[name as keyof typeof ranges]
      : [1, 0];
    const value = Number(digits);
    if (asked.has(name) || value < least || value > most) return refused;
    asked.set(name, value);
  }
  const [wait, status] = [asked.get('latency'), asked.get('error')];
  return ok({
    ...configured,
    ...(wait === undefined ? {} : { latency: { wait, min: wait, max: wait } }),
    ...(status === undefined ? {} : { errors: { rate: 1, status } }),
  });
}

const message = `takes latency=0 to ${longestLatency} (ms) and error=400 to 599, each once, such as latency=200,error=503`;
const refused = fail(
  apiError('INVALID_PARAMETER', `X-Simulate ${message}`, {
    problems: [{ field: 'X-Simulate', message, ...breaks('parameter') }],
  }),
);
