import type Driver from 'better-sqlite3';
import {
  compareDecimals,
  exactNumber,
  parseJsonNumber,
  plainText,
} from '../../model/exact-number.ts';
import type { JsonValue } from '../../specification/specification.ts';

/** The names of the functions in SQL. */
const numberFunction = '_plinth_number';
const compareFunction = '_plinth_compare';

/** SQLite and JavaScript read a number of at most so many characters as the same double. */
const doubleLength = 15;

/** What stands before the digits of a longer number, so that they equal no text. */
const mark = '\uFFFF';

/** A value as `numberOf` gives it. */
export function markedNumber(value: JsonValue): JsonValue {
  return typeof value === 'string' || JSON.stringify(value).length <= doubleLength
    ? value
    : `${mark}${plainText(value)}`;
}

/** The SQL of a JSON number, given as its text: its double, or marked digits. `value` is what SQLite makes of it. */
export function numberOf(json: string, value: string): string {
  return `CASE WHEN length(${json}) > ${doubleLength} THEN ${numberFunction}(${json}) ELSE ${value} END`;
}

/** Whether a JSON text may hold a number that is longer than that. */
export function mayHoldLong(text: string): string {
  return `${text} GLOB '*${'[0-9.]'.repeat(doubleLength + 1)}*'`;
}

/** The SQL of a JSON number's text as `numberOf` gives it, whatever its length. */
export function exactNumberOf(json: string): string {
  return `${numberFunction}(${json})`;
}

/** The SQL of the order of two JSON numbers, given as their texts: negative, zero or positive. */
export function orderOf(json: string, other: string): string {
  return `${compareFunction}(${json}, ${other})`;
}

/** Whether one of two JSON numbers may be no double, by their texts. */
export function isEitherLong(json: string, other: string): string {
  return `max(length(${json}), length(${other})) > ${doubleLength}`;
}

/**
 * Adds the functions that compare numbers inside JSON with all their digits: SQLite reads those beyond 64 bits and long
 * fractions as doubles. They run for long numbers alone.
 */
export function addNumberFunctions(driver: Driver.Database): void {
  const options = { deterministic: true, directOnly: true };
  driver.function(numberFunction, options, (text: unknown) => {
    // Others may have written a short number in a long way.
    const number = markedNumber(exactNumber(String(text)) as JsonValue);
    return typeof number === 'string' ? number : Number(number);
  });
  driver.function(compareFunction, options, (text: unknown, other: unknown) => {
    const [one, two] = [parseJsonNumber(String(text)), parseJsonNumber(String(other))];
    return one === undefined || two === undefined
      ? Number(text) - Number(other)
      : compareDecimals(one, two);
  });
}
