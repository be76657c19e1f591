import { apiError, fail, ok, type Result } from '../errors.ts';
import { ExactNumber } from '../model/exact-number.ts';

/** The deepest nesting that a body may have. Contract 2, Writes. */
const maxDepth = 32;

/**
 * Reads a JSON body. Numbers whose double would not say the same as their text come as `ExactNumber`.
 * Invalid UTF-8 or JSON: `INVALID_JSON`; nested too deep: `INVALID_BODY`.
 */
export function parseBody(bytes: Buffer): Result<unknown> {
  if (bytes.length === 0)
    return fail(apiError('INVALID_BODY', 'The request needs a body: a JSON object'));
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return fail(apiError('INVALID_JSON', 'The body is not valid UTF-8'));
  }
  return parseJsonText(text);
}

/** Reads the text of a JSON value as `parseBody` does. */
export function parseJsonText(text: string): Result<unknown> {
  if (depthOf(text) > maxDepth)
    return fail(apiError('INVALID_BODY', `The body is nested deeper than ${maxDepth} levels`));
  try {
    // Only long digit strings and exponents can lose something as a double.
    return ok(
      /[\d.]{16}|\d[eE]/u.test(text)
        ? JSON.parse(text, keepExact as (key: string, value: unknown) => unknown)
        : JSON.parse(text),
    );
  } catch (error) {
    return fail(apiError('INVALID_JSON', `The body is not valid JSON${whereIn(text, error)}`));
  }
}

function keepExact(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  return String(value) === context.source ? value : new ExactNumber(context.source);
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // A string: on to its closing quote.
        for (index += 1; index < text.length && text[index] !== '"'; index += 1)
          if (text[index] === '\\') index += 1;
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
      default:
    }
  }
  return deepest;
}

/** " at line 2, column 7", where the parser's message tells the place. */
function whereIn(text: string, error: unknown): string {
  const [, position] = /at position (\d+)/u.exec((error as Error).message) ?? [];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
