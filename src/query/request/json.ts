import { ExactNumber } from '../../model/exact-number.ts';

/**
 * Reads a JSON text; numbers whose double would not say the same as their text come as `ExactNumber`. Throws what
 * JSON.parse throws.
 */
export function parseExactly(text: string): unknown {
  // Only long digit strings and exponents can lose something as a double.
  return /[\d.]{16}|\d[eE]/u.test(text)
    ? JSON.parse(text, keepExact as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

function keepExact(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  return String(value) === context.source ? value : new ExactNumber(context.source);
}

/** How deep a text of JSON is nested, and how many names of members stand in it. */
export interface Measures {
  readonly depth: number;
  readonly names: number;
}

/** Looks at brackets and colons outside strings. A bad text may tell anything: parsing it will say so. */
export function measureJson(text: string): Measures {
  let depth = 0;
  let deepest = 0;
  let names = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // A string: on to its closing quote.
        index = endOfString(text, index);
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      case 0x3a:
        names += 1;
        break;
      default:
    }
  }
  return { depth: deepest, names };
}

/** The place of the quote that closes the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, place: number): boolean {
  let first = place;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (place - first) % 2 === 1;
}

/** A member whose name an object has already, and where it stands. */
export interface Repetition {
  readonly name: string;
  readonly position: number;
}

/**
 * The first member that repeats a name of its object, in a text that has been parsed to `value`; undefined where none
 * does. The parser keeps the last of them, and which is meant only the sender knows.
 */
export function repeatedMember(
  text: string,
  value: unknown,
  { names }: Measures,
): Repetition | undefined {
  return countMembers(value) < names ? findRepetition(text) : undefined;
}

/** How many members all objects in a value have. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return 0;
  const members: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) if (typeof member === 'object') count += countMembers(member);
  return count;
}

function findRepetition(text: string): Repetition | undefined {
  const objects: Set<string>[] = [];
  let position = 0;
  let name = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') {
      const end = endOfString(text, index);
      [position, name] = [index, text.slice(index, end + 1)];
      index = end;
    } else if (character === '{' || character === '[') objects.push(new Set());
    else if (character === '}' || character === ']') objects.pop();
    else if (character === ':') {
      // However it is escaped, it is the same name.
      const read = JSON.parse(name) as string;
      if (objects.at(-1)?.has(read) === true) return { name: read, position };
      objects.at(-1)?.add(read);
    }
  }
  return undefined;
}
