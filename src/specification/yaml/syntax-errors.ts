import { Lexer } from 'yaml';

/** A syntax error as the YAML library reports it. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

interface Words {
  readonly code: string;
  readonly pattern?: RegExp;
  readonly words: string;
}

const explanations: readonly Words[] = [
  { code: 'TAB_AS_INDENT', words: 'a tab is used to indent; YAML is indented with blanks only' },
  {
    code: 'MISSING_CHAR',
    pattern: /closing ['"]quote/,
    words: 'this text in quotes has no closing quote',
  },
  {
    code: 'BAD_INDENT',
    pattern: /^Flow sequence/,
    words: 'this `[` is not closed with `]`, or a line of its list is not indented enough',
  },
  {
    code: 'BAD_INDENT',
    pattern: /^Flow map/,
    words: 'this `{` is not closed with `}`, or a line of its map is not indented enough',
  },
  { code: 'MISSING_CHAR', pattern: /end with a \}/, words: 'this `{` is not closed with `}`' },
  { code: 'MISSING_CHAR', pattern: /end with a \]/, words: 'this `[` is not closed with `]`' },
  {
    code: 'MISSING_CHAR',
    pattern: /followed by map values/,
    words: 'this key has no `:` with a value after it (a `:` needs a blank behind it)',
  },
  {
    code: 'MISSING_CHAR',
    pattern: /Missing , or :|Missing , between/,
    words: 'a comma is missing between two items',
  },
  {
    code: 'MISSING_CHAR',
    pattern: /Sequence item without/,
    words: 'every item of this list has to begin with `- `',
  },
  {
    code: 'BAD_INDENT',
    pattern: /same column/,
    words: 'this line is not indented like the others of its map or list',
  },
  { code: 'BAD_INDENT', words: 'this line is not indented enough for where it stands' },
  {
    code: 'BLOCK_AS_IMPLICIT_KEY',
    words:
      'a value is followed by another `key:`; check the indentation, or put text that holds `: ` in quotes',
  },
  {
    code: 'BLOCK_IN_FLOW',
    words:
      'inside `{ }` and `[ ]` the items are separated by commas; a comma or a closing bracket is missing',
  },
  {
    code: 'MULTILINE_IMPLICIT_KEY',
    words: 'this line is not `key: value` (a `:` needs a blank behind it)',
  },
  {
    code: 'UNEXPECTED_TOKEN',
    pattern: /block-seq-ind on same line/,
    words: 'a list that begins with `- ` has to begin on a line of its own',
  },
  {
    code: 'UNEXPECTED_TOKEN',
    pattern: /Block scalar header/,
    words: 'after `|` or `>` nothing else may stand on the line',
  },
  {
    code: 'UNEXPECTED_TOKEN',
    pattern: /flow-(map|seq)-end/,
    words: 'a bracket is closed here that was not opened',
  },
  {
    code: 'UNEXPECTED_TOKEN',
    pattern: /^Unexpected flow-(map|seq)-start at node end/,
    words: 'text that holds brackets has to stand in quotes inside `{ }` and `[ ]`',
  },
  {
    code: 'UNEXPECTED_TOKEN',
    pattern: /at node end/,
    words: 'nothing may follow here: the value before it is complete',
  },
  {
    code: 'MISSING_CHAR',
    pattern: /^Comments must be separated/,
    words: 'a `#` begins a comment only after a blank; put text that holds it in quotes',
  },
  {
    code: 'MISSING_CHAR',
    pattern: /^Tags and anchors/,
    words: 'a blank is missing after `&name`, or the text belongs in quotes',
  },
  {
    code: 'UNEXPECTED_TOKEN',
    pattern: /^Unexpected , in/,
    words: 'there is a comma too many',
  },
  { code: 'MULTIPLE_ANCHORS', words: 'a value can have one anchor (`&name`) only' },
  { code: 'BAD_DQ_ESCAPE', words: 'no such escape in double quotes; write a backslash as `\\\\`' },
  {
    code: 'BAD_ALIAS',
    words: 'a name is missing after `&` or `*`; put the text in quotes if it is text',
  },
  {
    code: 'TAG_RESOLVE_FAILED',
    words: 'tags such as `!name` are not supported; leave the tag out',
  },
  { code: 'RESOURCE_EXHAUSTION', words: 'the file is nested too deep' },
];

const conflict =
  'a merge has left a conflict here; keep one of its sides, and take out the lines with `<<<<<<<`, `=======` and `>>>>>>>`';

/** A syntax error in plain words: one sentence, without a code frame. */
function explain(fault: SyntaxFault, text: string): string {
  const start = fault.pos[0];
  if (text[start] === '{' && text[start - 1] === '$') {
    const name = /^\{\w*\}/.exec(text.slice(start))?.[0] ?? '{NAME}';
    return `inside \`{ }\` and \`[ ]\` a variable has to stand in quotes: "$${name}"`;
  }
  if (fault.code === 'BAD_SCALAR_START') {
    const character = text[start] === '`' ? 'a backtick' : `\`${text[start] ?? ''}\``;
    return `a value cannot begin with ${character}; put it in quotes`;
  }
  const before = /at node end/.test(fault.message) ? text.slice(0, start).trimEnd().at(-1) : '';
  if (before === '"' || before === "'")
    return 'the text in quotes ends before this; text that holds such quotes has to stand in those of the other kind';
  if (before === ']' || before === '}')
    return 'the bracket is closed before this; text that begins with a bracket has to stand in quotes';
  const found = explanations.find(
    ({ code, pattern }) => code === fault.code && (pattern?.test(fault.message) ?? true),
  );
  return found?.words ?? `this is not valid YAML: ${fault.message}`;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * Whether a wrongly indented line only follows from an earlier one: every line between
 * them is wrongly indented too, or is below such a line.
 */
function followsIndent(
  line: number,
  faulty: ReadonlySet<number>,
  lines: readonly string[],
): boolean {
  const indent = indentOf(lines[line - 1] ?? '');
  for (let above = line - 1; above > 0; above -= 1) {
    if (faulty.has(above)) return true;
    const text = lines[above - 1] ?? '';
    if (/^\s*[^\s#]/u.test(text) && indentOf(text) < indent) return false;
  }
  return false;
}

/** Whether an error is an open bracket at the end of a collection. */
function isOpen({ message }: SyntaxFault): boolean {
  return /^Flow (?:sequence|map)|must end with|end with a [}\]]/u.test(message);
}

/** Marks a text without quotes. Like the marks of documents and of the end of a flow, the lexer inserts it; it is not in the file. */
const scalarMark = '\u001F';
const marks: ReadonlySet<string> = new Set(['\u0002', '\u0018', scalarMark]);

/** The tokens of the file in order, each with its offset. */
function* tokensOf(text: string): Generator<{ offset: number; token: string; isPlain: boolean }> {
  let offset = 0;
  let isPlain = false;
  for (const token of new Lexer().lex(text)) {
    if (marks.has(token)) {
      isPlain = token === scalarMark;
      continue;
    }
    yield { offset, token, isPlain };
    isPlain = false;
    offset += token.length;
  }
}

/** The offset of the last bracket that is still open at an offset; the same offset if there is none. */
function openBracket(text: string, end: number): number {
  const open: number[] = [];
  for (const { offset, token, isPlain } of tokensOf(text)) {
    if (offset >= end) break;
    if (isPlain) continue;
    if (token === '{' || token === '[') open.push(offset);
    else if (token === '}' || token === ']') open.pop();
  }
  return open.at(-1) ?? end;
}

/** The start of the quoted text that is not closed at an offset. */
function openQuote(text: string, end: number): number {
  let found = end;
  for (const { offset, token, isPlain } of tokensOf(text)) {
    if (offset >= end) break;
    if (!isPlain && /^['"]/u.test(token)) found = offset;
  }
  return found;
}

/** The offset where an error begins. For something unclosed, the library reports its end. */
function beginOf(fault: SyntaxFault, text: string): number {
  const [offset] = fault.pos;
  if (isOpen(fault)) return openBracket(text, offset);
  return /closing ['"]quote/.test(fault.message) ? openQuote(text, offset) : offset;
}

/** The errors to report: without those that follow from an earlier one or are on its line; of consecutive tabs the first. */
export function explainFaults(
  faults: readonly SyntaxFault[],
  text: string,
  lineOf: (offset: number) => number,
): readonly { readonly offset: number; readonly message: string }[] {
  // Every error in a file with merge conflict markers follows from those.
  const conflicts = faults.length === 0 ? [] : [...text.matchAll(/^<{7}(?: .*)?$/gmu)];
  if (conflicts.length > 0)
    return conflicts.map(({ index }) => ({ offset: index, message: conflict }));
  const exhausted = faults.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  const relevant = exhausted === undefined ? faults : [exhausted];
  const lines = new Set<number>();
  const written = text.split('\n');
  const indented = new Set<number>();
  const tabs = new Set<number>();
  const kept: { offset: number; message: string }[] = [];
  for (const fault of relevant.toSorted((a, b) => a.pos[0] - b.pos[0])) {
    const line = lineOf(fault.pos[0]);
    const follows = kept.length > 0 && /token in YAML stream/.test(fault.message);
    if (lines.has(line) || follows) continue;
    const isTab = fault.code === 'TAB_AS_INDENT';
    const isOfColumn = /same column/.test(fault.message);
    const isKnown = isTab
      ? tabs.has(line - 1)
      : isOfColumn && followsIndent(line, indented, written);
    if (isTab) tabs.add(line);
    if (isTab || isOfColumn) indented.add(line);
    if (isKnown) continue;
    lines.add(line);
    kept.push({ offset: beginOf(fault, text), message: explain(fault, text) });
  }
  return kept;
}
