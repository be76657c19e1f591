import process from 'node:process';
import { Script, createContext, type Context } from 'node:vm';
import { getOrInsert } from '../get-or-insert.ts';
import { linearTest, type LinearTest } from './linear.ts';

/** How many steps a value may take at most to be tried by backtracking, and how long it may be. */
const mostSteps = 1_000_000;
/** How long a value may be tried against a pattern that nothing else bounds, in ms. */
const deadline = 50;
/** How long the values of one body may be tried in all, in ms of this thread. */
const bodyTime = 500;
/** Fewer steps are not timed: the clock would take longer. */
const fewSteps = 500;

/** What is left of that time; no bound where no body is being read. */
let left = Infinity;

/** Reads a body: its values share a time for their patterns, since each may take its own, and one body holds thousands. */
export function inBodyTime<Value>(read: () => Value): Value {
  left = bodyTime;
  try {
    return read();
  } finally {
    left = Infinity;
  }
}

/** The time that this thread has taken, in ms: others that run meanwhile do not count. */
function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * In how many ways each part of a pattern can match, at most, its beginning included: the steps that a value takes by
 * backtracking are below their product, none of them counting more than its length. Undefined where a repeated group
 * multiplies them.
 */
export function waysOf(source: string): readonly number[] | undefined {
  const bare = source
    .replaceAll(/\\./gu, 'a')
    .replaceAll(/\[[^\]]*\]/gu, 'a')
    .replaceAll(/\(\?(?:<?[=!]|:|<[^>]*>)/gu, '(')
    .replaceAll(/([*+?}])\?/gu, '$1');
  if (/\)[*+{]/u.test(bare)) return undefined;
  const ways = bare.startsWith('^') && !bare.includes('|') ? [] : [Infinity];
  for (const [mark, least, comma, most] of bare.matchAll(/[*+?|]|\{(\d+)(,?)(\d*)\}/gu)) {
    if (mark === '?' || mark === '|') ways.push(2);
    else if (least === undefined || (comma === ',' && most === '')) ways.push(Infinity);
    else if (comma === ',') ways.push(Number(most) - Number(least) + 1);
  }
  return ways;
}

interface Known {
  readonly ways: readonly number[] | undefined;
  /** Made when first needed. */
  linear?: LinearTest | undefined;
}

const known = new WeakMap<RegExp, Known>();
let sandbox: { context: Context; script: Script } | undefined;

/**
 * Tests a value against the user's pattern in bounded time: by backtracking when that takes few steps, else by
 * following all ways at once, else (look-around, back-references, thousands of repetitions) until a deadline. A value
 * that reaches the deadline, or the end of the engine's memory for backtracking, does not match. Undefined when the
 * values of the body have used up their time. See
 * docs/contract/1-specification-file.md#constraint-attributes, rule 8.
 */
export function matches(pattern: RegExp, value: string): boolean | undefined {
  const found = getOrInsert(known, pattern, ({ source }): Known => ({ ways: waysOf(source) }));
  const length = value.length + 1;
  const steps = found.ways?.reduce((product, count) => product * Math.min(count, length), 1);
  const most = steps === undefined ? Infinity : Math.max(steps, length);
  if (most <= fewSteps) return pattern.test(value);
  if (left <= 0) return undefined;
  const before = ownTime();
  try {
    if (most <= mostSteps) return pattern.test(value);
    if (!('linear' in found)) found.linear = linearTest(pattern.source);
    const { linear } = found;
    if (linear === undefined) return matchesInTime(pattern, value);
    return linear(value, () => ownTime() - before < left);
  } finally {
    left -= ownTime() - before;
  }
}

function matchesInTime(pattern: RegExp, value: string): boolean {
  sandbox ??= { context: createContext({}), script: new Script('pattern.test(value)') };
  Object.assign(sandbox.context, { pattern, value });
  // The clock that stops a try goes on while the system runs others: what counts is the time of this thread.
  for (let rest = deadline; rest > 0;) {
    const before = ownTime();
    try {
      return sandbox.script.runInContext(sandbox.context, { timeout: deadline }) === true;
    } catch (error) {
      // The error is one of the other context: it is told by its name.
      const { code, name } = error as NodeJS.ErrnoException;
      if (name === 'RangeError') return false;
      if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
    rest -= Math.max(1, ownTime() - before);
  }
  return false;
}
