import { leftInBody } from '../body-bounds.ts';
import { createRequire } from 'node:module';
import process from 'node:process';
import { Script, createContext, type Context } from 'node:vm';
import type * as re2js from 're2js';
import { getOrInsert } from '../get-or-insert.ts';

/** A value that `RegExp` decides in so many steps costs less there than anywhere else: 40 ns instead of 1 µs. */
const fewSteps = 500;
/** Or in a number of steps that grows with its length alone, as `^[^<>]*$` does; longer values may take too much stack. */
const stepsPerCharacter = 10;
const longestValue = 1_000_000;
/** Larger programs would take RE2 more than 1 µs a character. */
const largestProgram = 1_000;
/** How long a value is tried against a pattern that RE2 does not take, in ms. */
const deadline = 50;

/**
 * The CPU time of this thread in ms: what other processes take meanwhile does not count. Node 22 knows that of the whole
 * process alone.
 */
function ownTime(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * In how many ways each part of a pattern can match, at most, its beginning included: the steps that a value takes by
 * backtracking are below their product, each of them counting at most its length. Undefined if a repeated group
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
  re2?: re2js.RE2JS | undefined;
}

const known = new WeakMap<RegExp, Known>();

/**
 * Tests a value against the user's pattern in bounded time: by `RegExp` if that takes few steps, else by RE2, in time
 * that grows with the length alone. What RE2 does not take (look-around, back-references, thousands of repetitions)
 * `RegExp` decides until a deadline: a value that reaches it, or the end of the engine's memory, does not match. Undefined
 * if the values of the body have used up their time. See
 * docs/contract/1-specification-file.md#constraint-attributes, rule 8, and docs/decisions/0014-patterns.md.
 */
export function matches(pattern: RegExp, value: string): boolean | undefined {
  const found = getOrInsert(known, pattern, ({ source }): Known => ({ ways: waysOf(source) }));
  const length = value.length + 1;
  const steps = found.ways?.reduce((product, count) => product * Math.min(count, length), 1);
  if (
    steps !== undefined &&
    length <= longestValue &&
    steps <= Math.max(fewSteps, stepsPerCharacter * length)
  )
    return pattern.test(value);
  if (!('re2' in found)) found.re2 = re2Of(pattern.source);
  if (found.re2 !== undefined) return found.re2.test(value);
  if (leftInBody.patternTime <= 0) return undefined;
  const before = ownTime();
  const isMatch = matchesInTime(pattern, value);
  leftInBody.patternTime -= ownTime() - before;
  return isMatch;
}

const require = createRequire(import.meta.url);

/** A valid pattern (`u` flag) as a program of RE2; undefined if RE2 does not take it. */
export function re2Of(source: string): re2js.RE2JS | undefined {
  const translated = toRe2(source);
  if (translated === undefined) return undefined;
  // Loaded when first needed: it would take a start 30 ms, and most patterns never need it.
  const { RE2JS, RE2JSException } = require('re2js') as typeof re2js;
  try {
    const re2 = RE2JS.compile(translated);
    return re2.programSize() <= largestProgram ? re2 : undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}

/** What `\s` means in JavaScript, as the inside of a class; and all other characters. */
const blanks = String.raw`\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`;
const others = String.raw`\x00-\x08\x0E-\x1F!-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}`;

/** The parts of a pattern that may mean something else in RE2. */
const special =
  /\\[pP]\{(?<property>[^}]*)\}|\\u\{(?<point>[^}]*)\}|\\u(?<high>[dD][89abAB]..)\\u(?<low>[dD][c-fC-F]..)|\\u(?<unit>....)|\\c(?<control>.)|\\.|\[\^?\]|\[|\]|\.|\(\?[^:<]/gsu;

/** The same pattern as RE2 writes it; undefined if it has something that RE2 lacks or means otherwise. */
function toRe2(source: string): string | undefined {
  let isInClass = false;
  let isKnown = true;
  const codePoint = (code: number): string => String.raw`\x{${code.toString(16)}}`;
  const translated = source.replaceAll(special, (token: string, ...parts: unknown[]) => {
    const { property, point, high, low, unit, control } = parts.at(-1) as Readonly<
      Record<string, string | undefined>
    >;
    if (property !== undefined) {
      const [, name] = /^(?:(?:Script|sc|General_Category|gc)=)?(\w+)$/u.exec(property) ?? [];
      isKnown &&= name !== undefined;
      return `${token.slice(0, 2)}{${name ?? ''}}`;
    }
    if (point !== undefined) return codePoint(Number.parseInt(point, 16));
    if (high !== undefined && low !== undefined)
      return codePoint(
        String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ??
          0,
      );
    if (unit !== undefined) return codePoint(Number.parseInt(unit, 16));
    if (control !== undefined) return codePoint((control.codePointAt(0) ?? 0) % 32);
    if (token === String.raw`\s`) return isInClass ? blanks : `[${blanks}]`;
    if (token === String.raw`\S`) return isInClass ? others : `[${others}]`;
    if (isInClass) {
      if (token === ']') isInClass = false;
      if (token.startsWith('[')) {
        // `[` is itself there, and may stand right before the end.
        if (token.endsWith(']')) isInClass = false;
        return `\\${token.replace('^', String.raw`\^`)}`;
      }
      return token === String.raw`\b` ? String.raw`\x08` : token;
    }
    if (token === '.') return String.raw`[^\n\r\x{2028}\x{2029}]`;
    if (token === '[]') return String.raw`[^\x00-\x{10FFFF}]`;
    if (token === '[^]') return String.raw`[\x00-\x{10FFFF}]`;
    if (token === '[') isInClass = true;
    // Look-ahead, and flags for a part of the pattern.
    if (token.startsWith('(?')) isKnown = false;
    return token;
  });
  return isKnown ? translated : undefined;
}

let sandbox: { context: Context; script: Script } | undefined;

function matchesInTime(pattern: RegExp, value: string): boolean {
  sandbox ??= { context: createContext({}), script: new Script('pattern.test(value)') };
  Object.assign(sandbox.context, { pattern, value });
  // The timeout counts time in which the system runs other processes; what counts here is the time of this thread.
  for (let rest = deadline; rest > 0;) {
    const before = ownTime();
    try {
      return sandbox.script.runInContext(sandbox.context, { timeout: deadline }) === true;
    } catch (error) {
      // The error belongs to the other context, so it is recognized by its name.
      const { code, name } = error as NodeJS.ErrnoException;
      if (name === 'RangeError') return false;
      if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
    rest -= Math.max(1, ownTime() - before);
  }
  return false;
}
