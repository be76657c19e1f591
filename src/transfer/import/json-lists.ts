import { afterMark, DataProblem, readBytes } from './source.ts';
import type { DataFile, Section } from './source.ts';

const quoteMark = 0x22;
const backslash = 0x5c;
const newline = 0x0a;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** The deepest nesting that is scanned; the limit for records is checked when they are parsed. */
const deepest = 1_000;
/** A member for editors that is allowed beside the lists. */
export const schemaName = '$schema';
/** The longest name of a list. */
const longestName = 1_000;

/**
 * Finds the lists of a JSON file: `[item, …]` is one, `{"name": [item, …], …}` has one for each name. Reads the file once,
 * in constant memory, looking only at brackets and strings. Throws a `DataProblem` for any other file.
 */
export async function findLists(
  file: DataFile,
  onBytes: (bytes: number) => void,
): Promise<readonly Section[]> {
  const finder = new ListFinder(file);
  for await (const chunk of readBytes(file, 0, file.size)) {
    onBytes(chunk.length);
    finder.feed(chunk);
  }
  return finder.end();
}

class ListFinder {
  private readonly file: DataFile;
  private readonly sections: Section[] = [];
  private offset = 0;
  private line = 1;
  /** The open brackets. */
  private readonly open: number[] = [];
  private inString = false;
  private isEscaped = false;
  /** The last token outside the lists. */
  private state: 'start' | 'first' | 'name' | 'colon' | 'list' | 'comma' | 'done' = 'start';
  private name: number[] = [];
  private list: { start: number; line: number } | undefined;

  constructor(file: DataFile) {
    this.file = file;
  }

  feed(chunk: Buffer): void {
    let index = this.offset === 0 ? afterMark(chunk) : 0;
    for (; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (byte === newline) this.line += 1;
      if (this.inString) this.insideString(byte);
      else if (byte > 0x20) {
        // Fast path: most bytes are inside the records of a list.
        if (this.list !== undefined) this.insideList(byte, this.offset + index);
        else this.outside(byte, this.offset + index);
      }
    }
    this.offset += chunk.length;
  }

  end(): readonly Section[] {
    if (this.state === 'start' && this.list === undefined)
      this.fail('is empty: it must hold a list of records');
    if (this.state !== 'done') this.fail('is not valid JSON: it ends before its list is closed');
    return this.sections;
  }

  private fail(message: string): never {
    throw new DataProblem(this.file.name, this.line, `the file ${message}`);
  }

  private insideString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === backslash) this.isEscaped = true;
    else if (byte === quoteMark) this.inString = false;
    if (this.list === undefined && this.name.push(byte) > longestName)
      this.fail('has a name here that is too long for a list of records');
  }

  private insideList(byte: number, offset: number): void {
    if (byte === quoteMark) this.inString = true;
    else if (byte === openList || byte === openObject) {
      if (this.open.push(byte) > deepest)
        this.fail(`has a record that is nested deeper than ${deepest} levels`);
    } else if (byte === closeList || byte === closeObject) this.close(byte, offset);
  }

  private close(byte: number, offset: number): void {
    const opened = this.open.pop();
    if (opened !== (byte === closeList ? openList : openObject))
      this.fail(
        `is not valid JSON: the ${String.fromCodePoint(byte)} here closes no ${byte === closeList ? '[' : '{'}`,
      );
    const outer = this.open.length;
    if (this.list !== undefined && outer === (this.open[0] === openObject ? 1 : 0)) {
      const resource = outer === 0 ? this.file.resource : this.nameOf();
      if (this.sections.some((section) => section.resource === resource))
        this.fail(`has the list ${JSON.stringify(resource)} twice`);
      this.sections.push({ file: this.file, resource, end: offset, ...this.list });
      this.list = undefined;
      this.state = 'list';
    }
    if (outer === 0) this.state = 'done';
  }

  /** Reads a byte outside the lists. */
  private outside(byte: number, offset: number): void {
    const { state } = this;
    if (state === 'done') this.fail('is not valid JSON: something follows the end of the list');
    if (byte === openList && (state === 'start' || state === 'colon')) {
      this.open.push(byte);
      this.list = { start: offset + 1, line: this.line };
    } else if (state === 'start') {
      if (byte !== openObject) this.fail('must be a list of records, or an object of such lists');
      this.open.push(byte);
      this.state = 'first';
    } else if (byte === quoteMark && (state === 'first' || state === 'comma')) {
      this.inString = true;
      this.name = [byte];
      this.state = 'name';
    } else if (byte === quoteMark && state === 'colon' && this.nameOf() === schemaName) {
      this.inString = true;
      this.state = 'list';
    } else if (byte === 0x3a && state === 'name') this.state = 'colon';
    else if (byte === 0x2c && state === 'list') this.state = 'comma';
    else if (byte === closeObject && (state === 'first' || state === 'list'))
      this.close(byte, offset);
    else if (state === 'colon')
      this.fail(`may hold lists of records only, and ${JSON.stringify(this.nameOf())} is none`);
    else this.fail('is not valid JSON: something stands where the name of a list should');
  }

  private nameOf(): string {
    try {
      return String(JSON.parse(Buffer.from(this.name).toString('utf8')));
    } catch {
      return this.fail('is not valid JSON: the name of a list is none');
    }
  }
}
