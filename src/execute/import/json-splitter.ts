/** One item of a list: its JSON text and, in an object of lists, the name of its list. */
export interface Piece {
  readonly name: string | undefined;
  readonly text: string;
  /** Where it begins, from 1. */
  readonly line: number;
}

const blank = /\s/u;

/**
 * Cuts a JSON text `[item, …]` or `{"name": [item, …], …}` into its items while it arrives, without holding more
 * than one of them. It looks only at brackets and strings: each item is parsed by whoever takes it.
 */
export class JsonSplitter {
  /** The line that has been reached, from 1. */
  line = 1;
  /** Why the text cannot be cut; nothing is given from there on. */
  problem: string | undefined;
  private readonly open: string[] = [];
  private isObject: boolean | undefined;
  private isDone = false;
  private inString = false;
  private escaped = false;
  private name: string | undefined;
  /** The text of the item, or of the name, that is being read. */
  private text = '';
  private startLine = 1;

  feed(chunk: string): readonly Piece[] {
    const pieces: Piece[] = [];
    for (const character of chunk) {
      if (this.problem !== undefined) break;
      const piece = this.take(character);
      if (piece !== undefined) pieces.push(piece);
      if (character === '\n') this.line += 1;
    }
    return pieces;
  }

  /** At the end of the text: a problem unless everything is closed. */
  end(): readonly Piece[] {
    if (!this.isDone) this.problem ??= 'the file ends before its list is closed';
    return [];
  }

  /** How deep the items stand: in a list, or in a list of an object. */
  private get itemDepth(): number {
    return this.isObject === true ? 2 : 1;
  }

  private take(character: string): Piece | undefined {
    if (this.inString) {
      this.text += character;
      if (this.escaped) this.escaped = false;
      else if (character === '\\') this.escaped = true;
      else if (character === '"') this.inString = false;
      return undefined;
    }
    const depth = this.open.length;
    if (depth === 0) this.begin(character);
    else if (depth < this.itemDepth) this.between(character);
    else return this.inside(character, depth);
    return undefined;
  }

  /** Before the first bracket, or after the last. */
  private begin(character: string): void {
    if (blank.test(character)) return;
    if (this.isDone) this.problem = 'something follows the end of the list';
    else if (character === '[' || character === '{') {
      this.isObject = character === '{';
      this.open.push(character);
    } else if (character !== '\uFEFF')
      this.problem = 'must be a list of records, or an object of such lists';
  }

  /** In an object of lists, outside a list. */
  private between(character: string): void {
    if (character === '"') {
      this.inString = true;
      this.text = character;
    } else if (character === '[') {
      this.name = parseName(this.text);
      if (this.name === undefined) this.problem = 'a list here needs a name';
      this.text = '';
      this.open.push(character);
    } else if (character === '}') this.close();
    else if (!blank.test(character) && character !== ':' && character !== ',')
      this.problem = `${this.text === '' ? 'what stands here' : this.text} is no list of records`;
  }

  private inside(character: string, depth: number): Piece | undefined {
    const isOuter = depth === this.itemDepth;
    if (isOuter && (character === ',' || character === ']')) {
      const piece = this.finish();
      if (character === ']') this.close();
      return piece;
    }
    if (isOuter && this.text === '') {
      if (blank.test(character)) return undefined;
      this.startLine = this.line;
    }
    this.text += character;
    if (character === '"') this.inString = true;
    else if (character === '[' || character === '{') this.open.push(character);
    else if (character === ']' || character === '}') this.open.pop();
    return undefined;
  }

  private close(): void {
    this.open.pop();
    this.text = '';
    if (this.open.length === 0) this.isDone = true;
  }

  private finish(): Piece | undefined {
    const { text, name, startLine: line } = this;
    this.text = '';
    return text === '' ? undefined : { name, text, line };
  }
}

function parseName(text: string): string | undefined {
  try {
    const name: unknown = JSON.parse(text);
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
