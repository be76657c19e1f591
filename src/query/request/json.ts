import { ExactNumber } from '../../model/exact-number.ts';

/** The nesting depth of a JSON text, and its number of member names. */
export interface Measures {
  readonly depth: number;
  readonly names: number;
}

/** Counts brackets and colons outside strings. For invalid JSON the result is meaningless, and parsing will fail. */
export function measureJson(text: string): Measures {
  let depth = 0;
  let deepest = 0;
  let names = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // Skip a string.
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

/** The index of the quote that closes the string at `start`, or the end of the text. */
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

/** A duplicate member and its position in the text. */
export interface Repetition {
  readonly name: string;
  readonly position: number;
}

/**
 * The first duplicate member in a text that has been parsed to `value`; undefined if there is none. JSON.parse would
 * silently keep the last one. The text is searched only if `value` has fewer members than the text has names.
 */
export function repeatedMember(
  text: string,
  value: unknown,
  { names }: Measures,
): Repetition | undefined {
  return countMembers(value) < names ? findRepetition(text) : undefined;
}

/** The number of members of all objects in a value. */
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
      // Decode escapes, so that differently escaped names compare equal.
      const read = JSON.parse(name) as string;
      if (objects.at(-1)?.has(read) === true) return { name: read, position };
      objects.at(-1)?.add(read);
    }
  }
  return undefined;
}
