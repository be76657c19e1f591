import { Script, createContext, type Context } from 'node:vm';

/** How long one value may be tried against a pattern, in ms. */
const deadline = 50;
/** Longer values always run under the deadline. */
const shortLength = 500;

let sandbox: { context: Context; script: Script } | undefined;

/**
 * Whether a pattern can only take time that grows slowly: no repeated group holds another repetition or an
 * alternative, and there are at most two open-ended repetitions. Says no when in doubt.
 */
function isPlain(source: string): boolean {
  const bare = source.replaceAll(/\\./gu, 'a').replaceAll(/\[[^\]]*\]/gu, 'a');
  if (/\)[*+{]/u.test(bare)) return false;
  return (bare.match(/[*+]|\{\d+,\}/gu) ?? []).length <= 2;
}

const plainness = new WeakMap<RegExp, boolean>();

/**
 * Tests a value against the user's pattern in bounded time: a value that takes longer than 50 ms does not match.
 * Contract 1, Constraint attributes.
 */
export function matches(pattern: RegExp, value: string): boolean {
  let plain = plainness.get(pattern);
  if (plain === undefined) {
    plain = isPlain(pattern.source);
    plainness.set(pattern, plain);
  }
  if (plain && value.length <= shortLength) return pattern.test(value);
  sandbox ??= { context: createContext({}), script: new Script('pattern.test(value)') };
  Object.assign(sandbox.context, { pattern, value });
  try {
    return sandbox.script.runInContext(sandbox.context, { timeout: deadline }) === true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
