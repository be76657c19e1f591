import { isUtf8 } from 'node:buffer';
import { afterMark, chunkSize, DataProblem, maxRecordSize, recordOf, tooLong } from './source.ts';
import type { Cutter, DataFile, Section, SourceRecord } from './source.ts';

const newline = 0x0a;

/** Cuts newline-delimited JSON: one record on each line; blank lines are skipped. */
export class LineCutter implements Cutter {
  private readonly file: DataFile;
  private line: number;
  /** The start of a line whose end has not been read yet. */
  private rest: Buffer[] = [];
  private restSize = 0;

  constructor({ file, line }: Section) {
    this.file = file;
    this.line = line;
  }

  feed(bytes: Buffer): readonly SourceRecord[] {
    const last = bytes.lastIndexOf(newline);
    if (last === -1) {
      this.keep(bytes);
      return [];
    }
    const whole = bytes.subarray(0, last);
    const lines = this.rest.length === 0 ? whole : Buffer.concat([...this.rest, whole]);
    this.rest = [];
    this.restSize = 0;
    this.keep(bytes.subarray(last + 1));
    return this.cut(lines);
  }

  end(): readonly SourceRecord[] {
    return this.restSize === 0 ? [] : this.cut(Buffer.concat(this.rest));
  }

  private keep(bytes: Buffer): void {
    this.rest.push(bytes);
    this.restSize += bytes.length;
    if (this.restSize > maxRecordSize + chunkSize)
      throw new DataProblem(this.file.name, this.line, tooLong());
  }

  private cut(lines: Buffer): readonly SourceRecord[] {
    const records: SourceRecord[] = [];
    const isChecked = isUtf8(lines);
    for (let start = 0; start <= lines.length; this.line += 1) {
      const found = lines.indexOf(newline, start);
      const end = found === -1 ? lines.length : found;
      const bytes = lines.subarray(this.line === 1 ? afterMark(lines) : start, end);
      if (bytes.length > maxRecordSize) throw new DataProblem(this.file.name, this.line, tooLong());
      if (!isBlank(bytes)) records.push(recordOf(bytes, this.line, isChecked));
      start = end + 1;
    }
    return records;
  }
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}
