import { fail, ok, type Result } from '../../errors.ts';
import { deepestRecord } from '../../model/values.ts';
import { parseExactly } from '../../model/exact-number.ts';
import { measureJson, repeatedMember } from '../../query/request/json.ts';
import type { Tokens } from './tokens.ts';

/** Parses a JSON text with these `tokens`; an error is the end of a sentence. */
export function readJsonText(text: string, tokens: Tokens): Result<unknown, string> {
  if (tokens === 'deep') return fail(`is nested deeper than ${deepestRecord} levels`);
  try {
    const value = tokens === 'exact' ? parseExactly(text) : (JSON.parse(text) as unknown);
    const repeated = repeatedMember(text, value, measureJson(text));
    return repeated === undefined
      ? ok(value)
      : fail(`has the member ${JSON.stringify(repeated.name)} twice in one object`);
  } catch (error) {
    return fail(`is not valid JSON: ${reasonOf(error as Error)}`);
  }
}

/** The parser's message without position and text, which refer to a single record. */
function reasonOf({ message }: Error): string {
  const reason = message
    .replace(/ (?:in JSON )?at position .*$/su, '')
    .replace(/, (?:\.\.\.)?".*$/su, '')
    .replace('Unexpected end of JSON input', 'It ends too early');
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}
