import { fail, ok, type Result } from '../../errors.ts';

/** An item of a comma list: its text without quotes, and for pairs the name before the last colon outside quotes. */
interface Item {
  readonly name: string | undefined;
  readonly text: string;
}

/** One pair of `_or`: the filter's name and its value's text. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

/**
 * Splits at commas outside double quotes. Inside quotes, `\"` and `\\` are escapes. A quote inside an unquoted item and an
 * empty item that is not `""` are errors. See
 * docs/contract/2-reading.md#lists-in-parameters, rule 3.
 */
function splitItems(text: string, pairs: boolean): Result<readonly Item[], string> {
  const items: Item[] = [];
  let position = 0;
  for (;;) {
    let name: string | undefined;
    if (pairs) {
      const end = itemEnd(text, position);
      const quote = text.indexOf('"', position);
      const colon = text.lastIndexOf(':', (quote >= 0 && quote < end ? quote : end) - 1);
      if (colon < position) return fail(`"${text.slice(position, end)}" is not field:value`);
      name = text.slice(position, colon);
      position = colon + 1;
    }
    const item = readItem(text, position);
    if (!item.ok) return item;
    items.push({ name, text: item.value.text });
    position = item.value.end;
    if (position >= text.length) return ok(items);
    position += 1;
  }
}

/** The end of the item that starts at `start`: the next comma outside quotes. */
function itemEnd(text: string, start: number): number {
  let quoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (quoted && character === '\\') index += 1;
    else if (character === '"') quoted = !quoted;
    else if (character === ',' && !quoted) return index;
  }
  return text.length;
}

function readItem(text: string, start: number): Result<{ text: string; end: number }, string> {
  if (text[start] !== '"') {
    const comma = text.indexOf(',', start);
    const end = comma === -1 ? text.length : comma;
    const item = text.slice(start, end);
    if (item === '') return fail('an empty item is written as ""');
    if (item.includes('"')) return fail(`a quote in ${item} needs the whole item in double quotes`);
    return ok({ text: item, end });
  }
  let value = '';
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') {
      const next = text.charAt(index + 1);
      if (next !== '"' && next !== '\\')
        return fail(String.raw`only \" and \\ may follow a backslash`);
      value += next;
      index += 1;
    } else if (character === '"') {
      const end = index + 1;
      if (end < text.length && text[end] !== ',')
        return fail('a comma must follow a closing quote');
      return ok({ text: value, end });
    } else value += character;
  }
  return fail('a quote is not closed');
}

/** The items of a list value such as that of `_in`. */
export function splitList(text: string): Result<readonly string[], string> {
  const items = splitItems(text, false);
  return items.ok ? ok(items.value.map((item) => item.text)) : items;
}

/** The pairs of `_or`. */
export function splitPairs(text: string): Result<readonly Pair[], string> {
  const items = splitItems(text, true);
  if (!items.ok) return items;
  return ok(items.value.map((item) => ({ name: item.name ?? '', value: item.text })));
}

/** The names of a plain comma list such as that of `fields`, trimmed. */
export function splitNames(text: string): Result<readonly string[], string> {
  const names = text.split(',').map((name) => name.trim());
  return names.includes('') ? fail('has an empty item') : ok(names);
}
