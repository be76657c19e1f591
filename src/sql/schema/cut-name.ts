import { longestName } from '../../specification/parsers/names.ts';

/** A name as PostgreSQL truncates it: at most `bytes` bytes, in whole characters. */
export function cutName(name: string, bytes = longestName): string {
  let length = 0;
  let kept = '';
  for (const character of name) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    kept += character;
  }
  return kept;
}
