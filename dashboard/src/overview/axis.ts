/** How many steps an axis has at most. */
const mostSteps = 4;

/** The ticks of an axis from 0 to beyond a value: round numbers, as 0, 5, 10, 15 for 11.4. */
export function roundTicks(largest: number): readonly number[] {
  const top = largest > 0 ? largest : 1;
  const least = top / mostSteps;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 2.5, 5].find((one) => one * power >= least) ?? 10) * power;
  const count = Math.ceil(top / step);
  // 3 * 0.1 is a little more than 0.3.
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** Of times of day such as `19:38:57`, the first one of each minute but the first, which may be cut short. */
export function minuteTicks(times: readonly string[]): readonly string[] {
  return times.filter((time, at) => at > 0 && minuteOf(time) !== minuteOf(times[at - 1] ?? ''));
}

export function minuteOf(time: string): string {
  return time.slice(0, 5);
}
