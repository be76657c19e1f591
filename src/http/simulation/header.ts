import { apiError, fail, ok, type Result } from '../../errors.ts';
import type { Conditions } from './draw.ts';

/**
 * The bounds of `X-Simulate`: ms, and statuses. See
 * docs/contract/7-data-debug-dashboard.md#network-simulation, rule 6.
 */
const longestLatency = 60_000;

const ranges = { latency: [0, longestLatency], error: [400, 599] } as const;

/**
 * Reads `X-Simulate: latency=200,error=503`: what it names takes the place of what is configured. INVALID_PARAMETER
 * for any other text.
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
    problems: [{ field: 'X-Simulate', message }],
  }),
);
