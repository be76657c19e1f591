/**
 * JSON with a line for each member and item. Only blanks change: numbers and escapes stay as they were sent, since the
 * language of this page would round long numbers. Anything else stays as it is.
 */
export function formatted(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let [out, depth] = ['', 0];
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/gu)) {
    const last = out.at(-1);
    if (token === '}' || token === ']') {
      depth -= 1;
      out += last === '{' || last === '[' ? token : line() + token;
      continue;
    }
    // What stands in brackets begins on a line of its own; empty ones stay together.
    if (last === '{' || last === '[' || last === ',') out += line();
    out += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
  }
  return out;
}
