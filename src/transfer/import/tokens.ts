import { deepestRecord } from '../../model/values.ts';

/**
 * What a scan of a record's bytes finds: `exact` if a number may lose precision as a double, `deep` if it is nested deeper
 * than a record may be, otherwise `plain`.
 */
export type Tokens = 'plain' | 'exact' | 'deep';

/** The digits of a number that a double always holds exactly. */
const safeDigits = 15;

const quoteMark = 0x22;
const backslash = 0x5c;

/**
 * Scans brackets and numbers outside strings. For invalid JSON the result is meaningless, and parsing will fail. `outer` is
 * the number of levels around the record.
 */
export function tokensOf(bytes: Uint8Array, outer = 0): Tokens {
  let depth = outer;
  let digits = 0;
  let tokens: Tokens = 'plain';
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === quoteMark) {
      for (index += 1; index < bytes.length && bytes[index] !== quoteMark; index += 1)
        if (bytes[index] === backslash) index += 1;
      digits = 0;
    } else if (byte >= 0x30 && byte <= 0x39) {
      digits += 1;
      if (digits > safeDigits) tokens = 'exact';
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > deepestRecord) return 'deep';
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      digits = 0;
    } else if ((byte === 0x65 || byte === 0x45) && digits > 0) tokens = 'exact';
    else if (byte !== 0x2e) digits = 0;
  }
  return tokens;
}
