import { isUtf8 } from 'node:buffer';
import { readCells } from './csv-cells.ts';
import { afterMark, DataProblem, maxRecordSize, tooLong } from './source.ts';
import type { Cutter, DataFile, Section, SourceRecord } from './source.ts';

const quoteMark = 0x22;
const comma = 0x2c;
const newline = 0x0a;
const carriageReturn = 0x0d;

/** Where in a record a byte stands: at the start of a value, in one, in quotes, or behind a quote that was in quotes. */
type State = 'start' | 'plain' | 'quoted' | 'behind';

/**
 * Cuts CSV (RFC 4180) into records: lines, but for newlines in quotes; blank lines stand between them. The first names
 * the fields of the others; `headerProblems` says what is wrong with it, and then the file is not read on.
 */
export class CsvCutter implements Cutter {
  private readonly file: DataFile;
  private readonly headerProblems: HeaderProblems;
  private header: readonly string[] | undefined;
  private line: number;
  private isFirst = true;
  private state: State = 'start';
  /** The line in which the record begins that is being read. */
  private recordLine: number;
  /** The beginning of a record whose end has not arrived. */
  private rest: Buffer[] = [];
  private restSize = 0;

  constructor({ file, line }: Section, headerProblems: HeaderProblems) {
    this.file = file;
    this.headerProblems = headerProblems;
    this.line = line;
    this.recordLine = line;
  }

  feed(bytes: Buffer): readonly SourceRecord[] {
    const records: SourceRecord[] = [];
    let { state } = this;
    let start = this.isFirst ? afterMark(bytes) : 0;
    this.isFirst = false;
    for (let index = start; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (byte === newline) this.line += 1;
      if (state === 'quoted') {
        if (byte === quoteMark) state = 'behind';
      } else if (byte === newline) {
        records.push(...this.take(bytes.subarray(start, index)));
        start = index + 1;
        state = 'start';
      } else if (byte === comma) state = 'start';
      else state = byte === quoteMark && state !== 'plain' ? 'quoted' : 'plain';
    }
    this.state = state;
    this.keep(bytes.subarray(start));
    return records;
  }

  end(): readonly SourceRecord[] {
    return this.take(Buffer.alloc(0));
  }

  private keep(bytes: Buffer): void {
    this.rest.push(bytes);
    this.restSize += bytes.length;
    if (this.restSize > maxRecordSize)
      throw new DataProblem(this.file.name, this.recordLine, tooLong());
  }

  /** The record that ends here, if there is one. */
  private take(last: Buffer): readonly SourceRecord[] {
    const whole = this.rest.length === 0 ? last : Buffer.concat([...this.rest, last]);
    const bytes = whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    const line = this.recordLine;
    this.recordLine = this.line;
    this.rest = [];
    this.restSize = 0;
    if (bytes.length === 0) return [];
    const isText = isUtf8(bytes);
    const text = isText ? bytes.toString('utf8') : '';
    const problem = isText ? undefined : 'the record is not valid UTF-8';
    if (this.header !== undefined)
      return [{ line, text, tokens: 'plain', problem, header: this.header }];
    this.header = this.readHeader(text, line, problem);
    return [];
  }

  private readHeader(text: string, line: number, problem: string | undefined): readonly string[] {
    const cells = problem ?? readCells(text);
    if (typeof cells === 'string') throw new DataProblem(this.file.name, line, cells);
    const names = cells.map((name) => name ?? '');
    const problems = this.headerProblems(names);
    if (problems.length > 0) throw new DataProblem(this.file.name, line, problems.join('; '));
    return names;
  }
}

/** What is wrong with the names of a header, a clause each. */
export type HeaderProblems = (names: readonly string[]) => readonly string[];
