import { fail, ok, type Result } from '../../errors.ts';

/** The end of the item that starts at `start`: the next of `ends` outside quotes. */
export function itemEnd(text: string, start: number, ends: string): number {
  let quoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (quoted && character === '\\') index += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && ends.includes(character)) return index;
  }
  return text.length;
}

/**
 * Reads the item that starts at `start`, without its quotes, and where it ends. Inside quotes, `\"` and `\\` are escapes.
 * A quote inside an unquoted item and an empty item that is not `""` are errors. See
 * docs/contract/2-reading.md#lists-in-parameters, rule 3.
 */
export function readItem(
  text: string,
  start: number,
  ends: string,
): Result<{ text: string; end: number }, string> {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && !ends.includes(text.charAt(end))) end += 1;
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
      if (end < text.length && !ends.includes(text.charAt(end)))
        return fail('a comma must follow a closing quote');
      return ok({ text: value, end });
    } else value += character;
  }
  return fail('a quote is not closed');
}

/** The items of a list value such as that of `_in`. */
export function splitList(text: string): Result<readonly string[], string> {
  const items: string[] = [];
  for (let position = 0; ;) {
    const item = readItem(text, position, ',');
    if (!item.ok) return item;
    items.push(item.value.text);
    if (item.value.end >= text.length) return ok(items);
    position = item.value.end + 1;
  }
}

/** The names of a plain comma list such as that of `fields`, trimmed. */
export function splitNames(text: string): Result<readonly string[], string> {
  const names = text.split(',').map((name) => name.trim());
  return names.includes('') ? fail('has an empty item') : ok(names);
}
