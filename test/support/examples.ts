/** One command of a document and the output that the document shows for it. */
export interface Example {
  readonly line: number;
  readonly command: string;
  readonly output: string;
}

/**
 * The commands of a document's blocks: lines that begin with `$ `, each with what follows it. `console` runs over the Chinook
 * example, `shellsession` over the file of the page itself.
 */
export function examplesOf(
  markdown: string,
  language: 'console' | 'shellsession' = 'console',
): readonly Example[] {
  const examples: Example[] = [];
  let inside = false;
  for (const [index, line] of markdown.split('\n').entries()) {
    const last = examples.at(-1);
    if (line.startsWith('```')) inside = line === `\`\`\`${language}`;
    else if (inside && line.startsWith('$ '))
      examples.push({ line: index + 1, command: line.slice(2), output: '' });
    else if (inside && last !== undefined)
      examples[examples.length - 1] = { ...last, output: `${last.output}${line}\n` };
  }
  return examples;
}

/** A curl command as the request that it makes; only the options that the documents use. */
export function parseCurl(command: string): {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  showHeaders: boolean;
} {
  const words = [...command.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/gu)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
  if (words.shift() !== 'curl') throw new Error(`not a curl command: ${command}`);
  const headers: Record<string, string> = {};
  let [url, method, body, showHeaders]: [string, string | undefined, string | undefined, boolean] =
    ['', undefined, undefined, false];
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '-i') showHeaders = true;
    else if (word === '-X') method = words.shift();
    else if (word === '-d') body = words.shift();
    else if (word === '-H') {
      const [name = '', ...value] = (words.shift() ?? '').split(':');
      headers[name] = value.join(':').trim();
    } else if (word.startsWith('http')) url = word;
    else throw new Error(`unknown option ${word} in ${command}`);
  }
  return {
    url,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    body,
    showHeaders,
  };
}

/** An expected output as a pattern: `…` stands for any text. */
export function patternOf(output: string): RegExp {
  const literal = output.trim().replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll('…', String.raw`[\s\S]*?`)}$`, 'u');
}
