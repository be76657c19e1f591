import { apiError, fail, ok, type Result } from '../../errors.ts';
import { parseExactly } from '../../model/exact-number.ts';
import { deepestRecord } from '../../model/values.ts';
import { measureJson, repeatedMember } from './json.ts';

/**
 * Parses a JSON body. A number that a double cannot represent exactly becomes an `ExactNumber`. Fails with `INVALID_JSON`
 * for invalid UTF-8, invalid JSON and duplicate members, with `INVALID_BODY` for an empty body and too deep nesting.
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
  const measures = measureJson(text);
  if (measures.depth > deepestRecord)
    return fail(apiError('INVALID_BODY', `The body is nested deeper than ${deepestRecord} levels`));
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch (error) {
    return fail(apiError('INVALID_JSON', `The body is not valid JSON${whereIn(text, error)}`));
  }
  const repeated = repeatedMember(text, value, measures);
  if (repeated === undefined) return ok(value);
  const { name, position } = repeated;
  const message = `The body has the member ${JSON.stringify(name)} twice in one object, again${placeIn(text, position)}`;
  return fail(apiError('INVALID_JSON', message));
}

/** The position in the parser's message, if there is one. */
function whereIn(text: string, error: unknown): string {
  const [, position] = /at position (\d+)/u.exec((error as Error).message) ?? [];
  return position === undefined ? '' : placeIn(text, Number(position));
}

/** " at line 2, column 7" */
function placeIn(text: string, position: number): string {
  const before = text.slice(0, position).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
