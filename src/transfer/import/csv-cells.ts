import type { Field, JsonForm } from '../../model/api.ts';
import { isNumbered } from '../../model/field-types/id.ts';
import { readJsonText } from './json-text.ts';
import { tokensOf } from './tokens.ts';

/** What stands in place of a value whose text is none. */
export class NoValue {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The values of one CSV record as texts, an empty one without quotes as null; or why it is none. RFC 4180. */
export function readCells(text: string): readonly (string | null)[] | string {
  const cells: (string | null)[] = [];
  for (let position = 0; ; position += 1) {
    if (text[position] === '"') {
      let value = '';
      for (;;) {
        const end = text.indexOf('"', position + 1);
        if (end === -1) return 'a value in quotes is not closed';
        value += text.slice(position + 1, end);
        position = end + 1;
        if (text[position] !== '"') break;
        value += '"';
      }
      if (position < text.length && text[position] !== ',')
        return 'a comma must follow the quote that closes a value; a quote in it is written ""';
      cells.push(value);
    } else {
      const found = text.indexOf(',', position);
      const end = found === -1 ? text.length : found;
      const value = text.slice(position, end);
      if (value.includes('"'))
        return 'a value with a quote in it must stand in quotes, with "" for each of its own';
      cells.push(value === '' ? null : value);
      position = end;
    }
    if (position >= text.length) return cells;
  }
}

const inJson: ReadonlySet<JsonForm> = new Set(['any', 'object', 'array']);

/**
 * A CSV value as JSON would have it: JSON for objects, arrays and `json`, else what a filter's text means to the
 * field's type. A text that is none goes on as it is: what reads the value says what is wrong with it.
 */
export function valueOfCell(text: string, field: Field): unknown {
  const { type } = field;
  if (inJson.has(type.json)) return readJsonCell(text);
  const parsed = type.parse(text, field);
  if (parsed !== undefined) return parsed;
  const isNumber = type.number !== undefined || isNumbered(field);
  // With an exponent, or one that is out of bounds.
  if (isNumber && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(text)) {
    const number = readJsonText(text, 'exact');
    if (number.ok) return number.value;
  }
  return text;
}

function readJsonCell(text: string): unknown {
  // Its record is the outermost level.
  const read = readJsonText(text, tokensOf(Buffer.from(text), 1));
  return read.ok ? read.value : new NoValue(`${read.error}; a text is written as JSON too`);
}
